/* name.c - see name.h. */
#include "trace/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

#define NAME_TEXT (2 * LEX_NAME_MAX + 32) /* bytes of a name with its index */

/* A value as written: "%word", "%word[first]tail" or "%word[first..last]tail". */
struct written {
    struct lex_text word;
    bool indexed, several;
    uint32_t first, last;
    struct lex_text tail; /* what passes add behind an index */
};

/* --- indices ------------------------------------------------------------------------------ */

static int fail_index(const struct trace *t, const struct lex_text *w)
{
    if (t->turn.open)
        return lex_fail(&t->lex, w->at, ERR_FORMAT,
                        "index '%.64s', expected a number, or the index of the repeat of line "
                        "%" PRIu32 ": %.64s, %.64s-1, %.64s+1",
                        w->s, t->turn.line, t->turn.index, t->turn.index, t->turn.index);
    return lex_fail(&t->lex, w->at, ERR_FORMAT,
                    "index '%.64s', expected a number: no repeat with an index is open", w->s);
}

/* Digits at s as a number of at most TURN_MAX + 1, which stands for all larger ones; *end is behind
 * them.  False without a digit. */
static bool read_digits(const char *s, const char **end, uint32_t *v)
{
    *v = 0;
    for (*end = s; plain_is_digit(**end); ++*end)
        *v = *v > TURN_MAX ? *v : *v * 10 + (uint32_t)(**end - '0');
    if (*v > TURN_MAX)
        *v = TURN_MAX + 1;
    return *end > s;
}

static int check_range(const struct trace *t, const struct lex_text *w, int64_t v, uint32_t *to)
{
    if (v < 0 || v > TURN_MAX)
        return lex_fail(&t->lex, w->at, ERR_RANGE, "index '%.64s'%s: outside [0, %d]", w->s,
                        v < 0 ? " is below 0" : "", TURN_MAX);
    *to = (uint32_t)v;
    return 0;
}

/* "A..B" in `w`. */
static int read_turns(const struct trace *t, const struct lex_text *w, uint32_t *first,
                      uint32_t *last)
{
    const char *s = w->s;
    uint32_t a, b;

    if (!read_digits(s, &s, &a) || strncmp(s, "..", 2) != 0 || !read_digits(s + 2, &s, &b) || *s)
        return lex_fail(&t->lex, w->at, ERR_FORMAT, "expected turns such as 1..12, found '%.64s'",
                        w->s);
    return check_range(t, w, a, first) != 0 ? -1 : check_range(t, w, b, last);
}

/* "3", "l", "l-1" or "l+1" in `w`. */
static int read_turn(const struct trace *t, const struct lex_text *w, uint32_t *turn)
{
    const char *s = w->s;
    size_t n = strlen(t->turn.index);
    uint32_t v = 0;

    if (read_digits(s, &s, &v) && !*s)
        return check_range(t, w, v, turn);
    if (!t->turn.open || strncmp(w->s, t->turn.index, n) != 0)
        return fail_index(t, w);
    s = w->s + n;
    if (!*s)
        return check_range(t, w, t->turn.now, turn);
    char sign = *s++;
    if ((sign != '+' && sign != '-') || !read_digits(s, &s, &v) || *s)
        return fail_index(t, w);
    return check_range(t, w, (int64_t)t->turn.now + (sign == '+' ? (int64_t)v : -(int64_t)v), turn);
}

int name_turns(struct trace *t, uint32_t *first, uint32_t *last)
{
    struct lex_text w;

    return lex_word(&t->lex, &w, "turns such as 1..12") != 0 ? -1 : read_turns(t, &w, first, last);
}

/* --- names -------------------------------------------------------------------------------- */

static bool is_at(const struct trace *t, const char *set)
{
    const struct lex *x = &t->lex;

    return x->at < x->n && strchr(set, x->s[x->at]) && x->s[x->at];
}

static bool is_at_word(const struct trace *t)
{
    return is_at(t, "_.+:/-") || (t->lex.at < t->lex.n && plain_is_word(t->lex.s[t->lex.at]));
}

/* `several`: a range of turns may stand here. */
static int read_written(struct trace *t, struct written *v, bool several)
{
    struct lex_text w;

    *v = (struct written){ .tail.s = "" };
    if (lex_value(&t->lex, &v->word) != 0)
        return -1;
    if (!is_at(t, "["))
        return 0;
    v->indexed = true;
    t->lex.at++;
    if (lex_word(&t->lex, &w, "an index") != 0)
        return -1;
    v->several = several && strstr(w.s, "..");
    if ((v->several ? read_turns(t, &w, &v->first, &v->last) : read_turn(t, &w, &v->first)) != 0 ||
        lex_expect(&t->lex, ']') != 0)
        return -1;
    return is_at_word(t) ? lex_word(&t->lex, &v->tail, "a name") : 0;
}

int name_read(struct trace *t, struct lex_text *name)
{
    struct written v;

    if (read_written(t, &v, false) != 0)
        return -1;
    *name = v.word;
    if (!v.indexed && !t->turn.open)
        return 0;
    lex_join(&t->lex, name, v.indexed ? v.first : t->turn.now, v.tail.s);
    if (name->n > LEX_NAME_MAX)
        return lex_fail(&t->lex, name->at, ERR_RANGE, "a name of %zu bytes, expected at most %d",
                        name->n, LEX_NAME_MAX);
    return 0;
}

const char *name_of_turn(struct trace *t, const char *name)
{
    if (!name || !t->turn.open)
        return name;
    struct lex_text w = { name, strlen(name), 0 };
    lex_join(&t->lex, &w, t->turn.now, "");
    return w.s;
}

int name_define(struct trace *t, const struct lex_text *name, uint32_t *id)
{
    const struct scope_tensor *old = scope_find(&t->scope, name->s, id);

    if (old)
        return lex_fail(&t->lex, name->at, ERR_FORMAT,
                        "%%%.64s is defined twice, first in line %" PRIu32, name->s, old->line);
    if (t->scope.n >= t->limits.names || t->scope.n == SCOPE_MAX)
        return lex_fail(&t->lex, name->at, ERR_RANGE,
                        "more than %" PRIu32 " names in scope (--allow names=N allows more)",
                        t->scope.n);
    struct scope_tensor *s = scope_push(&t->scope, name->s, id);
    s->line = t->lex.line;
    s->tensor.stage = TRACE_NO_STAGE;
    return 0;
}

/* --- uses --------------------------------------------------------------------------------- */

/* True if a plain repeat is open, whose author may want a value of the turn before. */
static bool is_in_repeat(const struct trace *t)
{
    for (uint32_t i = 0; i < t->n_blocks; i++)
        if (t->block[i].kind == TRACE_ITEM_REPEAT_BEGIN)
            return true;
    return false;
}

static int fail_undefined(struct trace *t, const char *name, size_t at)
{
    const char *near = scope_nearest(&t->scope, name);

    return lex_fail(&t->lex, at, ERR_UNKNOWN,
                    "%%%.64s is used before it is defined; operations stand in dependency order, "
                    "so a cycle cannot be written%s%s%.64s%s",
                    name,
                    is_in_repeat(t) ? ", but a repeat with an index (repeat l=1..3) carries values "
                                      "from turn to turn (%h[l-1])"
                                    : "",
                    near ? "; did you mean %" : "", near ? near : "", near ? "?" : "");
}

static int check_handle(struct trace *t, const struct scope_tensor *s, uint32_t id, size_t at)
{
    if (!s->handle)
        return lex_fail(&t->lex, at, ERR_FORMAT,
                        "%%%.64s is a tensor (line %" PRIu32 "), expected the handle of a start",
                        s->tensor.name, s->line);
    if (scope_at(&t->scope, s->start.first)->start.done)
        return lex_fail(&t->lex, at, ERR_FORMAT, "the start of %%%.64s has its done already",
                        s->tensor.name);
    if (id < t->block[t->n_blocks - 1].height)
        return lex_fail(&t->lex, at, ERR_FORMAT,
                        "the start of %%%.64s (line %" PRIu32 ") stands in another block",
                        s->tensor.name, s->line);
    return 0;
}

static int find_value(struct trace *t, const char *name, struct trace_value *v, size_t at,
                      enum name_want want)
{
    const struct scope_tensor *s = scope_find(&t->scope, name, &v->id);

    if (!s || !s->defined)
        return fail_undefined(t, name, at);
    if (s->handle && want == NAME_TENSOR)
        return lex_fail(&t->lex, at, ERR_FORMAT,
                        "%%%.64s is the handle of a start (line %" PRIu32
                        "), expected a tensor: only its done takes it",
                        name, s->line);
    return want == NAME_HANDLE ? check_handle(t, s, v->id, at) : 0;
}

static void print_indexed(char text[NAME_TEXT], const struct written *w, uint32_t index)
{
    snprintf(text, NAME_TEXT, "%s[%" PRIu32 "]%s", w->word.s, index, w->tail.s);
}

/* `i`: which of several turns. */
static int find_written(struct trace *t, const struct written *w, uint32_t i, struct trace_value *v,
                        enum name_want want)
{
    char text[NAME_TEXT];
    uint32_t id;

    if (w->indexed) {
        print_indexed(text, w, w->first <= w->last ? w->first + i : w->first - i);
        return find_value(t, text, v, w->word.at, want);
    }
    if (t->turn.open) {
        print_indexed(text, w, t->turn.now);
        const struct scope_tensor *own = scope_find(&t->scope, text, &id);
        if (own && own->defined)
            return find_value(t, text, v, w->word.at, want);
    }
    return find_value(t, w->word.s, v, w->word.at, want);
}

int name_use(struct trace *t, struct trace_value *v, size_t *at, enum name_want want)
{
    struct written w;

    if (read_written(t, &w, false) != 0)
        return -1;
    *at = w.word.at;
    w.last = w.first;
    return find_written(t, &w, 0, v, want);
}

int name_operands(struct trace *t, enum name_want want)
{
    struct written w;

    if (read_written(t, &w, true) != 0)
        return -1;
    if (!w.several)
        w.last = w.first;
    uint32_t n = 1 + (w.first < w.last ? w.last - w.first : w.first - w.last);
    if (reader_count(t, &t->n_all_operands, n, t->limits.operands, "operands") != 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cap = t->cap_in;
        MEMORY_GROW(t->in, t->n_in + 1, t->cap_in);
        MEMORY_GROW(t->in_at, t->n_in + 1, cap);
        t->in_at[t->n_in] = w.word.at;
        if (find_written(t, &w, i, &t->in[t->n_in], want) != 0)
            return -1;
        t->n_in++;
    }
    return 0;
}
