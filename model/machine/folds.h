/* folds.h - the shortcuts of this program: all of *_fold.c, or none if it was built exact-only. */
#ifndef MACHINE_FOLDS_H
#define MACHINE_FOLDS_H

#include "hw/core/cmem.h"
#include "hw/core/core_unit.h"
#include "hw/core/kernel_runner.h"
#include "hw/core/mxu.h"
#include "hw/hbm/hbm.h"
#include "hw/hbm/hbm_memory.h"
#include "hw/noc/messages.h"
#include "hw/wires/lane.h"
#include "machine/images.h"
#include "machine/spec/spec.h"

/* Parts of a machine that are enough for a program: bits of enum images_part (machine_alike). */
typedef uint32_t alike_fold_fn(const struct machine_spec *spec, const struct task_program *program);
alike_fold_fn alike_fold;

struct machine_folds {
    lane_fold_fn *lane; /* each NULL: walk */
    const struct hbm_fold *hbm;
    mxu_fold_fn *mxu;
    hbm_fold_fn *memory;
    hbm_skip_fn *memory_skip;
    alike_fold_fn *alike;
    message_fold *message;
    kernel_fold_fn *step;
    kernel_join_fn *kernel;
    struct unit_serve mxu_serve, unit_serve, cmem_serve; /* of units, for `step` */
};

/* The shortcuts to use: none when `exact`. */
struct machine_folds machine_folds(bool exact);

#endif
