/* Several ways, and the best of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* The bytes of a further step, as XLA on a TPU keeps values: narrowed where the trace allows. */
static void measure_peak(struct measure *m, struct step *step)
{
    static const struct footprint_core tpu = { .tiling = { 128, 8 } };
    struct footprint memory;

    if (step->head.activations)
        narrow_step(step, step->head.matmul);
    footprint_peak(&memory, step, &tpu, NULL, &(struct footprint_change){ 0 }, NULL);
    m->peak = memory.total > m->peak ? memory.total : m->peak;
}

/* The steps of a trace, one after the other; a trace of a single step is read once. */
struct source {
    struct trace *t;
    struct step step, cut; /* the one at hand, as it is and one way */
    bool single;
};

static void init_source(struct source *s, struct trace *t)
{
    *s = (struct source){ .t = t };
    step_init(&s->step);
    step_init(&s->cut);
}

static void free_source(struct source *s)
{
    step_free(&s->step);
    step_free(&s->cut);
}

/* Begin with the first step, whose number of steps this counts. */
static int open_source(struct source *s, struct trace *t, struct err *err)
{
    uint64_t n = 0;
    int rc = trace_rewind(t, err);

    init_source(s, t);
    if (rc == 0)
        rc = step_read_tensors(&s->step, t, err);
    while (rc == 0 && (rc = step_read_next(&s->step, t, err)) == 1) {
        n++;
        rc = 0;
    }
    if (rc != 0 || n != 1)
        return rc;
    s->single = trace_rewind(t, err) == 0 && step_read_tensors(&s->step, t, err) == 0 &&
                step_read_next(&s->step, t, err) == 1;
    return s->single ? 0 : -1;
}

/* A walk over the steps: the way that they are cut, and the work done on each. */
struct walk {
    const struct remat_plan *way; /* NULL: the trace as it is */
    FILE *out;                    /* prints it; or NULL */
    struct measure *flops, *peak; /* count the one and the other; or NULL */
    bool some;                    /* set: something was given up */
    bool first;
};

/* One step; counting its peak changes the step that is measured. */
static int walk_step(struct walk *w, struct step *from, struct step *to, struct err *err)
{
    struct step *is = w->way ? to : from;
    int rc = w->way ? remat_step(to, from, w->way, &w->some, err) : 0;

    if (rc == 0 && w->way && w->out)
        rc = step_verify(to, "remat", err);
    if (rc == 0 && w->flops)
        add_flops(w->flops, is);
    if (rc == 0 && w->peak)
        measure_peak(w->peak, is);
    if (rc != 0 || !w->out)
        return rc;
    if (w->first)
        step_print_head(is, w->out);
    w->first = false;
    step_print(is, w->out);
    return 0;
}

static int walk_source(struct source *s, struct walk *w, struct err *err)
{
    int rc = 0;

    w->first = true;
    w->some = false;
    if (s->single) {
        rc = walk_step(w, &s->step, &s->cut, err);
    } else {
        rc = trace_rewind(s->t, err) != 0 ? -1 : step_read_tensors(&s->step, s->t, err);
        while (rc == 0 && (rc = step_read_next(&s->step, s->t, err)) == 1)
            rc = walk_step(w, &s->step, &s->cut, err);
    }
    return rc;
}

/* Walk over the trace as it is read anew. */
static int walk_trace(struct trace *t, struct walk *w, struct err *err)
{
    struct source s;

    init_source(&s, t);
    int rc = walk_source(&s, w, err);
    free_source(&s);
    return rc;
}

int remat_write_way(struct trace *t, const struct remat_plan *plan, FILE *out, bool *some,
                    struct err *err)
{
    struct walk w = { .way = plan, .out = out };
    int rc = walk_trace(t, &w, err);

    *some = w.some;
    return rc;
}

/* --- bytes, as the plan counts them --------------------------------------------------------- */

/* The text that was counted last: many numbers of segments cut a step alike. */
struct counted {
    char *text; /* of the steps, behind the header, whose provenance says how they were cut */
    size_t size;
    uint64_t peak;
};

/* The steps of a trace's text. */
static const char *skip_header(const char *text)
{
    const char *step = strstr(text, "\nstep");

    return step ? step : text;
}

static int count_text(const struct remat_plan *plan, struct counted *last, char *text, size_t size,
                      struct measure *m, struct err *err)
{
    const char *steps = skip_header(text);
    size_t n = size - (size_t)(steps - text);

    if (!last->text || last->size != n || memcmp(last->text, steps, n) != 0) {
        if (plan->count(plan->self, text, size, &last->peak, err) != 0)
            return -1;
        free(last->text);
        last->text = memory_copy(steps);
        last->size = n;
    }
    m->peak = last->peak;
    return 0;
}

/* Count the bytes of one way, or of the trace as it is (way NULL). */
static int count_way(struct source *s, const struct remat_plan *plan, const struct remat_plan *way,
                     struct counted *last, struct measure *m, struct err *err)
{
    struct walk w = { .way = way };
    struct memory_text written;

    if (!plan->count) {
        w.peak = m;
        return way ? walk_source(s, &w, err) : walk_trace(s->t, &w, err);
    }
    memory_text_begin(&written);
    w.out = written.out;
    int rc = walk_source(s, &w, err);
    char *text = memory_text_end(&written);
    if (rc == 0)
        rc = count_text(plan, last, text, written.size, m, err);
    free(text);
    return rc;
}

/* --- the best ------------------------------------------------------------------------------- */

#define FEW_SEGMENTS 32 /* each number of them is tried; of more some */
static const uint32_t many_segments[] = { 40, 48, 64, 96, 128, 192, 256 };
#define N_MANY (sizeof many_segments / sizeof *many_segments)
#define MOST_WAYS (2 * (1 + FEW_SEGMENTS + N_MANY))

struct way {
    struct remat_plan plan;
    struct measure is;
    size_t number;
    bool some; /* it gives something up */
};

struct ways {
    struct way at[MOST_WAYS];
    size_t n;
};

static void add_way(struct ways *w, struct remat_plan plan)
{
    struct way *way = &w->at[w->n];

    *way = (struct way){ .plan = plan, .number = w->n };
    mpz_init(way->is.flops);
    w->n++;
}

static void list_ways(struct ways *w, const struct remat_plan *plan)
{
    w->n = 0;
    for (int products = 0; products <= 1; products++) {
        struct remat_plan way = { .cut = REMAT_PHASES, .products = products == 1 };
        if (!plan->choose && plan->products != way.products)
            continue;
        add_way(w, way);
        way.cut = REMAT_PARTS;
        for (uint32_t i = 0; i < FEW_SEGMENTS + N_MANY; i++) {
            way.segments = i < FEW_SEGMENTS ? i + 1 : many_segments[i - FEW_SEGMENTS];
            add_way(w, way);
        }
    }
}

static void free_ways(struct ways *w)
{
    for (size_t i = 0; i < w->n; i++)
        mpz_clear(w->at[i].is.flops);
}

/* Count the FLOPs of all ways, which needs no text.  *any: one gives something up. */
static int weigh_ways(struct source *s, struct ways *w, bool *any, struct err *err)
{
    int rc = 0;

    *any = false;
    for (size_t i = 0; i < w->n && rc == 0; i++) {
        struct way *way = &w->at[i];
        struct walk walk = { .way = &way->plan, .flops = &way->is };
        rc = walk_source(s, &walk, err);
        way->some = walk.some;
        *any |= walk.some;
    }
    return rc;
}

static int compare_flops(const void *x, const void *y)
{
    const struct way *a = x, *b = y;
    int flops = mpz_cmp(a->is.flops, b->is.flops);

    return flops ? flops : a->number < b->number ? -1 : a->number > b->number;
}

/* True if `m` is better than the best so far. */
static bool is_better(const struct remat_plan *plan, const struct way *best,
                      const struct measure *m)
{
    int flops = best ? mpz_cmp(m->flops, best->is.flops) : 0;

    if (plan->fit)
        return m->peak <= plan->fit &&
               (!best || flops < 0 || (flops == 0 && m->peak < best->is.peak));
    return !best || m->peak < best->is.peak || (m->peak == best->is.peak && flops < 0);
}

/* The best way, NULL if none fits; *least: the peak of any that was counted.  Where the fewest
 * FLOPs decide, ways with more than one that fits are not counted. */
static int find_best(struct source *s, const struct remat_plan *plan, struct ways *w,
                     struct counted *last, const struct way **best, uint64_t *least,
                     struct err *err)
{
    *best = NULL;
    *least = UINT64_MAX;
    if (plan->fit)
        qsort(w->at, w->n, sizeof *w->at, compare_flops);
    for (size_t i = 0; i < w->n; i++) {
        struct way *way = &w->at[i];
        if (!way->some)
            continue;
        if (plan->fit && *best && mpz_cmp(way->is.flops, (*best)->is.flops) > 0)
            break;
        if (count_way(s, plan, &way->plan, last, &way->is, err) != 0)
            return -1;
        *least = way->is.peak < *least ? way->is.peak : *least;
        if (is_better(plan, *best, &way->is))
            *best = way;
    }
    return 0;
}

static double gib_of_bytes(uint64_t bytes)
{
    return (double)bytes / (1 << 30);
}

/* Refuse a plan of which nothing came. */
static int check_best(const struct source *s, const struct remat_plan *plan, const struct way *best,
                      bool any, uint64_t now, uint64_t least, struct err *err)
{
    const char *file = trace_file(s->t);

    if (!any)
        return err_set(err, ERR_FIT, "%s: no activation that gradients read can be computed again",
                       file);
    if (!best)
        return err_set(err, ERR_FIT,
                       "%s: fit = %.4g GiB: the least that any way leaves is %.4g GiB a core", file,
                       gib_of_bytes(plan->fit), gib_of_bytes(least));
    if (best->is.peak >= now)
        return err_set(err, ERR_FIT, "%s: no way takes less than the %.4g GiB a core it takes now",
                       file, gib_of_bytes(now));
    return 0;
}

/* Pick among the ways of an open source. */
static int pick_way(struct source *s, const struct remat_plan *plan, struct ways *w, FILE *out,
                    struct err *err)
{
    struct counted last = { 0 };
    struct measure now = { 0 };
    const struct way *best = NULL;
    uint64_t least = 0;
    bool any = false;
    int rc = count_way(s, plan, NULL, &last, &now, err);

    if (rc == 0 && plan->fit && now.peak <= plan->fit)
        rc = err_set(err, ERR_FIT, "%s: fit = %.4g GiB: it takes %.4g GiB a core as it is",
                     trace_file(s->t), gib_of_bytes(plan->fit), gib_of_bytes(now.peak));
    if (rc == 0)
        rc = weigh_ways(s, w, &any, err);
    if (rc == 0)
        rc = find_best(s, plan, w, &last, &best, &least, err);
    if (rc == 0)
        rc = check_best(s, plan, best, any, now.peak, least, err);
    if (rc == 0)
        rc = walk_source(s, &(struct walk){ .way = &best->plan, .out = out }, err);
    free(last.text);
    return rc;
}

int remat_pick(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err)
{
    struct ways ways;
    struct source s;
    int rc = open_source(&s, t, err);

    list_ways(&ways, plan);
    if (rc == 0)
        rc = pick_way(&s, plan, &ways, out, err);
    free_ways(&ways);
    free_source(&s);
    return rc;
}
