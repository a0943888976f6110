/* The shortcut of mxu.c: nothing can hold up a command once it streams, so its end is known at its
 * start. */
#include "hw/mxu.h"

uint64_t mxu_fold(const struct mxu_params *par, const struct unit_gemm *cmd)
{
    return task_stream_cycles(&cmd->gemm, par->row_granule, par->size,
                              par->size / par->weight_rows_per_cycle) +
           (cmd->drain ? 2 * (uint64_t)par->size - 1 : 0);
}
