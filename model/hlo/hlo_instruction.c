/* hlo_instruction.c - [ROOT] NAME = [SHAPE] OPCODE(OPERANDS), KEY=VALUE, ... */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_operand.h"
#include "hlo/hlo_parser.h"

void hlo_parser_add_attribute(struct hlo_parser *p, struct hlo_attribute a)
{
    struct hlo_module *m = p->m;

    HLO_PARSER_ROOM(m->attribute, m->n_attributes, p->cap_attributes);
    m->attribute[m->n_attributes++] = a;
}

uint32_t hlo_parser_add_instruction(struct hlo_parser *p, struct hlo_text name, const char *place,
                                    struct hlo_text opcode)
{
    struct hlo_module *m = p->m;
    uint32_t line, column;

    hlo_lex_place(&p->lex, place, &line, &column);
    HLO_PARSER_ROOM(m->instruction, m->n_instructions, p->cap_instructions);
    m->instruction[m->n_instructions] = (struct hlo_instruction){
        .name = name,
        .opcode_text = opcode,
        .opcode = hlo_opcode_find(&p->opcodes, opcode),
        .first_operand = m->n_operands,
        .first_called = m->n_called,
        .first_attribute = m->n_attributes,
        .computation = m->n_computations - 1,
        .line = line,
        .column = column,
        .number = -1,
    };
    return m->n_instructions++;
}

/* (N) behind `parameter` */
static int read_parameter(struct hlo_parser *p, int64_t *number)
{
    uint64_t n;

    if (hlo_lex_expect(&p->lex, '(', "'(' after 'parameter'") != 0 ||
        hlo_lex_number(&p->lex, "the number of a parameter", &n) != 0 ||
        hlo_lex_expect(&p->lex, ')', "')' after the number of a parameter") != 0)
        return -1;
    *number = (int64_t)n;
    return 0;
}

/* (VALUE) behind `constant`; it is kept as text */
static int read_literal(struct hlo_parser *p, struct hlo_text *literal)
{
    struct hlo_lex *x = &p->lex;

    if (hlo_lex_peek(x) != '(')
        return hlo_lex_expected(x, "'(' after 'constant'");
    const char *from = x->at + 1;
    if (hlo_lex_bracket(x) != 0)
        return -1;
    const char *to = x->at - 1;
    while (from < to && (unsigned char)*from <= ' ')
        from++;
    while (from < to && (unsigned char)to[-1] <= ' ')
        to--;
    *literal = (struct hlo_text){ from, (uint32_t)(to - from) };
    return 0;
}

/* "add.anon.7" for an instruction that has no name: it stands inside the operands of another one */
static struct hlo_text make_name(struct hlo_parser *p, struct hlo_text opcode)
{
    struct hlo_module *m = p->m;
    uint32_t n = m->n_instructions - m->computation[m->n_computations - 1].first;
    char *name =
        memory_format("%.*s.anon.%" PRIu32, opcode.size > 60 ? 60 : (int)opcode.size, opcode.at, n);
    size_t size = strlen(name);
    char *kept = hlo_arena_take(&m->store->arena, size);

    memcpy(kept, name, size);
    free(name);
    return (struct hlo_text){ kept, (uint32_t)size };
}

static void note_parameter(struct hlo_parser *p, uint32_t index)
{
    HLO_PARSER_ROOM(p->parameter, p->n_parameters, p->cap_parameters);
    p->parameter[p->n_parameters++] = index;
}

int hlo_parser_value(struct hlo_parser *p, struct hlo_text name, const char *place, unsigned depth,
                     uint32_t *index)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_module *m = p->m;
    const struct hlo_shape *shape = NULL;
    struct hlo_text literal = { NULL, 0 };
    uint32_t base = p->n_stack;
    int64_t number = -1;
    int rc;

    if (hlo_shape_follows(x) && hlo_shape_read(x, &p->shapes, &shape) != 0)
        return -1;
    struct hlo_text opcode = hlo_lex_word(x);
    if (opcode.size == 0)
        return hlo_lex_expected(x, shape ? "an opcode" : "a shape or an opcode");
    enum hlo_opcode op = hlo_opcode_find(&p->opcodes, opcode);
    if (op == HLO_OP_PARAMETER)
        rc = read_parameter(p, &number);
    else if (op == HLO_OP_CONSTANT)
        rc = read_literal(p, &literal);
    else
        rc = hlo_operand_read_all(p, depth);
    if (rc != 0)
        return -1;
    if (!name.at)
        name = make_name(p, opcode);
    *index = hlo_parser_add_instruction(p, name, place, opcode);
    struct hlo_instruction *i = &m->instruction[*index];
    i->shape = shape;
    i->literal = literal;
    i->number = number;
    i->n_operands = p->n_stack - base;
    hlo_operand_keep(p, base);
    p->n_without_shape += !shape;
    if (op == HLO_OP_PARAMETER)
        note_parameter(p, *index);
    return hlo_operand_define(p, *index);
}

/* XLA prints `replica_groups=mesh['a'=4], device_ids=([2,2]T(1,0)) {'a'}`, of which all is one
 * value: append `a` to the attribute before it. */
static bool joins_groups(struct hlo_parser *p, struct hlo_attribute a)
{
    struct hlo_attribute *last = &p->m->attribute[p->m->n_attributes - 1];

    if (!hlo_text_is(a.key, "device_ids") || !hlo_text_is(last->key, "replica_groups"))
        return false;
    last->value.size = (uint32_t)(a.value.at + a.value.size - last->value.at);
    return true;
}

/* index=N */
static int read_index(struct hlo_parser *p, struct hlo_text value, int64_t *index)
{
    if (hlo_numbers(value, index, 1) != 1 || *index < 0 || *index >= UINT32_MAX)
        return hlo_lex_fail(&p->lex, value.at, ERR_FORMAT, "expected the number of a part");
    return 0;
}

static int read_attributes(struct hlo_parser *p, uint32_t index)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_attribute a;

    while (hlo_lex_take(x, ',')) {
        if (hlo_lex_attribute(x, &a) != 0)
            return -1;
        struct hlo_instruction *i = &p->m->instruction[index];
        if (i->n_attributes > 0 && joins_groups(p, a))
            continue;
        hlo_parser_add_attribute(p, a);
        i->n_attributes++;
        if (hlo_parser_called(p, a) != 0)
            return -1;
        if (i->opcode == HLO_OP_GET_TUPLE_ELEMENT && hlo_text_is(a.key, "index") &&
            read_index(p, a.value, &i->number) != 0)
            return -1;
    }
    return 0;
}

int hlo_parser_instruction(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_module *m = p->m;
    struct hlo_text name;
    uint32_t index = HLO_NONE, which = m->n_computations - 1;
    const char *place = (hlo_lex_blanks(x), x->at);

    if (hlo_lex_name(x, p->bare ? "an instruction" : "an instruction or '}'", &name) != 0)
        return -1;
    bool root = *place != '%' && hlo_text_is(name, "ROOT") && hlo_lex_peek(x) != '=';
    if (root) {
        if (m->computation[which].root != HLO_NONE)
            return hlo_lex_fail(x, place, ERR_FORMAT, "a second ROOT, first in line %" PRIu32,
                                m->instruction[m->computation[which].root].line);
        place = (hlo_lex_blanks(x), x->at);
        if (hlo_lex_name(x, "the name of an instruction", &name) != 0)
            return -1;
    }
    if (hlo_lex_expect(x, '=', "'=' after the name of an instruction") != 0 ||
        hlo_parser_value(p, name, place, 0, &index) != 0)
        return -1;
    if (root)
        m->computation[which].root = index;
    if (read_attributes(p, index) != 0)
        return -1;
    struct hlo_instruction *i = &m->instruction[index];
    if (i->opcode == HLO_OP_GET_TUPLE_ELEMENT && (i->number < 0 || i->n_operands != 1))
        return hlo_lex_fail(x, i->opcode_text.at, ERR_FORMAT,
                            i->number < 0 ? "get-tuple-element without index="
                                          : "get-tuple-element of other than one operand");
    return 0;
}
