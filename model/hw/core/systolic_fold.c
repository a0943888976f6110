/* The shortcut of systolic.c.  From the first row of a run on, with rows and weights never late,
 * only the mode and the number of rows decide when the next tile begins: tiles are one interval
 * apart and rows of a tile follow at the full rate.  Only the result FIFO could disturb that;
 * unless it is shown to have room, there is no shortcut. */
#include "base/err.h"
#include "hw/core/systolic.h"

static uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Cycles in which `rows` rows are taken. */
static uint64_t count_pushes(const struct array *par, uint64_t rows)
{
    return (rows + par->rows_per_cycle - 1) / par->rows_per_cycle;
}

/* A row of a run; advanced without divisions, since the result FIFO is filled row by row. */
struct cursor {
    uint64_t at;   /* cycle in which the row is taken */
    uint64_t tile; /* cycle in which the first row of its tile is taken */
    uint64_t row;  /* index in its tile */
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

/* Does no row of a run of `n` rows wait for a place in the result FIFO, and no result in it? */
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

/* Note that all `n` results of the run were fetched as they left. */
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

/* The earliest cycle of the first beat after a tile of `rows` rows, the first taken in `first`. */
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
