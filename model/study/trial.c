#include "study/trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "run/input.h"
#include "traces/gen.h"
#include "traces/rebatch.h"

const char *const trial_name[] = {
    [RUN_TRIAL_BATCH] = "twice the batch",     [RUN_TRIAL_BF16] = "the step in bf16",
    [RUN_TRIAL_TF32] = "launch.tf32=yes",      [RUN_TRIAL_FUSED] = "framework.execution=xla",
    [RUN_TRIAL_PAGES] = "framework.fresh=0 B",
};

/* A parameter of the machine that a change sets; NULL: it changes the trace. */
static const char *const setting[] = {
    [RUN_TRIAL_BATCH] = NULL,
    [RUN_TRIAL_BF16] = NULL,
    [RUN_TRIAL_TF32] = "launch.tf32=yes",
    [RUN_TRIAL_FUSED] = "framework.execution=xla",
    [RUN_TRIAL_PAGES] = "framework.fresh=0 B",
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

/* The text of the changed trace, to be freed; NULL: no generator wrote it, or has no such step. */
static char *write_changed(enum run_trial trial, const struct run_request *q, size_t *size)
{
    struct rebatch b;
    struct trace *t;
    struct err ignored;
    char *text = NULL;

    if (strcmp(q->trace, "-") == 0 || input_trace(&t, q, &ignored) != 0)
        return NULL;
    if (rebatch_find(t, &b, &ignored) == 0) {
        if (trial == RUN_TRIAL_BF16)
            text = write_bf16(trace_head(t), size);
        else if (2 * b.value > b.most ||
                 rebatch_write(trace_head(t), &b, 2 * b.value, &text, size, &ignored) != 0)
            text = NULL;
    }
    trace_close(t);
    return text;
}

/* --- replays --------------------------------------------------------------------------------- */

/* Replay `q` beside the run of `r`, and count it there. */
static bool replay_beside(struct run_request q, struct run_result *r, struct run_result *other)
{
    struct err ignored;

    q.observer = NULL;
    q.n_observers = 0;
    q.progress = NULL;
    q.epochs = 0;
    if (run_replay(&q, other, &ignored) != 0)
        return false;
    r->trials.replays++;
    r->trials.events += other->events;
    return true;
}

/* (x / y - 1) in thousandths, towards zero. */
static int32_t find_gain(const mpq_t x, const mpq_t y)
{
    EXACT_Q(q);
    EXACT_Q(thousand);
    EXACT_Z(z);

    mpq_set_ui(thousand, 1000, 1);
    mpq_div(q, x, y);
    mpq_mul(q, q, thousand);
    mpq_sub(q, q, thousand);
    mpz_tdiv_q(z, mpq_numref(q), mpq_denref(q));
    return mpz_cmpabs_ui(z, 1000000) > 0 ? 1000000 : (int32_t)mpz_get_si(z);
}

/* True if the chip multiplies in the type that the change asks for; others convert. */
static bool has_type(enum run_trial trial, const struct run_result *r)
{
    return trial != RUN_TRIAL_BF16 || strcmp(r->peak_dtype, "bf16") == 0;
}

bool trial_gain(enum run_trial trial, const struct run_request *q, struct run_result *r,
                int32_t *gain)
{
    const char **set = memory_zeroed(q->n_set + 1, sizeof *set);
    struct run_request changed = *q;
    struct run_result other;
    char *text = NULL;

    for (size_t i = 0; i < q->n_set; i++)
        set[i] = q->set[i];
    if (!has_type(trial, r)) {
        ; /* not made */
    } else if (setting[trial]) {
        set[changed.n_set++] = setting[trial];
        changed.set = set;
    } else {
        changed.text = text = write_changed(trial, q, &changed.text_size);
    }
    bool made = (changed.set == set || text) && replay_beside(changed, r, &other);
    if (made) {
        *gain =
            r->fits && !other.fits ? 0 : find_gain(other.samples_per_second, r->samples_per_second);
        run_result_free(&other);
    }
    free(text);
    free(set);
    return made;
}

/* --- advice ---------------------------------------------------------------------------------- */

struct tried {
    bool asked, made;
    int32_t gain;
};

/* The change of those in `bits` that gains most; RUN_N_TRIALS: none of them could be made. */
static enum run_trial find_best(const struct tried *tried, uint32_t bits)
{
    enum run_trial best = RUN_N_TRIALS;

    for (unsigned t = 0; t < RUN_N_TRIALS; t++)
        if (bits >> t & 1 && tried[t].made &&
            (best == RUN_N_TRIALS || tried[t].gain > tried[best].gain))
            best = t;
    return best;
}

/* The sentence with what was tried in place of its remedy, which stands behind the last "; ". */
static char *write_tried(const char *sentence, const char *change, int32_t gain)
{
    const char *end = NULL;

    for (const char *at = sentence; (at = strstr(at, "; ")); at++)
        end = at;
    return memory_format("%.*s; %s, tried: +%" PRId32 ".%" PRId32 " %% samples/s",
                         (int)(end ? (size_t)(end - sentence) : strlen(sentence)), sentence, change,
                         gain / 10, gain % 10);
}

static void settle_row(struct run_row *w, const struct tried *tried)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_advice; i++) {
        enum run_trial best = find_best(tried, w->advice_trials[i]);
        char *sentence = w->advice[i];
        if (best != RUN_N_TRIALS && tried[best].gain <= TRIAL_NOISE) {
            free(sentence);
            continue;
        }
        w->advice[n] = best == RUN_N_TRIALS
                           ? memory_format("%s (not tried)", sentence)
                           : write_tried(sentence, trial_name[best], tried[best].gain);
        w->advice_trials[n++] = w->advice_trials[i];
        free(sentence);
    }
    w->n_advice = n;
}

static void try_advice(const struct run_request *q, struct run_result *r)
{
    struct tried tried[RUN_N_TRIALS] = { 0 };

    for (size_t i = 0; i < r->n_ops; i++)
        for (size_t k = 0; k < r->ops[i].n_advice; k++)
            for (unsigned t = 0; t < RUN_N_TRIALS; t++)
                tried[t].asked |= r->ops[i].advice_trials[k] >> t & 1;
    for (unsigned t = 0; t < RUN_N_TRIALS; t++)
        if (tried[t].asked)
            tried[t].made = trial_gain(t, q, r, &tried[t].gain);
    for (size_t i = 0; i < r->n_ops; i++)
        settle_row(&r->ops[i], tried);
}

/* --- two hands ------------------------------------------------------------------------------- */

/* True if some kernels were cut anew though nobody asked for it, on a machine that was changed. */
static bool has_two_hands(const struct run_request *q, const struct run_result *r)
{
    const uint32_t *n = r->notes.retiled;

    return !q->retile && r->n_changed > 0 && (n[TASK_RETILED_ARRAY] || n[TASK_RETILED_VMEM]);
}

static void compare_hands(const struct run_request *q, struct run_result *r)
{
    struct run_request as_is = *q;
    struct run_result compiled, ours;

    as_is.set = NULL;
    as_is.n_set = 0;
    as_is.brief = true;
    if (!replay_beside(as_is, r, &compiled))
        return;
    as_is.retile = true;
    if (replay_beside(as_is, r, &ours)) {
        r->trials.hands = true;
        r->trials.hands_permille = find_gain(ours.seconds_per_step, compiled.seconds_per_step);
        run_result_free(&ours);
    }
    run_result_free(&compiled);
}

void trial_run(const struct run_request *q, struct run_result *r)
{
    if (q->spec) /* of a machine without a name nothing can be set */
        return;
    try_advice(q, r);
    if (has_two_hands(q, r))
        compare_hands(q, r);
}
