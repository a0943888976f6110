/* importing.h - a compiled program while it is imported: its values, scopes and classes of
 * instructions.
 *
 *     import_resolve.c  pass 1: which value each leaf of a result is, and which buffers are one
 *     import_place.c    which results are in the buffers of operands
 *     import_start.c    what a start has begun; import_loop.c how often a loop runs
 *     import_carry.c    collectives that the compiler spreads over kernels
 *     import_cores.c    fusions that the two cores of a device share
 *     import_graph.c    kernels of a GPU that one CUDA graph launches
 *     import_origin.c   whose scope and source line an instruction has
 *
 * A value is an array of a result.  A tuple has leaves: its arrays in order, nested ones in place.
 * A scope is one run of a computation: entry, body of a loop, branch, call. */
#ifndef IMPORT_HLO_PROGRAM_IMPORTING_H
#define IMPORT_HLO_PROGRAM_IMPORTING_H

#include "base/memory.h"
#include "import/hlo/program/import_compiler.h"
#include "import/hlo/program/import_config.h"
#include "import/hlo/program/import_options.h"

#define IMPORT_NONE UINT32_MAX /* no value, leaf or instruction */

/* --- values and scopes --------------------------------------------------------------------- */

enum import_value_kind {
    IMPORT_NOTHING, /* value 0: tokens, scalar constants, arrays without elements */
    IMPORT_ARGUMENT,
    IMPORT_CONSTANT,
    IMPORT_RESULT,
    IMPORT_HANDLE, /* of a transfer to or from the host: printed as u32[] */
};

struct import_value {
    const struct hlo_shape *shape; /* of an array */
    struct hlo_text name;
    uint32_t leaf;   /* IMPORT_NONE: the result is no tuple */
    uint32_t suffix; /* of its scope's names; 0: none */
    uint32_t at;     /* the value whose buffer it takes, defined before it; 0: its own */
    uint32_t root;   /* a value whose buffer it is in, on the way to the first; 0: itself */
    uint32_t line;   /* the last one in which it has been seen (import_line.c) */
    uint32_t scope;
    uint32_t instruction;
    uint32_t parameter; /* of arguments */
    enum import_value_kind kind;
    enum trace_role role;
    const struct hlo_shape *like; /* printed with its dimensions, or NULL */
    uint64_t flat;                /* printed as so many elements in one dimension, if not 0 */
    bool used;                    /* constants: some line reads it */
    bool buffer;                  /* a buffer whose line stands before those of its parts */
    bool gradient;
    bool defined; /* it is a result of some line, */
    bool begun;   /* of a start */
};

struct import_span {
    uint32_t first, n; /* in importing.leaf */
};

struct import_scope {
    const struct hlo_computation *c;
    const struct hlo_instruction *caller; /* NULL: the entry */
    uint32_t parent;                      /* a scope */
    uint32_t suffix;
    uint32_t loops;           /* loops that it is inside of */
    bool loop;                /* the body of a while; else in line with its parent */
    uint64_t trips;           /* of a loop */
    bool guessed;             /* trips are not in the text */
    uint64_t times;           /* how often it runs in a step */
    struct import_span *span; /* [c->n] leaves of each instruction */
    struct import_span root;
};

/* Where the text of an instruction begins. */
struct import_place {
    off_t at;
    uint32_t instruction;
};

/* Places of all instructions that have lines, in the order of the text. */
struct import_places {
    struct import_place *place;
    uint32_t n, cap;
};

struct importing {
    const struct hlo_module *m;
    const struct import_options *o;
    FILE *out;
    struct import_places *places; /* to be filled, or NULL */
    struct import_totals *totals;
    struct err *err, *ignored; /* the second: for what only makes a guess worse */
    char machine[64];
    uint64_t partitions; /* of a program that no compiler has scheduled by its collectives, too */
    const struct import_compiler *compiler;
    bool native16; /* the vector unit can compute in bf16: kernels by hand do */
    bool packed16; /* kernels of the compiler do, too */
    struct import_value *value;
    uint32_t n_values, cap_values;
    uint32_t *leaf; /* values */
    uint32_t n_leaves, cap_leaves;
    struct import_scope *scope;
    uint32_t n_scopes, cap_scopes, next_scope;
    uint32_t *doubled;    /* bits: instructions whose name occurs in several computations */
    uint32_t *paired;     /* bits: starts with one done, in the same computation */
    uint32_t *peer;       /* [instruction] the other one of a send and its recv, or IMPORT_NONE */
    uint32_t slices;      /* that the program is for; its text is that of one */
    bool *ran;            /* [computation] it has a scope */
    uint32_t *joined;     /* bits: kernels that the graph of the one before launches */
    uint32_t *crossing;   /* bits: halves of 64-bit numbers that are copied (import_half.c) */
    uint32_t *collective; /* [computation] the first that it holds (import_class.c) */
    bool *shared;         /* [computation] the body of a fusion that two cores share */
    uint64_t *weight;     /* [computation] 1 + its work, or 0: not known yet (import_loop.c) */
    uint32_t *origin;     /* [instruction] whose scope and source it has, or IMPORT_NONE */
    uint32_t *source;     /* [instruction] what it is a name of: itself, or an earlier one */
    uint32_t *last_read;  /* [source] the last instruction that reads it, 0: none */
    uint32_t line;        /* of the step */
    uint32_t depth;       /* of blocks */
    uint64_t room, work;  /* that is left */
    bool boundless;       /* some value has no size */
    off_t text;           /* bytes of the trace */
    uint32_t basis;       /* bits of enum trace_basis, of all lines that follow */
    const char *remark;   /* for the note= of the next line, or NULL */
    char remark_text[160];
};

/* A sum, UINT64_MAX where it does not fit. */
static inline uint64_t import_add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}
/* A product, likewise. */
static inline uint64_t import_multiply(uint64_t a, uint64_t b)
{
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

/* --- limits (import_limit.c) ----------------------------------------------------------------- */

/* Set what a program of that text may take. */
void import_limit_begin(struct importing *im);
/* Take so much of what import.h allows.  False: there is less, and import_limit_check() fails from
 * now on. */
bool import_limit_room(struct importing *im, uint64_t bytes);
/* Memory that was taken and is free again. */
void import_limit_return(struct importing *im, uint64_t bytes);
bool import_limit_work(struct importing *im, uint64_t steps);
/* ERR_RANGE at the instruction if there was less than was asked for. */
int import_limit_check(struct importing *im, const struct hlo_instruction *i);

/* import_value.c */
uint32_t import_value_new(struct importing *im, const struct hlo_instruction *i, uint32_t leaf,
                          const struct hlo_shape *shape, uint32_t scope,
                          enum import_value_kind kind);
/* The value whose buffer `v` is in. */
uint32_t import_value_root(const struct importing *im, uint32_t v);
/* Make two values one buffer, if the one that is defined first can be named where the other is. */
void import_value_join(struct importing *im, uint32_t a, uint32_t b);
/* Make `part` a part of the buffer of `whole`, which is defined later. */
void import_value_put(struct importing *im, uint32_t part, uint32_t whole);
void import_value_find_doubles(struct importing *im); /* import_cores.c */
/* Leaves of a shape: arrays, tokens and the like. */
uint32_t import_leaves(const struct hlo_shape *s);
/* The first leaf of part `part`. */
uint32_t import_leaf_of(const struct hlo_shape *s, uint32_t part);
/* The part of a tuple that has leaf `leaf`, which is below import_leaves(). */
uint32_t import_part_of(const struct hlo_shape *s, uint32_t leaf);
/* Leaf `leaf` of a shape; a token where there is none. */
const struct hlo_shape *import_leaf_shape(const struct hlo_shape *s, uint32_t leaf);

/* import_resolve.c: pass 1.  Returns 0, or -1 and an error. */
int import_resolve(struct importing *im);
/* import_output.c: put results of the program where the arguments are that they replace */
void import_join_outputs(struct importing *im);
static inline struct import_span import_span_of(const struct importing *im,
                                                const struct import_scope *s,
                                                const struct hlo_instruction *i)
{
    return s->span[(uint32_t)(i - im->m->instruction) - s->c->first];
}

/* import_place.c */
/* Fill in what instructions are names of, and who reads them last.  O(instructions + operands) */
void import_place_begin(struct importing *im);
/* For each of `n` leaves of the result the leaf of the operands whose buffer it is in, or
 * IMPORT_NONE. */
void import_place_find(struct importing *im, const struct hlo_instruction *i,
                       const struct import_config *c, uint32_t *place, uint32_t n);
/* Make leaves `s` of a kernel's result one with the buffers of operands that they are in. */
void import_place_join(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                       struct import_span s);
/* True of a fusion that gives its operand another name: it changes tiles in the text alone. */
bool import_place_renames(const struct importing *im, const struct hlo_instruction *i);

/* import_class.c, import_opcode.c: how an instruction is imported */
enum import_class {
    IMPORT_FREE,   /* names a value, or nothing */
    IMPORT_BUFFER, /* names a buffer: a line that takes no time */
    IMPORT_INLINE, /* while, conditional, call, a fusion that two cores share */
    IMPORT_KERNEL, /* a kernel, copy or scalar operation */
    IMPORT_CUSTOM, /* custom-call */
    IMPORT_DMA,    /* copy-start, slice-start */
    IMPORT_DMA_DONE,
    IMPORT_ASYNC, /* a kernel or collective of a thread of its own */
    IMPORT_ASYNC_DONE,
    IMPORT_COLLECTIVE,
    IMPORT_COLLECTIVE_START,
    IMPORT_COLLECTIVE_DONE,
    IMPORT_PEER, /* a send whose recv is the collective */
    IMPORT_HOST, /* send, recv, infeed, outfeed */
    IMPORT_HOST_DONE,
};
enum import_class import_classify(const struct importing *im, const struct hlo_instruction *i);
/* The collective that a computation consists of, or NULL. */
const struct hlo_instruction *import_wrapped_collective(const struct importing *im,
                                                        const struct hlo_instruction *i);
/* The copy, slice or update of a part that a start of another thread than a SparseCore's consists
 * of, or NULL. */
const struct hlo_instruction *import_wrapped_move(const struct importing *im,
                                                  const struct hlo_instruction *start);
/* The operation whose start this done waits for. */
const struct hlo_instruction *import_start_of(const struct importing *im,
                                              const struct hlo_instruction *i);
/* Find the starts that have one done each; others are done at once, where they stand. */
void import_find_pairs(struct importing *im);
/* Forget those that pass 1 found to be none: both are done at once, where they stand. */
void import_part_pairs(struct importing *im);
bool import_is_collective(enum hlo_opcode o);
bool import_is_target(const struct importing *im, const struct hlo_instruction *i,
                      const char *target);
/* True if the custom call gives its operand another name (import_annotation.c). */
bool import_is_annotation(const struct importing *im, const struct hlo_instruction *i);

/* import_start.c */
/* The part of the tuple of a start that it starts; IMPORT_NONE: all of it. */
uint32_t import_start_part(const struct importing *im, const struct hlo_instruction *i);
/* Results of a start, without its operands and contexts: of the scope, and their shape. */
struct import_span import_started(const struct importing *im, const struct import_scope *s,
                                  const struct hlo_instruction *start);
const struct hlo_shape *import_result_shape(const struct importing *im,
                                            const struct hlo_instruction *i);

/* import_carry.c */
enum import_carry { IMPORT_CARRY_NONE, IMPORT_CARRY_START, IMPORT_CARRY_ON, IMPORT_CARRY_DONE };
enum import_carry import_carry_of(const struct importing *im, const struct hlo_instruction *i);
/* True if the instruction, of the body of a carrier, is the collective that it carries. */
bool import_carry_holds(const struct importing *im, const struct hlo_instruction *i);
/* A part of the result of a carrier that is an operand as it came; false: there are no more.  *at
 * starts as 0. */
bool import_carry_pair(const struct importing *im, const struct hlo_instruction *i, uint32_t *at,
                       uint32_t *part, uint32_t *operand);
/* Put what a carrier was given of its collective into the span of its result. */
void import_carry_hand_on(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                          struct import_span s);
/* The operand of a get-tuple-element; behind a carrier or a loop, what was handed to those. */
const struct hlo_instruction *import_carry_back(const struct importing *im,
                                                const struct hlo_instruction *i);

/* import_cores.c */
/* Find the bodies of fusions that two cores share.  O(instructions + operands) */
void import_cores_find(struct importing *im);
/* True of such a fusion; of an instruction in its body; of a collective there. */
bool import_cores_share(const struct importing *im, const struct hlo_instruction *i);
bool import_cores_inside(const struct importing *im, const struct hlo_instruction *i);
bool import_cores_exchange(const struct importing *im, const struct hlo_instruction *i);
/* True if the instructions of a computation are operations of the program, not of a kernel. */
bool import_cores_program(const struct importing *im, const struct hlo_computation *c);
/* [c->n] collectives of such a body and what feeds them; to be freed. */
bool *import_cores_first(const struct importing *im, const struct hlo_computation *c);

/* import_loop.c */
void import_loop_count(struct importing *im, uint32_t scope);
/* The branch with the most work. */
uint32_t import_loop_branch(const struct importing *im, const struct hlo_instruction *i);

/* import_origin.c: find those of all instructions. O(instructions + operands) */
void import_origins(struct importing *im);
/* The instruction whose scope and source `i` has: itself where nothing near it has any. */
const struct hlo_instruction *import_origin_of(const struct importing *im,
                                               const struct hlo_instruction *i);

/* --- shapes -------------------------------------------------------------------------------- */

/* An array as it lies in memory, major dimension first. */
struct import_physical {
    uint32_t rank;
    uint32_t logical[IMPORT_DIMS]; /* the dimension of the shape */
    uint32_t place[IMPORT_DIMS];   /* the inverse */
    uint64_t dim[IMPORT_DIMS], padded[IMPORT_DIMS], unit[IMPORT_DIMS];
};
/* False if it has too many dimensions. */
bool import_shape_physical(const struct hlo_shape *s, struct import_physical *p);
/* Elements of the array that the vector unit handles; the second: 32-bit ones, of the whole
 * registers of a TPU that hold it. */
uint64_t import_shape_vector(const struct importing *im, const struct hlo_shape *s);
uint64_t import_shape_registers(const struct importing *im, const struct hlo_shape *s);
uint32_t import_shape_bits(const struct hlo_shape *s);
/* True if both have the same elements in the same order in memory, padding apart. */
bool import_shape_same_order(const struct hlo_shape *a, const struct hlo_shape *b);
bool import_shape_same(const struct hlo_shape *a, const struct hlo_shape *b);

/* import_move.c */
/* Operand of a DMA that brings a part of operand `*place`, whose buffer its result is in;
 * IMPORT_NONE: it moves an array, or out of one. */
uint32_t import_move_update(const struct importing *im, const struct hlo_instruction *start,
                            uint32_t *place);
int import_move_emit(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                     enum import_class c);

#endif
