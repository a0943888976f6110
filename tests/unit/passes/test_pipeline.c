/* A step is cut into stages as one would by hand: every expected trace was worked out on paper. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "passes/footprint.h"
#include "passes/shard/pipeline.h"
#include "passes/shard/pipeline_impl.h"
#include "trace/trace.h"

static int cut_step(const char *text, struct pipeline_plan plan, char **result, struct err *err)
{
    struct trace *t;
    size_t size;
    FILE *out = open_memstream(result, &size);

    cr_assert_not_null(out);
    int rc = trace_open_memory(&t, "t", text, strlen(text), false, err);
    if (rc == 0)
        rc = pipeline_write(t, &plan, out, err);
    trace_close(t);
    fclose(out);
    return rc;
}

static char *cut_well(const char *text, struct pipeline_plan plan)
{
    struct err err;
    char *got;

    cr_assert_eq(cut_step(text, plan, &got, &err), 0, "%s", err.msg);
    return got;
}

static void expect_refusal(const char *text, struct pipeline_plan plan, const char *why)
{
    struct err err;
    char *got;

    cr_assert_eq(cut_step(text, plan, &got, &err), -1, "%s", why);
    cr_expect_str_eq(err.msg, why);
    free(got);
}

#define GPIPE(p, m, d) ((struct pipeline_plan){ p, m, d, PIPELINE_GPIPE, 0 })
#define TURNS(p, m, d) ((struct pipeline_plan){ p, m, d, PIPELINE_1F1B, 0 })

/* --- a step of two layers ----------------------------------------------------------------- */

static const char net[] = "cyclotron-trace 1\n"
                          "samples step=8\n"
                          "tensor %w1 f32[6,4] weight\n"
                          "tensor %m1 f32[6,4] state\n"
                          "tensor %w2 f32[4,4] weight\n"
                          "step {\n"
                          "  phase in\n"
                          "  %x f32[8,6], %t f32[8,4] = infeed()\n"
                          "  phase fwd\n"
                          "  %h f32[8,4] = matmul(%x, %w1)\n"
                          "  %y f32[8,4] = matmul(%h, %w2)\n"
                          "  %l f32[] = reduce(%y, %t) flops=32\n"
                          "  phase bwd\n"
                          "  %gy f32[8,4] gradient = elementwise(%y, %t) flops=64\n"
                          "  %dw2 f32[4,4] gradient = matmul(%h, %gy) ta=1\n"
                          "  %gh f32[8,4] gradient = matmul(%gy, %w2) tb=1\n"
                          "  %dw1 f32[6,4] gradient = matmul(%x, %gh) ta=1\n"
                          "  phase update\n"
                          "  all-reduce(%dw1, %dw2)\n"
                          "  optimizer(%w1, %dw1, %m1, %w2, %dw2) flops=80\n"
                          "  outfeed(%l)\n"
                          "}\n"
                          "step every=10 {\n"
                          "  restart(%w1, %m1, %w2)\n"
                          "}\n";

/* Stage 0 has the first product, whose backward is one product more; labels come to stage 1. */
static const char net_in_two[] =
    "cyclotron-trace 1\n"
    "samples step=8 shared=2 cores=4 stages=2\n"
    "dtype tensors=f32 matmul=bf16 activations=keep\n"
    "provenance \"cut: pipeline=2 microbatches=2 data=2 schedule=gpipe\"\n"
    "tensor %w1 f32[6,4] weight stage=0\n"
    "tensor %m1 f32[6,4] state stage=0\n"
    "tensor %w2 f32[4,4] weight stage=1\n"
    "step {\n"
    "  phase in\n"
    "  %x:0 f32[4,6] = infeed() name=\"x\" stage=0\n"
    "  phase fwd\n"
    "  %h:0 f32[4,4] = matmul(%x:0, %w1) name=\"h\" stage=0\n"
    "  %h:0:s1:t u32[] = send-start(%h:0) name=\"h.send\" stage=0 to=1\n"
    "  phase in\n"
    "  %x:1 f32[4,6] = infeed() name=\"x\" stage=0\n"
    "  phase fwd\n"
    "  %h:1 f32[4,4] = matmul(%x:1, %w1) name=\"h\" stage=0\n"
    "  %h:1:s1:t u32[] = send-start(%h:1) name=\"h.send\" stage=0 to=1\n"
    "  phase in\n"
    "  %t:0 f32[4,4] = infeed() name=\"x\" stage=1\n"
    "  %h:0:s1 f32[4,4] = send-done(%h:0:s1:t) name=\"h.receive\" stage=1\n"
    "  phase fwd\n"
    "  %y:0 f32[4,4] = matmul(%h:0:s1, %w2) name=\"y\" stage=1\n"
    "  %l:0 f32[] = reduce(%y:0, %t:0) name=\"l\" stage=1 flops=16\n"
    "  phase in\n"
    "  %t:1 f32[4,4] = infeed() name=\"x\" stage=1\n"
    "  %h:1:s1 f32[4,4] = send-done(%h:1:s1:t) name=\"h.receive\" stage=1\n"
    "  phase fwd\n"
    "  %y:1 f32[4,4] = matmul(%h:1:s1, %w2) name=\"y\" stage=1\n"
    "  fusion %l:acc1 name=\"l\" stage=1 {\n"
    "    %l:1 f32[] = reduce(%y:1, %t:1) name=\"l\" flops=16\n"
    "    %l:acc1 f32[] = elementwise(%l:0, %l:1) name=\"l.sum\" flops=1\n"
    "  }\n"
    "  phase bwd\n"
    "  %gy:0 f32[4,4] gradient = elementwise(%y:0, %t:0) name=\"gy\" stage=1 flops=32\n"
    "  %dw2:0 f32[4,4] gradient = matmul(%h:0:s1, %gy:0) name=\"dw2\" stage=1 ta=1\n"
    "  %gh:0 f32[4,4] gradient = matmul(%gy:0, %w2) name=\"gh\" stage=1 tb=1\n"
    "  %gh:0:s0:t u32[] = send-start(%gh:0) name=\"gh.send\" stage=1 to=0\n"
    "  %gh:0:s0 f32[4,4] gradient = send-done(%gh:0:s0:t) name=\"gh.receive\" stage=0\n"
    "  %dw1:0 f32[6,4] gradient = matmul(%x:0, %gh:0:s0) name=\"dw1\" stage=0 ta=1\n"
    "  %gy:1 f32[4,4] gradient = elementwise(%y:1, %t:1) name=\"gy\" stage=1 flops=32\n"
    "  fusion %dw2:acc1 stage=1 {\n"
    "    %dw2:1 f32[4,4] gradient = matmul(%h:1:s1, %gy:1) name=\"dw2\" ta=1\n"
    "    %dw2:acc1 f32[4,4] gradient = elementwise(%dw2:0, %dw2:1) name=\"dw2.sum\" flops=16\n"
    "  }\n"
    "  %gh:1 f32[4,4] gradient = matmul(%gy:1, %w2) name=\"gh\" stage=1 tb=1\n"
    "  %gh:1:s0:t u32[] = send-start(%gh:1) name=\"gh.send\" stage=1 to=0\n"
    "  %gh:1:s0 f32[4,4] gradient = send-done(%gh:1:s0:t) name=\"gh.receive\" stage=0\n"
    "  fusion %dw1:acc1 stage=0 {\n"
    "    %dw1:1 f32[6,4] gradient = matmul(%x:1, %gh:1:s0) name=\"dw1\" ta=1\n"
    "    %dw1:acc1 f32[6,4] gradient = elementwise(%dw1:0, %dw1:1) name=\"dw1.sum\" flops=24\n"
    "  }\n"
    "  phase update\n"
    "  all-reduce(%dw1:acc1) name=\"all-reduce\" stage=0\n"
    "  all-reduce(%dw2:acc1) name=\"all-reduce\" stage=1\n"
    "  optimizer(%w1, %dw1:acc1, %m1) name=\"optimizer\" stage=0 flops=48\n"
    "  optimizer(%w2, %dw2:acc1) name=\"optimizer\" stage=1 flops=32\n"
    "  outfeed(%l:acc1) name=\"outfeed\" stage=1\n"
    "}\n"
    "step every=10 {\n"
    "  restart(%w1, %m1, %w2)\n"
    "}\n";

Test(pipeline, two_layers_become_two_stages)
{
    char *got = cut_well(net, GPIPE(2, 2, 2));

    cr_expect_str_eq(got, net_in_two);
    free(got);
}

static bool has_text(const char *text, const char *what)
{
    return strstr(text, what) != NULL;
}

Test(pipeline, one_core_a_stage_reduces_nothing)
{
    char *got = cut_well(net, TURNS(2, 2, 1));

    cr_expect(has_text(got, "cores=2 stages=2"));
    cr_expect_not(has_text(got, "all-reduce"));
    cr_expect(has_text(got, "optimizer(%w1, %dw1:acc1, %m1)"));
    free(got);
}

Test(pipeline, one_micro_batch_is_the_whole_batch)
{
    char *got = cut_well(net, TURNS(2, 1, 2));

    cr_expect(has_text(got, "%x:0 f32[8,6] = infeed()"));
    cr_expect_not(has_text(got, "acc"));
    cr_expect(has_text(got, "optimizer(%w1, %dw1:0, %m1)"));
    free(got);
}

/* --- sums --------------------------------------------------------------------------------- */

static void sum_totals(const char *text, struct trace_totals *s)
{
    struct trace *t;
    struct err err;

    trace_totals_init(s);
    cr_assert_eq(trace_open_memory(&t, "t", text, strlen(text), false, &err), 0, "%s", err.msg);
    cr_assert_eq(trace_sum(t, s, &err), 0, "%s", err.msg);
    trace_close(t);
}

/* All stages do together what one core did, and add 24 + 16 gradients and a loss M - 1 times. */
Test(pipeline, stages_add_up_to_the_step)
{
    struct trace_totals whole, parts;

    sum_totals(net, &whole);
    for (uint64_t m = 1; m <= 8; m *= 2) {
        char *got = cut_well(net, m == 4 ? GPIPE(2, m, 2) : TURNS(2, m, 2));
        sum_totals(got, &parts);
        cr_expect_eq(mpz_get_ui(parts.flops), mpz_get_ui(whole.flops) + (m - 1) * (24 + 16 + 1));
        cr_expect_eq(mpz_cmp(parts.weight_bytes, whole.weight_bytes), 0);
        cr_expect_eq(mpz_cmp(parts.state_bytes, whole.state_bytes), 0);
        cr_expect_eq(mpz_cmp(parts.infeed_bytes, whole.infeed_bytes), 0);
        /* gradients once, and h down and gh up: 8 x 4 of 4 B each */
        cr_expect_eq(mpz_get_ui(parts.reduce_bytes), mpz_get_ui(whole.reduce_bytes) + 2 * 128);
        trace_totals_clear(&parts);
        free(got);
    }
    trace_totals_clear(&whole);
}

/* --- the cut ------------------------------------------------------------------------------ */

/* A chain of operations on 4 samples of one element: of cost 1,000,000 f, and 100 x 32 B. */
static char *cut_chain(const unsigned *f, size_t n)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fputs("cyclotron-trace 1\nsamples step=4\nstep {\n%a0 f32[4] = infeed()\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%%a%zu f32[4] = elementwise(%%a%zu) flops=%u000000\n", i + 1, i, f[i]);
    fputs("}\n", out);
    fclose(out);
    return text;
}

static void expect_cut(const unsigned *f, size_t n, uint64_t stages, const char *places)
{
    char *text = cut_chain(f, n), *got = cut_well(text, GPIPE(stages, 1, 1)), want[96];

    for (size_t i = 0; i < n; i++) {
        snprintf(want, sizeof want, "name=\"a%zu\" stage=%c", i + 1, places[i]);
        cr_expect(has_text(got, want), "%zu of %s: %s", i, places, got);
    }
    free(got);
    free(text);
}

Test(pipeline, the_largest_stage_is_as_small_as_it_can_be)
{
    expect_cut((const unsigned[]){ 1, 1, 1, 1 }, 4, 2, "0011");
    expect_cut((const unsigned[]){ 4, 1, 1, 1, 1, 4 }, 6, 3, "011112");
    expect_cut((const unsigned[]){ 1, 1, 6, 1, 1 }, 5, 3, "00122");
    expect_cut((const unsigned[]){ 9, 1, 1, 1 }, 4, 4, "0123");
    expect_cut((const unsigned[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 9, 3, "000001122");
}

/* %gk goes with %y of stage 1, whose result it reads, but also reads a gradient of stage 0. */
Test(pipeline, gradients_never_go_up)
{
    char *got = cut_well("cyclotron-trace 1\n"
                         "samples step=2\n"
                         "tensor %w1 f32[4,4] weight\n"
                         "tensor %w2 f32[4,4] weight\n"
                         "step {\n"
                         "  %x f32[2,4] = infeed()\n"
                         "  %h f32[2,4] = matmul(%x, %w1)\n"
                         "  %y f32[2,4] = matmul(%h, %w2)\n"
                         "  %gy f32[2,4] gradient = elementwise(%y)\n"
                         "  %gh f32[2,4] gradient = matmul(%gy, %w2) tb=1\n"
                         "  %gx f32[2,4] gradient = matmul(%gh, %w1) tb=1\n"
                         "  %gk f32[2,4] gradient = elementwise(%gx, %y)\n"
                         "  %dw1 f32[4,4] gradient = matmul(%x, %gk) ta=1\n"
                         "  optimizer(%w1, %dw1)\n"
                         "}\n",
                         TURNS(2, 1, 1));

    cr_expect(has_text(got, "name=\"gx\" stage=0"));
    cr_expect(
        has_text(got, "%gk:0 f32[2,4] gradient = elementwise(%gx:0, %y:0:s0) name=\"gk\" stage=0"));
    free(got);
}

/* --- the order ---------------------------------------------------------------------------- */

/* The units of one stage, forwards as digits and backwards as letters. */
static void stage_order(struct pipeline_plan plan, uint32_t stage, char *to)
{
    uint64_t cost[16];
    struct pipeline_unit unit[128];
    size_t n = 0;

    for (int i = 0; i < 16; i++)
        cost[i] = i % 2 ? 20 : 10;
    pipeline_order(&plan, cost, unit);
    for (uint64_t i = 0; i < plan.stages * plan.microbatches * 2; i++)
        if (unit[i].stage == stage)
            to[n++] = (char)((unit[i].backward ? 'a' : '0') + (int)unit[i].micro);
    to[n] = '\0';
}

static void expect_order(struct pipeline_plan plan, uint32_t stage, const char *want)
{
    char got[64];

    stage_order(plan, stage, got);
    cr_expect_str_eq(got, want, "stage %u: %s, not %s", stage, got, want);
}

Test(pipeline, schedules)
{
    for (uint32_t s = 0; s < 3; s++)
        expect_order(GPIPE(3, 4, 1), s, "0123abcd");
    expect_order(TURNS(3, 4, 1), 0, "012a3bcd");
    expect_order(TURNS(3, 4, 1), 1, "01a2b3cd");
    expect_order(TURNS(3, 4, 1), 2, "0a1b2c3d");
    expect_order(TURNS(4, 2, 1), 0, "01ab");
    expect_order(TURNS(4, 2, 1), 3, "0a1b");
}

/* A unit stands behind everything that it needs, whatever stages cost. */
Test(pipeline, units_stand_behind_what_they_need)
{
    struct pipeline_unit unit[4 * 6 * 2];
    uint64_t cost[8];

    for (uint32_t seed = 0; seed < 200; seed++) {
        struct pipeline_plan plan = { 4, 6, 1, seed % 2 ? PIPELINE_1F1B : PIPELINE_GPIPE, 0 };
        int64_t at[2][4][6];
        for (uint32_t i = 0; i < 8; i++)
            cost[i] = (seed * 2654435761u >> (3 * i)) % 50;
        pipeline_order(&plan, cost, unit);
        memset(at, -1, sizeof at);
        for (int64_t i = 0; i < 48; i++) {
            const struct pipeline_unit *u = &unit[i];
            cr_expect_eq(at[u->backward][u->stage][u->micro], -1, "twice");
            at[u->backward][u->stage][u->micro] = i;
            if (u->backward ? u->stage < 3 : u->stage > 0)
                cr_expect_geq(at[u->backward][u->backward ? u->stage + 1 : u->stage - 1][u->micro],
                              0);
            if (u->backward)
                cr_expect_geq(at[0][u->stage][u->micro], 0);
        }
    }
}

/* --- memory ------------------------------------------------------------------------------- */

#define MIB (UINT64_C(1) << 20)
#define ROWS 32768 /* 8 micro-batches of 4096 x 128 f32: 2 MiB each */

/* Four layers of 128 x 128: 64 KiB of weights each. */
static char *four_layers(void)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    fprintf(f, "cyclotron-trace 1\nsamples step=%d\n", ROWS);
    for (int i = 0; i < 4; i++)
        fprintf(f, "tensor %%w%d f32[128,128] weight\n", i);
    fprintf(f, "step {\n%%h0 f32[%d,128] = infeed()\n", ROWS);
    for (int i = 0; i < 4; i++)
        fprintf(f, "%%h%d f32[%d,128] = matmul(%%h%d, %%w%d)\n", i + 1, ROWS, i, i);
    fprintf(f, "%%g4 f32[%d,128] gradient = elementwise(%%h4)\n", ROWS);
    for (int i = 3; i >= 0; i--) {
        fprintf(f, "%%dw%d f32[128,128] gradient = matmul(%%h%d, %%g%d) ta=1\n", i, i, i + 1);
        if (i > 0)
            fprintf(f, "%%g%d f32[%d,128] gradient = matmul(%%g%d, %%w%d) tb=1\n", i, ROWS, i + 1,
                    i);
    }
    for (int i = 0; i < 4; i++)
        fprintf(f, "optimizer(%%w%d, %%dw%d) flops=16384\n", i, i);
    fputs("}\n", f);
    fclose(f);
    return text;
}

static uint64_t peak_of(struct pipeline_plan plan, uint64_t stage)
{
    static const struct footprint_core core = { .tiling = { 128, 8 } };
    char *text = four_layers(), *got = cut_well(text, plan);
    struct footprint m;
    struct trace *t;
    struct step step;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "t", got, strlen(got), false, &err), 0, "%s", err.msg);
    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    footprint_of_stage(&m, &step, &core, stage, NULL, &(struct footprint_change){ false, false },
                       NULL);
    cr_expect_eq(m.persistent, MIB / 16, "one weight");
    step_free(&step);
    trace_close(t);
    free(got);
    free(text);
    return m.total;
}

/* A weight and its first gradient are MIB / 16 each; where two gradients are added there are two.
 * In flight is what a layer read, once for each micro-batch, and a gradient that comes or goes. */
Test(pipeline, activations_in_flight_are_those_of_the_schedule)
{
    for (uint64_t s = 0; s < 3; s++)
        cr_expect_eq(peak_of(GPIPE(4, 8, 1), s), 8 * 2 * MIB + 2 * MIB + 2 * MIB / 16,
                     "stage %lu: all 8", (unsigned long)s);
    /* the last layer also keeps its results until gradients are made of them */
    cr_expect_eq(peak_of(GPIPE(4, 8, 1), 3), 2 * 8 * 2 * MIB + 2 * MIB + MIB / 16);
    /* P - s in turns, here 4 */
    cr_expect_eq(peak_of(TURNS(4, 8, 1), 0), 4 * 2 * MIB + 2 * MIB + 3 * MIB / 16);
    for (uint64_t s = 1; s < 4; s++) /* and at most one that is under way */
        cr_expect_leq(peak_of(TURNS(4, 8, 1), s),
                      (4 - s + 1 + (s == 3)) * 2 * MIB + 2 * MIB + 3 * MIB / 16);
}

/* 8 KiB are under way to stage 1 while it works on 16 KiB of its own. */
Test(pipeline, what_is_under_way_counts_where_it_goes)
{
    static const struct footprint_core core = { .tiling = { 128, 8 } };
    static const char text[] = "cyclotron-trace 1\n"
                               "samples step=1 stages=2\n"
                               "step {\n"
                               "  %a f32[16,128] = elementwise() stage=0\n"
                               "  %t u32[] = send-start(%a) stage=0 to=1\n"
                               "  %b f32[32,128] = elementwise() stage=1\n"
                               "  %c f32[] = reduce(%b) stage=1\n"
                               "  %d f32[16,128] = send-done(%t) stage=1\n"
                               "  %e f32[] = reduce(%d) stage=1\n"
                               "  %f f32[8,128] = elementwise() stage=0\n"
                               "}\n";
    struct footprint m[2];
    struct trace *t;
    struct step step;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "t", text, strlen(text), false, &err), 0, "%s", err.msg);
    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    for (uint64_t s = 0; s < 2; s++)
        footprint_of_stage(&m[s], &step, &core, s, NULL, &(struct footprint_change){ false, false },
                           NULL);
    cr_expect_eq(m[0].total, 8 * 1024, "what was sent is gone");
    cr_expect_eq(m[1].total, (16 + 8) * 1024 + 512, "and a scalar, in a tile of 512 B");
    step_free(&step);
    trace_close(t);
}

/* --- what cannot be cut ------------------------------------------------------------------- */

#define HEAD "cyclotron-trace 1\nsamples step=8\ntensor %w f32[4,4] weight\n"
#define IN "step {\n%x f32[8,4] = infeed()\n"

Test(pipeline, refuses_what_it_cannot_cut_and_says_where)
{
    expect_refusal(
        HEAD IN "%a f32[8,4] = matmul(%x, %w)\n%b f32[8,4] = matmul(%a, %w)\n}\n", GPIPE(2, 2, 1),
        "t:6: pipeline = 2: %w is used here and up to line 7, and a weight is of one stage; at "
        "most 1 stages can be cut");
    expect_refusal(HEAD IN "%a f32[8,4] = matmul(%x, %w)\n}\n", GPIPE(2, 2, 1),
                   "t: pipeline = 2: the step has 1 forward operations");
    expect_refusal(HEAD IN "%a f32[8,4] = matmul(%x, %w)\n}\n", GPIPE(2, 3, 1),
                   "t: microbatches = 3: a step of 8 samples cannot be parted evenly");
    expect_refusal(
        HEAD IN "%a f32[4,4] gradient = matmul(%x, %x) ta=1\noptimizer(%w, %a)\n"
                "%b f32[8,4] = matmul(%x, %w)\n}\n",
        GPIPE(2, 2, 1),
        "t:8: matmul reads %w, which this step has updated: a step of several passes cannot be "
        "cut into stages");
    expect_refusal(
        HEAD IN "%a f32[8,4] = matmul(%x, %w)\n%b f32[32] = sort(%a) rows=1 cols=32\n}\n",
        GPIPE(2, 2, 1), "t:7: sort needs the whole batch of %a, which is cut into micro-batches");
    expect_refusal(HEAD IN "repeat 2 {\n%a f32[8,4] = matmul(%x, %w)\n}\n}\n", GPIPE(2, 2, 1),
                   "t:6: repeat: a loop cannot be cut into stages");
    expect_refusal(HEAD IN "%a f32[8,4] = matmul(%x, %w)\nhost(%a) time=\"1 ms\"\n}\n",
                   GPIPE(2, 2, 1), "t:7: host: a stage cannot wait for the host by itself");
    expect_refusal(HEAD IN "%a f32[8,4] = matmul(%x, %w)\noutfeed(%a) sync=1\n}\n", GPIPE(2, 2, 1),
                   "t:7: outfeed: sync=1: a stage cannot wait for the host by itself");
    expect_refusal(HEAD IN "}\n" IN "}\n", GPIPE(2, 2, 1),
                   "t:7: step: a trace of several steps cannot be cut into stages");
    expect_refusal(
        HEAD IN "}\nstep every=2 {\n%a f32[4,4] = elementwise(%w)\n}\n", GPIPE(2, 2, 1),
        "t:8: elementwise: in a step between the others a pipeline has work of the host only");
    expect_refusal(net_in_two, GPIPE(2, 2, 1), "t: was cut already: 2 cores share a step");
}
