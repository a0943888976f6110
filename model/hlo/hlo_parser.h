/* hlo_parser.h - the parser of a module: its state, and the functions that its files share. */
#ifndef HLO_PARSER_H
#define HLO_PARSER_H

#include "hlo/hlo_arena.h"
#include "hlo/hlo_frames.h"
#include "hlo/hlo_lex.h"
#include "hlo/hlo_module.h"
#include "hlo/hlo_names.h"
#include "hlo/hlo_opcode.h"
#include "hlo/hlo_shape.h"

#define HLO_PARSER_MAX_BYTES ((size_t)1 << 30) /* so that all indices and sizes fit 31 bits */
#define HLO_PARSER_MAX_NEST 64                 /* instructions written inside operands */

/* A module besides its arrays. */
struct hlo_store {
    const char *text;
    size_t size;
    struct hlo_arena arena; /* shapes, parameters, names that are not in the text */
    struct hlo_frames frames;
};

/* to_apply={ ... }: a computation written where it is called, parsed after the one around it */
struct hlo_inline {
    const char *at;         /* behind its { */
    struct hlo_text name;   /* of the instruction that calls it */
    uint32_t called;        /* entry in hlo_module.called */
    const char *line_start; /* of the line that `at` is in */
    uint32_t line;
};

struct hlo_parser {
    struct hlo_lex lex;
    struct hlo_module *m;
    struct hlo_shapes shapes;
    struct hlo_opcodes opcodes;
    struct hlo_names names;        /* of the instructions of this computation */
    struct hlo_names computations; /* but those that are written inside others */
    uint32_t cap_computations, cap_instructions, cap_operands, cap_called, cap_attributes,
        cap_aliases;
    struct hlo_text *called_name; /* [n_called] at NULL: an inline computation */
    uint32_t cap_called_names;
    struct hlo_inline *inlined; /* still to be parsed */
    uint32_t n_inlined, cap_inlined;
    uint32_t *stack; /* operands of instructions that are being read */
    uint32_t n_stack, cap_stack;
    uint32_t *parameter; /* instructions of this computation that are parameters */
    uint32_t n_parameters, cap_parameters;
    uint32_t n_without_shape; /* instructions whose shape was left out */
    bool entry_given;         /* ENTRY was read */
    bool bare; /* a list of instructions alone: an operand that nobody defined is a parameter */
};

/* Room for one more element of an array that is counted in the module; not zeroed. */
#define HLO_PARSER_ROOM(array, n, cap)                                                             \
    ((void)((n) == (cap) ? (array) = hlo_parser_grow((array), &(cap), sizeof *(array)) : (array)))
void *hlo_parser_grow(void *array, uint32_t *cap, size_t size);

/* hlo_late.c: an asynchronous operation that gets its operands in an async-update starts there. */
void hlo_join_late(struct hlo_module *m);

/* hlo_header.c: `HloModule NAME, KEY=VALUE, ...`, if it is there, and the tables behind it. */
int hlo_parser_header(struct hlo_parser *p);

/* hlo_instruction.c: one instruction at the end of the last computation. */
int hlo_parser_instruction(struct hlo_parser *p);
/* hlo_add.c: append an attribute to the module. */
void hlo_parser_add_attribute(struct hlo_parser *p, struct hlo_attribute a);
/* Append an instruction without operands and attributes to the last computation; its index. */
uint32_t hlo_parser_add_instruction(struct hlo_parser *p, struct hlo_text name, const char *place,
                                    struct hlo_text opcode);

/* hlo_called.c: if `a` names computations, note that the last instruction calls them. */
int hlo_parser_called(struct hlo_parser *p, struct hlo_attribute a);
struct hlo_text hlo_parser_computation_name(const struct hlo_module *m, uint32_t index);
/* Turn names of computations into indices; note which are fused or scalar; refuse circles. */
int hlo_parser_resolve(struct hlo_parser *p);

/* hlo_ask.c: the place of an instruction in the text: its name, or its opcode if it has none. */
const char *hlo_parser_place(const struct hlo_module *m, const struct hlo_instruction *i);

/* hlo_infer.c: the shapes that the text leaves out; callees first. */
int hlo_parser_infer(struct hlo_parser *p, const uint32_t *callees_first);

/* hlo_check.c: numbers of operands, of parts of tuples, of parameters of what is called. */
int hlo_parser_check(struct hlo_parser *p);

#endif
