/* Canonical text: what is written comes back, in one order, without what says nothing. */
#include "tests/unit/trace/trace_helper.h"

#define HEAD                                                                                       \
    "cyclotron-trace 1\n"                                                                          \
    "workload \"all \\\"kinds\\\"\"\n"                                                             \
    "samples step=2 epoch=10\n"                                                                    \
    "dtype tensors=bf16 matmul=f16 activations=narrow\n"                                           \
    "framework jax\n"                                                                              \
    "param batch=2\n"                                                                              \
    "param lr=1e-3\n"                                                                              \
    "recorded kernels=2 ns=4 unread=3 lost=1\n"                                                    \
    "provenance \"by hand\"\n"

static const char all[] =
    HEAD "tensor %x bf16[2,3,9,10] input\n"
         "tensor %f bf16[5,3,3,2] weight\n"
         "tensor %m f32[5,3,3,2] state\n"
         "tensor %dw bf16[3,1,3,2] weight\n"
         "tensor %t f64[7,4] constant\n"
         "tensor %i s32[10] input\n"
         "tensor %bias u8[5] weight\n"
         "step {\n"
         "  phase fwd\n"
         "  %d bf16[2,3,6,8] = conv(%x, %dw) size=3x2 pad=-1_0x1_-2 groups=3 precision=highest\n"
         "  %y bf16[2,5,5,7] = conv(%x, %f) name=\"c\" size=3x2 stride=2x1 "
         "pad=1_1x0_0 dilate=1x3 bias=%bias resident=lhs+rhs+out flops=1 reads=2 writes=3 "
         "note=\"a \\\\ b\"\n"
         "  fusion %g, %h name=\"two\" note=\"x\" {\n"
         "    %g f64[10,4] = gather(%t, %i) rows=10 cols=4 table-rows=7 "
         "sorted=1 unique=1\n"
         "    %k f64[10,4] = sort(%g) resident=out rows=10 cols=4\n"
         "    %h f64[10,10] gradient = matmul(%k, %k) tb=1\n"
         "  }\n"
         "  %q f64[4,4], %r pred[] = my.kernel(%g, %h) flops=12\n"
         "  %s f64[4,4] = matmul(%g, %g) ta=1\n"
         "  repeat 3 {\n"
         "    repeat 2 {\n"
         "      %z f64[] = reduce(%s)\n"
         "      phase inner\n"
         "    }\n"
         "    fusion {\n"
         "      optimizer(%f, %m) fn=rsqrt\n"
         "      %e f64[4,4] = elementwise(%s) fn=tanh resident=lhs flops=16\n"
         "    }\n"
         "  }\n"
         "  %a u32[] = all-gather-start(%s) group=2 payload=256\n"
         "  %ag f64[8,4] = all-gather-done(%a)\n"
         "  outfeed(%ag) sync=1\n"
         "  host() time=\"2.35 ms\" calls=3\n"
         "}\n"
         "step {\n"
         "}\n";

Test(trace_print, canonical_text_is_printed_as_it_is)
{
    char *printed = print_canonical(all);

    cr_assert_str_eq(printed, all, "%s", printed);
    free(printed);
}

Test(trace_print, what_says_nothing_is_dropped_and_attributes_get_their_order)
{
    char *printed = print_canonical(
        "\n# comment\n  cyclotron-trace\t1 # version\n"
        "param k=\t v\n"
        "tensor  %x f32[ 08 , 16 ]input\n"
        "step{ # a step\n"
        "\t%y f32[8,8]=matmul( %x,%x )note=n resident=out+lhs tb = 1 ta=0 name=y#end\n"
        "%c f32[8,16,1] = rng()\n"
        "%w f32[8,16,1] = rng()\n"
        "%z f32[8,8,1] = conv(%c, %w) dilate=1 pad=0_0 stride=1 size=1\n"
        "all-reduce(%x) group=0\n"
        "host() calls=1 time=\"0.5 s\"\n"
        "}\n");

    cr_assert_str_eq(printed,
                     "cyclotron-trace 1\n"
                     "samples step=1\n"
                     "dtype tensors=f32 matmul=bf16 activations=keep\n"
                     "param k=v\n"
                     "tensor %x f32[8,16] input\n"
                     "step {\n"
                     "  %y f32[8,8] = matmul(%x, %x) name=\"y\" tb=1 resident=lhs+out note=\"n\"\n"
                     "  %c f32[8,16,1] = rng()\n"
                     "  %w f32[8,16,1] = rng()\n"
                     "  %z f32[8,8,1] = conv(%c, %w) size=1\n"
                     "  all-reduce(%x)\n"
                     "  host() time=\"500 ms\"\n"
                     "}\n",
                     "%s", printed);
    char *again = print_canonical(printed);
    cr_assert_str_eq(again, printed);
    free(again);
    free(printed);
}

Test(trace_print, times_keep_every_digit)
{
    static const char *const times[][2] = {
        { "0 s", "0 fs" },
        { "1 s", "1 s" },
        { "18446 s", "18446 s" },
        { "1000 fs", "1 ps" },
        { "1.5 us", "1.5 us" },
        { "0.000001 ms", "1 ns" },
        { "1500.05 ms", "1.50005 s" },
        { "1234567.890123456 us", "1.234567890123456 s" },
    };

    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        char text[200], want[200];
        snprintf(text, sizeof text, "cyclotron-trace 1\nstep {\nhost() time=\"%s\"\n}\n",
                 times[i][0]);
        snprintf(want, sizeof want, "time=\"%s\"", times[i][1]);
        char *printed = print_canonical(text);
        cr_expect_not_null(strstr(printed, want), "%s: %s", want, printed);
        free(printed);
    }
}

Test(trace_print, totals_multiply_repeats_out)
{
    struct trace *t = open_text("cyclotron-trace 1\n"
                                "tensor %x f32[8,16] input\n"
                                "tensor %w f32[16,32] weight\n"
                                "tensor %b bf16[32] weight\n"
                                "tensor %m f32[16,32] state\n"
                                "tensor %k f32[9] constant\n"
                                "step {\n"
                                "phase a\n"
                                "repeat 3 {\n"
                                "repeat 5 {\n"
                                "fusion %y {\n"
                                "%y f32[8,32] = matmul(%x, %w)\n" /* 8192, 2560, 1024; 15 times */
                                "}\n"
                                "}\n"
                                "all-reduce(%w)\n" /* 2048; 3 times */
                                "}\n"
                                "optimizer(%w, %m) flops=7\n" /* 4096, 4096 */
                                "%z u32[] = infeed-start() payload=20\n"
                                "%v f32[5] = infeed-done(%z)\n"
                                "}\n"
                                "step {\n"
                                "phase b\n"
                                "outfeed(%b)\n" /* 64 */
                                "}\n",
                                false);
    struct trace_totals s;
    struct err err;

    for (int round = 0; round < 2; round++) { /* trace_sum starts at the start */
        trace_totals_init(&s);
        cr_assert_eq(trace_sum(t, &s, &err), 0, "%s", err.msg);
        cr_assert_eq(s.ops, 15 + 3 + 1 + 2 + 1);
        cr_assert(s.ops_written == 6 && s.fusions == 15 && s.steps == 2 && s.phases == 2);
        cr_assert_eq(s.tensors, 5);
        cr_assert_eq(mpz_get_ui(s.flops), 15 * 8192 + 7);
        cr_assert_eq(mpz_get_ui(s.reads), 15 * 2560 + 4096);
        cr_assert_eq(mpz_get_ui(s.writes), 15 * 1024 + 4096);
        cr_assert_eq(mpz_get_ui(s.reduce_bytes), 6144);
        cr_assert_eq(mpz_get_ui(s.infeed_bytes), 20);
        cr_assert_eq(mpz_get_ui(s.outfeed_bytes), 64);
        cr_assert_eq(mpz_get_ui(s.parameters), 544);
        cr_assert_eq(mpz_get_ui(s.weight_bytes), 2048 + 64);
        cr_assert_eq(mpz_get_ui(s.state_bytes), 2048);
        cr_assert_eq(mpz_get_ui(s.input_bytes), 512);
        trace_totals_clear(&s);
    }
    trace_close(t);
}

Test(trace_print, totals_pass_64_bits)
{
    struct trace *t = open_text("cyclotron-trace 1\nstep {\nrepeat 4611686018427387904 {\n"
                                "%y u8[] = rng() flops=18446744073709551615\n}\n}\n",
                                false);
    struct trace_totals s;
    struct err err;

    trace_totals_init(&s);
    cr_assert_eq(trace_sum(t, &s, &err), 0, "%s", err.msg);
    char *flops = mpz_get_str(NULL, 16, s.flops); /* (2^64 - 1) 2^62 */
    cr_assert_str_eq(flops, "3fffffffffffffffc000000000000000");
    free(flops);
    trace_totals_clear(&s);
    trace_close(t);
    t = open_text("cyclotron-trace 1\nstep {\nrepeat 9223372036854775807 {\n"
                  "%a u8[] = rng()\n%b u8[] = rng()\n%c u8[] = rng()\n}\n}\n",
                  false);
    trace_totals_init(&s);
    cr_assert_eq(trace_sum(t, &s, &err), -1);
    cr_assert_str_eq(err.msg, "t:6:1: the trace executes more than 2^64 operations");
    cr_assert_eq(err.code, ERR_RANGE);
    trace_totals_clear(&s);
    trace_close(t);
}
