#include "shard/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shard/pipeline_impl.h"

static void *room(size_t n, size_t size)
{
    void *array = calloc(n + 1, size);

    BUG_ON(!array);
    return array;
}

static int check_head(const struct pipe *p, const struct trace *t, struct err *err)
{
    const struct trace_header *h = trace_head(t);
    uint64_t m = p->plan->microbatches;

    if (h->shared > 1 || h->stages > 1)
        return err_set(err, ERR_FIT, "%s: was cut already: %" PRIu64 " cores share a step", p->file,
                       h->shared);
    if (h->samples_per_step % m == 0)
        return 0;
    return err_set(err, ERR_RANGE,
                   "%s: microbatches = %" PRIu64 ": a step of %" PRIu64
                   " samples cannot be parted evenly",
                   p->file, m, h->samples_per_step);
}

/* Which values have rows of samples: the rules of cut edges, with samples for edges. */
static int cut_batch(struct pipe *p, struct trace *t, struct err *err)
{
    p->s.plan = (struct shard_plan){ .data = p->plan->data,
                                     .model = 1,
                                     .edges = p->plan->microbatches,
                                     .apart = p->plan->data == 1 };
    p->s.parts = p->plan->microbatches;
    p->s.edge_count = trace_head(t)->samples_per_step;
    p->s.micro = true;
    for (uint32_t v = 0; v < p->s.n_values; v++) /* tensors are whole for every micro-batch */
        p->s.value[v].open &= !pipe_persistent(p, v);
    return shard_decide(&p->s, p->file, err);
}

static void make_room(struct pipe *p)
{
    p->summed = room(p->s.n_values, sizeof *p->summed);
    p->used_each = room(p->s.n_values, sizeof *p->used_each);
    p->alias = room(p->s.n_values, sizeof *p->alias);
    p->stage = room(p->s.n_values, sizeof *p->stage);
    p->weight = room(p->s.n_values, sizeof *p->weight);
    p->needs = room(p->s.n_values * p->plan->stages * 2, sizeof *p->needs);
}

static int cut(struct pipe *p, struct trace *t, struct err *err)
{
    if (shard_load(&p->s, t, err) != 0 || check_head(p, t, err) != 0)
        return -1;
    make_room(p);
    if (cut_batch(p, t, err) != 0 || trace_rewind(t, err) != 0 || pipe_load(p, t, err) != 0)
        return -1;
    if (pipe_classify(p, err) != 0 || pipe_cut(p, err) != 0)
        return -1;
    return pipe_place(p, err);
}

static void clear(struct pipe *p)
{
    for (uint32_t n = 0; p->op && n < p->s.n_ops; n++) {
        free(p->op[n].name);
        free(p->op[n].note);
    }
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        free(p->node[i].name);
        free(p->node[i].note);
        free(p->node[i].phase);
    }
    free(p->op);
    free(p->node);
    free(p->summed);
    free(p->used_each);
    free(p->alias);
    free(p->stage);
    free(p->weight);
    free(p->needs);
    free(p->before);
    free(p->after);
    shard_clear(&p->s);
}

/* Read what was written and print it as the reader does; it checks all of it on the way. */
static int print_canonical(const char *name, const char *text, size_t size, FILE *out,
                           struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct trace *t;
    int rc = 0;

    if (trace_open_memory(&t, name, text, size, false, err) != 0)
        return -1;
    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            trace_print(t, &item, out);
    }
    trace_close(t);
    return rc;
}

/* Closes the trace. */
static int write_trace(struct trace *t, const struct pipeline_plan *plan, FILE *out,
                       struct err *err)
{
    struct pipe p = { .plan = plan, .file = trace_file(t) };
    char *text = NULL;
    size_t size = 0;

    BUG_ON(plan->stages < 2 || plan->microbatches == 0 || plan->data == 0);
    int rc = cut(&p, t, err);
    if (rc == 0) {
        FILE *f = open_memstream(&text, &size);
        BUG_ON(!f);
        pipe_print(&p, t, f);
        fclose(f);
        rc = print_canonical(p.file, text, size, out, err);
        free(text);
    }
    clear(&p);
    trace_close(t);
    return rc;
}

int pipeline_write(const char *path, const struct pipeline_plan *plan, FILE *out, struct err *err)
{
    struct trace *t;

    return trace_open(&t, path, false, err) != 0 ? -1 : write_trace(t, plan, out, err);
}

int pipeline_write_text(const char *name, const void *data, size_t size,
                        const struct pipeline_plan *plan, FILE *out, struct err *err)
{
    struct trace *t;

    if (trace_open_memory(&t, name, data, size, false, err) != 0)
        return -1;
    return write_trace(t, plan, out, err);
}
