/* memory.h - bytes of HBM that a step takes on a core, by what they are for.
 *
 *     peak = max over operations i of  sum over values v alive at i of bytes(v)  +  workspace(i)
 *
 * A value is alive from its operation to its last use; persistent tensors always are.  What stays
 * inside a fusion has no bytes, nor has the result of an update in place, whose operand lives on.
 * bytes(v) are whole tiles of its elements as they are kept (layout.h), on every machine: a padded
 * buffer is what the compiler allocates, also where traffic is counted without padding.
 *
 * A share of a value of n elements, of which each of P replicas keeps one, is a row of ceil(n / P)
 * elements.  What a sharded all-reduce has summed is a share from the node behind it on, and so is
 * what it returns; a state that sharded optimizers alone use is one for the whole run. */
#ifndef KERNELS_MEMORY_H
#define KERNELS_MEMORY_H

#include "kernels/cap.h"
#include "step/step.h"

/* clang-format off */
/*    enum         text           the bytes are those of ... */
#define MEMORY_ROLES(R)                                                                            \
    R(WEIGHTS,     weights,     "tensors that are trained")                                        \
    R(OPTIMIZER,   optimizer,   "state of the optimizer and running averages")                     \
    R(CONSTANTS,   constants,   "tensors that are never written")                                  \
    R(INPUTS,      inputs,      "batches: results of infeed, and inputs that stay on the device")  \
    R(ACTIVATIONS, activations, "other results")                                                   \
    R(GRADIENTS,   gradients,   "results marked as gradients")                                     \
    R(WORKSPACE,   workspace,   "what a kernel needs while it runs: operands laid out anew")
/* clang-format on */
enum memory_role {
#define R(id, text, doc) MEMORY_##id,
    MEMORY_ROLES(R)
#undef R
        N_MEMORY_ROLES
};

struct memory {
    uint64_t role[N_MEMORY_ROLES]; /* bytes at the peak; their sum is `total` */
    uint64_t total;
    uint64_t persistent; /* of it, in tensors that live for the whole run */
    uint64_t padding;    /* of it, in tiles beyond the elements */
    uint32_t at;         /* node where it peaks; the earliest */
};

/* What might be: */
struct memory_change {
    bool bf16; /* f32 activations and gradients kept in bf16 */
    /* activations given up after the forward pass and worked out again when the gradients of their
     * phase are: all that no other phase reads before the first gradient */
    bool remat;
};

/* The peak of the step in `g`, with all of every state; `workspace` has bytes of each node, or is
 * NULL.  Where `live` is not NULL, it gets those alive at each node, workspace included.  O(values
 * + nodes). */
void memory_peak(struct memory *m, const struct step *step, const struct cap *cap,
                 const uint64_t *workspace, const struct memory_change *change, uint64_t *live);

/* The same of the cores of one stage of a pipeline: of the values that are there, at the nodes that
 * they run; `live` gets those alone.  TRACE_NO_STAGE: of all. */
void memory_of_stage(struct memory *m, const struct step *step, const struct cap *cap,
                     uint64_t stage, const uint64_t *workspace, const struct memory_change *change,
                     uint64_t *live);

/* What state takes less because replicas keep shares of it: of every step the same, and known when
 * all steps have been read into `g`.  O(values). */
struct memory_less {
    uint64_t bytes, elements; /* elements: bytes of those alone */
};
struct memory_less memory_shares(const struct step *step, const struct cap *cap);
void memory_lessen(struct memory *m, const struct memory_less *less);

#endif
