/* param.c - see param.h.  A value is parsed exactly, checked against its range, and then rounded to
 * the stored integer. */
#include "base/param.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/units.h"

#define CHOICES_MAX 16 /* of an ENUM */
#define CHOICES_TEXT 256

/* Split the choices of an ENUM into `names`, which point into `text`. */
static unsigned split_choices(const char *unit, char text[CHOICES_TEXT], const char *names[])
{
    unsigned n = 0;

    BUG_ON(strlen(unit) >= CHOICES_TEXT);
    strcpy(text, unit);
    for (char *save, *name = strtok_r(text, "|", &save); name; name = strtok_r(NULL, "|", &save)) {
        BUG_ON(n == CHOICES_MAX);
        names[n++] = name;
    }
    return n;
}

static uint64_t stored_per_unit(enum param_kind kind)
{
    return kind == PARAM_FS ? FS_PER_S : kind == PARAM_PPB ? PPB_PER_ONE : 1;
}

/* The power of ten that this is. */
static unsigned stored_places(enum param_kind kind)
{
    return kind == PARAM_FS ? 15 : kind == PARAM_PPB ? 9 : 0;
}

static void store_value(const struct param_desc *d, void *obj, uint64_t v)
{
    void *at = (char *)obj + d->offset;

    if (d->kind == PARAM_U32 || d->kind == PARAM_ENUM)
        *(uint32_t *)at = (uint32_t)v;
    else
        *(uint64_t *)at = v;
}

uint64_t param_stored(const struct param_desc *d, const void *obj)
{
    const void *at = (const char *)obj + d->offset;

    BUG_ON(d->kind == PARAM_TEXT);
    if (d->kind == PARAM_U32 || d->kind == PARAM_ENUM)
        return *(const uint32_t *)at;
    return *(const uint64_t *)at;
}

static const char *unit_in_sentence(const struct param_desc *d)
{
    return strcmp(d->unit, "ratio") == 0 ? "" : d->unit;
}

/* Read a default or a bound of the table, where the unit may be left out.  Returns true if it is.
 */
static bool parse_column(mpq_t q, const char *text, const char *unit)
{
    struct err err;
    const char *end = exact_parse(q, text);

    if (end && *end == '\0')
        return true;
    BUG_ON(quantity_parse(q, text, unit, &err) != 0);
    return false;
}

static int check_range(const struct param_desc *d, const mpq_t q, struct err *err)
{
    int failed = 0;
    EXACT_Q(low);
    EXACT_Q(high);

    parse_column(low, d->min, d->unit);
    bool bare = parse_column(high, d->max, d->unit);
    if (mpq_cmp(q, low) < 0 || mpq_cmp(q, high) > 0) {
        const char *unit = bare ? unit_in_sentence(d) : "";
        failed =
            err_set(err, ERR_RANGE, "outside [%s, %s]%s%s", d->min, d->max, *unit ? " " : "", unit);
    }
    return failed;
}

/* Convert a value in range to the stored integer.  Times and ratios are rounded to it; other kinds
 * must be whole. */
static int round_to_stored(const struct param_desc *d, const mpq_t q, uint64_t *v, struct err *err)
{
    int failed = 0;

    /* most values are whole numbers of units */
    if (mpz_cmp_ui(mpq_denref(q), 1) == 0 && mpz_fits_ulong_p(mpq_numref(q)) &&
        !__builtin_mul_overflow(mpz_get_ui(mpq_numref(q)), stored_per_unit(d->kind), v) &&
        (d->kind != PARAM_U32 || *v <= UINT32_MAX))
        return 0;
    EXACT_Q(scaled);
    EXACT_Z(whole);

    /* not in lowest terms: looking for common factors would take most of the time */
    exact_set_u64(whole, stored_per_unit(d->kind));
    mpz_mul(mpq_numref(scaled), mpq_numref(q), whole);
    mpz_set(mpq_denref(scaled), mpq_denref(q));
    if (d->kind == PARAM_FS || d->kind == PARAM_PPB) {
        exact_round(whole, scaled);
        mpq_set_z(scaled, whole);
    }
    if (mpz_cmp_ui(mpq_denref(scaled), 1) != 0) {
        const char *unit = unit_in_sentence(d);
        failed = err_set(err, ERR_FORMAT, "not a whole number%s%s", *unit ? " of " : "", unit);
    } else if (exact_to_u64(scaled, v) != 0 || (d->kind == PARAM_U32 && *v > UINT32_MAX)) {
        failed = err_set(err, ERR_RANGE, "does not fit its %d-bit counter",
                         d->kind == PARAM_U32 ? 32 : 64);
    }
    return failed;
}

static int parse_choice(const struct param_desc *d, const char *text, uint64_t *v, struct err *err)
{
    char copy[CHOICES_TEXT], list[CHOICES_TEXT + 2 * CHOICES_MAX] = "";
    const char *names[CHOICES_MAX];
    unsigned n = split_choices(d->unit, copy, names);

    for (unsigned i = 0; i < n; i++) {
        if (strcmp(names[i], text) == 0) {
            *v = i;
            return 0;
        }
        strcat(strcat(list, i > 0 ? ", " : ""), names[i]);
    }
    const char *near = err_nearest(text, names, n);
    return err_set(err, ERR_FORMAT, "expected one of %s%s%s%s", list, near ? "; nearest is \"" : "",
                   near ? near : "", near ? "\"" : "");
}

static int parse_number(const struct param_desc *d, const char *text, uint64_t *v, struct err *err)
{
    EXACT_Q(q);

    int failed = quantity_parse(q, text, d->unit, err);
    if (!failed)
        failed = check_range(d, q, err);
    if (!failed)
        failed = round_to_stored(d, q, v, err);
    return failed;
}

static int store_text(const struct param_desc *d, void *obj, const char *text, struct err *err)
{
    struct param_string *at = (struct param_string *)((char *)obj + d->offset);

    if (strlen(text) >= sizeof at->text)
        return err_set(err, ERR_RANGE, "more than %zu letters", sizeof at->text - 1);
    memset(at->text, 0, sizeof at->text);
    memcpy(at->text, text, strlen(text));
    return 0;
}

/* A word KEY=VALUE, cut. */
struct cut_word {
    const char *key, *value;
    size_t key_size, place;
};

static struct cut_word cut_word(const char *text, size_t place)
{
    const char *key = text + strspn(text, " "), *eq = strchr(key, '=');
    size_t n = eq ? (size_t)(eq - key) : 0;

    while (n > 0 && key[n - 1] == ' ')
        n--;
    return (struct cut_word){ key, eq ? eq + 1 + strspn(eq + 1, " ") : NULL, n, place };
}

static int compare_keys(const struct cut_word *x, const struct cut_word *y)
{
    size_t n = x->key_size < y->key_size ? x->key_size : y->key_size;
    int order = memcmp(x->key, y->key, n);

    return order ? order : (x->key_size > y->key_size) - (x->key_size < y->key_size);
}

static int compare_words(const void *a, const void *b)
{
    const struct cut_word *x = a, *y = b;
    int order = compare_keys(x, y);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

bool param_same_key(const char *a, const char *b)
{
    struct cut_word x = cut_word(a, 0), y = cut_word(b, 0);

    return x.value && y.value && compare_keys(&x, &y) == 0;
}

int param_once(const char *const *word, size_t n, struct err *err)
{
    struct cut_word *cut = memory_resize(NULL, n + 1, sizeof *cut);
    size_t n_cut = 0, second = 0;

    for (size_t i = 0; i < n; i++) {
        cut[n_cut] = cut_word(word[i], i);
        n_cut += cut[n_cut].value != NULL;
    }
    qsort(cut, n_cut, sizeof *cut, compare_words);
    for (size_t i = 1; i < n_cut; i++) /* the first one on the line is told */
        if (compare_keys(&cut[i - 1], &cut[i]) == 0 &&
            (second == 0 || cut[i].place < cut[second].place))
            second = i;
    if (second > 0)
        err_set(err, ERR_FORMAT, "%.*s is given twice: %.64s and %.64s",
                (int)(cut[second].key_size < 64 ? cut[second].key_size : 64), cut[second].key,
                cut[second - 1].value, cut[second].value);
    free(cut);
    return second > 0 ? -1 : 0;
}

int param_set(const struct param_table *t, const struct param_desc *d, void *obj, const char *text,
              struct err *err)
{
    uint64_t v = 0;

    if (d->kind == PARAM_TEXT)
        return store_text(d, obj, text, err) == 0
                   ? 0
                   : err_at(err, "%s.%s = %.80s", t->section, d->name, text);
    int failed =
        d->kind == PARAM_ENUM ? parse_choice(d, text, &v, err) : parse_number(d, text, &v, err);

    if (failed)
        return err_at(err, "%s.%s = %.80s", t->section, d->name, text);
    store_value(d, obj, v);
    return 0;
}

void param_defaults(const struct param_table *t, void *obj)
{
    memset(obj, 0, t->size);
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct param_desc *d = &t->rows[i];
        uint64_t v = 0;
        struct err err;

        if (strcmp(d->def, "-") == 0)
            continue;
        if (d->kind == PARAM_TEXT) {
            BUG_ON(store_text(d, obj, d->def, &err) != 0);
            continue;
        }
        if (d->kind == PARAM_ENUM) {
            BUG_ON(parse_choice(d, d->def, &v, &err) != 0);
        } else {
            EXACT_Q(q);
            parse_column(q, d->def, d->unit);
            BUG_ON(round_to_stored(d, q, &v, &err) != 0);
        }
        store_value(d, obj, v);
    }
}

const struct param_desc *param_find(const struct param_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (*t->rows[i].name == *name && strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    return NULL;
}

char *param_text(const struct param_desc *d, const void *obj, char *buf, size_t size)
{
    if (d->kind == PARAM_TEXT) {
        const char *text = ((const struct param_string *)((const char *)obj + d->offset))->text;
        BUG_ON(strlen(text) >= size);
        return strcpy(buf, text);
    }
    uint64_t v = param_stored(d, obj);
    if (d->kind == PARAM_ENUM) {
        char copy[CHOICES_TEXT];
        const char *names[CHOICES_MAX];
        unsigned n = split_choices(d->unit, copy, names);
        BUG_ON(v >= n || strlen(names[v]) >= size);
        return strcpy(buf, names[v]);
    }
    return quantity_whole(buf, size, v, stored_places(d->kind), d->unit);
}

bool param_amount(const struct param_desc *d, const void *obj, uint64_t *amount)
{
    if (d->kind == PARAM_ENUM || d->kind == PARAM_TEXT)
        return false;
    *amount = param_stored(d, obj);
    return true;
}

int param_set_amount(const struct param_table *t, const struct param_desc *d, void *obj,
                     uint64_t amount, struct err *err)
{
    BUG_ON(d->kind == PARAM_ENUM || d->kind == PARAM_TEXT);
    EXACT_Q(q);
    EXACT_Q(scale);

    exact_ratio(q, amount, 1);
    exact_ratio(scale, stored_per_unit(d->kind), 1);
    mpq_div(q, q, scale);
    if (check_range(d, q, err) != 0)
        return err_at(err, "%s.%s", t->section, d->name);
    store_value(d, obj, amount);
    return 0;
}

/* The default with its unit; of a choice with the words it is one of, unless they are no and yes.
 */
static void print_default(FILE *out, const struct param_desc *d)
{
    bool given = strcmp(d->def, "-") == 0;
    bool plain = !given && d->kind != PARAM_TEXT && !strpbrk(d->def, " ");

    fputs(given ? "must be given" : d->def, out);
    if (d->kind == PARAM_ENUM) {
        if (strcmp(d->unit, "no|yes") != 0)
            fprintf(out, " of %s", d->unit);
    } else if (d->unit[0] && (given || plain) && strcmp(d->unit, "ratio") != 0) {
        fprintf(out, "%s%s", given ? ", " : " ", d->unit);
    }
}

void param_print_md(const struct param_table *t, FILE *out)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct param_desc *d = &t->rows[i];

        fprintf(out, "* `%s.%s` ", t->section, d->name);
        print_default(out, d);
        fprintf(out, ": %s\n", d->doc);
    }
    if (t->list) {
        fprintf(out, "* `%s.%s` none; up to %u lines of ", t->section, t->list->pattern,
                (unsigned)t->list->most);
        for (size_t i = 0; i < t->list->columns->n_rows; i++)
            fprintf(out, "%s%s", i ? ", " : "", t->list->columns->rows[i].name);
        fprintf(out, ": %s\n", t->list->doc);
    }
}
