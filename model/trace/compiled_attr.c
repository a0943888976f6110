/* compiled_attr.c - see compiled_attr.h.  Reading and printing go by the type of an attribute. */
#include "trace/compiled_attr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

struct compiled_desc {
    const char *key;
    enum compiled_type type;
    size_t offset; /* in struct trace_compiled */
};

static const struct compiled_desc descs[COMPILED_N_ATTRS] = {
#define A(id, key, type, field) { key, COMPILED_##type, offsetof(struct trace_compiled, field) },
    COMPILED_ATTRS(A)
#undef A
};

static const char *const units[] = { "tensorcore", "sparsecore" };
static const char *const cuts[] = { "", "b", "m", "n", "k", "none" };    /* enum trace_split */
static const char dims[] = "bmkn";                                       /* enum trace_dim */
static const char *const passes[] = { "", "forward", "dgrad", "wgrad" }; /* enum trace_pass */
enum { N_PASSES = sizeof passes / sizeof *passes };
enum { N_UNITS = sizeof units / sizeof *units, N_CUTS = sizeof cuts / sizeof *cuts };

/* Dimensions that may be on the lanes of A[b,m,k], B[b,k,n] and C[b,m,n]. */
static const char *const on_lanes[3] = { "mk", "kn", "mn" };

void compiled_begin(struct trace *t)
{
    struct reader_kernel *k = &t->kernel;
    uint32_t cap_held = k->cap_in;

    MEMORY_GROW(k->fetch, t->n_in + 1, k->cap_in);
    MEMORY_GROW(k->held, t->n_in + 1, cap_held);
    MEMORY_GROW(k->store, t->n_result + 1, k->cap_out);
    memset(k->fetch, 0, t->n_in * sizeof *k->fetch);
    memset(k->held, 0, t->n_in * sizeof *k->held);
    memset(k->store, 0, t->n_result * sizeof *k->store);
    k->stated = (struct trace_compiled){ .taps = 1,
                                         .n_parts = 1,
                                         .k_parts = 1,
                                         .launches = 1,
                                         .rounds = 1,
                                         .fetch = k->fetch,
                                         .held = k->held,
                                         .store = k->store };
}

/* --- reading ------------------------------------------------------------------------------ */

/* Read one of `names` from the first on. */
static int read_choice(struct trace *t, const char *what, const char *const *names, unsigned first,
                       unsigned n, unsigned *choice)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, what) != 0)
        return -1;
    for (*choice = first; *choice < n; ++*choice)
        if (strcmp(w.s, names[*choice]) == 0)
            return 0;
    return reader_unknown(t, &w, what, names + first, n - first);
}

static int read_grid(struct trace *t, struct trace_compiled *c)
{
    size_t at = t->lex.at;

    c->steps = 1;
    do {
        if (c->n_grid == TRACE_MAX_GRID)
            return lex_fail(&t->lex, at, ERR_RANGE, "grid: more than %d loops", TRACE_MAX_GRID);
        uint64_t *count = &c->grid[c->n_grid++];
        if (lex_int(&t->lex, count, 1, INT64_MAX, "grid") != 0)
            return -1;
        if (__builtin_mul_overflow(c->steps, *count, &c->steps) || c->steps > INT64_MAX)
            return lex_fail(&t->lex, at, ERR_RANGE, "grid: more than 2^63 steps");
    } while (lex_next(&t->lex, 'x'));
    return 0;
}

/* Read "BxMxKxN", whose product fits 63 bits. */
static int read_four(struct trace *t, uint64_t dim[TRACE_N_DIMS], const char *key)
{
    size_t at = t->lex.at;
    uint64_t all = 1;

    for (uint32_t i = 0; i < TRACE_N_DIMS; i++) {
        if (i > 0 && !lex_next(&t->lex, 'x'))
            return lex_fail(&t->lex, at, ERR_FORMAT,
                            "%s has %" PRIu32 " number%s, expected 4: %s=BxMxKxN", key, i,
                            i == 1 ? "" : "s", key);
        if (lex_int(&t->lex, &dim[i], 1, INT64_MAX, key) != 0)
            return -1;
        if (__builtin_mul_overflow(all, dim[i], &all) || all > INT64_MAX)
            return lex_fail(&t->lex, at, ERR_RANGE, "%s: the product of its numbers passes 2^63",
                            key);
    }
    return 0;
}

static int read_sides(struct trace *t, struct trace_sides *s, const char *key)
{
    size_t at = t->lex.at;
    uint64_t all = 1;

    do {
        if (s->n == TRACE_MAX_SIDES)
            return lex_fail(&t->lex, at, ERR_RANGE, "%s: more than %d numbers", key,
                            TRACE_MAX_SIDES);
        uint64_t *dim = &s->dim[s->n++];
        if (lex_int(&t->lex, dim, 1, INT64_MAX, key) != 0)
            return -1;
        if (__builtin_mul_overflow(all, *dim, &all) || all > INT64_MAX / 16)
            return lex_fail(&t->lex, at, ERR_RANGE, "%s: the product of its numbers passes 2^59",
                            key);
    } while (lex_next(&t->lex, 'x'));
    return 0;
}

static int read_lanes(struct trace *t, struct trace_compiled *c)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "three dimensions such as knn") != 0)
        return -1;
    for (size_t i = 0; i < 3; i++)
        if (w.n != 3 || !strchr(on_lanes[i], w.s[i]))
            return lex_fail(&t->lex, w.at, ERR_FORMAT,
                            "lanes = %.64s: expected m or k of A, k or n of B, m or n of C, such "
                            "as lanes=knn",
                            w.s);
        else
            c->lanes[i] = (uint8_t)(strchr(dims, w.s[i]) - dims);
    c->has_lanes = true;
    return 0;
}

/* Read "0+4096", one number for each of n values. */
static int read_bytes(struct trace *t, uint64_t *v, uint32_t n, const char *key, const char *what)
{
    size_t at = t->lex.at;
    uint64_t sum = 0;
    uint32_t i = 0;

    do {
        uint64_t bytes;
        if (lex_int(&t->lex, &bytes, 0, INT64_MAX, key) != 0)
            return -1;
        if (__builtin_add_overflow(sum, bytes, &sum))
            return lex_fail(&t->lex, at, ERR_RANGE, "%s: the sum does not fit 64 bits", key);
        if (i < n)
            v[i] = bytes;
        i++;
    } while (lex_next(&t->lex, '+'));
    if (i == n)
        return 0;
    return lex_fail(&t->lex, at, ERR_FORMAT,
                    "%s has %" PRIu32 " number%s, expected %" PRIu32 ", one for each %s", key, i,
                    i == 1 ? "" : "s", n, what);
}

static int read_held(struct trace *t)
{
    uint64_t i;

    if (t->n_in == 0)
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT, "held= of a kernel without operands");
    do {
        size_t at = t->lex.at;
        if (lex_int(&t->lex, &i, 0, t->n_in - 1, "held") != 0)
            return -1;
        if (t->kernel.held[i])
            return lex_fail(&t->lex, at, ERR_FORMAT, "held: %" PRIu64 " stands there twice", i);
        t->kernel.held[i] = true;
    } while (lex_next(&t->lex, '+'));
    return 0;
}

/* Read "add:64+cast:8". */
static int read_work(struct trace *t, uint64_t vector[TRACE_N_VECTORS], const char *key,
                     bool *plain)
{
    uint32_t seen = 0;

    do {
        size_t at = t->lex.at, n = 0;
        const char *s = t->lex.s + at;
        unsigned i = 0;
        while (at + n < t->lex.n && s[n] >= 'a' && s[n] <= 'z')
            n++;
        while (i < TRACE_N_VECTORS &&
               (strlen(trace_vector_name[i]) != n || strncmp(s, trace_vector_name[i], n) != 0))
            i++;
        if (i == TRACE_N_VECTORS)
            return lex_fail(&t->lex, at, ERR_UNKNOWN,
                            "%s = %.*s: expected add, select, cast, divide, exp, sine or "
                            "sublanes, as in %s=add:64+cast:8",
                            key, n > 64 ? 64 : (int)n, s, key);
        if (seen >> i & 1)
            return lex_fail(&t->lex, at, ERR_FORMAT, "%s: %s stands there twice", key,
                            trace_vector_name[i]);
        seen |= UINT32_C(1) << i;
        t->lex.at += n;
        if (!lex_next(&t->lex, ':'))
            return lex_fail(&t->lex, t->lex.at, ERR_FORMAT,
                            "%s: expected ':' and a number behind %s", key, trace_vector_name[i]);
        if (lex_int(&t->lex, &vector[i], 0, INT64_MAX, trace_vector_name[i]) != 0)
            return -1;
        *plain = *plain && vector[i] == 0;
    } while (lex_next(&t->lex, '+'));
    return 0;
}

static int read_bit(struct trace *t, bool *to, const char *key)
{
    uint64_t v;

    if (lex_int(&t->lex, &v, 0, 1, key) != 0)
        return -1;
    *to = v == 1;
    return 0;
}

/* *plain: it is the default, and not printed. */
static int read_value(struct trace *t, const struct compiled_desc *d, bool *plain)
{
    struct trace_compiled *c = &t->kernel.stated;
    void *field = (char *)c + d->offset;
    unsigned choice = 0;
    int rc;

    *plain = false;
    switch (d->type) {
    case COMPILED_FORM:
        rc = read_choice(t, "form of a kernel", trace_form_name, 0, TRACE_N_FORMS, &choice);
        c->form = (enum trace_form)choice;
        return rc;
    case COMPILED_UNIT:
        rc = read_choice(t, "unit", units, 0, N_UNITS, &choice);
        c->unit = (enum trace_unit)choice;
        *plain = choice == TRACE_ON_TENSORCORE;
        return rc;
    case COMPILED_CUT:
        rc = read_choice(t, "dimension", cuts, 1, N_CUTS, &choice);
        c->split = (enum trace_split)choice;
        return rc;
    case COMPILED_PATTERN:
        rc = read_choice(t, "pattern", trace_pattern_name, 0, TRACE_N_PATTERNS, &choice);
        c->pattern = (enum trace_pattern)choice;
        *plain = choice == TRACE_PATTERN_CONTIGUOUS;
        return rc;
    case COMPILED_DTYPE:
        rc = read_choice(t, "dtype", trace_dtype_name, 0, TRACE_N_DTYPES, &choice);
        c->operands = (uint8_t)(1 + choice);
        return rc;
    case COMPILED_PASS:
        rc = read_choice(t, "pass of a convolution", passes, 1, N_PASSES, &choice);
        c->conv = (enum trace_pass)choice;
        return rc;
    case COMPILED_SIDES: return read_sides(t, field, d->key);
    case COMPILED_GRID: return read_grid(t, c);
    case COMPILED_DIMS: return read_four(t, field, d->key);
    case COMPILED_NUMBER:
    case COMPILED_TAPS: {
        uint64_t least = d->type == COMPILED_TAPS;
        rc = lex_int(&t->lex, field, least, INT64_MAX, d->key);
        *plain = rc == 0 && *(uint64_t *)field == least;
        return rc;
    }
    case COMPILED_BIT:
        rc = read_bit(t, field, d->key);
        *plain = rc == 0 && !*(bool *)field;
        return rc;
    case COMPILED_LANES: return read_lanes(t, c);
    case COMPILED_FETCHES: return read_bytes(t, t->kernel.fetch, t->n_in, d->key, "operand");
    case COMPILED_STORES: return read_bytes(t, t->kernel.store, t->n_result, d->key, "result");
    case COMPILED_HELDS: return read_held(t);
    case COMPILED_WORK: *plain = true; return read_work(t, field, d->key, plain);
    }
    return -1;
}

int compiled_read(struct trace *t, enum compiled_attr a)
{
    bool plain;

    if (read_value(t, &descs[a], &plain) != 0)
        return -1;
    if (!plain)
        t->kernel.stated.given |= UINT64_C(1) << a;
    return 0;
}

/* --- giving ------------------------------------------------------------------------------- */

static bool has_work(const uint64_t vector[TRACE_N_VECTORS])
{
    for (unsigned i = 0; i < TRACE_N_VECTORS; i++)
        if (vector[i])
            return true;
    return false;
}

static bool has_held(const struct trace_compiled *c, uint32_t n_in)
{
    for (uint32_t i = 0; i < n_in; i++)
        if (c->held[i])
            return true;
    return false;
}

/* True if the attribute is not its default. */
static bool is_stated(const struct trace_compiled *c, const struct compiled_desc *d, uint32_t n_in,
                      uint32_t n_out)
{
    const void *field = (const char *)c + d->offset;

    switch (d->type) {
    case COMPILED_FORM: return true;
    case COMPILED_UNIT: return c->unit != TRACE_ON_TENSORCORE;
    case COMPILED_CUT: return c->split != TRACE_SPLIT_UNSAID;
    case COMPILED_PATTERN: return c->pattern != TRACE_PATTERN_CONTIGUOUS;
    case COMPILED_DTYPE: return c->operands != 0;
    case COMPILED_PASS: return c->conv != TRACE_PASS_NONE;
    case COMPILED_SIDES: return ((const struct trace_sides *)field)->n != 0;
    case COMPILED_GRID: return c->n_grid != 0;
    case COMPILED_DIMS: return *(const uint64_t *)field != 0;
    case COMPILED_NUMBER: return *(const uint64_t *)field != 0;
    case COMPILED_TAPS: return *(const uint64_t *)field > 1;
    case COMPILED_BIT: return *(const bool *)field;
    case COMPILED_LANES: return c->has_lanes;
    case COMPILED_FETCHES: return n_in != 0;
    case COMPILED_STORES: return n_out != 0;
    case COMPILED_HELDS: return has_held(c, n_in);
    case COMPILED_WORK: return has_work(field);
    }
    return false;
}

void compiled_give(struct trace_compiled *c, uint32_t n_in, uint32_t n_out)
{
    c->given = 0;
    for (unsigned a = 0; a < COMPILED_N_ATTRS; a++)
        c->given |= (uint64_t)is_stated(c, &descs[a], n_in, n_out) << a;
}

/* --- printing ----------------------------------------------------------------------------- */

static void print_numbers(const uint64_t *v, uint32_t n, char between, FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            putc(between, out);
        plain_whole(out, v[i]);
    }
}

static void print_sides(const struct trace_sides *s, FILE *out)
{
    print_numbers(s->dim, s->n, 'x', out);
}

static void print_held(const struct trace_compiled *c, uint32_t n_in, FILE *out)
{
    const char *plus = "";

    for (uint32_t i = 0; i < n_in; i++)
        if (c->held[i]) {
            fputs(plus, out);
            plain_whole(out, i);
            plus = "+";
        }
}

static void print_work(const uint64_t vector[TRACE_N_VECTORS], FILE *out)
{
    const char *plus = "";

    for (unsigned i = 0; i < TRACE_N_VECTORS; i++)
        if (vector[i]) {
            fputs(plus, out);
            fputs(trace_vector_name[i], out);
            putc(':', out);
            plain_whole(out, vector[i]);
            plus = "+";
        }
}

void compiled_print(const struct trace_compiled *c, uint32_t n_in, uint32_t n_out, FILE *out)
{
    for (unsigned a = 0; a < COMPILED_N_ATTRS; a++) {
        const struct compiled_desc *d = &descs[a];
        const void *field = (const char *)c + d->offset;
        if (!(c->given >> a & 1))
            continue;
        putc(' ', out);
        fputs(d->key, out);
        putc('=', out);
        switch (d->type) {
        case COMPILED_FORM: fputs(trace_form_name[c->form], out); break;
        case COMPILED_UNIT: fputs(units[c->unit], out); break;
        case COMPILED_CUT: fputs(cuts[c->split], out); break;
        case COMPILED_PATTERN: fputs(trace_pattern_name[c->pattern], out); break;
        case COMPILED_DTYPE: fputs(trace_dtype_name[c->operands - 1], out); break;
        case COMPILED_PASS: fputs(passes[c->conv], out); break;
        case COMPILED_SIDES: print_sides(field, out); break;
        case COMPILED_GRID: print_numbers(c->grid, c->n_grid, 'x', out); break;
        case COMPILED_DIMS: print_numbers(field, TRACE_N_DIMS, 'x', out); break;
        case COMPILED_NUMBER:
        case COMPILED_TAPS: plain_whole(out, *(const uint64_t *)field); break;
        case COMPILED_BIT: putc('1', out); break;
        case COMPILED_LANES:
            for (int i = 0; i < 3; i++)
                putc(dims[c->lanes[i]], out);
            break;
        case COMPILED_FETCHES: print_numbers(c->fetch, n_in, '+', out); break;
        case COMPILED_STORES: print_numbers(c->store, n_out, '+', out); break;
        case COMPILED_HELDS: print_held(c, n_in, out); break;
        case COMPILED_WORK: print_work(field, out); break;
        }
    }
}
