/* hlo_module.h - a program as XLA prints it (HLO text), in memory.
 *
 * hlo_parse() reads one module: its header, its computations, their instructions with shapes,
 * layouts, operands and attributes.  It knows the grammar, not the meaning: what an instruction
 * costs is the business of whoever reads the module.  Opcodes and dtypes that it does not know keep
 * their text.
 *
 * A name, an attribute or a literal is a slice of the text, which must outlive the module.
 * All arrays belong to the module and do not move.  Operands and called computations are resolved
 * to indices; the instructions of a computation are contiguous and in the order of the text, which
 * is the order of execution where hlo_module.scheduled is set (but inside fusions).
 *
 * Source of the grammar: XLA's HLO text as printed by jax 0.10.2 and the parser tests of OpenXLA.
 */
#ifndef HLO_MODULE_H
#define HLO_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HLO_NONE UINT32_MAX   /* an index of nothing */
#define HLO_MAX_CALLS 200     /* computations that call each other, one inside the other */
#define HLO_MAX_LEAVES 262144 /* of a tuple whose shape the text leaves out */

struct hlo_text {
    const char *at; /* not terminated; NULL: not there */
    uint32_t size;
};

/* clang-format off */
/*    enum  text   bits of an element */
#define HLO_DTYPES(D)                                                                              \
    D(PRED, "pred", 8) D(S1, "s1", 1) D(S2, "s2", 2) D(S4, "s4", 4) D(S8, "s8", 8)                 \
    D(S16, "s16", 16) D(S32, "s32", 32) D(S64, "s64", 64)                                          \
    D(U1, "u1", 1) D(U2, "u2", 2) D(U4, "u4", 4) D(U8, "u8", 8) D(U16, "u16", 16)                  \
    D(U32, "u32", 32) D(U64, "u64", 64)                                                            \
    D(F4E2M1FN, "f4e2m1fn", 4) D(F8E3M4, "f8e3m4", 8) D(F8E4M3, "f8e4m3", 8)                       \
    D(F8E4M3FN, "f8e4m3fn", 8) D(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8)                                \
    D(F8E4M3FNUZ, "f8e4m3fnuz", 8) D(F8E5M2, "f8e5m2", 8) D(F8E5M2FNUZ, "f8e5m2fnuz", 8)           \
    D(F8E8M0FNU, "f8e8m0fnu", 8) D(F16, "f16", 16) D(BF16, "bf16", 16) D(F32, "f32", 32)           \
    D(F64, "f64", 64) D(C64, "c64", 64) D(C128, "c128", 128)                                       \
    D(TOKEN, "token", 0) D(OPAQUE, "opaque", 0) D(BUFFER, "b", 0) D(TUPLE, "", 0)
/* clang-format on */
enum hlo_dtype {
#define D(id, text, bits) HLO_##id,
    HLO_DTYPES(D)
#undef D
        HLO_N_DTYPES
};
extern const char *const hlo_dtype_name[HLO_N_DTYPES];
extern const uint8_t hlo_dtype_bits[HLO_N_DTYPES];

#define HLO_MAX_TILES 4     /* groups in T(8,128)(2,1); more are an error */
#define HLO_MAX_TILE_RANK 4 /* dimensions of one group */

struct hlo_tile {
    uint32_t rank;
    uint64_t dim[HLO_MAX_TILE_RANK]; /* 0: '*', the dimension joins the next minor one */
};

/* {2,1,0:T(8,128)(2,1)S(1)E(4)} */
struct hlo_layout {
    bool given;    /* else the default order, dimension rank-1 minor, without tiles */
    uint8_t space; /* S(n); 0: HBM */
    uint16_t bits; /* E(n); 0: those of the dtype */
    uint32_t n_tiles;
    const uint32_t *minor_first; /* [rank] dimensions, minor to major; NULL unless given */
    const struct hlo_tile *tile; /* [n_tiles] */
};

struct hlo_shape {
    enum hlo_dtype dtype;
    uint32_t rank;
    const uint64_t *dim; /* [rank]; a bounded dynamic dimension has its bound, '?' UINT64_MAX */
    bool dynamic;        /* some dimension was written <=N or ? */
    struct hlo_layout layout;
    uint8_t depth;                /* tuples inside each other: 0 for an array, token, buffer */
    uint32_t leaves;              /* what is no tuple, in the order of the text; an array is 1 */
    uint32_t first_leaf;          /* of a part: leaves of the parts before it */
    uint32_t n_parts;             /* of a tuple */
    const struct hlo_shape *part; /* [n_parts]; of b(f32[8]) the one shape inside */
};

/* clang-format off */
/* The opcodes of XLA and how it writes them. */
#define HLO_OPCODES(O)                                                                             \
    O(ABS,"abs") O(ADD,"add") O(ADD_DEPENDENCY,"add-dependency") O(AFTER_ALL,"after-all")          \
    O(ALL_GATHER,"all-gather") O(ALL_GATHER_START,"all-gather-start")                              \
    O(ALL_GATHER_DONE,"all-gather-done") O(ALL_REDUCE,"all-reduce")                                \
    O(ALL_REDUCE_START,"all-reduce-start") O(ALL_REDUCE_DONE,"all-reduce-done")                    \
    O(ALL_TO_ALL,"all-to-all") O(AND,"and") O(ASIN,"asin") O(ASINH,"asinh") O(ACOS,"acos")         \
    O(ACOSH,"acosh") O(ATANH,"atanh") O(ATAN2,"atan2")                                             \
    O(ASYNC_START,"async-start") O(ASYNC_UPDATE,"async-update") O(ASYNC_DONE,"async-done")         \
    O(BATCH_NORM_GRAD,"batch-norm-grad") O(BATCH_NORM_INFERENCE,"batch-norm-inference")            \
    O(BATCH_NORM_TRAINING,"batch-norm-training") O(BITCAST,"bitcast")                              \
    O(BITCAST_CONVERT,"bitcast-convert") O(BROADCAST,"broadcast") O(CALL,"call") O(CBRT,"cbrt")    \
    O(CEIL,"ceil") O(CHOLESKY,"cholesky") O(CLAMP,"clamp")                                         \
    O(COUNT_LEADING_ZEROS,"count-leading-zeros")                                                   \
    O(COLLECTIVE_BROADCAST,"collective-broadcast") O(COLLECTIVE_PERMUTE,"collective-permute")      \
    O(COLLECTIVE_PERMUTE_START,"collective-permute-start")                                         \
    O(COLLECTIVE_PERMUTE_DONE,"collective-permute-done") O(COMPARE,"compare")                      \
    O(COMPLEX,"complex") O(CONCATENATE,"concatenate") O(CONDITIONAL,"conditional")                 \
    O(CONSTANT,"constant") O(CONVERT,"convert") O(CONVOLUTION,"convolution") O(COPY,"copy")        \
    O(COPY_START,"copy-start") O(COPY_DONE,"copy-done") O(COSINE,"cosine") O(COSH,"cosh")          \
    O(CUSTOM_CALL,"custom-call") O(DIVIDE,"divide") O(DOMAIN,"domain") O(DOT,"dot")                \
    O(DYNAMIC_RESHAPE,"dynamic-reshape") O(DYNAMIC_SLICE,"dynamic-slice")                          \
    O(DYNAMIC_UPDATE_SLICE,"dynamic-update-slice") O(ERF,"erf") O(EXP,"exponential")               \
    O(EXPM1,"exponential-minus-one") O(FFT,"fft") O(FLOOR,"floor") O(FUSION,"fusion")              \
    O(GATHER,"gather") O(GET_DIMENSION_SIZE,"get-dimension-size")                                  \
    O(GET_TUPLE_ELEMENT,"get-tuple-element") O(IMAG,"imag") O(INFEED,"infeed") O(IOTA,"iota")      \
    O(IS_FINITE,"is-finite") O(LOG,"log") O(LOG1P,"log-plus-one") O(LOGISTIC,"logistic")           \
    O(MAP,"map") O(MAXIMUM,"maximum") O(MINIMUM,"minimum") O(MULTIPLY,"multiply")                  \
    O(NEGATE,"negate") O(NOT,"not") O(OPT_BARRIER,"opt-barrier") O(OR,"or") O(OUTFEED,"outfeed")   \
    O(PAD,"pad") O(PARAMETER,"parameter") O(PARTITION_ID,"partition-id")                           \
    O(POPCNT,"popcnt") O(POWER,"power") O(RAGGED_ALL_TO_ALL,"ragged-all-to-all")                   \
    O(RAGGED_DOT,"ragged-dot") O(SCALED_DOT,"scaled-dot") O(REAL,"real") O(RECV,"recv")            \
    O(RECV_DONE,"recv-done") O(REDUCE,"reduce") O(REDUCE_PRECISION,"reduce-precision")             \
    O(REDUCE_SCATTER,"reduce-scatter") O(REDUCE_WINDOW,"reduce-window")                            \
    O(REMAINDER,"remainder") O(REPLICA_ID,"replica-id") O(RESHAPE,"reshape")                       \
    O(REVERSE,"reverse") O(RNG,"rng") O(RNG_BIT_GENERATOR,"rng-bit-generator")                     \
    O(RNG_GET_AND_UPDATE_STATE,"rng-get-and-update-state")                                         \
    O(ROUND_NEAREST_AFZ,"round-nearest-afz") O(ROUND_NEAREST_EVEN,"round-nearest-even")            \
    O(RSQRT,"rsqrt") O(SCATTER,"scatter") O(SELECT,"select")                                       \
    O(SELECT_AND_SCATTER,"select-and-scatter") O(SEND,"send") O(SEND_DONE,"send-done")             \
    O(SET_DIMENSION_SIZE,"set-dimension-size") O(SHIFT_LEFT,"shift-left")                          \
    O(SHIFT_RIGHT_ARITHMETIC,"shift-right-arithmetic")                                             \
    O(SHIFT_RIGHT_LOGICAL,"shift-right-logical") O(SIGN,"sign") O(SINE,"sine") O(SINH,"sinh")      \
    O(SLICE,"slice") O(SORT,"sort") O(SQRT,"sqrt") O(STOCHASTIC_CONVERT,"stochastic-convert")      \
    O(SUBTRACT,"subtract") O(TAN,"tan") O(TANH,"tanh") O(TOPK,"topk")                              \
    O(TRANSPOSE,"transpose") O(TRIANGULAR_SOLVE,"triangular-solve") O(TUPLE,"tuple")               \
    O(WHILE,"while") O(XOR,"xor")                                                                  \
    /* one word of the text, or the generic form async-X of an operation with a thread */          \
    O(CALL_START,"call-start") O(CALL_DONE,"call-done")                                            \
    O(SLICE_START,"slice-start") O(SLICE_DONE,"slice-done")                                        \
    O(START,"") /* any other X-start: opcode_text says which */                                    \
    O(UPDATE,"") /* any other X-update */                                                          \
    O(DONE,"") /* any other X-done */                                                              \
    O(OTHER,"") /* unknown: opcode_text says which */
/* clang-format on */
/* Opcodes; the last four stand for all words that are not listed. */
enum hlo_opcode {
#define O(id, text) HLO_OP_##id,
    HLO_OPCODES(O)
#undef O
        HLO_N_OPCODES
};
extern const char *const hlo_opcode_name[HLO_N_OPCODES];

/* `key=value` as written, value without blanks around it: braces, brackets, quotes and all. */
struct hlo_attribute {
    struct hlo_text key, value;
};

struct hlo_instruction {
    struct hlo_text name; /* without the % */
    enum hlo_opcode opcode;
    struct hlo_text opcode_text;
    const struct hlo_shape *shape;
    uint32_t first_operand, n_operands;     /* in hlo_module.operand: indices of instructions */
    uint32_t first_called, n_called;        /* in hlo_module.called: indices of computations, in the
                                               order written: calls, to_apply; condition before body of
                                               a while; branches of a conditional */
    uint32_t first_attribute, n_attributes; /* in hlo_module.attribute */
    uint32_t computation;
    uint32_t line, column;
    int64_t number;          /* of a parameter; index of a get-tuple-element; else -1 */
    struct hlo_text literal; /* of a constant, between the parentheses */
};

struct hlo_computation {
    struct hlo_text name;
    uint32_t first, n; /* instructions */
    uint32_t root;     /* an instruction */
    uint32_t n_parameters;
    const uint32_t *parameter; /* [n_parameters] instructions; HLO_NONE: it is not there */
    struct hlo_text thread;    /* execution_thread="..." or NULL */
    bool fused;                /* called by a fusion: its order says nothing */
    bool scalar;               /* called by to_apply= of other than call: a function of scalars */
};

/* input_output_alias={ {0}: (3, {}, may-alias) } */
struct hlo_alias {
    uint32_t n_output; /* length of the path of the output */
    uint32_t output[4];
    uint32_t parameter;
    uint32_t n_part;
    uint32_t part[4];
};

struct hlo_module {
    const char *file; /* for messages */
    struct hlo_text name;
    size_t bytes; /* of its text */
    bool scheduled;
    uint64_t partitions, replicas; /* at least 1 */
    uint32_t entry;                /* a computation */
    uint32_t n_computations, n_instructions, n_operands, n_called, n_attributes, n_aliases;
    struct hlo_computation *computation;
    struct hlo_instruction *instruction;
    uint32_t *operand, *called;
    struct hlo_attribute *attribute;
    struct hlo_alias *alias;
    uint32_t first_header_attribute, n_header_attributes; /* in attribute */
    struct hlo_text comment; /* JSON in the line `// cyclotron: {...}` before the module, or NULL */
    struct hlo_store *store; /* private: text, shapes, tables of files and frames */
};

/* Parse `size` bytes of text; `file` is for messages.  The text is kept by reference and must
 * outlive the module.  Errors: ERR_FORMAT, ERR_UNKNOWN, ERR_RANGE as "file:line:column: what", with
 * the line and a caret below.  Refused: more than 1 GiB of text, brackets deeper than 250, tuples
 * and instructions inside others deeper than 64, shapes of more than 64 dimensions, calls deeper
 * than HLO_MAX_CALLS, tuples without a shape in the text of more than HLO_MAX_LEAVES arrays. Also
 * refused: numbers of operands, parts and parameters that do not fit, and computations that call
 * themselves, so that a reader may ask for operand 1 of an add and walk along calls. Cost: O(size).
 * Memory: at most 4 times `size` for programs as XLA prints them (0.8 to 2 times in those that we
 * know), at most 64 times for a text that is made to cost much. */
int hlo_parse(struct hlo_module **m, const char *file, const char *text, size_t size,
              struct err *err);
void hlo_free(struct hlo_module *m); /* NULL is allowed */

/* True if the text begins like a module: comments and blanks, then "HloModule". */
bool hlo_looks_like(const char *text, size_t size);

/* One of several modules that follow each other in a text. */
struct hlo_piece {
    const char *text;
    size_t begin, end;    /* in bytes of the text; comment lines before a module are of it */
    struct hlo_text name; /* size 0: none */
};
/* The modules of a text, at least one entry; *list is to be freed.  Cost: O(size). */
uint32_t hlo_pieces(const char *text, size_t size, struct hlo_piece **list);
/* hlo_parse() of one of them; lines count from the start of the text. */
int hlo_parse_piece(struct hlo_module **m, const char *file, const struct hlo_piece *piece,
                    struct err *err);

/* --- questions (hlo_ask*.c, hlo_text.c, hlo_part.c, hlo_bytes.c) -------------------------- */

/* Operand `n` of an instruction, which must have that many. */
static inline const struct hlo_instruction *hlo_operand(const struct hlo_module *m,
                                                        const struct hlo_instruction *i, uint32_t n)
{
    return &m->instruction[m->operand[i->first_operand + n]];
}

/* The computation number `n` that an instruction calls; it must call that many. */
static inline const struct hlo_computation *hlo_called(const struct hlo_module *m,
                                                       const struct hlo_instruction *i, uint32_t n)
{
    return &m->computation[m->called[i->first_called + n]];
}

/* True if the bytes are those of `s`. */
bool hlo_text_is(struct hlo_text t, const char *s);
/* Without the quotes around it, if there are any; escapes inside stay. */
struct hlo_text hlo_unquoted(struct hlo_text t);
/* The value of attribute `key` as written; at is NULL if there is none. */
struct hlo_text hlo_attribute(const struct hlo_module *m, const struct hlo_instruction *i,
                              const char *key);
/* The value of `key` inside the braces of `value`, as written, quotes and all: op_name of
 * metadata={op_name="..." ...}, "n" of {"n":"7"}. */
struct hlo_text hlo_part(struct hlo_text value, const char *key);
/* "{1,2}", "1,2", "1x2" or "[1,2]" as numbers; returns how many, at most `room` are stored. */
uint32_t hlo_numbers(struct hlo_text value, int64_t *number, uint32_t room);
/* The source of an instruction: file and line of its innermost frame; false if not known. */
bool hlo_source(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_text *file,
                uint32_t *line);

/* window={size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=.. rhs_dilate=.. rhs_reversal=1x1} */
#define HLO_MAX_WINDOW 16
struct hlo_window {
    uint32_t rank;
    struct {
        uint64_t size, stride, lhs_dilate, rhs_dilate;
        int64_t pad_lo, pad_hi;
        bool reversed;
    } dim[HLO_MAX_WINDOW];
};
/* Absent parts have their defaults.  Returns 0, or -1 and an error at the instruction. */
int hlo_window(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_window *w,
               struct err *err);

/* dim_labels=b01f_01io->b01f: for each spatial dimension, its place in the three shapes */
struct hlo_dim_labels {
    uint32_t rank; /* spatial dimensions */
    uint32_t input_batch, input_feature, kernel_input, kernel_output, output_batch, output_feature;
    uint32_t input[HLO_MAX_WINDOW], kernel[HLO_MAX_WINDOW], output[HLO_MAX_WINDOW];
};
int hlo_dim_labels(const struct hlo_module *m, const struct hlo_instruction *i,
                   struct hlo_dim_labels *d, struct err *err);

/* replica_groups in any of its forms, written out: groups of equal size */
struct hlo_groups {
    uint32_t n_groups, size; /* n_groups 0: all devices in one */
    uint32_t *member;        /* [n_groups * size]; free() it */
    bool uneven;             /* sizes differ: those of the largest, padded with HLO_NONE */
};
int hlo_groups(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_groups *g,
               struct err *err);
/* Partitions of the program; where its header says one of one replica, the devices of its largest
 * collective, also in loops.  O(instructions). */
uint64_t hlo_partitions(const struct hlo_module *m);

/* Bytes of an array in its layout: padded to the first tile; 0 for tokens and the like; of a tuple
 * those of its parts.  UINT64_MAX if they pass 63 bits. */
uint64_t hlo_bytes(const struct hlo_shape *s);
/* Elements of an array without padding; UINT64_MAX if they pass 63 bits. */
uint64_t hlo_elements(const struct hlo_shape *s);

/* An error at an instruction: file:line:column, the line of the text and a caret.  Returns -1. */
int hlo_error(const struct hlo_module *m, const struct hlo_instruction *i, struct err *err,
              const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
