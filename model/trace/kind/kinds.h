/* kinds.h - the kinds of operations, a row each.
 *
 * A row says all that other files ask of a kind: what the reader takes and derives, what passes and
 * reports rely on, and the way in which each sort of machine runs it.  To add a kind: a row here,
 * its rule and its ways where no other kind has them, its lines in docs/reference/trace-format.md,
 * a test.  Switches over ways have no `default`: the compiler names those that miss a new one. */
#ifndef TRACE_KIND_KINDS_H
#define TRACE_KIND_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* The first line of a row is the reader's: least and most operands, least and most results, the
 * attributes besides those of all kinds, the rule that derives the rest (rule.c).  The second has
 * the family, the ways of a TensorCore, a GPU, a CPU and the network, what changes in place, how
 * the step is cut, the rank by which it names a fusion that it is in, and traits. */
/* clang-format off */
#define TRACE_KINDS(K)                                                                                                          \
    /* C[b,m,n] = A[b,m,k] B[b,k,n] */                                                                                          \
    K(MATMUL,          "matmul",               2, 2,   1, 1,   MATMULS,  rule_matmul,                                           \
      PRODUCT,    PRODUCT,   PRODUCT,  PRODUCT,  NONE,           NOTHING,   MATMUL,     6, REPEATS)                             \
    /* a convolution, 1-D to 3-D, forward; the gradients of its input and of its filter */                                      \
    K(CONV,            "conv",                 2, 2,   1, 1,   BIASED,   rule_conv,                                             \
      PRODUCT,    PRODUCT,   PRODUCT,  PRODUCT,  NONE,           NOTHING,   CONV,       6, REPEATS)                             \
    K(CONV_DGRAD,      "conv-dgrad",           2, 2,   1, 1,   WINDOW,   rule_conv,                                             \
      PRODUCT,    PRODUCT,   PRODUCT,  PRODUCT,  NONE,           NOTHING,   CONV,       6, REPEATS)                             \
    K(CONV_WGRAD,      "conv-wgrad",           2, 2,   1, 1,   WINDOW,   rule_conv,                                             \
      PRODUCT,    PRODUCT,   PRODUCT,  PRODUCT,  NONE,           NOTHING,   CONV,       6, REPEATS)                             \
    K(ELEMENTWISE,     "elementwise",          0, ANY, 1, ANY, MAPS,     rule_passes,                                           \
      VECTOR,     ELEMENTS,  ELEMENTS, ELEMENTS, NONE,           NOTHING,   SUMMANDS,   2, REPEATS | ADDS)                      \
    K(REDUCE,          "reduce",               1, ANY, 1, ANY, SUMS,     rule_reduce,                                           \
      VECTOR,     REDUCE,    REDUCE,   SUM,      NONE,           NOTHING,   SUMMANDS,   4, REPEATS | ADDS)                      \
    /* pad, concatenate, slice, upsample, transpose */                                                                          \
    K(COPY,            "copy",                 1, ANY, 1, ANY, ON_CHIP,  rule_copy,                                             \
      VECTOR,     COPY,      MOVE,     MOVE,     NONE,           NOTHING,   ELEMENTS,   1, REPEATS | MOVES | HANDS_ON | HALVES) \
    K(POOL,            "pool",                 1, ANY, 1, ANY, ON_CHIP,  rule_none,                                             \
      VECTOR,     ELEMENTS,  POOL,     COLUMNS,  NONE,           NOTHING,   ELEMENTS,   5, REPEATS | ADDS)                      \
    K(RNG,             "rng",                  0, ANY, 1, ANY, ON_CHIP,  rule_none,                                             \
      VECTOR,     ELEMENTS,  PLAIN,    PLAIN,    NONE,           NOTHING,   DRAWN,      3, REPEATS | ADDS)                      \
    K(SORT,            "sort",                 1, ANY, 1, ANY, SORTS,    rule_sort,                                             \
      VECTOR,     SORT,      SORT,     SORT,     NONE,           NOTHING,   WHOLE,      5, REPEATS | ADDS)                      \
    K(GATHER,          "gather",               2, 2,   1, 1,   INDEX,    rule_gather,                                           \
      VECTOR,     ROWS,      GATHER,   GATHER,   NONE,           NOTHING,   GATHER,     5, REPEATS | MOVES | HANDS_ON)          \
    /* adds rows: scatter-add, segment-sum */                                                                                   \
    K(SCATTER,         "scatter",              2, 3,   1, 1,   INDEX,    rule_scatter,                                          \
      VECTOR,     ROWS,      SCATTER,  SCATTER,  NONE,           NOTHING,   SCATTER,    5, REPEATS | ADDS)                      \
    /* overwrites part of a tensor */                                                                                           \
    K(UPDATE_SLICE,    "dynamic-update-slice", 2, ANY, 1, 1,   ON_CHIP,  rule_update,                                           \
      VECTOR,     UPDATE,    PLAIN,    PLAIN,    NONE,           FIRST,     WHOLE,      1, MOVES)                               \
    /* updates weights and state in place; cut into shares, its weights are gathered */                                         \
    K(OPTIMIZER,       "optimizer",            1, ANY, 0, 0,   UPDATES,  rule_optimizer,                                        \
      VECTOR,     OPTIMIZER, PLAIN,    PLAIN,    ALL_GATHER,     VARIABLES, OPTIMIZER,  3, ADDS)                                \
    /* of a compiled program: it states its work */                                                                             \
    K(KERNEL,          "kernel",               0, ANY, 0, ANY, STATED,   rule_kernel,                                           \
      STATED,     NONE,      PLAIN,    PLAIN,    NONE,           NOTHING,   WHOLE,      1, HALVES)                              \
    K(ALL_REDUCE,      "all-reduce",           1, ANY, 0, ANY, BUCKETS,  rule_transfer,                                         \
      COLLECTIVE, NONE,      NONE,     NONE,     ALL_REDUCE,     UNNAMED,   ALL_REDUCE, 1, ADDS | HALVES)                       \
    K(REDUCE_SCATTER,  "reduce-scatter",       1, ANY, 1, ANY, JOINED,   rule_transfer,                                         \
      COLLECTIVE, NONE,      NONE,     NONE,     REDUCE_SCATTER, NOTHING,   CUT,        1, ADDS | HALVES)                       \
    K(ALL_GATHER,      "all-gather",           1, ANY, 1, ANY, JOINED,   rule_transfer,                                         \
      COLLECTIVE, NONE,      NONE,     NONE,     ALL_GATHER,     NOTHING,   CUT,        1, AHEAD | HALVES)                      \
    K(ALL_TO_ALL,      "all-to-all",           1, ANY, 1, ANY, JOINED,   rule_transfer,                                         \
      COLLECTIVE, NONE,      NONE,     NONE,     ALL_TO_ALL,     NOTHING,   CUT,        1, HALVES)                              \
    K(PERMUTE,         "collective-permute",   1, ANY, 1, ANY, PAIRED,   rule_transfer,                                         \
      COLLECTIVE, NONE,      NONE,     NONE,     PERMUTE,        NOTHING,   CUT,        1, HALVES)                              \
    K(BROADCAST,       "collective-broadcast", 1, ANY, 0, ANY, JOINED,   rule_transfer,                                         \
      COLLECTIVE, NONE,      NONE,     NONE,     BROADCAST,      UNNAMED,   CUT,        1, HALVES)                              \
    K(BARRIER,         "barrier",              0, 0,   0, 0,   JOINED,   rule_joined,                                           \
      COLLECTIVE, NONE,      NONE,     NONE,     BARRIER,        NOTHING,   WHOLE,      1, NO_TRAIT)                            \
    /* from a core of one stage to one of another */                                                                            \
    K(SEND,            "send",                 1, ANY, 1, ANY, SENDS,    rule_transfer,                                         \
      SEND,       NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, HALVES)                              \
    K(INFEED,          "infeed",               0, 0,   1, ANY, READING,  rule_infeed,                                           \
      FEED,       NONE,      NONE,     NONE,     NONE,           NOTHING,   INFEED,     1, FED | AHEAD | HALVES)                \
    K(OUTFEED,         "outfeed",              1, ANY, 0, 0,   HANDED,   rule_transfer,                                         \
      FEED,       NONE,      NONE,     NONE,     NONE,           NOTHING,   SUM,        1, HALVES)                              \
    /* work of the host's CPU that the device waits for */                                                                      \
    K(HOST,            "host",                 0, ANY, 0, ANY, HOSTED,   rule_host,                                             \
      HOST,       NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, FED)                                 \
    /* the host starts a device program */                                                                                      \
    K(LAUNCH,          "launch",               0, ANY, 0, ANY, STARTED,  rule_work,                                             \
      HOST,       NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, FED)                                 \
    /* the host reads files from storage */                                                                                     \
    K(LOAD,            "load",                 0, 0,   0, ANY, LOADS,    rule_load,                                             \
      HOST,       NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, FED)                                 \
    /* XLA compiles a program */                                                                                                \
    K(COMPILE,         "compile",              0, 0,   0, 0,   BUILDS,   rule_none,                                             \
      HOST,       NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, NO_TRAIT)                            \
    /* variables to the host and back, between loops */                                                                         \
    K(RESTART,         "restart",              0, ANY, 0, 0,   NO_ATTR,  rule_restart,                                          \
      HOST,       NONE,      NONE,     NONE,     NONE,           OPERANDS,  SUM,        1, NO_TRAIT)                            \
    /* values that are there when the step has ended */                                                                         \
    K(RETURN,          "return",               1, ANY, 0, 0,   NO_ATTR,  rule_return,                                           \
      RETURN,     NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, NO_TRAIT)                            \
    /* a block of operations that run as one kernel */                                                                          \
    K(FUSION,          "fusion",               0, 0,   0, ANY, NO_ATTR,  rule_none,                                             \
      BLOCK,      NONE,      NONE,     NONE,     NONE,           NOTHING,   WHOLE,      1, NO_TRAIT)                            \
    /* kept by its name if the reader allows it */                                                                              \
    K(UNKNOWN,         "",                     0, ANY, 0, ANY, NO_ATTR,  rule_none,                                             \
      UNKNOWN,    ELEMENTS,  PLAIN,    PLAIN,    NONE,           NOTHING,   WHOLE,      1, NO_TRAIT)
/* clang-format on */

enum trace_kind {
#define K(id, ...) TRACE_##id,
    TRACE_KINDS(K)
#undef K
        TRACE_N_KINDS
};

enum trace_family {
    TRACE_OF_PRODUCT, /* a GEMM, itself or by im2col: its b, m, k and n are set */
    TRACE_OF_VECTOR,  /* other work of a kernel */
    TRACE_OF_STATED,  /* a kernel that states its work */
    TRACE_OF_COLLECTIVE,
    TRACE_OF_SEND,
    TRACE_OF_FEED,
    TRACE_OF_HOST, /* the host works, the device waits for it */
    TRACE_OF_RETURN,
    TRACE_OF_BLOCK,
    TRACE_OF_UNKNOWN,
};

/* The way of a TensorCore: a GEMM, or lower_NAME() of a file of kernels/tpu. */
/* clang-format off */
#define TRACE_CORES(C)                                                                             \
    C(ELEMENTS, elementwise) C(REDUCE, reduce) C(COPY, copy) C(SORT, sort) C(ROWS, rows)           \
    C(UPDATE, update) C(OPTIMIZER, optimizer)
/* clang-format on */
enum trace_on_core {
    TRACE_CORE_NONE, /* no member of a kernel */
    TRACE_CORE_PRODUCT,
#define C(id, name) TRACE_CORE_##id,
    TRACE_CORES(C)
#undef C
};

/* The kernel of a GPU; PLAIN: one that streams contiguous values, ELEMENTS: by its operands. */
enum trace_on_gpu {
    TRACE_GPU_NONE,
    TRACE_GPU_PRODUCT,
    TRACE_GPU_PLAIN,
    TRACE_GPU_ELEMENTS,
    TRACE_GPU_MOVE,
    TRACE_GPU_REDUCE,
    TRACE_GPU_POOL,
    TRACE_GPU_SORT,
    TRACE_GPU_GATHER,
    TRACE_GPU_SCATTER,
};

/* The loop of a CPU; SUM: along or across rows, COLUMNS: across them. */
enum trace_on_cpu {
    TRACE_CPU_NONE,
    TRACE_CPU_PRODUCT,
    TRACE_CPU_PLAIN,
    TRACE_CPU_ELEMENTS,
    TRACE_CPU_MOVE,
    TRACE_CPU_SUM,
    TRACE_CPU_COLUMNS,
    TRACE_CPU_SORT,
    TRACE_CPU_GATHER,
    TRACE_CPU_SCATTER,
};

/* The collective by which cores join. */
enum trace_on_net {
    TRACE_NET_NONE,
    TRACE_NET_ALL_REDUCE,
    TRACE_NET_REDUCE_SCATTER,
    TRACE_NET_ALL_GATHER,
    TRACE_NET_ALL_TO_ALL,
    TRACE_NET_PERMUTE,
    TRACE_NET_BROADCAST,
    TRACE_NET_BARRIER,
};

/* The operands that have new values afterwards. */
enum trace_change {
    TRACE_CHANGES_NOTHING,
    TRACE_CHANGES_FIRST,     /* the first */
    TRACE_CHANGES_VARIABLES, /* weights and state */
    TRACE_CHANGES_UNNAMED,   /* all, where the results have no names of their own */
    TRACE_CHANGES_OPERANDS,  /* all */
};

/* The rule by which the work is divided among cores (passes/shard/shard_rule.c). */
enum trace_cut {
    TRACE_CUT_WHOLE, /* each core does all of it */
    TRACE_CUT_MATMUL,
    TRACE_CUT_CONV,
    TRACE_CUT_ELEMENTS, /* as the operands are */
    TRACE_CUT_SUMMANDS, /* likewise; of summands as well, before they are added up */
    TRACE_CUT_DRAWN,    /* each core draws what it needs */
    TRACE_CUT_GATHER,
    TRACE_CUT_SCATTER,
    TRACE_CUT_OPTIMIZER,
    TRACE_CUT_INFEED,
    TRACE_CUT_ALL_REDUCE,
    TRACE_CUT_CUT, /* a step that has it was cut already */
    TRACE_CUT_SUM, /* each core takes sums */
};

enum trace_trait {
    TRACE_REPEATS = 1,  /* run again, it gives the same */
    TRACE_ADDS = 2,     /* adds, compares or applies a function to elements */
    TRACE_MOVES = 4,    /* computes nothing */
    TRACE_HANDS_ON = 8, /* its results are its operands: rounded before or after is the same */
    TRACE_FED = 16,     /* its results come from a host */
    TRACE_AHEAD = 32,   /* a start moves bytes whose number the results of its done say */
    TRACE_HALVES = 64,  /* is written as a start and a done as well */
};

struct trace_kind_row {
    enum trace_family family;
    enum trace_on_core core;
    enum trace_on_gpu gpu;
    enum trace_on_cpu cpu;
    enum trace_on_net net;
    enum trace_change changes;
    enum trace_cut cut;
    uint32_t rank; /* the member of the highest rank names a fusion */
    uint32_t traits;
};
extern const struct trace_kind_row trace_kinds[TRACE_N_KINDS]; /* the rows */
extern const char *const trace_kind_name[TRACE_N_KINDS];       /* "matmul"; of UNKNOWN "" */

/* True if the kind has the trait. */
static inline bool trace_has_trait(enum trace_kind k, enum trace_trait t)
{
    return trace_kinds[k].traits & t;
}

/* True for kinds that run on the matrix unit; their b, m, k and n are set. */
static inline bool trace_is_gemm(enum trace_kind k)
{
    return trace_kinds[k].family == TRACE_OF_PRODUCT;
}

/* True for work of a kernel that is told by shapes alone: products and all else but what a compiled
 * program states. */
static inline bool trace_is_computed(enum trace_kind k)
{
    return trace_kinds[k].family == TRACE_OF_PRODUCT || trace_kinds[k].family == TRACE_OF_VECTOR;
}

/* True for what cores do together. */
static inline bool trace_is_collective(enum trace_kind k)
{
    return trace_kinds[k].family == TRACE_OF_COLLECTIVE;
}

/* True for what the device waits for the host to do. */
static inline bool trace_is_host(enum trace_kind k)
{
    return trace_kinds[k].family == TRACE_OF_HOST;
}

/* True for what moves payload=, between cores or to and from the host. */
static inline bool trace_is_transfer(enum trace_kind k)
{
    enum trace_family f = trace_kinds[k].family;

    return f == TRACE_OF_COLLECTIVE || f == TRACE_OF_SEND || f == TRACE_OF_FEED;
}

#endif
