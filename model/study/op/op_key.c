#include "study/op/op_key.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "schedule/schedule.h"

#define MOST_ELEMENTS (UINT64_C(1) << 60) /* of any dtype: fewer than 2^63 bytes */

const struct op_key_desc op_keys[OP_N_KEYS] = {
#define K(id, key, type, min, max, example, doc) { key, OP_##type, min, max, example, doc },
    OP_KEYS(K)
#undef K
};

/* A number at *p, which moves behind it. */
static int read_number(const struct op_key_desc *d, const char *text, const char **p, uint64_t min,
                       uint64_t max, uint64_t *v, struct err *err)
{
    size_t digits = strspn(*p, "0123456789");
    bool fits = true;

    if (digits == 0)
        return err_set(err, ERR_FORMAT, "%s = '%.64s': expected whole numbers, such as %s=%s",
                       d->key, text, d->key, d->example);
    *v = 0;
    for (size_t i = 0; i < digits; i++)
        fits = fits && !__builtin_mul_overflow(*v, 10u, v) &&
               !__builtin_add_overflow(*v, (uint64_t)((*p)[i] - '0'), v);
    if (!fits || *v < min || *v > max) {
        bool alone = *p == text && text[digits] == '\0';
        return err_set(err, ERR_RANGE, "%s = %.64s: %.*s%soutside [%" PRIu64 ", %" PRIu64 "]",
                       d->key, text, alone ? 0 : (int)digits, *p, alone ? "" : " is ", min, max);
    }
    *p += digits;
    return 0;
}

/* Numbers with `between` between them, at most `most`. */
static int read_numbers(const struct op_key_desc *d, const char *text, char between, uint32_t most,
                        uint64_t *v, uint32_t *n, struct err *err)
{
    const char *p = text;

    for (*n = 0;; p++) {
        if (*n == most)
            return err_set(err, ERR_RANGE, "%s = %.64s: more than %" PRIu32 " dimensions", d->key,
                           text, most);
        if (read_number(d, text, &p, d->min, d->max, &v[*n], err) != 0)
            return -1;
        ++*n;
        if (*p != between)
            break;
    }
    if (*p)
        return err_set(err, ERR_FORMAT,
                       "%s = '%.64s': expected '%c' between numbers, such as %s=%s", d->key, text,
                       between, d->key, d->example);
    return 0;
}

static int read_shape(const struct op_key_desc *d, const char *text, struct op_value *v,
                      struct err *err)
{
    uint64_t elements = 1;

    if (read_numbers(d, text, 'x', TRACE_MAX_RANK, v->dim, &v->rank, err) != 0)
        return -1;
    for (uint32_t i = 0; i < v->rank; i++)
        if (__builtin_mul_overflow(elements, v->dim[i], &elements) || elements > MOST_ELEMENTS)
            return err_set(err, ERR_RANGE, "%s = %.64s: more than 2^60 elements", d->key, text);
    return 0;
}

static int read_list(const struct op_key_desc *d, const char *text, struct op_value *v,
                     struct err *err)
{
    if (read_numbers(d, text, ',', TRACE_MAX_RANK, v->dim, &v->rank, err) != 0)
        return -1;
    for (uint32_t i = 0; i < v->rank; i++)
        for (uint32_t j = 0; j < i; j++)
            if (v->dim[i] == v->dim[j])
                return err_set(err, ERR_FORMAT, "%s = %.64s: %" PRIu64 " occurs twice", d->key,
                               text, v->dim[i]);
    return 0;
}

/* Put the blank into "4MiB" and "2ms" that a shell would want in quotes. */
static void space_unit(struct op_value *v)
{
    size_t n = strspn(v->text, "0123456789.");

    if (n == 0 || !v->text[n] || !strchr("smunpfkKMGTPB", v->text[n]) ||
        strlen(v->text) + 1 == sizeof v->text)
        return;
    memmove(v->text + n + 1, v->text + n, strlen(v->text + n) + 1);
    v->text[n] = ' ';
}

static int read_bytes(const struct op_key_desc *d, struct op_value *v, struct err *err)
{
    const char *p = v->text;
    mpq_t q;

    if (v->text[strspn(v->text, "0123456789")] == '\0')
        return read_number(d, v->text, &p, d->min, d->max, &v->number, err);
    space_unit(v);
    mpq_init(q);
    int rc = quantity_parse(q, v->text, "B", err);
    if (rc != 0)
        err_at(err, "%s = %s", d->key, v->text);
    else if (exact_to_u64(q, &v->number) != 0 || v->number < d->min || v->number > d->max)
        rc = err_set(err, ERR_RANGE, "%s = %s: outside [%" PRIu64 ", %" PRIu64 "] whole bytes",
                     d->key, v->text, d->min, d->max);
    mpq_clear(q);
    return rc;
}

/* --- windows ------------------------------------------------------------------------------ */

/* A padding, which may be negative. */
static int read_pad(const struct op_key_desc *d, const char *part, const char **p, int64_t *v,
                    struct err *err)
{
    bool negative = **p == '-';
    uint64_t n;

    *p += negative;
    if (read_number(d, part, p, 0, UINT32_MAX, &n, err) != 0)
        return -1;
    *v = negative ? -(int64_t)n : (int64_t)n;
    return 0;
}

/* "3x3" to `v`, or where that is NULL, paddings such as "0_0x1_1" to `lo` and `hi`. */
static int read_window_part(const struct op_key_desc *d, const char *key, const char *part,
                            uint64_t *v, int64_t *lo, int64_t *hi, uint32_t *rank, struct err *err)
{
    const struct op_key_desc own = { .key = key, .example = v ? "3x3" : "0_0x1_1" };
    const char *p = part;
    uint32_t n = 0;

    for (;; p++) {
        if (n == 3)
            return err_set(err, ERR_RANGE, "%s: %s = %s: more than 3 dimensions", d->key, key,
                           part);
        if ((v ? read_number(&own, part, &p, 1, UINT32_MAX, &v[n], err)
               : read_pad(&own, part, &p, &lo[n], err)) != 0)
            return err_at(err, "%s", d->key);
        if (!v && *p != '_')
            return err_set(err, ERR_FORMAT,
                           "%s: %s = %s: expected low_high for each dimension, such as 0_0x1_1",
                           d->key, key, part);
        if (!v && (p++, read_pad(&own, part, &p, &hi[n], err)) != 0)
            return err_at(err, "%s", d->key);
        n++;
        if (*p != 'x')
            break;
    }
    if (*p)
        return err_set(err, ERR_FORMAT, "%s: %s = %s: expected 'x' between dimensions", d->key, key,
                       part);
    if (*rank != 0 && *rank != n)
        return err_set(err, ERR_FORMAT, "%s: %s = %s: expected %" PRIu32 " dimensions, as before",
                       d->key, key, part, *rank);
    *rank = n;
    return 0;
}

static int read_window(const struct op_key_desc *d, const char *text, struct op_value *v,
                       struct err *err)
{
    static const char *const names[] = { "size", "stride", "pad", "dilate" };
    enum { N = sizeof names / sizeof *names };
    struct trace_window *w = &v->window;
    uint64_t *to[N] = { w->size, w->stride, NULL, w->dilate };
    bool seen[N] = { false };
    char copy[sizeof v->text], *rest;

    for (int i = 0; i < 3; i++)
        w->stride[i] = w->dilate[i] = 1;
    strcpy(copy, text); /* the same size */
    for (char *part = strtok_r(copy, ", ", &rest); part; part = strtok_r(NULL, ", ", &rest)) {
        char *eq = strchr(part, '=');
        unsigned i = 0;
        if (eq) { /* a bare size=3x3 may lack its name */
            *eq = '\0';
            while (i < N && strcmp(part, names[i]) != 0)
                i++;
        }
        if (i == N) {
            const char *near = err_nearest(part, names, N);
            return err_set(err, ERR_UNKNOWN, "%s: unknown '%s'%s%s%s", d->key, part,
                           near ? "; did you mean '" : ", expected size, stride, pad or dilate",
                           near ? near : "", near ? "'?" : "");
        }
        if (seen[i])
            return err_set(err, ERR_FORMAT, "%s: %s is given twice", d->key, names[i]);
        seen[i] = true;
        if (read_window_part(d, names[i], eq ? eq + 1 : part, to[i], w->pad_lo, w->pad_hi, &w->rank,
                             err) != 0)
            return -1;
    }
    return 0;
}

/* --- all of them -------------------------------------------------------------------------- */

/* One of `n` names, to its number. */
static int read_name(const struct op_key_desc *d, const char *const *names, unsigned n,
                     const char *what, struct op_value *v, struct err *err)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(v->text, names[i]) == 0) {
            v->number = i;
            return 0;
        }
    const char *near = err_nearest(v->text, names, n);
    return err_set(err, ERR_UNKNOWN, "%s = '%.64s': unknown %s; %s%s%s", d->key, v->text, what,
                   near ? "did you mean '" : "such as ", near ? near : d->example,
                   near ? "'?" : "");
}

static int read_dtype(const struct op_key_desc *d, struct op_value *v, struct err *err)
{
    char hint[96];

    for (unsigned i = 0; i < TRACE_N_DTYPES; i++)
        if (strcmp(v->text, trace_dtype_name[i]) == 0) {
            v->number = i;
            return 0;
        }
    return err_set(err, ERR_UNKNOWN, "%s = '%.64s': unknown dtype%s", d->key, v->text,
                   *trace_dtype_hint(v->text, hint, sizeof hint) ? hint : "; such as bf16");
}

static int read_places(const struct op_key_desc *d, const char *text, struct err *err)
{
    static const char *const places[] = { "lhs", "rhs", "out", "all" };
    enum { N = sizeof places / sizeof *places };
    const char *p = text;
    unsigned seen = 0;

    if (strcmp(text, "none") == 0)
        return 0;

    for (;; p++) {
        unsigned i = 0;
        while (i < N && (strncmp(p, places[i], 3) != 0 || (p[3] != '\0' && p[3] != '+')))
            i++;
        if (i == N || seen >> i & 1)
            return err_set(
                err, ERR_UNKNOWN,
                "%s = '%.64s': expected none, all, lhs, rhs, out, or several such as lhs+out",
                d->key, text);
        seen |= 1u << i;
        p += 3;
        if (*p == '\0')
            return 0;
    }
}

static int read_time(const struct op_key_desc *d, struct op_value *v, struct err *err)
{
    mpq_t q, scale;
    uint64_t fs;

    space_unit(v);
    mpq_inits(q, scale, NULL);
    int rc = quantity_parse(q, v->text, "s", err);
    if (rc != 0) {
        err_at(err, "%s = %s", d->key, v->text);
    } else {
        exact_ratio(scale, UINT64_C(1000000000000000), 1);
        mpq_mul(q, q, scale);
        if (exact_to_u64(q, &fs) != 0)
            rc = err_set(err, ERR_RANGE, "%s = %s: expected whole femtoseconds, at most 18446 s",
                         d->key, v->text);
    }
    mpq_clears(q, scale, NULL);
    return rc;
}

/* auto, or one of those that do this kind of collective. */
static int read_algorithm(const struct op_key_desc *d, const char *kind, struct op_value *v,
                          struct err *err)
{
    const char *names[SCHEDULE_N_ALGORITHMS];
    uint32_t set = UINT32_C(1) << SCHEDULE_AUTO, n = 0;
    char all[160];

    for (int k = 0; k < SCHEDULE_N_KINDS; k++)
        if (strcmp(schedule_kind_name[k], kind) == 0)
            set |= schedule_algorithms((enum schedule_kind)k);
    for (uint32_t a = 0; a < SCHEDULE_N_ALGORITHMS; a++) {
        if (strcmp(v->text, schedule_algorithm_name[a]) == 0) {
            v->number = a;
            return 0; /* one that another kind takes is refused with the groups it was asked for */
        }
        if (set >> a & 1)
            names[n++] = schedule_algorithm_name[a];
    }
    const char *near = err_nearest(v->text, names, n);
    if (near)
        return err_set(err, ERR_UNKNOWN, "%s = '%.64s': unknown algorithm; did you mean '%s'?",
                       d->key, v->text, near);
    schedule_list(set, all, sizeof all);
    return err_set(err, ERR_UNKNOWN, "%s = '%.64s': unknown algorithm; %s takes %s", d->key,
                   v->text, kind, all);
}

static int read_value(const struct op_key_desc *d, const char *kind, struct op_value *v,
                      struct err *err)
{
    const char *p = v->text;

    switch (d->type) {
    case OP_COUNT:
        if (read_number(d, v->text, &p, d->min, d->max, &v->number, err) != 0)
            return -1;
        if (*p)
            return err_set(err, ERR_FORMAT, "%s = '%s': expected a whole number", d->key, v->text);
        return 0;
    case OP_SHAPE: return read_shape(d, v->text, v, err);
    case OP_LIST: return read_list(d, v->text, v, err);
    case OP_BYTES: return read_bytes(d, v, err);
    case OP_WINDOW: return read_window(d, v->text, v, err);
    case OP_DTYPE: return read_dtype(d, v, err);
    case OP_PLACES: return read_places(d, v->text, err);
    case OP_TIME: return read_time(d, v, err);
    case OP_LOWERING: {
        static const char *const names[OP_N_LOWERINGS] = { "rows", "one-hot", "loop" };
        return read_name(d, names, OP_N_LOWERINGS, "lowering", v, err);
    }
    case OP_ALGORITHM: return read_algorithm(d, kind, v, err);
    case OP_PRECISION:
        return read_name(d, trace_precision_name, TRACE_N_PRECISIONS, "precision", v, err);
    }
    return -1;
}

int op_key_set(struct op_value value[OP_N_KEYS], const char *kind, uint64_t allowed,
               const char *set, struct err *err)
{
    const char *names[OP_N_KEYS], *eq = strchr(set, '=');
    unsigned n = 0, k = 0;
    char key[32], all[256] = "";

    for (unsigned i = 0; i < OP_N_KEYS; i++)
        if (allowed >> i & 1) {
            size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", op_keys[i].key);
            names[n++] = op_keys[i].key;
        }
    if (!eq || eq == set)
        return err_set(err, ERR_FORMAT, "'%.64s': expected key=value with one of %s", set, all);
    snprintf(key, sizeof key, "%.*s", (int)(eq - set < 31 ? eq - set : 31), set);
    while (k < OP_N_KEYS && (!(allowed >> k & 1) || strcmp(key, op_keys[k].key) != 0))
        k++;
    if (k == OP_N_KEYS) {
        const char *near = err_nearest(key, names, n);
        return err_set(err, ERR_UNKNOWN, "unknown key '%s'; %s%s%s", key,
                       near ? "did you mean '" : "expected one of ", near ? near : all,
                       near ? "'?" : "");
    }
    struct op_value *v = &value[k];
    if (v->given)
        return err_set(err, ERR_FORMAT, "%s is given twice: %s and %.64s", key, v->text, eq + 1);
    if (strlen(eq + 1) >= sizeof v->text)
        return err_set(err, ERR_FORMAT, "%s = '%.40s...': more than %zu characters", key, eq + 1,
                       sizeof v->text - 1);
    strcpy(v->text, eq + 1);
    v->given = true;
    return read_value(&op_keys[k], kind, v, err);
}
