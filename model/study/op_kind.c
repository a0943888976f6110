#include "study/op_kind.h"

#include <string.h>

#define B(id) OP_BIT(id)
#define GEMM_KEYS (B(BATCH) | B(TA) | B(TB) | B(PRECISION) | B(RESIDENT))
#define CONV_KEYS (B(WINDOW) | B(GROUPS) | B(PRECISION) | B(RESIDENT))
#define KERNEL (B(FLOPS) | B(RESIDENT))
#define ROWS_KEYS (B(ROWS) | B(COLS) | B(TABLE))
#define INDEX_KEYS (B(SORTED) | B(UNIQUE) | B(LOWERING) | KERNEL)

#define JOINED (B(GROUP) | B(STRIDE) | B(ALGORITHM))

#define MATRIX "matrix products"
#define ELEMENT "element by element"
#define REDUCING "reducing and sorting"
#define MOVING "moving data"
#define INDEXED "rows by index"
#define WEIGHTS "updating weights"
#define CORES "between cores"
#define HOST "with the host"

#define EACH "every element"

/* clang-format off */
const struct op_kind op_kinds[] = {
    /* name            group     required                    optional                   meaning   written by  in a trace  inputs flops fn */
    { "matmul",         MATRIX,   B(M) | B(N) | B(K),         GEMM_KEYS,                 "C[m,n] = A[m,k] B[k,n]", op_write_matmul, "matmul", 2, 0, NULL },
    { "conv",           MATRIX,   B(IN) | B(FILTER),          CONV_KEYS,                 "of 1 to 3 dimensions", op_write_conv, "conv", 0, 0, NULL },
    { "conv-dgrad",     MATRIX,   B(IN) | B(FILTER),          CONV_KEYS,                 "its gradient of the image", op_write_conv, "conv-dgrad", 0, 0, NULL },
    { "conv-wgrad",     MATRIX,   B(IN) | B(FILTER),          CONV_KEYS,                 "its gradient of the filter", op_write_conv, "conv-wgrad", 0, 0, NULL },
    { "conv-transpose", MATRIX,   B(IN) | B(FILTER),          CONV_KEYS,                 "to a larger image; filter= channels x outputs x size", op_write_conv, "conv-dgrad", 0, 0, NULL },

    { "dense",          MATRIX,   B(M) | B(N) | B(K),         B(PRECISION),              "matmul, bias and ReLU in one kernel", op_write_dense, "matmul", 0, 0, NULL },

    { "fusion",         ELEMENT,  B(SHAPE),                   B(INPUTS) | B(CHAIN),      "a chain of them in one pass over HBM", op_write_fusion, "fusion", 0, 0, NULL },
    { "elementwise",    ELEMENT,  B(SHAPE),                   B(INPUTS) | KERNEL,        "any of them", op_write_elementwise, "elementwise", 1, 1, NULL },
    { "add",            ELEMENT,  B(SHAPE),                   KERNEL,                    "of two operands", op_write_elementwise, "elementwise", 2, 1, NULL },
    { "subtract",       ELEMENT,  B(SHAPE),                   KERNEL,                    "of two operands", op_write_elementwise, "elementwise", 2, 1, NULL },
    { "multiply",       ELEMENT,  B(SHAPE),                   KERNEL,                    "of two operands", op_write_elementwise, "elementwise", 2, 1, NULL },
    { "divide",         ELEMENT,  B(SHAPE),                   KERNEL,                    "of two operands", op_write_elementwise, "elementwise", 2, 1, "divide" },
    { "maximum",        ELEMENT,  B(SHAPE),                   KERNEL,                    "of two operands", op_write_elementwise, "elementwise", 2, 1, NULL },
    { "power",          ELEMENT,  B(SHAPE),                   KERNEL,                    "of two operands", op_write_elementwise, "elementwise", 2, 1, "power" },
    { "exponential",    ELEMENT,  B(SHAPE),                   KERNEL,                    "of " EACH, op_write_elementwise, "elementwise", 1, 1, "exponential" },
    { "log",            ELEMENT,  B(SHAPE),                   KERNEL,                    "of " EACH, op_write_elementwise, "elementwise", 1, 1, "log" },
    { "tanh",           ELEMENT,  B(SHAPE),                   KERNEL,                    "of " EACH, op_write_elementwise, "elementwise", 1, 1, "tanh" },
    { "sqrt",           ELEMENT,  B(SHAPE),                   KERNEL,                    "of " EACH, op_write_elementwise, "elementwise", 1, 1, "sqrt" },
    { "rsqrt",          ELEMENT,  B(SHAPE),                   KERNEL,                    "of " EACH, op_write_elementwise, "elementwise", 1, 1, "rsqrt" },
    { "rng",            ELEMENT,  B(SHAPE),                   KERNEL,                    "random numbers", op_write_elementwise, "rng", 0, 0, NULL },

    { "reduce",         REDUCING, B(SHAPE) | B(DIMS),         KERNEL,                    "sums over those dimensions", op_write_reduce, "reduce", 1, 1, NULL },
    { "pool",           REDUCING, B(SHAPE) | B(WINDOW),       KERNEL,                    "over windows of positions", op_write_pool, "pool", 1, 0, NULL },
    { "sort",           REDUCING, B(SHAPE),                   B(VALUES) | KERNEL,        "along the last dimension", op_write_sort, "sort", 1, 0, NULL },
    { "argmax",         REDUCING, B(SHAPE) | B(DIMS),         KERNEL,                    "place of the largest over those dimensions", op_write_argmax, "reduce", 1, 2, NULL },
    { "softmax",        REDUCING, B(SHAPE),                   0,                         "of the last dimension", op_write_softmax, "", 0, 0, NULL },
    { "layer-norm",     REDUCING, B(SHAPE),                   0,                         "over the last dimension, in training", op_write_layer_norm, "", 0, 0, NULL },
    { "batch-norm",     REDUCING, B(SHAPE),                   0,                         "over all but the second dimension, in training", op_write_batch_norm, "", 0, 0, NULL },
    { "cross-entropy",  REDUCING, B(SHAPE),                   0,                         "mean loss of rows of logits", op_write_cross_entropy, "", 0, 0, NULL },
    { "top-k",          REDUCING, B(SHAPE) | B(K),            KERNEL,                    "largest of the last dimension", op_write_top_k, "sort", 1, 0, NULL },

    { "copy",           MOVING,   B(SHAPE),                   B(TO) | KERNEL,            "any change of layout", op_write_copy, "copy", 1, 0, NULL },
    { "transpose",      MOVING,   B(SHAPE) | B(PERM),         KERNEL,                    "dimensions in another order", op_write_transpose, "copy", 1, 0, NULL },
    { "reshape",        MOVING,   B(SHAPE) | B(TO),           KERNEL,                    "the same elements", op_write_reshape, "copy", 1, 0, NULL },
    { "broadcast",      MOVING,   B(SHAPE) | B(TO),           KERNEL,                    "dimensions of 1 to more", op_write_broadcast, "copy", 1, 0, NULL },
    { "upsample",       MOVING,   B(SHAPE) | B(TO),           KERNEL,                    "each dimension several times", op_write_upsample, "copy", 1, 0, NULL },
    { "pad",            MOVING,   B(SHAPE) | B(TO),           KERNEL,                    "to larger dimensions", op_write_pad, "copy", 1, 0, NULL },
    { "slice",          MOVING,   B(SHAPE) | B(TO),           KERNEL,                    "to smaller dimensions", op_write_slice, "copy", 1, 0, NULL },
    { "concatenate",    MOVING,   B(SHAPE) | B(WITH) | B(AXIS), KERNEL,                  "one after the other", op_write_concatenate, "copy", 2, 0, NULL },
    { "dynamic-update-slice", MOVING, B(SHAPE) | B(WITH),     KERNEL,                    "with= written over a part, in place", op_write_update_slice, "dynamic-update-slice", 0, 0, NULL },

    { "one-hot",        INDEXED,  B(SHAPE) | B(DEPTH),        KERNEL,                    "a row of zeros and a one for each index", op_write_one_hot, "elementwise", 0, 0, NULL },
    { "gather",         INDEXED,  ROWS_KEYS,                  INDEX_KEYS,                "out[i] = table[index[i]]", op_write_gather, "gather", 0, 0, NULL },
    { "scatter",        INDEXED,  ROWS_KEYS,                  INDEX_KEYS,                "table[index[i]] += value[i]", op_write_scatter, "scatter", 0, 0, NULL },
    { "segment-sum",    INDEXED,  ROWS_KEYS,                  INDEX_KEYS,                "a scatter of sorted indices", op_write_scatter, "scatter", 0, 0, NULL },

    { "optimizer",      WEIGHTS,  B(SHAPE),                   B(STATE) | KERNEL,         "any of them", op_write_optimizer, "optimizer", 1, 1, NULL },
    { "sgd",            WEIGHTS,  B(SHAPE),                   KERNEL,                    "no state", op_write_optimizer, "optimizer", 0, 2, NULL },
    { "momentum",       WEIGHTS,  B(SHAPE),                   KERNEL,                    "one tensor of state", op_write_optimizer, "optimizer", 1, 4, NULL },
    { "rmsprop",        WEIGHTS,  B(SHAPE),                   KERNEL,                    "one tensor of state", op_write_optimizer, "optimizer", 1, 8, "rsqrt" },
    { "adam",           WEIGHTS,  B(SHAPE),                   KERNEL,                    "two tensors of state", op_write_optimizer, "optimizer", 2, 12, "rsqrt" },

    { "all-reduce",     CORES,    B(BYTES),                   JOINED,                    "every core gets the sum", op_write_collective, "all-reduce", 0, 0, NULL },
    { "reduce-scatter", CORES,    B(BYTES),                   JOINED,                    "every core gets its part", op_write_collective, "reduce-scatter", 0, 0, NULL },
    { "all-gather",     CORES,    B(BYTES),                   JOINED,                    "every core gets all parts", op_write_collective, "all-gather", 0, 0, NULL },
    { "all-to-all",     CORES,    B(BYTES),                   JOINED,                    "block j of core i to core j", op_write_collective, "all-to-all", 0, 0, NULL },
    { "collective-permute", CORES, B(BYTES),                  JOINED | B(SHIFT),         "from each core to another", op_write_collective, "collective-permute", 0, 0, NULL },
    { "collective-broadcast", CORES, B(BYTES),                JOINED,                    "from the first core of a group to all", op_write_collective, "collective-broadcast", 0, 0, NULL },
    { "barrier",        CORES,    0,                          JOINED,                    "no core goes on before all came", op_write_barrier, "barrier", 0, 0, NULL },

    { "infeed",         HOST,     B(BYTES),                   0,                         "a batch from the host", op_write_feed, "infeed", 0, 0, NULL },
    { "outfeed",        HOST,     B(BYTES),                   B(SYNC),                   "results to the host", op_write_feed, "outfeed", 0, 0, NULL },
    { "host",           HOST,     B(TIME),                    B(CALLS) | B(BYTES),       "work that the cores wait for", op_write_host, "host", 0, 0, NULL },
};
/* clang-format on */
const size_t op_n_kinds = sizeof op_kinds / sizeof *op_kinds;

const struct op_kind *op_kind_find(const char *name, struct err *err)
{
    const char *names[sizeof op_kinds / sizeof *op_kinds];

    for (size_t i = 0; i < op_n_kinds; i++) {
        names[i] = op_kinds[i].name;
        if (strcmp(name, names[i]) == 0)
            return &op_kinds[i];
    }
    const char *near = err_nearest(name, names, (unsigned)op_n_kinds);
    err_set(err, ERR_UNKNOWN, "unknown operation '%.64s'; %s%s%s", name,
            near ? "did you mean '" : "`cyclotron op` lists them", near ? near : "",
            near ? "'?" : "");
    return NULL;
}
