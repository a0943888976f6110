/* bundle.h - the instruction words of a core: what one of them can hold.
 *
 * A core issues a bundle a cycle.  A grid step is a program of them, in which each operation takes
 * a slot of its kind, so it cannot be shorter than
 *
 *     bundles = max over kinds of ceil(slots of the kind / slots of it in a bundle)
 *
 * The ALU slots are the vector unit's (hw/core/vpu.h), that of the XLU is busy as long as the XLU.
 * Load and store slots are the ports of VMEM: a register a cycle each way. */
#ifndef HW_CORE_BUNDLE_H
#define HW_CORE_BUNDLE_H

#include "base/param.h"
#include "task/task.h"

/* clang-format off */
#define BUNDLE_PARAMS(P)                                                                           \
    P(U32, scalar, "slots", "2", "1", "64", "scalar operations in a bundle [norrie-2021]")         \
    P(U32, load,   "slots", "1", "1", "64", "registers loaded from VMEM in a bundle [norrie-2021]") \
    P(U32, store,  "slots", "1", "1", "64", "registers stored to VMEM in a bundle [norrie-2021]")  \
    P(U32, push,   "slots", "1", "1", "64", "registers pushed into matrix units in a bundle, operands or weights [norrie-2021]") \
    P(U32, pop,    "slots", "1", "1", "64", "registers popped from matrix units in a bundle [norrie-2021]") \
    P(U32, row_scalars, "", "4", "0", "1024",                                                      \
      "scalar operations for a row moved by its index: load the index, address, bound, start [unverified]")
/* clang-format on */

struct bundle_params {
    BUNDLE_PARAMS(PARAM_FIELD)
};
extern const struct param_table bundle_param_table;

/* Slots taken, of each kind. */
struct bundle_need {
    uint64_t scalar, load, store, push, pop;
};

/* A matrix unit of size x size and the registers it is fed from. */
struct bundle_shape {
    uint32_t size, lanes, sublanes;
    bool sums;                     /* results are popped once for all of k */
    uint32_t streamed, stationary; /* bytes of an element of either operand, 1 to 4 */
    uint32_t more_passes;          /* after the first, for all of it */
};

/* Add what one matrix unit's part of a step takes: of each pass the registers of its rows and
 * weights are loaded and pushed, those of its results popped. */
void bundle_gemm(struct bundle_need *n, const struct task_gemm *g, const struct bundle_shape *s);
/* Add what else a step takes: its loads and stores, and the scalars of rows by index. */
void bundle_step(struct bundle_need *n, const struct task_grid_step *s,
                 const struct bundle_params *par);
/* Bundles that hold it all. */
uint64_t bundle_count(const struct bundle_need *n, const struct bundle_params *par);

#endif
