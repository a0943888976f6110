/* compiled.h - kernels of compiled programs: what their files share; private to kernels.
 *
 *     lower_compiled.c  which way a kernel is lowered; copies and kernels in the background
 *     compiled.c        as the program states it
 *     compiled_tiled.c  cut anew: its operands as those of a product of other traces */
#ifndef KERNELS_COMPILED_H
#define KERNELS_COMPILED_H

#include "kernels/lower.h"

/* A kernel at hand. */
struct compiled {
    const struct step *step;
    const struct step_op *op;
    const struct trace_compiled *stated;
    const struct cap *cap;
    /* the program is cut for another machine: what it keeps on chip is in HBM */
    bool anew;
};

/* Bytes that cross HBM and CMEM, as stated; *held: of operands that are brought before the first
 * grid step, and are not part of w->in. */
void compiled_traffic(struct work *w, const struct compiled *c, uint64_t *held);
/* The same with the work of the vector unit and XLU, rows by index and sorts. */
void compiled_work(struct work *w, const struct compiled *c, uint64_t *held);
/* Fill `k` with the product as it is stated.  Errors: ERR_RANGE, a clause without the kernel. */
int compiled_product(struct task_kernel *k, struct work *w, const struct compiled *c,
                     struct err *err);

/* The bytes of elements that stream and that stay, of products of 8-bit operands the rate; the
 * first operand stays if `a_stays`. */
void compiled_operands(struct work *w, const struct compiled *c, bool a_stays);
/* Fill `k` with the product, cut for this machine; `w` has the other work. */
int compiled_tiled(struct task_kernel *k, struct work *w, const struct compiled *c,
                   struct err *err);

#endif
