/* lowering.h - a step being lowered: what the files that make its tasks share; private to kernels.
 */
#ifndef KERNELS_COMMON_LOWERING_H
#define KERNELS_COMMON_LOWERING_H

#include "kernels/common/gpu_cache.h"
#include "kernels/common/lower_overlap.h"
#include "kernels/common/work.h"

#define LOWER_MAX_VALUE_BYTES (UINT64_C(1) << 50) /* of a value that is sent or copied */

struct lowering {
    struct task_program *p;
    const struct step *step;
    const struct cap *cap;
    const char *file;
    struct err *err;
    uint32_t cap_tasks, cap_calls;
    uint64_t stage;         /* of the node at hand, or TRACE_NO_STAGE */
    uint32_t peers;         /* cores that run it */
    uint32_t *task_of;      /* node -> its first task */
    bool *seen;             /* values already counted as traffic of the kernel at hand */
    enum place *resident;   /* values that stay on chip in it */
    struct gpu_cache cache; /* of a GPU */
    uint64_t dispatch;      /* of the node at hand: hundredths of a launch, as stated, or 0 */
    struct overlap overlap; /* all-reduces that begin before the operation that waits for them */
    bool *goes_on;          /* [ref] a weight that is updated in shares again before it is needed */
};

/* Append a task, or a call of a collective; valid until the next one is. */
struct task *lowering_task(struct lowering *l, enum task_kind kind, uint32_t row);
struct task_call *lowering_call(struct lowering *l);
/* An operation or a fusion on a TensorCore, as one kernel (lower_tiled.c); refuse what no unit of
 * it computes in. */
int lower_tiled(struct lowering *l, const struct step_node *n, uint32_t row);
int lower_check(struct lowering *l, const struct step_node *n);
/* A kernel that copies the table of `w` into rows of whole lanes, or back (lower_tiled.c). */
void lowering_turn(struct lowering *l, uint32_t row, const struct work *w, bool back);
/* ERR_FIT: "file:line: kind 'name': ..."; returns -1. */
int lowering_refuse(struct lowering *l, const struct step_node *n, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Append a call of collective `op` for `bytes` in so many operands, of which `element` bytes are
 * added at a time. */
int lower_call(struct lowering *l, const struct step_node *n, const struct step_op *op,
               uint32_t operands, uint64_t bytes, uint32_t element);
enum task_async lowering_async(enum trace_async a);
/* The task that started what `op` waits for: its handle was defined by that node. */
uint32_t lowering_start(const struct lowering *l, const struct step_op *op);

/* A send from one stage to another, or the wait for it (lower_send.c). */
int lower_send(struct lowering *l, const struct step_node *n, const struct step_op *op,
               uint32_t row);

/* The work of a CPU (lower_host.c): bytes that `op` reads from storage, and the time it computes.
 */
int lower_cpu(struct lowering *l, const struct step_node *n, const struct step_op *op,
              struct task_work *w);
/* An operation that a CPU does: its operands go there, its results come back. */
int lower_host(struct lowering *l, const struct step_node *n, const struct step_op *op,
               struct task_work *w);

/* A kernel of a compiled program, or the start or end of one; a copy in the background
 * (lower_compiled.c). */
int lower_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                   uint32_t row);
int lower_background(struct lowering *l, const struct step_op *op, uint32_t row);

/* Collectives (lower_collective.c): `op` as calls of one task. */
int lower_collective(struct lowering *l, const struct step_node *n, const struct step_op *op,
                     uint32_t row);
/* Fill in l->goes_on.  O(references). */
void lower_find_gathers(struct lowering *l);
/* An optimizer that updated its share of the weights: all gather those that do not go on. */
int lower_gather_weights(struct lowering *l, const struct step_node *n, const struct step_op *op,
                         uint32_t row);

#endif
