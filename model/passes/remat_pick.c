/* Several ways, and the best of them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/exact.h"
#include "base/memory.h"
#include "passes/footprint.h"
#include "passes/narrow.h"
#include "passes/remat_impl.h"

/* --- what a trace comes to ---------------------------------------------------------------- */

struct measure {
    uint64_t peak; /* bytes of a core, as the plan counts them */
    mpz_t flops;   /* of the steps, not of what runs between them */
};

static void add_flops(struct measure *m, const struct step *step)
{
    uint64_t times[65] = { 1 }; /* the reader allows no deeper nesting */
    uint32_t depth = 0;

    for (uint32_t i = 0; i < step->n_nodes && step->every == 0; i++) {
        const struct step_node *n = &step->node[i];
        if (n->kind == STEP_REPEAT) {
            times[depth + 1] = times[depth] * n->count; /* which the reader checked */
            depth++;
        } else if (n->kind == STEP_END) {
            depth--;
        }
        for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++)
            exact_addmul(m->flops, step->op[k].op.flops, times[depth]);
    }
}

/* A further step of the trace, as XLA on a TPU keeps values: narrowed where the trace allows. */
static void measure_step(struct measure *m, struct step *step)
{
    static const struct footprint_core tpu = { .tiling = { 128, 8 } };
    struct footprint memory;

    if (step->head.activations)
        narrow_step(step, step->head.matmul);
    footprint_peak(&memory, step, &tpu, NULL, &(struct footprint_change){ 0 }, NULL);
    m->peak = memory.total > m->peak ? memory.total : m->peak;
    add_flops(m, step);
}

/* Go through the trace as it is (way NULL) or one way: print it to `out`, or measure it. */
static int walk_trace(struct trace *t, const struct remat_plan *way, FILE *out, struct measure *m,
                      bool *some, struct err *err)
{
    struct step from, to;
    bool first = true;
    int rc = trace_rewind(t, err);

    step_init(&from);
    step_init(&to);
    *some = false;
    if (rc == 0)
        rc = step_read_tensors(&from, t, err);
    while (rc == 0 && (rc = step_read_next(&from, t, err)) == 1) {
        rc = way ? remat_step(&to, &from, way, some, err) : 0;
        if (rc == 0 && way && out)
            rc = step_verify(&to, "remat", err);
        if (rc == 0 && m && out) /* who reads what is written counts the bytes */
            add_flops(m, way ? &to : &from);
        else if (rc == 0 && m)
            measure_step(m, way ? &to : &from);
        if (rc != 0 || !out)
            continue;
        if (first)
            step_print_head(way ? &to : &from, out);
        first = false;
        step_print(way ? &to : &from, out);
    }
    step_free(&from);
    step_free(&to);
    return rc;
}

/* Measure the trace as it is (way NULL) or one way, as the plan counts. */
static int measure_way(struct trace *t, const struct remat_plan *plan, const struct remat_plan *way,
                       struct measure *m, bool *some, struct err *err)
{
    struct memory_text written;

    if (!plan->count)
        return walk_trace(t, way, NULL, m, some, err);
    memory_text_begin(&written);
    int rc = walk_trace(t, way, written.out, m, some, err);
    char *text = memory_text_end(&written);
    if (rc == 0)
        rc = plan->count(plan->self, text, written.size, &m->peak, err);
    free(text);
    return rc;
}

int remat_write_way(struct trace *t, const struct remat_plan *plan, FILE *out, bool *some,
                    struct err *err)
{
    return walk_trace(t, plan, out, NULL, some, err);
}

/* --- the best ------------------------------------------------------------------------------ */

struct best {
    bool found;
    struct remat_plan way;
    struct measure is;
    uint64_t least; /* peak of any way */
};

/* True if `m` is better than the best so far. */
static bool is_better(const struct remat_plan *plan, const struct best *b, const struct measure *m)
{
    int flops = b->found ? mpz_cmp(m->flops, b->is.flops) : 0;

    if (plan->fit)
        return m->peak <= plan->fit &&
               (!b->found || flops < 0 || (flops == 0 && m->peak < b->is.peak));
    return !b->found || m->peak < b->is.peak || (m->peak == b->is.peak && flops < 0);
}

static int try_way(struct trace *t, const struct remat_plan *plan, const struct remat_plan *way,
                   struct best *b, bool *any, struct err *err)
{
    struct measure m = { 0 };
    bool some;

    mpz_init(m.flops);
    int rc = measure_way(t, plan, way, &m, &some, err);
    *any |= some;
    if (rc == 0 && some && m.peak < b->least)
        b->least = m.peak;
    if (rc == 0 && some && is_better(plan, b, &m)) {
        b->found = true;
        b->way = *way;
        b->is.peak = m.peak;
        mpz_set(b->is.flops, m.flops);
    }
    mpz_clear(m.flops);
    return rc;
}

static int try_all(struct trace *t, const struct remat_plan *plan, struct best *b, bool *any,
                   struct err *err)
{
    static const uint32_t few = 32, segments[] = { 40, 48, 64, 96, 128, 192, 256 };
    const uint32_t n = few + sizeof segments / sizeof *segments;
    int rc = 0;

    for (int products = 0; products <= 1; products++) {
        if (!plan->choose && plan->products != (products == 1))
            continue;
        struct remat_plan way = { .cut = REMAT_PHASES, .products = products == 1 };
        rc = try_way(t, plan, &way, b, any, err);
        way.cut = REMAT_PARTS;
        for (uint32_t i = 0; i < n && rc == 0; i++) {
            way.segments = i < few ? i + 1 : segments[i - few];
            rc = try_way(t, plan, &way, b, any, err);
        }
        if (rc != 0)
            break;
    }
    return rc;
}

static double gib_of_bytes(uint64_t bytes)
{
    return (double)bytes / (1 << 30);
}

int remat_pick(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err)
{
    struct best b = { .least = UINT64_MAX };
    struct measure now = { 0 };
    bool any = false, some;

    mpz_inits(b.is.flops, now.flops, NULL);
    int rc = measure_way(t, plan, NULL, &now, &some, err);
    if (rc == 0 && plan->fit && now.peak <= plan->fit)
        rc = err_set(err, ERR_FIT, "%s: fit = %.4g GiB: it takes %.4g GiB a core as it is",
                     trace_file(t), gib_of_bytes(plan->fit), gib_of_bytes(now.peak));
    if (rc == 0)
        rc = try_all(t, plan, &b, &any, err);
    if (rc == 0 && !any)
        rc = err_set(err, ERR_FIT, "%s: no activation that gradients read can be computed again",
                     trace_file(t));
    else if (rc == 0 && !b.found)
        rc = err_set(err, ERR_FIT,
                     "%s: fit = %.4g GiB: the least that any way leaves is %.4g GiB a core",
                     trace_file(t), gib_of_bytes(plan->fit), gib_of_bytes(b.least));
    else if (rc == 0 && b.is.peak >= now.peak)
        rc = err_set(err, ERR_FIT, "%s: no way takes less than the %.4g GiB a core it takes now",
                     trace_file(t), gib_of_bytes(now.peak));
    if (rc == 0)
        rc = remat_write_way(t, &b.way, out, &some, err);
    mpz_clears(b.is.flops, now.flops, NULL);
    return rc;
}
