/* Model FLOPs and samples of a step, worked out by hand: products of 256^3 on eight cores. */
#include "base/exact.h"
#include "run/epoch.h"
#include "run/result/speed.h"
#include "tests/physics/replay_bench.h"

#define PRODUCT UINT64_C(33554432) /* 2 * 256^3 FLOP */

static void expect_number(const mpq_t q, uint64_t num, uint64_t den, const char *what)
{
    EXACT_Q(want);
    exact_ratio(want, num, den);
    cr_expect(mpq_equal(q, want), "%s: %.17g, not %.17g", what, mpq_get_d(q), mpq_get_d(want));
}

/* 2 cores x 2 MXUs of 128x128 at 940 MHz: 2 * 16384 * 2 * 940 MHz = 61.60384 TFLOP/s of a core. */
Test(speed, model_flops_are_those_of_all_cores_without_what_is_computed_again)
{
    struct run_result r;
    struct err e;

    cr_assert_eq(replay_text(&r,
                             "step {\n  phase fwd\n  %a f32[256,256] = matmul(%x, %x)\n"
                             "  phase remat\n  %b f32[256,256] = matmul(%a, %x)\n"
                             "  phase bwd\n  %c f32[256,256] = matmul(%b, %a)\n}\n",
                             "tpu-v3-8", NULL, 2, &e),
                 0, "%s", e.msg);
    EXACT_Q(q);
    EXACT_Q(share);
    expect_number(r.model_flops, 2 * 8 * PRODUCT, 1, "two products on eight cores");
    speed_peak(q, &r);
    expect_number(q, UINT64_C(8) * 61603840000000, 1, "peak");
    cr_expect_str_eq(speed_dtype(&r), "bf16");
    mpq_mul(share, q, r.seconds_per_step);
    mpq_div(share, r.model_flops, share);
    speed_utilization(q, &r);
    cr_expect(mpq_equal(q, share));
    cr_expect_eq(r.tensor_cores, 8u);
    cr_expect_eq(r.mxus, 2u);
    speed_hbm_of_chip(q, &r);
    expect_number(q, UINT64_C(900000000000), 1, "HBM of a chip");
    run_result_free(&r);
}

Test(speed, products_of_8_bits_are_held_against_their_own_peak)
{
    struct run_result r;
    struct err e;

    cr_assert_eq(replay_text(&r,
                             "tensor %s s8[256,256] input\n"
                             "step {\n  %a f32[256,256] = matmul(%s, %s)\n}\n",
                             "tpu-v3-8", "mxu.int8_rate=2", 1, &e),
                 0, "%s", e.msg);
    EXACT_Q(q);
    expect_number(r.model_flops, 8 * PRODUCT, 1, "one product on eight cores");
    speed_peak(q, &r);
    expect_number(q, UINT64_C(16) * 61603840000000, 1, "twice the peak");
    speed_plain_peak(q, &r);
    expect_number(q, UINT64_C(8) * 61603840000000, 1, "peak in bf16");
    cr_expect_str_eq(speed_dtype(&r), "8-bit");
    run_result_free(&r);
}

static void replay_epoch(struct run_result *r, const char *samples)
{
    char text[256];
    struct run_request q = { .trace = "t", .text = text, .machine = "tpu-v3-8", .steps = 1 };
    struct err e;

    snprintf(text, sizeof text,
             "cyclotron-trace 1\nsamples %s\ntensor %%x f32[256,256] input\n"
             "step {\n  %%a f32[256,256] = matmul(%%x, %%x)\n}\n",
             samples);
    q.text_size = strlen(text);
    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

/* A global batch of 8 on 8 cores. */
Test(speed, an_epoch_says_what_its_whole_steps_leave_over)
{
    static const struct {
        const char *samples;
        unsigned steps, dropped, added, batch, counted; /* counted: of an epoch, for samples/s */
        bool is_short;
    } want[] = {
        { "step=1 epoch=111", 13, 7, 0, 8, 104, false }, /* 13 * 8 = 104 */
        { "step=1 epoch=112", 14, 0, 0, 8, 112, false },
        { "step=16 epoch=111", 1, 0, 17, 128, 111, true },
        { "step=16 epoch=128", 1, 0, 0, 128, 128, false },
        /* the trace says how many steps there are: 120 samples, 9 of them padding */
        { "step=1 epoch=111 steps=15", 15, 0, 9, 8, 111, false },
    };

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct run_result r;
        replay_epoch(&r, want[i].samples);
        EXACT_Q(q);
        expect_number(r.steps_per_epoch, want[i].steps, 1, want[i].samples);
        epoch_dropped(q, &r);
        expect_number(q, want[i].dropped, 1, want[i].samples);
        epoch_added(q, &r);
        expect_number(q, want[i].added, 1, want[i].samples);
        cr_expect(mpz_cmp_ui(r.samples_per_step, want[i].batch) == 0, "%s", want[i].samples);
        cr_expect_eq(epoch_is_short(&r), want[i].is_short, "%s", want[i].samples);
        mpq_mul(q, r.samples_per_second, r.seconds_per_epoch);
        expect_number(q, want[i].counted, 1, want[i].samples);
        run_result_free(&r);
    }
}
