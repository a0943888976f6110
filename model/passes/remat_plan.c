/* The words of a plan of rematerialisation. */
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "base/quantity.h"
#include "passes/remat.h"

static int read_segments(const char *text, struct remat_plan *plan, struct err *err)
{
    char *end;
    unsigned long n;

    if (strcmp(text, "phases") == 0) {
        plan->cut = REMAT_PHASES;
        return 0;
    }
    n = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (n < 1 || n > REMAT_MAX_SEGMENTS || *end)
        return err_set(err, ERR_RANGE,
                       "segments = '%.32s': expected phases or a whole number in [1, %d]", text,
                       REMAT_MAX_SEGMENTS);
    plan->cut = REMAT_PARTS;
    plan->segments = (uint32_t)n;
    return 0;
}

static int read_keep(const char *text, struct remat_plan *plan, struct err *err)
{
    plan->products = strcmp(text, "products") == 0;
    plan->choose = false;
    if (plan->products || strcmp(text, "none") == 0)
        return 0;
    return err_set(err, ERR_RANGE, "keep = '%.32s': expected none or products", text);
}

static int read_fit(const char *text, struct remat_plan *plan, struct err *err)
{
    mpq_t bytes;
    mpz_t whole;

    mpq_init(bytes);
    mpz_init(whole);
    int rc = quantity_parse(bytes, text, "B", err);
    if (rc != 0) {
        err_set(err, ERR_UNIT, "fit = '%.32s': expected bytes, such as \"16 GiB\"", text);
    } else {
        exact_round(whole, bytes);
        if (mpz_sgn(whole) <= 0 || mpz_cmp_ui(whole, INT64_MAX) > 0)
            rc = err_set(err, ERR_RANGE, "fit = %.32s: outside [1 B, 8 EiB)", text);
        else
            plan->fit = mpz_get_ui(whole);
    }
    mpz_clear(whole);
    mpq_clear(bytes);
    return rc;
}

static int read_word(const char *word, struct remat_plan *plan, struct err *err)
{
    static const char *const keys[] = { "segments", "keep", "fit" };
    static int (*const read[])(const char *, struct remat_plan *,
                               struct err *) = { read_segments, read_keep, read_fit };
    const char *eq = strchr(word, '='), *text = eq ? eq + 1 : "";
    size_t n = eq ? (size_t)(eq - word) : strlen(word);
    char key[32];

    snprintf(key, sizeof key, "%.*s", (int)(n < 31 ? n : 31), word);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return read[i](text, plan, err);
    const char *near = err_nearest(key, keys, sizeof keys / sizeof *keys);
    return err_set(err, ERR_UNKNOWN, "unknown parameter '%s'; %s%s%s", key,
                   near ? "did you mean '" : "there are segments, keep, fit", near ? near : "",
                   near ? "'?" : "");
}

int remat_plan_read(struct remat_plan *plan, const char *const *word, size_t n, struct err *err)
{
    *plan = (struct remat_plan){ .choose = true };
    if (param_once(word, n, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (read_word(word[i], plan, err) != 0)
            return -1;
    if (plan->fit && plan->cut != REMAT_BEST)
        return err_set(err, ERR_RANGE, "fit and segments: give one of them; fit= chooses segments");
    return 0;
}
