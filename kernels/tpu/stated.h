/* stated.h - kernels of compiled programs: what their files share; private to kernels.
 *
 *     lower_compiled.c  which way a kernel is lowered; copies and kernels in the background
 *     stated.c          as the program states it: bytes, vector work, rows
 *     stated_product.c  ... its product
 *     stated_chosen.c   ... a product in windows that the program does not state
 *     stated_roles.c    which of its operands are those of the product
 *     stated_tiled.c    cut anew: its operands as those of a product of other traces
 *     stated_turned.c   tables that are copied first, in layouts that are not a compiler's */
#ifndef KERNELS_TPU_STATED_H
#define KERNELS_TPU_STATED_H

#include "kernels/common/work.h"

/* A kernel at hand. */
struct stated {
    const struct step *step;
    const struct step_op *op;
    const struct trace_compiled *kernel;
    const struct cap *cap;
    /* the program is cut for another machine: what it keeps on chip is in HBM */
    bool anew;
    /* of a product in windows that the program does not state: bytes that it fetches besides
     * fetch=, and those of fetch= that come before the first grid step */
    uint64_t again, brought;
};

/* Operands of the product, by their number, and its result; or none. */
#define STATED_NOBODY UINT32_MAX
struct stated_roles {
    uint32_t a, b, c;
};
struct stated_roles stated_find_roles(const struct stated *c);
/* The dtype of an operand; bf16 of STATED_NOBODY. */
enum trace_dtype stated_dtype(const struct stated *c, uint32_t operand);
/* Bytes of an element as the arrays take it: at most 4. */
uint32_t stated_element(enum trace_dtype d);
/* Bytes of an array without padding, or of the part of it that the kernel moves: `moved` are those
 * that the program states, which windows may move several times; 0: none. */
uint64_t stated_part(const struct trace_shape *s, uint64_t moved);

/* Bytes that cross HBM and CMEM, as stated; *held: of operands that are brought before the first
 * grid step, and are not part of w->in. */
void stated_traffic(struct work *w, const struct stated *c, uint64_t *held);
/* Those bytes, the work of the vector unit and XLU, rows by index and sorts. */
void stated_work(struct work *w, const struct stated *c, uint64_t *held);
/* True if rows by index are of a table that is copied into rows of whole lanes first (turn_in), and
 * back (turn_out): their bytes in `w`, which is empty before. */
bool stated_turned(struct work *w, const struct stated *c);
/* The copies of a convolution in groups, each a product of its own, in layouts that are not a
 * compiler's: of its image to lie by groups (turn_in), and of its result back (turn_out), as XLA
 * has them; both are empty before. */
void stated_grouped(struct work *image, struct work *result, const struct stated *c);
/* The k that a pass over the array takes; *padded: that of a tile, or of the whole product, with
 * each tap padded to its passes. */
uint32_t stated_depth(const struct trace_compiled *k, bool whole, const struct cap *cap,
                      uint64_t *padded);
/* Refuse more than LOWER_MOST_STATED grid steps.  Errors: ERR_RANGE, a clause that does not name
 * the kernel. */
int stated_check_steps(uint64_t steps, struct err *err);
/* True if A stays in the arrays. */
bool stated_swaps(const struct trace_compiled *k);
/* Fill `k` with the product as it is stated.  Errors: ERR_RANGE, a clause without the kernel. */
int stated_product(struct task_kernel *k, struct work *w, const struct stated *c, struct err *err);

/* The blocks of it, of the windows in `k`, which are stated or chosen here (tile_window.c).  `w`
 * has the bytes of its elements, and how much faster the array multiplies them. */
int stated_blocks(struct task_kernel *out, struct work *w, const struct trace_compiled *k,
                  uint64_t flops, const struct cap *cap, struct err *err);

/* Choose the windows of a product of which the program states none: `k` is the kernel of `c` with
 * them and with its work as often as they come by, and takes its place in `c`.  False, and nothing
 * changes, if it has no product, or has windows, or is cut like those of other traces. */
bool stated_choose(struct trace_compiled *k, struct stated *c);

/* The operands of the product as the choice of windows sees them. */
struct window_operands;
void stated_windows(struct window_operands *o, const struct stated *c);

/* Set the bytes of elements that stream and that stay, of products of 8-bit operands the rate; the
 * first operand stays if `a_stays`. */
void stated_operands(struct work *w, const struct stated *c, bool a_stays);
/* Fill `k` with the product, cut for this machine; `w` has the other work. */
int stated_tiled(struct task_kernel *k, struct work *w, const struct stated *c, struct err *err);

#endif
