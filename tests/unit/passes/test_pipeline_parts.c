/* Phases and padding of a step that is cut into stages. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "passes/shard/pipeline.h"
#include "trace/trace.h"

static const char net[] = "cyclotron-trace 1\n"
                          "samples step=8\n"
                          "tensor %w1 f32[6,4] weight\n"
                          "tensor %m1 f32[6,4] state\n"
                          "tensor %w2 f32[4,4] weight\n"
                          "step {\n"
                          "  phase fwd\n"
                          "  %x f32[8,6], %t f32[8,4] = infeed()\n"
                          "  %h f32[8,4] = matmul(%x, %w1)\n"
                          "  %y f32[8,4] = matmul(%h, %w2)\n"
                          "  %l f32[] = reduce(%y, %t) flops=32\n"
                          "  phase bwd\n"
                          "  %gy f32[8,4] gradient = elementwise(%y, %t) flops=64\n"
                          "  %dw2 f32[4,4] gradient = matmul(%h, %gy) ta=1\n"
                          "  %gh f32[8,4] gradient = matmul(%gy, %w2) tb=1\n"
                          "  %dw1 f32[6,4] gradient = matmul(%x, %gh) ta=1\n"
                          "  phase update\n"
                          "  optimizer(%w1, %dw1, %m1, %w2, %dw2) flops=80\n"
                          "  outfeed(%l)\n"
                          "}\n"
                          "step every=10 {\n"
                          "  restart(%w1, %m1, %w2)\n"
                          "}\n";

/* Two stages on two cores each, all forward passes first. */
static char *cut_in_two(const char *text, uint64_t microbatches)
{
    struct pipeline_plan plan = { 2, microbatches, 2, PIPELINE_GPIPE, 0 };
    struct trace *t;
    struct err err;
    char *got;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    cr_assert_eq(trace_open_memory(&t, "t", text, strlen(text), false, &err), 0, "%s", err.msg);
    cr_assert_eq(pipeline_write(t, &plan, out, &err), 0, "%s", err.msg);
    trace_close(t);
    fclose(out);
    return got;
}

static bool has_text(const char *text, const char *what)
{
    return strstr(text, what) != NULL;
}

Test(pipeline_parts, steps_between_the_others_keep_their_phases)
{
    const char *end = strstr(net, "  restart(");
    char *text =
        memory_format("%.*s  phase save\n  restart(%%w1, %%m1)\n  phase more\n  restart(%%w2)\n}\n",
                      (int)(end - net), net);
    char *got = cut_in_two(text, 2);

    cr_expect(has_text(got, "step every=10 {\n  phase save\n  restart(%w1, %m1)\n"
                            "  phase more\n  restart(%w2)\n}\n"),
              "%s", got);
    free(got);
    free(text);
}

/* The gradient of a bias is no product; it stands before one, whose sum is known by it. */
Test(pipeline_parts, a_sum_without_a_product_has_a_name)
{
    const char *head = strstr(net, "tensor %w1"), *product = strstr(net, "  %dw2");
    const char *end = strstr(net, "  outfeed");
    char *text = memory_format("cyclotron-trace 1\nsamples step=8\ntensor %%b f32[4] weight\n"
                               "%.*s  %%db f32[4] gradient = reduce(%%gy) flops=28\n"
                               "%.*s  optimizer(%%b, %%db) flops=8\n%s",
                               (int)(product - head), head, (int)(end - product), product, end);
    char *got = cut_in_two(text, 2);

    cr_expect(has_text(got, "  fusion %db:acc1 name=\"db\" stage=1 {\n"), "%s", got);
    cr_expect(has_text(got, "  fusion %dw2:acc1 stage=1 {\n"), "%s", got);
    free(got);
    free(text);
}

/* Rows of a micro-batch are a quarter, to the nearest; samples are of the step, and 5 rows are not
 * cut. */
Test(pipeline_parts, a_micro_batch_has_its_part_of_the_padded_rows)
{
    char *text = memory_format("cyclotron-trace 1\nsamples step=8\n"
                               "padding samples real=7 padded=8\n"
                               "padding nodes real=5002 padded=8000\n"
                               "padding edges real=5001 padded=8000\n"
                               "padding hits real=4 padded=5\n%s",
                               strstr(net, "tensor %w1"));
    char *got = cut_in_two(text, 4);

    cr_expect(has_text(got, "padding samples real=7 padded=8\n"), "%s", got);
    cr_expect(has_text(got, "padding nodes real=1251 padded=2000\n"));
    cr_expect(has_text(got, "padding edges real=1250 padded=2000\n"));
    cr_expect(has_text(got, "padding hits real=4 padded=5\n"));
    free(got);
    free(text);
}

/* Eight rows of values of the step's samples are a quarter's two; a table of weights is whole. */
Test(pipeline_parts, a_micro_batch_looks_up_in_its_part_of_the_samples_rows)
{
    const char *last = strstr(net, "  %l f32[]"), *feed = " = infeed()\n";
    char *text = memory_format("%.*s, %%i s32[8]%s  %%h f32[8,4] = matmul(%%x, %%w1)\n"
                               "  %%g f32[8,4] = gather(%%h, %%i) rows=8 cols=4 table-rows=8\n"
                               "  %%v f32[8,4] = gather(%%w2, %%i) rows=8 cols=4 table-rows=4\n"
                               "  %%y f32[8,4] = elementwise(%%g, %%v) flops=32\n%s",
                               (int)(strstr(net, feed) - net), net, feed, last);
    char *got = cut_in_two(text, 4);

    cr_expect(has_text(got, " rows=2 cols=4 table-rows=2\n"), "%s", got);
    cr_expect(has_text(got, " rows=2 cols=4 table-rows=4\n"), "%s", got);
    free(got);
    free(text);
}
