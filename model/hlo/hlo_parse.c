/* hlo_parse.c - see hlo_module.h: a module and its computations.
 *
 * One pass over the text.  Instructions go to one array, so those of a computation are contiguous:
 * a computation that is written inside another one (to_apply={...}) is skipped and read afterwards.
 * Names of computations become indices at the end, because a caller may come first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_parser.h"

bool hlo_looks_like(const char *text, size_t size)
{
    struct hlo_lex x;
    struct err err;

    hlo_lex_init(&x, "", text, size, &err);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        x.at += 3;
    while (hlo_lex_peek(&x) == '#') /* comments of lit tests */
        while (x.at < x.end && *x.at != '\n')
            x.at++;
    return hlo_text_is(hlo_lex_word(&x), "HloModule");
}

/* --- one computation ---------------------------------------------------------------------- */

static void begin_computation(struct hlo_parser *p, struct hlo_text name)
{
    struct hlo_module *m = p->m;

    HLO_PARSER_ROOM(m->computation, m->n_computations, p->cap_computations);
    m->computation[m->n_computations++] = (struct hlo_computation){
        .name = name, .first = m->n_instructions, .root = HLO_NONE, .parameter = NULL
    };
    hlo_names_begin(&p->names, m->n_instructions);
    p->n_parameters = 0;
}

static int keep_parameters(struct hlo_parser *p, struct hlo_computation *c)
{
    struct hlo_module *m = p->m;
    uint32_t *kept = hlo_arena_take(&m->store->arena, p->n_parameters * sizeof *kept);

    for (uint32_t i = 0; i < p->n_parameters; i++)
        kept[i] = HLO_NONE;
    for (uint32_t i = 0; i < p->n_parameters; i++) {
        const struct hlo_instruction *param = &m->instruction[p->parameter[i]];
        if (param->number >= p->n_parameters)
            return hlo_lex_fail(&p->lex, hlo_parser_place(m, param), ERR_RANGE,
                                "parameter(%" PRId64 ") in a computation of %" PRIu32 " parameters",
                                param->number, p->n_parameters);
        if (kept[param->number] != HLO_NONE)
            return hlo_lex_fail(&p->lex, hlo_parser_place(m, param), ERR_FORMAT,
                                "parameter(%" PRId64 ") is given twice, first in line %" PRIu32,
                                param->number, m->instruction[kept[param->number]].line);
        kept[param->number] = p->parameter[i];
    }
    c->parameter = kept;
    c->n_parameters = p->n_parameters;
    return 0;
}

/* The instructions of the last computation, up to `close` or the end of the text if that is 0. */
static int read_instructions(struct hlo_parser *p, char close)
{
    struct hlo_module *m = p->m;
    uint32_t which = m->n_computations - 1;

    for (char c = hlo_lex_peek(&p->lex); c != close; c = hlo_lex_peek(&p->lex))
        if (hlo_parser_instruction(p) != 0)
            return -1;
    struct hlo_computation *c = &m->computation[which];
    c->n = m->n_instructions - c->first;
    if (c->n == 0)
        return hlo_lex_fail(&p->lex, p->lex.at, ERR_FORMAT, "a computation without instructions");
    if (c->root == HLO_NONE)
        c->root = m->n_instructions - 1;
    return keep_parameters(p, c);
}

/* Computations that were written inside others, and those inside them. */
static int read_inlined(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;
    const char *at = x->at, *counted = x->counted, *line_start = x->line_start;
    uint32_t line = x->line;

    for (uint32_t i = 0; i < p->n_inlined; i++) {
        struct hlo_inline in = p->inlined[i];
        x->at = in.at;
        x->counted = in.at;
        x->line_start = in.line_start;
        x->line = in.line;
        p->m->called[in.called] = p->m->n_computations;
        begin_computation(p, in.name);
        if (read_instructions(p, '}') != 0)
            return -1;
    }
    p->n_inlined = 0;
    x->at = at;
    x->counted = counted;
    x->line_start = line_start;
    x->line = line;
    return 0;
}

/* `(p: f32[8], q: s32[]) -> f32[8]`: instructions say it again */
static int skip_signature(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;

    if (hlo_lex_peek(x) == '(' && hlo_lex_bracket(x) != 0)
        return -1;
    if (!hlo_lex_take(x, '-'))
        return 0;
    return hlo_lex_expect(x, '>', "'->'") != 0 ? -1 : hlo_shape_skip(x);
}

/* }, execution_thread="..." */
static int read_trailer(struct hlo_parser *p, struct hlo_computation *c)
{
    struct hlo_attribute a;

    while (hlo_lex_take(&p->lex, ',')) {
        if (hlo_lex_attribute(&p->lex, &a) != 0)
            return -1;
        if (hlo_text_is(a.key, "execution_thread"))
            c->thread = hlo_unquoted(a.value);
    }
    return 0;
}

/* Begin a computation that others can call. */
static int define_computation(struct hlo_parser *p, struct hlo_text name)
{
    const struct hlo_module *m = p->m;

    if (hlo_names_find(&p->computations, m, hlo_parser_computation_name, name) != HLO_NONE)
        return hlo_lex_fail(&p->lex, name.at, ERR_FORMAT, "a second computation '%.*s'",
                            name.size > 80 ? 80 : (int)name.size, name.at);
    begin_computation(p, name);
    hlo_names_add(&p->computations, name, m->n_computations - 1);
    return 0;
}

static int read_computation(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_module *m = p->m;
    struct hlo_text name;
    uint32_t which = m->n_computations;

    if (hlo_lex_name(x, "ENTRY or the name of a computation", &name) != 0)
        return -1;
    char after = hlo_lex_peek(x);
    bool entry = hlo_text_is(name, "ENTRY") && after != '{' && after != '(';
    if (entry && p->entry_given)
        return hlo_lex_fail(x, name.at, ERR_FORMAT, "a second ENTRY");
    if (entry && hlo_lex_name(x, "the name of a computation", &name) != 0)
        return -1;
    if (hlo_text_is(name, "HloModule"))
        return hlo_lex_fail(x, name.at, ERR_FORMAT, "a second module, expected one in a text");
    if (entry) {
        m->entry = which;
        p->entry_given = true;
    }
    if (skip_signature(p) != 0 || hlo_lex_expect(x, '{', "'{' before instructions") != 0)
        return -1;
    if (define_computation(p, name) != 0 || read_instructions(p, '}') != 0)
        return -1;
    x->at++;
    return read_trailer(p, &m->computation[which]) != 0 ? -1 : read_inlined(p);
}

/* --- the module --------------------------------------------------------------------------- */

/* Is the text `name = ...` from here on, a list of instructions without a computation around it? */
static bool is_bare(struct hlo_lex x)
{
    struct hlo_text name;
    struct err err;

    x.err = &err;
    return hlo_lex_name(&x, "", &name) == 0 &&
           (!hlo_text_is(name, "ROOT") || hlo_lex_name(&x, "", &name) == 0) &&
           hlo_lex_peek(&x) == '=';
}

static int read_bare(struct hlo_parser *p)
{
    p->bare = true;
    begin_computation(p, (struct hlo_text){ "entry", 5 });
    return read_instructions(p, '\0') != 0 ? -1 : read_inlined(p);
}

static int read_module(struct hlo_parser *p)
{
    struct hlo_lex *x = &p->lex;
    struct hlo_module *m = p->m;

    if (hlo_parser_header(p) != 0)
        return -1;
    if (is_bare(*x)) {
        if (read_bare(p) != 0)
            return -1;
    }
    while (hlo_lex_peek(x) != '\0' || x->at < x->end) {
        int table = hlo_frames_read(x, &m->store->frames);
        if (table < 0 || (table == 0 && read_computation(p) != 0))
            return -1;
    }
    if (x->unclosed)
        return hlo_lex_fail(x, x->unclosed, ERR_FORMAT, "comment without its end");
    if (m->n_computations == 0)
        return hlo_lex_expected(x, "a computation");
    if (!p->entry_given)
        m->entry = m->n_computations - 1;
    return hlo_parser_resolve(p);
}

static void free_parser(struct hlo_parser *p)
{
    hlo_shape_free(&p->shapes);
    hlo_names_free(&p->names);
    hlo_names_free(&p->computations);
    free(p->called_name);
    free(p->inlined);
    free(p->stack);
    free(p->parameter);
}

/* Give back what growing took too much. */
static void trim_arrays(struct hlo_module *m)
{
#define TRIM(array, n) ((array) = memory_resize((array), (n), sizeof *(array)))
    TRIM(m->computation, m->n_computations);
    TRIM(m->instruction, m->n_instructions);
    TRIM(m->operand, m->n_operands);
    TRIM(m->called, m->n_called);
    TRIM(m->attribute, m->n_attributes);
    TRIM(m->alias, m->n_aliases);
#undef TRIM
}

int hlo_parse_piece(struct hlo_module **module, const char *file, const struct hlo_piece *piece,
                    struct err *err)
{
    struct hlo_parser p = { 0 };

    *module = NULL;
    if (piece->end > HLO_PARSER_MAX_BYTES)
        return err_set(err, ERR_RANGE, "%.200s: a text of %zu bytes, expected at most 1 GiB", file,
                       piece->end);
    struct hlo_module *m = memory_zeroed(1, sizeof *m);
    m->file = memory_copy(file);
    m->bytes = piece->end - piece->begin;
    m->partitions = m->replicas = 1;
    m->entry = HLO_NONE;
    m->store = memory_zeroed(1, sizeof *m->store);
    m->store->text = piece->text;
    m->store->size = piece->end;
    p.m = m;
    p.shapes.arena = &m->store->arena;
    hlo_opcode_init(&p.opcodes);
    hlo_lex_init(&p.lex, m->file, piece->text, piece->end, err);
    p.lex.at += piece->begin;
    int rc = read_module(&p);
    free_parser(&p);
    if (rc != 0) {
        hlo_free(m);
        return -1;
    }
    hlo_join_late(m);
    trim_arrays(m);
    *module = m;
    return 0;
}

int hlo_parse(struct hlo_module **module, const char *file, const char *text, size_t size,
              struct err *err)
{
    return hlo_parse_piece(module, file, &(struct hlo_piece){ .text = text, .end = size }, err);
}

void hlo_free(struct hlo_module *m)
{
    if (!m)
        return;
    hlo_arena_free(&m->store->arena);
    hlo_frames_free(&m->store->frames);
    free(m->store);
    free(m->computation);
    free(m->instruction);
    free(m->operand);
    free(m->called);
    free(m->attribute);
    free(m->alias);
    free((char *)m->file);
    free(m);
}
