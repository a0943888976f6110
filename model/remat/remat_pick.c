/* Several ways, and the best of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "passes/footprint.h"
#include "passes/narrow.h"
#include "remat/remat_impl.h"
#include "trace/print.h"

/* --- one way ------------------------------------------------------------------------------- */

static void print_head(const struct trace_header *head, const struct remat_plan *plan, FILE *out)
{
    struct trace_header h = *head;
    size_t n = strlen(h.provenance), size = sizeof h.provenance - n;
    const char *keep = plan->products ? "products" : "none", *and = n ? "; " : "";

    if (plan->cut == REMAT_PHASES)
        snprintf(h.provenance + n, size, "%srematerialised: segments=phases keep=%s", and, keep);
    else
        snprintf(h.provenance + n, size, "%srematerialised: segments=%" PRIu32 " keep=%s", and,
                 plan->segments, keep);
    print_header(&h, out);
}

static int write_step(struct remat_step *s, struct trace *t, const struct remat_plan *plan,
                      FILE *out, bool *some, struct err *err)
{
    if (remat_load(s, t, err) != 0)
        return -1;
    remat_classify(s);
    remat_cut(s, plan);
    *some |= remat_decide(s, plan);
    remat_print(s, out);
    remat_drop(s);
    fputs("}\n", out);
    return 0;
}

int remat_way(struct trace *t, const struct remat_plan *plan, FILE *out, bool *some,
              struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct remat_step s = { 0 };
    int rc = trace_rewind(t, err);

    *some = false;
    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc != 0)
            break;
        if (item.kind == TRACE_ITEM_HEADER)
            print_head(trace_head(t), plan, out);
        else
            trace_print(t, &item, out);
        if (item.kind == TRACE_ITEM_TENSOR)
            remat_add_tensor(&s, t, item.value);
        if (item.kind == TRACE_ITEM_STEP_BEGIN)
            rc = write_step(&s, t, plan, out, some, err);
    }
    remat_clear(&s);
    return rc;
}

/* --- what it comes to ---------------------------------------------------------------------- */

struct measure {
    uint64_t peak; /* bytes of a core, without workspace */
    mpz_t flops;
};

/* Of all steps the highest peak, as XLA on a TPU keeps values: narrowed where the trace allows. */
static int measure(struct measure *m, struct trace *t, struct err *err)
{
    static const struct footprint_core tpu = { .tiling = { 128, 8 } };
    struct trace_totals sum;
    struct footprint memory;
    struct step step;
    int rc;

    m->peak = 0;
    step_init(&step);
    rc = trace_rewind(t, err);
    if (rc == 0)
        rc = step_read_tensors(&step, t, err);
    while (rc == 0 && (rc = step_read_next(&step, t, err)) == 1) {
        if (trace_head(t)->narrow_activations)
            narrow_step(&step, trace_head(t)->matmul);
        footprint_peak(&memory, &step, &tpu, NULL, &(struct footprint_change){ 0 }, NULL);
        m->peak = memory.total > m->peak ? memory.total : m->peak;
        rc = 0;
    }
    step_free(&step);
    trace_totals_init(&sum);
    if (rc == 0)
        rc = trace_rewind(t, err);
    if (rc == 0)
        rc = trace_sum(t, &sum, err);
    mpz_set(m->flops, sum.flops);
    trace_totals_clear(&sum);
    return rc;
}

static int measure_text(struct measure *m, const char *text, size_t size, struct err *err)
{
    struct trace *t;

    if (trace_open_memory(&t, "rematerialised", text, size, false, err) != 0)
        return -1;
    int rc = measure(m, t, err);
    trace_close(t);
    return rc;
}

/* --- the best ------------------------------------------------------------------------------ */

struct best {
    char *text;
    size_t size;
    struct measure is;
    uint64_t least; /* peak of any way */
};

/* Is `m` better than the best so far? */
static bool better(const struct remat_plan *plan, const struct best *b, const struct measure *m)
{
    int flops = b->text ? mpz_cmp(m->flops, b->is.flops) : 0;

    if (plan->fit)
        return m->peak <= plan->fit &&
               (!b->text || flops < 0 || (flops == 0 && m->peak < b->is.peak));
    return !b->text || m->peak < b->is.peak || (m->peak == b->is.peak && flops < 0);
}

static int try(struct trace *t, const struct remat_plan *plan, const struct remat_plan *way,
               struct best *b, bool *any, struct err *err)
{
    struct measure m = { 0 };
    bool some;
    size_t size;
    char *text;
    FILE *f = open_memstream(&text, &size);

    BUG_ON(!f);
    mpz_init(m.flops);
    int rc = remat_way(t, way, f, &some, err);
    BUG_ON(fclose(f) != 0);
    if (rc == 0)
        rc = measure_text(&m, text, size, err);
    *any |= some;
    if (rc == 0 && some && m.peak < b->least)
        b->least = m.peak;
    if (rc == 0 && some && better(plan, b, &m)) {
        free(b->text);
        b->text = text;
        b->size = size;
        b->is.peak = m.peak;
        mpz_set(b->is.flops, m.flops);
        text = NULL;
    }
    free(text);
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
        rc = try(t, plan, &way, b, any, err);
        way.cut = REMAT_PARTS;
        for (uint32_t i = 0; i < n && rc == 0; i++) {
            way.segments = i < few ? i + 1 : segments[i - few];
            rc = try(t, plan, &way, b, any, err);
        }
        if (rc != 0)
            break;
    }
    return rc;
}

static double gib(uint64_t bytes)
{
    return (double)bytes / (1 << 30);
}

int remat_pick(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err)
{
    struct best b = { .least = UINT64_MAX };
    struct measure now = { 0 };
    bool any = false;

    mpz_inits(b.is.flops, now.flops, NULL);
    int rc = measure(&now, t, err);
    if (rc == 0 && plan->fit && now.peak <= plan->fit)
        rc = err_set(err, ERR_FIT, "%s: fit = %.4g GiB: it takes %.4g GiB a core as it is",
                     trace_file(t), gib(plan->fit), gib(now.peak));
    if (rc == 0)
        rc = try_all(t, plan, &b, &any, err);
    if (rc == 0 && !any)
        rc = err_set(err, ERR_FIT, "%s: no activation that gradients read can be worked out again",
                     trace_file(t));
    else if (rc == 0 && !b.text)
        rc = err_set(err, ERR_FIT,
                     "%s: fit = %.4g GiB: the least that any way leaves is %.4g GiB a core",
                     trace_file(t), gib(plan->fit), gib(b.least));
    else if (rc == 0 && b.is.peak >= now.peak)
        rc = err_set(err, ERR_FIT, "%s: no way takes less than the %.4g GiB a core it takes now",
                     trace_file(t), gib(now.peak));
    if (rc == 0)
        fwrite(b.text, 1, b.size, out);
    free(b.text);
    mpz_clears(b.is.flops, now.flops, NULL);
    return rc;
}
