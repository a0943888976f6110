/* Values that are kept or recomputed; expected traces were worked out on paper. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "passes/footprint.h"
#include "passes/narrow.h"
#include "passes/remat.h"
#include "tests/unit/trace/trace_helper.h"
#include "trace/trace.h"
#include "traces/gen.h"

static char *rematerialize_step(const char *text, const char *const *word, size_t n,
                                struct err *err)
{
    struct remat_plan plan;
    struct trace *t = NULL;
    size_t size;
    char *got;
    FILE *out = open_memstream(&got, &size);
    int rc = remat_plan_read(&plan, word, n, err);

    if (rc == 0)
        rc = trace_open_memory(&t, "t", text, strlen(text), false, err);
    if (rc == 0)
        rc = remat_write(t, &plan, out, err);
    trace_close(t);
    fclose(out);
    if (rc == 0)
        return got;
    free(got);
    return NULL;
}

static void expect_result(const char *text, const char *word, const char *keep, const char *want)
{
    const char *words[] = { word, keep };
    char head[512], *again;
    struct err err;
    char *got = rematerialize_step(text, words, 2, &err);

    cr_assert_not_null(got, "%s", err.msg);
    snprintf(head, sizeof head,
             "cyclotron-trace 1\nsamples step=1\n"
             "dtype tensors=f32 matmul=bf16 activations=keep\n"
             "provenance \"rematerialised: %s %s\"\n",
             word, keep);
    cr_assert_eq(strncmp(got, head, strlen(head)), 0, "%s", got);
    cr_expect_str_eq(got + strlen(head), want);
    again = print_canonical(got);
    cr_expect_str_eq(again, got);
    free(again);
    free(got);
}

/* --- a chain of three layers ---------------------------------------------------------------- */

#define CHAIN_TENSORS                                                                              \
    "tensor %w1 f32[4,4] weight\n"                                                                 \
    "tensor %w2 f32[4,4] weight\n"                                                                 \
    "tensor %w3 f32[4,4] weight\n"
#define CHAIN_FORWARD                                                                              \
    "step {\n"                                                                                     \
    "  phase fwd\n"                                                                                \
    "  %x f32[8,4] = infeed()\n"                                                                   \
    "  fusion %a {\n"                                                                              \
    "    %z1 f32[8,4] = matmul(%x, %w1)\n"                                                         \
    "    %a f32[8,4] = elementwise(%z1) name=\"relu\" flops=32\n"                                  \
    "  }\n"                                                                                        \
    "  fusion %b name=\"second\" {\n"                                                              \
    "    %z2 f32[8,4] = matmul(%a, %w2)\n"                                                         \
    "    %b f32[8,4] = elementwise(%z2) flops=32\n"                                                \
    "  }\n"                                                                                        \
    "  %y f32[8,4] = matmul(%b, %w3)\n"                                                            \
    "  %l f32[] = reduce(%y) flops=32\n"                                                           \
    "  phase bwd\n"
#define CHAIN_END                                                                                  \
    "  optimizer(%w1, %dw1, %w2, %dw2, %w3, %dw3) flops=96\n"                                      \
    "  outfeed(%l)\n"                                                                              \
    "}\n"

static const char chain[] = "cyclotron-trace 1\n" CHAIN_TENSORS CHAIN_FORWARD
                            "  %dy f32[8,4] gradient = elementwise(%y) flops=32\n"
                            "  %dw3 f32[4,4] gradient = matmul(%b, %dy) ta=1\n"
                            "  %db f32[8,4] gradient = matmul(%dy, %w3) tb=1\n"
                            "  %dw2 f32[4,4] gradient = matmul(%a, %db) ta=1\n"
                            "  %da f32[8,4] gradient = matmul(%db, %w2) tb=1\n"
                            "  %dw1 f32[4,4] gradient = matmul(%x, %da) ta=1\n" CHAIN_END;

/* Nothing is kept but the input and the loss: all is computed again at the first gradient. */
Test(remat, one_segment_is_worked_out_again_at_once)
{
    expect_result(chain, "segments=1", "keep=none",
                  CHAIN_TENSORS CHAIN_FORWARD
                  "  phase remat\n"
                  "  fusion %a.again name=\"a\" {\n"
                  "    %z1.again f32[8,4] = matmul(%x, %w1) name=\"z1\"\n"
                  "    %a.again f32[8,4] = elementwise(%z1.again) name=\"relu\" flops=32\n"
                  "  }\n"
                  "  fusion %b.again name=\"second\" {\n"
                  "    %z2.again f32[8,4] = matmul(%a.again, %w2) name=\"z2\"\n"
                  "    %b.again f32[8,4] = elementwise(%z2.again) name=\"b\" flops=32\n"
                  "  }\n"
                  "  %y.again f32[8,4] = matmul(%b.again, %w3) name=\"y\"\n"
                  "  phase bwd\n"
                  "  %dy f32[8,4] gradient = elementwise(%y.again) flops=32\n"
                  "  %dw3 f32[4,4] gradient = matmul(%b.again, %dy) ta=1\n"
                  "  %db f32[8,4] gradient = matmul(%dy, %w3) tb=1\n"
                  "  %dw2 f32[4,4] gradient = matmul(%a.again, %db) ta=1\n"
                  "  %da f32[8,4] gradient = matmul(%db, %w2) tb=1\n"
                  "  %dw1 f32[4,4] gradient = matmul(%x, %da) ta=1\n" CHAIN_END);
}

/* a, b and y have 128 bytes each: b ends the first half and is kept, since y is made of it. */
Test(remat, what_a_later_segment_reads_is_kept)
{
    expect_result(chain, "segments=2", "keep=none",
                  CHAIN_TENSORS CHAIN_FORWARD
                  "  phase remat\n"
                  "  %y.again f32[8,4] = matmul(%b, %w3) name=\"y\"\n"
                  "  phase bwd\n"
                  "  %dy f32[8,4] gradient = elementwise(%y.again) flops=32\n"
                  "  %dw3 f32[4,4] gradient = matmul(%b, %dy) ta=1\n"
                  "  %db f32[8,4] gradient = matmul(%dy, %w3) tb=1\n"
                  "  phase remat\n"
                  "  fusion %a.again name=\"a\" {\n"
                  "    %z1.again f32[8,4] = matmul(%x, %w1) name=\"z1\"\n"
                  "    %a.again f32[8,4] = elementwise(%z1.again) name=\"relu\" flops=32\n"
                  "  }\n"
                  "  phase bwd\n"
                  "  %dw2 f32[4,4] gradient = matmul(%a.again, %db) ta=1\n"
                  "  %da f32[8,4] gradient = matmul(%db, %w2) tb=1\n"
                  "  %dw1 f32[4,4] gradient = matmul(%x, %da) ta=1\n" CHAIN_END);
}

/* 512, 32, 512 and 512 bytes: half of them is full behind c, but least crosses behind b. */
Test(remat, a_part_ends_where_least_crosses)
{
    static const char *const words[] = { "segments=2" };
    struct err err;
    char *got = rematerialize_step("cyclotron-trace 1\n"
                                   "tensor %w f32[16,16] weight\n"
                                   "step {\n"
                                   "  %x f32[8,16] = infeed()\n"
                                   "  %a f32[8,16] = elementwise(%x)\n"
                                   "  %b f32[8,1] = reduce(%a)\n"
                                   "  %c f32[8,16] = elementwise(%b)\n"
                                   "  %d f32[8,16] = elementwise(%c)\n"
                                   "  %g f32[8,16] gradient = elementwise(%d, %c, %b, %a)\n"
                                   "  %dw f32[16,16] gradient = matmul(%g, %x) ta=1\n"
                                   "  optimizer(%w, %dw)\n"
                                   "}\n",
                                   words, 1, &err);

    cr_assert_not_null(got, "%s", err.msg);
    cr_expect_not_null(strstr(got, "= elementwise(%d.again, %c.again, %b, %a.again)\n"), "%s", got);
    free(got);
}

/* --- what is of use to gradients alone ------------------------------------------------------ */

/* The mask is not made in the forward pass at all, and the concatenation not stored; with products
 * kept, these two are all that is computed again. */
Test(remat, what_only_gradients_read_is_made_for_them_alone)
{
    static const char text[] = "cyclotron-trace 1\n"
                               "tensor %w f32[8,4] weight\n"
                               "step {\n"
                               "  %p f32[8,4], %q f32[8,4] = infeed()\n"
                               "  fusion %c, %y, %mask {\n"
                               "    %c f32[8,8] = copy(%p, %q)\n"
                               "    %z f32[8,4] = matmul(%c, %w)\n"
                               "    %mask pred[8,4] = elementwise(%c) flops=32\n"
                               "    %y f32[8,4] = elementwise(%z) flops=32\n"
                               "  }\n"
                               "  %dy f32[8,4] gradient = elementwise(%y, %mask) flops=32\n"
                               "  %dw f32[8,4] gradient = matmul(%c, %dy) ta=1\n"
                               "  optimizer(%w, %dw) flops=64\n"
                               "  outfeed(%y)\n"
                               "}\n";

    expect_result(text, "segments=1", "keep=products",
                  "tensor %w f32[8,4] weight\n"
                  "step {\n"
                  "  %p f32[8,4], %q f32[8,4] = infeed()\n"
                  "  fusion %y {\n"
                  "    %c f32[8,8] = copy(%p, %q)\n"
                  "    %z f32[8,4] = matmul(%c, %w)\n"
                  "    %y f32[8,4] = elementwise(%z) flops=32\n"
                  "  }\n"
                  "  phase remat\n"
                  "  fusion %c.again, %mask.again name=\"c\" {\n"
                  "    %c.again f32[8,8] = copy(%p, %q) name=\"c\"\n"
                  "    %mask.again pred[8,4] = elementwise(%c.again) name=\"mask\" flops=32\n"
                  "  }\n"
                  "  %dy f32[8,4] gradient = elementwise(%y, %mask.again) flops=32\n"
                  "  %dw f32[8,4] gradient = matmul(%c.again, %dy) ta=1\n"
                  "  optimizer(%w, %dw) flops=64\n"
                  "  outfeed(%y)\n"
                  "}\n");
}

/* --- what cannot be computed again --------------------------------------------------------- */

static void expect_kept(const char *text, const char *kept, const char *again)
{
    static const char *const words[] = { "segments=1" };
    struct err err;
    char line[64], *got = rematerialize_step(text, words, 1, &err);

    cr_assert_not_null(got, "%s", err.msg);
    snprintf(line, sizeof line, "%%%s.again", kept);
    cr_expect_null(strstr(got, line), "%s", got);
    snprintf(line, sizeof line, "%%%s.again", again);
    cr_expect_not_null(strstr(got, line), "%s", got);
    cr_expect_eq(read_all(got, strlen(got), false, &err), 0, "%s", err.msg);
    free(got);
}

/* a is made of %w as it was; b of a alone. */
Test(remat, what_was_made_of_weights_that_have_changed_is_kept)
{
    expect_kept("cyclotron-trace 1\n"
                "tensor %w f32[4,4] weight\n"
                "tensor %u f32[4,4] weight\n"
                "step {\n"
                "  %x f32[4,4] = infeed()\n"
                "  %a f32[4,4] = matmul(%x, %w)\n"
                "  %b f32[4,4] = elementwise(%a)\n"
                "  %g f32[4,4] gradient = elementwise(%x)\n"
                "  optimizer(%w, %g)\n"
                "  %db f32[4,4] gradient = elementwise(%b)\n"
                "  %du f32[4,4] gradient = matmul(%a, %db)\n"
                "  optimizer(%u, %du)\n"
                "}\n",
                "a", "b");
}

/* The sum over all cores stands in a; what was made of it may be made again, what was made of its
 * summand may not. */
Test(remat, what_a_collective_has_changed_is_kept)
{
    expect_kept("cyclotron-trace 1\n"
                "tensor %w f32[4,4] weight\n"
                "step {\n"
                "  %x f32[4,4] = infeed()\n"
                "  %a f32[4,4] = elementwise(%x)\n"
                "  all-reduce(%a)\n"
                "  %b f32[4,4] = elementwise(%a)\n"
                "  %dw f32[4,4] gradient = matmul(%a, %b)\n"
                "  optimizer(%w, %dw)\n"
                "}\n",
                "a", "b");
    expect_kept("cyclotron-trace 1\n"
                "tensor %w f32[4,4] weight\n"
                "step {\n"
                "  %x f32[4,4] = infeed()\n"
                "  %a f32[4,4] = elementwise(%x)\n"
                "  %c f32[4,4] = elementwise(%a)\n"
                "  all-reduce(%a)\n"
                "  %b f32[4,4] = elementwise(%c)\n"
                "  %dw f32[4,4] gradient = matmul(%c, %b)\n"
                "  optimizer(%w, %dw)\n"
                "}\n",
                "c", "b");
}

/* Gradients stand between a and b: what the second pass reads of the first is kept. */
Test(remat, passes_between_gradients_are_apart)
{
    expect_kept("cyclotron-trace 1\n"
                "tensor %w f32[4,4] weight\n"
                "step {\n"
                "  %x f32[4,4] = infeed()\n"
                "  %a f32[4,4] = elementwise(%x)\n"
                "  %g f32[4,4] gradient = elementwise(%a)\n"
                "  %b f32[4,4] = elementwise(%a)\n"
                "  %h f32[4,4] gradient = elementwise(%b, %g)\n"
                "  optimizer(%w, %h)\n"
                "}\n",
                "a", "b");
}

/* An inner block may run often: what it reads of outside is there for it. */
Test(remat, loops_have_forward_passes_of_their_own)
{
    static const char text[] = "cyclotron-trace 1\n"
                               "tensor %w f32[4,4] weight\n"
                               "step {\n"
                               "  phase out\n"
                               "  %x f32[4,4] = infeed()\n"
                               "  %a f32[4,4] = elementwise(%x)\n"
                               "  repeat 3 {\n"
                               "    %b f32[4,4] = elementwise(%a)\n"
                               "    phase in\n"
                               "    %c f32[4,4] = elementwise(%b)\n"
                               "    %dw f32[4,4] gradient = matmul(%a, %c)\n"
                               "    optimizer(%w, %dw)\n"
                               "  }\n"
                               "  %d f32[4,4] = elementwise(%a)\n"
                               "  %dx f32[4,4] gradient = elementwise(%d)\n"
                               "  outfeed(%dx)\n"
                               "}\n";

    expect_result(text, "segments=1", "keep=none",
                  "tensor %w f32[4,4] weight\n"
                  "step {\n"
                  "  phase out\n"
                  "  %x f32[4,4] = infeed()\n"
                  "  %a f32[4,4] = elementwise(%x)\n"
                  "  repeat 3 {\n"
                  "    phase in\n"
                  "    phase remat\n"
                  "    %b.again f32[4,4] = elementwise(%a) name=\"b\"\n"
                  "    %c.again f32[4,4] = elementwise(%b.again) name=\"c\"\n"
                  "    phase in\n"
                  "    %dw f32[4,4] gradient = matmul(%a, %c.again)\n"
                  "    optimizer(%w, %dw)\n"
                  "  }\n"
                  "  phase remat\n"
                  "  %d.again f32[4,4] = elementwise(%a) name=\"d\"\n"
                  "  phase out\n"
                  "  %dx f32[4,4] gradient = elementwise(%d.again)\n"
                  "  outfeed(%dx)\n"
                  "}\n");
}

/* --- every workload -------------------------------------------------------------------------- */

static char *generate_trace(const char *workload, const char *const *set, size_t n)
{
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_eq(gen_write(workload, set, n, out, &err), 0, "%s", err.msg);
    fclose(out);
    return text;
}

/* Highest peak of a step, and all FLOPs. */
static uint64_t find_peak(const char *text, uint64_t *flops)
{
    static const struct footprint_core core = { .tiling = { 128, 8 } };
    struct trace *t = open_text(text, false);
    struct trace_totals sum;
    struct footprint m;
    struct step step;
    struct err err;
    uint64_t most = 0;

    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0);
    while (step_read_next(&step, t, &err) == 1) {
        narrow_step(&step, TRACE_BF16);
        footprint_peak(&m, &step, &core, NULL, &(struct footprint_change){ 0 }, NULL);
        most = m.total > most ? m.total : most;
    }
    step_free(&step);
    cr_assert_eq(trace_rewind(t, &err), 0);
    trace_totals_init(&sum);
    cr_assert_eq(trace_sum(t, &sum, &err), 0);
    *flops = mpz_get_ui(sum.flops);
    trace_totals_clear(&sum);
    trace_close(t);
    return most;
}

/* Lines of what is not computed again, "phase" lines aside, sizes of fusions too. */
static uint32_t count_items(const char *text, const char *what)
{
    uint32_t n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

Test(remat, every_workload_stays_whole_whichever_way_it_is_cut)
{
    static const char *const workloads[] = { "3dgan", "exatrkx", "mlpf", "fc" };
    static const char *const words[] = { "segments=phases", "segments=1", "segments=3",
                                         "segments=17", "segments=200" };

    for (size_t w = 0; w < 4; w++) {
        uint64_t flops, more;
        char *text = generate_trace(workloads[w], NULL, 0);
        find_peak(text, &flops);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            struct err err;
            char *got = rematerialize_step(text, &words[i], 1, &err);
            cr_assert_not_null(got, "%s %s: %s", workloads[w], words[i], err.msg);
            char *again = print_canonical(got);
            cr_expect_str_eq(again, got, "%s %s", workloads[w], words[i]);
            free(again);
            find_peak(got, &more);
            cr_expect_geq(more, flops, "%s %s", workloads[w], words[i]);
            cr_expect_leq(more, 2 * flops, "%s %s", workloads[w], words[i]);
            static const char *const same[] = { "= infeed(", " optimizer(", " outfeed(",
                                                " gradient", " all-reduce(" };
            for (size_t k = 0; k < 5; k++)
                cr_expect_eq(count_items(got, same[k]), count_items(text, same[k]), "%s %s %s",
                             workloads[w], words[i], same[k]);
            free(got);
        }
        free(text);
    }
}

/* The generator keeps the latent columns of each iteration: 12.52 GiB, 13.1 TFLOP. */
Test(remat, a_whole_event_takes_no_more_than_if_it_were_generated_so)
{
    static const char *const set[] = { "remat=yes" }, *const fit[] = { "fit=20 GiB" },
                             *const tight[] = { "fit=11 GiB" };
    uint64_t flops[5], bytes[5];
    struct err err;
    char *text = generate_trace("exatrkx", NULL, 0), *given = generate_trace("exatrkx", set, 1);
    char *least = rematerialize_step(text, NULL, 0, &err),
         *enough = rematerialize_step(text, fit, 1, &err);

    char *little = rematerialize_step(text, tight, 1, &err);
    cr_assert(least && enough && little);
    bytes[0] = find_peak(text, &flops[0]);
    bytes[1] = find_peak(given, &flops[1]);
    bytes[2] = find_peak(least, &flops[2]);
    bytes[3] = find_peak(enough, &flops[3]);
    cr_expect_leq(bytes[2], bytes[1]);
    cr_expect_leq(flops[2], flops[1]);
    bytes[4] = find_peak(little, &flops[4]);
    cr_expect_leq(bytes[3], UINT64_C(20) << 30);
    cr_expect_leq(bytes[4], UINT64_C(11) << 30);
    cr_expect_lt(flops[3], flops[2]);
    cr_expect_gt(flops[3], flops[0]);
    cr_expect_gt(bytes[0], UINT64_C(39) << 30);
    free(text);
    free(given);
    free(least);
    free(enough);
    free(little);
}

/* --- errors ---------------------------------------------------------------------------------- */

static void expect_refusal(const char *text, const char *word, const char *more, const char *why)
{
    const char *words[] = { word, more };
    struct err err;

    cr_assert_null(rematerialize_step(text, words, more ? 2 : 1, &err), "%s", word);
    cr_expect_str_eq(err.msg, why);
}

Test(remat, what_cannot_be_is_refused)
{
    expect_refusal(chain, "segments=0", NULL,
                   "segments = '0': expected phases or a whole number in [1, 4096]");
    expect_refusal(chain, "segments=2x", NULL,
                   "segments = '2x': expected phases or a whole number in [1, 4096]");
    expect_refusal(chain, "keep=all", NULL, "keep = 'all': expected none or products");
    expect_refusal(chain, "fit=8", NULL, "fit = '8': expected bytes, such as \"16 GiB\"");
    expect_refusal(chain, "fit=-1 B", NULL, "fit = -1 B: outside [1 B, 8 EiB)");
    expect_refusal(chain, "fit=1 MiB", "segments=2",
                   "fit and segments: give one of them; fit= chooses segments");
    expect_refusal(chain, "segment=2", NULL,
                   "unknown parameter 'segment'; did you mean 'segments'?");
    expect_refusal(chain, "keep=products", "segments=1",
                   "t: nothing that gradients read is given up; try fewer segments or keep=none");
    /* when dw2 is made: three weights, x, a, db, dw3, dw2 of 2 KiB each, and the loss */
    expect_refusal(chain, "fit=1 KiB", NULL,
                   "t: fit = 9.537e-07 GiB: the least that any way leaves is 1.574e-05 GiB a core");
    expect_refusal(chain, "fit=1 GiB", NULL,
                   "t: fit = 1 GiB: it takes 1.574e-05 GiB a core as it is");
    expect_refusal("cyclotron-trace 1\nstep {\n  %x f32[4] = infeed()\n  outfeed(%x)\n}\n",
                   "keep=none", NULL, "t: no activation that gradients read can be computed again");
    expect_refusal(
        "cyclotron-trace 1\nstep {\n  phase remat\n  %x f32[4] = infeed()\n  outfeed(%x)\n}\n",
        "segments=1", NULL, "t:3: a step with a phase remat was rematerialised already");
}
