/* The shortcut of systolic.c.  Once the first row of a run is taken and rows and weights are never
 * late, only the mode's rule and the number of rows decide when the next tile begins: all tiles are
 * one interval apart, and rows of a tile follow each other at the full rate.  What could disturb
 * that is the result FIFO, so it is shown to have room, or there is no shortcut. */
#include "base/err.h"
#include "hw/systolic.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Cycles that `rows` rows are taken in. */
static uint64_t pushes(const struct systolic_params *par, uint64_t rows)
{
    return (rows + par->rows_per_cycle - 1) / par->rows_per_cycle;
}

uint64_t systolic_interval(const struct systolic_params *par, uint64_t rows)
{
    uint64_t b = pushes(par, rows), load = systolic_beats(par), size = par->size;

    switch (par->load) {
    case SYSTOLIC_SERIAL: return b + 2 * size - 2 + load;
    case SYSTOLIC_EXPOSED: return b + load;
    case SYSTOLIC_SHADOW: return later(b, size - 1 + load);
    case SYSTOLIC_WAVE: break;
    }
    return later(b, load);
}

/* The cycle in which row `n` of the run is taken. */
static uint64_t row_at(const struct systolic *s, const struct systolic_run *run, uint64_t first,
                       uint64_t interval, uint64_t n)
{
    return first + n / run->rows * interval + n % run->rows / s->par.rows_per_cycle;
}

/* Whether no row of a run of `n` rows would have to wait for a place in the result FIFO, nor a
 * result in it. */
static bool roomy(const struct systolic *s, const struct systolic_run *run, uint64_t first,
                  uint64_t interval, uint64_t n)
{
    const struct flow_places *p = &s->results;

    /* rows `depth` apart are at least depth / rows_per_cycle cycles apart */
    if (n > p->depth && p->depth / s->par.rows_per_cycle < systolic_latency(&s->par) + 1)
        return false;
    if (flow_places_last(p) < first)
        return true;
    if (flow_places_last(p) > first + systolic_latency(&s->par))
        return false; /* the first results would have to queue */
    for (uint64_t i = 0; i < n && i < p->depth; i++)
        if (p->put + i >= p->depth &&
            p->freed[(p->put + i) % p->depth] >= row_at(s, run, first, interval, i))
            return false;
    return true;
}

/* The earliest first beat after a tile of `rows` rows of which the first was taken in `first`. */
static uint64_t load_from(const struct systolic_params *par, uint64_t rows, uint64_t first)
{
    uint64_t last = first + pushes(par, rows) - 1;

    switch (par->load) {
    case SYSTOLIC_SERIAL: return last + 2 * (uint64_t)par->size - 1;
    case SYSTOLIC_EXPOSED: return last + 1;
    case SYSTOLIC_SHADOW: return first + par->size - 1;
    case SYSTOLIC_WAVE: break;
    }
    return first;
}

bool systolic_fold(struct systolic *s, const struct systolic_run *run, struct systolic_span *span)
{
    const struct systolic_params *par = &s->par;
    struct flow_places *p = &s->results;

    BUG_ON(!run->tiles || !run->rows);
    if (s->beat || s->loaded != s->end || p->put != p->back)
        return false;

    uint64_t begin = later(run->weights_at, s->load_from);
    uint64_t first = later(begin + systolic_beats(par), run->rows_at);
    if (s->end && first <= s->rows.cycle)
        first = s->rows.cycle + 1;

    uint64_t interval = systolic_interval(par, run->rows), n = run->tiles * run->rows;
    if (!roomy(s, run, first, interval, n))
        return false;

    uint64_t tile = first + (run->tiles - 1) * interval; /* the last one's first row */
    uint64_t last = row_at(s, run, first, interval, n - 1);
    *span = (struct systolic_span){ begin, first, last, last + systolic_latency(par) };

    uint64_t load = run->tiles == 1 ? begin : load_from(par, run->rows, tile - interval);
    s->row_from = load + systolic_beats(par);
    s->load_from = load_from(par, run->rows, tile);
    s->loaded += run->tiles;
    s->begun += run->tiles;
    s->end += run->tiles;
    s->rows.cycle = last;
    flow_lanes_close(&s->rows);
    for (uint64_t i = n > p->depth ? n - p->depth : 0; i < n; i++)
        p->freed[(p->put + i) % p->depth] =
            row_at(s, run, first, interval, i) + systolic_latency(par);
    p->put += n;
    p->back += n;
    return true;
}
