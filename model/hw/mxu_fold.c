/* The shortcut of mxu.c: nothing holds up a command once it streams, so its end is known at its
 * start. */
#include "hw/mxu.h"

/* The cycles of the run that began in `cycle`, from those of one tile.  The beats that no row hides
 * are the last before the next tile's first row. */
static void count(struct mxu_cycles *c, const struct array *a, const struct systolic_run *run,
                  const struct systolic_span *span, uint64_t cycle)
{
    uint64_t beats = array_beats(a), rows = run->rows, next = run->tiles - 1;
    uint64_t stream = (rows + a->rows_per_cycle - 1) / a->rows_per_cycle;
    uint64_t gap = array_interval(a, rows) - stream, bare = gap < beats ? gap : beats;

    c->load = beats + next * bare;
    c->idle = span->row - cycle - beats + next * (gap - bare);
    c->stream = run->tiles * stream;
    c->next = span->last_row + 1;
}

struct systolic_span mxu_fold(struct mxu *m, uint64_t cycle)
{
    struct systolic_run run = mxu_run(m, cycle);
    struct systolic_span span;

    /* the result FIFO has room, so the array always finds its shortcut; if not, the rows do it */
    if (!systolic_fold(&m->array, &run, &span))
        span = systolic_walk(&m->array, &run);
    count(&m->cycles, &m->array.par, &run, &span, cycle);
    return span;
}
