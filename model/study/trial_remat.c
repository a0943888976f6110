#include "study/trial_remat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "machine/spec/spec.h"
#include "passes/remat.h"
#include "passes/shard/shard.h"
#include "run/job/input.h"
#include "run/result/words.h"
#include "study/remat_fit.h"
#include "study/trial.h"
#include "traces/rebatch.h"

/* The step rematerialised until it fits the machine of `q`, to be freed, or with `least` as far as
 * any way goes; NULL: there is none.  *m is its memory. */
static char *write_remat(const struct run_request *q, bool least, struct run_memory *m,
                         size_t *size)
{
    const struct remat_plan plan = { .cut = REMAT_BEST, .choose = true };
    struct memory_text text;
    struct trace *t;
    struct err ignored;

    if (strcmp(q->trace, "-") == 0 || input_trace(&t, q, &ignored) != 0)
        return NULL;
    memory_text_begin(&text);
    int rc = trace_head(t)->program.given ? -1
             : least                      ? remat_fit_least(t, q, m, text.out, &ignored)
                                          : remat_fit_write(t, q, plan, m, text.out, &ignored);
    char *written = memory_text_end(&text);
    trace_close(t);
    *size = text.size;
    if (rc == 0)
        return written;
    free(written);
    return NULL;
}

/* True on a TPU, for a step that takes no more than the compiler was seen to make fit. */
static bool is_near(const struct run_request *q, const struct run_result *r)
{
    struct machine_spec *m;
    struct err ignored;

    if (q->spec || spec_load(&m, q->machine, q->set, q->n_set, &ignored) != 0)
        return false;
    bool near = m->kind == CHIP_TPU && (u128)r->peak_bytes_per_core * PPB_PER_ONE <=
                                           (u128)r->capacity_bytes_per_core * m->xla.remat_most;
    spec_free(m);
    return near;
}

static void add_first(struct run_result *r, const struct run_result *other)
{
    struct run_remedy m = {
        .what =
            memory_copy("leave it to XLA, which tries to rematerialise by itself near the limit"),
        .peak = other->peak_bytes_per_core,
        .saves = r->peak_bytes_per_core - other->peak_bytes_per_core,
        .fits = other->fits,
        .tried = true,
        .cost_permille = trial_permille(other->seconds_per_step, r->seconds_per_step),
    };

    MEMORY_ADD(r->remedies, r->n_remedies);
    memmove(r->remedies + 1, r->remedies, r->n_remedies++ * sizeof *r->remedies);
    r->remedies[0] = m;
}

void trial_remat(const struct run_request *q, struct run_result *r)
{
    struct run_request changed = *q;
    struct run_result other;

    if (r->fits || !is_near(q, r))
        return;
    struct run_memory m;
    char *text = write_remat(q, false, &m, &changed.text_size);
    changed.text = text;
    if (text && trial_replay(changed, r, &other)) {
        if (other.peak_bytes_per_core < r->peak_bytes_per_core)
            add_first(r, &other);
        run_result_free(&other);
    }
    free(text);
}

/* --- remedies -------------------------------------------------------------------------------- */

static void settle_peak(struct run_remedy *m, const struct run_result *r, uint64_t peak)
{
    m->about = false;
    m->peak = peak;
    m->saves = r->peak_bytes_per_core > peak ? r->peak_bytes_per_core - peak : 0;
    m->fits = peak <= r->capacity_bytes_per_core;
}

static bool lower_text(const struct run_request *q, const char *text, size_t size, uint64_t *peak)
{
    struct run_memory m;
    struct err ignored;

    if (remat_fit_lower(q, text, size, &m, &ignored) != 0)
        return false;
    *peak = m.peak.total;
    return true;
}

static bool remat_peak(const struct run_request *q, uint64_t *peak)
{
    struct run_memory m;
    size_t size;
    char *text = write_remat(q, false, &m, &size);

    text = text ? text : write_remat(q, true, &m, &size);
    *peak = text ? m.peak.total : 0;
    free(text);
    return *peak > 0;
}

/* Lower the trace at `t` with *samples of a core or the next fewer that its generator takes. */
static bool lower_batch(const struct run_request *q, const struct trace *t, const struct rebatch *b,
                        uint64_t *samples, uint64_t *peak)
{
    uint64_t own = trace_head(t)->samples_per_step;
    uint64_t batch = (uint64_t)((u128)b->value * *samples / own);
    struct err ignored;
    size_t size;
    char *text;

    if (batch < b->least || rebatch_write(trace_head(t), b, batch, &text, &size, &ignored) != 0)
        return false;
    bool made = lower_text(q, text, size, peak);
    free(text);
    *samples = (uint64_t)((u128)own * batch / b->value);
    return made;
}

/* The estimate of a batch is made, and where it does not fit, ever smaller ones. */
static void settle_batch(const struct run_request *q, const struct run_result *r,
                         struct run_remedy *m)
{
    struct rebatch b;
    struct trace *t;
    struct err ignored;
    uint64_t samples = m->n, peak = 0;

    if (strcmp(q->trace, "-") == 0 || input_trace(&t, q, &ignored) != 0)
        return;
    bool made = rebatch_find(t, &b, &ignored) == 0 && lower_batch(q, t, &b, &samples, &peak);
    while (made && peak > r->capacity_bytes_per_core && samples > 1) {
        samples = (uint64_t)((u128)samples * r->capacity_bytes_per_core / peak);
        made = samples > 0 && lower_batch(q, t, &b, &samples, &peak);
    }
    if (made) {
        free(m->what);
        m->what = memory_format("use a batch of %" PRIu64 " instead of %" PRIu64
                                " samples a %s (`batch` finds the largest)",
                                samples, trace_head(t)->samples_per_step, words_of_result(r)->core);
        settle_peak(m, r, peak);
    }
    trace_close(t);
}

/* The lower peak of the two axes along which cores share a step. */
static bool shard_peak(const struct run_request *q, uint32_t cores, uint64_t parts, uint64_t *peak)
{
    bool made = false;

    if (parts > cores || cores % parts || strcmp(q->trace, "-") == 0)
        return false;
    for (int edges = 0; edges <= 1; edges++) {
        const struct shard_plan plan = { .data = cores / parts,
                                         .model = edges ? 1 : parts,
                                         .edges = edges ? parts : 1,
                                         .pipeline = 1,
                                         .microbatches = 1 };
        struct memory_text written;
        struct trace *t;
        struct err ignored;
        uint64_t is;
        if (input_trace(&t, q, &ignored) != 0)
            return false;
        memory_text_begin(&written);
        int rc = shard_write(t, &plan, written.out, &ignored);
        char *text = memory_text_end(&written);
        if (rc == 0 && lower_text(q, text, written.size, &is) && (!made || is < *peak)) {
            *peak = is;
            made = true;
        }
        free(text);
        trace_close(t);
    }
    return made;
}

void trial_remedies(const struct run_request *q, struct run_result *r)
{
    uint64_t peak;

    for (size_t i = 0; i < r->n_remedies && r->n_ops <= TRIAL_REMEDIES; i++) {
        struct run_remedy *m = &r->remedies[i];
        if (m->kind == RUN_REMEDY_BATCH)
            settle_batch(q, r, m);
        else if (m->kind == RUN_REMEDY_REMAT && remat_peak(q, &peak))
            settle_peak(m, r, peak);
        else if (m->kind == RUN_REMEDY_SHARD && shard_peak(q, r->cores, m->n, &peak))
            settle_peak(m, r, peak);
    }
}
