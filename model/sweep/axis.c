#include "sweep/axis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/line.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/quantity.h"

#define EXACT_DIGITS 12 /* a computed value is exact if it needs no more, */
#define DIGITS 6        /* else rounded to these */
#define GIVEN_DIGITS 18 /* of a number that is given, with its point and sign */
#define PRECISION 192   /* bits, while it is computed */
#define ROOTS 96        /* binary digits of an exponent */

static void add_value(struct axis *a, const char *text)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->value[i], text) == 0)
            return;
    /* powers of two: the array grows when it is full */
    MEMORY_ADD(a->value, a->n);
    a->value[a->n++] = memory_copy(text);
}

/* Round a computed value to few digits. */
static void round_value(mpq_t q)
{
    char text[KEY_TEXT];

    EXACT_Q(short_one);
    exact_parse(short_one, exact_decimal(text, sizeof text, q, EXACT_DIGITS));
    if (!mpq_equal(short_one, q))
        exact_parse(q, exact_decimal(text, sizeof text, q, DIGITS));
}

static int add_number(struct axis *a, const mpq_t q, struct err *err)
{
    char text[KEY_TEXT];

    if (a->n == AXIS_MAX_VALUES)
        return err_set(err, ERR_RANGE, "more than %d values", AXIS_MAX_VALUES);
    key_write(&a->key, q, text, sizeof text);
    add_value(a, text);
    return 0;
}

/* --- between the ends of a range ------------------------------------------------------------- */

/* q = low * (high / low)^u, by square roots of the ratio for the binary digits of u */
static void interpolate_log(mpq_t q, const mpq_t low, const mpq_t high, const mpq_t u)
{
    mpf_t root, product;

    mpf_init2(root, PRECISION);
    mpf_init2(product, PRECISION);
    EXACT_Q(ratio);
    EXACT_Q(rest);
    mpq_div(ratio, high, low);
    mpf_set_q(root, ratio);
    mpf_set_q(product, low);
    mpq_set(rest, u);
    if (mpq_cmp_ui(rest, 1, 1) == 0) {
        mpf_mul(product, product, root);
        mpq_set_ui(rest, 0, 1);
    }
    for (int i = 0; i < ROOTS; i++) {
        mpf_sqrt(root, root);
        mpq_mul_2exp(rest, rest, 1);
        if (mpq_cmp_ui(rest, 1, 1) >= 0) {
            EXACT_Q(one);
            mpq_set_ui(one, 1, 1);
            mpq_sub(rest, rest, one);
            mpf_mul(product, product, root);
        }
    }
    mpq_set_f(q, product);
    mpf_clears(root, product, NULL);
}

static void interpolate_value(const struct axis *a, bool in_log, const mpq_t u, mpq_t q)
{
    if (in_log) {
        interpolate_log(q, a->low, a->high, u);
    } else {
        mpq_sub(q, a->high, a->low);
        mpq_mul(q, q, u);
        exact_sum(q, a->low);
    }
    round_value(q);
}

void axis_at(const struct axis *a, uint32_t u, char *buf, size_t size)
{
    if (!a->open) {
        snprintf(buf, size, "%s", a->value[(size_t)(((uint64_t)u * a->n) >> 32)]);
        return;
    }
    EXACT_Q(place);
    EXACT_Q(q);
    exact_ratio(place, u, UINT64_C(1) << 32);
    interpolate_value(a, a->log, place, q);
    key_write(&a->key, q, buf, size);
}

/* --- reading --------------------------------------------------------------------------------- */

static int spread_values(struct axis *a, const char *count, bool in_log, struct err *err)
{
    char *end;

    errno = 0;
    unsigned long n = strtoul(count, &end, 10);
    if (*end || errno || n < 2 || n > AXIS_MAX_VALUES)
        return err_set(err, ERR_FORMAT, "%s%s: expected how many values, 2 to %d",
                       in_log ? "log" : "lin", count, AXIS_MAX_VALUES);
    int rc = 0;
    EXACT_Q(u);
    EXACT_Q(q);
    for (unsigned long i = 0; i < n && rc == 0; i++) {
        exact_ratio(u, i, n - 1);
        interpolate_value(a, in_log, u, q);
        rc = add_number(a, q, err);
    }
    return rc;
}

/* low, low + by, ... or low, low * by, ... up to high */
static int walk_values(struct axis *a, const mpq_t by, bool times, struct err *err)
{
    int rc = 0;

    EXACT_Q(q);
    mpq_set(q, a->low);
    for (size_t i = 0; mpq_cmp(q, a->high) <= 0 && rc == 0; i++) {
        rc = i == AXIS_MAX_VALUES ? err_set(err, ERR_RANGE, "more than %d values", AXIS_MAX_VALUES)
                                  : add_number(a, q, err);
        if (times)
            mpq_mul(q, q, by);
        else
            exact_sum(q, by);
        round_value(q);
    }
    return rc;
}

/* Read a number of the axis; `unit` is used if it has none. */
static int read_number(const struct axis *a, const char *text, const char *unit, mpq_t q,
                       struct err *err)
{
    const char *end = exact_parse(q, text);
    char whole[KEY_TEXT];

    if (!end)
        return err_set(err, ERR_FORMAT, "'%.60s': not a number", text);
    if (end - text > GIVEN_DIGITS)
        return err_set(err, ERR_FORMAT, "'%.60s': more than %d digits", text, GIVEN_DIGITS);
    end += strspn(end, " \t");
    snprintf(whole, sizeof whole, "%.60s%s%s", text, *end || !*unit ? "" : " ", *end ? "" : unit);
    if (key_read(&a->key, whole, q, err) != 0)
        return err_at(err, "%s", whole);
    double size = fabs(mpq_get_d(q));
    if (size > 1e24 || (size > 0 && size < 1e-17))
        return err_set(err, ERR_RANGE, "%s: no machine has a value of this size", whole);
    return 0;
}

static int read_step(struct axis *a, char *text, const char *unit, struct err *err)
{
    int rc;

    if (strncmp(text, "log", 3) == 0 || strncmp(text, "lin", 3) == 0) {
        bool in_log = text[2] == 'g';
        if (in_log && mpq_sgn(a->low) <= 0)
            return err_set(err, ERR_RANGE, "a range in the logarithm begins above 0");
        if (!in_log || text[3])
            return spread_values(a, line_trim(text + 3), in_log, err);
        a->open = a->log = true;
        return 0;
    }
    EXACT_Q(by);
    if (*text == '*') {
        const char *end = exact_parse(by, line_trim(text + 1));
        if (!end || *end || mpq_cmp_ui(by, 1, 1) <= 0 || mpq_sgn(a->low) <= 0)
            rc =
                err_set(err, ERR_RANGE, "%s: expected a factor above 1, and a range above 0", text);
        else
            rc = walk_values(a, by, true, err);
    } else {
        rc = read_number(a, text, unit, by, err);
        if (rc == 0 && mpq_sgn(by) <= 0)
            rc = err_set(err, ERR_RANGE, "%s: expected a step above 0", text);
        if (rc == 0)
            rc = walk_values(a, by, false, err);
    }
    return rc;
}

static int read_range(struct axis *a, char *text, const char *unit, struct err *err)
{
    char *high = strchr(text, ':'), *step;

    BUG_ON(!high);
    *high++ = '\0';
    step = strchr(high, ':');
    if (step)
        *step++ = '\0';
    if (!key_unit(&a->key))
        return err_set(err, ERR_FORMAT, "a range of words: list them");
    if (read_number(a, line_trim(text), unit, a->low, err) != 0 ||
        read_number(a, line_trim(high), unit, a->high, err) != 0)
        return -1;
    if (mpq_cmp(a->low, a->high) >= 0)
        return err_set(err, ERR_RANGE, "%s:%s: the range is empty", text, high);
    if (step)
        return read_step(a, line_trim(step), unit, err);
    a->open = true;
    return 0;
}

/* Cut the unit off the end of the values.  It is the unit of all values that have none. */
static void cut_unit(const struct axis *a, char *text, char unit[16])
{
    struct err ignored;
    size_t n = strlen(text), begin = n;
    char probe[32];

    *unit = '\0';
    while (begin && (plain_is_letter(text[begin - 1]) || strchr("/%", text[begin - 1])))
        begin--;
    if (!key_unit(&a->key) || begin == n || begin == 0 || n - begin >= 16)
        return;
    snprintf(probe, sizeof probe, "1 %s", text + begin);
    EXACT_Q(q);
    if (key_read(&a->key, probe, q, &ignored) == 0) {
        snprintf(unit, 16, "%s", text + begin);
        text[begin] = '\0';
    }
}

static int read_value(struct axis *a, const char *text, const char *unit, struct err *err)
{
    char whole[KEY_TEXT];
    int rc = key_unit(&a->key) ? 0 : key_check(&a->key, text, err);

    if (!*text)
        return err_set(err, ERR_FORMAT, "a value is missing");
    if (!key_unit(&a->key)) {
        if (rc == 0)
            add_value(a, text);
        return rc;
    }
    EXACT_Q(q);
    rc = read_number(a, text, unit, q, err);
    if (rc == 0) {
        char *end = whole;
        snprintf(whole, sizeof whole, "%.60s", text);
        end += strcspn(whole, " \tABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz%");
        if (*unit && !*line_trim(end))
            snprintf(whole, sizeof whole, "%.60s %s", text, unit);
        rc = key_check(&a->key, whole, err);
    }
    if (rc == 0)
        rc = add_number(a, q, err);
    return rc;
}

static int read_values(struct axis *a, char *text, struct err *err)
{
    char unit[16];

    cut_unit(a, text, unit);
    for (char *item = text, *next; item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        if (a->open)
            return err_set(err, ERR_FORMAT, "a range for samples stands alone");
        item = line_trim(item);
        bool range = strchr(item, ':') && (plain_is_digit(*item) || strchr("+-.", *item));
        if (range ? read_range(a, item, unit, err) : read_value(a, item, unit, err))
            return -1;
        if (a->open && (a->n || next))
            return err_set(err, ERR_FORMAT, "a range for samples stands alone");
    }
    return 0;
}

int axis_parse(struct axis *a, const char *text, const struct gen_workload *w, struct err *err)
{
    const char *eq = strchr(text, '=');

    *a = (struct axis){ 0 };
    mpq_inits(a->low, a->high, NULL);
    if (!eq)
        return err_set(err, ERR_FORMAT, "expected NAME=VALUES, such as mxu.count=1,2,4");
    char *name = memory_copy_part(text, (size_t)(eq - text)), *values = memory_copy(eq + 1);
    char *plain = line_trim(name);
    a->name = memory_copy(plain);
    free(name);
    int rc = key_find(&a->key, a->name, w, err);
    if (rc == 0 && read_values(a, line_trim(values), err) != 0)
        rc = err_at(err, "%s", a->name);
    free(values);
    return rc;
}

void axis_words(struct axis *a, const char *name, const char *const *word, size_t n)
{
    struct err ignored;

    *a = (struct axis){ .name = memory_copy(name) };
    mpq_inits(a->low, a->high, NULL);
    BUG_ON(key_find(&a->key, name, NULL, &ignored) != 0);
    for (size_t i = 0; i < n; i++)
        add_value(a, word[i]);
}

void axis_free(struct axis *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->value[i]);
    free(a->value);
    free(a->name);
    mpq_clears(a->low, a->high, NULL);
}
