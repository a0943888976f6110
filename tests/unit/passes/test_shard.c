#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "passes/shard/shard.h"
#include "trace/trace.h"

/* Is a step cut as one would by hand?  Every expected trace was worked out on paper. */

static int cut_step(const char *text, struct shard_plan plan, char **result, struct err *err)
{
    struct trace *t;
    size_t size;
    FILE *out = open_memstream(result, &size);

    cr_assert_not_null(out);
    int rc = trace_open_memory(&t, "t", text, strlen(text), false, err);
    if (rc == 0)
        rc = shard_write(t, &plan, out, err);
    trace_close(t);
    fclose(out);
    return rc;
}

static void expect_result(const char *text, struct shard_plan plan, const char *want)
{
    struct err err;
    char *got;

    cr_assert_eq(cut_step(text, plan, &got, &err), 0, "%s", err.msg);
    cr_expect_str_eq(got, want);
    free(got);
}

static void expect_refusal(const char *text, struct shard_plan plan, const char *why)
{
    struct err err;
    char *got;

    cr_assert_eq(cut_step(text, plan, &got, &err), -1);
    cr_expect_not_null(strstr(err.msg, why), "%s", err.msg);
    free(got);
}

/* A net of two layers and an output of 5, which two cores cannot part. */
static const char net[] = "cyclotron-trace 1\n"
                          "tensor %w1 f32[6,4] weight\n"
                          "tensor %b1 f32[4] weight\n"
                          "tensor %m1 f32[6,4] state\n"
                          "tensor %w2 f32[4,6] weight\n"
                          "tensor %b2 f32[6] weight\n"
                          "tensor %w3 f32[6,5] weight\n"
                          "step {\n"
                          "  %x f32[8,6] = infeed()\n"
                          "  fusion %h {\n"
                          "    %z f32[8,4] = matmul(%x, %w1) bias=%b1\n"
                          "    %h f32[8,4] = elementwise(%z) flops=32\n"
                          "  }\n"
                          "  fusion %y, %s name=\"second\" {\n"
                          "    %v f32[8,6] = matmul(%h, %w2) bias=%b2\n"
                          "    %y f32[8,6] = elementwise(%v) flops=48\n"
                          "    %s f32[] = reduce(%y) flops=48\n"
                          "  }\n"
                          "  %o f32[8,5] = matmul(%y, %w3)\n"
                          "  %dy f32[8,6] gradient = matmul(%o, %w3) tb=1\n"
                          "  %dw3 f32[6,5] gradient = matmul(%y, %o) ta=1\n"
                          "  %dw2 f32[4,6] gradient = matmul(%h, %dy) ta=1\n"
                          "  %dh f32[8,4] gradient = matmul(%dy, %w2) tb=1\n"
                          "  %dw1 f32[6,4] gradient = matmul(%x, %dh) ta=1\n"
                          "  all-reduce(%dw1, %dw2, %dw3) name=\"gradients\"\n"
                          "  optimizer(%w1, %dw1, %m1) flops=240\n"
                          "  outfeed(%s)\n"
                          "}\n";

/* w1 is cut by columns, w2 by rows; the sum of the second product is needed before the activation,
 * so the fusion is parted there.  The gradient of h is whole in columns of w2's rows.  Weights cut
 * or alike, their gradients are those of one batch: they are reduced over the four groups. */
Test(shard, the_weights_of_a_net_are_cut_by_columns_then_rows)
{
    expect_result(net, (struct shard_plan){ .data = 4, .model = 2, .edges = 1 },
                  "cyclotron-trace 1\n"
                  "samples step=1 shared=2 cores=8\n"
                  "dtype tensors=f32 matmul=bf16 activations=keep\n"
                  "provenance \"cut: data=4 model=2\"\n"
                  "tensor %w1 f32[6,2] weight\n"
                  "tensor %b1 f32[2] weight\n"
                  "tensor %m1 f32[6,2] state\n"
                  "tensor %w2 f32[2,6] weight\n"
                  "tensor %b2 f32[6] weight\n"
                  "tensor %w3 f32[6,5] weight\n"
                  "step {\n"
                  "  %x f32[8,6] = infeed()\n"
                  "  fusion %h {\n"
                  "    %z f32[8,2] = matmul(%x, %w1) bias=%b1\n"
                  "    %h f32[8,2] = elementwise(%z) flops=16\n"
                  "  }\n"
                  "  %v f32[8,6] = matmul(%h, %w2) bias=%b2\n"
                  "  all-reduce(%v) name=\"v.sum\" group=2\n"
                  "  fusion %y, %s {\n"
                  "    %y f32[8,6] = elementwise(%v) flops=48\n"
                  "    %s f32[] = reduce(%y) flops=48\n"
                  "  }\n"
                  "  %o f32[8,5] = matmul(%y, %w3)\n"
                  "  %dy f32[8,6] gradient = matmul(%o, %w3) tb=1\n"
                  "  %dw3 f32[6,5] gradient = matmul(%y, %o) ta=1\n"
                  "  %dw2 f32[2,6] gradient = matmul(%h, %dy) ta=1\n"
                  "  %dh f32[8,2] gradient = matmul(%dy, %w2) tb=1\n"
                  "  %dw1 f32[6,2] gradient = matmul(%x, %dh) ta=1\n"
                  "  all-reduce(%dw1, %dw2, %dw3) name=\"gradients\" group=4 group-stride=2\n"
                  "  optimizer(%w1, %dw1, %m1) flops=120\n"
                  "  outfeed(%s)\n"
                  "}\n");
}

/* A graph of 6 nodes and 2 * 12 edges. */
static const char graph[] =
    "cyclotron-trace 1\n"
    "param edges=12\n"
    "param graphs=2\n"
    "tensor %w f32[4,4] weight\n"
    "step {\n"
    "  %n f32[6,4], %e f32[24,4], %from s32[24], %to s32[24] = infeed()\n"
    "  %g f32[24,4] = gather(%n, %from) rows=24 cols=4 table-rows=6\n"
    "  fusion %f, %h {\n"
    "    %f f32[24,8] = copy(%e, %g)\n"
    "    %k f32[24,4] = copy(%f)\n"
    "    %h f32[24,4] = matmul(%k, %w)\n"
    "  }\n"
    "  %sum f32[6,4] = scatter(%h, %to) rows=24 cols=4 table-rows=6 flops=96\n"
    "  %v f32[6,4] = elementwise(%sum, %n) flops=24\n"
    "  %dw f32[4,4] gradient = matmul(%h, %e) ta=1\n"
    "  %du f32[4,4] gradient = matmul(%v, %n) ta=1\n"
    "  %d f32[4,4] gradient = elementwise(%dw, %du) flops=16\n"
    "  all-reduce(%d)\n"
    "  optimizer(%w, %d) flops=32\n"
    "  %l f32[] = reduce(%h) flops=96\n"
    "  %m f32[] = reduce(%v, %l) flops=24\n"
    "  outfeed(%m)\n"
    "}\n";

/* Tensors with a row for each edge are cut.  Sums in nodes are added up at once; the gradient of
 * the weights and the loss stay summands until the end, whatever is added to them. */
Test(shard, the_edges_of_a_graph_are_cut_and_its_nodes_are_not)
{
    expect_result(graph, (struct shard_plan){ .data = 1, .model = 1, .edges = 4 },
                  "cyclotron-trace 1\n"
                  "samples step=1 shared=4 cores=4\n"
                  "dtype tensors=f32 matmul=bf16 activations=keep\n"
                  "param edges=12\n"
                  "param graphs=2\n"
                  "provenance \"cut: data=1 edges=4\"\n"
                  "tensor %w f32[4,4] weight\n"
                  "step {\n"
                  "  %n f32[6,4], %e f32[6,4], %from s32[6], %to s32[6] = infeed()\n"
                  "  %g f32[6,4] = gather(%n, %from) rows=6 cols=4 table-rows=6\n"
                  "  fusion %f, %h {\n"
                  "    %f f32[6,8] = copy(%e, %g)\n"
                  "    %k f32[6,4] = copy(%f)\n"
                  "    %h f32[6,4] = matmul(%k, %w)\n"
                  "  }\n"
                  "  %sum f32[6,4] = scatter(%h, %to) rows=6 cols=4 table-rows=6 flops=24\n"
                  "  all-reduce(%sum) name=\"sum.sum\" group=4\n"
                  "  %v f32[6,4] = elementwise(%sum, %n) flops=24\n"
                  "  %dw f32[4,4] gradient = matmul(%h, %e) ta=1\n"
                  "  %du f32[4,4] gradient = matmul(%v, %n) ta=1\n"
                  "  %d f32[4,4] gradient = elementwise(%dw, %du) flops=16\n"
                  "  all-reduce(%d)\n"
                  "  optimizer(%w, %d) flops=32\n"
                  "  %l f32[] = reduce(%h) flops=24\n"
                  "  %m f32[] = reduce(%v, %l) flops=24\n"
                  "  all-reduce(%m) name=\"m.sum\" group=4\n"
                  "  outfeed(%m)\n"
                  "}\n");
}

Test(shard, groups_of_a_cut_graph_reduce_weights_over_all)
{
    struct err err;
    char *got;

    cr_assert_eq(
        cut_step(graph, (struct shard_plan){ .data = 2, .model = 1, .edges = 4 }, &got, &err), 0);
    cr_expect_not_null(strstr(got, "\nsamples step=1 shared=4 cores=8\n"));
    cr_expect_not_null(strstr(got, "\n  all-reduce(%d)\n"));
    cr_expect_not_null(strstr(got, "\n  all-reduce(%sum) name=\"sum.sum\" group=4\n"));
    free(got);
}

/* A convolution of 4 channels into 4, then into 2; images of 8 by 8, windows of 3 by 3.  The first
 * is cut by outputs, the second by channels. */
Test(shard, convolutions_are_cut_like_products)
{
    expect_result("cyclotron-trace 1\n"
                  "tensor %w f32[4,4,3,3] weight\n"
                  "tensor %u f32[2,4,3,3] weight\n"
                  "step {\n"
                  "  %x f32[16,4,8,8] = infeed()\n"
                  "  %y f32[16,4,6,6] = conv(%x, %w) size=3x3\n"
                  "  %z f32[16,2,4,4] = conv(%y, %u) size=3x3\n"
                  "  %du f32[2,4,3,3] gradient = conv-wgrad(%y, %z) size=3x3\n"
                  "  %dy f32[16,4,6,6] gradient = conv-dgrad(%z, %u) size=3x3\n"
                  "  %dw f32[4,4,3,3] gradient = conv-wgrad(%x, %dy) size=3x3\n"
                  "  %dx f32[16,4,8,8] gradient = conv-dgrad(%dy, %w) size=3x3\n"
                  "  optimizer(%w, %dw, %u, %du)\n"
                  "  outfeed(%dx)\n"
                  "}\n",
                  (struct shard_plan){ .data = 1, .model = 2, .edges = 1 },
                  "cyclotron-trace 1\n"
                  "samples step=1 shared=2 cores=2\n"
                  "dtype tensors=f32 matmul=bf16 activations=keep\n"
                  "provenance \"cut: data=1 model=2\"\n"
                  "tensor %w f32[2,4,3,3] weight\n"
                  "tensor %u f32[2,2,3,3] weight\n"
                  "step {\n"
                  "  %x f32[16,4,8,8] = infeed()\n"
                  "  %y f32[16,2,6,6] = conv(%x, %w) size=3x3\n"
                  "  %z f32[16,2,4,4] = conv(%y, %u) size=3x3\n"
                  "  all-reduce(%z) name=\"z.sum\" group=2\n"
                  "  %du f32[2,2,3,3] gradient = conv-wgrad(%y, %z) size=3x3\n"
                  "  %dy f32[16,2,6,6] gradient = conv-dgrad(%z, %u) size=3x3\n"
                  "  %dw f32[2,4,3,3] gradient = conv-wgrad(%x, %dy) size=3x3\n"
                  "  %dx f32[16,4,8,8] gradient = conv-dgrad(%dy, %w) size=3x3\n"
                  "  optimizer(%w, %dw, %u, %du)\n"
                  "  all-reduce(%dx) name=\"dx.sum\" group=2\n"
                  "  outfeed(%dx)\n"
                  "}\n");
}

/* A sort wants all of its keys. */
Test(shard, what_cannot_be_cut_is_gathered_first)
{
    expect_result("cyclotron-trace 1\n"
                  "tensor %w f32[4,6] weight\n"
                  "step {\n"
                  "  %x f32[8,4] = infeed()\n"
                  "  fusion %y {\n"
                  "    %z f32[8,6] = matmul(%x, %w)\n"
                  "    %y f32[8,6] = elementwise(%z)\n"
                  "  }\n"
                  "  %s f32[8,6] = sort(%y)\n"
                  "  outfeed(%s)\n"
                  "}\n",
                  (struct shard_plan){ .data = 1, .model = 2, .edges = 1 },
                  "cyclotron-trace 1\n"
                  "samples step=1 shared=2 cores=2\n"
                  "dtype tensors=f32 matmul=bf16 activations=keep\n"
                  "provenance \"cut: data=1 model=2\"\n"
                  "tensor %w f32[4,3] weight\n"
                  "step {\n"
                  "  %x f32[8,4] = infeed()\n"
                  "  fusion %y {\n"
                  "    %z f32[8,3] = matmul(%x, %w)\n"
                  "    %y f32[8,3] = elementwise(%z)\n"
                  "  }\n"
                  "  %y.all3_0 f32[8,6] = all-gather(%y) name=\"y.all\" group=2\n"
                  "  %s f32[8,6] = sort(%y.all3_0)\n"
                  "  outfeed(%s)\n"
                  "}\n");
}

Test(shard, data_alone_changes_the_number_of_cores)
{
    struct err err;
    char *got;

    cr_assert_eq(
        cut_step(net, (struct shard_plan){ .data = 4, .model = 1, .edges = 1 }, &got, &err), 0);
    cr_expect_not_null(strstr(got, "\nsamples step=1 cores=4\n"));
    cr_expect_not_null(strstr(got, "  %z f32[8,4] = matmul(%x, %w1) bias=%b1\n"));
    cr_expect_null(strstr(got, ".sum"));
    free(got);
}

Test(shard, cores_that_train_apart_reduce_nothing)
{
    expect_result("cyclotron-trace 1\n"
                  "samples step=4 epoch=40\n"
                  "tensor %w f32[4,4] weight\n"
                  "step {\n"
                  "  %x f32[4,4], %y f32[4,4] = infeed()\n"
                  "  %h u32[] = all-reduce-start(%x)\n"
                  "  all-reduce(%y)\n"
                  "  %z f32[4,4] = all-reduce-done(%h)\n"
                  "  optimizer(%w, %z)\n"
                  "}\n",
                  (struct shard_plan){ .data = 1, .model = 1, .edges = 1, .apart = true },
                  "cyclotron-trace 1\n"
                  "samples step=4 epoch=40\n"
                  "dtype tensors=f32 matmul=bf16 activations=keep\n"
                  "provenance \"cut: data=1 model=1\"\n"
                  "tensor %w f32[4,4] weight\n"
                  "step {\n"
                  "  %x f32[4,4], %y f32[4,4] = infeed()\n"
                  "  optimizer(%w, %x)\n"
                  "}\n");
}

/* w 2 x 3, its state and two gradients of it make 96 bytes, of which 24 come back. */
Test(shard, a_parameter_server_updates_once_for_all)
{
    expect_result("cyclotron-trace 1\n"
                  "tensor %w f32[2,3] weight\n"
                  "tensor %m f32[2,3] state\n"
                  "tensor %mean f32[3] state\n"
                  "step {\n"
                  "  %x f32[4,2] = infeed()\n"
                  "  %y f32[4,3] = matmul(%x, %w)\n"
                  "  %s f32[3] = reduce(%y)\n"
                  "  optimizer(%mean, %s)\n"
                  "  %g f32[2,3] gradient = matmul(%x, %y) ta=1\n"
                  "  %k f32[2,3] gradient = elementwise(%g)\n"
                  "  all-reduce(%g, %k)\n"
                  "  optimizer(%w, %g, %m)\n"
                  "  optimizer(%w, %k)\n"
                  "  outfeed(%y)\n"
                  "}\n",
                  (struct shard_plan){ .data = 1, .model = 1, .edges = 1, .server = true },
                  "cyclotron-trace 1\n"
                  "samples step=1\n"
                  "dtype tensors=f32 matmul=bf16 activations=keep\n"
                  "provenance \"parameter server\"\n"
                  "tensor %w f32[2,3] weight\n"
                  "tensor %mean f32[3] state\n"
                  "step {\n"
                  "  %x f32[4,2] = infeed()\n"
                  "  %y f32[4,3] = matmul(%x, %w)\n"
                  "  %s f32[3] = reduce(%y)\n"
                  "  optimizer(%mean, %s)\n"
                  "  %g f32[2,3] gradient = matmul(%x, %y) ta=1\n"
                  "  %k f32[2,3] gradient = elementwise(%g)\n"
                  "  host(%g, %k) name=\"server.update\" bytes=96 byte-time=\"0.1 ns\" threads=8 "
                  "client=1 writes=24\n"
                  "  outfeed(%y)\n"
                  "}\n");
}

/* 16 bytes of a weight and its gradient in the first step, and twice in the loop of the second. */
Test(shard, a_server_updates_in_each_step_and_loop)
{
    expect_result(
        "cyclotron-trace 1\n"
        "tensor %w f32[2,1] weight\n"
        "tensor %u f32[2,1] weight\n"
        "step {\n"
        "  %g f32[2,1] gradient = infeed()\n"
        "  optimizer(%w, %g)\n"
        "}\n"
        "step {\n"
        "  %g f32[2,1] gradient, %h f32[2,1] gradient = infeed()\n"
        "  repeat 2 {\n"
        "    %k f32[2,1] gradient = elementwise(%h)\n"
        "    optimizer(%u, %k)\n"
        "  }\n"
        "  optimizer(%w, %g)\n"
        "}\n",
        (struct shard_plan){ .data = 1, .model = 1, .edges = 1, .server = true },
        "cyclotron-trace 1\n"
        "samples step=1\n"
        "dtype tensors=f32 matmul=bf16 activations=keep\n"
        "provenance \"parameter server\"\n"
        "tensor %w f32[2,1] weight\n"
        "tensor %u f32[2,1] weight\n"
        "step {\n"
        "  %g f32[2,1] gradient = infeed()\n"
        "  host(%g) name=\"server.update\" bytes=16 byte-time=\"0.1 ns\" threads=8 client=1 "
        "writes=8\n"
        "}\n"
        "step {\n"
        "  %g f32[2,1] gradient, %h f32[2,1] gradient = infeed()\n"
        "  repeat 2 {\n"
        "    %k f32[2,1] gradient = elementwise(%h)\n"
        "    host(%k) name=\"server.update\" bytes=16 byte-time=\"0.1 ns\" threads=8 client=1 "
        "writes=8\n"
        "  }\n"
        "  host(%g) name=\"server.update\" bytes=16 byte-time=\"0.1 ns\" threads=8 client=1 "
        "writes=8\n"
        "}\n");
}

/* An asynchronous server serves each core by itself, up to 2 of its updates behind. */
Test(shard, a_server_with_staleness_serves_each_core_by_itself)
{
    static const char text[] = "cyclotron-trace 1\n"
                               "tensor %w f32[2,3] weight\n"
                               "tensor %m f32[2,3] state\n"
                               "step {\n"
                               "  %x f32[4,2], %y f32[4,3] = infeed()\n"
                               "  %g f32[2,3] gradient = matmul(%x, %y) ta=1\n"
                               "  all-reduce(%g)\n"
                               "  optimizer(%w, %g, %m)\n"
                               "}\n";
    static const struct {
        const char *words[2], *want;
    } rows[] = {
        { { "server=async", "staleness=2" },
          "provenance \"parameter server: staleness=2\"\n"
          "tensor %w f32[2,3] weight\n"
          "step {\n"
          "  %x f32[4,2], %y f32[4,3] = infeed()\n"
          "  %g f32[2,3] gradient = matmul(%x, %y) ta=1\n"
          "  host(%g) name=\"server.update\" bytes=72 byte-time=\"0.1 ns\" threads=8 client=1 "
          "staleness=2 writes=24\n"
          "}\n" },
        { { "server=async", "staleness=0" },
          "provenance \"parameter server\"\n"
          "tensor %w f32[2,3] weight\n"
          "step {\n"
          "  %x f32[4,2], %y f32[4,3] = infeed()\n"
          "  %g f32[2,3] gradient = matmul(%x, %y) ta=1\n"
          "  host(%g) name=\"server.update\" bytes=72 byte-time=\"0.1 ns\" threads=8 client=1 "
          "writes=24\n"
          "}\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct shard_plan plan;
        struct err err;
        char want[1024];
        cr_assert_eq(shard_plan_read(&plan, rows[i].words, 2, &err), 0, "%s", err.msg);
        snprintf(want, sizeof want,
                 "cyclotron-trace 1\nsamples step=1\n"
                 "dtype tensors=f32 matmul=bf16 activations=keep\n%s",
                 rows[i].want);
        expect_result(text, plan, want);
    }
}

Test(shard, a_plan_that_makes_no_sense_is_refused)
{
    static const struct {
        const char *words[2], *why;
    } rows[] = {
        { { "server=async", "data=1" }, "server=async and staleness=S go together: give both" },
        { { "server=sync", "staleness=1" }, "server=async and staleness=S go together: give both" },
        { { "server=async", "staleness=17" },
          "staleness = '17': expected a whole number in [0, 16]" },
        { { "server=async", "staleness=" }, "staleness = '': expected a whole number in [0, 16]" },
        { { "server=2", "data=1" }, "server = '2': expected sync (or 1) or async" },
        { { "server=sync", "data=2" }, "server: give server=sync or async and no other axis" },
        { { "data=65537", "model=1" }, "data = '65537': expected a whole number in [1, 65536]" },
        { { "stalenes=1", "model=1" }, "unknown axis 'stalenes'; did you mean" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct shard_plan plan;
        struct err err;
        cr_expect_eq(shard_plan_read(&plan, rows[i].words, 2, &err), -1, "row %zu", i);
        cr_expect_not_null(strstr(err.msg, rows[i].why), "%s", err.msg);
    }
}

Test(shard, what_cannot_be_is_refused)
{
    expect_refusal(graph, (struct shard_plan){ .data = 1, .model = 1, .edges = 5 },
                   ": edges = 5: 24 edges cannot be cut evenly; 25 could");
    expect_refusal(net, (struct shard_plan){ .data = 1, .model = 1, .edges = 5 },
                   ": edges = 5: the trace has no 'param edges='");
    expect_refusal("cyclotron-trace 1\nsamples step=1 shared=2\nstep {\n}\n",
                   (struct shard_plan){ .data = 1, .model = 2, .edges = 1 },
                   ": was cut already: 2 cores share a step");
    expect_refusal("cyclotron-trace 1\nstep {\n  %x f32[8] = infeed()\n"
                   "  %y f32[32] = all-gather(%x) group=4\n}\n",
                   (struct shard_plan){ .data = 1, .model = 2, .edges = 1 },
                   ":4: a step with all-gather was cut already");
    expect_refusal(
        "cyclotron-trace 1\ntensor %w f32[8,8] weight\nstep {\n  %x f32[8,8] = infeed()\n"
        "  %g f32[8,8] gradient = matmul(%x, %w)\n"
        "  host(%g) time=\"1 us\" client=1 writes=24\n}\n",
        (struct shard_plan){ .data = 1, .model = 2, .edges = 1 },
        ":6: a step whose client updates weights was cut already");
}

#define SQUARE(dims)                                                                               \
    "cyclotron-trace 1\ntensor %w f32[8,8] weight\nstep {\n  %x f32[8,8] = infeed()\n"             \
    "  %y f32[8,8] = matmul(%x, %w)\n  %s f32[8] = reduce(%y) dims=" dims "\n  outfeed(%s)\n}\n"

/* A product whose columns are cut: sums over its rows are cut likewise, sums along them are
 * summands of all 8, though both are f32[8]. */
Test(shard, a_sum_over_a_square_is_cut_as_the_trace_says)
{
    static const char *const dims[] = { SQUARE("0"), SQUARE("1") };
    struct err err;

    for (size_t i = 0; i < 2; i++) {
        char *got;
        cr_assert_eq(
            cut_step(dims[i], (struct shard_plan){ .data = 1, .model = 2, .edges = 1 }, &got, &err),
            0, "%s", err.msg);
        cr_expect_not_null(strstr(got, "%y f32[8,4] = matmul(%x, %w)"), "%s", got);
        cr_expect_not_null(
            strstr(got, i ? "%s f32[8] = reduce(%y) dims=1\n" : "%s f32[4] = reduce(%y) dims=0\n"),
            "%s", got);
        cr_expect_eq(strstr(got, "all-reduce(%s)") != NULL, i == 1, "%s", got);
        free(got);
    }
}
