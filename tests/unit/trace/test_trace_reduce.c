/* Reductions that say what they sum over, and functions that stand for several operations. */
#include "tests/unit/trace/trace_helper.h"

#define HEAD                                                                                       \
    "cyclotron-trace 1\nsamples step=1\ndtype tensors=f32 matmul=bf16 activations=keep\n"          \
    "tensor %x f32[8,8,1,4] input\nstep {\n  "

static struct err read_failure(const char *line)
{
    char text[512];
    struct err err = { 0 };

    snprintf(text, sizeof text, "%s%s\n}\n", HEAD, line);
    cr_assert_eq(read_all(text, strlen(text), false, &err), -1, "%s", line);
    return err;
}

static void expect_reads(const char *line, const char *printed)
{
    char text[512], want[512];

    snprintf(text, sizeof text, "%s%s\n}\n", HEAD, line);
    snprintf(want, sizeof want, "%s%s\n}\n", HEAD, printed);
    char *got = print_canonical(text);
    cr_expect_str_eq(got, want, "%s", got);
    free(got);
}

Test(trace_reduce, dimensions_are_read_and_printed_from_the_lowest)
{
    char text[] = HEAD "%y f32[8] = reduce(%x) dims=3+0\n}\n";
    struct trace *t = open_text(text, false);

    cr_expect_eq(next_op(t).over, 9);
    trace_close(t);
    expect_reads("%y f32[8] = reduce(%x) dims=3+0", "%y f32[8] = reduce(%x) dims=0+3");
    /* what has one element may stand or be left out */
    expect_reads("%y f32[8,1,1] = reduce(%x) dims=1+3", "%y f32[8,1,1] = reduce(%x) dims=1+3");
    expect_reads("%y f32[8,8,4] = reduce(%x) dims=2", "%y f32[8,8,4] = reduce(%x) dims=2");
    expect_reads("%y f32[], %z f32[1,1] = reduce(%x) fn=exponential dims=0+1+2+3 flops=9",
                 "%y f32[], %z f32[1,1] = reduce(%x) fn=exponential dims=0+1+2+3 flops=9");
}

Test(trace_reduce, a_function_may_stand_for_several_operations)
{
    expect_reads("%y f32[4] = elementwise(%x) flops=80 fn-flops=20 fn=power",
                 "%y f32[4] = elementwise(%x) fn=power fn-flops=20 flops=80");
    expect_reads("%y f32[4] = elementwise(%x) einsums=2 passes=3",
                 "%y f32[4] = elementwise(%x) passes=3 einsums=2");
    expect_reads("%y f32[4] = elementwise(%x) passes=1 einsums=0", "%y f32[4] = elementwise(%x)");
    cr_expect_str_eq(read_failure("%y f32[4] = elementwise(%x) passes=2 einsums=3").msg,
                     "t:6:15: einsums=3 are more than passes=2");
    cr_expect_str_eq(read_failure("%y f32[4] = elementwise(%x) passes=1001").msg,
                     "t:6:38: passes = 1001: outside [1, 1000]");
    expect_reads("%y f32[4] = elementwise(%x) fn=tanh fn-flops=1",
                 "%y f32[4] = elementwise(%x) fn=tanh");
    cr_expect_str_eq(read_failure("%y f32[4] = elementwise(%x) fn=tanh fn-flops=0").msg,
                     "t:6:48: fn-flops = 0: outside [1, 9223372036854775807]");
}

Test(trace_reduce, what_is_no_set_of_dimensions_is_refused)
{
    static const struct {
        const char *line, *msg;
    } rows[] = {
        { "%y f32[8] = reduce(%x) dims=4",
          "t:6:15: dims= of 'reduce' names a dimension that %x f32[8,8,1,4] has not" },
        { "%y f32[8,8] = reduce(%x) dims=0",
          "t:6:3: 'reduce' of %x f32[8,8,1,4] gives f32[8,8], expected its dimensions without "
          "those of dims=" },
        { "%y f32[8,4] = reduce(%x) dims=0+1",
          "t:6:3: 'reduce' of %x f32[8,8,1,4] gives f32[8,4], expected its dimensions without "
          "those of dims=" },
        { "%y f32[8] = reduce(%x) dims=3+3", "t:6:33: dims = 3+3: 3 stands there twice" },
        { "%y f32[8] = reduce(%x) dims=8",
          "t:6:31: dims = 8: expected a dimension from 0 to 7, or several such as 0+2" },
        { "%y f32[8] = reduce(%x) dims=0+",
          "t:6:33: dims = 0+: expected a dimension from 0 to 7, or several such as 0+2" },
        { "%y f32[8] = reduce(%x) dims=10",
          "t:6:31: dims = 10: expected a dimension from 0 to 7, or several such as 0+2" },
        { "%y f32[8] = copy(%x) dims=0", "t:6:24: 'copy' takes no attribute 'dims'" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = read_failure(rows[i].line);
        cr_expect_str_eq(err.msg, rows[i].msg, "%s", err.msg);
    }
}
