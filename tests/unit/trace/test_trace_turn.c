/* Repeats with an index: written out turn by turn, with values carried from turn to turn. */
#include "passes/footprint.h"
#include "step/step.h"
#include "tests/unit/trace/trace_helper.h"

#define V "cyclotron-trace 1\n"

/* Three layers, forward and backward; f32[8,128] is one tile of 4096 bytes, a weight 65536. */
static const char layers[] = V "repeat l=1..3 {\n"
                               "  tensor %w f32[128,128] weight\n"
                               "}\n"
                               "step {\n"
                               "  %h[0] f32[8,128] = infeed()\n"
                               "  repeat l=1..3 {\n"
                               "    %h f32[8,128] = matmul(%h[l-1], %w)\n"
                               "  }\n"
                               "  %d[3] f32[8,128] gradient = elementwise(%h[3])\n"
                               "  repeat l=3..1 {\n"
                               "    %dw f32[128,128] gradient = matmul(%h[l-1], %d) ta=1\n"
                               "    %d[l-1] f32[8,128] gradient = matmul(%d, %w) tb=1\n"
                               "    optimizer(%w, %dw)\n"
                               "  }\n"
                               "}\n";

Test(trace_turn, turns_are_written_out)
{
    char *printed = print_canonical(layers), *again = print_canonical(printed);

    cr_expect_str_eq(printed, "cyclotron-trace 1\nsamples step=1\n"
                              "dtype tensors=f32 matmul=bf16 activations=keep\n"
                              "tensor %w[1] f32[128,128] weight\n"
                              "tensor %w[2] f32[128,128] weight\n"
                              "tensor %w[3] f32[128,128] weight\n"
                              "step {\n"
                              "  %h[0] f32[8,128] = infeed()\n"
                              "  %h[1] f32[8,128] = matmul(%h[0], %w[1])\n"
                              "  %h[2] f32[8,128] = matmul(%h[1], %w[2])\n"
                              "  %h[3] f32[8,128] = matmul(%h[2], %w[3])\n"
                              "  %d[3] f32[8,128] gradient = elementwise(%h[3])\n"
                              "  %dw[3] f32[128,128] gradient = matmul(%h[2], %d[3]) ta=1\n"
                              "  %d[2] f32[8,128] gradient = matmul(%d[3], %w[3]) tb=1\n"
                              "  optimizer(%w[3], %dw[3])\n"
                              "  %dw[2] f32[128,128] gradient = matmul(%h[1], %d[2]) ta=1\n"
                              "  %d[1] f32[8,128] gradient = matmul(%d[2], %w[2]) tb=1\n"
                              "  optimizer(%w[2], %dw[2])\n"
                              "  %dw[1] f32[128,128] gradient = matmul(%h[0], %d[1]) ta=1\n"
                              "  %d[0] f32[8,128] gradient = matmul(%d[1], %w[1]) tb=1\n"
                              "  optimizer(%w[1], %dw[1])\n"
                              "}\n");
    cr_expect_str_eq(again, printed);
    free(again);
    free(printed);
}

Test(trace_turn, a_plain_repeat_holds_one_and_is_in_one)
{
    char *printed = print_canonical(V "step {\n"
                                      "  repeat 4 {\n"
                                      "    %x[7] f32[4] = rng()\n"
                                      "    repeat k=8..9 {\n"
                                      "      %t u32[] = outfeed-start(%x[k-1])\n"
                                      "      fusion %x name=f note=n {\n"
                                      "        %y f32[4] = elementwise(%x[k-1]) name=\"a b\"\n"
                                      "        %x f32[4] = elementwise(%y)\n"
                                      "      }\n"
                                      "      outfeed-done(%t)\n"
                                      "      repeat 5 {\n"
                                      "        %s f32[] = reduce(%x)\n"
                                      "      }\n"
                                      "    }\n"
                                      "    outfeed(%x[9..7])\n"
                                      "  }\n"
                                      "  %x f32[4] = rng()\n"
                                      "}\n");

    cr_expect_not_null(strstr(printed, "  repeat 4 {\n"
                                       "    %x[7] f32[4] = rng()\n"
                                       "    %t[8] u32[] = outfeed-start(%x[7])\n"
                                       "    fusion %x[8] name=\"f[8]\" note=\"n\" {\n"
                                       "      %y[8] f32[4] = elementwise(%x[7]) name=\"a b[8]\"\n"
                                       "      %x[8] f32[4] = elementwise(%y[8])\n"
                                       "    }\n"
                                       "    outfeed-done(%t[8])\n"
                                       "    repeat 5 {\n"
                                       "      %s[8] f32[] = reduce(%x[8])\n"
                                       "    }\n"
                                       "    %t[9] u32[] = outfeed-start(%x[8])\n"));
    cr_expect_not_null(strstr(printed, "    outfeed(%x[9], %x[8], %x[7])\n"
                                       "  }\n"
                                       "  %x f32[4] = rng()\n"
                                       "}\n"));
    free(printed);
}

/* At the gradient of the weight of layer 3: three weights; h of layers 0, 1 and 2, which later
 * turns read; d of layer 3 and its gradient: 3 * 65536 + 3 * 4096 + 4096 + 65536. */
Test(trace_turn, what_a_later_repeat_reads_stays_in_memory)
{
    static const struct footprint_core core = { .tiling = { 128, 8 } };
    struct trace *t = open_text(layers, false);
    struct step step;
    struct footprint m;
    uint64_t live[14];
    struct err err;

    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    cr_assert_eq(step.n_nodes, 14);
    cr_expect_eq(step_verify(&step, "loading", &err), 0, "%s", err.msg);
    footprint_peak(&m, &step, &core, NULL, &(struct footprint_change){ false, false }, live);
    cr_expect_eq(m.total, 278528);
    cr_expect_eq(m.at, 5);
    cr_expect_eq(m.role[FOOTPRINT_WEIGHTS], 196608);
    cr_expect_eq(m.role[FOOTPRINT_GRADIENTS], 65536 + 4096);
    /* forward each layer adds an activation and none dies */
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(live[i], 196608 + (i + 1) * 4096u, "node %u", i);
    /* the last turn backward: h of layer 0, d of layer 1, the gradient of a weight */
    cr_expect_eq(live[11], 196608 + 2 * 4096 + 65536);
    step_free(&step);
    trace_close(t);
}

Test(trace_turn, totals_count_every_turn)
{
    struct trace *t = open_text(layers, false);
    struct trace_totals sum;
    struct err err;

    trace_totals_init(&sum);
    cr_assert_eq(trace_sum(t, &sum, &err), 0, "%s", err.msg);
    /* 9 products of 8 x 128 x 128 */
    cr_expect_eq(mpz_get_ui(sum.flops), 9 * 2 * 8 * 128 * 128);
    cr_expect_eq(mpz_get_ui(sum.parameters), 3 * 128 * 128);
    cr_expect_eq(sum.ops, 14);
    trace_totals_clear(&sum);
    trace_close(t);
}

Test(trace_turn, what_is_wrong_in_a_turn_has_its_message)
{
#define X V "tensor %x f32[8,16] input\nstep {\n" /* the next line is 4 */
    static const char *const rows[][2] = {
        { X "repeat l=1..2 {\n%h f32[8,16] = copy(%h[l-1])\n}\n}\n",
          "t:5:21: %h[0] is used before it is defined; operations stand in dependency order, so a "
          "cycle cannot be written" },
        { X "repeat 2 {\n%y f32[8,16] = copy(%carried)\n}\n}\n",
          "t:5:21: %carried is used before it is defined; operations stand in dependency order, so "
          "a cycle cannot be written, but a repeat with an index (repeat l=1..3) carries values "
          "from turn to turn (%h[l-1])" },
        /* the second turn carries another shape */
        { X "%h[0] f32[8,8] = rng()\nrepeat l=1..2 {\n%h f32[8,4] = matmul(%h[l-1], %x) ta=1\n",
          "t:6:1: %h[1] is f32[8,4], expected f32[8,16]" },
        { X "%h[0] f32[4,8] = rng()\nrepeat l=1..2 {\n%h f32[4,16] = matmul(%h[l-1], %x)\n}\n",
          "t:6:32: %x is f32[8,16], expected f32[16,16] (turn l=2)" },
        { X "repeat l=1..2 {\n%h[1] f32[8] = rng()\n}\n",
          "t:5:1: %h[1] is defined twice, first in line 5 (turn l=2)" },
        { X "repeat l=1..2 {\n%h f32[8] = rng()\n}\n%y f32[8] = copy(%h)\n",
          "t:7:18: %h is used before it is defined; operations stand in dependency order, so a "
          "cycle cannot be written; did you mean %x?" },
        { X "repeat l=1..2 {\n%h f32[8] = copy(%x[k])\n",
          "t:5:21: index 'k', expected a number, or the index of the repeat of line 4: l, l-1, "
          "l+1" },
        { X "%h f32[8] = copy(%x[k])\n",
          "t:4:21: index 'k', expected a number: no repeat with an index is open" },
        { X "repeat l=0..2 {\n%h f32[8] = copy(%x[l-1])\n",
          "t:5:21: index 'l-1' is below 0: outside [0, 99999]" },
        { X "repeat l=1..100000 {\n", "t:4:10: index '1..100000': outside [0, 99999]" },
        { X "repeat l=1 {\n", "t:4:10: expected turns such as 1..12, found '1'" },
        { X "repeat l2=1..3 {\n",
          "t:4:8: 'l2' is no index, expected letters, as in repeat l=1..12" },
        { X "repeat l=1..2 {\nrepeat k=1..2 {\n",
          "t:5:8: a repeat with an index inside another one (line 4); a repeat without an index "
          "may hold or be in one" },
        { X "repeat l=1..2 {\n", "t:5:1: the trace ends inside the block of line 4, expected '}'" },
        { X "repeat l=1..2 {\nfusion {\n",
          "t:6:1: the trace ends inside the block of line 5, expected '}'" },
        { V "repeat l=1..2 {\nstep {\n", "t:3:1: 'step' inside the block of line 2" },
        { V "repeat l=1..2 {\n%h f32[] = rng()\n", "t:3:1: an operation outside a step" },
        { V "repeat 2 {\n", "t:2:1: 'repeat' outside a step" },
        { X "}\nrepeat l=1..2 {\n", "t:5:1: 'repeat' outside a step" },
        { X "%h f32[8] = copy(%x[1..2] )\n",
          "t:4:18: %x[1] is used before it is defined; operations stand in dependency order, so a "
          "cycle cannot be written" },
    };
#undef X
    struct err err;

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(read_all(rows[i][0], strlen(rows[i][0]), false, &err), -1, "row %u", i);
        cr_expect_str_eq(err.msg, rows[i][1], "found %s\nexpected %s", err.msg, rows[i][1]);
    }
}

Test(trace_turn, a_trace_is_read_again_from_its_start)
{
    struct trace *t = open_text(layers, false);
    struct trace_item item;
    struct err err;

    /* left in the middle of a turn */
    for (int i = 0; i < 9; i++)
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
    cr_assert_eq(trace_rewind(t, &err), 0, "%s", err.msg);
    unsigned n = 0;
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        n += item.kind == TRACE_ITEM_OP;
    } while (item.kind != TRACE_ITEM_END);
    cr_expect_eq(n, 14);
    trace_close(t);
}
