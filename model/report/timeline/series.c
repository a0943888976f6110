#include "report/timeline/series.h"

void series_begin(struct series *s, enum series_kind kind, des_time zero, des_time width,
                  uint64_t value, series_emit *emit, void *self)
{
    BUG_ON(width == 0);
    *s = (struct series){ .kind = kind,
                          .zero = zero,
                          .width = width,
                          .value = value,
                          .since = zero,
                          .sum = kind == SERIES_LEVEL ? value : 0,
                          .emit = emit,
                          .self = self };
}

/* The value held from `since` up to `until`, within one bin. */
static void hold_value(struct series *s, des_time until)
{
    if (s->kind == SERIES_BUSY && s->value)
        s->sum += until - s->since;
    s->since = until;
}

static des_time end_of_bin(const struct series *s)
{
    return s->zero + (s->bin + 1) * s->width;
}

/* Go to the bin that `now` is in. */
static void advance_bin(struct series *s, des_time now)
{
    for (;;) {
        des_time end = end_of_bin(s);
        if (now < end)
            break;
        hold_value(s, end);
        s->emit(s->self, s->bin, s->sum, s->width);
        s->bin++;
        s->sum = s->kind == SERIES_LEVEL ? s->value : 0;
    }
    hold_value(s, now);
}

void series_change(struct series *s, des_time now, uint64_t value)
{
    advance_bin(s, now);
    if (s->kind == SERIES_TOTAL)
        s->sum += value - s->value;
    s->value = value;
    if (s->kind == SERIES_LEVEL && value > s->sum)
        s->sum = value;
}

/* Add what of the last ramp moves up to `until`. */
static void add_ramp(struct series *s, des_time until)
{
    const struct des_ramp *r = &s->ramp;
    des_time from = r->from > s->zero ? r->from : s->zero, to = r->to < until ? r->to : until;

    if (r->amount == 0 || to < from)
        return;
    advance_bin(s, from);
    for (uint64_t moved = des_ramp_by(r, s->zero), by;; moved = by) {
        des_time end = end_of_bin(s);
        by = des_ramp_by(r, to < end ? to : end);
        s->sum += by - moved;
        if (to < end)
            break;
        advance_bin(s, end);
    }
    s->since = to;
}

void series_ramp(struct series *s, const struct des_ramp *ramp)
{
    add_ramp(s, DES_NEVER);
    s->ramp = *ramp;
}

void series_end(struct series *s, des_time now)
{
    des_time begin;

    add_ramp(s, now);
    s->ramp.amount = 0;
    advance_bin(s, now);
    begin = s->zero + s->bin * s->width;
    if (now > begin)
        s->emit(s->self, s->bin, s->sum, now - begin);
}
