#include "run/result/op_flow.h"

#include <stdlib.h>

#include "base/memory.h"

/* Rows of the nodes so far, and the operation that read a value last. */
struct reading {
    uint32_t *row;  /* [node] */
    uint32_t *last; /* [value] 1 + row; 0: nobody did */
};

static bool is_inside(const struct step_node *n, uint32_t op)
{
    return op != STEP_NONE && op >= n->first_op && op < n->first_op + n->n_ops;
}

static void add_reads(struct run_flow *f, struct texts *texts, const struct step *step,
                      const struct step_node *n, uint32_t row, const struct reading *g)
{
    for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++) {
        const struct step_op *op = &step->op[k];
        for (uint32_t i = 0; i < step_n_operands(op); i++) {
            uint32_t v = step_operand(step, op, i), by = step->value[v].op;
            if (step->value[v].on_chip || is_inside(n, by) || g->last[v] == row + 1)
                continue;
            g->last[v] = row + 1;
            MEMORY_ADD(f->edge, f->n);
            f->edge[f->n++] = (struct run_edge){
                .from = by == STEP_NONE ? RUN_BEFORE : g->row[step->op[by].node],
                .to = row,
                .tensor = texts_keep(texts, step_name(step, v)),
                .bytes = step_bytes(step, v),
            };
        }
    }
}

void op_flow_find(struct run_flow *f, struct texts *texts, const struct step *step)
{
    struct reading g = { memory_zeroed((size_t)step->n_nodes + 1, sizeof *g.row),
                         memory_zeroed((size_t)step->n_values + 1, sizeof *g.last) };
    uint32_t row = 0;

    *f = (struct run_flow){ 0 };
    for (uint32_t i = 0; i < step->n_nodes; i++)
        if (step->node[i].kind == STEP_OP) {
            g.row[i] = row;
            add_reads(f, texts, step, &step->node[i], row++, &g);
        }
    free(g.row);
    free(g.last);
}

void op_flow_add(struct run_flow *f, const struct run_flow *more, uint32_t first)
{
    for (size_t i = 0; i < more->n; i++) {
        MEMORY_ADD(f->edge, f->n);
        struct run_edge *e = &f->edge[f->n++];
        *e = more->edge[i];
        e->to += first;
        e->from += e->from == RUN_BEFORE ? 0 : first;
    }
}

void op_flow_free(struct run_flow *f)
{
    free(f->edge);
    *f = (struct run_flow){ 0 };
}
