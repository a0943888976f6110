/* vector.h - what kernels on the vector unit share: operations by class, loads and stores,
 * relayout.
 *
 * Operations are those of a register of R = lanes x sublanes elements, by class
 * (model/task/vector_op.h).  Each family has its own file, whose head says what it asks for. */
#ifndef KERNELS_COMMON_VECTOR_H
#define KERNELS_COMMON_VECTOR_H

#include "kernels/common/work.h"

/* Registers of `n` 32-bit elements. */
uint64_t vector_registers(uint64_t n, const struct cap *cap);

/* Registers that the vector unit computes `v` in: where arrays lie in tiles, each tile of 8 rows
 * and its lanes takes one, however little of it there is, of 16-bit elements two where registers
 * hold twice as many (cap->packed16). */
uint64_t vector_value_registers(const struct step_value *v, const struct cap *cap);

/* `n` operations on elements of `v` as so many on those of all its registers, padded. */
uint64_t vector_padded(uint64_t n, const struct step_value *v, const struct cap *cap);

/* Loads of `v`, or where arrays lie in tiles stores: a tile each.  Nobody computes with what a
 * kernel that only `moves` loads, and tiles that have all sublanes fill registers then, and where
 * they are stored. */
uint64_t vector_loads(const struct step_value *v, bool moves, const struct cap *cap);
uint64_t vector_stores(const struct step_value *v, const struct cap *cap);

/* Elements of `n` values from `step->ref[first]` on. */
uint64_t vector_elements(const struct step *step, uint32_t first, uint32_t n);

/* The function of `op` (fn=) on `n` elements, in place of fn-flops= of each one's among `ops`
 * operations on elements in all; the others are additions:
 *
 *     fn=                                class
 *     add                                none besides
 *     select                             select 1
 *     convert                            cast 1
 *     divide sqrt rsqrt                  divide 1; narrow, of 16-bit results: exp 1
 *     exponential log tanh               exp 1
 *     logistic                           exp 1, divide 1; narrow: exp 2
 *     power                              add 6, exp 1, divide 3
 *     erf                                add 9, divide 2
 *     sine cosine                        sine 1                                                 */
void vector_apply(struct work *w, const struct step *step, const struct step_op *op, uint64_t n,
                  uint64_t ops, const struct cap *cap);

/* Registers of 8 elements each of an operand that lacks the lanes of the result, and whose own
 * lanes become its sublanes: dimension by dimension it has the first ones of the result. */
uint64_t vector_spread(const struct step_value *in, const struct step_value *out,
                       const struct cap *cap);

/* Let the windows of the kernel cut `v`, if no other is longer. */
void vector_window(struct work *w, const struct step_value *v, const struct cap *cap);

/* Registers of operands and results that cross the kernel's border are loaded from VMEM or stored
 * to it; where arrays lie in tiles (cap_compact) a load brings one tile of them, also one of
 * 16-bit elements, but by copies; elements of less than 32 bits are cast after they are loaded and
 * before they are stored, by copies only between dtypes, and bf16 not where the vector unit
 * computes on it (cap->packed16). What members of a fusion hand on stays in registers. */
void vector_cross(struct work *w, const struct step *step, const struct step_op *op,
                  const struct cap *cap);

/* Where arrays lie in tiles (cap_compact): a kernel of its own that brings the smaller of the two
 * into the other's order, if they differ: it is written once more, and read from where it still is
 * on chip.
 *
 *     cycles = relayout_cycles besides;  bytes = the smaller's, out;  workspace = the same */
bool vector_relay(struct work *w, const struct step_value *in, const struct step_value *out,
                  const struct cap *cap);

/* True if the array, as the compiler lays it out, has a dimension of `other` on its lanes that the
 * other array lacks? */
bool vector_lacks_lanes(const struct step_value *v, const struct step_value *other,
                        const struct cap *cap);

#endif
