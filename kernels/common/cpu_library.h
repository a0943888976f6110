/* cpu_library.h - the libraries that compute operations of a CPU: cycles of an element, and the
 * blocks of products. */
#ifndef KERNELS_COMMON_CPU_LIBRARY_H
#define KERNELS_COMMON_CPU_LIBRARY_H

#include "base/param.h"

/* clang-format off */
#define ELEMENTS_PARAMS(P)                                                                         \
    P(PPB, arithmetic,  "cycle", "1.55", "0.001", "10000", "of an element on one thread, with registers of 256 bits; of every other operation too that no other value is for [tensorflow-cpu]") \
    P(PPB, function,    "cycle", "3.8",  "0.001", "10000", "... of an exponential, a root and the like [tensorflow-cpu]") \
    P(PPB, broadcast,   "cycle", "2.6",  "0.001", "10000", "... where an operand is spread over others [tensorflow-cpu]") \
    P(PPB, sum_rows,    "cycle", "1.1",  "0.001", "10000", "... of a sum of elements side by side [tensorflow-cpu]") \
    P(PPB, sum_columns, "cycle", "3",    "0.001", "10000", "... of any other sum [tensorflow-cpu]") \
    P(PPB, transpose,   "cycle", "5.7",  "0.001", "10000", "... of a transpose [tensorflow-cpu]")  \
    P(PPB, gather,      "cycle", "3.7",  "0.001", "10000", "... of rows by index [tensorflow-cpu]") \
    P(PPB, scatter,     "cycle", "10.6", "0.001", "10000", "... of rows added by index, one row after the other [tensorflow-cpu]") \
    P(U32, compare,     "cycle", "15",   "1",     "10000", "of a comparison of a sort [unverified]")

#define BLOCKS_PARAMS(P)                                                                           \
    P(U32, rows,      "", "48", "1", "65536", "of the result that a task of a product computes [onednn]") \
    P(U32, columns,   "", "48", "1", "65536", "the same of columns [onednn]")                      \
    P(U32, tile_rows, "", "8",  "1", "64", "of the result that a core keeps in its registers; rows are padded to them [onednn]") \
    P(U32, tile_registers, "", "3", "1", "64", "columns of such a tile, in registers; columns are padded to them [onednn]") \
    P(U32, more,      "", "14", "0", "10000", "added to k: a tile is loaded and stored, its operands are packed [tensorflow-cpu]")
/* clang-format on */

struct elements_params {
    ELEMENTS_PARAMS(PARAM_FIELD)
};
extern const struct param_table elements_param_table;

struct blocks_params {
    BLOCKS_PARAMS(PARAM_FIELD)
};
extern const struct param_table blocks_param_table;

#endif
