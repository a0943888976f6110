/* Custom calls that say something of a value, and compute nothing. */
#include <string.h>

#include "import/hlo/program/import_half.h"
#include "import/hlo/program/import_peer.h"

/* Custom calls that say something of a value, or make two of one. */
static const char *const annotations[] = {
    "X64Combine",
    "X64SplitLow",
    "X64SplitHigh",
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "AssumeGatherIndicesInBound",
    "GatherScatterIndicesBitpacked",
    "LayoutConstraint",
    "annotate_device_placement",
    "MoveToHost",
    "MoveToDevice",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.LocalToGlobalShape",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.PropagationBarrier",
    "xla.sdy.ShardingGroup",
    "Identity",
    "BlockUntilReady",
    "inspect_sharding",
    "shape_assertion",
    "stop_gradient",
    "optimization_barrier",
};

bool import_is_annotation(const struct importing *im, const struct hlo_instruction *i)
{
    if (import_half_moves(im, i))
        return false;
    for (size_t k = 0; k < sizeof annotations / sizeof *annotations; k++)
        if (import_is_target(im, i, annotations[k]))
            return true;
    return false;
}
