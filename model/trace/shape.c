/* shape.c - see shape.h; and the names of types, roles, kinds and functions (trace.h). */
#include "trace/shape.h"

#include <string.h>

const char *const trace_dtype_name[TRACE_N_DTYPES] = {
#define D(id, text, bytes) text,
    TRACE_DTYPES(D)
#undef D
};

const uint32_t trace_dtype_bytes[TRACE_N_DTYPES] = {
#define D(id, text, bytes) bytes,
    TRACE_DTYPES(D)
#undef D
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

const char *const trace_precision_name[TRACE_N_PRECISIONS] = {
#define P(id, text) text,
    TRACE_PRECISIONS(P)
#undef P
};

const char *const trace_kind_name[TRACE_N_KINDS] = {
#define K(id, text) text,
    TRACE_KINDS(K)
#undef K
};

uint64_t trace_elements(const struct trace_shape *s)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

uint64_t trace_bytes(const struct trace_shape *s)
{
    return trace_elements(s) * trace_dtype_bytes[s->dtype];
}

char *shape_text(char buf[SHAPE_TEXT_MAX], const struct trace_shape *s)
{
    int n = snprintf(buf, SHAPE_TEXT_MAX, "%s[", trace_dtype_name[s->dtype]);

    for (uint32_t i = 0; i < s->rank; i++)
        n += snprintf(buf + n, SHAPE_TEXT_MAX - (size_t)n, "%s%llu", i ? "," : "",
                      (unsigned long long)s->dim[i]);
    snprintf(buf + n, SHAPE_TEXT_MAX - (size_t)n, "]");
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
