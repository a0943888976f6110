/* footprint.h - pass: bytes of HBM that a step takes on a core, by what they are for.
 *
 *     peak = max over nodes i of  sum over values v alive at i of bytes(v)  +  workspace(i)
 *
 * Which values are alive at a node: liveness.h.  What stays inside a fusion has no bytes.  bytes(v)
 * are whole tiles of its elements as they are kept (step/tiling.h), on every machine: a padded
 * buffer is what the compiler allocates, also where traffic is counted without padding.  Where the
 * trace states a layout, bytes(v) are those of the layout, rounded up to 512: XLA places buffers in
 * HBM at multiples of that; elsewhere to the multiple of the framework's allocator.  The peaks of
 * 62 programs for TPU v2 to v7 are those that it reports within 0.05 %, of one within 0.2 % and of
 * four that take 1.5 MB at most within 0.14 % (jax 0.10.2).  Only values in HBM count; those in
 * other memories are added up for each.
 *
 * The peak that XLA reports is another sum: arguments and results, those in the memory of a host
 * too, and the largest peak of temporaries in any one memory, the host's included.  Where the most
 * of these lie on chip, as in inference of one sequence, it exceeds the bytes of HBM.
 * footprint_by_xla() adds up the same: of 8 such programs, GPT-2 for TPU v4 and v6e, it is what XLA
 * reports to the byte, of 17 with arrays on a host within 1 kB.
 *
 * Where P replicas keep a share each of a value of n elements, a share is a row of ceil(n / P)
 * elements.  A state that only sharded optimizers use is shared for the whole run. */
#ifndef PASSES_FOOTPRINT_H
#define PASSES_FOOTPRINT_H

#include "step/step.h"
#include "step/tiling.h"

/* clang-format off */
/*    enum         text           the bytes are those of ... */
#define FOOTPRINT_ROLES(R)                                                                            \
    R(WEIGHTS,     weights,     "tensors that are trained")                                        \
    R(OPTIMIZER,   optimizer,   "state of the optimizer and running averages")                     \
    R(CONSTANTS,   constants,   "tensors that are never written")                                  \
    R(INPUTS,      inputs,      "batches: results of infeed, and inputs that stay on the device")  \
    R(ACTIVATIONS, activations, "other results")                                                   \
    R(GRADIENTS,   gradients,   "results marked as gradients")                                     \
    R(WORKSPACE,   workspace,   "what a kernel needs while it runs: operands laid out anew")                                                                           \
    R(PROCESS,     process,     "what a process holds besides tensors: its context, what libraries keep")
/* clang-format on */
enum footprint_role {
#define R(id, text, doc) FOOTPRINT_##id,
    FOOTPRINT_ROLES(R)
#undef R
        N_FOOTPRINT_ROLES
};

struct footprint {
    uint64_t role[N_FOOTPRINT_ROLES]; /* bytes at the peak; their sum is `total` */
    uint64_t total;
    uint64_t persistent; /* of it, in tensors that live for the whole run */
    uint64_t padding;    /* of it, in tiles beyond the elements */
    uint64_t named;      /* the most that values take at any node, without workspace */
    uint32_t at;         /* node where it peaks; the earliest */
    uint64_t returned;   /* of it, in results of a compiled program that last as long */
    uint64_t on_host;    /* besides it, in arguments and results that lie in the memory of a host */
    uint64_t host_temporaries; /* the peak of the other values there */
    /* values that a compiled program keeps in other memory: the peak of each memory space, each at
     * a node of its own; [TRACE_IN_HBM] is 0 */
    uint64_t elsewhere[TRACE_N_SPACES];
};

/* A buffer in HBM that is alive at the peak. */
struct footprint_buffer {
    uint32_t value; /* whose place it is */
    uint32_t holds; /* what was last made in it until then of all whose source is known */
    uint32_t from;  /* what that is a copy of, copies of copies included; it has the source */
    uint64_t bytes;
    enum footprint_role role;
};

/* The core that is accounted for: tiles of an array, cores that run the step. */
struct footprint_core {
    struct tiling tiling;
    uint32_t replicas;
    uint64_t process; /* bytes that its process holds besides tensors, the whole run */
    uint64_t granule; /* to which its allocator rounds a tensor up; 0: it does not */
};

/* A change of the step, tried to see the peak that it would have. */
struct footprint_change {
    bool bf16; /* f32 activations and gradients kept in bf16 */
    /* all activations that no other phase reads before the first gradient are given up after the
     * forward pass, and computed again with the gradients of their phase */
    bool remat;
};

/* The role that the bytes of a value have. */
enum footprint_role footprint_role_of(const struct step *step, uint32_t value);

/* The peak of the step, with all of every state; `workspace` has bytes of each node, or is NULL.
 * Where `live` is not NULL, it gets the bytes alive at each node, workspace included.
 * Cost: O(values + nodes). */
void footprint_peak(struct footprint *m, const struct step *step, const struct footprint_core *core,
                    const uint64_t *workspace, const struct footprint_change *change,
                    uint64_t *live);

/* The peak of the cores of one stage of a pipeline: of the values that are there, at the nodes that
 * they run; `live` gets those alone.  TRACE_NO_STAGE: of all. */
void footprint_of_stage(struct footprint *m, const struct step *step,
                        const struct footprint_core *core, uint64_t stage,
                        const uint64_t *workspace, const struct footprint_change *change,
                        uint64_t *live);

/* The buffers alive at the peak `m` of a stage, in the order of values, *n of them, for free().
 * Their bytes add up to those of all roles but WORKSPACE and PROCESS.  Cost: as that of the peak.
 */
struct footprint_buffer *footprint_buffers(const struct footprint *m, const struct step *step,
                                           const struct footprint_core *core, uint64_t stage,
                                           size_t *n);

/* The peak of a compiled program as XLA counts it: above.  `gpu`: what libraries work in is a value
 * of the program. */
uint64_t footprint_by_xla(const struct footprint *m, bool gpu);

/* Bytes that sharing of state among replicas saves: the same for every step, and known when all
 * steps have been read into `step`.  Cost: O(values). */
struct footprint_less {
    uint64_t bytes, elements; /* elements: bytes of those alone */
};
struct footprint_less footprint_shares(const struct step *step, const struct footprint_core *core);
void footprint_lessen(struct footprint *m, const struct footprint_less *less);

#endif
