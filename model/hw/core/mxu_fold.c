/* The shortcuts of mxu.c.  Nothing delays a command once it streams, so its end is known when it
 * begins.  A command that finds the array idle has the same effect as the last equal one that did,
 * only later. */
#include <string.h>

#include "hw/core/mxu.h"

/* Count the cycles of a run that began in `cycle`, from those of one tile.  Beats that no row hides
 * are the last before the next tile's first row. */
static void count_cycles(struct mxu_cycles *c, const struct array *a,
                         const struct systolic_run *run, const struct systolic_span *span,
                         uint64_t cycle)
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

    /* the result FIFO has room, so there always is a shortcut; if not, rows are walked */
    if (!systolic_fold(&m->array, &run, &span))
        span = systolic_walk(&m->array, &run);
    count_cycles(&m->cycles, &m->array.par, &run, &span, cycle);
    return span;
}

/* Would a command that begins in `cycle` find an idle array? */
static bool is_at_rest(const struct systolic *s, uint64_t cycle)
{
    return !s->beat && !s->streaming && s->loaded == s->end && s->results.depth == 0 &&
           s->load_from <= cycle && s->rows.cycle <= cycle;
}

static bool is_same_command(const struct unit_gemm *a, const struct unit_gemm *b)
{
    return a->gemm.b == b->gemm.b && a->gemm.m == b->gemm.m && a->gemm.k == b->gemm.k &&
           a->gemm.n == b->gemm.n && a->drain == b->drain &&
           a->mode.more_passes == b->mode.more_passes && a->mode.more_rows == b->mode.more_rows &&
           a->mode.turned == b->mode.turned && a->mode.depth == b->mode.depth &&
           a->mode.columns == b->mode.columns && a->mode.pushed == b->mode.pushed &&
           a->mode.height == b->mode.height && a->mode.twin == b->mode.twin;
}

static struct mxu_memo *find_memo(struct mxu *m)
{
    for (uint32_t i = 0; i < MXU_MEMOS; i++)
        if (is_same_command(&m->memo[i].cmd, &m->cur))
            return &m->memo[i];
    return NULL;
}

/* Apply the effect of an equal command from `cycle` on; only its useful work may differ. */
static void repeat_command(struct mxu *m, const struct mxu_memo *memo, uint64_t cycle)
{
    uint64_t later = cycle - memo->start;
    uint64_t *slots = m->reply.slots;

    m->array = memo->array;
    m->array.load_from += later;
    m->array.row_from += later;
    m->array.rows.cycle += later;
    m->end = cycle + memo->cycles;
    m->reply = (struct unit_done){ .cause = CAUSE_MXU };
    memcpy(slots, memo->slots, sizeof memo->slots);
    slots[USE_CONV_ZEROS] += slots[USE_USEFUL] - m->cur.gemm.useful;
    slots[USE_USEFUL] = m->cur.gemm.useful;
    mxu_count(m, memo->cycles, slots, 1);
}

static void keep_memo(struct mxu *m, uint64_t cycle)
{
    struct mxu_memo *memo = &m->memo[m->next_memo++ % MXU_MEMOS];

    *memo = (struct mxu_memo){
        .cmd = m->cur, .start = cycle, .cycles = m->end - cycle, .array = m->array
    };
    memcpy(memo->slots, m->reply.slots, sizeof memo->slots);
}

des_time mxu_serve(void *unit, const void *cmd, des_time at, struct unit_done *done)
{
    struct mxu *m = unit;
    uint64_t cycle = des_edge_index(at, m->hz);
    bool fresh = m->par.dataflow == DATAFLOW_WS && is_at_rest(&m->array, cycle);

    m->cur = *(const struct unit_gemm *)cmd;
    const struct mxu_memo *memo = fresh ? find_memo(m) : NULL;
    if (memo) {
        repeat_command(m, memo, cycle);
    } else {
        mxu_begin(m, cycle);
        m->end = m->par.dataflow == DATAFLOW_WS ? mxu_end_after(m, mxu_fold(m, cycle).last_row)
                                                : mxu_bare_end(m);
        mxu_end(m);
        if (fresh)
            keep_memo(m, cycle);
    }
    m->useful += m->cur.gemm.useful;
    *done = m->reply;
    return des_edge(m->end, m->hz);
}

uint64_t mxu_rest(const void *unit)
{
    const struct mxu *m = unit;
    const struct systolic *s = &m->array;

    if (m->hz != m->core_hz || m->par.dataflow != DATAFLOW_WS)
        return UINT64_MAX;
    uint64_t rest = s->load_from > s->rows.cycle ? s->load_from : s->rows.cycle;
    return is_at_rest(s, rest) ? rest : UINT64_MAX;
}

void mxu_repeat(void *unit, const void *cmd, uint64_t start, uint64_t n)
{
    struct mxu *m = unit;
    struct unit_done done;

    mxu_serve(m, cmd, des_edge(start, m->hz), &done);
    mxu_count(m, m->end - start, done.slots, n - 1);
    m->useful += (n - 1) * m->cur.gemm.useful;
}
