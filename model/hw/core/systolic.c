/* The cycles that take a beat and a row, by the rules of systolic.h. */
#include "hw/core/systolic.h"

#include "base/err.h"

static uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void systolic_init(struct systolic *s, const struct array *par, uint64_t *fetched)
{
    BUG_ON(par->size < 4 || !par->rows_per_cycle || !par->weight_rows_per_cycle ||
           par->weight_rows_per_cycle > par->size);
    *s = (struct systolic){ .par = *par };
    flow_lanes_init(&s->rows, par->rows_per_cycle);
    flow_places_init(&s->results, par->result_rows, fetched);
}

void systolic_set_mode(struct systolic *s, const struct array *base, const struct array_mode *mode)
{
    BUG_ON(s->streaming || s->beat || s->loaded != s->end);
    s->par = array_in_mode(base, mode);
    s->rows.width = s->par.rows_per_cycle;
    flow_lanes_close(&s->rows); /* as the last row of a tile does */
}

bool systolic_can_load(const struct systolic *s)
{
    bool hidden = s->par.load == ARRAY_SHADOW || s->par.load == ARRAY_WAVE;

    return s->beat || s->loaded == (hidden ? s->begun : s->end);
}

uint64_t systolic_load(struct systolic *s, uint64_t there)
{
    BUG_ON(!systolic_can_load(s));
    uint64_t at = later_cycle(there, s->load_from);

    s->load_from = at + 1;
    if (++s->beat == array_beats(&s->par)) {
        s->beat = 0;
        s->loaded++;
        s->row_from = at + 1;
    }
    return at;
}

bool systolic_can_take(const struct systolic *s)
{
    return (s->streaming || s->loaded > s->begun) && flow_places_known(&s->results);
}

/* A row taken in cycle `at` may let the next tile's weights load. */
static void release_weights(struct systolic *s, uint64_t at, bool first, bool last)
{
    uint64_t size = s->par.size;

    switch (s->par.load) {
    case ARRAY_SERIAL:
        if (last)
            s->load_from = later_cycle(s->load_from, at + array_latency(&s->par));
        break;
    case ARRAY_EXPOSED:
        if (last)
            s->load_from = later_cycle(s->load_from, at + 1);
        break;
    case ARRAY_SHADOW:
        if (first)
            s->load_from = later_cycle(s->load_from, at + size - 1);
        break;
    case ARRAY_WAVE:
        if (first)
            s->load_from = later_cycle(s->load_from, at);
        break;
    }
}

uint64_t systolic_take(struct systolic *s, uint64_t there, bool last)
{
    BUG_ON(!systolic_can_take(s));
    bool first = !s->streaming;
    /* a place given back shows at the entrance in the next cycle */
    uint64_t place = !s->results.depth || s->results.put < s->results.depth
                         ? 0
                         : flow_places_from(&s->results) + 1;
    uint64_t from = later_cycle(there, place);
    uint64_t at = flow_lanes_pass(&s->rows, first ? later_cycle(from, s->row_from) : from);

    flow_places_put(&s->results);
    if (last)
        flow_lanes_close(&s->rows);
    s->begun += first;
    s->end += last;
    s->streaming = !last;
    release_weights(s, at, first, last);
    return at;
}

void systolic_fetch(struct systolic *s, uint64_t cycle)
{
    flow_places_back(&s->results, cycle);
}

struct systolic_span systolic_walk(struct systolic *s, const struct systolic_run *run)
{
    struct systolic_span span = { 0 };
    uint64_t fetched = flow_places_last(&s->results);

    BUG_ON(!run->tiles || !run->rows || s->beat || s->loaded != s->end);
    for (uint64_t tile = 0; tile < run->tiles; tile++) {
        for (uint64_t beat = 0; beat < array_beats(&s->par); beat++) {
            uint64_t at = systolic_load(s, run->weights_at);
            if (!tile && !beat)
                span.begin = at;
        }
        for (uint64_t row = 0; row < run->rows; row++) {
            span.last_row = systolic_take(s, run->rows_at, row == run->rows - 1);
            span.end = span.last_row + array_latency(&s->par);
            fetched = later_cycle(fetched, span.end);
            systolic_fetch(s, fetched);
            if (!tile && !row)
                span.row = span.last_row;
        }
    }
    return span;
}
