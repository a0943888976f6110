#include "run/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

/* What the rules look at. */
struct view {
    const struct run_slots *s;
    const struct task_kernel *kernel; /* the operation's largest product, or NULL */
    const struct job *job;
};

struct rule {
    void (*say)(const struct view *v, const char *percent, FILE *out); /* NULL: of a wait */
    enum use use;
    enum cause cause;
    const mpq_t *part; /* of the ledger */
};

/* 100 * num / den, rounded to a whole number. */
static uint64_t percent_of(const mpq_t num, const mpq_t den)
{
    EXACT_Q(q);
    EXACT_Q(hundred);
    EXACT_Z(z);
    mpq_set_ui(hundred, 100, 1);
    mpq_div(q, num, den);
    mpq_mul(q, q, hundred);
    exact_round(z, q);
    uint64_t percent = mpz_get_ui(z);
    return percent;
}

/* What a dimension is padded to: extent * (unpadded + pad) / unpadded, the mean over blocks. */
static void estimate_padding(const struct run_slots *s, uint64_t extent, const enum use *inside,
                             size_t n, enum use pad, uint64_t *to, uint64_t *percent)
{
    EXACT_Q(real);
    EXACT_Q(all);
    EXACT_Q(q);
    EXACT_Z(z);
    for (size_t i = 0; i < n; i++)
        mpq_add(real, real, s->use[inside[i]]);
    mpq_add(all, real, s->use[pad]);
    *percent = percent_of(s->use[pad], all);
    mpq_set_ui(q, extent, 1);
    mpq_mul(q, q, all);
    mpq_div(q, q, real);
    exact_round(z, q);
    *to = mpz_get_ui(z);
}

/* Pads were taken off in the order m, k, n, so each is measured inside of those before it. */
static const enum use inside[] = { USE_USEFUL, USE_PRECISION, USE_CONV_ZEROS, USE_PAD_N,
                                   USE_PAD_K };

static void say_n(const struct view *v, const char *percent, FILE *out)
{
    uint64_t n = v->kernel->all.gemm.n, to, idle;

    (void)percent;
    estimate_padding(v->s, n, inside, 3, USE_PAD_N, &to, &idle);
    fprintf(out,
            "n = %" PRIu64 " of %" PRIu64 " columns: %" PRIu64 " %% of the array idle; put more "
            "channels on n, or batch on lanes",
            n, to, idle);
}

static void say_k(const struct view *v, const char *percent, FILE *out)
{
    uint64_t k = v->kernel->all.gemm.k, to, idle;

    (void)percent;
    estimate_padding(v->s, k, inside, 4, USE_PAD_K, &to, &idle);
    fprintf(out,
            "k = %" PRIu64 " of %" PRIu64 " rows: %" PRIu64 " %% of the array idle; sum over more "
            "channels at once",
            k, to, idle);
}

static void say_m(const struct view *v, const char *percent, FILE *out)
{
    uint64_t m = v->kernel->all.gemm.m, to, idle;

    (void)percent;
    estimate_padding(v->s, m, inside, 5, USE_PAD_M, &to, &idle);
    fprintf(out,
            "m = %" PRIu64 " padded to %" PRIu64 ": %" PRIu64 " %% of the rows are zeros; make m a "
            "multiple of %" PRIu32,
            m, to, idle, v->job->spec->mxu.row_granule);
}

static void say_precision(const struct view *v, const char *percent, FILE *out)
{
    fprintf(out,
            "%s %% is spent on further passes: f32 operands go through %" PRIu32
            " times in bf16 parts; round them to bf16",
            percent, 1 + v->kernel->mode.more_passes);
}

static void say_zeros(const struct view *v, const char *percent, FILE *out)
{
    (void)v;
    fprintf(
        out,
        "%s %% multiplies zeros put in between strides, around the image or outside groups; split "
        "the filter by stride, or take fewer groups",
        percent);
}

/* Rows that are streamed over a tile of weights, on the first MXU. */
static uint64_t tile_rows(const struct view *v)
{
    struct task_grid_step step = task_grid_step(v->kernel, 0);

    return task_share(&step.gemm, &v->kernel->parts, 0, v->job->spec->mxu.row_granule,
                      v->job->spec->mxu.size)
        .m;
}

static void say_load(const struct view *v, const char *percent, FILE *out)
{
    const struct mxu_params *mxu = &v->job->spec->mxu;

    fprintf(out, "%s %% of the time loads weights", percent);
    if (v->kernel->mode.turned && mxu->turned_rows_per_cycle)
        fprintf(out, ", which are stored transposed and turned at %" PRIu32 " rows a cycle",
                mxu->turned_rows_per_cycle);
    fprintf(out, ": m = %" PRIu64 " rows a tile are too few", tile_rows(v));
}

static void say_drain(const struct view *v, const char *percent, FILE *out)
{
    (void)v;
    fprintf(out,
            "%s %% of the time fills and drains the array: the product is too small; batch "
            "several into one",
            percent);
}

static const char *const remedy[N_CAUSES] = {
    [CAUSE_MXU] = "some matrix units have no share: too few rows or tiles to split",
    [CAUSE_VPU] = "the vector work takes long: fewer or cheaper element-wise operations",
    [CAUSE_XLU] = "relayouts and reductions take long: keep the layout, or reduce other dimensions",
    [CAUSE_HBM] = "fuse it with its neighbours, or use each byte more often",
    [CAUSE_ICI] = "run collectives beside other work, or send less",
    [CAUSE_DCN] = "reduce less often between slices, or send less",
    [CAUSE_PCIE] = "send less over PCIe, or earlier",
    [CAUSE_STORAGE] = "read ahead, or store fewer bytes",
    [CAUSE_HOST] = "prepare input on more threads or hosts",
    [CAUSE_FALLBACK] = "it runs on the host: use an operation that has a kernel",
    [CAUSE_COMPILE] = "keep shapes fixed so that nothing is compiled again",
    [CAUSE_LAUNCH] = "do more work in fewer operations and grid steps",
    [CAUSE_BUBBLE] = "cut the batch into more parts, or the step into fewer or more even stages",
    [CAUSE_SYNC] = "cores have unequal work",
};

static const struct rule of_use[] = {
    { say_n, USE_PAD_N, 0, NULL },
    { say_k, USE_PAD_K, 0, NULL },
    { say_m, USE_PAD_M, 0, NULL },
    { say_zeros, USE_CONV_ZEROS, 0, NULL },
    { say_load, USE_WEIGHT_LOAD, 0, NULL },
    { say_drain, USE_FILL_DRAIN, 0, NULL },
    { say_precision, USE_PRECISION, 0, NULL },
};

enum { N_OF_USE = sizeof of_use / sizeof *of_use, N_RULES = N_OF_USE + N_CAUSES };

static const struct task_kernel *largest_product(const struct task_program *p, uint32_t row)
{
    const struct task_kernel *best = NULL;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        if (t->kind == TASK_KERNEL && t->row == row && t->kernel.all.gemm.b &&
            (!best || t->kernel.all.gemm.useful > best->all.gemm.useful))
            best = &t->kernel;
    }
    return best;
}

static bool is_worth_saying(const mpq_t part, const mpq_t capacity)
{
    EXACT_Q(least);
    mpq_set_ui(least, ADVICE_SHARE, 100);
    mpq_canonicalize(least);
    mpq_mul(least, least, capacity);
    bool enough = mpq_cmp(part, least) >= 0;
    return enough;
}

/* Largest part first; of equals the rule that stands first. */
static int compare_parts(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    int order = mpq_cmp(*y->part, *x->part);

    return order ? order : (x->part > y->part) - (x->part < y->part);
}

static char *write_sentence(const struct view *v, const struct rule *r)
{
    char *text, percent[24];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    BUG_ON(!out);
    snprintf(percent, sizeof percent, "%" PRIu64, percent_of(*r->part, v->s->capacity));
    if (r->say)
        r->say(v, percent, out);
    else
        fprintf(out, "%s%s %% waits for %s; %s", v->kernel ? "" : "no matrix work: ", percent,
                cause_name[r->cause], remedy[r->cause]);
    fclose(out);
    BUG_ON(!text);
    return text;
}

void advice_write(struct run_row *w, const struct job *j, const struct task_program *program,
                  uint32_t row)
{
    const struct view v = { &w->slots, largest_product(program, row), j };
    struct rule rule[N_RULES];

    if (mpq_sgn(v.s->capacity) == 0)
        return;
    for (size_t i = 0; i < N_OF_USE; i++) {
        rule[i] = of_use[i];
        rule[i].part = &v.s->use[rule[i].use];
    }
    for (int c = 0; c < N_CAUSES; c++)
        rule[N_OF_USE + c] = (struct rule){ .cause = (enum cause)c, .part = &v.s->wait[c] };
    qsort(rule, N_RULES, sizeof *rule, compare_parts);
    w->advice = calloc(N_RULES, sizeof *w->advice);
    BUG_ON(!w->advice);
    for (size_t i = 0; i < N_RULES; i++)
        if (is_worth_saying(*rule[i].part, v.s->capacity))
            w->advice[w->n_advice++] = write_sentence(&v, &rule[i]);
}
