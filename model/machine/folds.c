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
        folds.mxu_serve =
            (struct unit_serve){ .serve = mxu_serve, .rest = mxu_rest, .repeat = mxu_repeat };
        folds.unit_serve = (struct unit_serve){ .serve = core_unit_serve,
                                                .cycles = core_unit_cycles,
                                                .pass = core_unit_pass };
        folds.cmem_serve = (struct unit_serve){ .serve = cmem_serve };
    }
#endif
    (void)exact;
    return folds;
}
