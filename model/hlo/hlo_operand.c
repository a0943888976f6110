/* hlo_operand.c - see hlo_operand.h. */
#include "hlo/hlo_operand.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NEAREST_OF 4096 /* names that are compared with one that nobody knows: the last ones */

static struct hlo_text name_instruction(const struct hlo_module *m, uint32_t index)
{
    return m->instruction[index].name;
}

static uint32_t find_operand(const struct hlo_parser *p, struct hlo_text name)
{
    return hlo_names_find(&p->names, p->m, name_instruction, name);
}

int hlo_operand_define(struct hlo_parser *p, uint32_t index)
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

void hlo_operand_keep(struct hlo_parser *p, uint32_t base)
{
    struct hlo_module *m = p->m;

    for (uint32_t i = base; i < p->n_stack; i++) {
        HLO_PARSER_ROOM(m->operand, m->n_operands, p->cap_operands);
        m->operand[m->n_operands++] = p->stack[i];
    }
    p->n_stack = base;
}

/* --- names that nobody knows -------------------------------------------------------------- */

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

/* --- reading ------------------------------------------------------------------------------ */

static const struct hlo_text gte = { "get-tuple-element", 17 };

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
            hlo_operand_keep(p, p->n_stack - 1);
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
    return hlo_operand_define(p, *index);
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
        return hlo_parser_value(p, (struct hlo_text){ NULL, 0 }, begin, depth + 1, index);
    }
    *index = find_operand(p, name);
    if (*index == HLO_NONE && p->bare && shape)
        return add_parameter(p, begin, name, index);
    if (*index == HLO_NONE)
        return fail_unknown(p, name);
    return read_parts(p, name, index);
}

int hlo_operand_read_all(struct hlo_parser *p, unsigned depth)
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
