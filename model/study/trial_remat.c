#include "study/trial_remat.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "machine/spec/spec.h"
#include "passes/remat.h"
#include "run/job/input.h"
#include "study/trial.h"

/* The step with as much computed again as `bytes` of a core ask for, to be freed; NULL: no way does
 * it. */
static char *write_fitting(const struct run_request *q, uint64_t bytes, size_t *size)
{
    struct remat_plan plan = { .cut = REMAT_BEST, .choose = true, .fit = bytes };
    struct memory_text text;
    struct trace *t;
    struct err ignored;

    if (strcmp(q->trace, "-") == 0 || input_trace(&t, q, &ignored) != 0)
        return NULL;
    memory_text_begin(&text);
    int rc = trace_head(t)->program.given ? -1 : remat_write(t, &plan, text.out, &ignored);
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
    char *text = write_fitting(q, r->capacity_bytes_per_core, &changed.text_size);
    changed.text = text;
    if (text && trial_replay(changed, r, &other)) {
        if (other.peak_bytes_per_core < r->peak_bytes_per_core)
            add_first(r, &other);
        run_result_free(&other);
    }
    free(text);
}
