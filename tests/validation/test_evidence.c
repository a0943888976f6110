/* The tables that replays take their evidence, their measured kinds of kernels and their errors to
 * expect from are what a whole validation gives.  After a change of predictions `make evidence`
 * writes them anew: read the difference. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/validate_report.h"
#include "run/result/account.h"
#include "run/result/evidence.h"
#include "study/validate/evidence_table.h"
#include "study/validate/validate_detail.h"
#include "tests/validation/check_bars.h"
#include "tests/validation/check_expected.h"
#include "traces/gen.h"

#define FOLDER "model/measured/"

static void hold_table(const char *stem, const struct validate_result *v,
                       void (*write)(const struct validate_result *v, FILE *out))
{
    const struct published_file *file = published_find(stem);
    struct memory_text text;

    memory_text_begin(&text);
    write(v, text.out);
    char *table = memory_text_end(&text), *path = memory_format(FOLDER "%s.csv", stem);
    if (getenv("UPDATE_EVIDENCE")) {
        FILE *f = fopen(path, "w");
        cr_assert(f && fputs(table, f) >= 0 && fclose(f) == 0, "%s", path);
    } else {
        cr_assert_not_null(file, "there is no %s", path);
        cr_expect(strcmp(table, file->text) == 0,
                  "%s is out of date (make evidence); now it would be\n%s", path, table);
    }
    free(table);
    free(path);
}

/* Write the report of `cyclotron validate --detail --format json` to VALIDATION_JSON, for `make
 * docs`.
 */
static void keep_json(const struct validate_result *v)
{
    const char *path = getenv("VALIDATION_JSON");
    struct validate_detail detail;
    struct err e;

    if (!path)
        return;
    char *unfinished = memory_format("%s.new", path);
    FILE *f = fopen(unfinished, "w");
    cr_assert_not_null(f, "%s", unfinished);
    cr_assert_eq(validate_detail_make(&detail, v, &e), 0, "%s", e.msg);
    report_validate_json(v, &detail, f);
    cr_assert(fclose(f) == 0 && rename(unfinished, path) == 0, "%s", path);
    validate_detail_free(&detail);
    free(unfinished);
}

Test(evidence, the_tables_are_those_of_a_whole_validation)
{
    struct validate_request q = { .generate = gen_write, .jobs = 2 };
    struct validate_result v;
    struct err e;

    cr_assert_eq(validate_run(&q, &v, &e), 0, "%s", e.msg);
    keep_json(&v);
    hold_table(EVIDENCE_STEM, &v, evidence_table_write);
    hold_table(ACCOUNT_STEM, &v, evidence_kinds_write);
    check_expected(&v);
    check_bars(&v);
    check_limits(&v);
    check_operations(&v);
    validate_result_free(&v);
}
