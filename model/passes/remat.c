#include "passes/remat.h"

#include <string.h>

#include "base/memory.h"
#include "base/param.h"
#include "passes/remat_impl.h"

/* --- the plan ------------------------------------------------------------------------------- */

/* --- the pass ------------------------------------------------------------------------------- */

/* --- the trace ------------------------------------------------------------------------------ */

int remat_write(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err)
{
    bool some;

    if (plan->cut == REMAT_BEST)
        return remat_pick(t, plan, out, err);
    int rc = remat_write_way(t, plan, out, &some, err);
    if (rc == 0 && !some)
        rc = err_set(err, ERR_FIT,
                     "%s: nothing that gradients read is given up; try fewer segments or "
                     "keep=none",
                     trace_file(t));
    return rc;
}
