/* trace.h - one training step, operation by operation: the data model, the reader, the writer.
 *
 * A trace is text, one item a line (grammar: docs/trace-format.md), or the same text in a zstd
 * container of seekable frames with checksums.  The reader hands out one item at a time and keeps
 * the names in scope and one line: memory does not grow with the number of steps.  It validates
 * everything, so nothing after it needs to: names are defined once and before use, shapes are
 * positive, GEMM dimensions agree with the shapes, blocks balance, kinds are known. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* --- types and shapes --------------------------------------------------------------------- */

/* clang-format off */
/*    enum  text    bytes */
#define TRACE_DTYPES(D)                                                                            \
    D(F32,  "f32",  4)  D(BF16, "bf16", 2)  D(F16, "f16", 2)  D(F64, "f64", 8)                     \
    D(S8,   "s8",   1)  D(U8,   "u8",   1)  D(S32, "s32", 4)  D(U32, "u32", 4)                     \
    D(S64,  "s64",  8)  D(U64,  "u64",  8)  D(PRED, "pred", 1)                                     \
    D(F8E4M3FN, "f8e4m3fn", 1)  D(F8E5M2, "f8e5m2", 1)
/* clang-format on */
enum trace_dtype {
#define D(id, text, bytes) TRACE_##id,
    TRACE_DTYPES(D)
#undef D
        TRACE_N_DTYPES
};
extern const char *const trace_dtype_name[TRACE_N_DTYPES];
extern const uint32_t trace_dtype_bytes[TRACE_N_DTYPES];

#define TRACE_MAX_RANK 8
struct trace_shape {
    enum trace_dtype dtype;
    uint32_t rank;                /* 0: a scalar */
    uint64_t dim[TRACE_MAX_RANK]; /* each at least 1; the product fits 63 bits */
};
uint64_t trace_elements(const struct trace_shape *s);
uint64_t trace_bytes(const struct trace_shape *s); /* logical bytes, unpadded */

/* Persistent tensors live for the whole run and keep their place; the results of operations are
 * activations, and live from their operation to their last use inside their block. */
/* clang-format off */
#define TRACE_ROLES(R)                                                                             \
    R(INPUT, "input") R(WEIGHT, "weight") R(STATE, "state") R(CONSTANT, "constant")                \
    R(ACTIVATION, "activation") R(GRADIENT, "gradient")
/* input: fed by the host; weight: trained; state: of the optimizer or moving averages, not trained;
 * constant: never written; activation, gradient: results of operations */
enum trace_role {
#define R(id, text) TRACE_##id,
    TRACE_ROLES(R)
#undef R
    TRACE_N_ROLES
};
extern const char *const trace_role_name[TRACE_N_ROLES];

/* --- operations --------------------------------------------------------------------------- */

/*     enum                text                  a GEMM?  */
#define TRACE_KINDS(K)                                                                             \
    K(MATMUL,             "matmul")             /* C[b,m,n] = A[b,m,k] B[b,k,n] */                 \
    K(CONV,               "conv")               /* forward convolution, 1-D to 3-D */              \
    K(CONV_DGRAD,         "conv-dgrad")         /* gradient of the input */                        \
    K(CONV_WGRAD,         "conv-wgrad")         /* gradient of the filter */                       \
    K(ELEMENTWISE,        "elementwise")                                                           \
    K(REDUCE,             "reduce")                                                                \
    K(COPY,               "copy")               /* pad, concatenate, slice, upsample, transpose */ \
    K(POOL,               "pool")                                                                  \
    K(RNG,                "rng")                                                                   \
    K(SORT,               "sort")                                                                  \
    K(GATHER,             "gather")                                                                \
    K(SCATTER,            "scatter")            /* scatter-add, segment-sum */                     \
    K(UPDATE_SLICE,       "dynamic-update-slice") /* part of a tensor written over */             \
    K(OPTIMIZER,          "optimizer")          /* updates weights and state in place */           \
    K(ALL_REDUCE,         "all-reduce")                                                            \
    K(REDUCE_SCATTER,     "reduce-scatter")                                                        \
    K(ALL_GATHER,         "all-gather")                                                            \
    K(ALL_TO_ALL,         "all-to-all")                                                            \
    K(PERMUTE,            "collective-permute")                                                    \
    K(BROADCAST,          "collective-broadcast")                                                  \
    K(BARRIER,            "barrier")                                                               \
    K(SEND,               "send")               /* from a core of a stage to one of another */    \
    K(INFEED,             "infeed")                                                                \
    K(OUTFEED,            "outfeed")                                                               \
    K(HOST,               "host")               /* work of the host CPU the device waits for */    \
    K(LAUNCH,             "launch")             /* the host starts a device program */             \
    K(LOAD,               "load")               /* the host reads files from storage */            \
    K(COMPILE,            "compile")            /* XLA compiles a program */                       \
    K(RESTART,            "restart")            /* a training loop ends and begins: variables out and in */ \
    K(FUSION,             "fusion")             /* a block of the above run as one kernel */       \
    K(UNKNOWN,            "")                   /* kept by name when the reader allows it */
/* clang-format on */
enum trace_kind {
#define K(id, text) TRACE_##id,
    TRACE_KINDS(K)
#undef K
        TRACE_N_KINDS
};
extern const char *const trace_kind_name[TRACE_N_KINDS];

/* Does it run on the matrix unit?  Its b, m, n and k are set then. */
static inline bool trace_is_gemm(enum trace_kind k)
{
    return k == TRACE_MATMUL || k == TRACE_CONV || k == TRACE_CONV_DGRAD || k == TRACE_CONV_WGRAD;
}

/* Async: `all-reduce-start` and `all-reduce-done` (likewise for the other collectives, infeed and
 * outfeed) are the kind with one of these. */
enum trace_async { TRACE_SYNC, TRACE_START, TRACE_DONE };

/* Convolution window, one entry per spatial dimension.  Filter layout [o, c / groups, spatial...],
 * image layout [b, c, spatial...].  Of a dgrad or wgrad it is the window of the forward
 * convolution.
 */
struct trace_window {
    uint32_t rank; /* 1 to 3 */
    uint64_t size[3], stride[3], dilate[3];
    int64_t pad_lo[3], pad_hi[3]; /* zeros added before and after; below 0: elements left out */
};

/* Which of an operation's values are on chip already, or stay there: bits of trace_op.resident. */
enum trace_resident {
    TRACE_RESIDENT_LHS = 1, /* the first operand */
    TRACE_RESIDENT_RHS = 2, /* the second */
    TRACE_RESIDENT_OUT = 4, /* every result */
};

/* What an element-wise operation or an optimizer does to each element besides adding, multiplying
 * and comparing (fn=). */
/* clang-format off */
#define TRACE_FNS(F)                                                                               \
    F(ADD, "add") F(SELECT, "select") F(CONVERT, "convert")                                        \
    F(DIVIDE, "divide") F(SQRT, "sqrt") F(RSQRT, "rsqrt")                                          \
    F(EXP, "exponential") F(LOG, "log") F(TANH, "tanh") F(LOGISTIC, "logistic") F(POWER, "power")  \
    F(SINE, "sine") F(COSINE, "cosine") F(ERF, "erf")
/* clang-format on */
enum trace_fn { /* ADD: nothing besides */
#define F(id, text) TRACE_FN_##id,
                TRACE_FNS(F)
#undef F
                    TRACE_N_FNS
};
extern const char *const trace_fn_name[TRACE_N_FNS];

/* What an operation asks of a CPU: calls * call_fs + items * item_fs + bytes * byte_fs
 * femtoseconds, shared equally by as many threads as there are cores for. */
struct trace_work {
    uint64_t calls, call_fs; /* calls= (1), time= */
    uint64_t items, item_fs; /* items=, item-time= */
    uint64_t bytes, byte_fs; /* bytes=, byte-time=; load, infeed: bytes read from storage */
    uint64_t threads;        /* threads= (1) */
    uint64_t readers;        /* load, infeed: streams read at once (readers=, 1) */
    bool client;             /* client=1: once, on the machine that drives all hosts */
    bool fallback;           /* fallback=1: for want of a kernel on the device */
    uint64_t staleness; /* staleness=: the client serves each core by itself, which goes on while at
                           most so many of its calls have no answer; 0: all together */
};

/* How a collective goes; docs/collectives.md says what each does. */
/* clang-format off */
#define TRACE_ALGORITHMS(A)                                                                        \
    A(AUTO, "auto") A(TORUS, "torus") A(RING, "ring") A(HIERARCHICAL, "hierarchical")              \
    A(LINE, "line") A(HALVING, "halving-doubling") A(TREE, "tree")                                 \
    A(RING_ONE_WAY, "ring-one-way") A(DIRECT, "direct")
enum trace_algorithm {
#define A(id, text) TRACE_BY_##id,
    TRACE_ALGORITHMS(A)
#undef A
    TRACE_N_ALGORITHMS
};
/* clang-format on */
extern const char *const trace_algorithm_name[TRACE_N_ALGORITHMS];

/* Is it a collective? */
static inline bool trace_is_collective(enum trace_kind k)
{
    return k >= TRACE_ALL_REDUCE && k <= TRACE_BARRIER;
}

/* Products of f32 operands: rounded to what the trace says, or in more bf16 parts. */
/* clang-format off */
#define TRACE_PRECISIONS(P) P(DEFAULT, "default") P(HIGH, "high") P(HIGHEST, "highest")
enum trace_precision {
#define P(id, text) TRACE_##id,
    TRACE_PRECISIONS(P)
#undef P
    TRACE_N_PRECISIONS
};
/* clang-format on */
extern const char *const trace_precision_name[TRACE_N_PRECISIONS];

#define TRACE_MAX_STALENESS 16

/* A pipelined step: which cores run an operation.  The cores of a slice are cut into stages of
 * equal size, the first of them stage 0; what has no stage is run, or kept, by all. */
#define TRACE_NO_STAGE UINT64_MAX

struct trace_value { /* an operand or a result */
    uint32_t id;     /* index of the tensor, dense, reused once a scope ends: see trace_tensor() */
};

/* One operation.  Arrays belong to the reader and are valid until the next trace_next(). */
struct trace_op {
    enum trace_kind kind;
    enum trace_async async;
    const char *kind_text; /* as written, also when unknown */
    const char *name; /* attribute name=, or the first result's name, or the kind; never NULL */
    const struct trace_value *in, *out;
    uint32_t n_in, n_out;
    uint64_t flops;         /* useful: mul + add = 2.  GEMM kinds derive it when flops= is absent */
    uint64_t reads, writes; /* logical bytes of one run without fusion: attribute reads=, writes=
                               or by the rule of the kind (docs/trace-format.md) */
    uint64_t b, m, k, n;    /* the GEMM that is executed, for GEMM kinds (a convolution is its
                               im2col GEMM; dgrad and wgrad likewise; b groups), else 0 */
    struct trace_window win; /* convolutions */
    uint64_t groups;         /* of channels that see each other alone; at least 1 */
    uint32_t fn;             /* enum trace_fn: one of them for each element, among its flops */
    uint64_t fn_flops;       /* ... or so many of them, at least 1 */
    uint32_t over;           /* reduce: bits of the dimensions of its operands that are summed over,
                                0: those that its results lack (dims=) */
    uint32_t resident;       /* enum trace_resident: these do not cross HBM (resident=) */
    uint64_t rows, cols;     /* gather, scatter: rows moved, elements per row; sort: sorts, keys */
    uint64_t table_rows;     /* gather, scatter: rows of the indexed table */
    bool sorted, unique;     /* gather, scatter indices */
    bool loop;               /* gather, scatter: lowered to a loop of a turn for each row */
    enum trace_precision precision; /* GEMM kinds, of f32 operands */
    bool ta, tb;                    /* matmul: that operand is stored transposed */
    bool has_bias;                  /* matmul, conv: a bias is added for free ... */
    struct trace_value bias;        /* ... a use of this tensor, but no operand */
    uint64_t payload;      /* collectives, infeed, outfeed: bytes per replica; the start and the
                              done of an asynchronous operation carry the same */
    uint32_t group;        /* collectives: replicas in a group; 0 means all */
    uint64_t group_stride; /* and how far apart they are, at least 1: replica i of group g is
                              (g / stride) * group * stride + i * stride + g % stride */
    uint64_t combine;      /* all-reduce: operands in a row that have no more bytes together go as
                              one; 0: as the machine does */
    bool sharded;          /* all-reduce, optimizer: each replica gets the sum of its share alone,
                              updates that and gathers the weights of the others */
    uint64_t stage;        /* whose cores run it, or TRACE_NO_STAGE; of a member its fusion's; of a
                              send the sender's, of its done the receiver's */
    uint64_t to;           /* send-start: the stage that receives */
    uint64_t shift;        /* collective-permute: member i sends to member i + shift */
    enum trace_algorithm algorithm; /* collectives: forced, or TRACE_BY_AUTO */
    struct trace_work work;         /* host, launch, load, compile, restart; infeed from storage */
    bool sync;        /* outfeed: the host reads the value before it goes on (sync=1) */
    const char *note; /* attribute note="...", or NULL */
    uint64_t given;   /* attributes in the text, for the printer: bits by attr.h */
    uint32_t line;
};

/* The reader keeps a tensor at its place until its scope has ended and another one takes its id. */
struct trace_tensor {
    const char *name; /* without the % */
    struct trace_shape shape;
    enum trace_role role;
    uint64_t stage; /* whose cores have it, or TRACE_NO_STAGE: all */
};

/* --- items -------------------------------------------------------------------------------- */

enum trace_item_kind {
    TRACE_ITEM_HEADER,     /* always first: trace_head() is filled */
    TRACE_ITEM_TENSOR,     /* a persistent tensor: item.value */
    TRACE_ITEM_STEP_BEGIN, /* step { : activations inside are local to the step; item.count */
    TRACE_ITEM_STEP_END,
    TRACE_ITEM_PHASE,        /* item.name; until the next phase or the end of the block */
    TRACE_ITEM_OP,           /* item.op, never a FUSION */
    TRACE_ITEM_FUSION_BEGIN, /* item.op: kind FUSION, name, out = the values that leave the block;
                                their ids hold from here on, their shapes only once the member that
                                defines them (under the same id) has been read */
    TRACE_ITEM_FUSION_END,   /* item.op as at the begin; its results are defined from here on */
    TRACE_ITEM_REPEAT_BEGIN, /* item.count; the product of nested counts fits 63 bits */
    TRACE_ITEM_REPEAT_END,
    TRACE_ITEM_END, /* end of the trace; every block was closed */
};

struct trace_item {
    enum trace_item_kind kind;
    uint32_t line; /* in the text, 1-based */
    const char *name;
    uint64_t count; /* of a repeat: rounds; of a step: it runs once in so many steps */
    struct trace_value value;
    struct trace_op op;
};

/* Lines a trace leaves out: samples step=1, dtype tensors=f32 matmul=bf16 activations=keep. */
struct trace_header {
    uint32_t version;
    char workload[64];
    uint64_t samples_per_step;  /* per replica, at least 1 */
    uint64_t samples_per_epoch; /* of the whole data set; 0: unknown */
    uint64_t steps_per_epoch;   /* 0: the whole global batches of samples_per_epoch */
    uint64_t shared;            /* so many replicas share the samples of a step, at least 1 */
    uint64_t cores;             /* the trace is one of so many replicas; 0: of any number */
    uint64_t stages;            /* of a pipelined step; at least 1 */
    enum trace_dtype tensors;   /* what values are declared in, as a rule */
    enum trace_dtype matmul;    /* what the MXU may round operands to */
    bool narrow_activations;    /* the compiler may keep activations that only feed matmuls and
                                   convolutions in the `matmul` dtype in memory */
    uint32_t n_params;          /* of the generator, for provenance */
    struct {
        char key[32];
        char value[64];
    } param[32];
    char provenance[512];
};

/* --- reading ------------------------------------------------------------------------------ */

struct trace; /* a reader */

/* Open a trace, text or zstd, told apart by its first bytes, and read its header; "-" is standard
 * input.  `allow_unknown`: hand out operations of unknown kind as TRACE_UNKNOWN instead of refusing
 * them.  `*t` is NULL on error.  Errors: those of trace_next(). */
int trace_open(struct trace **t, const char *path, bool allow_unknown, struct err *err);
/* The same from memory, for generators and tests; `name` is used in messages.  `data` is borrowed.
 */
int trace_open_memory(struct trace **t, const char *name, const void *data, size_t size,
                      bool allow_unknown, struct err *err);
void trace_close(struct trace *t); /* NULL is allowed */

/* The next item, the header first.  After TRACE_ITEM_END, again TRACE_ITEM_END; after an error, the
 * same error.  Errors: ERR_FORMAT, ERR_UNKNOWN, ERR_RANGE, ERR_UNIT, each "file:line:col: what,
 * expected, nearest"; of a damaged container "file: what"; ERR_IO. */
int trace_next(struct trace *t, struct trace_item *item, struct err *err);

/* Start again from the header.  Standard input that cannot be rewound is kept in a temporary file
 * from the start.  Errors: ERR_IO. */
int trace_rewind(struct trace *t, struct err *err);

const struct trace_header *trace_head(const struct trace *t);
const struct trace_tensor *trace_tensor(const struct trace *t, struct trace_value v);
const char *trace_file(const struct trace *t); /* for messages */
/* XXH64 of the text read so far; after TRACE_ITEM_END that of the whole trace. */
uint64_t trace_checksum(const struct trace *t);

/* --- writing ------------------------------------------------------------------------------ */

/* Write `item`, the one trace_next() gave last, as its canonical line (of the header: lines; blocks
 * indented by two spaces), appended to `out`.  Reading what was printed and printing it again gives
 * the same bytes. */
void trace_print(const struct trace *t, const struct trace_item *item, FILE *out);

/* Text in, zstd container out: frames of at most 1 MiB of text, cut at line ends, each with its
 * checksum, and a seek table (zstd seekable format 0.1.0).  The text is not checked.
 * Errors: ERR_IO. */
int trace_pack(FILE *text, FILE *zst, struct err *err);
/* Container (or text) in, the very bytes of the text out.  Errors: ERR_IO, ERR_FORMAT. */
int trace_unpack(const char *path, FILE *text, struct err *err);

/* --- totals ------------------------------------------------------------------------------- */

/* Sums over one pass through all steps, `repeat` multiplied out; not of those that run between the
 * others. */
struct trace_totals {
    uint64_t ops, fusions; /* executed; ops: fusion members counted, fusions not */
    uint64_t ops_written, steps, phases, tensors; /* lines of the text; tensors: persistent */
    mpz_t flops, reads, writes; /* reads, writes: without infeed, outfeed, collectives */
    mpz_t reduce_bytes, infeed_bytes, outfeed_bytes; /* payloads per replica; reduce: collectives */
    mpz_t parameters, weight_bytes, state_bytes, input_bytes;
};
void trace_totals_init(struct trace_totals *s);
void trace_totals_clear(struct trace_totals *s);
/* Read the whole trace (from its start) and add up; checks everything on the way. */
int trace_sum(struct trace *t, struct trace_totals *s, struct err *err);

#endif
