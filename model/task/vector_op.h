/* vector_op.h - classes of operations of the vector unit.
 *
 * One operation works on a whole register, lanes x sublanes of 32-bit elements.  Lowering counts
 * operations of each class; how long one keeps the unit busy is a parameter of the machine
 * (hw/core/vpu.h).  Operations across lanes are not here: the XLU does them. */
#ifndef TASK_VECTOR_OP_H
#define TASK_VECTOR_OP_H

/* clang-format off */
/*            enum      text        each is ... */
#define VECTOR_OPS(V)                                                                              \
    V(ADD,      add,      "an addition, multiplication, comparison or logic operation")            \
    V(SELECT,   select,   "a choice between two registers, or a move within one")                  \
    V(CAST,     cast,     "a change of dtype: packed elements to 32 bits")                         \
    V(DIVIDE,   divide,   "a division, reciprocal or square root of 32 bits")                      \
    V(EXP,      exp,      "an exponential, logarithm, tanh or power, or a division of 16 bits")    \
    V(SINE,     sine,     "a sine, cosine or error function")                                      \
    V(SUBLANES, sublanes, "a sum over the sublanes of a register")                                 \
    V(PACK,     pack,     "a change of dtype back, of a register of packed elements")
/* clang-format on */

enum vector_op {
#define V(id, text, doc) VECTOR_##id,
    VECTOR_OPS(V)
#undef V
        N_VECTOR_OPS
};

#endif
