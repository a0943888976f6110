/* hlo_called.c - the computations that an instruction calls: attributes, names, circles, flags. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_parser.h"

/* Attributes that name computations.  If both of a pair are there, `first` has to come first. */
static const struct {
    const char *key;
    bool first;
} keys[] = {
    { "calls", false },
    { "to_apply", false },
    { "condition", true },
    { "body", false },
    { "branch_computations", false },
    { "true_computation", true },
    { "false_computation", false },
    { "select", true },
    { "scatter", false },
    { "called_computations", false },
};

/* --- while reading ------------------------------------------------------------------------ */

static void add_called(struct hlo_parser *p, struct hlo_text name)
{
    struct hlo_module *m = p->m;

    HLO_PARSER_ROOM(m->called, m->n_called, p->cap_called);
    HLO_PARSER_ROOM(p->called_name, m->n_called, p->cap_called_names);
    m->called[m->n_called] = HLO_NONE;
    p->called_name[m->n_called++] = name;
    m->instruction[m->n_instructions - 1].n_called++;
}

/* A computation that is written here: `{ x = ...`, not a name or `{a, b}` */
static bool is_inlined(struct hlo_lex x)
{
    struct hlo_text name;
    struct err err;

    x.err = &err;
    if (hlo_lex_peek(&x) != '{')
        return false;
    x.at++;
    char c = hlo_lex_peek(&x);
    if (c == '}' || hlo_lex_name(&x, "", &name) != 0)
        return false;
    c = hlo_lex_peek(&x);
    return c == '=' || (hlo_text_is(name, "ROOT") && c != ',' && c != '}');
}

static void add_inlined(struct hlo_parser *p, const char *at)
{
    struct hlo_module *m = p->m;
    uint32_t line, column;

    add_called(p, (struct hlo_text){ NULL, 0 });
    hlo_lex_place(&p->lex, at, &line, &column);
    HLO_PARSER_ROOM(p->inlined, p->n_inlined, p->cap_inlined);
    p->inlined[p->n_inlined++] =
        (struct hlo_inline){ .at = at,
                             .name = m->instruction[m->n_instructions - 1].name,
                             .called = m->n_called - 1,
                             .line_start = p->lex.line_start,
                             .line = line };
}

/* The last two computations that an instruction calls, the other way round. */
static void swap_called(struct hlo_parser *p)
{
    uint32_t b = p->m->n_called - 1, a = b - 1;
    struct hlo_text name = p->called_name[a];

    p->called_name[a] = p->called_name[b];
    p->called_name[b] = name;
    for (uint32_t i = p->n_inlined; i > 0 && p->n_inlined - i < 2; i--)
        if (p->inlined[i - 1].called == a || p->inlined[i - 1].called == b)
            p->inlined[i - 1].called ^= a ^ b;
}

int hlo_parser_called(struct hlo_parser *p, struct hlo_attribute a)
{
    struct hlo_lex x = p->lex;
    struct hlo_text name;
    unsigned k = 0;

    while (k < sizeof keys / sizeof *keys && !hlo_text_is(a.key, keys[k].key))
        k++;
    if (k == sizeof keys / sizeof *keys)
        return 0;
    x.at = a.value.at;
    if (is_inlined(x)) {
        add_inlined(p, a.value.at + 1);
    } else {
        bool list = hlo_lex_take(&x, '{');
        if (list && hlo_lex_peek(&x) == '}')
            return 0;
        do {
            if (hlo_lex_name(&x, "the name of a computation", &name) != 0)
                return -1;
            add_called(p, name);
        } while (list && hlo_lex_take(&x, ','));
        if (list && hlo_lex_expect(&x, '}', "',' or '}' after the name of a computation") != 0)
            return -1;
    }
    if (keys[k].first && p->m->instruction[p->m->n_instructions - 1].n_called == 2)
        swap_called(p);
    return 0;
}

/* --- names to indices --------------------------------------------------------------------- */

static int fail_unknown(struct hlo_parser *p, struct hlo_text name)
{
    struct hlo_module *m = p->m;
    int size = name.size > 80 ? 80 : (int)name.size;
    char *wanted = memory_copy_part(name.at, name.size);
    char **known = memory_zeroed(m->n_computations, sizeof *known);

    for (uint32_t i = 0; i < m->n_computations; i++)
        known[i] = memory_copy_part(m->computation[i].name.at, m->computation[i].name.size);
    const char *near = err_nearest(wanted, (const char *const *)known, m->n_computations);
    if (near)
        hlo_lex_fail(&p->lex, name.at, ERR_UNKNOWN,
                     "unknown computation '%.*s'; did you mean '%s'?", size, name.at, near);
    else
        hlo_lex_fail(&p->lex, name.at, ERR_UNKNOWN, "unknown computation '%.*s'", size, name.at);
    for (uint32_t i = 0; i < m->n_computations; i++)
        free(known[i]);
    free(known);
    free(wanted);
    return -1;
}

static int find_called(struct hlo_parser *p)
{
    struct hlo_module *m = p->m;

    for (uint32_t i = 0; i < m->n_called; i++) {
        if (!p->called_name[i].at)
            continue;
        m->called[i] =
            hlo_names_find(&p->computations, m, hlo_parser_computation_name, p->called_name[i]);
        if (m->called[i] == HLO_NONE)
            return fail_unknown(p, p->called_name[i]);
    }
    return 0;
}

struct hlo_text hlo_parser_computation_name(const struct hlo_module *m, uint32_t index)
{
    return m->computation[index].name;
}

/* --- what calls what ---------------------------------------------------------------------- */

/* Entries of hlo_module.called that belong to a computation: those of its instructions in turn. */
static uint32_t first_called(const struct hlo_module *m, const struct hlo_computation *c)
{
    return m->instruction[c->first].first_called;
}

static uint32_t end_called(const struct hlo_module *m, const struct hlo_computation *c)
{
    const struct hlo_instruction *last = &m->instruction[c->first + c->n - 1];

    return last->first_called + last->n_called;
}

static int fail_circle(struct hlo_parser *p, uint32_t caller, uint32_t call)
{
    const struct hlo_module *m = p->m;
    struct hlo_text name = m->computation[m->called[call]].name, by = m->computation[caller].name;
    int size = name.size > 80 ? 80 : (int)name.size, by_size = by.size > 80 ? 80 : (int)by.size;

    if (m->called[call] == caller)
        return hlo_lex_fail(&p->lex, p->called_name[call].at, ERR_FORMAT,
                            "computation '%.*s' calls itself", size, name.at);
    return hlo_lex_fail(&p->lex, p->called_name[call].at, ERR_FORMAT,
                        "computation '%.*s' calls itself by way of '%.*s'", size, name.at, by_size,
                        by.at);
}

/* The calls below a computation that has a call of one with `below` of them. */
static int add_depth(struct hlo_parser *p, uint32_t caller, uint32_t call, uint32_t *below)
{
    const struct hlo_module *m = p->m;
    const struct hlo_instruction *i = &m->instruction[m->computation[caller].first];
    uint32_t n = below[m->called[call]] + 1;

    if (n > HLO_MAX_CALLS) {
        while (i->first_called + i->n_called <= call)
            i++;
        return hlo_error(m, i, p->lex.err, "computations call each other deeper than %d",
                         HLO_MAX_CALLS);
    }
    below[caller] = n > below[caller] ? n : below[caller];
    return 0;
}

/* All computations, callees before their callers: depth first, with a stack of our own. */
static int sort_computations(struct hlo_parser *p, uint32_t *order)
{
    struct hlo_module *m = p->m;
    uint32_t n = m->n_computations, depth, done = 0;
    enum { NEW, OPEN, CLOSED };
    uint8_t *state = memory_zeroed(n, 1);
    uint32_t *stack = memory_resize(NULL, n, sizeof *stack);
    uint32_t *next = memory_resize(NULL, n, sizeof *next); /* call to look at */
    uint32_t *below = memory_zeroed(n, sizeof *below);
    int rc = 0;

    for (uint32_t root = 0; root < n && rc == 0; root++) {
        depth = 0;
        if (state[root] == NEW) {
            state[root] = OPEN;
            next[root] = first_called(m, &m->computation[root]);
            stack[depth++] = root;
        }
        while (depth > 0 && rc == 0) {
            uint32_t c = stack[depth - 1];
            if (next[c] == end_called(m, &m->computation[c])) {
                state[c] = CLOSED;
                order[done++] = c;
                depth--;
                if (depth > 0)
                    rc = add_depth(p, stack[depth - 1], next[stack[depth - 1]] - 1, below);
                continue;
            }
            uint32_t call = next[c]++, callee = m->called[call];
            if (state[callee] == OPEN)
                rc = fail_circle(p, c, call);
            if (state[callee] == CLOSED)
                rc = add_depth(p, c, call, below);
            if (state[callee] == NEW) {
                state[callee] = OPEN;
                next[callee] = first_called(m, &m->computation[callee]);
                stack[depth++] = callee;
            }
        }
    }
    free(state);
    free(stack);
    free(next);
    free(below);
    return rc;
}

/* fused, scalar: by the instruction that calls */
static void mark_called(struct hlo_module *m, const struct hlo_instruction *i)
{
    bool call = i->opcode == HLO_OP_CALL || i->opcode == HLO_OP_CALL_START;
    bool fused = i->opcode == HLO_OP_FUSION || hlo_text_is(i->opcode_text, "fusion-start");
    bool scalar =
        i->opcode == HLO_OP_SELECT_AND_SCATTER || (!call && hlo_attribute(m, i, "to_apply").at);

    for (uint32_t n = 0; n < i->n_called; n++) {
        struct hlo_computation *c = &m->computation[m->called[i->first_called + n]];
        c->fused |= fused;
        c->scalar |= scalar;
    }
}

int hlo_parser_resolve(struct hlo_parser *p)
{
    struct hlo_module *m = p->m;

    if (find_called(p) != 0)
        return -1;
    uint32_t *order = memory_resize(NULL, m->n_computations, sizeof *order);
    int rc = sort_computations(p, order);
    for (uint32_t i = 0; i < m->n_instructions && rc == 0; i++)
        if (m->instruction[i].n_called > 0)
            mark_called(m, &m->instruction[i]);
    if (rc == 0 && p->n_without_shape > 0)
        rc = hlo_parser_infer(p, order);
    free(order);
    return rc == 0 ? hlo_parser_check(p) : -1;
}
