/* measured_kernel.h - kernels of TPU v4 and v6e that were timed on hardware
 * (model/measured/tpu_v4_*.csv, tpu_v6e_*.csv, from SCALE-Sim), run in two ways: as one
 * operation, as `cyclotron op` runs it, and as the compiler makes it
 * (model/measured/kernels_*.hlo.zst), as `cyclotron replay` runs it.  Both are means over the
 * moments of a refresh (run/moments.h). */
#ifndef STUDY_VALIDATE_MEASURED_KERNEL_H
#define STUDY_VALIDATE_MEASURED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/result/result.h"
#include "study/validate/packed.h"

/* A chip whose kernels were timed. */
struct measured_chip {
    const char *stem;     /* its tables begin with that: "tpu_v4_" */
    const char *compiled; /* the file of its compiled kernels: "kernels_tpu_v4" */
    const char *machine;  /* "tpu-v4-2" */
    const char *label;    /* "TPU v4", of its classes */
};
extern const struct measured_chip measured_chips[];
extern const size_t measured_n_chips;
/* The chip of table `stem`, or NULL. */
const struct measured_chip *measured_chip_find(const char *stem);

struct measured_kernel {
    const struct measured_chip *chip;
    char op[16];   /* "matmul", "add", "transpose" ... */
    uint64_t d[3]; /* of a matmul m, n, k; else the shape of the operand */
    double us;     /* measured microseconds */
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

/* "matmul,82,959,12": its module among the compiled ones. */
#define MEASURED_NAME 96
char *measured_kernel_name(char buf[MEASURED_NAME], const struct measured_kernel *r);

/* The operation as words of `cyclotron op`: its kind, then key=value. */
#define MEASURED_WORDS 6
#define MEASURED_WORD 72
struct measured_words {
    char word[MEASURED_WORDS][MEASURED_WORD];
    size_t n;
};
void measured_kernel_words(struct measured_words *w, const struct measured_kernel *r);

/* The machine of a chip with `set`, as spec_load(), but without gaps between kernels: durations of
 * kernels, as a profiler shows them, leave them out.  spec_free() it. */
int measured_chip_load(struct machine_spec **out, const struct measured_chip *chip,
                       const char *const *set, size_t n_set, struct err *err);

/* Run the operation on `spec`, the machine of its chip; run_result_free() the result, which is
 * brief (run_request.brief).  Errors: those of op_run(). */
int measured_kernel_run(const struct measured_kernel *r, const struct machine_spec *spec,
                        struct run_result *result, struct err *err);
/* Run the compiled kernel, which is a module of `p`.  Errors: ERR_UNKNOWN it is none; those of
 * run_replay(). */
int measured_kernel_replay(const struct measured_kernel *r, const struct machine_spec *spec,
                           const struct packed *p, struct run_result *result, struct err *err);

/* q = the seconds of the kernels of a result of `r`, and of their waits for copies in the
 * background but in products; copies that the program before makes take none. */
void measured_kernel_seconds(mpq_t q, const struct measured_kernel *r,
                             const struct run_result *result);
/* q = their seconds by the compiler's own estimate; 0: it has none. */
void measured_kernel_estimate(mpq_t q, const struct run_result *result);

#endif
