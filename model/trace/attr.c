/* attr.c - see attr.h.  Reading and printing go by the type of an attribute. */
#include "trace/attr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/quantity.h"
#include "base/units.h"
#include "trace/compiled_attr.h"
#include "trace/kind/members.h"
#include "trace/name.h"
#include "trace/print.h"

struct attr_desc {
    const char *key;
    enum attr_type type;
    size_t offset; /* in struct trace_op */
};

static const struct attr_desc descs[ATTR_N] = {
#define A(id, key, type, field) { key, ATTR_##type, offsetof(struct trace_op, field) },
    ATTRS(A)
#undef A
};

/* Keys of attributes: those of kernels stand behind those of all kinds. */
enum { N_KEYS = ATTR_N + COMPILED_N_ATTRS };
static const char *const keys[N_KEYS] = {
#define A(id, key, type, field) key,
    ATTRS(A) COMPILED_ATTRS(A)
#undef A
};

/* clang-format off */
static const struct { const char *unit; uint64_t fs; } times[] = {
    { "s", FS_PER_S },   { "ms", FS_PER_MS }, { "us", FS_PER_US },
    { "ns", FS_PER_NS }, { "ps", FS_PER_PS }, { "fs", 1 },
};
/* clang-format on */

/* The bits of enum trace_resident, from the lowest. */
static const char *const resident[] = { "lhs", "rhs", "out", "all" };
enum { N_PLACES = sizeof resident / sizeof *resident };

/* Words of which an attribute has several, each a bit. */
struct choice {
    const char *const *word;
    unsigned n;
    const char *expected;
};
static const struct choice place_words = { resident, N_PLACES,
                                           "lhs, rhs, out, all, or several such as lhs+out" };
static const struct choice basis_words = {
    trace_basis_name, TRACE_N_BASES,
    "absent, unread, partial, estimate, outline, recorded, loop, branch, sizes, groups, dense, "
    "hand, or several such as loop+unread"
};

/* Read "lhs+out".  The lexer gives it as one word, because + is a word character. */
static int read_choice(struct trace *t, uint32_t *bits, const char *key, const struct choice *c)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, c->expected) != 0)
        return -1;
    for (const char *p = w.s;; p++) { /* p++ skips a '+' */
        size_t n = strcspn(p, "+");
        unsigned i = 0;
        while (i < c->n && (strlen(c->word[i]) != n || strncmp(p, c->word[i], n) != 0))
            i++;
        if (i == c->n)
            return lex_fail(&t->lex, w.at + (size_t)(p - w.s), ERR_UNKNOWN,
                            "%s = %.64s: expected %s", key, w.s, c->expected);
        if (*bits >> i & 1)
            return lex_fail(&t->lex, w.at + (size_t)(p - w.s), ERR_FORMAT,
                            "%s = %.64s: %s stands there twice", key, w.s, c->word[i]);
        *bits |= UINT32_C(1) << i;
        p += n;
        if (*p == '\0')
            return 0;
    }
}

/* Read "0+2": dimensions, each once. */
static int read_axes(struct trace *t, uint32_t *bits, const char *key)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "dimensions such as 0+2") != 0)
        return -1;
    for (const char *p = w.s;; p++) { /* p++ skips a '+' */
        size_t at = w.at + (size_t)(p - w.s);
        if (*p < '0' || *p >= '0' + TRACE_MAX_RANK || (p[1] != '\0' && p[1] != '+'))
            return lex_fail(&t->lex, at, ERR_FORMAT,
                            "%s = %.64s: expected a dimension from 0 to %d, or several such as 0+2",
                            key, w.s, TRACE_MAX_RANK - 1);
        uint32_t bit = UINT32_C(1) << (*p - '0');
        if (*bits & bit)
            return lex_fail(&t->lex, at, ERR_FORMAT, "%s = %.64s: %c stands there twice", key, w.s,
                            *p);
        *bits |= bit;
        if (*++p == '\0')
            return 0;
    }
}

static int read_fn(struct trace *t, uint32_t *fn, bool *plain)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "a function such as tanh") != 0)
        return -1;
    for (*fn = 0; *fn < TRACE_N_FNS; ++*fn)
        if (strcmp(w.s, trace_fn_name[*fn]) == 0) {
            *plain = *fn == TRACE_FN_ADD;
            return 0;
        }
    return reader_unknown(t, &w, "function", trace_fn_name, TRACE_N_FNS);
}

static int read_time(struct trace *t, uint64_t *fs, const char *key)
{
    struct lex_text w;
    struct err why;
    EXACT_Q(q);
    EXACT_Q(scale);

    if (lex_string(&t->lex, &w, "a time such as \"2.35 ms\"") != 0)
        return -1;
    int rc = quantity_parse(q, w.s, "s", &why);
    if (rc != 0) {
        lex_fail(&t->lex, w.at, why.code, "%s: %.300s", key, why.msg);
    } else {
        exact_ratio(scale, times[0].fs, 1);
        mpq_mul(q, q, scale);
        rc = exact_to_u64(q, fs);
        if (rc != 0)
            lex_fail(&t->lex, w.at, ERR_RANGE,
                     "%s = %.64s: expected whole femtoseconds, at most 18446 s", key, w.s);
    }
    return rc;
}

/* Read "0 7, 1 6": groups, whose size it sets, or pairs. */
static int read_lists(struct trace *t, struct trace_op *op, const struct attr_desc *d)
{
    const char **field = (const char **)(void *)((char *)op + d->offset);
    struct members m = { 0 };
    struct lex_text w;
    struct err why = { 0 };
    size_t at;

    if (lex_string(&t->lex, &w, "replicas such as \"0 7, 1 6\"") != 0)
        return -1;
    if (members_read(&m, w.s, field == &op->pairs, &at, &why) != 0)
        return lex_fail(&t->lex, w.at + at, why.code, "%s: %.300s", d->key, why.msg);
    if (field == &op->members)
        op->group = m.even ? m.longest : 0;
    members_free(&m);
    *field = w.s;
    return 0;
}

/* All attributes of a window must have the same number of dimensions. */
static int check_rank(struct trace *t, struct trace_window *win, uint32_t rank, size_t at,
                      const char *key)
{
    if (win->rank != 0 && win->rank != rank)
        return lex_fail(&t->lex, at, ERR_FORMAT,
                        "%s has %" PRIu32 " dimensions, expected %" PRIu32
                        " as in the attribute before it",
                        key, rank, win->rank);
    win->rank = rank;
    return 0;
}

/* Read one number of a window at *p, inside the word `w`, and set *p behind it. */
static int read_dim(struct trace *t, const struct lex_text *w, const char *key, const char **p,
                    uint64_t min, uint64_t *v)
{
    size_t at = w->at + (size_t)(*p - w->s);
    char *end;

    if (**p < '0' || **p > '9')
        return lex_fail(&t->lex, at, ERR_FORMAT, "%s = %.64s: expected a number here", key, w->s);
    unsigned long long n = strtoull(*p, &end, 10);
    /* with 32 bits, dilate * (size - 1) and the padded input fit 64 */
    if (n < min || n > UINT32_MAX)
        return lex_fail(&t->lex, at, ERR_RANGE, "%s = %.64s: outside [%" PRIu64 ", %" PRIu32 "]",
                        key, w->s, min, UINT32_MAX);
    *p = end;
    *v = n;
    return 0;
}

/* Read a padding, which may be negative. */
static int read_pad(struct trace *t, const struct lex_text *w, const char *key, const char **p,
                    int64_t *v)
{
    bool negative = **p == '-';
    uint64_t n = 0;

    *p += negative;
    if (read_dim(t, w, key, p, 0, &n) != 0)
        return -1;
    *v = negative ? -(int64_t)n : (int64_t)n;
    return 0;
}

/* Read "0_1" at *p: padding before and after. */
static int read_pads(struct trace *t, const struct lex_text *w, const char *key, const char **p,
                     int64_t *lo, int64_t *hi)
{
    if (read_pad(t, w, key, p, lo) != 0)
        return -1;
    if (**p != '_')
        return lex_fail(&t->lex, w->at + (size_t)(*p - w->s), ERR_FORMAT,
                        "%s = %.64s: expected low_high for each dimension, such as 0_0x1_1", key,
                        w->s);
    ++*p;
    return read_pad(t, w, key, p, hi);
}

/* Read "5x6x6" or "0_0x1_-1".  The lexer gives it as one word: x, _ and - are word characters. */
static int read_dims(struct trace *t, struct trace_op *op, const struct attr_desc *d, bool *plain)
{
    uint64_t *dim = (uint64_t *)(void *)((char *)op + d->offset);
    struct trace_window *win = &op->win;
    bool pads = d->type == ATTR_PADS;
    struct lex_text w;
    const char *p;

    if (lex_word(&t->lex, &w, pads ? "paddings such as 0_0x1_1" : "sizes such as 5x6x6") != 0)
        return -1;
    *plain = pads || dim != win->size;
    uint32_t rank = 0;
    for (p = w.s;; p++) { /* p++ skips an 'x' */
        if (rank == 3)
            return lex_fail(&t->lex, w.at, ERR_RANGE, "%s = %.64s: more than 3 dimensions", d->key,
                            w.s);
        int rc = pads ? read_pads(t, &w, d->key, &p, &win->pad_lo[rank], &win->pad_hi[rank])
                      : read_dim(t, &w, d->key, &p, 1, &dim[rank]);
        if (rc != 0)
            return -1;
        *plain = *plain && (pads ? !win->pad_lo[rank] && !win->pad_hi[rank] : dim[rank] == 1);
        rank++;
        if (*p != 'x')
            break;
    }
    if (*p)
        return lex_fail(&t->lex, w.at + (size_t)(p - w.s), ERR_FORMAT,
                        "%s = %.64s: expected 'x' between dimensions", d->key, w.s);
    return check_rank(t, &op->win, rank, w.at, d->key);
}

static int read_precision(struct trace *t, struct trace_op *op, bool *plain)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "default, high or highest") != 0)
        return -1;
    for (unsigned i = 0; i < TRACE_N_PRECISIONS; i++)
        if (strcmp(w.s, trace_precision_name[i]) == 0) {
            op->precision = (enum trace_precision)i;
            *plain = i == TRACE_DEFAULT;
            return 0;
        }
    return reader_unknown(t, &w, "precision", trace_precision_name, TRACE_N_PRECISIONS);
}

static int read_algorithm(struct trace *t, struct trace_op *op, bool *plain)
{
    struct lex_text w;

    if (lex_word(&t->lex, &w, "an algorithm") != 0)
        return -1;
    for (unsigned i = 0; i < TRACE_N_ALGORITHMS; i++)
        if (strcmp(w.s, trace_algorithm_name[i]) == 0) {
            op->algorithm = (enum trace_algorithm)i;
            *plain = i == TRACE_BY_AUTO;
            return 0;
        }
    return reader_unknown(t, &w, "algorithm", trace_algorithm_name, TRACE_N_ALGORITHMS);
}

/* Read the value of attribute `d`.  Sets *plain if it is the default. */
static int read_value(struct trace *t, struct trace_op *op, const struct attr_desc *d, bool *plain)
{
    void *field = (char *)op + d->offset;
    struct lex_text w;
    uint64_t v = 0;

    *plain = false;
    switch (d->type) {
    case ATTR_INT:
        if (lex_int(&t->lex, field, 0, UINT64_MAX, d->key) != 0)
            return -1;
        *plain = (field == &op->combine || field == &op->einsums) && *(uint64_t *)field == 0;
        return 0;
    case ATTR_COUNT:
        if (lex_int(&t->lex, field, 1, field == &op->passes ? TRACE_MAX_PASSES : INT64_MAX,
                    d->key) != 0)
            return -1;
        *plain = (field == &op->work.calls || field == &op->work.threads ||
                  field == &op->work.readers || field == &op->groups || field == &op->fn_flops ||
                  field == &op->passes || field == &op->group_stride || field == &op->shift) &&
                 *(uint64_t *)field == 1;
        return 0;
    case ATTR_GROUP:
        if (lex_int(&t->lex, &v, 0, UINT32_MAX, d->key) != 0)
            return -1;
        op->group = (uint32_t)v;
        *plain = v == 0;
        return 0;
    case ATTR_FLAG:
        if (lex_int(&t->lex, &v, 0, 1, d->key) != 0)
            return -1;
        *(bool *)field = v == 1;
        *plain = v == 0;
        return 0;
    case ATTR_TEXT:
        if (lex_string(&t->lex, &w, "a string") != 0)
            return -1;
        *(const char **)field = w.s;
        return 0;
    case ATTR_DIMS:
    case ATTR_PADS: return read_dims(t, op, d, plain);
    case ATTR_VALUE: op->has_bias = true; return name_use(t, &op->bias, &w.at, NAME_TENSOR);
    case ATTR_PLACES: return read_choice(t, field, d->key, &place_words);
    case ATTR_BASIS: return read_choice(t, field, d->key, &basis_words);
    case ATTR_AXES: return read_axes(t, field, d->key);
    case ATTR_FN: return read_fn(t, &op->fn, plain);
    case ATTR_TIME: return read_time(t, field, d->key);
    case ATTR_LISTS: return read_lists(t, op, d);
    case ATTR_PRECISION: return read_precision(t, op, plain);
    case ATTR_ALGORITHM: return read_algorithm(t, op, plain);
    }
    return -1;
}

static void set_defaults(struct trace_op *op, uint64_t allowed)
{
    for (unsigned i = 0; i < 3 && (allowed & ATTR_BIT(SIZE)); i++)
        op->win.stride[i] = op->win.dilate[i] = op->groups = 1;
    op->work.calls = op->work.threads = op->work.readers = op->group_stride = 1;
    op->shift = op->fn_flops = op->passes = 1;
    op->stage = op->to = TRACE_NO_STAGE;
}

/* The index of a key, looked for from `from` on: in canonical order it is near.  N_KEYS: none. */
static unsigned find_key(const char *key, unsigned from)
{
    for (unsigned n = 0; n < N_KEYS; n++) {
        unsigned i = (from + n) % N_KEYS;
        if (keys[i][0] == key[0] && strcmp(keys[i], key) == 0)
            return i;
    }
    return N_KEYS;
}

/* Keys that were read before, of all kinds and of kernels. */
struct attr_seen {
    uint64_t all, kernel;
};

static int read_attr(struct trace *t, struct trace_op *op, uint64_t allowed, unsigned i,
                     const struct lex_text *key, struct attr_seen *seen)
{
    bool all = i < ATTR_N, plain;
    uint64_t bit = UINT64_C(1) << (all ? i : i - ATTR_N),
             *before = all ? &seen->all : &seen->kernel;

    if (all ? !(allowed & bit) : !op->compiled)
        return lex_fail(&t->lex, key->at, ERR_FORMAT, "'%.64s' takes no attribute '%s'",
                        op->kind_text, key->s);
    if (*before & bit)
        return lex_fail(&t->lex, key->at, ERR_FORMAT, "attribute '%s' is given twice", key->s);
    *before |= bit;
    if (lex_expect(&t->lex, '=') != 0)
        return -1;
    if (!all)
        return compiled_read(t, (enum compiled_attr)(i - ATTR_N));
    if (read_value(t, op, &descs[i], &plain) != 0)
        return -1;
    if (!plain)
        op->given |= bit;
    return 0;
}

int attr_read(struct trace *t, struct trace_op *op, uint64_t allowed)
{
    struct attr_seen seen = { 0, 0 };
    unsigned i = 0;

    set_defaults(op, allowed);
    if (op->compiled)
        compiled_begin(t);
    while (!lex_end(&t->lex) && !lex_peek(&t->lex, '{')) {
        struct lex_text key;
        if (lex_word(&t->lex, &key, "an attribute") != 0)
            return -1;
        i = find_key(key.s, i);
        if (i == N_KEYS)
            return reader_unknown(t, &key, "attribute", keys, op->compiled ? N_KEYS : ATTR_N);
        if (read_attr(t, op, allowed, i, &key, &seen) != 0)
            return -1;
    }
    return 0;
}

/* Print a time exactly, in the largest unit that gives a number of at least 1. */
static void print_time(uint64_t fs, FILE *out)
{
    unsigned i = 0, places = 0;

    while (times[i].fs > 1 && times[i].fs > fs)
        i++;
    uint64_t rest = fs % times[i].fs;
    fprintf(out, "\"%" PRIu64, fs / times[i].fs);
    for (uint64_t scale = times[i].fs; rest > 0; rest %= scale) {
        scale /= 10;
        fprintf(out, "%s%" PRIu64, places++ ? "" : ".", rest / scale);
    }
    fprintf(out, " %s\"", times[i].unit);
}

static void print_dims(const struct trace_op *op, const struct attr_desc *d, FILE *out)
{
    const uint64_t *dim = (const uint64_t *)(const void *)((const char *)op + d->offset);

    for (uint32_t i = 0; i < op->win.rank; i++) {
        fputs(i ? "x" : "", out);
        if (d->type == ATTR_PADS)
            fprintf(out, "%" PRId64 "_%" PRId64, op->win.pad_lo[i], op->win.pad_hi[i]);
        else
            fprintf(out, "%" PRIu64, dim[i]);
    }
}

static void print_choice(uint32_t bits, const struct choice *c, FILE *out)
{
    const char *plus = "";

    for (unsigned i = 0; i < c->n; i++)
        if (bits >> i & 1) {
            fprintf(out, "%s%s", plus, c->word[i]);
            plus = "+";
        }
}

static void print_axes(uint32_t bits, FILE *out)
{
    const char *plus = "";

    for (unsigned i = 0; i < TRACE_MAX_RANK; i++)
        if (bits >> i & 1) {
            fprintf(out, "%s%u", plus, i);
            plus = "+";
        }
}

void attr_print(const struct trace_op *op, const char *bias, FILE *out)
{
    for (unsigned i = 0; i < ATTR_N; i++) {
        const struct attr_desc *d = &descs[i];
        const void *field = (const char *)op + d->offset;
        if (i == ATTR_FLOPS_ && op->compiled)
            compiled_print(op->compiled, op->n_in, op->n_out, out);
        if (!(op->given >> i & 1))
            continue;
        fprintf(out, " %s=", d->key);
        switch (d->type) {
        case ATTR_INT:
        case ATTR_COUNT: fprintf(out, "%" PRIu64, *(const uint64_t *)field); break;
        case ATTR_GROUP: fprintf(out, "%" PRIu32, op->group); break;
        case ATTR_FLAG: putc('1', out); break;
        case ATTR_LISTS:
        case ATTR_TEXT: print_string(*(const char *const *)field, out); break;
        case ATTR_DIMS:
        case ATTR_PADS: print_dims(op, d, out); break;
        case ATTR_VALUE: fprintf(out, "%%%s", bias); break;
        case ATTR_PLACES: print_choice(op->resident, &place_words, out); break;
        case ATTR_BASIS: print_choice(op->basis, &basis_words, out); break;
        case ATTR_AXES: print_axes(op->over, out); break;
        case ATTR_FN: fputs(trace_fn_name[op->fn], out); break;
        case ATTR_TIME: print_time(*(const uint64_t *)field, out); break;
        case ATTR_PRECISION: fputs(trace_precision_name[op->precision], out); break;
        case ATTR_ALGORITHM: fputs(trace_algorithm_name[op->algorithm], out); break;
        }
    }
}
