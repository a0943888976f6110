/* measured_kernel.h - kernels of a TPU v4 that were timed on hardware
 * (tests/validation/tpu_v4_*.csv, from SCALE-Sim): each becomes a trace of one operation, which is
 * lowered and run on a machine. */
#ifndef STUDY_MEASURED_KERNEL_H
#define STUDY_MEASURED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct machine_spec;

struct measured_kernel {
    char op[16];   /* "matmul", "add", "transpose" ... */
    uint64_t d[3]; /* of a matmul m, n, k; else the shape of the operand */
    double us;     /* measured microseconds */
    int on_chip;   /* reductions: quarters of the operand that were on chip before */
};

/* 0 for the half of the rows that parameters were fitted on, 1 for the half that is held out: a bit
 * of the FNV-1a hash of the row, so that the split needs no list. */
int measured_kernel_half(const struct measured_kernel *r);

/* Quarters of a reduction's operand that must have been on chip, because HBM at its peak could not
 * have delivered it in the measured time; 0 for other kernels. */
int measured_kernel_on_chip(const struct measured_kernel *r);

/* Femtoseconds of the operation on the machine.  0, with `err` filled in, if it cannot run. */
uint64_t measured_kernel_fs(const struct machine_spec *spec, const struct measured_kernel *r,
                            struct err *err);

#endif
