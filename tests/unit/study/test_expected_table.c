/* The table of errors to expect, from cases that were measured. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/validate/expected_table.h"

/* ceil(4/5 (n + 1)), of 19 and fewer the last one */
Test(expected_table, four_of_five_cases_count)
{
    cr_expect_eq(expected_rank(1), 1);
    cr_expect_eq(expected_rank(19), 19);
    cr_expect_eq(expected_rank(20), 17); /* 16.8 */
    cr_expect_eq(expected_rank(24), 20);
    cr_expect_eq(expected_rank(25), 21); /* 20.8 */
    cr_expect_eq(expected_rank(99), 80);
}

static struct expected_case case_of(const char *generation, const char *workload, enum run_way way,
                                    uint32_t permille)
{
    struct expected_case c = { .kind = "TPU", .way = way, .of = EXPECTED_STEPS };

    snprintf(c.generation, sizeof c.generation, "%s", generation);
    snprintf(c.workload, sizeof c.workload, "%s", workload);
    c.permille = permille;
    return c;
}

/* Lines of each generation first, then of all of them. */
Test(expected_table, a_line_for_each_generation_and_one_for_all)
{
    struct expected_case c[] = {
        case_of("v3", "3dgan", RUN_WAY_HAND, 31),      case_of("v3", "3dgan", RUN_WAY_HAND, 12),
        case_of("v4", "3dgan", RUN_WAY_HAND, 100),     case_of("v3", "mlpf", RUN_WAY_HAND, 7),
        case_of("v3", "3dgan", RUN_WAY_COMPILED, 250),
    };
    struct expected_cases all = { c, sizeof c / sizeof *c };
    struct expected_line *line;
    struct memory_text out;
    size_t n;

    expected_lines(&line, &n, &all);
    memory_text_begin(&out);
    expected_table_write(line, n, out.out);
    char *text = memory_text_end(&out);
    cr_expect(strstr(text, "\nkind,way,of,generation,workload,cases,error\n"
                           "TPU,by hand,steps,v3,3dgan,2,3.1\n"
                           "TPU,by hand,steps,v4,3dgan,1,10.0\n"
                           "TPU,by hand,steps,v3,mlpf,1,0.7\n"
                           "TPU,compiled,steps,v3,3dgan,1,25.0\n"
                           "TPU,by hand,steps,,3dgan,3,10.0\n"
                           "TPU,by hand,steps,,mlpf,1,0.7\n"
                           "TPU,compiled,steps,,3dgan,1,25.0\n"),
              "%s", text);
    free(text);
    free(line);
}
