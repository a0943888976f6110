/* place.h - how the elements of a value lie in memory, and in which memory, as a compiled program
 * states it.
 *
 *     bf16[33,65]{1,0:T(8,128)(2,1)E(16)S(1)}
 *                 |   |       |    |    memory space 1, VMEM; left out: HBM
 *                 |   |       |    bits of an element, where they are not those of its dtype
 *                 |   |       tiles inside the first ones: they order elements and pad nothing
 *                 |   the array is cut into tiles of 8 x 128 elements
 *                 dimensions from the minor one to the major one
 *
 * Bytes: the last k dimensions, major to minor, are rounded up to the k of the first group of tiles
 * (an array of fewer dimensions has 1 in front); the product of all, times the bits of an element.
 * bf16[33,65]{1,0:T(8,128)(2,1)} has 40 x 128 x 2 = 10,240.  Source: XLA's tiled layouts; the sum
 * over the arguments is what XLA of jax 0.10.2 reports as their size, for 4,720 programs. */
#ifndef TRACE_KIND_PLACE_H
#define TRACE_KIND_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_MAX_RANK 8      /* dimensions of a shape */
#define TRACE_MAX_TILES 4     /* groups, as two in T(8,128)(2,1) */
#define TRACE_MAX_TILE_RANK 4 /* dimensions of a group */

/* Memory spaces, by the number in S(n). */
/* clang-format off */
/*    enum     n  text */
#define TRACE_SPACES(S)                                                                            \
    S(HBM,     0, "HBM")                                                                           \
    S(VMEM,    1, "VMEM")            /* vector memory of a core */                                 \
    S(SYNC,    2, "sync flags")      /* context of a DMA: takes no memory */                       \
    S(CMEM,    3, "CMEM")            /* 128 MiB beside the cores of TPU v4 */                      \
    S(BARRIER, 4, "barrier flags")   /* of a collective in the background: takes no memory */      \
    S(HOST,    5, "host memory")                                                                   \
    S(SMEM,    6, "SMEM")            /* scalars of the scalar core */                              \
    S(SC_SMEM, 7, "SparseCore SMEM")                                                               \
    S(SC_SYNC, 8, "SparseCore sync flags")
/* clang-format on */
enum trace_space {
#define S(id, n, text) TRACE_IN_##id = n,
    TRACE_SPACES(S)
#undef S
        TRACE_N_SPACES
};
extern const char *const trace_space_name[TRACE_N_SPACES];

struct trace_tile {
    uint32_t rank;
    uint32_t dim[TRACE_MAX_TILE_RANK]; /* major to minor, each at least 1 */
};

/* All zero where the trace states no layout: the machine then chooses one. */
struct trace_layout {
    bool given;
    uint8_t space;                       /* enum trace_space */
    uint8_t bits;                        /* of an element; 0: those of the dtype */
    uint8_t n_tiles;                     /* 0: not tiled */
    uint8_t minor_first[TRACE_MAX_RANK]; /* [rank] a permutation of the dimensions */
    struct trace_tile tile[TRACE_MAX_TILES];
};

#endif
