/* The shortcut of systolic.c.  Once the first row of a run is taken and rows and weights are never
 * late, only the mode's rule and the number of rows decide when the next tile begins: all tiles are
 * one interval apart, and rows of a tile follow each other at the full rate.  What could disturb
 * that is the result FIFO, so it is shown to have room, or there is no shortcut. */
#include "base/err.h"
#include "hw/core/systolic.h"

static uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Cycles that `rows` rows are taken in. */
static uint64_t count_pushes(const struct array *par, uint64_t rows)
{
    return (rows + par->rows_per_cycle - 1) / par->rows_per_cycle;
}

/* The rows of a run in turn; kept without divisions, as the result FIFO is filled from them. */
struct cursor {
    uint64_t at;   /* the cycle in which the row is taken */
    uint64_t tile; /* that of the first row of its tile */
    uint64_t row;  /* of its tile */
    uint32_t lane;
};

static struct cursor place_cursor(const struct systolic *s, const struct systolic_run *run,
                                  uint64_t first, uint64_t n)
{
    struct cursor c = { 0 };

    c.tile = first + n / run->rows * array_interval(&s->par, run->rows);
    c.row = n % run->rows;
    c.at = c.tile + c.row / s->par.rows_per_cycle;
    c.lane = (uint32_t)(c.row % s->par.rows_per_cycle);
    return c;
}

static void advance_cursor(struct cursor *c, const struct systolic *s,
                           const struct systolic_run *run, uint64_t interval)
{
    if (++c->row == run->rows) {
        c->tile += interval;
        c->at = c->tile;
        c->row = c->lane = 0;
    } else if (++c->lane == s->par.rows_per_cycle) {
        c->at++;
        c->lane = 0;
    }
}

/* Whether no row of a run of `n` rows would have to wait for a place in the result FIFO, nor a
 * result in it. */
static bool has_room(const struct systolic *s, const struct systolic_run *run, uint64_t first,
                     uint64_t interval, uint64_t n)
{
    const struct flow_places *p = &s->results;
    uint64_t latency = array_latency(&s->par), old = flow_places_last(p);

    if (p->depth == 0)
        return true;
    /* rows `depth` apart are at least depth / rows_per_cycle cycles apart */
    if (n > p->depth && p->depth / s->par.rows_per_cycle < latency + 1)
        return false;
    if (old < first)
        return true;
    if (old > first + latency)
        return false; /* the first results would have to queue */
    struct cursor c = place_cursor(s, run, first, 0);
    for (uint64_t i = p->put; i < p->put + n && i < p->put + p->depth && c.at <= old; i++) {
        if (i >= p->depth && p->freed[i % p->depth] >= c.at)
            return false;
        advance_cursor(&c, s, run, interval);
    }
    return true;
}

/* All `n` results of the run have been fetched as they left. */
static void pass_results(struct systolic *s, const struct systolic_run *run, uint64_t first,
                         uint64_t interval, uint64_t n)
{
    struct flow_places *p = &s->results;
    uint64_t latency = array_latency(&s->par), i = n > p->depth ? n - p->depth : 0;
    struct cursor c = place_cursor(s, run, first, i);
    uint64_t place = p->depth ? (p->put + i) % p->depth : 0;

    for (; p->depth && i < n; i++) {
        p->freed[place] = c.at + latency;
        place = place + 1 == p->depth ? 0 : place + 1;
        advance_cursor(&c, s, run, interval);
    }
    p->put += n;
    p->back += n;
}

/* The earliest first beat after a tile of `rows` rows of which the first was taken in `first`. */
static uint64_t load_after_tile(const struct array *par, uint64_t rows, uint64_t first)
{
    uint64_t last = first + count_pushes(par, rows) - 1;

    switch (par->load) {
    case ARRAY_SERIAL: return last + 2 * (uint64_t)par->size - 1;
    case ARRAY_EXPOSED: return last + 1;
    case ARRAY_SHADOW: return first + par->size - 1;
    case ARRAY_WAVE: break;
    }
    return first;
}

bool systolic_fold(struct systolic *s, const struct systolic_run *run, struct systolic_span *span)
{
    const struct array *par = &s->par;

    BUG_ON(!run->tiles || !run->rows);
    if (s->beat || s->loaded != s->end || s->results.put != s->results.back)
        return false;

    uint64_t begin = later_cycle(run->weights_at, s->load_from);
    uint64_t first = later_cycle(begin + array_beats(par), run->rows_at);
    first = later_cycle(first, s->rows.cycle + 1);

    uint64_t interval = array_interval(par, run->rows), n = run->tiles * run->rows;
    if (!has_room(s, run, first, interval, n))
        return false;

    uint64_t tile = first + (run->tiles - 1) * interval; /* the last one's first row */
    uint64_t last = tile + count_pushes(par, run->rows) - 1;
    *span = (struct systolic_span){ begin, first, last, last + array_latency(par) };

    uint64_t load = run->tiles == 1 ? begin : load_after_tile(par, run->rows, tile - interval);
    s->row_from = load + array_beats(par);
    s->load_from = load_after_tile(par, run->rows, tile);
    s->loaded += run->tiles;
    s->begun += run->tiles;
    s->end += run->tiles;
    s->rows.cycle = last;
    flow_lanes_close(&s->rows);
    pass_results(s, run, first, interval, n);
    return true;
}
