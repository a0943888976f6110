/* folds.h - which shortcuts this program has: all of *_fold.c, or none when built exact-only. */
#ifndef MACHINE_FOLDS_H
#define MACHINE_FOLDS_H

#include "hw/lane.h"
#include "hw/mxu.h"

struct machine_folds {
    lane_fold_fn *lane; /* NULL: walk */
    mxu_fold_fn *mxu;
};

/* The shortcuts to use: none when `exact`. */
struct machine_folds machine_folds(bool exact);

#endif
