/* The only file that names every shortcut. */
#include "machine/folds.h"

struct machine_folds machine_folds(bool exact)
{
    struct machine_folds folds = { 0 };

#ifdef EXACT_ONLY /* this program is linked without them */
    exact = true;
#else
    if (!exact) {
        folds.lane = lane_fold;
        folds.hbm = &hbm_fold;
        folds.mxu = mxu_fold;
        folds.memory = hbm_memory_fold;
        folds.memory_skip = hbm_run_skip;
        folds.alike = alike_fold;
        folds.message = network_alone;
        folds.step = kernel_runner_fold;
        folds.kernel = kernel_client_fold;
        folds.mxu_serve = mxu_serve;
        folds.unit_serve = core_unit_serve;
        folds.cmem_serve = cmem_serve;
    }
#endif
    (void)exact;
    return folds;
}
