/* profiled_impl.h - the parts of profiled.h: prediction, pairs, classes, sums. */
#ifndef STUDY_PROFILED_PROFILED_IMPL_H
#define STUDY_PROFILED_PROFILED_IMPL_H

#include "study/profiled/profiled.h"

/* --- profiled_predict.c --------------------------------------------------------------------- */

/* Read the program, from its file or from the profile: there the module of the request, else the
 * one that took most time.  Sets q->run.trace and q->module then.  Errors: of the readers; ERR_FIT
 * if the profile holds no program. */
int profiled_open(struct profiled *p, struct profiled_request *q, struct err *err);

/* Parse the program if it is HLO; replay it, which makes the kernels.  They fill fields of `p`, in
 * this order, after profiled_load_machine.  Errors: those of the readers and of the replay. */
int profiled_read_module(struct profiled *p, const char *file, struct err *err);
int profiled_predict_step(struct profiled *p, const struct run_request *q, struct err *err);

/* A kernel without figures.  It owns `name`. */
void profiled_start_kernel(struct profiled_kernel *k, char *name);

/* --- profiled_machine.c --------------------------------------------------------------------- */

/* Load the machine of the request; else the one that the program was compiled for; else the slice
 * of the devices of the profile that has as many as the program was compiled for.  Errors: those of
 * the readers; ERR_UNKNOWN if nothing says it. */
int profiled_load_machine(struct profiled *p, const struct run_request *q, struct err *err);

/* --- profiled_pair.c ------------------------------------------------------------------------ */

struct profiled_sides {
    struct pairing_item *op, *kernel;
    size_t n_ops, n_kernels;
    uint32_t *place;                 /* [n_kernels] in the profile */
    struct pairing_partner *partner; /* [n_ops] indices of `kernel` */
};

/* Describe what the operations of the step compute. */
void profiled_describe(const struct profiled *p, struct profiled_sides *s);
/* Set p->program, and pair its kernels.  Errors: ERR_UNKNOWN, ERR_FIT. */
int profiled_choose(struct profiled *p, const struct profiled_request *q, struct profiled_sides *s,
                    struct err *err);
void profiled_free_sides(struct profiled_sides *s);

/* --- profiled_class.c ----------------------------------------------------------------------- */

enum profiled_class profiled_class_of_row(const struct run_row *row);
enum profiled_class profiled_class_of_kernel(const struct profile_kernel *k);

/* --- profiled_sum.c ------------------------------------------------------------------------- */

/* Fill all that follows from the pairs: the step, classes, errors; sort the kernels. */
void profiled_sum(struct profiled *p);

#endif
