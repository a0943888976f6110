/* trace.h - one training step, operation by operation: the data model, the reader, the writer.
 *
 * A trace is text, one item per line (grammar: docs/reference/trace-format.md), or the same text in
 * a zstd container of seekable frames with checksums.  The reader returns one item at a time.  It
 * keeps the names in scope and one line, so memory does not grow with the number of steps.  It
 * checks everything, so its users check nothing: names are defined once and before use, shapes are
 * positive, GEMM dimensions agree with the shapes, blocks are closed, kinds are known. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdio.h> /* before gmp.h, which declares what takes a FILE only then */

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "trace/kind/basis.h"
#include "trace/kind/kernel_facts.h"
#include "trace/kind/kinds.h"
#include "trace/kind/place.h"

/* --- types and shapes --------------------------------------------------------------------- */

/* The names are XLA's.  Those of fewer than 8 bits take a byte each in memory, unless a layout
 * packs them (struct trace_layout). */
/* clang-format off */
/*    enum  text    bits */
#define TRACE_DTYPES(D)                                                                            \
    D(F32,  "f32",  32)  D(BF16, "bf16", 16)  D(F16, "f16", 16)  D(F64, "f64", 64)                 \
    D(S8,   "s8",   8)   D(U8,   "u8",   8)   D(S32, "s32", 32)  D(U32, "u32", 32)                 \
    D(S64,  "s64",  64)  D(U64,  "u64",  64)  D(PRED, "pred", 8)                                   \
    D(F8E4M3FN, "f8e4m3fn", 8)  D(F8E5M2, "f8e5m2", 8)                                             \
    D(S1, "s1", 1)  D(S2, "s2", 2)  D(S4, "s4", 4)  D(S16, "s16", 16)                              \
    D(U1, "u1", 1)  D(U2, "u2", 2)  D(U4, "u4", 4)  D(U16, "u16", 16)                              \
    D(F4E2M1FN, "f4e2m1fn", 4)  D(F8E3M4, "f8e3m4", 8)  D(F8E4M3, "f8e4m3", 8)                     \
    D(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8)  D(F8E4M3FNUZ, "f8e4m3fnuz", 8)                           \
    D(F8E5M2FNUZ, "f8e5m2fnuz", 8)  D(F8E8M0FNU, "f8e8m0fnu", 8)                                   \
    D(C64, "c64", 64)  D(C128, "c128", 128)
/* clang-format on */
enum trace_dtype {
#define D(id, text, bits) TRACE_##id,
    TRACE_DTYPES(D)
#undef D
        TRACE_N_DTYPES
};
extern const char *const trace_dtype_name[TRACE_N_DTYPES];
/* "; did you mean 'f32'?" for a name that is no type, "" where none is near; of 8-bit floating
 * point, which there are.
 * Returns `buf`; 96 bytes suffice. */
char *trace_dtype_hint(const char *name, char *buf, size_t size);
extern const uint32_t trace_dtype_bits[TRACE_N_DTYPES];
extern const uint32_t trace_dtype_bytes[TRACE_N_DTYPES]; /* in memory; at least 1 */

struct trace_shape {
    enum trace_dtype dtype;
    uint32_t rank;                /* 0: a scalar */
    uint64_t dim[TRACE_MAX_RANK]; /* each at least 1; the bytes fit 63 bits */
    struct trace_layout layout;   /* as a compiled program states it, else zero */
};
uint64_t trace_elements(const struct trace_shape *s); /* the product of its dimensions */
/* Bytes of the elements, without padding: what they are worth, in the bits that they take. */
uint64_t trace_bare_bytes(const struct trace_shape *s);
/* Bytes of a value: in its layout, padded, where one is stated; else trace_bare_bytes(). */
uint64_t trace_bytes(const struct trace_shape *s);

/* The memory that a value of this shape is in. */
static inline enum trace_space trace_space(const struct trace_shape *s)
{
    return (enum trace_space)s->layout.space;
}

/* Persistent tensors (input, weight, state, constant) live for the whole run at one place in
 * memory. Results of operations (activation, gradient) live from their operation to their last use
 * inside their block. */
/* clang-format off */
#define TRACE_ROLES(R)                                                                             \
    R(INPUT, "input") R(WEIGHT, "weight") R(STATE, "state") R(CONSTANT, "constant")                \
    R(ACTIVATION, "activation") R(GRADIENT, "gradient")
/* input: fed by the host; weight: trained; state: optimizer state or moving averages, not trained;
 * constant: never written; activation, gradient: results of operations */
enum trace_role {
#define R(id, text) TRACE_##id,
    TRACE_ROLES(R)
#undef R
    TRACE_N_ROLES
};
extern const char *const trace_role_name[TRACE_N_ROLES];

/* --- operations --------------------------------------------------------------------------- */

/* A collective, infeed, outfeed, copy or kernel is one line (SYNC), or a start and a done:
 * `all-reduce-start` and `all-reduce-done` have the kind ALL_REDUCE with START and DONE.  The
 * results of a start are a handle u32[], or the memory that those of its done take the place of. */
enum trace_async { TRACE_SYNC, TRACE_START, TRACE_DONE };

/* The window of a convolution, one entry per spatial dimension.  Filters are
 * [o, c / groups, spatial...], images [b, c, spatial...].  The gradients conv-dgrad and conv-wgrad
 * have the window of their forward convolution. */
struct trace_window {
    uint32_t rank; /* 1 to 3 */
    uint64_t size[3], stride[3], dilate[3];
    int64_t pad_lo[3], pad_hi[3]; /* zeros added before and after; below 0: elements removed */
};

/* Values that are on chip already, or stay there: bits of trace_op.resident. */
enum trace_resident {
    TRACE_RESIDENT_LHS = 1, /* the first operand */
    TRACE_RESIDENT_RHS = 2, /* the second */
    TRACE_RESIDENT_OUT = 4, /* every result */
    TRACE_RESIDENT_ALL = 8, /* whatever there is room for, as if the kernel ran again and again */
};

/* The function that an element-wise operation, reduce or optimizer evaluates for each element,
 * besides adding, multiplying and comparing (fn=). */
/* clang-format off */
#define TRACE_FNS(F)                                                                               \
    F(ADD, "add") F(SELECT, "select") F(CONVERT, "convert")                                        \
    F(DIVIDE, "divide") F(SQRT, "sqrt") F(RSQRT, "rsqrt")                                          \
    F(EXP, "exponential") F(LOG, "log") F(TANH, "tanh") F(LOGISTIC, "logistic") F(POWER, "power")  \
    F(SINE, "sine") F(COSINE, "cosine") F(ERF, "erf")
/* clang-format on */
enum trace_fn { /* ADD: none */
#define F(id, text) TRACE_FN_##id,
                TRACE_FNS(F)
#undef F
                    TRACE_N_FNS
};
extern const char *const trace_fn_name[TRACE_N_FNS];

/* Work of a CPU:
 *
 *     calls * call_fs + items * item_fs + bytes * byte_fs femtoseconds
 *
 * divided equally over `threads` threads, at most as many as the CPU has cores. */
struct trace_work {
    uint64_t calls, call_fs; /* calls= (default 1), time= */
    uint64_t items, item_fs; /* items=, item-time= */
    uint64_t bytes, byte_fs; /* bytes=, byte-time=; of load and infeed: bytes read from storage */
    uint64_t threads;        /* threads= (default 1) */
    uint64_t readers;        /* load, infeed: streams read at once (readers=, default 1) */
    bool client;             /* client=1: done once, by the client, which drives all hosts */
    bool fallback;           /* fallback=1: the device has no kernel for it */
    uint64_t staleness; /* staleness=: the client serves each core alone, and a core continues while
                           at most so many of its calls are unanswered; 0: all cores together */
};

/* Algorithms of collectives (algorithm=); docs/model/collectives.md describes them. */
/* clang-format off */
#define TRACE_ALGORITHMS(A)                                                                        \
    A(AUTO, "auto") A(TORUS, "torus") A(RING, "ring") A(HIERARCHICAL, "hierarchical")              \
    A(LINE, "line") A(HALVING, "halving-doubling") A(TREE, "tree")                                 \
    A(RING_ONE_WAY, "ring-one-way") A(DIRECT, "direct") A(EXCHANGE, "exchange")
enum trace_algorithm {
#define A(id, text) TRACE_BY_##id,
    TRACE_ALGORITHMS(A)
#undef A
    TRACE_N_ALGORITHMS
};
/* clang-format on */
extern const char *const trace_algorithm_name[TRACE_N_ALGORITHMS];

/* Products of f32 operands (precision=): DEFAULT rounds operands to the dtype of the header's
 * matmul=; HIGH and HIGHEST split them into several bf16 parts. */
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

#define TRACE_MAX_STALENESS 16 /* of staleness= */

/* The stage of an operation or value without stage=: all cores run or keep it.  In a pipelined step
 * the cores of a slice are divided into stages of equal size, numbered from 0. */
#define TRACE_NO_STAGE UINT64_MAX

#define TRACE_MAX_PASSES 1000 /* passes= of an operation */

struct trace_value { /* an operand or a result */
    uint32_t id;     /* of the tensor, for trace_tensor(); dense, and reused when its scope ends */
};

/* One operation.  Its arrays and strings belong to the reader and are valid until the next
 * trace_next(). */
struct trace_op {
    enum trace_kind kind;
    enum trace_async async;
    const char *kind_text; /* as written, also when unknown */
    const char *name; /* attribute name=, or the first result's name, or the kind; never NULL */
    const struct trace_value *in, *out;
    uint32_t n_in, n_out;
    uint64_t flops;         /* useful; a multiply-add is 2.  flops=, else derived for GEMM kinds */
    uint64_t reads, writes; /* logical bytes of one run without fusion: reads=, writes=, else by the
                               rule of the kind (docs/reference/trace-format.md) */
    uint64_t b, m, k, n;    /* GEMM kinds: the GEMM C[b,m,n] = A[b,m,k] B[b,k,n].  A convolution and
                               its gradients are their im2col GEMM, with b groups.  Else 0 */
    struct trace_window win; /* convolutions */
    uint64_t groups;         /* of channels: an output reads the inputs of its group; at least 1 */
    uint32_t fn;             /* enum trace_fn, evaluated for each element */
    uint64_t fn_flops;       /* how many of the flops of an element it is counted as; at least 1 */
    uint64_t passes;     /* operations of a framework without a compiler that it stands for: each
                            reads values of the longest operand's or result's size and writes
                            such; at least 1 */
    bool library;        /* a fusion that is one kernel of a framework's library */
    uint64_t dispatch;   /* time of the host before it launches it, in hundredths of a launch of a
                            kernel, as a profiler recorded it; 0: not stated */
    uint64_t einsums;    /* of them einsums that sum nothing: products of a vector by a number */
    uint32_t over;       /* reduce: bits of the operands' dimensions that are summed over (dims=);
                            0: those that the results lack */
    uint32_t resident;   /* bits of enum trace_resident: values that do not cross HBM */
    uint64_t rows, cols; /* gather, scatter: rows, elements per row; sort: sorts, keys per sort */
    uint64_t table_rows; /* gather, scatter: rows of the indexed table */
    bool sorted, unique; /* gather, scatter indices */
    bool loop;           /* gather, scatter: lowered to a loop with an iteration per row */
    enum trace_precision precision; /* GEMM kinds, of f32 operands */
    bool ta, tb;                    /* matmul: that operand is stored transposed */
    bool has_bias;                  /* matmul, conv: adds a bias at no cost */
    struct trace_value bias;        /* a use of this tensor, but no operand */
    uint64_t payload;      /* collectives, infeed, outfeed: bytes per replica; the start and the
                              done of an asynchronous operation carry the same */
    uint32_t group;        /* collectives: replicas in a group; 0 means all */
    uint64_t group_stride; /* distance of the replicas of a group, at least 1: replica i of group g
                              is (g / stride) * group * stride + i * stride + g % stride */
    uint64_t combine;      /* all-reduce: consecutive operands of at most so many bytes together are
                              reduced as one; 0: the machine's parameter decides */
    bool sharded;          /* all-reduce, optimizer: each replica reduces and updates its share of
                              the weights, and gathers the shares of the others */
    bool carried;          /* start of a collective: kernels carry the rest of it (carried=1) */
    uint64_t stage;        /* the stage that runs it, or TRACE_NO_STAGE.  A member has that of its
                              fusion, a send that of the sender, its done that of the receiver */
    uint64_t to;           /* send-start: the stage that receives */
    uint64_t shift;        /* collective-permute: member i sends to member i + shift */
    const char *members;   /* collectives: groups one by one (members.h), or NULL; group has their
                              size, 0 where they differ */
    const char *pairs;     /* collective-permute: who sends to whom, or NULL */
    enum trace_algorithm algorithm; /* collectives: the one to use; BY_AUTO: the machine chooses */
    struct trace_work work;         /* host, launch, load, compile, restart; infeed from storage */
    bool early;                     /* copy-start: the program before may begin it (early=1) */
    const struct trace_compiled *compiled; /* kernel, kernel-start: what is stated; else NULL */
    bool sync;                  /* outfeed: the host reads the value before it continues (sync=1) */
    const char *scope, *source; /* scope="jit(step)/conv", source="gan3d.py:56", or NULL */
    uint32_t basis;             /* bits of enum trace_basis; 0: its cost is as the program states */
    const char *note;           /* attribute note="...", or NULL */
    uint64_t given;             /* attributes in the text, for the printer: bits of attr.h */
    uint32_t line;
};

/* A tensor does not move, and can be read until its scope has ended and another tensor has its id.
 */
struct trace_tensor {
    const char *name; /* without the % */
    struct trace_shape shape;
    enum trace_role role;
    uint64_t stage; /* the stage that has it, or TRACE_NO_STAGE: all cores */
    /* a result `at` another value takes its place: the same bytes, from the first definition to the
     * last use of either; `at` is in scope as long as the result */
    bool placed;
    struct trace_value at;
};

/* --- items -------------------------------------------------------------------------------- */

enum trace_item_kind {
    TRACE_ITEM_HEADER,     /* always first: trace_head() has it */
    TRACE_ITEM_TENSOR,     /* a persistent tensor: item.value */
    TRACE_ITEM_STEP_BEGIN, /* "step {"; its activations end with it; item.count: every=, or 0 */
    TRACE_ITEM_STEP_END,
    TRACE_ITEM_PHASE,        /* item.name; until the next phase or the end of the block */
    TRACE_ITEM_OP,           /* item.op, never a FUSION */
    TRACE_ITEM_FUSION_BEGIN, /* item.op: kind FUSION, name, out = the values that leave the block.
                                Their ids are valid from here on, their shapes after the member that
                                defines them */
    TRACE_ITEM_FUSION_END,   /* item.op as at the begin; its results are defined */
    TRACE_ITEM_REPEAT_BEGIN, /* item.count; the product of nested counts fits 63 bits */
    TRACE_ITEM_REPEAT_END,
    TRACE_ITEM_END, /* end of the trace; every block was closed */
};

struct trace_item {
    enum trace_item_kind kind;
    uint32_t line; /* in the text, 1-based */
    const char *name;
    uint64_t count; /* repeat: iterations; step: it runs once in so many steps */
    struct trace_value value;
    struct trace_op op;
};

/* Rows that were added to a step so that its shapes stay fixed: of `padded` rows, `real` hold data,
 * on average over the steps with this size. */
#define TRACE_MAX_PADDING 64
#define TRACE_SAMPLES "samples" /* the name of samples themselves */
struct trace_padding {
    char name[32]; /* "nodes" */
    uint64_t real, padded;
};

/* The target of a compiled program, and figures that the compiler reported (header line `program`).
 */
#define TRACE_UNKNOWN_COMPILER "unknown" /* the program does not say which it was */
#define TRACE_OWN_COMPILER "cyclotron"   /* none: kernels and layouts are those of our own passes */
struct trace_program {
    bool given;
    char compiler[64];          /* "jax 0.10.2" */
    char machine[32];           /* of the machine files: "tpu-v3-8"; "": not said */
    char topology[32];          /* "v3:2x2" */
    uint64_t cores;             /* devices that run it; 0: not said */
    bool megacore;              /* a device is the two cores of a chip */
    bool scheduled;             /* the order of operations is that of the compiler */
    bool gpu;                   /* it was compiled for a GPU, else for a TPU */
    uint64_t peak, temporaries; /* bytes of HBM on a device, as reported; 0: not said */
    uint64_t slices;            /* that its devices are in, alike; 0: one */
};

/* The work of a recorded step, where its trace leaves some out; else all 0. */
struct trace_recorded {
    uint64_t kernels, time; /* in the recording: how many, ns of all */
    uint64_t unread;        /* ns of those whose operation was not read, at most `time` */
    uint64_t lost;          /* launches whose kernels the recording does not have */
};
/* q = the share of it that is left out: lost kernels count like others on average. */
void trace_unread_share(mpq_t q, const struct trace_recorded *r);

/* True if a compiler has cut its kernels for a kind of chip. */
static inline bool trace_is_compiled(const struct trace_program *p)
{
    return p->given && p->scheduled && strcmp(p->compiler, TRACE_OWN_COMPILER) != 0;
}

/* F32 activations that the compiler may keep in the `matmul` dtype in memory: none, all that a
 * product reads, those that nothing but products reads. */
#define TRACE_ACTIVATIONS(A) A(KEEP, "keep") A(NARROW, "narrow") A(PRODUCTS, "products")
enum trace_activations {
#define A(id, text) TRACE_ACTIVATIONS_##id,
    TRACE_ACTIVATIONS(A)
#undef A
        TRACE_N_ACTIVATIONS
};
extern const char *const trace_activations_name[TRACE_N_ACTIVATIONS];

/* Who runs the step: decides what a GPU does where nobody tells it otherwise (header line
 * `framework`). */
#define TRACE_FRAMEWORKS(F)                                                                        \
    F(UNSTATED, "") F(PYTORCH, "pytorch") F(JAX, "jax") F(TENSORFLOW, "tensorflow")
enum trace_framework {
#define F(id, text) TRACE_##id,
    TRACE_FRAMEWORKS(F)
#undef F
        TRACE_N_FRAMEWORKS
};
extern const char *const trace_framework_name[TRACE_N_FRAMEWORKS];

/* The header.  Lines that are left out mean: samples step=1, dtype tensors=f32 matmul=bf16
 * activations=keep, a framework that nobody states. */
struct trace_header {
    uint32_t version;
    char workload[64];
    bool samples_unknown;       /* samples step=unknown: nobody has said how many, and they are 1 */
    uint64_t samples_per_step;  /* per replica, at least 1 */
    uint64_t samples_per_epoch; /* of the whole data set; 0: unknown */
    uint64_t steps_per_epoch;   /* 0: samples_per_epoch / global batch, rounded down */
    uint64_t shared;            /* replicas that share the samples of a step, at least 1 */
    uint64_t cores;             /* the trace is for so many replicas; 0: for any number */
    uint64_t stages;            /* of a pipelined step; at least 1 */
    enum trace_dtype tensors;   /* dtype of most values */
    enum trace_dtype matmul;    /* dtype that the MXU may round operands to */
    enum trace_activations activations;
    enum trace_framework framework;
    uint32_t n_params; /* parameters of the generator */
    struct {
        char key[32];
        char value[64];
    } param[32];
    uint32_t n_padding;
    struct trace_padding padding[TRACE_MAX_PADDING];
    struct trace_program program;
    struct trace_recorded recorded;
    char provenance[512];
};

/* --- reading ------------------------------------------------------------------------------ */

/* Ends to what a few bytes of a trace can ask for.  A reader begins with trace_limits_usual. */
struct trace_limits {
    /* of the whole trace, turns of repeats with an index each counted */
    uint64_t steps, operations;
    uint64_t operands; /* of all operations */
    uint64_t lines;    /* but blank ones and comments */
    uint64_t names;    /* in scope at a time */
    uint64_t text;     /* bytes, decompressed; and of the lines of turns after the first */
};
extern const struct trace_limits trace_limits_usual;

struct trace; /* a reader */

/* Open a trace and read its header.  `path` is text, a zstd container, or text as one zstd frame,
 * which the first bytes tell; "-" is standard input.  With `allow_unknown`, an operation of unknown
 * kind is TRACE_UNKNOWN, not an error.  *t is NULL on error.  Errors: those of trace_next(). */
int trace_open(struct trace **t, const char *path, bool allow_unknown, struct err *err);
/* Open a trace in memory; `name` is for messages.  `data` must outlive the reader. */
int trace_open_memory(struct trace **t, const char *name, const void *data, size_t size,
                      bool allow_unknown, struct err *err);
void trace_close(struct trace *t); /* NULL is allowed */
/* Close it, and give the text that it was read from if it is the trace's own (import/open.h), to be
 * freed; else NULL. */
char *trace_close_text(struct trace *t, size_t *size);
/* Set the limits of a reader from here on; what they are. */
void trace_limit(struct trace *t, const struct trace_limits *limits);
const struct trace_limits *trace_limits_of(const struct trace *t);

/* Read the next item; the first is the header.  After TRACE_ITEM_END it returns TRACE_ITEM_END
 * again, after an error the same error.  Errors: ERR_FORMAT, ERR_UNKNOWN, ERR_RANGE, ERR_UNIT as
 * "file:line:column: what, expected, nearest", for a damaged container as "file: what"; ERR_IO. */
int trace_next(struct trace *t, struct trace_item *item, struct err *err);

/* Start again at the header.  It works for standard input too (bytes.h).  Errors: those of
 * trace_next(). */
int trace_rewind(struct trace *t, struct err *err);

/* The header; the tensor that a value names, while it is in scope. */
const struct trace_header *trace_head(const struct trace *t);
const struct trace_tensor *trace_tensor(const struct trace *t, struct trace_value v);
const char *trace_file(const struct trace *t); /* for messages */
/* XXH64 of the text read so far; after TRACE_ITEM_END, of the whole trace. */
uint64_t trace_checksum(const struct trace *t);

/* --- writing ------------------------------------------------------------------------------ */

/* Print `item`, the last one of trace_next(), as its canonical line (the header as several lines;
 * blocks are indented by two spaces).  Reading a printed trace and printing it again gives the same
 * bytes. */
void trace_print(const struct trace *t, const struct trace_item *item, FILE *out);

/* Write `text` as a zstd container: frames of at most 1 MiB of text that end at line ends, each
 * with a checksum, and a seek table (zstd seekable format 0.1.0).  The text is not checked. Errors:
 * ERR_IO. */
int trace_pack(FILE *text, FILE *zst, struct err *err);
/* Write the text of the trace unchanged, whatever has been read of it; trace_rewind() reads it
 * again after that.  Errors: ERR_IO, ERR_FORMAT. */
int trace_unpack(struct trace *t, FILE *text, struct err *err);

/* --- totals ------------------------------------------------------------------------------- */

/* Sums over one pass through all steps; `repeat` counts its iterations.  Steps that run between
 * others (every=) are left out. */
struct trace_totals {
    uint64_t ops, fusions; /* executed; ops counts members of fusions, but not fusions */
    uint64_t ops_written, steps, phases, tensors; /* lines of the text; tensors: persistent ones */
    mpz_t flops, reads, writes; /* reads, writes: without infeed, outfeed and collectives */
    mpz_t reduce_bytes, infeed_bytes, outfeed_bytes; /* payloads per replica; reduce: collectives */
    mpz_t parameters, weight_bytes, state_bytes, input_bytes;
};
void trace_totals_init(struct trace_totals *s);
void trace_totals_clear(struct trace_totals *s);
/* Read the whole trace from its start, which checks it, and add up.  Errors: those of trace_next().
 */
int trace_sum(struct trace *t, struct trace_totals *s, struct err *err);

#endif
