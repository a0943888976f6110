/* bundle.h - the instruction words of a core (bundles): how many a grid step needs.
 *
 * A core issues one bundle a cycle.  A grid step is a program of bundles, in which each operation
 * takes a slot of its kind, so the step takes at least
 *
 *     bundles = max over kinds of ceil(slots of the kind / slots of it in a bundle)
 *
 * cycles.  ALU slots are counted by the vector unit (hw/core/vpu.h); the slot of the XLU is busy as
 * long as the XLU.  Load and store slots are the ports of VMEM: one register a cycle each way. */
#ifndef TASK_BUNDLE_H
#define TASK_BUNDLE_H

#include "base/param.h"
#include "task/task.h"

/* clang-format off */
#define BUNDLE_PARAMS(P)                                                                           \
    P(U32, scalar, "slots", "2", "1", "64", "scalar operations in a bundle [norrie-2021]")         \
    P(U32, load,   "slots", "1", "1", "64", "registers loaded from VMEM in a bundle [norrie-2021]") \
    P(U32, store,  "slots", "1", "1", "64", "registers stored to VMEM in a bundle [norrie-2021]")  \
    P(U32, push,   "slots", "1", "1", "64", "registers pushed into matrix units in a bundle, operands or weights [norrie-2021]") \
    P(U32, pop,    "slots", "1", "1", "64", "registers popped from matrix units in a bundle [norrie-2021]") \
    P(PPB, issue, "ratio", "1", "0.1", "1",                                                        \
      "share of cycles in which a vector loop issues its loads and stores [unverified]") \
    P(U32, row_scalars, "", "4", "0", "1024",                                                      \
      "scalar operations for a row moved by its index [unverified]") \
    P(U32, add_latency, "cycle", "2", "1", "64",                                                    \
      "from an addition to one that needs its result [calibrated: tpu_v4_ops]") \
    P(U32, sum_cycles, "cycle", "0", "0", "1024",                                                  \
      "of each register of sums in a grid step [unverified]") \
    P(U32, row_store, "cycle", "0", "0", "1024",                                                   \
      "at least, from one store of a row to the next, where rows are stored one by one [unverified]")
/* clang-format on */

struct bundle_params {
    BUNDLE_PARAMS(PARAM_FIELD)
};
extern const struct param_table bundle_param_table;

/* Slots that a grid step takes, by kind. */
struct bundle_need {
    uint64_t scalar, load, store, push, pop;
};

/* A matrix unit of size x size elements, and the vector registers that feed it. */
struct bundle_shape {
    uint32_t size, lanes, sublanes;
    bool sums; /* it adds up partial sums: results are popped once for all of k */
    uint32_t streamed, stationary; /* bytes of an element of either operand, 1 to 4 */
    struct array_mode mode;        /* of the product */
    uint32_t elements; /* of a register, which holds several tiles of lanes x sublanes if it has
                          more of them */
};

/* Add the slots of one matrix unit's share of a step: each pass loads and pushes the registers of
 * its rows and weights, and pops those of its results. */
void bundle_gemm(struct bundle_need *n, const struct task_gemm *g, const struct bundle_shape *s);
/* Add the other slots of a step: its loads and stores, each divided by `issue`, and scalar
 * operations for rows by index. */
void bundle_step(struct bundle_need *n, const struct task_grid_step *s,
                 const struct bundle_params *par);
/* Bundles that hold all of `n`. */
uint64_t bundle_count(const struct bundle_need *n, const struct bundle_params *par);

#endif
