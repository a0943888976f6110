/* mlir_value.c - names, words and attributes of the text of MLIR. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mlir_parse.h"

/* --- names --------------------------------------------------------------------------------- */

static uint32_t hash_text(struct mlir_text t)
{
    uint32_t h = 2166136261u;

    for (uint32_t k = 0; k < t.size; k++)
        h = (h ^ (uint8_t)t.at[k]) * 16777619u;
    return h;
}

struct mlir_name *mlir_name_find(struct mlir_reader *r, struct mlir_text t)
{
    uint32_t k = hash_text(t) & (r->room - 1);

    while (r->table[k].text.at &&
           !(r->table[k].text.size == t.size && memcmp(r->table[k].text.at, t.at, t.size) == 0))
        k = (k + 1) & (r->room - 1);
    return &r->table[k];
}

void mlir_name_set(struct mlir_reader *r, struct mlir_text t, uint32_t value)
{
    if (2 * (r->n_names + 1) > r->room) {
        struct mlir_name *old = r->table;
        uint32_t room = r->room;
        r->room = room ? 2 * room : 256;
        r->table = memory_zeroed(r->room, sizeof *r->table);
        for (uint32_t k = 0; k < room; k++)
            if (old[k].text.at)
                *mlir_name_find(r, old[k].text) = old[k];
        free(old);
    }
    struct mlir_name *n = mlir_name_find(r, t);
    r->n_names += n->text.at == NULL;
    *n = (struct mlir_name){ t, value };
}

/* --- words --------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_.$-", c) != NULL);
}

void mlir_skip_blanks(struct mlir_reader *r)
{
    while (r->at < r->end) {
        if (r->at + 1 < r->end && r->at[0] == '/' && r->at[1] == '/')
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        else if (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        else
            return;
    }
}

struct mlir_text mlir_take_word(struct mlir_reader *r)
{
    const char *from = r->at;

    while (r->at < r->end && is_word(*r->at))
        r->at++;
    return (struct mlir_text){ from, (uint32_t)(r->at - from) };
}

/* %name, without #n of one that stands for several. */
struct mlir_text mlir_take_name(struct mlir_reader *r)
{
    r->at++;
    struct mlir_text t = mlir_take_word(r);
    if (r->at < r->end && *r->at == '#') {
        r->at++;
        mlir_take_word(r);
    }
    return t;
}

bool mlir_skip_string(struct mlir_reader *r)
{
    for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
        if (*r->at == '\\')
            r->at++;
    if (r->at >= r->end)
        return false;
    r->at++;
    return true;
}

/* Up to a comma or the closing bracket of what is around it. */
struct mlir_text mlir_take_value(struct mlir_reader *r)
{
    const char *from = r->at;
    uint32_t depth = 0;

    for (; r->at < r->end; r->at++) {
        char c = *r->at;
        if (c == '"') {
            if (!mlir_skip_string(r))
                break;
            r->at--;
        } else if (memchr("<([{", c, 4)) {
            depth++;
        } else if (c == '-' && r->at + 1 < r->end && r->at[1] == '>') {
            r->at++;
        } else if (memchr(">)]}", c, 4)) {
            if (depth-- == 0)
                break;
        } else if (c == ',' && depth == 0) {
            break;
        }
    }
    if (r->at > r->end)
        r->at = r->end;
    const char *to = r->at;
    while (to > from && (to[-1] == ' ' || to[-1] == '\n'))
        to--;
    return (struct mlir_text){ from, (uint32_t)(to - from) };
}

/* --- attributes ---------------------------------------------------------------------------- */

uint32_t mlir_add_text(struct mlir_module *m, struct mlir_text t)
{
    return mlir_add_attribute(
        m, &(struct mlir_attribute){ .form = MLIR_TEXT, .text = t, .type = MLIR_NONE });
}

/* [value, ...] that are not all numbers. */
static uint32_t parse_list(struct mlir_module *m, struct mlir_text t, uint32_t depth)
{
    struct mlir_reader r = { .m = m, .at = t.at + 1, .end = t.at + t.size - 1 };
    uint32_t *list = NULL, n = 0;

    while (r.at < r.end) {
        mlir_skip_blanks(&r);
        struct mlir_text v = mlir_take_value(&r);
        MEMORY_ADD(list, n);
        list[n++] = mlir_parse_value(m, v, depth + 1);
        r.at += r.at < r.end;
    }
    struct mlir_attribute a = { .form = MLIR_LIST, .first = m->n_items, .n = n, .type = MLIR_NONE };
    for (uint32_t k = 0; k < n; k++)
        mlir_add_item(m, list[k]);
    free(list);
    return mlir_add_attribute(m, &a);
}

/* Up to the first `c` that has no backslash before it. */
static struct mlir_text cut_text(const char *p, const char *end, char c)
{
    const char *q = p;

    while (q < end && *q != c)
        q += *q == '\\' && q + 1 < end ? 2 : 1;
    return (struct mlir_text){ p, (uint32_t)(q - p) };
}

uint32_t mlir_parse_value(struct mlir_module *m, struct mlir_text t, uint32_t depth)
{
    struct mlir_attribute a = { .form = MLIR_NUMBER, .text = t, .type = MLIR_NONE };
    const char *p = t.at, *end = t.at + t.size;

    if (t.size == 0 || depth > MLIR_MAX_DEPTH)
        return mlir_add_text(m, t);
    if (*p == '{' && t.size >= 2)
        return mlir_parse_pairs(m, (struct mlir_text){ p + 1, t.size - 2 }, depth + 1);
    bool symbol = *p == '@';
    const char *name = p + symbol;
    if (name < end && *name == '"') /* a type may follow */
        return mlir_add_text(m, cut_text(name + 1, end, '"'));
    if (symbol) /* of several the outermost */
        return mlir_add_text(m, cut_text(name, end, ':'));
    bool less = *p == '-', digit = false;
    const char *q = p + less;
    uint64_t n = 0;
    for (; q < end && *q >= '0' && *q <= '9'; q++, digit = true)
        n = n < (uint64_t)INT64_MAX / 10 ? n * 10 + (uint64_t)(*q - '0') : n;
    if (digit && (q == end || *q == ' ')) {
        a.value = less ? -(int64_t)n : (int64_t)n;
        return mlir_add_attribute(m, &a);
    }
    if ((t.size == 4 && memcmp(p, "true", 4) == 0) || (t.size == 5 && memcmp(p, "false", 5) == 0)) {
        a.value = *p == 't';
        return mlir_add_attribute(m, &a);
    }
    uint32_t numbers = mlir_parse_numbers(m, t);
    if (*p == '[' && m->attribute[numbers].form == MLIR_TEXT && t.size >= 2)
        return parse_list(m, t, depth);
    return numbers;
}

/* name = value, ... */
uint32_t mlir_parse_pairs(struct mlir_module *m, struct mlir_text t, uint32_t depth)
{
    struct mlir_reader r = { .m = m, .at = t.at, .end = t.at + t.size };
    uint32_t *list = NULL, n = 0;

    while (r.at < r.end) {
        mlir_skip_blanks(&r);
        struct mlir_text key = mlir_take_word(&r), value;
        mlir_skip_blanks(&r);
        if (r.at < r.end && *r.at == '=') {
            r.at++;
            mlir_skip_blanks(&r);
        }
        value = mlir_take_value(&r);
        MEMORY_ADD(list, n);
        list[n++] = mlir_add_text(m, key);
        MEMORY_ADD(list, n);
        list[n++] = mlir_parse_value(m, value, depth + 1);
        r.at += r.at < r.end;
    }
    struct mlir_attribute a = {
        .form = MLIR_PAIRS, .first = m->n_items, .n = n / 2, .type = MLIR_NONE
    };
    for (uint32_t k = 0; k < n; k++)
        mlir_add_item(m, list[k]);
    free(list);
    return mlir_add_attribute(m, &a);
}
