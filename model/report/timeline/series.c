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

/* Go to the bin that `now` is in. */
static void advance_bin(struct series *s, des_time now)
{
    for (;;) {
        des_time end = s->zero + (s->bin + 1) * s->width;
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

void series_end(struct series *s, des_time now)
{
    des_time begin;

    advance_bin(s, now);
    begin = s->zero + s->bin * s->width;
    if (now > begin)
        s->emit(s->self, s->bin, s->sum, now - begin);
}
