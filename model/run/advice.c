#include "run/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"

/* The operation that the rules are applied to. */
struct view {
    const struct run_slots *s;
    const struct task_kernel *kernel; /* the operation's largest product, or NULL */
    const struct dims *dims;          /* of that product */
    const struct job *job;
};

struct rule {
    void (*say)(const struct view *v, const char *percent,
                FILE *out); /* NULL: a rule about a wait */
    enum use use;
    enum cause cause;
    uint32_t trials; /* bits of [enum run_trial] */
    mpq_srcptr part; /* of the ledger */
    unsigned place;  /* of the part in it */
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

/* num / den in thousandths, rounded up. */
static uint32_t part_of(const mpq_t num, const mpq_t den)
{
    EXACT_Q(q);
    EXACT_Q(thousand);
    EXACT_Z(z);
    mpq_set_ui(thousand, 1000, 1);
    mpq_div(q, num, den);
    mpq_mul(q, q, thousand);
    mpz_cdiv_q(z, mpq_numref(q), mpq_denref(q));
    return (uint32_t)mpz_get_ui(z);
}

/* *to = what `extent` is padded to, on average over blocks: extent * (inside + pad) / inside. */
static void estimate_padding(const struct run_slots *s, uint64_t extent, const enum use *inside,
                             size_t n, enum use pad, uint64_t *to, uint64_t *percent)
{
    EXACT_Q(real);
    EXACT_Q(all);
    EXACT_Q(q);
    EXACT_Z(z);
    for (size_t i = 0; i < n; i++)
        exact_sum(real, amounts_get(&s->use, inside[i]));
    mpq_add(all, real, amounts_get(&s->use, pad));
    *percent = percent_of(amounts_get(&s->use, pad), all);
    mpq_set_ui(q, extent, 1);
    mpq_mul(q, q, all);
    mpq_div(q, q, real);
    exact_round(z, q);
    *to = mpz_get_ui(z);
}

/* The dimensions of an operation's tensors that are m, k and n of its product (kernels/tpu/conv.c).
 */
struct dims {
    const char *kind; /* as in traces; NULL: any other */
    const char *m, *k, *n;
};

static const struct dims dims_of[] = {
    { "conv", "batch x output positions", "input channels x filter taps", "output channels" },
    { "conv-dgrad", "batch x input positions", "output channels x filter taps", "input channels" },
    { "conv-wgrad", "input channels x filter taps", "batch x output positions", "output channels" },
    { NULL, "batch or tokens", "input features", "output features" },
};

static const struct dims *dims_of_kind(const char *kind)
{
    const struct dims *d = dims_of;

    while (d->kind && strcmp(d->kind, kind) != 0)
        d++;
    return d;
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
            "n = %" PRIu64 " of %" PRIu64 " columns: %" PRIu64 " %% of the array idle; make n "
            "(%s) a multiple of %" PRIu32,
            n, to, idle, v->dims->n, v->job->spec->mxu.size);
}

static void say_k(const struct view *v, const char *percent, FILE *out)
{
    uint64_t k = v->kernel->all.gemm.k, to, idle;

    (void)percent;
    estimate_padding(v->s, k, inside, 4, USE_PAD_K, &to, &idle);
    fprintf(out,
            "k = %" PRIu64 " of %" PRIu64 " rows: %" PRIu64
            " %% of the array idle; make k (%s) a multiple of %" PRIu32,
            k, to, idle, v->dims->k, v->job->spec->mxu.size);
}

static void say_m(const struct view *v, const char *percent, FILE *out)
{
    uint64_t m = v->kernel->all.gemm.m, to, idle;

    (void)percent;
    estimate_padding(v->s, m, inside, 5, USE_PAD_M, &to, &idle);
    fprintf(out,
            "m = %" PRIu64 " padded to %" PRIu64 ": %" PRIu64 " %% of the rows are zeros; make m "
            "(%s) a multiple of %" PRIu32,
            m, to, idle, v->dims->m, v->job->spec->mxu.row_granule);
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
    fprintf(out,
            "%s %% multiplies zeros: between the strides of a gradient, around its image, or in a "
            "filter "
            "outside its groups; use smaller strides, or fewer and larger groups",
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
    fprintf(out, ": m = %" PRIu64 " rows a tile are too few; enlarge m (%s)", tile_rows(v),
            v->dims->m);
}

static void say_drain(const struct view *v, const char *percent, FILE *out)
{
    fprintf(out,
            "%s %% of the time fills and drains the array: the product is too small; enlarge "
            "m (%s), or merge several products into one",
            percent, v->dims->m);
}

static const char *const remedy[N_CAUSES] = {
    [CAUSE_MXU] = "some matrix units have no part of the product: enlarge its m or n, so that it "
                  "splits over all of them",
    [CAUSE_VPU] = "use fewer or cheaper element-wise operations",
    [CAUSE_XLU] =
        "keep the layout of its operands (no transposes), or reduce over an outer dimension",
    [CAUSE_HBM] =
        "fuse it with its neighbours, keep its tensors in a narrower type, or enlarge the batch",
    [CAUSE_ICI] = "overlap its collectives with computation, or send fewer bytes (bf16 gradients)",
    [CAUSE_DCN] = "reduce across the data centre less often, or in fewer bytes (bf16 gradients)",
    [CAUSE_PCIE] =
        "move fewer bytes between host and chip, or start to move them earlier (prefetch)",
    [CAUSE_STORAGE] = "read input ahead of the step that needs it, or store it in fewer bytes",
    [CAUSE_HOST] = "prepare input on more threads or hosts",
    [CAUSE_FALLBACK] = "the chip has no kernel for it, so it runs on the host: replace it by "
                       "operations that have one",
    [CAUSE_COMPILE] = "keep shapes fixed so that nothing is compiled again",
    [CAUSE_LAUNCH] = "do more work in fewer operations and grid steps: each has a fixed cost",
    [CAUSE_BUBBLE] = "cut the batch into more microbatches, or the step into fewer or more equal "
                     "stages",
    [CAUSE_TENSOR] =
        "choose dimensions that fill the tiles of the product and the last wave of blocks",
    [CAUSE_CUDA] = "use a dtype that the tensor cores take (TF32, f16, bf16), or more channels",
    [CAUSE_SFU] = "use fewer exponentials, roots and divisions",
    [CAUSE_SMEM] = "sort the indices first, so that fewer atomic additions meet",
    [CAUSE_L2] = "larger tiles or fewer, larger operations read operands less often",
    [CAUSE_CORES] = "use fewer or cheaper operations on elements, or larger products",
    [CAUSE_CACHE] = "do more work on each byte: larger products, fused operations",
    [CAUSE_NUMA] = "pin a process to each socket (numactl), so that its data are there",
    [CAUSE_MEMORY] = "fuse operations (framework.execution = xla), or enlarge what fits the cache",
    [CAUSE_PAGES] = "use an allocator that keeps memory (framework.fresh = 0), or huge pages "
                    "(framework.page)",
    [CAUSE_SERIAL] = "replace operations that only one thread does, such as scatter",
    [CAUSE_SYNC] = "cores have unequal work: split the batch or the tensors evenly",
};

static const struct rule of_use[] = {
    { .say = say_n, .use = USE_PAD_N },
    { .say = say_k, .use = USE_PAD_K },
    { .say = say_m, .use = USE_PAD_M },
    { .say = say_zeros, .use = USE_CONV_ZEROS },
    { .say = say_load, .use = USE_WEIGHT_LOAD, .trials = 1 << RUN_TRIAL_BATCH },
    { .say = say_drain, .use = USE_FILL_DRAIN, .trials = 1 << RUN_TRIAL_BATCH },
    { .say = say_precision, .use = USE_PRECISION, .trials = 1 << RUN_TRIAL_BF16 },
};

/* The changes that do what the remedy of a wait says. */
static const uint32_t trials_of_cause[N_CAUSES] = {
    [CAUSE_MXU] = 1 << RUN_TRIAL_BATCH,
    [CAUSE_HBM] = 1 << RUN_TRIAL_BATCH | 1 << RUN_TRIAL_BF16,
    [CAUSE_LAUNCH] = 1 << RUN_TRIAL_BATCH,
    [CAUSE_TENSOR] = 1 << RUN_TRIAL_BATCH,
    [CAUSE_CUDA] = 1 << RUN_TRIAL_TF32 | 1 << RUN_TRIAL_BF16,
    [CAUSE_L2] = 1 << RUN_TRIAL_BATCH,
    [CAUSE_CORES] = 1 << RUN_TRIAL_BATCH,
    [CAUSE_CACHE] = 1 << RUN_TRIAL_BATCH | 1 << RUN_TRIAL_FUSED,
    [CAUSE_NUMA] = 1 << RUN_TRIAL_PINNED,
    [CAUSE_MEMORY] = 1 << RUN_TRIAL_FUSED,
    [CAUSE_PAGES] = 1 << RUN_TRIAL_PAGES,
};

enum { N_OF_USE = sizeof of_use / sizeof *of_use, N_RULES = N_OF_USE + N_CAUSES };

/* Largest part first; of equals the rule that stands first. */
static int compare_parts(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    int order = mpq_cmp(y->part, x->part);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static char *write_sentence(const struct view *v, const struct rule *r, const mpq_t whole)
{
    struct memory_text t;
    char percent[24];

    memory_text_begin(&t);
    snprintf(percent, sizeof percent, "%" PRIu64, percent_of(r->part, whole));
    if (r->say)
        r->say(v, percent, t.out);
    else
        fprintf(t.out, "%s%s %% waits for %s; %s",
                v->kernel || mpq_sgn(v->s->capacity) == 0 ? "" : "no matrix work: ", percent,
                cause_name[r->cause], remedy[r->cause]);
    return memory_text_end(&t);
}

/* The rules that apply, of parts of at least `least`: those of the ledger, or where there is none
 * those of what the core waited for.  Returns how many. */
static size_t find_rules(struct rule *rule, const struct run_row *w, const mpq_t least)
{
    bool ledger = mpq_sgn(w->slots.capacity) > 0;
    const struct amounts *wait = ledger ? &w->slots.wait : &w->cause;
    size_t n = 0;

    for (size_t i = 0; i < N_OF_USE && ledger; i++)
        if (mpq_cmp(amounts_get(&w->slots.use, of_use[i].use), least) >= 0) {
            rule[n] = of_use[i];
            rule[n].part = amounts_get(&w->slots.use, rule[n].use);
            rule[n].place = rule[n].use;
            n++;
        }
    for (unsigned c = 0; c < N_CAUSES; c++)
        if (mpq_cmp(amounts_get(wait, c), least) >= 0 && remedy[c])
            rule[n++] = (struct rule){ .cause = (enum cause)c,
                                       .trials = trials_of_cause[c],
                                       .part = amounts_get(wait, c),
                                       .place = N_USES + c };
    return n;
}

/* The sentence says that nobody tried what it advises. */
static void add_sentence(struct run_row *w, const struct view *v, const struct rule *r,
                         const mpq_t whole)
{
    char *sentence = write_sentence(v, r, whole), *end = NULL;
    struct run_advised *a = &w->advised[w->n_advice];

    for (char *at = sentence; (at = strstr(at, "; ")); at++)
        end = at;
    a->fact = end ? (size_t)(end - sentence) : strlen(sentence);
    a->trials = r->trials;
    a->cause = r->say ? N_CAUSES : r->cause;
    a->part = part_of(r->part, whole);
    w->advice[w->n_advice++] = memory_format("%s " ADVICE_UNTRIED, sentence);
    free(sentence);
}

void advice_write(struct run_row *w, const struct job *j, const struct job_row *row)
{
    const struct view v = { &w->slots, row->product, dims_of_kind(w->kind), j };
    struct rule rule[N_RULES];

    EXACT_Q(whole);
    mpq_set(whole, w->slots.capacity);
    if (mpq_sgn(whole) == 0)
        amounts_sum(whole, &w->cause);
    if (mpq_sgn(whole) == 0)
        return;
    EXACT_Q(least);
    exact_ratio(least, ADVICE_SHARE, 100);
    mpq_mul(least, least, whole);
    size_t n = find_rules(rule, w, least);
    qsort(rule, n, sizeof *rule, compare_parts);
    w->advice = memory_zeroed(n, sizeof *w->advice);
    w->advised = memory_zeroed(n, sizeof *w->advised);
    for (size_t i = 0; i < n; i++)
        add_sentence(w, &v, &rule[i], whole);
}
