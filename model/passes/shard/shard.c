#include "passes/shard/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "passes/shard/pipeline.h"
#include "passes/shard/shard_impl.h"

/* A parameter of the generator, or 0. */
static uint64_t find_param(const struct trace_header *h, const char *key)
{
    for (uint32_t i = 0; i < h->n_params; i++)
        if (strcmp(h->param[i].key, key) == 0)
            return strtoull(h->param[i].value, NULL, 10);
    return 0;
}

static int check_even(const char *file, uint64_t parts, uint64_t rows, const char *what,
                      struct err *err)
{
    if (rows % parts == 0)
        return 0;
    return err_set(err, ERR_RANGE,
                   "%s: edges = %" PRIu64 ": %" PRIu64 " %s cannot be cut evenly; %" PRIu64
                   " could",
                   file, parts, rows, what, (rows / parts + 1) * parts);
}

/* The edges of a step, and its nodes if they are cut: of a graph, times the graphs of a step. */
static int find_edges(struct shard *s, struct err *err)
{
    const struct trace_header *h = &s->step->head;
    uint64_t edges = find_param(h, "edges"), graphs = find_param(h, "graphs"), n = s->parts;
    uint64_t nodes = find_param(h, "nodes");

    s->edge_count = edges * (graphs ? graphs : 1);
    if (edges == 0)
        return err_set(err, ERR_FIT, "%s: edges = %" PRIu64 ": the trace has no 'param edges='",
                       s->step->file, n);
    if (check_even(s->step->file, n, s->edge_count, "edges", err) != 0)
        return -1;
    if (!s->plan.nodes)
        return 0;
    if (nodes == 0)
        return err_set(err, ERR_FIT, "%s: halo: the trace has no 'param nodes='", s->step->file);
    s->node_count = nodes * (graphs ? graphs : 1);
    s->halo_buffer = shard_halo_rows(&s->plan, s->node_count);
    return check_even(s->step->file, n, s->node_count, "nodes", err);
}

/* --- tables ------------------------------------------------------------------------------- */

/* --- the pass ----------------------------------------------------------------------------- */

/* A plan that changes nothing is not what was meant. */
static int check_worth(const struct shard *s, struct err *err)
{
    bool shared = s->parts == 1;

    if (s->plan.server && !s->updates)
        return err_set(err, ERR_FIT, "%s: server: no optimizer takes a gradient", s->step->file);
    for (uint32_t n = 0; n < s->step->n_ops && !shared; n++)
        shared = s->op[n].share;
    if (shared)
        return 0;
    return err_set(err, ERR_RANGE, "%s: %s = %" PRIu64 ": no operation can be cut evenly",
                   s->step->file, s->plan.edges > 1 ? "edges" : "model", s->parts);
}

static int cut_step(struct shard *s, struct err *err)
{
    const struct step *step = s->step;

    if (step->head.shared > 1)
        return err_set(err, ERR_FIT, "%s: was cut already: %" PRIu64 " cores share a step",
                       step->file, step->head.shared);
    if (s->plan.edges > 1 && find_edges(s, err) != 0)
        return -1;
    return shard_decide(s, err) != 0 ? -1 : check_worth(s, err);
}

int shard_step(struct step *to, const struct step *from, const struct shard_plan *plan,
               struct err *err)
{
    struct shard s = { .plan = *plan,
                       .parts = plan->model > plan->edges ? plan->model : plan->edges };

    BUG_ON(!from->whole || (plan->model > 1 && plan->edges > 1));
    if (step_refuse_compiled(from,
                             "has its sharding already; shard the model in its framework and "
                             "compile it again",
                             err) != 0)
        return -1;
    shard_begin(&s, from);
    int rc = cut_step(&s, err);
    if (rc == 0)
        shard_build(&s, to);
    shard_clear(&s);
    return rc;
}

/* --- text --------------------------------------------------------------------------------- */

struct pipeline_plan shard_pipeline(const struct shard_plan *plan,
                                    const struct trace_limits *limits)
{
    return (struct pipeline_plan){ .stages = plan->pipeline,
                                   .microbatches = plan->microbatches,
                                   .data = plan->data,
                                   .schedule = plan->gpipe ? PIPELINE_GPIPE : PIPELINE_1F1B,
                                   .operations = limits->operations };
}

int shard_write(struct trace *t, const struct shard_plan *plan, FILE *out, struct err *err)
{
    struct pipeline_plan stages = shard_pipeline(plan, trace_limits_of(t));
    struct step from, to;

    if (plan->pipeline > 1)
        return pipeline_write(t, &stages, out, err);
    step_init(&from);
    step_init(&to);
    int rc = step_read_all(&from, t, err);
    if (rc == 0)
        rc = shard_step(&to, &from, plan, err);
    if (rc == 0)
        rc = step_verify(&to, "shard", err);
    if (rc == 0) {
        step_print_head(&to, out);
        step_print(&to, out);
    }
    step_free(&from);
    step_free(&to);
    return rc;
}
