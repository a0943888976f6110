#include "run/memory/memory_program.h"

#include "run/result/memory_owner.h"

/* True if a and b differ by one part in RUN_PEAK_NEAR of b at most. */
static bool are_near(uint64_t a, uint64_t b)
{
    uint64_t more = a > b ? a - b : b - a;

    return more <= b / RUN_PEAK_NEAR;
}

static void compare_peaks(struct run_compiler_peak *p, const struct footprint *m, uint64_t stated)
{
    *p = (struct run_compiler_peak){ .stated = stated, .counted = footprint_by_xla(m) };
    p->agrees = are_near(p->counted, stated);
}

void memory_program_collect(const struct job *j, struct run_result *r)
{
    const struct footprint *m = &j->memory;

    memory_owner_copy(&r->owners, &j->owners);
    if (!j->compiled)
        return;
    compare_peaks(&r->compiler_peak, m, trace_head(j->trace)->program.peak);
    r->vmem = (struct run_on_chip){ m->elsewhere[TRACE_IN_VMEM], j->spec->vmem.capacity };
    r->cmem = (struct run_on_chip){ m->elsewhere[TRACE_IN_CMEM], j->cap.cmem_bytes };
}
