/* lower.h - operations to tasks: pure functions of (operation, capabilities).
 *
 * The loop nest of every kernel:
 *     for each grid step:  HBM -> VMEM tile   MXU | VPU | XLU on it   VMEM -> HBM tile
 * How the work is cut: tile.c for streams, tile_product.c for matrix products. */
#ifndef KERNELS_LOWER_H
#define KERNELS_LOWER_H

#include "base/err.h"
#include "kernels/common/cap.h"
#include "step/step.h"
#include "task/task.h"

/* Lower a whole step.  `p` is filled and owned by the caller (lower_free).  Task rows count
 * top-level operations in order of the step's STEP_OP nodes. Errors: ERR_FIT with file:line when
 * an operation cannot run on this machine. */
int lower_step(struct task_program *p, const struct step *step, const struct cap *cap,
               const char *file, struct err *err);
void lower_free(struct task_program *p);

#endif
