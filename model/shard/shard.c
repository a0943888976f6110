#include "shard/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shard/pipeline.h"
#include "shard/shard_impl.h"

/* A parameter of the generator, or 0. */
static uint64_t param(const struct trace_header *h, const char *key)
{
    for (uint32_t i = 0; i < h->n_params; i++)
        if (strcmp(h->param[i].key, key) == 0)
            return strtoull(h->param[i].value, NULL, 10);
    return 0;
}

static int even(const struct trace *t, uint64_t parts, uint64_t rows, const char *what,
                struct err *err)
{
    if (rows % parts == 0)
        return 0;
    return err_set(err, ERR_RANGE,
                   "%s: edges = %" PRIu64 ": %" PRIu64 " %s cannot be cut evenly; %" PRIu64
                   " could",
                   trace_file(t), parts, rows, what, (rows / parts + 1) * parts);
}

/* The edges of a step, and its nodes if they are cut: of a graph, times the graphs of a step. */
static int find_edges(struct shard *s, const struct trace *t, struct err *err)
{
    const struct trace_header *h = trace_head(t);
    uint64_t edges = param(h, "edges"), graphs = param(h, "graphs"), n = s->parts;
    uint64_t nodes = param(h, "nodes");

    s->edge_count = edges * (graphs ? graphs : 1);
    if (edges == 0)
        return err_set(err, ERR_FIT, "%s: edges = %" PRIu64 ": the trace has no 'param edges='",
                       trace_file(t), n);
    if (even(t, n, s->edge_count, "edges", err) != 0)
        return -1;
    if (!s->plan.nodes)
        return 0;
    if (nodes == 0)
        return err_set(err, ERR_FIT, "%s: halo: the trace has no 'param nodes='", trace_file(t));
    s->node_count = nodes * (graphs ? graphs : 1);
    s->halo_buffer = halo_rows(&s->plan, s->node_count);
    return even(t, n, s->node_count, "nodes", err);
}

/* A plan that changes nothing is not what was meant. */
static int worth(const struct shard *s, const char *file, struct err *err)
{
    bool shared = s->parts == 1;

    if (s->plan.server && !s->updates)
        return err_set(err, ERR_FIT, "%s: server: no optimizer takes a gradient", file);
    for (uint32_t n = 0; n < s->n_ops && !shared; n++)
        shared = s->op[n].share;
    if (shared)
        return 0;
    return err_set(err, ERR_RANGE, "%s: %s = %" PRIu64 ": no operation can be cut evenly", file,
                   s->plan.edges > 1 ? "edges" : "model", s->parts);
}

static int cut(struct shard *s, struct trace *t, FILE *out, struct err *err)
{
    if (shard_load(s, t, err) != 0)
        return -1;
    if (trace_head(t)->shared > 1)
        return err_set(err, ERR_FIT, "%s: was cut already: %" PRIu64 " cores share a step",
                       trace_file(t), trace_head(t)->shared);
    if (s->plan.edges > 1 && find_edges(s, t, err) != 0)
        return -1;
    if (shard_decide(s, trace_file(t), err) != 0 || worth(s, trace_file(t), err) != 0 ||
        trace_rewind(t, err) != 0)
        return -1;
    return shard_print(s, t, out, err);
}

static struct pipeline_plan pipeline(const struct shard_plan *plan)
{
    return (struct pipeline_plan){ .stages = plan->pipeline,
                                   .microbatches = plan->microbatches,
                                   .data = plan->data,
                                   .schedule = plan->gpipe ? PIPELINE_GPIPE : PIPELINE_1F1B };
}

/* Closes the trace. */
static int write_trace(struct trace *t, const struct shard_plan *plan, FILE *out, struct err *err)
{
    struct shard s = { .plan = *plan,
                       .parts = plan->model > plan->edges ? plan->model : plan->edges };

    BUG_ON(plan->model > 1 && plan->edges > 1);
    int rc = cut(&s, t, out, err);
    shard_clear(&s);
    trace_close(t);
    return rc;
}

int shard_write(const char *path, const struct shard_plan *plan, FILE *out, struct err *err)
{
    struct pipeline_plan stages = pipeline(plan);
    struct trace *t;

    if (plan->pipeline > 1)
        return pipeline_write(path, &stages, out, err);
    return trace_open(&t, path, false, err) != 0 ? -1 : write_trace(t, plan, out, err);
}

int shard_write_text(const char *name, const void *data, size_t size, const struct shard_plan *plan,
                     FILE *out, struct err *err)
{
    struct pipeline_plan stages = pipeline(plan);
    struct trace *t;

    if (plan->pipeline > 1)
        return pipeline_write_text(name, data, size, &stages, out, err);
    if (trace_open_memory(&t, name, data, size, false, err) != 0)
        return -1;
    return write_trace(t, plan, out, err);
}
