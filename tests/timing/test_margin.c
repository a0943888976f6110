/* Memory that rests on xla.narrow_activations, on a core that has half of the HBM of its chip: an
 * activation of 4 GiB in f32 that a product reads, and 2 GiB of it in bf16.  Weights of 1 MiB, a
 * result of 1 GiB. */
#include "base/exact.h"
#include "run/result/margin.h"
#include "tests/physics/replay_bench.h"

#define MIB UINT64_C(1048576)

static void run_margin(struct run_result *r, const char *activations, const char *narrow,
                       const char *capacity)
{
    char text[512];
    const char *set[] = { narrow, capacity, "hbm.reserved=0 B" };
    struct run_request q = {
        .trace = "t", .text = text, .machine = "tpu-v2-1", .set = set, .n_set = 3, .steps = 1
    };
    struct err e;

    snprintf(text, sizeof text,
             "cyclotron-trace 1\ndtype tensors=f32 matmul=bf16 activations=%s\n"
             "tensor %%w f32[1024,256] weight\n"
             "step {\n  %%x f32[1048576,1024] = rng() flops=8\n"
             "  %%y f32[1048576,256] = matmul(%%x, %%w)\n}\n",
             activations);
    q.text_size = strlen(text);
    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

/* x in f32: 4096 MiB, y: 1024 MiB, w: 1 MiB; x in bf16: 2048 MiB. */
#define WIDE ((4096 + 1024 + 1) * MIB)
#define NARROW ((2048 + 1024 + 1) * MIB)

Test(margin, the_other_value_of_the_switch_is_measured)
{
    struct run_result r;

    run_margin(&r, "narrow", "xla.narrow_activations=yes", "hbm.capacity=8 GiB");
    cr_expect_eq(r.peak_bytes_per_core, NARROW, "%lu", r.peak_bytes_per_core);
    cr_expect(r.fits && r.fit_switch.known && !r.fit_switch.fits);
    cr_expect_eq(r.fit_switch.peak, WIDE, "%lu", r.fit_switch.peak);
    cr_expect_str_eq(r.fit_switch.set, "xla.narrow_activations=no");
    cr_expect(margin_rests_on_switch(&r));
    cr_expect_not(margin_is_close(&r), "a quarter is left");
    run_result_free(&r);

    run_margin(&r, "narrow", "xla.narrow_activations=no", "hbm.capacity=8 GiB");
    cr_expect_eq(r.peak_bytes_per_core, WIDE);
    cr_expect(!r.fits && r.fit_switch.fits);
    cr_expect_eq(r.fit_switch.peak, NARROW);
    cr_expect_str_eq(r.fit_switch.set, "xla.narrow_activations=yes");
    run_result_free(&r);
}

Test(margin, a_verdict_is_close_within_15_percent_of_the_capacity)
{
    struct run_result r;
    static const struct {
        const char *capacity;
        bool fits, close;
    } want[] = {
        { "hbm.capacity=6 GiB", false, true },     /* 1 MiB too little */
        { "hbm.capacity=7232 MiB", true, false },  /* 3073 / 3616 = 0.8498 */
        { "hbm.capacity=7230 MiB", true, true },   /* 0.85007 */
        { "hbm.capacity=5346 MiB", false, true },  /* 1.1496 */
        { "hbm.capacity=5344 MiB", false, false }, /* 1.15007 */
    };

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        run_margin(&r, "narrow", "xla.narrow_activations=yes", want[i].capacity);
        cr_expect_eq(r.fits, want[i].fits, "%s", want[i].capacity);
        cr_expect_eq(margin_is_close(&r), want[i].close, "%s", want[i].capacity);
        run_result_free(&r);
    }
}

/* A trace that keeps its activations leaves the compiler no choice. */
Test(margin, there_is_no_switch_where_the_trace_decides)
{
    struct run_result r;

    run_margin(&r, "keep", "xla.narrow_activations=yes", "hbm.capacity=16 GiB");
    cr_expect_eq(r.peak_bytes_per_core, WIDE);
    cr_expect_not(r.fit_switch.known);
    cr_expect_not(margin_rests_on_switch(&r));
    EXACT_Q(q);
    EXACT_Q(left);
    margin_of(q, &r);
    exact_ratio(left, 8192 - 5121, 8192);
    cr_expect(mpq_equal(q, left));
    run_result_free(&r);
}

/* Only [xla] of a TPU has the switch: --set refuses it on a GPU and a CPU. */
Test(margin, a_machine_without_the_switch_is_not_offered_it)
{
    static const char text[] = "cyclotron-trace 1\n"
                               "dtype tensors=f32 matmul=bf16 activations=narrow\n"
                               "tensor %w f32[1024,256] weight\nstep {\n"
                               "  %x f32[4096,1024] = rng() flops=8\n"
                               "  %y f32[4096,256] = matmul(%x, %w)\n}\n";
    static const struct {
        const char *machine;
        bool known;
    } want[] = {
        { "tpu-v2-1", true }, { "k80", false }, { "v100x1", false }, { "xeon-6148", false }
    };

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct run_request q = { .trace = "t",
                                 .text = text,
                                 .text_size = strlen(text),
                                 .machine = want[i].machine,
                                 .steps = 1 };
        struct run_result r;
        struct err e;
        cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
        cr_expect_eq(r.fit_switch.known, want[i].known, "%s", want[i].machine);
        run_result_free(&r);
    }
}
