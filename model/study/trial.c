#include "study/trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "machine/spec/spec.h"
#include "run/job/input.h"
#include "run/preview.h"
#include "run/result/advised.h"
#include "run/result/outside.h"
#include "run/result/row_group.h"
#include "study/trial_pace.h"
#include "study/trial_remat.h"
#include "traces/gen.h"
#include "traces/rebatch.h"

const char *const trial_name[] = {
    [RUN_TRIAL_BATCH] = "twice the batch",     [RUN_TRIAL_BF16] = "the step in bf16",
    [RUN_TRIAL_TF32] = "launch.tf32=yes",      [RUN_TRIAL_FUSED] = "framework.execution=xla",
    [RUN_TRIAL_PAGES] = "framework.fresh=0 B", [RUN_TRIAL_PINNED] = "cpu.away=0",
};

/* A parameter of the machine that a change sets; NULL: it changes the trace. */
static const char *const setting[] = {
    [RUN_TRIAL_BATCH] = NULL,
    [RUN_TRIAL_BF16] = NULL,
    [RUN_TRIAL_TF32] = "launch.tf32=yes",
    [RUN_TRIAL_FUSED] = "framework.execution=xla",
    [RUN_TRIAL_PAGES] = "framework.fresh=0 B",
    [RUN_TRIAL_PINNED] = "cpu.away=0",
};

struct trial {
    bool asked, made, rough; /* rough: by a preview that is too near to TRIAL_NOISE */
    int32_t gain;
};

/* All that is tried beside the result `r` of `q`, each change once. */
struct session {
    const struct run_request *q;
    struct run_result *r;
    struct trial trial[RUN_N_TRIALS];
    struct trace *trace; /* read to its end, if a generator wrote it; else NULL */
    struct rebatch batch;
    bool read;
    struct machine_spec *spec; /* for changes of the trace, loaded once; or NULL */
};

/* --- the changed step ------------------------------------------------------------------------ */

/* The generator's text with precision=bf16, if it has another; NULL: it cannot. */
static char *write_bf16(const struct trace_header *h, size_t *size)
{
    const char *set[GEN_MAX_PARAMS];
    char *word[GEN_MAX_PARAMS];
    struct memory_text text;
    struct err ignored;
    bool other = false;
    size_t n = 0;

    for (; n < h->n_params && n < GEN_MAX_PARAMS; n++) {
        bool is = strcmp(h->param[n].key, "precision") == 0;
        other = other || (is && strcmp(h->param[n].value, "bf16") != 0);
        set[n] = word[n] = memory_format("%s=%s", h->param[n].key, is ? "bf16" : h->param[n].value);
    }
    memory_text_begin(&text);
    int rc = other ? gen_write(h->workload, set, n, text.out, &ignored) : -1;
    char *written = memory_text_end(&text);
    *size = text.size;
    while (n-- > 0)
        free(word[n]);
    if (rc == 0)
        return written;
    free(written);
    return NULL;
}

/* Read the trace once for all changes of it. */
static void read_generated(struct session *s)
{
    struct err ignored;

    if (s->read)
        return;
    s->read = true;
    if (strcmp(s->q->trace, "-") == 0 || input_trace(&s->trace, s->q, &ignored) != 0)
        return;
    if (rebatch_find(s->trace, &s->batch, &ignored) == 0)
        return;
    trace_close(s->trace);
    s->trace = NULL;
}

/* The text of the changed trace, to be freed; NULL: no generator wrote it, or has no such step. */
static char *write_changed(enum run_trial trial, struct session *s, size_t *size)
{
    const struct rebatch *b = &s->batch;
    struct err ignored;
    char *text;

    read_generated(s);
    if (!s->trace)
        return NULL;
    if (trial == RUN_TRIAL_BF16)
        return write_bf16(trace_head(s->trace), size);
    if (2 * b->value > b->most ||
        rebatch_write(trace_head(s->trace), b, 2 * b->value, &text, size, &ignored) != 0)
        return NULL;
    return text;
}

/* --- replays --------------------------------------------------------------------------------- */

/* True if a unit outside the cores is busy for half of the step, so that a faster step may wait for
 * it. */
static bool is_fed_closely(const struct run_result *r)
{
    static const char *const unit[] = { "utilization.host", "utilization.client",
                                        "utilization.storage", "utilization.pcie" };

    for (size_t i = 0; i < r->n_figures; i++)
        for (size_t u = 0; u < sizeof unit / sizeof *unit; u++)
            if (strcmp(r->figures[i].column, unit[u]) == 0 && r->figures[i].known &&
                mpq_cmp_ui(r->figures[i].value, 1, 2) > 0)
                return true;
    return false;
}

/* Preview `q`: its gain, or that it does not fit, which gains nothing.  false: a preview cannot
 * tell. */
static bool preview_gain(struct run_request q, enum run_trial trial, struct run_result *r,
                         struct trial *t)
{
    const struct run_result *half = trial == RUN_TRIAL_BATCH ? r : NULL;
    struct preview p;
    struct err ignored;

    if (is_fed_closely(r))
        return false;
    q.observer = NULL;
    q.n_observers = 0;
    q.progress = NULL;
    q.brief = true;
    bool known = preview_run(&q, r->fits, half, &p, &ignored) == 0;
    if (known && r->fits && !p.fits) {
        t->gain = 0;
    } else if (known && mpq_sgn(p.samples_per_second) > 0) {
        r->trials.replays++;
        r->trials.events += p.events;
        t->gain = trial_permille(p.samples_per_second, r->samples_per_second);
        t->rough = t->gain >= TRIAL_LOW && t->gain <= TRIAL_HIGH;
    } else {
        known = false;
    }
    mpq_clear(p.samples_per_second);
    return known;
}

/* The gain of `q`, by a replay if it was previewed before.  Returns whether it could be replayed.
 */
static bool find_gain(struct run_request q, enum run_trial trial, struct run_result *r,
                      struct trial *t)
{
    struct run_result other;

    if (!t->rough && preview_gain(q, trial, r, t))
        return true;
    t->rough = false;
    if (!trial_replay(q, r, &other))
        return false;
    t->gain = r->fits && !other.fits
                  ? 0
                  : trial_permille(other.samples_per_second, r->samples_per_second);
    run_result_free(&other);
    return true;
}

/* True if the chip multiplies in the type that the change asks for; others convert. */
static bool has_type(enum run_trial trial, const struct run_result *r)
{
    return trial != RUN_TRIAL_BF16 || strcmp(r->peak_dtype, "bf16") == 0;
}

static const struct machine_spec *load_spec(struct session *s)
{
    struct err ignored;

    if (!s->spec && spec_load(&s->spec, s->q->machine, s->q->set, s->q->n_set, &ignored) != 0)
        s->spec = NULL;
    return s->spec;
}

static void make_trial(enum run_trial trial, struct session *s)
{
    const struct run_request *q = s->q;
    const char **set = memory_zeroed(q->n_set + 1, sizeof *set);
    struct run_request changed = *q;
    struct trial *t = &s->trial[trial];
    char *text = NULL;

    for (size_t i = 0; i < q->n_set; i++)
        set[i] = q->set[i];
    if (!has_type(trial, s->r)) {
        ; /* not made */
    } else if (setting[trial]) {
        set[changed.n_set++] = setting[trial];
        changed.set = set;
    } else {
        changed.text = text = write_changed(trial, s, &changed.text_size);
        changed.spec = text ? load_spec(s) : NULL;
    }
    t->asked = true;
    t->made = (changed.set == set || text) && find_gain(changed, trial, s->r, t);
    free(text);
    free(set);
}

/* --- advice ---------------------------------------------------------------------------------- */

/* True of TF32 where bf16 gains, which multiplies no slower and moves half the bytes. */
static bool is_surpassed(const struct session *s, enum run_trial trial, enum run_trial best)
{
    return trial == RUN_TRIAL_TF32 && best == RUN_TRIAL_BF16 && s->trial[best].gain > TRIAL_NOISE;
}

static enum run_trial compare_trials(struct session *s, uint32_t bits)
{
    enum run_trial best = RUN_N_TRIALS;

    for (unsigned t = 0; t < RUN_N_TRIALS; t++) {
        if (!(bits >> t & 1))
            continue;
        if (!s->trial[t].asked && !is_surpassed(s, t, best))
            make_trial(t, s);
        if (s->trial[t].made && (best == RUN_N_TRIALS || s->trial[t].gain > s->trial[best].gain))
            best = t;
    }
    return best;
}

/* The change of those in `bits` that gains most; RUN_N_TRIALS: none of them could be made.  Rough
 * gains are replayed whole unless another is far beyond them. */
static enum run_trial find_best(struct session *s, uint32_t bits)
{
    enum run_trial best = compare_trials(s, bits);

    for (unsigned t = 0; t < RUN_N_TRIALS; t++)
        if (bits >> t & 1 && s->trial[t].rough && s->trial[best].gain < 2 * TRIAL_HIGH)
            make_trial(t, s);
    return compare_trials(s, bits);
}

/* The rate that gains; nobody may have stated the samples of a step. */
static const char *name_speed(const struct session *s)
{
    return s->r->samples_unknown ? "steps/s" : "samples/s";
}

/* The fact with what was tried: "; twice the batch, tried: +50 % samples/s". */
static char *write_tried(const struct session *s, const char *sentence, size_t fact,
                         enum run_trial trial)
{
    int32_t gain = s->trial[trial].gain;

    if (gain < TRIAL_ROUND)
        return memory_format("%.*s; %s, tried: +%" PRId32 ".%" PRId32 " %% %s", (int)fact, sentence,
                             trial_name[trial], gain / 10, gain % 10, name_speed(s));
    return memory_format("%.*s; %s, tried: +%" PRId32 " %% %s", (int)fact, sentence,
                         trial_name[trial], (gain + 5) / 10, name_speed(s));
}

/* The gain in thousandths, rounded up, if `part` thousandths of `seconds` took no time; a step
 * waits for the busiest unit outside the cores all the same, unless what takes no time is that
 * wait. */
static uint64_t bound_gain(const struct run_advised *a, const mpq_t seconds,
                           const struct run_result *r)
{
    mpq_srcptr step = r->seconds_per_step;

    EXACT_Q(busy);
    EXACT_Q(less);
    EXACT_Q(rest);
    EXACT_Q(thousand);
    EXACT_Z(z);
    exact_ratio(less, a->part, 1000);
    mpq_mul(less, less, seconds);
    mpq_sub(rest, step, less);
    outside_busiest(busy, r, a->cause);
    mpq_mul(busy, busy, step);
    if (mpq_cmp(rest, busy) < 0)
        mpq_set(rest, busy);
    if (mpq_sgn(rest) <= 0)
        return UINT64_MAX;
    mpq_sub(less, step, rest);
    mpq_div(less, less, rest);
    mpq_set_ui(thousand, 1000, 1);
    mpq_mul(less, less, thousand);
    mpz_cdiv_q(z, mpq_numref(less), mpq_denref(less));
    return mpz_fits_ulong_p(z) ? mpz_get_ui(z) : UINT64_MAX;
}

/* The fact with what all of it is worth, of what nobody can try; NULL: it is worth nothing. */
static char *write_bound(const struct session *s, const char *sentence, size_t fact, uint64_t gain)
{
    if (gain <= TRIAL_NOISE)
        return NULL;
    if (gain >= 100 * 1000)
        return memory_format("%.*s: all of the step", (int)fact, sentence);
    return memory_format("%.*s: at most +%" PRIu64 " %% %s", (int)fact, sentence, (gain + 9) / 10,
                         name_speed(s));
}

/* The text that the i-th sentence of `w` becomes, NULL: it is not given; `seconds`: of all rows
 * that are like `w`. */
static char *settle_sentence(struct session *s, const struct run_row *w, size_t i,
                             const mpq_t seconds)
{
    const struct run_advised *a = &w->advised[i];
    enum run_trial best = find_best(s, a->trials);
    uint64_t bound = bound_gain(a, seconds, s->r);

    if (best == RUN_N_TRIALS)
        return write_bound(s, w->advice[i], a->fact, bound);
    return s->trial[best].gain > TRIAL_NOISE ? write_tried(s, w->advice[i], a->fact, best) : NULL;
}

/* Settle sentences of `w` up to the first that is given, or all of them. */
static void settle_row(struct session *s, struct run_row *w, const mpq_t seconds, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_advice; i++) {
        char *settled =
            n == 0 || all ? settle_sentence(s, w, i, seconds) : memory_copy(w->advice[i]);
        free(w->advice[i]);
        w->advice[i] = NULL;
        if (!settled)
            continue;
        w->advised[n] = w->advised[i];
        w->advice[n++] = settled;
    }
    w->n_advice = n;
}

/* The operation whose advice a group shows. */
static struct run_row *find_owner(struct run_result *r, const struct run_row *group)
{
    size_t i = 0;

    while (i < r->n_ops && r->ops[i].advice != group->advice)
        i++;
    BUG_ON(i == r->n_ops);
    return &r->ops[i];
}

/* Settle what a text report shows. */
static void settle_shown(struct session *s)
{
    struct run_result *r = s->r;
    size_t n;
    struct run_row *groups = row_group_sum(r->ops, r->n_ops, &n);
    const struct run_row **order = advised_order(groups, n, r->mxus > 0);

    for (size_t i = 0; i < n && i < ADVISED_MOST; i++)
        if (advised_is_worth(order[i], r))
            settle_row(s, find_owner(r, order[i]), order[i]->seconds, false);
    free(order);
    row_group_free(groups, n);
}

static void settle_all(struct session *s)
{
    for (size_t i = 0; i < s->r->n_ops; i++)
        settle_row(s, &s->r->ops[i], s->r->ops[i].seconds, true);
}

/* --- two hands ------------------------------------------------------------------------------- */

/* True if some kernels were cut anew though nobody asked for it, on a machine that was changed. */
static bool has_two_hands(const struct run_request *q, const struct run_result *r)
{
    const uint32_t *n = r->notes.retiled;

    return !q->retile && r->retimed && (n[TASK_RETILED_ARRAY] || n[TASK_RETILED_VMEM]);
}

static void compare_hands(const struct run_request *q, struct run_result *r)
{
    struct run_request as_is = *q;
    struct run_result compiled, ours;

    as_is.set = NULL;
    as_is.n_set = 0;
    as_is.brief = true;
    if (!trial_replay(as_is, r, &compiled))
        return;
    as_is.retile = true;
    if (trial_replay(as_is, r, &ours)) {
        r->trials.hands = true;
        r->trials.hands_permille = trial_permille(ours.seconds_per_step, compiled.seconds_per_step);
        run_result_free(&ours);
    }
    run_result_free(&compiled);
}

void trial_run(const struct run_request *q, enum trial_extent extent, struct run_result *r)
{
    struct session s = { .q = q, .r = r };

    if (q->spec) /* of a machine without a name nothing can be set */
        return;
    if (extent == TRIAL_SHOWN)
        settle_shown(&s);
    else
        settle_all(&s);
    trace_close(s.trace);
    spec_free(s.spec);
    trial_remedies(q, r);
    trial_remat(q, r);
    trial_pace(q, r);
    if (has_two_hands(q, r))
        compare_hands(q, r);
}
