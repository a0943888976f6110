/* A recursive-descent parser that writes postfix code, and the stack machine that runs it. */
#include "sweep/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/quantity.h"

#define MAX_DEPTH 64 /* of parentheses, and of the stack */

enum op {
    NUMBER,
    TEXT,
    NAME,
    NOT,
    NEGATE,
    MUL,
    DIV,
    ADD,
    SUB,
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE,
    AND,
    OR,
    MIN,
    MAX
};

struct step {
    enum op op;
    unsigned name;
    double number;
    char *text;
};

struct expr {
    struct step *step;
    unsigned n;
};

struct parser {
    struct expr *e;
    const char *text, *at;
    const char *const *names;
    unsigned n_names, depth, stack;
    struct err *err;
};

/* clang-format off */
static const struct binary {
    const char *sign;
    enum op op;
    int level;
} binaries[] = { /* a sign stands before those it begins with */
    { "||", OR, 1 }, { "&&", AND, 2 },
    { "==", EQ, 3 }, { "!=", NE, 3 }, { "<=", LE, 3 }, { ">=", GE, 3 }, { "<", LT, 3 }, { ">", GT, 3 },
    { "+", ADD, 4 }, { "-", SUB, 4 }, { "*", MUL, 5 }, { "/", DIV, 5 },
};
/* clang-format on */
#define LEVELS 5

static int fail_at(struct parser *p, enum err_code code, const char *at, const char *message)
{
    return err_set(p->err, code, "column %d: %s", (int)(at - p->text) + 1, message);
}

static void skip_blanks(struct parser *p)
{
    p->at += strspn(p->at, " \t");
}

static struct step *emit_step(struct parser *p, enum op op)
{
    struct expr *e = p->e;

    MEMORY_ADD(e->step, e->n);
    e->step[e->n] = (struct step){ .op = op };
    return &e->step[e->n++];
}

double expr_number(const mpq_t q)
{
    char text[256];

    /* mpq_get_d cuts; 25 digits leave the nearest no doubt that a given number would show */
    return plain_read(exact_decimal(text, sizeof text, q, 25), NULL);
}

static int push_value(struct parser *p)
{
    return ++p->stack > MAX_DEPTH ? fail_at(p, ERR_RANGE, p->at, "too many terms wait for others")
                                  : 0;
}

static int parse_level(struct parser *p, int level);

/* The units of which a literal may be; which one it is shows in its text. */
static bool with_unit(mpq_t q, const char *text)
{
    static const char *const units[] = { "ratio", "Hz", "B", "B/s", "s", "W", "USD/h", "FLOP/s" };
    struct err ignored;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (quantity_parse(q, text, units[i], &ignored) == 0)
            return true;
    return false;
}

static int parse_number(struct parser *p)
{
    char word[96];

    EXACT_Q(q);
    const char *end = exact_parse(q, p->at);
    if (!end) {
        return fail_at(p, ERR_FORMAT, p->at, "not a number");
    }
    const char *unit = end + strspn(end, " \t");
    size_t length =
        *unit == '%' ? 1 : strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (length > 0 && unit[length] == '/' && plain_is_letter(unit[length + 1]))
        length += 1 + strspn(unit + length + 1, "abcdefghijklmnopqrstuvwxyz");
    int rc = 0;
    if (length > 0) {
        end = unit + length;
        if (end - p->at >= (ptrdiff_t)sizeof word)
            rc = fail_at(p, ERR_FORMAT, p->at, "a number of more than 90 characters");
        snprintf(word, sizeof word, "%.*s", (int)(end - p->at), p->at);
        if (rc == 0 && !with_unit(q, word))
            rc = fail_at(p, ERR_UNIT, unit,
                         "no unit that is known, such as GB/s, MHz, MiB, us or %");
    }
    if (rc == 0) {
        emit_step(p, NUMBER)->number = expr_number(q);
        p->at = end;
        rc = push_value(p);
    }
    return rc;
}

static int parse_quoted(struct parser *p)
{
    const char *end = strchr(p->at + 1, *p->at);

    if (!end)
        return fail_at(p, ERR_FORMAT, p->at, "a quote that is never closed");
    char *text = memory_copy_part(p->at + 1, (size_t)(end - p->at - 1));
    emit_step(p, TEXT)->text = text;
    p->at = end + 1;
    return push_value(p);
}

static int close_with(struct parser *p, char c, const char *message)
{
    skip_blanks(p);
    if (*p->at != c)
        return fail_at(p, ERR_FORMAT, p->at, message);
    p->at++;
    return 0;
}

static int parse_function(struct parser *p, enum op op)
{
    if (parse_level(p, 1) != 0 ||
        close_with(p, ',', "expected \",\": min and max take two values") != 0 ||
        parse_level(p, 1) != 0 || close_with(p, ')', "expected \")\"") != 0)
        return -1;
    emit_step(p, op);
    p->stack--;
    return 0;
}

static int parse_name(struct parser *p)
{
    const char *begin = p->at;
    char word[128];

    while (plain_is_word(*p->at) || *p->at == '_' || *p->at == '.')
        p->at++;
    snprintf(word, sizeof word, "%.*s", (int)(p->at - begin), begin);
    skip_blanks(p);
    if (*p->at == '(' && (strcmp(word, "min") == 0 || strcmp(word, "max") == 0)) {
        p->at++;
        return parse_function(p, word[1] == 'i' ? MIN : MAX);
    }
    for (unsigned i = 0; i < p->n_names; i++) {
        if (strcmp(word, p->names[i]) == 0) {
            emit_step(p, NAME)->name = i;
            return push_value(p);
        }
    }
    const char *near = err_nearest(word, p->names, p->n_names);
    return err_set(
        p->err, ERR_UNKNOWN, "column %d: unknown name '%s'%s%s%s", (int)(begin - p->text) + 1, word,
        near ? "; did you mean '" : " (text stands in quotes)", near ? near : "", near ? "'?" : "");
}

static int parse_primary(struct parser *p)
{
    skip_blanks(p);
    char c = *p->at;
    if (c == '(') {
        p->at++;
        return parse_level(p, 1) != 0 ? -1 : close_with(p, ')', "expected \")\"");
    }
    if (c == '!' || c == '-') {
        p->at++;
        if (++p->depth > MAX_DEPTH * LEVELS)
            return fail_at(p, ERR_RANGE, p->at, "nested too deep");
        if (parse_primary(p) != 0)
            return -1;
        p->depth--;
        emit_step(p, c == '!' ? NOT : NEGATE);
        return 0;
    }
    if (plain_is_digit(c) || c == '.')
        return parse_number(p);
    if (c == '"' || c == '\'')
        return parse_quoted(p);
    if (plain_is_letter(c) || c == '_')
        return parse_name(p);
    return fail_at(p, ERR_FORMAT, p->at,
                   c ? "expected a name, a number, a text in quotes or \"(\""
                     : "the condition ends too early");
}

static const struct binary *binary_at(const char *at, int level)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (strncmp(at, binaries[i].sign, strlen(binaries[i].sign)) == 0)
            return binaries[i].level == level ? &binaries[i] : NULL;
    return NULL;
}

static int parse_level(struct parser *p, int level)
{
    if (level > LEVELS)
        return parse_primary(p);
    if (++p->depth > MAX_DEPTH * LEVELS)
        return fail_at(p, ERR_RANGE, p->at, "nested too deep");
    if (parse_level(p, level + 1) != 0)
        return -1;
    for (;;) {
        skip_blanks(p);
        const struct binary *b = binary_at(p->at, level);
        if (!b)
            break;
        const char *at = p->at;
        p->at += strlen(b->sign);
        if (parse_level(p, level + 1) != 0)
            return -1;
        emit_step(p, b->op);
        p->stack--;
        skip_blanks(p);
        if (level == 3 && binary_at(p->at, level))
            return fail_at(p, ERR_FORMAT, at, "a chain of comparisons: join two with &&");
    }
    p->depth--;
    return 0;
}

int expr_parse(struct expr **out, const char *text, const char *const *names, unsigned n_names,
               struct err *err)
{
    struct expr *e = memory_zeroed(1, sizeof *e);
    struct parser p = { .e = e, .text = text, .at = text, .names = names, .n_names = n_names };

    p.err = err;
    int rc = parse_level(&p, 1);
    skip_blanks(&p);
    if (rc == 0 && *p.at == '=')
        rc = fail_at(&p, ERR_FORMAT, p.at, "\"=\" compares nothing: write ==");
    else if (rc == 0 && *p.at)
        rc = fail_at(&p, ERR_FORMAT, p.at, "expected an operator, such as <= or &&");
    if (rc != 0) {
        expr_free(e);
        return -1;
    }
    *out = e;
    return 0;
}

void expr_free(struct expr *e)
{
    if (!e)
        return;
    for (unsigned i = 0; i < e->n; i++)
        free(e->step[i].text);
    free(e->step);
    free(e);
}

bool expr_uses(const struct expr *e, unsigned i)
{
    for (unsigned k = 0; k < e->n; k++)
        if (e->step[k].op == NAME && e->step[k].name == i)
            return true;
    return false;
}

static double compare_text(enum op op, const char *a, const char *b)
{
    if (!a || !b || (op != EQ && op != NE))
        return NAN;
    return (strcmp(a, b) == 0) == (op == EQ);
}

static double compute_value(enum op op, double a, double b)
{
    /* a false or a true side decides, whatever the unknown other one is */
    if (op == AND && (a == 0 || b == 0))
        return 0;
    if (op == OR && ((!isnan(a) && a != 0) || (!isnan(b) && b != 0)))
        return 1;
    if (isnan(a) || isnan(b))
        return NAN;
    switch (op) {
    case MUL: return a * b;
    case DIV: return b != 0 ? a / b : NAN;
    case ADD: return a + b;
    case SUB: return a - b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQ: return a == b;
    case NE: return a != b;
    case AND: return 1;
    case OR: return 0;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    default: BUG_ON(true);
    }
    return NAN;
}

double expr_eval(const struct expr *e, const struct expr_value *value)
{
    struct expr_value stack[MAX_DEPTH] = { { NULL, NAN } };
    unsigned n = 0;

    for (unsigned i = 0; i < e->n; i++) {
        const struct step *s = &e->step[i];
        struct expr_value *top = n ? &stack[n - 1] : NULL;
        switch (s->op) {
        case NUMBER: stack[n++] = (struct expr_value){ NULL, s->number }; break;
        case TEXT: stack[n++] = (struct expr_value){ s->text, NAN }; break;
        case NAME: stack[n++] = value[s->name]; break;
        case NOT:
            BUG_ON(!top);
            *top = (struct expr_value){ NULL,
                                        top->text || isnan(top->number) ? NAN : top->number == 0 };
            break;
        case NEGATE:
            BUG_ON(!top);
            *top = (struct expr_value){ NULL, top->text ? NAN : -top->number };
            break;
        default: {
            BUG_ON(n < 2);
            struct expr_value b = stack[--n], *a = &stack[n - 1];
            double v = a->text || b.text ? compare_text(s->op, a->text, b.text)
                                         : compute_value(s->op, a->number, b.number);
            *a = (struct expr_value){ NULL, v };
        }
        }
    }
    return stack[0].text ? NAN : stack[0].number;
}
