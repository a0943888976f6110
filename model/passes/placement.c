#include "passes/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "passes/liveness.h"

/* A buffer: the values that take one place. */
struct candidate {
    uint32_t place, from, to; /* nodes, both included */
    uint64_t bytes, accesses;
    bool barred;
};

static bool runs_on_core(const struct step_op *op)
{
    if (op->op.async != TRACE_SYNC)
        return false;
    if (op->op.kind == TRACE_KERNEL)
        return op->op.compiled->unit == TRACE_ON_TENSORCORE;
    return trace_is_computed(op->op.kind);
}

static uint64_t count_bytes(const struct step *step, uint32_t value,
                            const struct placement_room *room)
{
    const struct step_value *v = &step->value[value];

    if (v->shape.layout.given || v->shape.rank == 0)
        return step_bytes(step, value);
    return tiling_least(&v->shape, v->stored, room->tiling).bytes;
}

/* One more access of a buffer, by a node that may not have it on chip. */
static void add_access(struct candidate *c, const struct liveness *l, const struct step_op *op,
                       uint32_t value)
{
    struct candidate *x = &c[l->life[value].place];

    x->accesses++;
    x->barred |= !runs_on_core(op);
}

/* Count accesses, one for each kernel and buffer: values inside of fusions are no buffers. */
static void count_accesses(struct candidate *c, const struct liveness *l, const struct step *step)
{
    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        for (uint32_t j = 0; j < step_n_operands(op); j++)
            add_access(c, l, op, step_operand(step, op, j));
        for (uint32_t j = 0; j < op->n_out; j++)
            add_access(c, l, op, step_result(step, op, j));
    }
}

/* Fill in what each place holds and when; returns how many candidates stand first in the list. */
static uint32_t list_candidates(struct candidate *c, const struct liveness *l,
                                const struct step *step, const struct placement_room *room)
{
    uint32_t *block = step_blocks(step), n = 0;

    for (uint32_t v = 0; v < step->n_values; v++)
        c[v] = (struct candidate){ .place = v, .from = STEP_NONE };
    count_accesses(c, l, step);
    for (uint32_t v = 0; v < step->n_values; v++) {
        const struct step_value *x = &step->value[v];
        const struct liveness_life *life = &l->life[v];
        struct candidate *p = &c[life->place];
        bool kept = life->again != STEP_NONE || life->returned || life->replicas ||
                    (life->place == v && life->n_gaps);
        p->barred |= x->persistent || x->on_chip || kept || x->last_use == STEP_NONE ||
                     x->shape.rank == 0 || trace_space(&x->shape) != TRACE_IN_HBM ||
                     block[life->from] != block[life->to];
        p->from = life->from < p->from ? life->from : p->from;
        p->to = life->to > p->to ? life->to : p->to;
        uint64_t bytes = count_bytes(step, v, room);
        p->bytes = bytes > p->bytes ? bytes : p->bytes;
    }
    for (uint32_t v = 0; v < step->n_values; v++)
        if (l->life[v].place == v && !c[v].barred && c[v].bytes && c[v].bytes <= room->bytes)
            c[n++] = c[v];
    free(block);
    return n;
}

/* More accesses for each node that it lives through first, then the earlier one. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    u128 p = (u128)x->accesses * (y->to - y->from + 1),
         q = (u128)y->accesses * (x->to - x->from + 1);

    if (p != q)
        return p < q ? 1 : -1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->place > y->place) - (x->place < y->place);
}

static bool take_room(const struct candidate *c, uint64_t *used, uint64_t room)
{
    for (uint32_t i = c->from; i <= c->to; i++)
        if (used[i] > room - c->bytes)
            return false;
    for (uint32_t i = c->from; i <= c->to; i++)
        used[i] += c->bytes;
    return true;
}

void placement_step(struct step *step, const struct placement_room *room)
{
    struct liveness l;

    if (room->bytes == 0 || (step->head.program.scheduled &&
                             strcmp(step->head.program.compiler, TRACE_OWN_COMPILER) != 0))
        return;
    liveness_find(&l, step, TRACE_NO_STAGE, room->replicas, false);
    struct candidate *c = memory_zeroed(step->n_values, sizeof *c);
    uint64_t *used = memory_zeroed((size_t)step->n_nodes + 1, sizeof *used);
    bool *placed = memory_zeroed(step->n_values, sizeof *placed);
    uint32_t n = list_candidates(c, &l, step, room);

    qsort(c, n, sizeof *c, compare_candidates);
    for (uint32_t i = 0; i < n; i++)
        placed[c[i].place] = take_room(&c[i], used, room->bytes);
    for (uint32_t v = 0; v < step->n_values; v++)
        if (placed[l.life[v].place])
            step->value[v].shape.layout.space = (uint8_t)room->space;
    free(placed);
    free(used);
    free(c);
    liveness_free(&l);
}
