/* measured_kernel.h - kernels of TPU v4 and v6e that were timed on hardware
 * (tests/validation/tpu_v4_*.csv, tpu_v6e_*.csv, from SCALE-Sim): each becomes a trace of one
 * operation, which is lowered and run on a machine. */
#ifndef STUDY_MEASURED_KERNEL_H
#define STUDY_MEASURED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct machine_spec;

/* A chip whose kernels were timed. */
struct measured_chip {
    const char *stem;    /* its tables begin with that: "tpu_v4_" */
    const char *machine; /* "tpu-v4-2" */
    const char *label;   /* "TPU v4", of its classes */
};
/* The chip of table `stem`, or NULL. */
const struct measured_chip *measured_chip_find(const char *stem);

struct measured_kernel {
    const struct measured_chip *chip;
    char op[16];   /* "matmul", "add", "transpose" ... */
    uint64_t d[3]; /* of a matmul m, n, k; else the shape of the operand */
    double us;     /* measured microseconds */
    int on_chip;   /* reductions: quarters of the operand that were on chip before */
};

/* Kinds of kernels whose errors are summed up together. */
enum measured_class {
    MEASURED_MATMUL, /* matrix products */
    MEASURED_REDUCE, /* sums over the last dimension */
    MEASURED_NORM,   /* layer norms: several kernels */
    MEASURED_OTHER,  /* element-wise, and moves of data */
    MEASURED_UNSEEN, /* such of kinds that no parameter was fitted on */
};
enum measured_class measured_kernel_class(const struct measured_kernel *r);

/* 0 for the half of the rows that parameters were fitted on, 1 for the half that is held out: a bit
 * of the FNV-1a hash of the row, so that the split needs no list. */
int measured_kernel_half(const struct measured_kernel *r);

/* Quarters of a reduction's operand that were on chip; 0 for other kernels.  TPU v6e: all, as the
 * compiler brings it before the program begins.  TPU v4: what HBM at its peak could not have
 * delivered in the measured time. */
int measured_kernel_on_chip(const struct measured_kernel *r);

/* Femtoseconds of the operation on the machine.  0, with `err` filled in, if it cannot run. */
uint64_t measured_kernel_fs(const struct machine_spec *spec, const struct measured_kernel *r,
                            struct err *err);

#endif
