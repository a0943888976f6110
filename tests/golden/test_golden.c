/* The whole report of a tiny trace, byte for byte: does a change show where it was meant to?
 *
 * The expected files are read by eye when they change (the timing suite holds the figures worked
 * out by hand); `UPDATE_GOLDEN=1 make unit-tests` writes them anew. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "report/run_report.h"
#include "run/result/result.h"

static char *read_whole(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    cr_assert_not_null(f, "%s: no such file", path);
    cr_assert_geq(getdelim(&text, &size, '\0', f), 0);
    fclose(f);
    return text;
}

static void check_result(const char *machine, void (*report)(const struct run_result *r, FILE *out),
                         const char *expected)
{
    struct run_result r;
    struct err e;
    struct run_request q = { .trace = "traces/tiny/tiny.trace", .machine = machine, .steps = 2 };
    char *text = NULL;
    size_t size = 0;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    FILE *f = open_memstream(&text, &size);
    report(&r, f);
    fclose(f);
    run_result_free(&r);
    if (getenv("UPDATE_GOLDEN")) {
        f = fopen(expected, "w");
        cr_assert_not_null(f);
        fputs(text, f);
        fclose(f);
    }
    char *want = read_whole(expected);
    cr_expect_str_eq(text, want, "%s differs", expected);
    free(want);
    free(text);
}

Test(golden, json_of_a_v2_slice)
{
    check_result("tpu-v2-8", report_json, "tests/golden/tiny.tpu-v2-8.json");
}

Test(golden, json_of_one_v3_core)
{
    check_result("tpu-v3-1", report_json, "tests/golden/tiny.tpu-v3-1.json");
}

Test(golden, text_of_a_v3_slice)
{
    check_result("tpu-v3-32", report_text, "tests/golden/tiny.tpu-v3-32.txt");
}

Test(golden, csv_of_a_v2_slice)
{
    check_result("tpu-v2-32", report_csv, "tests/golden/tiny.tpu-v2-32.csv");
}
