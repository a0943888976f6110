/* test_promises.c - does the library keep what docs/guide/library.md promises of threads, forks,
 * signals, the locale, allocators and versions?  The suite runs in a process with a decimal comma
 * too. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/cyclotron.h"

#define TINY "traces/tiny/tiny.trace"

static struct cyclotron_result *replay_tiny(void)
{
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    struct cyclotron_error e;
    struct cyclotron_machine *m = cyclotron_machine_load("tpu-v3-8", NULL, 0, &e);
    struct cyclotron_program *p = cyclotron_program_load(TINY, 0, &e);

    o.lanes = 1;
    cr_assert(m && p, "%s", e.message);
    struct cyclotron_result *r = cyclotron_replay(p, m, &o, &e);
    cr_assert(r != NULL, "%s", e.message);
    cyclotron_machine_free(m);
    cyclotron_program_free(p);
    return r;
}

/* 1.707 ms as the command prints it: 0 or 1 where the reader takes the point for the end */
Test(promises, numbers_have_a_point_in_any_locale)
{
    struct cyclotron_result *r = replay_tiny();
    double seconds = 0;

    cr_expect_eq(cyclotron_result_number(r, "seconds_per_step", &seconds, NULL), 0);
    cr_expect(seconds > 0.0017065 && seconds < 0.0017075, "%.9f", seconds);
    char *json = cyclotron_result_report(r, CYCLOTRON_JSON);
    cr_expect(strstr(json, "\"seconds_per_step\": 0.00170") != NULL);
    cyclotron_free(json);
    cyclotron_result_free(r);
}

/* The first object of a page's script: what it draws. */
Test(promises, a_page_holds_json_in_any_locale)
{
    struct cyclotron_result *r = replay_tiny();
    char *page = cyclotron_result_report(r, CYCLOTRON_HTML);
    const char *begin = strstr(page, "application/json");

    cr_assert(begin != NULL);
    for (; begin; begin = strstr(begin, "application/json")) {
        begin = strchr(begin, '>') + 1;
        const char *end = strstr(begin, "</script>");
        json_error_t why;
        json_t *all = json_loadb(begin, (size_t)(end - begin), 0, &why);
        cr_expect(all != NULL, "%d: %s", why.line, why.text);
        json_decref(all);
    }
    cyclotron_free(page);
    cyclotron_result_free(r);
}

Test(promises, conditions_of_a_plan_mean_the_same_in_any_locale)
{
    struct cyclotron_error e;
    struct cyclotron_plan *p = cyclotron_plan_parse(
        "mine",
        "[sweep]\ntrace = " TINY "\nmachine = tpu-v3-8\nwhere = hbm.efficiency >= 0.6\n"
        "[axis]\nhbm.efficiency = 0.5,0.625,0.75\n",
        &e);

    cr_assert(p != NULL, "%s", e.message);
    cr_assert_eq(cyclotron_plan_points(p), 2);
    cr_expect_str_eq(cyclotron_plan_value(p, 0, 0), "0.625");
    cr_expect_str_eq(cyclotron_plan_value(p, 1, 0), "0.75");
    cyclotron_plan_free(p);
}
