/* hlo_instruction.c - [ROOT] NAME = [SHAPE] OPCODE(OPERANDS), KEY=VALUE, ... */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_parser.h"

#define NEAREST_OF 4096 /* names that are compared with one that nobody knows: the last ones */

static const struct hlo_text gte = { "get-tuple-element", 17 };

/* hlo_instruction.c: [SHAPE] OPCODE(OPERANDS), without attributes; place is where it begins. */
static int read_value(struct hlo_parser *p, struct hlo_text name, const char *place, unsigned depth,
                      uint32_t *index);

/* --- operands ----------------------------------------------------------------------------- */

static struct hlo_text name_instruction(const struct hlo_module *m, uint32_t index)
{
    return m->instruction[index].name;
}

static uint32_t find_operand(const struct hlo_parser *p, struct hlo_text name)
{
    return hlo_names_find(&p->names, p->m, name_instruction, name);
}

/* Make the name of an instruction known.  Error: another one of its computation has it. */
static int define_name(struct hlo_parser *p, uint32_t index)
{
    struct hlo_instruction *i = &p->m->instruction[index];
    uint32_t other = find_operand(p, i->name);

    if (other != HLO_NONE)
        return hlo_lex_fail(&p->lex, i->opcode_text.at, ERR_FORMAT,
                            "the name '%.*s' is given twice, first in line %" PRIu32,
                            i->name.size > 80 ? 80 : (int)i->name.size, i->name.at,
                            p->m->instruction[other].line);
    hlo_names_add(&p->names, i->name, index);
    return 0;
}

static void push_operand(struct hlo_parser *p, uint32_t index)
{
    HLO_PARSER_ROOM(p->stack, p->n_stack, p->cap_stack);
    p->stack[p->n_stack++] = index;
}

/* Take what is on the stack above `base` as operands of the last instruction. */
static void keep_operands(struct hlo_parser *p, uint32_t base)
{
    struct hlo_module *m = p->m;

    for (uint32_t i = base; i < p->n_stack; i++) {
        HLO_PARSER_ROOM(m->operand, m->n_operands, p->cap_operands);
        m->operand[m->n_operands++] = p->stack[i];
    }
    p->n_stack = base;
}

/* Is the name defined further down in this computation?  Its place, or NULL. */
static const char *find_later(const struct hlo_lex *x, struct hlo_text name)
{
    const char *end = memmem(x->at, (size_t)(x->end - x->at), "\n}", 2);
    const char *at = x->at;

    if (!end)
        end = x->end;
    while ((at = memmem(at, (size_t)(end - at), name.at, name.size))) {
        const char *after = at + name.size;
        while (after < end && *after == ' ')
            after++;
        if (after < end && *after == '=' && (at[-1] == '%' || (unsigned char)at[-1] <= ' '))
            return at;
        at++;
    }
    return NULL;
}

/* The known name nearest to one that is not, copied; NULL if none is near. */
static char *copy_nearest(const struct hlo_parser *p, struct hlo_text name)
{
    const struct hlo_module *m = p->m;
    uint32_t first = m->computation[m->n_computations - 1].first, n = m->n_instructions - first;
    char *wanted = memory_copy_part(name.at, name.size);

    if (n > NEAREST_OF) {
        first += n - NEAREST_OF;
        n = NEAREST_OF;
    }
    char **known = memory_zeroed(n, sizeof *known);
    for (uint32_t i = 0; i < n; i++)
        known[i] = memory_copy_part(m->instruction[first + i].name.at,
                                    m->instruction[first + i].name.size);
    const char *near = err_nearest(wanted, (const char *const *)known, n);
    char *copy = memory_copy(near);
    for (uint32_t i = 0; i < n; i++)
        free(known[i]);
    free(known);
    free(wanted);
    return copy;
}

static int fail_unknown(struct hlo_parser *p, struct hlo_text name)
{
    struct hlo_lex *x = &p->lex;
    int size = name.size > 80 ? 80 : (int)name.size;
    const char *later = find_later(x, name);
    uint32_t line, column;

    if (later) {
        hlo_lex_place(x, later, &line, &column);
        return hlo_lex_fail(x, name.at, ERR_FORMAT,
                            "operand '%.*s' is used before it is defined in line %" PRIu32, size,
                            name.at, line);
    }
    char *near = copy_nearest(p, name);
    if (near)
        hlo_lex_fail(x, name.at, ERR_UNKNOWN, "unknown operand '%.*s'; did you mean '%s'?", size,
                     name.at, near);
    else
        hlo_lex_fail(x, name.at, ERR_UNKNOWN, "unknown operand '%.*s'", size, name.at);
    free(near);
    return -1;
}

/* NAME#1#0: parts of a tuple, each an instruction that is made once */
static int read_parts(struct hlo_parser *p, struct hlo_text name, uint32_t *index)
{
    struct hlo_lex *x = &p->lex;

    while (x->at < x->end && *x->at == '#') {
        uint64_t part;
        x->at++;
        if (hlo_lex_number(x, "the number of a part", &part) != 0)
            return -1;
        if (part >= UINT32_MAX)
            return hlo_lex_fail(x, name.at, ERR_RANGE,
                                "the number of a part has more than 32 bits");
        struct hlo_text whole = { name.at, (uint32_t)(x->at - name.at) };
        uint32_t known = find_operand(p, whole);
        if (known == HLO_NONE) {
            known = hlo_parser_add_instruction(p, whole, name.at, gte);
            struct hlo_instruction *i = &p->m->instruction[known];
            i->number = (int64_t)part;
            i->n_operands = 1;
            push_operand(p, *index);
            keep_operands(p, p->n_stack - 1);
            p->n_without_shape++;
            hlo_names_add(&p->names, whole, known);
        }
        *index = known;
    }
    return 0;
}

/* In a list of instructions alone, `f32[8] %x` may be a parameter that is not written out. */
static int add_parameter(struct hlo_parser *p, const char *shape_at, struct hlo_text name,
                         uint32_t *index)
{
    static const struct hlo_text opcode = { "parameter", 9 };
    struct hlo_lex *x = &p->lex;
    const struct hlo_shape *shape;
    const char *at = x->at;

    x->at = shape_at;
    if (hlo_shape_read(x, &p->shapes, &shape) != 0)
        return -1;
    x->at = at;
    *index = hlo_parser_add_instruction(p, name, name.at, opcode);
    p->m->instruction[*index].shape = shape;
    p->m->instruction[*index].number = p->n_parameters;
    HLO_PARSER_ROOM(p->parameter, p->n_parameters, p->cap_parameters);
    p->parameter[p->n_parameters++] = *index;
    return define_name(p, *index);
}

static int read_operand(struct hlo_parser *p, unsigned depth, uint32_t *index)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_text name;
    const char *begin = (hlo_lex_blanks(x), x->at);
    bool shape = hlo_lex_peek(x) != '%' && hlo_shape_follows(x);

    if (shape && hlo_shape_skip(x) != 0)
        return -1;
    bool percent = hlo_lex_peek(x) == '%';
    if (hlo_lex_name(x, "an operand", &name) != 0)
        return -1;
    if (!percent && hlo_lex_peek(x) == '(') {
        if (depth == HLO_PARSER_MAX_NEST)
            return hlo_lex_fail(x, begin, ERR_RANGE, "instructions are nested deeper than %d",
                                HLO_PARSER_MAX_NEST);
        x->at = begin;
        return read_value(p, (struct hlo_text){ NULL, 0 }, begin, depth + 1, index);
    }
    *index = find_operand(p, name);
    if (*index == HLO_NONE && p->bare && shape)
        return add_parameter(p, begin, name, index);
    if (*index == HLO_NONE)
        return fail_unknown(p, name);
    return read_parts(p, name, index);
}

static int read_operands(struct hlo_parser *p, unsigned depth)
{
    struct hlo_lex *x = &p->lex;
    uint32_t index = HLO_NONE;

    if (hlo_lex_expect(x, '(', "'(' after the opcode") != 0)
        return -1;
    if (hlo_lex_take(x, ')'))
        return 0;
    do {
        if (read_operand(p, depth, &index) != 0)
            return -1;
        push_operand(p, index);
    } while (hlo_lex_take(x, ','));
    return hlo_lex_expect(x, ')', "',' or ')' after an operand");
}

/* --- instructions ------------------------------------------------------------------------- */

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

static int read_value(struct hlo_parser *p, struct hlo_text name, const char *place, unsigned depth,
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
        rc = read_operands(p, depth);
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
    keep_operands(p, base);
    p->n_without_shape += !shape;
    if (op == HLO_OP_PARAMETER)
        note_parameter(p, *index);
    return define_name(p, *index);
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
        read_value(p, name, place, 0, &index) != 0)
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
