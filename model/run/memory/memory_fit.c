#include "run/memory/memory_fit.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "machine/spec/sizes.h"
#include "passes/narrow.h"
#include "passes/passes.h"
#include "run/memory/smallest_slice.h"
#include "run/result/memory_owner.h"
#include "run/result/words.h"

static const char *const change_text[] = {
    ("rematerialise (trace remat): drop activations after the forward pass, compute them again "
     "phase by phase"),
    "keep activations and gradients in bf16",
    "rematerialise, and keep the other activations and gradients in bf16",
};

static void add_remedy(struct run_result *r, uint64_t peak, const char *text)
{
    struct run_remedy *m;

    MEMORY_ADD(r->remedies, r->n_remedies);
    m = &r->remedies[r->n_remedies++];
    *m = (struct run_remedy){ .what = memory_copy(text),
                              .peak = peak,
                              .saves = r->memory.total > peak ? r->memory.total - peak : 0,
                              .fits = peak <= r->capacity_bytes_per_core };
}

/* A step that is to be made: what it exchanges, computes again and needs besides is not known. */
static void add_estimate(struct run_result *r, uint64_t peak, const char *text,
                         enum run_remedy_kind kind, uint64_t n)
{
    struct run_remedy *m;

    add_remedy(r, peak, text);
    m = &r->remedies[r->n_remedies - 1];
    m->about = true;
    m->kind = kind;
    m->n = n;
}

/* `bytes` in `parts`, the largest of them. */
static uint64_t largest_part(uint64_t bytes, uint64_t parts)
{
    return bytes / parts + (bytes % parts != 0);
}

/* A machine that is looked for.  Of those that have all this, the one with the least memory of a
 * core is taken, and of these the one with the fewest cores. */
struct wish {
    enum chip_kind kind;
    uint64_t cores, bytes; /* at least; bytes of a core */
    uint64_t same;         /* bytes of a core, exactly, unless 0 */
};

/* Find the legal slice of any generation that fits the wish best; false if none does. */
static bool find_slice(const struct wish *w, struct sizes_slice *best, uint64_t *bytes)
{
    const char *generation;
    bool any = false;

    *bytes = UINT64_MAX;
    for (size_t i = 0; (generation = sizes_generation(i)); i++) {
        struct machine_spec *m;
        struct sizes_slice s;
        struct err err;
        if (sizes_are_boxes(generation) != (w->kind == CHIP_GPU) ||
            !sizes_after(generation, 0, &s) || spec_load(&m, s.name, NULL, 0, &err) != 0)
            continue;
        uint64_t capacity = spec_usable(m);
        bool found =
            m->kind == w->kind && capacity >= w->bytes && (!w->same || capacity == w->same);
        spec_free(m);
        while (found && s.devices < w->cores)
            found = sizes_after(generation, s.number, &s);
        if (found &&
            (!any || capacity < *bytes || (capacity == *bytes && s.devices < best->devices))) {
            *bytes = capacity;
            *best = s;
            any = true;
        }
    }
    return any;
}

static void suggest_shards(const struct job *j, struct run_result *r, uint64_t fixed,
                           uint64_t free_bytes, const char *what)
{
    uint64_t room = r->capacity_bytes_per_core - fixed, k = 2, bytes;
    char text[160];

    while (largest_part(free_bytes, k) > room)
        k *= 2;
    int n = snprintf(text, sizeof text, "shard %s over %" PRIu64 " %ss", what, k,
                     words_of_result(r)->core);
    if (k > r->cores) {
        struct wish wish = { .kind = j->spec->kind,
                             .cores = k,
                             .same = r->capacity_bytes_per_core };
        struct sizes_slice slice;
        if (find_slice(&wish, &slice, &bytes))
            snprintf(text + n, sizeof text - (size_t)n, " of a %s", slice.name);
        else
            snprintf(text + n, sizeof text - (size_t)n, "; this machine has %" PRIu32, r->cores);
    }
    add_estimate(r, fixed + largest_part(free_bytes, k), text, RUN_REMEDY_SHARD, k);
}

static void smaller_batch(struct run_result *r, uint64_t samples)
{
    uint64_t free_bytes = r->memory.total - r->memory.persistent, batch = samples;
    uint64_t fixed = r->memory.persistent, peak;
    char text[160];

    if (fixed >= r->capacity_bytes_per_core)
        return;
    do {
        batch--;
        peak = fixed + largest_part(free_bytes, samples) * batch;
    } while (batch && peak > r->capacity_bytes_per_core);
    if (batch == 0)
        return;
    snprintf(text, sizeof text,
             "use a batch of about %" PRIu64 " instead of %" PRIu64
             " samples a %s (`batch` finds it)",
             batch, samples, words_of_result(r)->core);
    add_estimate(r, peak, text, RUN_REMEDY_BATCH, batch);
}

static void smallest_machine(const struct job *j, struct run_result *r)
{
    struct run_slice *s = &r->smallest;
    char text[192];

    if (!smallest_slice_find(j, s))
        return;
    const struct words *w = words_of_chip(s->chip);
    bool alone = s->chips == 1 && strcmp(w->core, w->device) == 0;
    plain_text(text, sizeof text,
               "use %s, the smallest %s machine that holds it: %" PRIu32 " %s%s with %.4g GiB%s%s",
               s->machine, w->chip, s->chips, w->device, s->chips == 1 ? "" : "s",
               (double)s->capacity / (1 << 30), alone ? "" : " a ", alone ? "" : w->core);
    add_remedy(r, s->peak, text);
    r->remedies[r->n_remedies - 1].fits = true;
}

/* A compiled program runs on no other generation; suggest the one to compile it for. */
static void larger_memory(const struct job *j, struct run_result *r)
{
    struct wish wish = { .kind = j->spec->kind, .cores = r->cores, .bytes = r->memory.total };
    struct sizes_slice slice;
    uint64_t bytes;
    char text[192];

    if (!find_slice(&wish, &slice, &bytes))
        return;
    snprintf(text, sizeof text, "compile it for %s, with %.4g GiB a %s; if it takes as much there",
             slice.name, (double)bytes / (1 << 30), words_of_result(r)->core);
    add_remedy(r, r->memory.total, text);
    r->remedies[r->n_remedies - 1].fits = true;
}

bool memory_fits(const struct job *j)
{
    return j->memory.total <= spec_usable(j->spec);
}

/* True if a and b differ by one part in RUN_PEAK_NEAR of b at most. */
static bool are_near(uint64_t a, uint64_t b)
{
    uint64_t more = a > b ? a - b : b - a;

    return more <= b / RUN_PEAK_NEAR;
}

static void compare_peaks(struct run_compiler_peak *p, const struct footprint *m,
                          const struct trace_program *program)
{
    uint64_t stated = program->peak;

    *p = (struct run_compiler_peak){ .stated = stated,
                                     .counted = footprint_by_xla(m, program->gpu) };
    p->agrees = are_near(p->counted, stated);
}

/* Collect who owns the bytes at the peak, the peak as the compiler reports it, and what lies in
 * memories on the chip.  Only another compilation changes either. */
static void collect_program(const struct job *j, struct run_result *r)
{
    const struct footprint *m = &j->memory;

    memory_owner_copy(&r->owners, &j->owners);
    if (!j->compiled)
        return;
    compare_peaks(&r->compiler_peak, m, &trace_head(j->trace)->program);
    r->vmem = (struct run_on_chip){ m->elsewhere[TRACE_IN_VMEM], j->spec->vmem.capacity };
    r->cmem = (struct run_on_chip){ m->elsewhere[TRACE_IN_CMEM], j->cap.cmem_bytes };
}

void memory_fit_collect(const struct job *j, struct run_result *r)
{
    uint64_t samples = trace_head(j->trace)->samples_per_step;

    r->memory = j->memory;
    r->peak_bytes_per_core = j->memory.total;
    r->capacity_bytes_per_core = spec_usable(j->spec);
    r->fits = r->peak_bytes_per_core <= r->capacity_bytes_per_core;
    r->fit_switch =
        (struct run_fit_switch){ .set = j->cap.xla.narrow_activations
                                            ? "xla.narrow_activations=no"
                                            : "xla.narrow_activations=yes",
                                 .peak = j->switched.total,
                                 .known = j->switched.total != 0,
                                 .fits = j->switched.total <= r->capacity_bytes_per_core };
    r->peak_at = memory_copy(j->peak_at);
    r->peak_stage = j->peak_stage;
    for (uint32_t k = 0; k < r->n_stages; k++)
        r->stage[k].peak_bytes = j->stage_peak[k];
    collect_program(j, r);
    if (r->fits)
        return;
    for (int i = 0; i < JOB_N_CHANGES && !j->compiled; i++)
        if (j->changed[i].total < r->memory.total)
            add_estimate(r, j->changed[i].total, change_text[i],
                         i == 0 ? RUN_REMEDY_REMAT : RUN_REMEDY_OTHER, 0);
    if (r->memory.persistent < r->capacity_bytes_per_core)
        suggest_shards(j, r, r->memory.persistent, r->memory.total - r->memory.persistent,
                       "activations, gradients and inputs");
    else
        suggest_shards(j, r, 0, r->memory.total,
                       "everything, weights and optimizer state included,");
    if (samples > 1)
        smaller_batch(r, samples);
    smallest_machine(j, r);
    if (j->compiled && !r->smallest.chips)
        larger_memory(j, r);
}

int run_lower(const struct run_request *q, struct run_memory *m, struct err *err)
{
    struct job j;

    if (job_open(&j, q, err) != 0)
        return -1;
    *m = (struct run_memory){ .peak = j.memory, .capacity = spec_usable(j.spec) };
    job_close(&j);
    return 0;
}
