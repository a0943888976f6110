/* kernel_runner.h - runs a kernel: its grid steps on the units of the core, one after the other.
 *
 *                           +--> mxu[i], vpu, xlu --+
 *      kernel >--[ tiles ]--+--> cmem --------------+--> finished
 *                           +--> dma (HBM) ---------+
 *
 * A grid step costs `step_overhead`, less the start of transfers that it does not have.  Its tile
 * is read one grid step ahead, its result written behind (hw/core/kernel_tiles.h), so
 *
 *     compute(i) starts when  compute(i-1) is done, read(i) is done, write(i-2) is done
 *
 * The units of a grid step run side by side; it ends with the last of them, and not before its last
 * bundle is issued (task/bundle.h). */
#ifndef HW_CORE_KERNEL_RUNNER_H
#define HW_CORE_KERNEL_RUNNER_H

#include "hw/core/dma.h"
#include "hw/core/kernel_memo.h"
#include "hw/core/kernel_tiles.h"
#include "hw/core/vmem.h"
#include "hw/program/core_context.h"
#include "hw/wires/mem_client.h"
#include "hw/wires/msg_unit.h"
#include "task/bundle.h"

/* Properties of the units that a grid step depends on. */
struct kernel_units {
    uint32_t mxu_count, mxu_size, mxu_row_granule;
    uint64_t dma_latency;     /* of the first read and the last write, fs */
    uint32_t dma_issue;       /* core cycles */
    bool cmem;                /* the chip has a common memory */
    bool sparse;              /* the core has SparseCores */
    bool mxu_sums;            /* the matrix units add up partial sums */
    uint32_t lanes, sublanes; /* of a tile of an array */
    uint32_t register_elements;
    uint64_t mxu_hz;
};

/* The share of the matrix units in a block, kept for all blocks of its shape. */
struct kernel_share {
    struct task_gemm block; /* b of 0: not worked out yet */
    struct task_gemm part[KERNEL_MAX_MXUS];
    struct bundle_need need; /* of all parts */
};

/* Functions that serve the units without their wires; all or none. */
struct kernel_serve {
    struct unit_serve mxu[KERNEL_MAX_MXUS], vpu, xlu;
    struct unit_serve cmem; /* of a core that has the common memory for itself */
};

struct kernel_runner;
/* The shortcut of a grid step whose tile is there at `now` (kernel_runner_fold.c): everything up to
 * its last bundle is booked.  `*late`: what follows comes a delta later than the timer, as on the
 * wires, where the grid step ends with a unit's answer.  Returns the time left, fs; 0 when there is
 * no shortcut: somebody watches, operands stream from a common memory that others use too, or
 * control takes no time. */
typedef des_time kernel_fold_fn(struct des *sim, struct kernel_runner *k, des_time now, bool *late);
kernel_fold_fn kernel_runner_fold;

/* The shortcut of a whole kernel (kernel_client_fold.c), which the memory runs: `over` is notified
 * when all its transfers are back.  False, with nothing done: there is no shortcut. */
typedef bool kernel_join_fn(struct des *sim, struct kernel_runner *k);
kernel_join_fn kernel_client_fold;

struct kernel_runner {
    struct core_context *core;
    struct bundle_params bundle;
    struct kernel_units units;
    uint64_t step_overhead; /* core cycles, without the start of transfers */

    struct des_out mxu[KERNEL_MAX_MXUS];     /* struct unit_gemm */
    struct des_out vpu, xlu;                 /* struct unit_vector, unit_lanes */
    struct des_out cmem;                     /* struct unit_feed; of a core with a common memory */
    struct des_in mxu_done[KERNEL_MAX_MXUS]; /* struct unit_done */
    struct des_in vpu_done, xlu_done, cmem_done;
    kernel_fold_fn *fold;      /* NULL: every grid step goes over the wires */
    struct kernel_serve serve; /* for the fold */
    kernel_join_fn *join;      /* NULL: grid step by grid step */
    struct dma *dma;           /* of the core, for `join` */
    bool launched;             /* for `join`: a launch takes time, so no wire of the core is busy */
    struct mem_client memory;  /* of the core at its HBM; no memory: it cannot join */
    struct des_event over;     /* the kernel that joined is */
    struct vmem *vmem;         /* of the core; NULL: nobody counts what is held */

    struct kernel_tiles tiles;
    uint64_t i;            /* grid step at work */
    des_time at;           /* of a kernel that joined: when it asks for transfers */
    struct task_walk walk; /* its work */
    struct kernel_share share[TASK_WALK_SHAPES];
    struct des_call step, grid;
    uint64_t issued;           /* cycle in which its last bundle is issued */
    uint32_t pending;          /* units at work on it */
    enum cause last;           /* the unit that was done last */
    struct kernel_memos memos; /* for the shortcut */
    des_time left;             /* of a grid step that takes the shortcut */
    bool late;
};

/* Ports in the core's module, which wake its thread.  `step_overhead`: core cycles, the start of
 * two transfers included. */
void kernel_runner_init(struct kernel_runner *k, struct des *sim, struct core_context *core,
                        const struct bundle_params *bundle, const struct kernel_units *units,
                        uint32_t step_overhead);
des_thread kernel_runner_run; /* TASK_KERNEL */
/* Core cycles that the grid steps of a kernel take at least, from number `passed` on. */
uint64_t kernel_runner_least(const struct kernel_runner *k, const struct task_kernel *t,
                             uint64_t passed);

/* --- for kernel_runner_fold.c --------------------------------------------------------------- */

/* Core cycles of control of the grid step at hand: less for each transfer it does not start. */
uint64_t kernel_runner_control(struct kernel_runner *k);
/* The share of the matrix units in the block at hand. */
const struct kernel_share *kernel_runner_share(struct kernel_runner *k);
/* Bundles of the grid step at hand, whose share is worked out. */
uint64_t kernel_runner_bundles(const struct kernel_runner *k);
bool kernel_runner_has_vector_work(const struct task_grid_step *w);
/* The command for matrix unit i, of its part. */
static inline struct unit_gemm kernel_runner_command(const struct kernel_runner *k,
                                                     const struct task_gemm *part)
{
    const struct task_kernel *t = k->walk.kernel;

    return (struct unit_gemm){ *part, k->i + 1 == t->grid_steps, t->mode };
}

#endif
