/* use.h - uses of the multiply-accumulate slots of a busy matrix unit.  A slot is one cycle of one
 * cell of the array.  Every slot of a busy unit has one of these uses; a slot of an idle one has a
 * cause (model/task/cause.h). */
#ifndef TASK_USE_H
#define TASK_USE_H

/* clang-format off */
/*    enum          text           the slot ... */
#define USES(U)                                                                                    \
    U(USEFUL,      useful,      "multiplies what the operation is about")                          \
    U(PRECISION,   precision,   "multiplies a further part of an f32 operand")                     \
    U(CONV_ZEROS,  conv_zeros,  "multiplies zeros put in: between strides, outside groups")                            \
    U(PAD_M,       pad_m,       "is of a row added to fill the row granule")                       \
    U(PAD_N,       pad_n,       "is of a column beyond n")                                         \
    U(PAD_K,       pad_k,       "is of an array row beyond k")                                     \
    U(WEIGHT_LOAD, weight_load, "passes while weights load and no row streams")                    \
    U(FILL_DRAIN,  fill_drain,  "passes while neither weights nor rows enter: swap or drain")
/* clang-format on */

enum use {
#define U(id, text, doc) USE_##id,
    USES(U)
#undef U
        N_USES
};

/* [use] "pad_m" */
extern const char *const use_name[N_USES];

#endif
