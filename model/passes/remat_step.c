/* A step that computes values again in its backward pass. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/param.h"
#include "passes/remat.h"
#include "passes/remat_impl.h"

static void note_provenance(struct trace_header *h, const struct remat_plan *plan)
{
    size_t n = strlen(h->provenance), size = sizeof h->provenance - n;
    const char *keep = plan->products ? "products" : "none", *and = n ? "; " : "";

    if (plan->cut == REMAT_PHASES)
        snprintf(h->provenance + n, size, "%srematerialised: segments=phases keep=%s", and, keep);
    else
        snprintf(h->provenance + n, size, "%srematerialised: segments=%" PRIu32 " keep=%s", and,
                 plan->segments, keep);
}

/* A step with the phase that this pass adds cannot be cut again. */
static int check_phases(const struct step *step, struct err *err)
{
    for (uint32_t i = 1; i < step->n_phases; i++)
        if (strcmp(step_text(step, step->phase[i].name), REMAT_PHASE) == 0)
            return err_set(err, ERR_FIT,
                           "%s:%" PRIu32 ": a step with a phase " REMAT_PHASE
                           " was rematerialised already",
                           step->file, step->phase[i].line);
    return 0;
}

int remat_step(struct step *to, const struct step *from, const struct remat_plan *plan, bool *some,
               struct err *err)
{
    struct remat r = { .step = from };

    if (step_refuse_compiled(from,
                             "has its rematerialisation already; change it in the framework "
                             "(jax.checkpoint) and compile it again",
                             err) != 0 ||
        check_phases(from, err) != 0)
        return -1;
    r.value = memory_zeroed(from->n_values, sizeof *r.value);
    r.op = memory_zeroed(from->n_ops, sizeof *r.op);
    r.node = memory_zeroed(from->n_nodes, sizeof *r.node);
    remat_classify(&r);
    remat_cut(&r, plan);
    *some |= remat_decide(&r, plan);
    remat_build(&r, to);
    note_provenance(&to->head, plan);
    free(r.value);
    free(r.op);
    free(r.node);
    free(r.write);
    return 0;
}
