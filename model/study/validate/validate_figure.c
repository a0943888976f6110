#include "study/validate/validate_figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/units.h"

#define EPOCH_VALIDATED "epoch, validating "
#define RATE_VALIDATED "samples per second, validating "

/* Add the seconds of phases such as "a+b*", divided by the number behind a slash. */
static int sum_phases(mpq_t sum, const struct run_result *result, const char *names)
{
    char text[256], *rest;
    EXACT_Q(divisor);

    snprintf(text, sizeof text, "%s", names);
    char *slash = strchr(text, '/');
    mpq_set_ui(divisor, slash ? strtoul(slash + 1, NULL, 10) : 1, 1);
    if (slash)
        *slash = '\0';
    int missing = mpq_sgn(divisor) == 0;
    for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        bool found = false;
        char *star = strchr(name, '*'); /* all names that begin so */
        size_t n = star ? (size_t)(star - name) : strlen(name) + 1;
        for (size_t i = 0; i < result->n_phases; i++)
            if (strncmp(result->phases[i].name, name, n) == 0) {
                exact_sum(sum, result->phases[i].seconds);
                found = true;
            }
        missing |= !found;
    }
    if (!missing)
        mpq_div(sum, sum, divisor);
    return missing ? -1 : 0;
}

/* "a+b of c*": the quotient of two such sums. */
static int divide_phases(mpq_t q, const struct run_result *r, const char *names)
{
    char text[256];
    EXACT_Q(whole);

    snprintf(text, sizeof text, "%s", names);
    char *of = strstr(text, " of ");
    if (!of)
        return -1;
    *of = '\0';
    int rc =
        sum_phases(q, r, text) != 0 || sum_phases(whole, r, of + 4) != 0 || mpq_sgn(whole) == 0;
    if (rc == 0)
        mpq_div(q, q, whole);
    return rc ? -1 : 0;
}

static void sum_traffic(mpq_t q, const struct run_result *r)
{
    EXACT_Q(bytes);

    for (size_t i = 0; i < r->n_links; i++) {
        mpq_set_z(bytes, r->links[i].bytes);
        exact_sum(q, bytes);
    }
    mpq_set_ui(bytes, BYTES_PER_GB, 1);
    mpq_div(q, q, bytes);
}

/* "1/11 in fwd_*": what a training sample takes in an epoch over what it takes in a step, where for
 * 11 of them one is validated, which those phases do. */
static int sum_validated(mpq_t times, const char *text, const struct run_result *r)
{
    char *end;
    unsigned long part = strtoul(text, &end, 10);
    unsigned long whole = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    EXACT_Q(share);

    mpq_set_ui(times, 1, 1);
    if (!whole || strncmp(end, " in ", 4) != 0 || mpq_sgn(r->seconds_per_step) == 0 ||
        sum_phases(share, r, end + 4) != 0)
        return -1;
    mpq_div(share, share, r->seconds_per_step);
    mpq_set_ui(times, part, whole);
    mpq_canonicalize(times);
    mpq_mul(share, share, times);
    mpq_set_ui(times, 1, 1);
    exact_sum(times, share);
    return 0;
}

static int find_reported(mpq_t q, const char *name, const struct run_result *r)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, name) == 0 && r->figures[i].known) {
            mpq_set(q, r->figures[i].value);
            return 0;
        }
    return -1;
}

int validate_figure(mpq_t q, const char *name, const struct run_result *r)
{
    int rc = 0;
    EXACT_Q(times);

    mpq_set_ui(q, 0, 1);
    if (strncmp(name, EPOCH_VALIDATED, sizeof EPOCH_VALIDATED - 1) == 0 && r->has_epoch) {
        rc = sum_validated(times, name + sizeof EPOCH_VALIDATED - 1, r);
        mpq_mul(q, r->seconds_per_epoch, times);
    } else if (strncmp(name, RATE_VALIDATED, sizeof RATE_VALIDATED - 1) == 0) {
        rc = sum_validated(times, name + sizeof RATE_VALIDATED - 1, r);
        mpq_div(q, r->samples_per_second, times);
    } else if (strcmp(name, "step") == 0) {
        mpq_set(q, r->seconds_per_step);
    } else if (strcmp(name, "epoch") == 0 && r->has_epoch) {
        mpq_set(q, r->seconds_per_epoch);
    } else if (strcmp(name, "usd per epoch") == 0 && r->has_epoch && r->has_price) {
        mpq_set(q, r->usd_per_epoch);
    } else if (strcmp(name, "samples per second") == 0) {
        mpq_set(q, r->samples_per_second);
    } else if (strcmp(name, "sample") == 0) {
        mpq_inv(q, r->samples_per_second);
    } else if (strcmp(name, "traffic") == 0) {
        sum_traffic(q, r);
    } else if (strncmp(name, "phase ", 6) == 0) {
        rc = sum_phases(q, r, name + 6);
    } else if (strncmp(name, "share phase ", 12) == 0) {
        rc = divide_phases(q, r, name + 12);
    } else {
        rc = find_reported(q, name, r);
    }
    return rc;
}

const char *validate_figure_unit(const char *name)
{
    return strncmp(name, "samples per second", 18) == 0                                ? "1/s"
           : strcmp(name, "usd per epoch") == 0                                        ? "USD"
           : strcmp(name, "traffic") == 0                                              ? "GB"
           : strncmp(name, "share ", 6) == 0 || strncmp(name, "utilization.", 12) == 0 ? "ratio"
                                                                                       : "s";
}

void validate_scale(mpq_t q, const char *unit)
{
    unsigned long times = strcmp(unit, "ms") == 0   ? 1000
                          : strcmp(unit, "us") == 0 ? 1000000
                          : strcmp(unit, "%") == 0  ? 100
                                                    : 1;
    EXACT_Q(factor);

    mpq_set_ui(factor, times, 1);
    mpq_mul(q, q, factor);
}

/* Seconds of a cause per sample. */
static void divide_by_samples(mpq_t q, const struct run_result *r, int cause)
{
    EXACT_Q(samples);

    mpq_set_z(samples, r->samples_per_step);
    mpq_div(q, amounts_get(&r->cause, (unsigned)cause), samples);
}

static const char *find_growth(const struct run_result *r, const struct run_result *base)
{
    const char *name = "nothing";
    EXACT_Q(most);
    EXACT_Q(growth);
    EXACT_Q(before);

    for (int c = 0; c < N_CAUSES; c++) {
        divide_by_samples(growth, r, c);
        divide_by_samples(before, base, c);
        mpq_sub(growth, growth, before);
        if (mpq_cmp(growth, most) > 0) {
            mpq_set(most, growth);
            name = cause_name[c];
        }
    }
    return name;
}

const char *validate_word(const char *name, const struct run_result *r,
                          const struct run_result *base)
{
    if (strcmp(name, "bound by") == 0)
        return cause_name[r->bound_by];
    if (strcmp(name, "limited by") == 0)
        return cause_name[r->limited_by];
    if (strcmp(name, "grows most") == 0 && base)
        return find_growth(r, base);
    return NULL;
}
