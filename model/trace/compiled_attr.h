/* compiled_attr.h - the attributes of kind `kernel` beside those of every kind: each is declared
 * once, in the order in which it is printed. */
#ifndef TRACE_COMPILED_ATTR_H
#define TRACE_COMPILED_ATTR_H

#include "trace/reader.h"

/* The type of an attribute's text:
 *
 *     FORM       vector                 UNIT       sparsecore
 *     GRID       2x3x4, 1 to 32 loops   DIMS       BxMxKxN, each 1 at least
 *     NUMBER     an integer             TAPS       an integer, 1 at least
 *     BIT        0 or 1                 LANES      knn
 *     CUT        b, m, n, k or none     FETCHES    0+4096, one for each operand
 *     HELDS      0+2, operands          STORES     0+4096, one for each result
 *     WORK       add:64+cast:8          PATTERN    reduction
 *     DTYPE      f32                    PASS       forward, dgrad or wgrad
 *     SIDES      96x8x47x46x22, 1 to 5 numbers, each 1 at least */
/* clang-format off */
enum compiled_type { COMPILED_FORM, COMPILED_UNIT, COMPILED_GRID, COMPILED_DIMS, COMPILED_NUMBER,
                     COMPILED_TAPS, COMPILED_BIT, COMPILED_LANES, COMPILED_CUT, COMPILED_FETCHES,
                     COMPILED_HELDS, COMPILED_STORES, COMPILED_WORK, COMPILED_PATTERN,
                     COMPILED_DTYPE, COMPILED_PASS, COMPILED_SIDES };

/*    enum          key            type     field of struct trace_compiled */
#define COMPILED_ATTRS(A)                                                                          \
    A(FORM,         "form",        FORM,    form)                                                  \
    A(UNIT,         "unit",        UNIT,    unit)                                                  \
    A(GRID,         "grid",        GRID,    grid)                                                  \
    A(PRODUCT,      "product",     DIMS,    product)                                               \
    A(TILE,         "tile",        DIMS,    tile)                                                  \
    A(COUNTS,       "counts",      DIMS,    counts)                                                \
    A(TAPS,         "taps",        TAPS,    taps)                                                  \
    A(PACKED,       "packed",      BIT,     packed)                                                \
    A(POSITION_ROWS, "position-rows", NUMBER, position_rows)                                       \
    A(LANES,        "lanes",       LANES,   lanes)                                                 \
    A(SPLIT,        "split",       CUT,     split)                                                 \
    A(SPLIT_BYTES,  "split-bytes", NUMBER,  split_bytes)                                           \
    A(FETCH,        "fetch",       FETCHES, fetch)                                                 \
    A(HELD,         "held",        HELDS,   held)                                                  \
    A(STORE,        "store",       STORES,  store)                                                 \
    A(ROW_BYTES,    "row-bytes",   NUMBER,  row_bytes)                                             \
    A(ROW_WRITES,   "row-writes",  BIT,     row_writes)                                            \
    A(VMEM,         "vmem",        NUMBER,  vmem)                                                  \
    A(VECTOR,       "vector",      WORK,    vector)                                                \
    A(XLU,          "xlu",         NUMBER,  xlu)                                                   \
    A(LOADS,        "loads",       NUMBER,  loads)                                                 \
    A(STORES,       "stores",      NUMBER,  stores)                                                \
    A(FETCH_A,      "fetch-a",     NUMBER,  side[0].fetch)                                         \
    A(FETCH_B,      "fetch-b",     NUMBER,  side[1].fetch)                                         \
    A(VECTOR_A,     "vector-a",    WORK,    side[0].vector)                                        \
    A(VECTOR_B,     "vector-b",    WORK,    side[1].vector)                                        \
    A(LOADS_A,      "loads-a",     NUMBER,  side[0].loads)                                         \
    A(LOADS_B,      "loads-b",     NUMBER,  side[1].loads)                                         \
    A(N_PARTS,      "n-parts",     TAPS,    n_parts)                                               \
    A(K_PARTS,      "k-parts",     TAPS,    k_parts)                                               \
    A(CHANNEL_TAPS, "channel-taps", NUMBER, channel_taps)                                          \
    A(CHAIN,        "chain",       NUMBER,  chain)                                                 \
    A(SUMS,         "sums",        NUMBER,  sums)                                                  \
    A(SUM_STEPS,    "sum-steps",   NUMBER,  sum_steps)                                             \
    A(SPREAD,       "spread",      NUMBER,  spread)                                                \
    A(LANE_ROWS,    "lane-rows",   NUMBER,  lane_rows)                                             \
    A(ROW_STORES,   "row-stores",  NUMBER,  row_stores)                                            \
    A(LANE_SUMS,    "lane-sums",   NUMBER,  lane_sums)                                             \
    A(WAITS,        "waits",       NUMBER,  waits)                                                 \
    A(IDLE,         "idle",        NUMBER,  idle)                                                  \
    A(LAUNCHES,     "launches",    TAPS,    launches)                                              \
    A(ESTIMATE,     "estimate",    NUMBER,  estimate)                                              \
    A(PATTERN,      "pattern",     PATTERN, pattern)                                               \
    A(ROUNDS,       "rounds",      TAPS,    rounds)                                                \
    A(QUERIES,      "queries",     NUMBER,  queries)                                               \
    A(GRADIENT,     "gradient",    BIT,     gradient)                                              \
    A(WARPS,        "warps",       NUMBER,  warps)                                                 \
    A(STAGES,       "stages",      NUMBER,  stages)                                                \
    A(NODE,         "node",        BIT,     node)                                                  \
    A(OPERANDS,     "operands",    DTYPE,   operands)                                              \
    A(CONV,         "conv",        PASS,    conv)                                                  \
    A(IMAGE,        "image",       SIDES,   image)                                                 \
    A(FILTER,       "filter",      SIDES,   filter)                                                \
    A(RESULT,       "result",      SIDES,   result)                                                \
    A(STRIDES,      "strides",     SIDES,   strides)                                               \
    A(DILATES,      "dilates",     SIDES,   dilates)                                               \
    A(FIRST,        "channels-first", BIT,  channels_first)
/* clang-format on */
enum compiled_attr {
#define A(id, key, type, field) COMPILED_ATTR_##id,
    COMPILED_ATTRS(A)
#undef A
        COMPILED_N_ATTRS
};

/* Bits of trace_compiled.given: COMPILED_BIT(TILE). */
#define COMPILED_BIT(id) (UINT64_C(1) << COMPILED_ATTR_##id)

/* Forget the kernel of the line before: nothing is stated yet. */
void compiled_begin(struct trace *t);

/* Read the value of attribute `a` at the cursor into the reader's kernel, whose operands and
 * results are known.  Sets the bit of `given` unless it is the default (vmem=0). */
int compiled_read(struct trace *t, enum compiled_attr a);

/* Set `given` to the attributes that are not their defaults: form= always, fetch= and store= where
 * there are operands and results. */
void compiled_give(struct trace_compiled *c, uint32_t n_in, uint32_t n_out);

/* Print " key=value" for every attribute given. */
void compiled_print(const struct trace_compiled *c, uint32_t n_in, uint32_t n_out, FILE *out);

#endif
