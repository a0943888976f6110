/* The tables that replays take their evidence and their errors to expect from are what a whole
 * validation gives.  After a change of predictions `make evidence` writes them anew: read the
 * difference. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/evidence.h"
#include "study/evidence_table.h"
#include "tests/validation/check_expected.h"
#include "traces/gen.h"

#define TABLE "tests/validation/evidence.csv"

Test(evidence, the_tables_are_those_of_a_whole_validation)
{
    struct validate_request q = { .generate = gen_write, .jobs = 2 };
    struct validate_result v;
    struct memory_text text;
    struct err e;

    cr_assert_eq(validate_run(&q, &v, &e), 0, "%s", e.msg);
    memory_text_begin(&text);
    evidence_table_write(&v, text.out);
    char *table = memory_text_end(&text);
    check_expected(&v);
    validate_result_free(&v);
    if (getenv("UPDATE_EVIDENCE")) {
        FILE *f = fopen(TABLE, "w");
        cr_assert(f && fputs(table, f) >= 0 && fclose(f) == 0, TABLE);
    } else {
        cr_assert_not_null(evidence_table(), "there is no " TABLE);
        cr_expect(strcmp(table, evidence_table()->text) == 0,
                  TABLE " is out of date (make evidence); now it would be\n%s", table);
    }
    free(table);
}
