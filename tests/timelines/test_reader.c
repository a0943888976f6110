/* The checker of dumps must be able to say no, and count right. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "vcd_reader.h"

#define HEAD                                                                                       \
    "$timescale 1 fs $end\n$scope module m $end\n$var wire 1 ! c $end\n"                           \
    "$var wire 4 \" s [3:0] $end\n$upscope $end\n$enddefinitions $end\n"
#define FIRST "#0\n$dumpvars\n0!\nb0 \"\n$end\n"

static void expect_refusal(const char *text, const char *why)
{
    struct vcd_file f;

    cr_assert_not(vcd_file_read(&f, text), "taken: %s", text);
    cr_assert_not_null(strstr(f.error, why), "\"%s\" is not \"%s\"", f.error, why);
    vcd_file_free(&f);
}

Test(reader, refuses_what_is_no_dump)
{
    expect_refusal("", "no $enddefinitions");
    expect_refusal("$enddefinitions $end\n", "no $timescale");
    expect_refusal("$timescale 2 fs $end\n", "no timescale");
    expect_refusal("$timescale 1 fs $end\n$scope module m $end\n$enddefinitions $end\n",
                   "left open");
    expect_refusal("$timescale 1 fs $end\n$upscope $end\n", "more scopes closed");
    expect_refusal("$timescale 1 fs $end\n$var bus 1 ! c $end\n", "no kind of variable");
    expect_refusal("$timescale 1 fs $end\n$var wire 0 ! c $end\n", "no width");
    expect_refusal("$timescale 1 fs $end\n$var wire 4 ! c [7:0] $end\n", "is not 4 bits");
    expect_refusal("$timescale 1 fs $end\n$var wire 1 ! 3c $end\n", "no identifier");
    expect_refusal("$timescale 1 fs $end\n$var wire 1 ! c $end\n$var wire 1 \" c $end\n",
                   "declared twice");
    expect_refusal("$timescale 1 fs $end\n$var wire 1 ! c $end\n$var wire 2 ! d $end\n",
                   "two widths");
    expect_refusal(HEAD "1!\n", "before the first time");
    expect_refusal(HEAD "#0\n$dumpvars\n0!\n$end\n", "no first value");
    expect_refusal(HEAD FIRST "#5\n1!\n#5\n", "time goes back");
    expect_refusal(HEAD FIRST "#5\n1!\n#4\n", "time goes back");
    expect_refusal(HEAD FIRST "#5\n1#\n", "no variable has code");
    expect_refusal(HEAD FIRST "#5\nb10000 \"\n", "5 digits for 4 bits");
    expect_refusal(HEAD FIRST "#5\nb2 \"\n", "no digit");
    expect_refusal(HEAD FIRST "#5\nb1\n", "without a code");
    expect_refusal(HEAD FIRST "#5\n1\"\n", "a bit for a vector");
    expect_refusal(HEAD FIRST "#x\n", "no time");
}

/* Edges at 0, 10, 20, 30; s is 3 in [5, 20) and from 25 on, to 35. */
Test(reader, counts_times_and_edges)
{
    struct vcd_file f;

    cr_assert(vcd_file_read(&f, HEAD FIRST "1!\n#5\n0!\nb11 \"\n#10\n1!\n#15\n0!\n#20\n1!\nb0 \"\n"
                                           "#25\n0!\nb11 \"\n#30\n1!\n#35\n0!\n"),
              "%s", f.error);
    int c = vcd_file_code(&f, "m.c"), s = vcd_file_code(&f, "m.s");
    cr_assert_eq(f.n_first, 2);
    cr_assert_eq(f.n_changes, 13);
    cr_assert_eq(vcd_file_time(&f, s, 3, -1), 25);
    cr_assert_eq(vcd_file_time(&f, s, 0, -1), 10);
    cr_assert_eq(vcd_file_time(&f, s, 3, c), 2, "edges at 10 and 30");
    cr_assert_eq(vcd_file_time(&f, s, 0, c), 2, "edges at 0 and 20");
    cr_assert_eq(vcd_file_last(&f, s), 3);
    cr_assert_eq(vcd_file_code(&f, "m.x"), -1);
    vcd_file_free(&f);
}
