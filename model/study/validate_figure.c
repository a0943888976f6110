#include "study/validate_figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The seconds of phases such as "a+b*", a slash and what divides their sum. */
static int sum_phases(mpq_t sum, const struct run_result *result, const char *names)
{
    char text[256], *rest;
    mpq_t divisor;

    snprintf(text, sizeof text, "%s", names);
    char *slash = strchr(text, '/');
    mpq_init(divisor);
    mpq_set_ui(divisor, slash ? strtoul(slash + 1, NULL, 10) : 1, 1);
    if (slash)
        *slash = '\0';
    int missing = mpq_sgn(divisor) == 0;
    for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        bool found = false;
        char *star = strchr(name, '*'); /* all that begin so */
        size_t n = star ? (size_t)(star - name) : strlen(name) + 1;
        for (size_t i = 0; i < result->n_phases; i++)
            if (strncmp(result->phases[i].name, name, n) == 0) {
                mpq_add(sum, sum, result->phases[i].seconds);
                found = true;
            }
        missing |= !found;
    }
    if (!missing)
        mpq_div(sum, sum, divisor);
    mpq_clear(divisor);
    return missing ? -1 : 0;
}

/* "a+b of c*" */
static int divide_phases(mpq_t q, const struct run_result *r, const char *names)
{
    char text[256];
    mpq_t whole;

    snprintf(text, sizeof text, "%s", names);
    char *of = strstr(text, " of ");
    if (!of)
        return -1;
    *of = '\0';
    mpq_init(whole);
    int rc =
        sum_phases(q, r, text) != 0 || sum_phases(whole, r, of + 4) != 0 || mpq_sgn(whole) == 0;
    if (rc == 0)
        mpq_div(q, q, whole);
    mpq_clear(whole);
    return rc ? -1 : 0;
}

static void sum_traffic(mpq_t q, const struct run_result *r)
{
    mpq_t bytes;

    mpq_init(bytes);
    for (size_t i = 0; i < r->n_links; i++) {
        mpq_set_z(bytes, r->links[i].bytes);
        mpq_add(q, q, bytes);
    }
    mpq_set_ui(bytes, 1000000000, 1);
    mpq_div(q, q, bytes);
    mpq_clear(bytes);
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

    mpq_set_ui(q, 0, 1);
    if (strcmp(name, "step") == 0) {
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
    return strcmp(name, "samples per second") == 0                                     ? "1/s"
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
    mpq_t factor;

    mpq_init(factor);
    mpq_set_ui(factor, times, 1);
    mpq_mul(q, q, factor);
    mpq_clear(factor);
}

/* Seconds of a cause in a sample; of nothing, 0. */
static void divide_by_samples(mpq_t q, const struct run_result *r, int cause)
{
    mpq_t samples;

    mpq_init(samples);
    mpq_set_z(samples, r->samples_per_step);
    mpq_div(q, r->cause[cause], samples);
    mpq_clear(samples);
}

static const char *find_growth(const struct run_result *r, const struct run_result *base)
{
    const char *name = "nothing";
    mpq_t most, growth, before;

    mpq_inits(most, growth, before, NULL);
    for (int c = 0; c < N_CAUSES; c++) {
        divide_by_samples(growth, r, c);
        divide_by_samples(before, base, c);
        mpq_sub(growth, growth, before);
        if (mpq_cmp(growth, most) > 0) {
            mpq_set(most, growth);
            name = cause_name[c];
        }
    }
    mpq_clears(most, growth, before, NULL);
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
