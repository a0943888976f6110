/* lower.h - operations to tasks: pure functions of (operation, capabilities).
 *
 * The loop nest of every kernel:
 *     for each grid step:  HBM -> VMEM tile   MXU | VPU | XLU on it   VMEM -> HBM tile
 * with the number of steps chosen to make the exposed first tile and the cost of the steps together
 * least: steps = sqrt(bytes / (HBM rate * step cost)), within what VMEM and the shape allow. */
#ifndef KERNELS_LOWER_H
#define KERNELS_LOWER_H

#include "base/err.h"
#include "kernels/cap.h"
#include "kernels/graph.h"
#include "kernels/task.h"

/* Lower a whole step.  `p` is filled and owned by the caller (lower_free).  Task rows count
 * top-level operations in order of the graph's GRAPH_OP nodes. Errors: ERR_FIT with file:line when
 * an operation cannot run on this machine. */
int lower_step(struct task_program *p, const struct graph *g, const struct cap *cap,
               const char *file, struct err *err);
void lower_free(struct task_program *p);

/* --- for the kernels themselves ----------------------------------------------------------- */

/* What an operation or a fusion asks for in all, before it is cut into grid steps. */
struct work {
    struct task_move in, out;           /* streamed once */
    uint64_t resident_in, resident_out; /* stay in VMEM over the whole grid */
    uint64_t vpu, xlu;
    struct task_gemm gemm;
    enum task_split grid; /* the GEMM dimension the grid cuts; without a GEMM the bytes are cut */
};

/* Cut `w` into grid steps: fills steps, body, last, resident_* and split of `t`. */
void tile(struct task *t, const struct work *w, const struct cap *cap);

/* One file per family; each adds what a member operation needs to `w`.  HBM traffic of operands
 * and results that cross the kernel's border is added by lower.c; gather, scatter and GEMMs then
 * move what they treat differently. */
void lower_gemm(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap);
void lower_vector(struct work *w, const struct graph *g, const struct graph_op *op,
                  const struct cap *cap);
void lower_sort(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap);
void lower_rows(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap);

#endif
