#include "passes/shard/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "passes/shard/pipeline_impl.h"
#include "step/step_build.h"

#define MOST_PLACES (1 << 28) /* values x stages x micro-batches, 4 bytes each */

static int check_head(const struct pipeline *p, struct err *err)
{
    const struct trace_header *h = &p->step->head;
    uint64_t m = p->plan->microbatches;

    if (h->shared > 1 || h->stages > 1)
        return err_set(err, ERR_FIT, "%s: was cut already: %" PRIu64 " cores share a step",
                       p->step->file, h->shared);
    if (h->samples_per_step % m == 0)
        return 0;
    return err_set(err, ERR_RANGE,
                   "%s: microbatches = %" PRIu64 ": a step of %" PRIu64
                   " samples cannot be parted evenly",
                   p->step->file, m, h->samples_per_step);
}

/* Find the values that have rows of samples: the rules of cut edges, with samples for edges. */
static int cut_batch(struct pipeline *p, struct err *err)
{
    p->s.plan = (struct shard_plan){ .data = p->plan->data,
                                     .model = 1,
                                     .edges = p->plan->microbatches,
                                     .apart = p->plan->data == 1 };
    p->s.parts = p->plan->microbatches;
    p->s.edge_count = p->step->head.samples_per_step;
    p->s.micro = true;
    for (uint32_t v = 0; v < p->step->n_values; v++) /* tensors are whole for every micro-batch */
        p->s.value[v].open &= !pipeline_persistent(p, v);
    return shard_decide(&p->s, err);
}

static void make_room(struct pipeline *p)
{
    uint32_t n = p->step->n_values;

    p->summed = memory_zeroed(n, sizeof *p->summed);
    p->used_each = memory_zeroed(n, sizeof *p->used_each);
    p->alias = memory_zeroed(n, sizeof *p->alias);
    p->stage = memory_zeroed((size_t)n + 1, sizeof *p->stage);
    p->weight = memory_zeroed(n, sizeof *p->weight);
}

/* Tables have a place for each value, stage and micro-batch; operations are written for each
 * micro-batch. */
static int check_size(const struct pipeline *p, struct err *err)
{
    const struct pipeline_plan *plan = p->plan;
    uint64_t operations = 0, places;

    for (uint32_t i = 0; i < p->n_nodes; i++)
        operations += pipeline_each(p->node[i].class) ? p->node[i].n : 0;
    if (plan->operations && operations > plan->operations / plan->microbatches)
        return err_set(err, ERR_RANGE,
                       "%s: microbatches = %" PRIu64 ": %" PRIu64
                       " operations for each are more than %" PRIu64
                       " (--allow operations=N allows more)",
                       p->step->file, plan->microbatches, operations, plan->operations);
    if (__builtin_mul_overflow(plan->stages * (plan->microbatches + 1), p->step->n_values,
                               &places) ||
        places > MOST_PLACES)
        return err_set(err, ERR_RANGE,
                       "%s: pipeline = %" PRIu64 ", microbatches = %" PRIu64 ": with %" PRIu32
                       " values, more than %d places where one may be",
                       p->step->file, plan->stages, plan->microbatches, p->step->n_values,
                       MOST_PLACES);
    return 0;
}

static void free_pipe(struct pipeline *p)
{
    free(p->op);
    free(p->node);
    free(p->summed);
    free(p->used_each);
    free(p->alias);
    free(p->stage);
    free(p->weight);
    free(p->needs);
    shard_clear(&p->s);
}

int pipeline_step(struct step *to, const struct step *from, const struct pipeline_plan *plan,
                  struct err *err)
{
    struct pipeline p = { .plan = plan, .step = from };

    BUG_ON(!from->whole || plan->stages < 2 || plan->microbatches == 0 || plan->data == 0);
    if (step_refuse_compiled(from,
                             "has its place on the devices already; put the model into stages in "
                             "its framework and compile it again",
                             err) != 0 ||
        check_head(&p, err) != 0)
        return -1;
    shard_begin(&p.s, from);
    make_room(&p);
    int rc = cut_batch(&p, err);
    if (rc == 0)
        rc = pipeline_begin(&p, err);
    if (rc == 0)
        rc = pipeline_classify(&p, err);
    if (rc == 0)
        rc = pipeline_cut(&p, err);
    if (rc == 0)
        rc = check_size(&p, err);
    if (rc == 0) {
        p.needs = memory_zeroed(from->n_values * plan->stages * 2, sizeof *p.needs);
        rc = pipeline_place(&p, err);
    }
    if (rc == 0)
        pipeline_build(&p, to);
    free_pipe(&p);
    return rc;
}

/* Read what was written of `from` and print it as the reader does; it checks all of it on the way.
 */
static int print_canonical(const struct trace *from, const char *text, size_t size, FILE *out,
                           struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct trace *t = NULL;
    char *name = memory_format("%s, cut into stages", trace_file(from));
    int rc = trace_open_memory(&t, name, text, size, false, err);

    if (rc == 0)
        trace_limit(t, trace_limits_of(from));
    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            trace_print(t, &item, out);
    }
    trace_close(t);
    free(name);
    return rc;
}

int pipeline_write(struct trace *t, const struct pipeline_plan *plan, FILE *out, struct err *err)
{
    struct memory_text text;
    struct step from, to;

    step_init(&from);
    step_init(&to);
    int rc = step_read_all(&from, t, err);
    if (rc == 0)
        rc = pipeline_step(&to, &from, plan, err);
    if (rc == 0)
        rc = step_verify(&to, "pipeline", err);
    if (rc == 0) {
        memory_text_begin(&text);
        step_print_head(&to, text.out);
        step_print(&to, text.out);
        char *written = memory_text_end(&text);
        rc = print_canonical(t, written, text.size, out, err);
        free(written);
    }
    step_free(&from);
    step_free(&to);
    return rc;
}
