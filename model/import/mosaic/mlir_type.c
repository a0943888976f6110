/* mlir_type.c - types and lists of numbers as MLIR writes them. */
#include <stdlib.h>
#include <string.h>

#include "import/mosaic/mlir.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

/* Behind the bracket that closes the one at `p`; strings and arrows inside are no brackets. */
static const char *skip_brackets(const char *p, const char *end)
{
    uint32_t depth = 0;

    for (; p < end; p++) {
        if (*p == '"') {
            for (p++; p < end && *p != '"'; p++)
                if (*p == '\\')
                    p++;
        } else if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
            depth++;
        } else if (*p == '-' && p + 1 < end && p[1] == '>') {
            p++;
        } else if (*p == '>' || *p == ')' || *p == ']' || *p == '}') {
            if (--depth == 0)
                return p + 1;
        }
    }
    return end;
}

/* A number of bits behind letters: i32, si8, bf16, f8E4M3FN. */
static void read_scalar(struct mlir_type *t, const char *p, const char *end)
{
    bool floating = *p == 'f' || *p == 'b' || *p == 't';

    if (end - p == 5 && memcmp(p, "index", 5) == 0) {
        *t = (struct mlir_type){ MLIR_INTEGER, MLIR_INTEGER, 32, .elements = 1 };
        return;
    }
    while (p < end && (*p < '0' || *p > '9'))
        p++;
    uint32_t bits = 0;
    for (; p < end && *p >= '0' && *p <= '9' && bits < 1000; p++)
        bits = bits * 10 + (uint32_t)(*p - '0');
    enum mlir_kind kind = bits == 0 ? MLIR_OTHER : floating ? MLIR_FLOAT : MLIR_INTEGER;
    *t = (struct mlir_type){ kind, kind, bits, .elements = 1 };
}

/* "128x?x4xf32", "memory space" behind a comma; up to the closing bracket. */
static void read_array(struct mlir_type *t, const char *p, const char *end)
{
    uint32_t rank = 0;

    for (;;) {
        while (p < end && (*p == '[' || *p == ']' || *p == ' '))
            p++;
        if (p >= end || ((*p < '0' || *p > '9') && *p != '?'))
            break;
        int64_t d = *p == '?' ? -1 : 0;
        for (p += *p == '?'; p < end && *p >= '0' && *p <= '9'; p++)
            d = d < INT64_MAX / 10 - 1 ? d * 10 + (*p - '0') : d;
        if (rank < MLIR_MAX_RANK)
            t->dim[rank] = d;
        rank++;
        while (p < end && *p == ']')
            p++;
        p += p < end && *p == 'x';
    }
    t->rank = rank < MLIR_MAX_RANK ? rank : MLIR_MAX_RANK;
    mlir_count_elements(t);
    if (rank > MLIR_MAX_RANK)
        t->elements = 0;
    const char *word = p;
    while (p < end && is_letter(*p))
        p++;
    if (p > word && !(p < end && *p == '<')) {
        struct mlir_type e;
        read_scalar(&e, word, p);
        t->of = e.kind;
        t->bits = e.bits;
    }
    for (const char *s = p; s < end; s++)
        if (*s == '#' && (size_t)(end - s) > 17 && memcmp(s, "#tpu.memory_space", 17) == 0)
            t->space = (struct mlir_text){ s, (uint32_t)(skip_brackets(s, end) - s) };
}

bool mlir_parse_type(struct mlir_type *t, const char **at, const char *end)
{
    const char *p = *at;

    while (p < end && (*p == ' ' || *p == '\n'))
        p++;
    const char *word = p;
    *t = (struct mlir_type){ .kind = MLIR_OTHER };
    p += p < end && *p == '!';
    while (p < end && is_letter(*p))
        p++;
    if (p == word && !(p < end && *p == '('))
        return false;
    const char *behind = p < end && (*p == '<' || *p == '(') ? skip_brackets(p, end) : p;
    size_t n = (size_t)(p - word);
    if (behind > p && n == 6 && memcmp(word, "vector", 6) == 0)
        t->kind = MLIR_VECTOR;
    else if (behind > p && n == 6 && memcmp(word, "memref", 6) == 0)
        t->kind = MLIR_MEMREF;
    if (t->kind != MLIR_OTHER)
        read_array(t, p + 1, behind - 1);
    else if (behind == p && *word != '!')
        read_scalar(t, word, p);
    *at = behind;
    return true;
}

/* True if there is nothing but integers, brackets and commas; false and true count as 0 and 1. */
static bool add_numbers(struct mlir_module *m, const char *p, const char *end)
{
    while (p < end) {
        bool less = *p == '-';
        if (memchr(" ,[]\n", *p, 5)) {
            p++;
            continue;
        }
        p += less;
        if (p + 4 <= end && memcmp(p, "true", 4) == 0) {
            mlir_add_number(m, 1);
            p += 4;
        } else if (p + 5 <= end && memcmp(p, "false", 5) == 0) {
            mlir_add_number(m, 0);
            p += 5;
        } else if (p < end && *p >= '0' && *p <= '9') {
            uint64_t n = 0;
            for (; p < end && *p >= '0' && *p <= '9'; p++)
                n = n < (uint64_t)INT64_MAX / 10 ? n * 10 + (uint64_t)(*p - '0') : n;
            mlir_add_number(m, less ? -(int64_t)n : (int64_t)n);
        } else {
            return false;
        }
        if (p < end && (*p == '.' || *p == 'x' || *p == 'e'))
            return false;
    }
    return true;
}

uint32_t mlir_parse_numbers(struct mlir_module *m, struct mlir_text t)
{
    struct mlir_attribute a = { .form = MLIR_TEXT, .text = t, .type = MLIR_NONE };
    const char *p = t.at, *end = t.at + t.size;

    a.first = m->n_numbers;
    if (t.size > 6 && (memcmp(p, "array<", 6) == 0 || memcmp(p, "dense<", 6) == 0)) {
        const char *colon = *p == 'a' ? memchr(p, ':', t.size) : NULL;
        const char *close = skip_brackets(p + 5, end) - 1;
        p = colon && colon < close ? colon + 1 : *p == 'a' ? close : p + 6;
        end = close > p ? close : p;
    } else if (t.size == 0 || *p != '[') {
        return mlir_add_attribute(m, &a);
    }
    if (add_numbers(m, p, end)) {
        a.form = MLIR_NUMBERS;
        a.n = m->n_numbers - a.first;
    } else {
        m->n_numbers = a.first;
    }
    return mlir_add_attribute(m, &a);
}
