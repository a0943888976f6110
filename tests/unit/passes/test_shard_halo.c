/* Graphs cut by edges and nodes: what crosses between cores, worked out on paper. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "passes/footprint.h"
#include "passes/shard/shard.h"
#include "tests/unit/trace/trace_helper.h"
#include "trace/trace.h"

static char *cut_step(const char *text, const char *halo, uint64_t edges, struct err *err)
{
    const char *words[2] = { NULL, halo };
    char axis[32], *got;
    struct shard_plan plan;
    struct trace *t = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    snprintf(axis, sizeof axis, "edges=%lu", edges);
    words[0] = axis;
    int rc = shard_plan_read(&plan, words, 2, err);
    if (rc == 0)
        rc = trace_open_memory(&t, "t", text, strlen(text), false, err);
    if (rc == 0)
        rc = shard_write(t, &plan, out, err);
    trace_close(t);
    fclose(out);
    if (rc == 0)
        return got;
    free(got);
    return NULL;
}

/* 2 graphs of 4 nodes and 12 edges. */
static const char graph[] =
    "cyclotron-trace 1\n"
    "param nodes=4\n"
    "param edges=12\n"
    "param graphs=2\n"
    "tensor %w f32[4,4] weight\n"
    "tensor %u f32[4,4] weight\n"
    "step {\n"
    "  %n f32[8,4], %e f32[24,4], %from s32[24], %to s32[24] = infeed()\n"
    "  %m f32[8,4] = matmul(%n, %u)\n"
    "  %g f32[24,4] = gather(%m, %from) rows=24 cols=4 table-rows=8\n"
    "  %k f32[24,4] = gather(%m, %to) rows=24 cols=4 table-rows=8\n"
    "  fusion %h {\n"
    "    %f f32[24,4] = elementwise(%e, %g, %k) flops=192\n"
    "    %h f32[24,4] = matmul(%f, %w)\n"
    "  }\n"
    "  %sum f32[8,4] = scatter(%h, %to) rows=24 cols=4 table-rows=8 flops=96\n"
    "  %v f32[8,4] = elementwise(%sum, %m) flops=32\n"
    "  %l f32[] = reduce(%v) flops=32\n"
    "  %dw f32[4,4] gradient = matmul(%h, %e) ta=1\n"
    "  %dm f32[8,4] gradient = scatter(%h, %from) rows=24 cols=4 table-rows=8 flops=96\n"
    "  %du f32[4,4] gradient = matmul(%n, %dm) ta=1\n"
    "  all-reduce(%dw, %du)\n"
    "  optimizer(%w, %dw, %u, %du) flops=64\n"
    "  outfeed(%l)\n"
    "}\n";

/* Each of 4 cores owns 2 nodes and needs as many of others: 2 rows from 3 cores, so 1 from each, in
 * a buffer of 4.  What both gathers read is exchanged once. */
static const char by_hand[] =
    "cyclotron-trace 1\n"
    "samples step=1 shared=4 cores=4\n"
    "dtype tensors=f32 matmul=bf16 activations=keep\n"
    "param nodes=4\n"
    "param edges=12\n"
    "param graphs=2\n"
    "provenance \"cut: data=1 edges=4 halo=1\"\n"
    "tensor %w f32[4,4] weight\n"
    "tensor %u f32[4,4] weight\n"
    "step {\n"
    "  %n f32[2,4], %e f32[6,4], %from s32[6], %to s32[6], %halo.rows s32[4] = infeed()\n"
    "  %m f32[2,4] = matmul(%n, %u)\n"
    "  %m.lent2 f32[4,4] = gather(%m, %halo.rows) name=\"m.lent\"\n"
    "  %m.halo2 f32[4,4] = all-to-all(%m.lent2) name=\"m.halo\" group=4\n"
    "  %m.near2 f32[6,4] = copy(%m, %m.halo2) name=\"m.near\"\n"
    "  %g f32[6,4] = gather(%m.near2, %from) rows=6 cols=4 table-rows=6\n"
    "  %k f32[6,4] = gather(%m.near2, %to) rows=6 cols=4 table-rows=6\n"
    "  fusion %h {\n"
    "    %f f32[6,4] = elementwise(%e, %g, %k) flops=48\n"
    "    %h f32[6,4] = matmul(%f, %w)\n"
    "  }\n"
    "  %sum.near6 f32[6,4] = scatter(%h, %to) rows=6 cols=4 table-rows=6 flops=24\n"
    "  %sum.own6 f32[2,4], %sum.halo6 f32[4,4] = copy(%sum.near6) name=\"sum.own\"\n"
    "  %sum.back6 f32[4,4] = all-to-all(%sum.halo6) name=\"sum.halo\" group=4\n"
    "  %sum f32[2,4] = scatter(%sum.back6, %halo.rows, %sum.own6) name=\"sum.add\" flops=16\n"
    "  %v f32[2,4] = elementwise(%sum, %m) flops=8\n"
    "  %l f32[] = reduce(%v) flops=8\n"
    "  %dw f32[4,4] gradient = matmul(%h, %e) ta=1\n"
    "  %dm.near10 f32[6,4] gradient = scatter(%h, %from) rows=6 cols=4 table-rows=6 flops=24\n"
    "  %dm.own10 f32[2,4] gradient, %dm.halo10 f32[4,4] gradient = copy(%dm.near10) "
    "name=\"dm.own\"\n"
    "  %dm.back10 f32[4,4] gradient = all-to-all(%dm.halo10) name=\"dm.halo\" group=4\n"
    "  %dm f32[2,4] gradient = scatter(%dm.back10, %halo.rows, %dm.own10) name=\"dm.add\" "
    "flops=16\n"
    "  %du f32[4,4] gradient = matmul(%n, %dm) ta=1\n"
    "  all-reduce(%dw, %du)\n"
    "  optimizer(%w, %dw, %u, %du) flops=64\n"
    "  all-reduce(%l) name=\"l.sum\" group=4\n"
    "  outfeed(%l)\n"
    "}\n";

Test(shard_halo, nodes_are_cut_and_their_halo_comes_and_goes)
{
    struct err err;
    char *got = cut_step(graph, "halo=1", 4, &err);

    cr_assert_not_null(got, "%s", err.msg);
    cr_expect_str_eq(got, by_hand);
    char *again = print_canonical(got);
    cr_expect_str_eq(got, again);
    free(again);
    free(got);
}

/* Three exchanges of 4 x 4 f32, both gradients of the weights, the loss: 3 * 64 + 2 * 64 + 4 bytes.
 * FLOPs of a core: products 2 * 2*4*4 (m) + 2 * 6*4*4 (h), 2 * 4*6*4 (dw), 2 * 4*2*4 (du); 48 + 8 +
 * 8 of elements; sums 24 and 16, twice; 64 of the update. */
Test(shard_halo, bytes_and_flops_are_those_of_a_core)
{
    struct err err;
    struct trace_totals sum;
    char *got = cut_step(graph, "halo=1", 4, &err);

    cr_assert_not_null(got, "%s", err.msg);
    struct trace *t = open_text(got, false);
    trace_totals_init(&sum);
    cr_assert_eq(trace_sum(t, &sum, &err), 0, "%s", err.msg);
    cr_expect_eq(mpz_get_ui(sum.reduce_bytes), 324);
    cr_expect_eq(mpz_get_ui(sum.flops), 64 + 192 + 192 + 64 + 48 + 8 + 8 + 2 * (24 + 16) + 64);
    trace_totals_clear(&sum);
    trace_close(t);
    free(got);
}

/* 64 nodes of 128 columns on 8 cores are a tile of 8 rows each.  With all 56 others needed the
 * buffer has 64 rows, 8 tiles.  Most is alive where the halo is put behind one's own rows: 1 + 8 +
 * 9 tiles, and the indices, 512 bytes each for 32 senders, 32 receivers and 64 rows to lend. */
Test(shard_halo, memory_is_that_of_own_rows_and_the_halo)
{
    static const struct footprint_core core = { .tiling = { 128, 8 } };
    struct err err;
    struct footprint m;
    struct step step;
    char *got = cut_step("cyclotron-trace 1\n"
                         "param nodes=64\n"
                         "param edges=256\n"
                         "step {\n"
                         "  %n f32[64,128], %from s32[256], %to s32[256] = infeed()\n"
                         "  %g f32[256,128] = gather(%n, %from)\n"
                         "  %sum f32[64,128] = scatter(%g, %to)\n"
                         "  outfeed(%sum)\n"
                         "}\n",
                         "halo=7", 8, &err);

    cr_assert_not_null(got, "%s", err.msg);
    struct trace *t = open_text(got, false);
    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0);
    cr_assert_eq(step_read_next(&step, t, &err), 1);
    footprint_peak(&m, &step, &core, NULL, &(struct footprint_change){ 0 }, NULL);
    cr_expect_eq(m.role[FOOTPRINT_INPUTS], 4096 + 3 * 512);
    cr_expect_eq(m.role[FOOTPRINT_ACTIVATIONS], 17 * 4096);
    cr_expect_eq(m.total, 75264);
    step_free(&step);
    trace_close(t);
    free(got);
}

/* 24 nodes on 3 cores, 8 each; 0.3 of 8 rows are 2.4, from two others 1.2: 2 rows each, 3 blocks.
 */
Test(shard_halo, a_share_is_rounded_up_for_each_pair_of_cores)
{
    static const char text[] = "cyclotron-trace 1\n"
                               "param nodes=24\n"
                               "param edges=6\n"
                               "step {\n"
                               "  %n f32[24,4], %to s32[6] = infeed()\n"
                               "  %g f32[6,4] = gather(%n, %to)\n"
                               "  outfeed(%g)\n"
                               "}\n";
    static const struct {
        const char *halo, *want;
    } rows[] = { { "halo=0.3", "%halo.rows s32[6] = infeed()" },
                 { "halo=0.25", "%halo.rows s32[3] = infeed()" }, /* 2 rows, 1 from each */
                 { "halo=0.250001", "%halo.rows s32[6] = infeed()" },
                 { "halo=2", "%halo.rows s32[24] = infeed()" }, /* all */
                 { "halo=0", "%n f32[8,4], %to s32[2] = infeed()" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        char *got = cut_step(text, rows[i].halo, 3, &err);
        cr_assert_not_null(got, "%s", err.msg);
        cr_expect_not_null(strstr(got, rows[i].want), "%s: %s", rows[i].halo, got);
        cr_expect_eq(strstr(got, "all-to-all") == NULL, i == 4, "%s", rows[i].halo);
        free(got);
    }
}

/* A table of before a loop holds inside it; one of inside is gone behind it. */
Test(shard_halo, a_halo_is_exchanged_again_where_the_last_one_is_out_of_sight)
{
    struct err err;
    char *got = cut_step("cyclotron-trace 1\n"
                         "param nodes=4\n"
                         "param edges=4\n"
                         "step {\n"
                         "  %n f32[4,4], %m f32[4,4], %to s32[4] = infeed()\n"
                         "  %a f32[4,4] = gather(%n, %to)\n"
                         "  repeat 2 {\n"
                         "    %b f32[4,4] = gather(%n, %to)\n"
                         "    %c f32[4,4] = gather(%m, %to)\n"
                         "  }\n"
                         "  %d f32[4,4] = gather(%m, %to)\n"
                         "  outfeed(%a, %d)\n"
                         "}\n",
                         "halo=1", 2, &err);

    cr_assert_not_null(got, "%s", err.msg);
    cr_expect_not_null(strstr(got, "    %b f32[2,4] = gather(%n.near1, %to)\n"), "%s", got);
    cr_expect_not_null(strstr(got, "    %c f32[2,4] = gather(%m.near3, %to)\n"), "%s", got);
    cr_expect_not_null(strstr(got, "  %d f32[2,4] = gather(%m.near4, %to)\n"), "%s", got);
    cr_expect_eq(read_all(got, strlen(got), false, &err), 0, "%s", err.msg);
    free(got);
}

static void expect_refusal(const char *text, const char *halo, uint64_t edges, const char *why)
{
    struct err err;

    cr_assert_null(cut_step(text, halo, edges, &err));
    cr_expect_str_eq(err.msg, why);
}

Test(shard_halo, what_cannot_be_is_refused)
{
    expect_refusal(
        graph, "halo=3.5", 4,
        "halo = 3.5: outside [0, 3]; a core of 4 needs no more than all nodes of the others");
    expect_refusal(graph, "halo=1", 1, "halo: give edges=E as well, whose cores it is between");
    expect_refusal(
        graph, "halo=-1", 4,
        "halo = '-1': expected a share in [0, edges - 1], with at most 6 digits behind the "
        "point");
    expect_refusal(
        graph, "halo=1.", 4,
        "halo = '1.': expected a share in [0, edges - 1], with at most 6 digits behind the "
        "point");
    expect_refusal(
        graph, "halo=0.1234567", 4,
        "halo = '0.1234567': expected a share in [0, edges - 1], with at most 6 digits behind "
        "the point");
    expect_refusal(graph, "halo=1", 3, "t: edges = 3: 8 nodes cannot be cut evenly; 9 could");
    expect_refusal("cyclotron-trace 1\nparam edges=4\nstep {\n}\n", "halo=1", 2,
                   "t: halo: the trace has no 'param nodes='");
    expect_refusal("cyclotron-trace 1\n"
                   "param nodes=4\n"
                   "param edges=2\n"
                   "step {\n"
                   "  %e f32[2,4], %to s32[2] = infeed()\n"
                   "  fusion %s {\n"
                   "    %s f32[4,4] = scatter(%e, %to)\n"
                   "  }\n"
                   "  outfeed(%s)\n"
                   "}\n",
                   "halo=1", 2, "t:7: halo: a scatter to nodes inside a fusion");
}
