/* A fusion that is one kernel of a framework's library: a norm, a softmax.
 *
 * It moves operands and results once, and operands once more for each level of its reductions,
 * where these are not of whole rows, which stay on chip, or the L2 does not hold them.  It passes
 * over its elements at the rate of its class, once for each level of reductions and once to write
 * the results; a softmax of rows of up to 1,024 elements holds them in registers of a warp, which
 * waits for no other: it streams [pytorch-softmax].
 *
 * A level: the sum of a softmax needs the largest, that of a variance needs nothing before it. */
#include "base/arith.h"
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/gpu/gpu.h"

#define BLOCK 1024     /* elements */
#define HELD_ROW 1024u /* elements of a row that a warp holds */

struct norm {
    uint32_t levels; /* of reductions */
    bool rows;       /* all of them of whole rows */
    uint64_t row;    /* elements of the longest */
};

static bool is_inside(const struct lowering *l, const struct step_node *n, uint32_t v)
{
    uint32_t by = l->step->value[v].op;

    return by != STEP_NONE && by >= n->first_op && by < n->first_op + n->n_ops;
}

/* True if `to` is `from` without some last dimensions: one value for each row. */
static bool is_of_rows(const struct trace_shape *from, const struct trace_shape *to)
{
    if (to->rank >= from->rank)
        return false;
    for (uint32_t d = 0; d < to->rank; d++)
        if (to->dim[d] != from->dim[d])
            return false;
    return true;
}

/* True if the dimensions that are summed over are the last ones. */
static bool is_last(uint32_t over, uint32_t rank)
{
    uint32_t all = rank < 32 ? (UINT32_C(1) << rank) - 1 : UINT32_MAX, kept = all & ~over;

    return (kept & (kept + 1)) == 0;
}

static uint64_t elements_of(const struct trace_shape *s)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < s->rank; d++)
        n *= s->dim[d];
    return n;
}

static void add_reduction(struct norm *k, const struct step *s, const struct step_op *op)
{
    const struct trace_shape *from = &s->value[s->ref[op->first_in]].shape;
    const struct trace_shape *to = &s->value[s->ref[op->first_out]].shape;
    uint64_t rows = elements_of(to), row = rows ? elements_of(from) / rows : 0;

    k->rows &= op->op.over ? is_last(op->op.over, from->rank) : is_of_rows(from, to);
    k->row = row > k->row ? row : k->row;
}

static struct norm find_reductions(const struct lowering *l, const struct step_node *n)
{
    uint32_t *level = memory_zeroed((size_t)n->n_ops + 1, sizeof *level);
    struct norm k = { .rows = true };

    for (uint32_t i = 0; i < n->n_ops; i++) {
        const struct step_op *op = &l->step->op[n->first_op + i];
        bool reduces = op->op.kind == TRACE_REDUCE && op->n_in && op->n_out;
        for (uint32_t j = 0; j < step_n_operands(op); j++) {
            uint32_t v = step_operand(l->step, op, j);
            uint32_t of = is_inside(l, n, v) ? level[l->step->value[v].op - n->first_op] : 0;
            level[i] = of > level[i] ? of : level[i];
        }
        level[i] += reduces;
        k.levels = level[i] > k.levels ? level[i] : k.levels;
        if (reduces)
            add_reduction(&k, l->step, op);
    }
    free(level);
    return k;
}

/* Bytes that cross its border: each operand once a reading. */
static void add_border(struct lowering *l, const struct step_node *n, const struct step_op *op,
                       uint64_t readings, struct task_grid *g)
{
    for (uint32_t j = 0; j < step_n_operands(op); j++) {
        uint32_t v = step_operand(l->step, op, j);
        uint64_t bytes = step_bytes(l->step, v);
        if (is_inside(l, n, v) || l->seen[v])
            continue;
        l->seen[v] = true;
        for (uint64_t i = 0; i < readings; i++) {
            g->in.l2 += bytes;
            g->in.hbm += gpu_cache_find(&l->cache, v, bytes);
        }
    }
    for (uint32_t j = 0; j < op->n_out; j++) {
        uint32_t v = step_result(l->step, op, j);
        if (l->step->value[v].on_chip)
            continue;
        g->out.l2 += step_bytes(l->step, v);
        g->out.hbm += gpu_cache_write(&l->cache, v, step_bytes(l->step, v));
    }
}

static void forget_seen(struct lowering *l, const struct step_node *n)
{
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        for (uint32_t j = 0; j < step_n_operands(&l->step->op[i]); j++)
            l->seen[step_operand(l->step, &l->step->op[i], j)] = false;
}

void gpu_norm(struct lowering *l, const struct step_node *n, uint32_t row)
{
    struct norm k = find_reductions(l, n);
    bool held = k.rows && k.levels > 1 && k.row <= HELD_ROW;
    uint64_t longest = 1, passes = held ? 1 : k.levels + 1, most = 0;
    struct task_grid g = { 0 };

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &l->step->op[i];
        uint64_t elements = gpu_longest_value(l->step, op);
        longest = elements > longest ? elements : longest;
        add_border(l, n, op, k.rows ? 1 : k.levels + 1, &g);
        gpu_add_work(&g, l->step, op, l->cap);
    }
    forget_seen(l, n);
    g.blocks = arith_ceil_div(longest, BLOCK);
    g.waves = arith_ceil_div(g.blocks, l->cap->gpu.sms);
    gpu_stream_limit(&g,
                     held     ? GPU_VECTOR
                     : k.rows ? GPU_NORM
                              : GPU_REDUCE,
                     longest * passes, false, l->cap);
    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        most = g.cycles[pipe] > most ? g.cycles[pipe] : most;
    g.sm_cycles = most * (g.blocks < l->cap->gpu.sms ? g.blocks : l->cap->gpu.sms);
    gpu_cut(&g);
    gpu_add_kernel(l, row, &g, gpu_host_time(l), 0);
}
