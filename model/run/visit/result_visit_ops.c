/* result_visit_ops.c - the operations of a result as a tree and as a graph (result_visit.h). */
#include "run/visit/result_visit.h"
#include "run/visit/visit_value.h"

void result_visit_tree(const struct result_visitor *v, const struct run_result *r)
{
    v->open(v->self, "tree", RESULT_ROWS);
    for (size_t i = 0; i < r->n_tree; i++) {
        const struct run_branch *b = &r->tree[i];
        visit_group(v, NULL);
        visit_text(v, "name", b->name);
        visit_integer(v, "depth", "", b->depth);
        visit_integer(v, "count", "", b->count);
        visit_decimal(v, "seconds", "s", b->seconds, true);
        visit_decimal(v, "wasted_seconds", "s", b->wasted, true);
        visit_whole(v, "flops", "FLOP", b->flops);
        visit_whole(v, "hbm_bytes", "B", b->hbm_bytes);
        v->open(v->self, "ops", RESULT_LIST);
        for (size_t k = 0; k < b->n_ops; k++)
            visit_integer(v, NULL, "", b->op[k]);
        v->close(v->self);
        v->close(v->self);
    }
    v->close(v->self);
}

void result_visit_flow(const struct result_visitor *v, const struct run_flow *f)
{
    v->open(v->self, "flow", RESULT_ROWS);
    for (size_t i = 0; i < f->n; i++) {
        const struct run_edge *e = &f->edge[i];
        visit_group(v, NULL);
        v->value(v->self, &(struct result_value){ .name = "from",
                                                  .unit = "",
                                                  .kind = RESULT_INTEGER,
                                                  .known = e->from != RUN_BEFORE,
                                                  .integer = e->from });
        visit_integer(v, "to", "", e->to);
        visit_text(v, "tensor", e->tensor);
        visit_integer(v, "bytes", "B", e->bytes);
        v->close(v->self);
    }
    v->close(v->self);
}
