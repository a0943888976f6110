/* mlir_text.c - modules of MLIR as MLIR prints them.
 *
 *     %r, %s:2 = dialect.op words %operand[...] {name = value, ...} : types -> types {
 *       operations
 *     } else {
 *       operations
 *     }
 *     %r = "dialect.op"(%operand) <{name = value}> ({ operations }) {name = value} : types -> types
 *
 * One statement is one operation.  What stands in braces on the line of its bracket is attributes,
 * what begins with a new line a region.  Names that "=" follows inside of a statement, or ":" in
 * the head of a function, are arguments of its region.  The words of arith.constant and arith.cmpi
 * become their attributes `value` and `predicate`, [n] of a reduction `reduction_dims`.  Names
 * that nobody has defined are values of the type that the statement gives. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mlir_parse.h"

#define MAX_TYPES 64 /* in one statement; those that follow are not kept */

/* A statement while it is read. */
struct mlir_statement {
    uint32_t op;
    bool function, generic;
    bool counted; /* its operands are in the module */
    struct mlir_text operand[256], result[64], argument[256];
    uint32_t wide[64]; /* values of a result: %r:2 */
    uint32_t argument_type[256];
    uint32_t operands, results, arguments;
    uint32_t type[MAX_TYPES], types, result_types; /* the first of the results, or MLIR_NONE */
    struct mlir_text key[64];
    uint32_t attribute[64], attributes;
    struct mlir_region region[8];
    uint32_t regions;
};

/* --- statements ---------------------------------------------------------------------------- */

static void add_attribute(struct mlir_statement *s, const char *key, uint32_t attribute)
{
    if (s->attributes == 64)
        return;
    s->key[s->attributes] = (struct mlir_text){ key, (uint32_t)strlen(key) };
    s->attribute[s->attributes++] = attribute;
}

/* Attributes in braces join those that are there. */
static void take_pairs(struct mlir_reader *r, struct mlir_statement *s)
{
    r->at++;
    struct mlir_text all = { r->at, 0 };
    do {
        mlir_take_value(r);
        all.size = (uint32_t)(r->at - all.at);
    } while (r->at < r->end && *r->at == ',' && r->at++);
    r->at += r->at < r->end;
    uint32_t pairs = mlir_parse_pairs(r->m, all, 0);
    const struct mlir_attribute *a = &r->m->attribute[pairs];
    for (uint32_t k = 0; k < a->n && s->attributes < 64; k++) {
        s->key[s->attributes] = r->m->attribute[r->m->item[a->first + 2 * k]].text;
        s->attribute[s->attributes++] = r->m->item[a->first + 2 * k + 1];
    }
}

static bool is_op(const struct mlir_reader *r, const struct mlir_statement *s, const char *name)
{
    return mlir_is(r->m->op[s->op].name, name);
}

static void take_type(struct mlir_reader *r, struct mlir_statement *s)
{
    struct mlir_type t;

    if (mlir_parse_type(&t, &r->at, r->end) && s->types < MAX_TYPES)
        s->type[s->types++] = mlir_add_type(r->m, &t);
}

/* Types behind ":" or "->", commas between them; a list in parentheses too. */
static void take_types(struct mlir_reader *r, struct mlir_statement *s)
{
    bool list = false;

    for (;;) {
        while (r->at < r->end && *r->at == ' ')
            r->at++;
        if (r->at < r->end && *r->at == '(') {
            list = true;
            r->at++;
            if (r->at < r->end && *r->at == ')')
                r->at++, list = false;
            else
                continue;
        }
        const char *before = r->at;
        take_type(r, s);
        while (r->at < r->end && *r->at == ' ')
            r->at++;
        if (list && r->at < r->end && *r->at == ')')
            r->at++, list = false;
        if (r->at < r->end && *r->at == ',') {
            r->at++;
            continue;
        }
        if (r->at == before || !list)
            return;
        list = false;
    }
}

static void take_operand(struct mlir_reader *r, struct mlir_statement *s)
{
    struct mlir_text name = mlir_take_name(r);
    const char *p = r->at;

    while (p < r->end && *p == ' ')
        p++;
    bool defines = p < r->end && (*p == '=' || (s->function && *p == ':'));
    if (defines && s->arguments < 256) {
        r->at = p + 1;
        uint32_t before = s->types;
        if (*p == ':')
            take_type(r, s);
        s->argument[s->arguments] = name;
        s->argument_type[s->arguments++] = s->types > before ? s->type[--s->types] : MLIR_NONE;
    } else if (!defines && s->operands < 256) {
        s->operand[s->operands++] = name;
    }
}

/* The words in front of the operands that say what it does. */
static void take_kind(struct mlir_reader *r, struct mlir_statement *s)
{
    static const char *const predicate[] = { "eq",  "ne",  "slt", "sle", "sgt",
                                             "sge", "ult", "ule", "ugt", "uge" };

    while (r->at < r->end && *r->at == ' ')
        r->at++;
    if (is_op(r, s, "arith.constant") && r->at < r->end && *r->at != '{') {
        const char *from = r->at;
        while (r->at < r->end && *r->at != '\n' &&
               !(r->end - r->at >= 3 && memcmp(r->at, " : ", 3) == 0))
            r->at++;
        struct mlir_text t = { from, (uint32_t)(r->at - from) };
        add_attribute(s, "value", mlir_parse_value(r->m, t, 0));
    } else if (is_op(r, s, "arith.cmpi")) {
        struct mlir_text w = mlir_take_word(r);
        for (int k = 0; k < 10; k++)
            if (mlir_is(w, predicate[k]))
                add_attribute(s, "predicate",
                              mlir_add_attribute(r->m, &(struct mlir_attribute){
                                                           .form = MLIR_NUMBER, .value = k }));
    }
}

/* Dimensions of a reduction, behind its operands. */
static void take_list(struct mlir_reader *r, struct mlir_statement *s)
{
    const char *from = r->at;

    r->at++;
    if (!is_op(r, s, "vector.multi_reduction") && !is_op(r, s, "tpu.all_reduce"))
        return; /* operands are inside */
    while (r->at < r->end && *r->at != ']')
        r->at++;
    r->at += r->at < r->end;
    struct mlir_text t = { from, (uint32_t)(r->at - from) };
    add_attribute(s, "reduction_dims", mlir_parse_numbers(r->m, t));
}

static bool begins_region(const struct mlir_reader *r)
{
    const char *p = r->at + 1;

    while (p < r->end && (*p == ' ' || *p == '\r'))
        p++;
    return p < r->end && (*p == '\n' || *p == '^');
}

static bool read_region(struct mlir_reader *r, struct mlir_statement *s);

/* The value of a name; one that nobody has defined is new. */
static uint32_t value_of(struct mlir_reader *r, struct mlir_text t, uint32_t type)
{
    struct mlir_name *n = r->room ? mlir_name_find(r, t) : NULL;

    if (n && n->text.at)
        return n->value;
    uint32_t v = mlir_add_value(r->m, type);
    mlir_name_set(r, t, v);
    return v;
}

static void end_operands(struct mlir_reader *r, struct mlir_statement *s)
{
    struct mlir_module *m = r->m;

    if (s->counted)
        return;
    s->counted = true;
    m->op[s->op].first_operand = m->n_refs;
    m->op[s->op].operands = s->operands;
    for (uint32_t k = 0; k < s->operands; k++)
        mlir_add_ref(m, value_of(r, s->operand[k], k < s->types ? s->type[k] : MLIR_NONE));
}

static void end_results(struct mlir_reader *r, struct mlir_statement *s)
{
    struct mlir_module *m = r->m;
    uint32_t n = 0, first = s->result_types == MLIR_NONE ? 0 : s->result_types;

    for (uint32_t k = 0; k < s->results; k++)
        n += s->wide[k];
    if (s->result_types == MLIR_NONE || s->types < first + n)
        first = s->types > n ? s->types - n : 0;
    m->op[s->op].first_result = m->n_values;
    m->op[s->op].results = n;
    for (uint32_t k = 0; k < n; k++)
        mlir_add_value(m, first + k < s->types ? s->type[first + k] : MLIR_NONE);
    for (uint32_t k = 0, at = m->op[s->op].first_result; k < s->results; at += s->wide[k++])
        mlir_name_set(r, s->result[k], at);
    if (s->attributes == 0)
        return;
    struct mlir_attribute a = { .form = MLIR_PAIRS, .n = s->attributes, .type = MLIR_NONE };
    uint32_t first_name = m->n_attributes;
    for (uint32_t k = 0; k < s->attributes; k++)
        mlir_add_text(m, s->key[k]);
    a.first = m->n_items;
    for (uint32_t k = 0; k < s->attributes; k++) {
        mlir_add_item(m, first_name + k);
        mlir_add_item(m, s->attribute[k]);
    }
    m->op[s->op].attribute = mlir_add_attribute(m, &a);
}

static bool read_statement(struct mlir_reader *r);

/* ^bb0(%a: type, ...): of the one block that a region has */
static void take_label(struct mlir_reader *r, struct mlir_statement *s)
{
    s->function = true;
    while (r->at < r->end && *r->at != '\n' &&
           !(*r->at == ')' && r->at + 1 < r->end && r->at[1] == ':'))
        if (*r->at == '%')
            take_operand(r, s);
        else
            r->at++;
    r->at += r->end - r->at > 2 ? 2 : r->end - r->at;
}

static bool read_region(struct mlir_reader *r, struct mlir_statement *s)
{
    struct mlir_module *m = r->m;
    struct mlir_region g = { 0 };

    if (s->regions == 8 || r->depth >= MLIR_MAX_DEPTH)
        return false;
    r->at++;
    mlir_skip_blanks(r);
    if (r->at < r->end && *r->at == '^')
        take_label(r, s);
    g.first_arg = m->n_values;
    g.args = s->arguments;
    for (uint32_t k = 0; k < s->arguments; k++)
        mlir_name_set(r, s->argument[k], mlir_add_value(m, s->argument_type[k]));
    s->arguments = 0;
    g.first = m->n_ops;
    r->depth++;
    for (;;) {
        mlir_skip_blanks(r);
        if (r->at >= r->end || *r->at == '^') /* no second block */
            return false;
        if (*r->at == '}')
            break;
        if (!read_statement(r))
            return false;
    }
    r->depth--;
    r->at++;
    g.end = m->n_ops;
    s->region[s->regions++] = g;
    return true;
}

static bool take_braces(struct mlir_reader *r, struct mlir_statement *s)
{
    if (!begins_region(r)) {
        take_pairs(r, s);
        return true;
    }
    end_operands(r, s);
    if (!s->generic && s->regions == 0)
        end_results(r, s);
    return read_region(r, s);
}

/* A word behind the name of the operation. */
static void take_other_word(struct mlir_reader *r, struct mlir_statement *s)
{
    struct mlir_text w = mlir_take_word(r);

    if (w.size == 0) {
        r->at++;
    } else if (s->types && (mlir_is(w, "to") || mlir_is(w, "into"))) {
        s->result_types = s->types;
        take_types(r, s);
    }
}

static void take_symbol(struct mlir_reader *r, struct mlir_statement *s)
{
    r->at++;
    if (r->at < r->end && *r->at == '"') {
        mlir_skip_string(r);
        return;
    }
    struct mlir_text w = mlir_take_word(r);
    add_attribute(s, s->function ? "sym_name" : "callee", mlir_add_text(r->m, w));
}

static bool read_rest(struct mlir_reader *r, struct mlir_statement *s)
{
    while (r->at < r->end && *r->at != '\n' && *r->at != '}') {
        char c = *r->at, next = r->at + 1 < r->end ? r->at[1] : '\0';
        if (c == '%') {
            take_operand(r, s);
        } else if (c == '<' && next == '{') {
            r->at++;
            take_pairs(r, s);
        } else if (c == '{') {
            if (!take_braces(r, s))
                return false;
        } else if (c == '[') {
            take_list(r, s);
        } else if (c == '"') {
            if (!mlir_skip_string(r))
                return false;
        } else if (c == '@') {
            take_symbol(r, s);
        } else if (c == '-' && next == '>') {
            r->at += 2;
            s->result_types = s->types;
            take_types(r, s);
        } else if (c == ':') {
            r->at++;
            take_types(r, s);
        } else {
            take_other_word(r, s);
        }
    }
    return true;
}

/* %a, %b:2 = */
static void take_results(struct mlir_reader *r, struct mlir_statement *s)
{
    while (r->at < r->end && *r->at == '%') {
        struct mlir_text name = mlir_take_name(r);
        uint32_t n = 1;
        if (r->at < r->end && *r->at == ':') {
            r->at++;
            struct mlir_text w = mlir_take_word(r);
            n = 0;
            for (uint32_t k = 0; k < w.size && w.at[k] >= '0' && w.at[k] <= '9' && n < 64; k++)
                n = n * 10 + (uint32_t)(w.at[k] - '0');
        }
        if (s->results < 64) {
            s->result[s->results] = name;
            s->wide[s->results++] = n;
        }
        while (r->at < r->end && (*r->at == ' ' || *r->at == ',' || *r->at == '='))
            r->at++;
    }
}

static struct mlir_text full_name(struct mlir_text t)
{
    if (mlir_is(t, "return"))
        return (struct mlir_text){ "func.return", 11 };
    if (mlir_is(t, "module"))
        return (struct mlir_text){ "builtin.module", 14 };
    if (t.size > 14 && memcmp(t.at, "stable_mosaic.", 14) == 0)
        return (struct mlir_text){ t.at + 14, t.size - 14 };
    return t;
}

static bool read_statement(struct mlir_reader *r)
{
    struct mlir_statement *s = r->open[r->depth];
    struct mlir_module *m = r->m;
    struct mlir_text name;

    if (s == NULL)
        s = r->open[r->depth] = memory_zeroed(1, sizeof *s);
    s->function = s->counted = s->generic = false;
    s->operands = s->results = s->arguments = s->types = s->attributes = s->regions = 0;
    s->result_types = MLIR_NONE;
    take_results(r, s);
    if (r->at < r->end && *r->at == '"') {
        s->generic = true;
        name.at = ++r->at;
        while (r->at < r->end && *r->at != '"')
            r->at++;
        name.size = (uint32_t)(r->at - name.at);
        r->at += r->at < r->end;
    } else {
        name = mlir_take_word(r);
    }
    if (name.size == 0)
        return false;
    s->op = mlir_add_op(m, full_name(name));
    s->function = !s->generic && is_op(r, s, "func.func");
    if (!s->generic)
        take_kind(r, s);
    if (!read_rest(r, s))
        return false;
    end_operands(r, s);
    if (s->generic || s->regions == 0)
        end_results(r, s);
    m->op[s->op].first_region = m->n_regions;
    m->op[s->op].regions = s->regions;
    for (uint32_t k = 0; k < s->regions; k++)
        m->region[mlir_add_region(m)] = s->region[k];
    m->op[s->op].end = m->n_ops;
    return true;
}

bool mlir_read_text(struct mlir_module *m, const char *bytes, size_t size)
{
    struct mlir_reader r = { .m = m, .at = bytes, .end = bytes + size };
    bool read = size < UINT32_MAX;

    mlir_add_region(m);
    for (mlir_skip_blanks(&r); read && r.at < r.end; mlir_skip_blanks(&r)) {
        if (*r.at == '#' || *r.at == '!') /* the name of an attribute or a type */
            while (r.at < r.end && *r.at != '\n')
                r.at++;
        else
            read = read_statement(&r);
    }
    m->region[0].end = m->n_ops;
    for (uint32_t k = 0; k < sizeof r.open / sizeof *r.open; k++)
        free(r.open[k]);
    free(r.table);
    return read && m->n_ops > 0;
}
