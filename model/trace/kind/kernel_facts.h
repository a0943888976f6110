/* kernel_facts.h - what a compiled program states of one of its kernels: its loops, its windows,
 * the bytes that it moves, the work of the vector unit.
 *
 * Kind `kernel` of a trace has it.  All of it is optional in the text;
 * docs/reference/trace-format.md, "Compiled programs", says which attributes go together. */
#ifndef TRACE_KIND_KERNEL_FACTS_H
#define TRACE_KIND_KERNEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_MAX_GRID 32 /* loops around the body of a kernel */

/* Kinds of kernels (form=). */
/* clang-format off */
#define TRACE_FORMS(F)                                                                             \
    F(VECTOR, "vector")               /* element-wise, reductions: the vector unit */              \
    F(PRODUCT, "product")             /* a matrix product or convolution, and what is fused in */  \
    F(COPY, "copy")                   /* moves bytes, may change the layout */                     \
    F(GATHER, "gather") F(SCATTER, "scatter") F(SORT, "sort")                                      \
    F(TOP_K, "top-k") /* the largest of rows, in the way that the machine's compiler takes */       \
    F(REDUCE_WINDOW, "reduce-window") /* pooling, cumulative sums */                               \
    F(CUSTOM, "custom")               /* a kernel of a library, or written by the user */          \
    F(SCALAR, "scalar")               /* a few cycles of the scalar core */
enum trace_form {
#define F(id, text) TRACE_FORM_##id,
    TRACE_FORMS(F)
#undef F
    TRACE_N_FORMS
};
extern const char *const trace_form_name[TRACE_N_FORMS];

/* Classes of work of the vector unit (vector=): those of model/task/vector_op.h, in its order. */
#define TRACE_VECTORS(V)                                                                           \
    V(ADD, "add") V(SELECT, "select") V(CAST, "cast") V(DIVIDE, "divide") V(EXP, "exp")            \
    V(SINE, "sine") V(SUBLANES, "sublanes") V(PACK, "pack")
enum trace_vector {
#define V(id, text) TRACE_VECTOR_##id,
    TRACE_VECTORS(V)
#undef V
    TRACE_N_VECTORS
};
extern const char *const trace_vector_name[TRACE_N_VECTORS];
/* clang-format on */

/* The dimensions of C[b,m,n] = A[b,m,k] B[b,k,n], in the order of product=. */
enum trace_dim { TRACE_DIM_B, TRACE_DIM_M, TRACE_DIM_K, TRACE_DIM_N, TRACE_N_DIMS };

/* The way two cores of a chip divide a kernel (split=). */
enum trace_split {
    TRACE_SPLIT_UNSAID, /* not stated: a machine without split cores, or the lowering decides */
    TRACE_SPLIT_B,      /* halves of the loops over b ... */
    TRACE_SPLIT_M,
    TRACE_SPLIT_N,
    TRACE_SPLIT_K,    /* both have partial sums, which they exchange: split_bytes */
    TRACE_SPLIT_NONE, /* one core works, the other waits */
};

/* The way of a kernel without a product through memory (pattern=), where it decides its rate. */
/* clang-format off */
#define TRACE_PATTERNS(P)                                                                          \
    P(CONTIGUOUS, "contiguous") /* its arrays side by side, in the order in which they lie */      \
    P(STRIDED, "strided")       /* parts of arrays: pads, slices, concatenations */                \
    P(TRANSPOSED, "transposed") /* it writes along another dimension than it reads */              \
    P(REDUCTION, "reduction")   /* threads add up what they read, along a row */                   \
    P(COLUMNS, "columns")       /* the same across rows */                                         \
    P(WINDOWS, "windows")       /* each result reads a window of an array */
enum trace_pattern {
#define P(id, text) TRACE_PATTERN_##id,
    TRACE_PATTERNS(P)
#undef P
    TRACE_N_PATTERNS
};
extern const char *const trace_pattern_name[TRACE_N_PATTERNS];
/* clang-format on */

/* The pass of a convolution that a library computes (conv=). */
enum trace_pass { TRACE_PASS_NONE, TRACE_PASS_FORWARD, TRACE_PASS_DGRAD, TRACE_PASS_WGRAD };

/* Sizes of an array of a convolution: images or outputs, channels, positions; of a filter outputs,
 * channels of a group, taps; or one number for each dimension of positions. */
#define TRACE_MAX_SIDES 5
struct trace_sides {
    uint32_t n; /* 0: not stated */
    uint64_t dim[TRACE_MAX_SIDES];
};

/* The unit that runs a kernel (unit=). */
enum trace_unit { TRACE_ON_TENSORCORE, TRACE_ON_SPARSECORE };

/* Bytes and work on the way to one operand of a product, once: parts of fetch=, vector= and loads=.
 * All of it is done again whenever a window of the operand comes by again. */
struct trace_side {
    uint64_t fetch;                   /* bytes */
    uint64_t vector[TRACE_N_VECTORS]; /* elements, as those of all */
    uint64_t loads;
};

/* A number that the program does not state is 0, or as said. */
struct trace_compiled {
    uint64_t given; /* attributes in the text: bits of compiled_attr.h */
    enum trace_form form;
    enum trace_unit unit;

    /* loops: counts, outermost first; n_grid 0: not stated */
    uint32_t n_grid;
    uint64_t grid[TRACE_MAX_GRID];
    uint64_t steps; /* the product of grid; 0: not stated */

    /* the matrix product, by enum trace_dim; product[TRACE_DIM_B] is 0 if there is none */
    uint64_t product[TRACE_N_DIMS]; /* elements, as the shapes say it */
    uint64_t tile[TRACE_N_DIMS];    /* elements that a grid step takes; 0: not stated */
    uint64_t counts[TRACE_N_DIMS];  /* grid steps along each; 0: not stated; so counts x tile are
                                       executed, at least `product` of each */
    uint64_t taps;                  /* of k: so many taps of k / taps channels; at least 1 */
    bool packed;                    /* several taps share a pass of the array */
    uint64_t position_rows;         /* of m, in a tile, at each position of the result, which has
                                       weights of its own; 0: positions share them */
    bool has_lanes;
    uint8_t lanes[3]; /* enum trace_dim on the lanes of A, B and C; natural: k, n, n */

    enum trace_split split;
    uint64_t split_bytes; /* partial sums that the cores exchange: split=k, or a sum */

    /* HBM: bytes that each operand brings in all, and each result takes away; without fetch= or
     * store= those of the value, 0 for one on chip */
    const uint64_t *fetch; /* [n_in] */
    const bool *held;      /* [n_in] fetched whole, once, before the first grid step */
    const uint64_t *store; /* [n_out] */
    uint64_t row_bytes;    /* of each of the op's `rows` random accesses to HBM */
    bool row_writes;       /* they write; else they read */

    uint64_t vmem;                    /* bytes of scoped VMEM while it runs */
    uint64_t vector[TRACE_N_VECTORS]; /* 32-bit elements, padded to whole registers */
    uint64_t xlu;                     /* elements through the transpose, reduce and permute unit */
    uint64_t loads, stores;           /* elements between VMEM and registers for vector work */
    struct trace_side side[2];        /* of A and B, of a product without tile= */
    uint64_t n_parts, k_parts;        /* of n and k, none of which shares a tile with another */
    uint64_t channel_taps;            /* elements of a result's registers, once for each tap of the
                                         filter that every channel has for itself */

    /* sums of a kernel without a product, 0: it has none */
    uint64_t chain;     /* tiles that a grid step adds to one register, one after the other */
    uint64_t sums;      /* registers of sums in a grid step */
    uint64_t sum_steps; /* grid steps that add to the same sums */

    uint64_t spread;    /* registers whose sublanes are lanes of an operand */
    uint64_t lane_rows; /* rows of lanes that a change of shape moves, each to a place of its own */
    /* rows that are stored each by itself; twice if their place is known only when it runs */
    uint64_t row_stores;

    /* a kernel by hand */
    uint64_t lane_sums; /* elements of the registers whose lanes the XLU sums or spreads */
    uint64_t waits;     /* windows, results of MXU and XLU, one after the other, of all steps */
    uint64_t idle;      /* grid steps more, which do nothing */

    uint64_t launches; /* kernels that the compiler makes of it, one after the other; at least 1 */
    uint64_t estimate; /* the compiler's own, in cycles; reports only */

    /* kernels of a GPU */
    enum trace_pattern pattern;
    uint64_t rounds;           /* over its operands and results, each a kernel; at least 1 */
    uint64_t queries;          /* the product is attention, of so many for each of its b heads; */
    bool gradient;             /* or its gradient */
    uint64_t warps, stages;    /* of a block of a product by tiles; 0: not stated */
    bool node;                 /* a CUDA graph launches it with the kernel before it */
    uint8_t operands;          /* 1 + enum trace_dtype of the product's; 0: that of the first */
    enum trace_pass conv;      /* the product is that of a convolution of a library: */
    struct trace_sides image;  /* [N, C, positions] what the forward pass reads, */
    struct trace_sides filter; /* [K, C / groups, taps], */
    struct trace_sides result; /* [N, K, positions] and what it writes */
    struct trace_sides strides, dilates; /* of the filter; n = 0: all 1 */
    bool channels_first; /* positions of a channel of an image lie together, not channels of a
                            position */
};

/* True if the kernel is a matrix product. */
static inline bool trace_has_product(const struct trace_compiled *c)
{
    return c->product[TRACE_DIM_B] > 0;
}

/* A copy in one block of memory for free(), with its arrays of n_in and n_out numbers. */
struct trace_compiled *trace_copy_compiled(const struct trace_compiled *c, uint32_t n_in,
                                           uint32_t n_out);

#endif
