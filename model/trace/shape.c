/* shape.c - see shape.h; and the names of types, roles and functions (trace.h). */
#include "trace/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/plain.h"

const char *const trace_dtype_name[TRACE_N_DTYPES] = {
#define D(id, text, bits) text,
    TRACE_DTYPES(D)
#undef D
};

const uint32_t trace_dtype_bits[TRACE_N_DTYPES] = {
#define D(id, text, bits) bits,
    TRACE_DTYPES(D)
#undef D
};

const uint32_t trace_dtype_bytes[TRACE_N_DTYPES] = {
#define D(id, text, bits) ((bits) + 7) / 8,
    TRACE_DTYPES(D)
#undef D
};

const char *const trace_space_name[TRACE_N_SPACES] = {
#define S(id, n, text) text,
    TRACE_SPACES(S)
#undef S
};

const char *const trace_role_name[TRACE_N_ROLES] = {
#define R(id, text) text,
    TRACE_ROLES(R)
#undef R
};

const char *const trace_fn_name[TRACE_N_FNS] = {
#define F(id, text) text,
    TRACE_FNS(F)
#undef F
};

const char *const trace_algorithm_name[TRACE_N_ALGORITHMS] = {
#define A(id, text) text,
    TRACE_ALGORITHMS(A)
#undef A
};

const char *const trace_activations_name[TRACE_N_ACTIVATIONS] = {
#define A(id, text) text,
    TRACE_ACTIVATIONS(A)
#undef A
};

const char *const trace_framework_name[TRACE_N_FRAMEWORKS] = {
#define F(id, text) text,
    TRACE_FRAMEWORKS(F)
#undef F
};

const char *const trace_precision_name[TRACE_N_PRECISIONS] = {
#define P(id, text) text,
    TRACE_PRECISIONS(P)
#undef P
};

uint64_t trace_elements(const struct trace_shape *s)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

/* Bits of an element in memory. */
static uint64_t element_bits(const struct trace_shape *s)
{
    return s->layout.bits ? s->layout.bits : 8 * (uint64_t)trace_dtype_bytes[s->dtype];
}

/* *bytes = those of `elements`, each of so many bits, together. */
static bool count_bytes(uint64_t elements, uint64_t bits, uint64_t *bytes)
{
    bool whole = bits % 8 == 0;

    if (elements > INT64_MAX || !shape_mul(&elements, whole ? bits / 8 : bits))
        return false;
    *bytes = whole ? elements : elements / 8 + (elements % 8 != 0);
    return true;
}

bool shape_bytes(const struct trace_shape *s, uint64_t *bytes)
{
    const struct trace_layout *l = &s->layout;
    const struct trace_tile *tile = l->n_tiles ? &l->tile[0] : &(struct trace_tile){ 0 };
    uint64_t n = 1;

    /* i counts from the minor dimension; a tile may have more dimensions than the array */
    for (uint32_t i = 0; i < s->rank || i < tile->rank; i++) {
        uint64_t dim = i < s->rank ? s->dim[l->given ? l->minor_first[i] : s->rank - 1 - i] : 1;
        if (i < tile->rank) {
            uint64_t t = tile->dim[tile->rank - 1 - i];
            dim = arith_ceil_div(dim, t);
            if (!shape_mul(&dim, t))
                return false;
        }
        if (!shape_mul(&n, dim))
            return false;
    }
    return count_bytes(n, element_bits(s), bytes);
}

uint64_t trace_bare_bytes(const struct trace_shape *s)
{
    uint64_t bytes = 0;

    count_bytes(trace_elements(s), element_bits(s), &bytes);
    return bytes;
}

uint64_t trace_bytes(const struct trace_shape *s)
{
    uint64_t bytes = 0;

    shape_bytes(s, &bytes);
    return bytes;
}

/* --- text --------------------------------------------------------------------------------- */

static int write_number(char *to, size_t room, uint64_t v)
{
    char digits[PLAIN_DIGITS];
    size_t n = plain_digits(digits, v);

    BUG_ON(n >= room);
    memcpy(to, digits, n);
    to[n] = '\0';
    return (int)n;
}

static int write_word(char *to, size_t room, const char *word)
{
    size_t n = strlen(word);

    BUG_ON(n >= room);
    memcpy(to, word, n + 1);
    return (int)n;
}

static int write_list(char *to, size_t room, const uint64_t *v, uint32_t n)
{
    int at = 0;

    *to = '\0';
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            to[at++] = ',';
        at += write_number(to + at, room - (size_t)at, v[i]);
    }
    return at;
}

static int write_mark(char *to, size_t room, const char *open, uint64_t v)
{
    int at = write_word(to, room, open);

    at += write_number(to + at, room - (size_t)at, v);
    return at + write_word(to + at, room - (size_t)at, ")");
}

/* "{1,0:T(8,128)(2,1)E(4)S(1)}", as XLA writes it. */
static int write_layout(char *to, size_t room, const struct trace_shape *s)
{
    const struct trace_layout *l = &s->layout;
    uint64_t v[TRACE_MAX_RANK];
    int at = write_word(to, room, "{");

    for (uint32_t i = 0; i < s->rank; i++)
        v[i] = l->minor_first[i];
    at += write_list(to + at, room - (size_t)at, v, s->rank);
    if (l->n_tiles || l->bits || l->space)
        at += write_word(to + at, room - (size_t)at, l->n_tiles ? ":T" : ":");
    for (uint32_t g = 0; g < l->n_tiles; g++) {
        for (uint32_t i = 0; i < l->tile[g].rank; i++)
            v[i] = l->tile[g].dim[i];
        at += write_word(to + at, room - (size_t)at, "(");
        at += write_list(to + at, room - (size_t)at, v, l->tile[g].rank);
        at += write_word(to + at, room - (size_t)at, ")");
    }
    if (l->bits)
        at += write_mark(to + at, room - (size_t)at, "E(", l->bits);
    if (l->space)
        at += write_mark(to + at, room - (size_t)at, "S(", l->space);
    return at + write_word(to + at, room - (size_t)at, "}");
}

char *shape_text(char buf[SHAPE_TEXT_MAX], const struct trace_shape *s)
{
    int n = write_word(buf, SHAPE_TEXT_MAX, trace_dtype_name[s->dtype]);

    n += write_word(buf + n, SHAPE_TEXT_MAX - (size_t)n, "[");
    n += write_list(buf + n, SHAPE_TEXT_MAX - (size_t)n, s->dim, s->rank);
    n += write_word(buf + n, SHAPE_TEXT_MAX - (size_t)n, "]");
    if (s->layout.given)
        write_layout(buf + n, SHAPE_TEXT_MAX - (size_t)n, s);
    return buf;
}

char *trace_dtype_hint(const char *name, char *buf, size_t size)
{
    const char *bits = strncmp(name, "fp", 2) == 0      ? name + 2
                       : strncmp(name, "float", 5) == 0 ? name + 5
                                                        : "";
    const char *near = err_nearest(name, trace_dtype_name, TRACE_N_DTYPES);

    if (*bits == '8')
        snprintf(buf, size, "; 8-bit floating point is f8e4m3fn or f8e5m2");
    else if (near && *near)
        snprintf(buf, size, "; did you mean '%s'?", near);
    else
        *buf = '\0';
    return buf;
}

enum trace_dtype shape_dtype(const char *name)
{
    enum trace_dtype d = 0;

    while (d < TRACE_N_DTYPES && strcmp(name, trace_dtype_name[d]) != 0)
        d++;
    return d;
}

bool shape_mul(uint64_t *acc, uint64_t v)
{
    return !__builtin_mul_overflow(*acc, v, acc);
}

bool shape_add(uint64_t *acc, uint64_t v)
{
    return !__builtin_add_overflow(*acc, v, acc);
}
