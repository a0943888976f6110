/* op_key.h - the keys of one operation (m=4096, shape=8x128x512): how each reads and what it means.
 *
 * Values are checked one by one here, against each other where the trace is written (op_write.c).
 */
#ifndef STUDY_OP_OP_KEY_H
#define STUDY_OP_OP_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/trace.h"

/* COUNT: a whole number in [min, max].  SHAPE: 8x128x512, each at least 1.  LIST: 0,2,1, each in
 * [min, max] and named once.  BYTES: a count, or a quantity such as "4 MiB".  WINDOW, DTYPE,
 * PLACES, TIME, PRECISION: as a trace has them.  LOWERING: op_lowerings. */
enum op_type {
    OP_COUNT,
    OP_SHAPE,
    OP_LIST,
    OP_BYTES,
    OP_WINDOW,
    OP_DTYPE,
    OP_PLACES,
    OP_TIME,
    OP_PRECISION,
    OP_LOWERING,
    OP_ALGORITHM
};

#define OP_MOST INT64_MAX /* no limit but that of numbers */

/* clang-format off */
/*    enum      key         type    min  max      example      meaning */
#define OP_KEYS(K)                                                                                 \
    K(SHAPE,    "shape",    SHAPE,  1, OP_MOST,   "8x128x512", "shape of the operand")                      \
    K(M,        "m",        COUNT,  1, OP_MOST,   "4096",      "rows of A and C")                  \
    K(N,        "n",        COUNT,  1, OP_MOST,   "4096",      "columns of B and C")               \
    K(K,        "k",        COUNT,  1, OP_MOST,   "4096",      "columns of A, rows of B; top-k: how many to keep")  \
    K(BATCH,    "batch",    COUNT,  1, OP_MOST,   "16",        "products of that size (1)")        \
    K(TA,       "ta",       COUNT,  0, 1,         "1",         "A is stored transposed (0)")       \
    K(TB,       "tb",       COUNT,  0, 1,         "1",         "B is stored transposed (0)")       \
    K(PRECISION, "precision", PRECISION, 0, 0,    "highest",   "of products of f32 operands: default, high (3 passes), highest (6)") \
    K(IN,       "in",       SHAPE,  1, OP_MOST,   "32x64x56x56", "the image: batch x channels x positions") \
    K(FILTER,   "filter",   SHAPE,  1, OP_MOST,   "64x64x3x3", "the filter: outputs x channels x size") \
    K(WINDOW,   "window",   WINDOW, 0, 0,         "3x3,stride=2x2", "size= stride= pad= dilate= of a trace, commas between")  \
    K(GROUPS,   "groups",   COUNT,  1, OP_MOST,   "32",        "groups of channels (1); depthwise: one per channel") \
    K(TO,       "to",       SHAPE,  1, OP_MOST,   "8x128x512", "shape of the result")                       \
    K(WITH,     "with",     SHAPE,  1, OP_MOST,   "8x128x256", "shape of the second operand")               \
    K(DIMS,     "dims",     LIST,   0, 7,         "2",         "dimensions to reduce, from 0")     \
    K(PERM,     "perm",     LIST,   0, 7,         "0,2,1",     "dimensions of the operand, in the order of the result") \
    K(AXIS,     "axis",     COUNT,  0, 7,         "2",         "dimension to join along, from 0")  \
    K(INPUTS,   "inputs",   COUNT,  1, 64,        "2",         "operands of that shape (1)")       \
    K(VALUES,   "values",   COUNT,  0, 63,        "1",         "operands that are permuted alike (0)")  \
    K(ROWS,     "rows",     COUNT,  1, OP_MOST,   "65536",     "rows to move, one per index") \
    K(COLS,     "cols",     COUNT,  1, OP_MOST,   "64",        "elements of a row")                \
    K(TABLE,    "table",    COUNT,  1, OP_MOST,   "100000",    "rows of the table")                \
    K(SORTED,   "sorted",   COUNT,  0, 1,         "1",         "the indices are sorted (0; segment-sum 1)") \
    K(UNIQUE,   "unique",   COUNT,  0, 1,         "1",         "no index occurs twice (0)")         \
    K(LOWERING, "lowering", LOWERING, 0, 0,       "one-hot",   "rows (a kernel), one-hot (a matrix product) or loop (an iteration per row)") \
    K(DEPTH,    "depth",    COUNT,  1, OP_MOST,   "128",       "classes: columns of a one-hot row") \
    K(CHAIN,    "chain",    COUNT,  1, 64,        "4",         "element-wise operations one after the other (2)") \
    K(STATE,    "state",    COUNT,  0, 16,        "2",         "tensors kept for each weight (1)")  \
    K(BYTES,    "bytes",    BYTES,  1, OP_MOST,   "4MiB",      "per core; the same as 4194304") \
    K(GROUP,    "group",    COUNT,  1, UINT32_MAX, "4",        "cores in a group (all)")  \
    K(STRIDE,   "group-stride", COUNT, 1, UINT32_MAX, "2",     "distance between the cores of a group (1)")     \
    K(SHIFT,    "shift",    COUNT,  1, OP_MOST,   "1",         "core i of a group sends to core i + shift (1)")  \
    K(ALGORITHM, "algorithm", ALGORITHM, 0, 0,    "ring",      "algorithm (the machine's, or the cheapest)")  \
    K(SYNC,     "sync",     COUNT,  0, 1,         "1",         "wait until the host has read it (0)")  \
    K(TIME,     "time",     TIME,   0, 0,         "2ms",       "host CPU time per call")          \
    K(CALLS,    "calls",    COUNT,  1, OP_MOST,   "2",         "calls (1)")                        \
    K(FLOPS,    "flops",    COUNT,  0, OP_MOST,   "4194304",   "useful operations (what the kind implies)")  \
    K(RESIDENT, "resident", PLACES, 0, 0,         "rhs",       "what is on chip, of a GPU in its L2: lhs, rhs, out, several as lhs+out, all that fits, or none (what the compiler brings there before; of a GPU none)") \
    K(DTYPE,    "dtype",    DTYPE,  0, 0,         "f32",       "of operands and results (bf16)")
/* clang-format on */

enum op_key {
#define K(id, key, type, min, max, example, doc) OP_KEY_##id,
    OP_KEYS(K)
#undef K
        OP_N_KEYS
};

/* A row of the table above. */
struct op_key_desc {
    const char *key;
    enum op_type type;
    uint64_t min, max;
    const char *example, *doc;
};
extern const struct op_key_desc op_keys[OP_N_KEYS];

enum op_lowering { OP_BY_ROWS, OP_BY_ONE_HOT, OP_BY_LOOP, OP_N_LOWERINGS }; /* lowering= */

#define OP_BIT(id) (UINT64_C(1) << OP_KEY_##id) /* sets of keys */

struct op_value {
    bool given;
    char text[80];   /* as given */
    uint64_t number; /* COUNT, BYTES; DTYPE, PRECISION: enum trace_... */
    uint32_t rank;   /* SHAPE, LIST: numbers in `dim` */
    uint64_t dim[TRACE_MAX_RANK];
    struct trace_window window; /* size 0, stride and dilate 1 where not given; rank 0: none */
};

/* Set one key of an operation that traces call `kind` from "key=value", one of those in the bits of
 * `allowed`.  Errors: ERR_FORMAT, ERR_UNKNOWN (with the nearest key, or what the kind takes),
 * ERR_RANGE, ERR_UNIT; the message lacks the operation. */
int op_key_set(struct op_value value[OP_N_KEYS], const char *kind, uint64_t allowed,
               const char *set, struct err *err);

#endif
