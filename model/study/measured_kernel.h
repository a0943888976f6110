/* measured_kernel.h - measured single kernels: each becomes a trace of one operation, which is
 * lowered and run on a machine. */
#ifndef STUDY_MEASURED_KERNEL_H
#define STUDY_MEASURED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct machine_spec;

struct measured_kernel {
    char op[16];
    uint64_t d[3];
    double us;   /* measured */
    int on_chip; /* reductions: parts of four of the operand that were on chip before */
};

/* Half the rows were fitted on (0), half only held against (1): by FNV-1a over the shape. */
int measured_kernel_half(const struct measured_kernel *r);

/* Quarters of a reduction's operand that must have been on chip, since HBM's peak could not have
 * brought it in the measured time; 0 for other kernels. */
int measured_kernel_on_chip(const struct measured_kernel *r);

/* Femtoseconds of the operation on the machine; 0, with `err`, where it cannot run. */
uint64_t measured_kernel_fs(const struct machine_spec *spec, const struct measured_kernel *r,
                            struct err *err);

#endif
