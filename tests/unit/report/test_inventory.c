#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/inventory_report.h"

/* Worked out by hand: %a has 4 * 4 = 16 B.  A reduce reads 16 B and writes 4 B. */
static const char text[] = "cyclotron-trace 1\n"
                           "workload \"by hand\"\n"
                           "samples step=2\n"
                           "tensor %w f32[4] weight\n"
                           "step {\n"
                           "  %a f32[4] = rng() flops=8\n"
                           "  phase fwd\n"
                           "  repeat 3 {\n"
                           "    %b f32[] = reduce(%a) flops=10\n"
                           "    phase inner\n"
                           "    repeat 5 {\n"
                           "      %c f32[] = reduce(%a) flops=1\n"
                           "    }\n"
                           "  }\n"
                           "  %d f32[] = reduce(%a) flops=100\n"
                           "  %s u32[] = all-reduce-start(%a)\n"
                           "  %e f32[4] = all-reduce-done(%s)\n"
                           "}\n"
                           "step {\n"
                           "  phase fwd\n"
                           "  %f f32[] = reduce(%w) flops=1000\n"
                           "}\n";

static struct trace *read_inventory(struct inventory *v)
{
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "hand.trace", text, strlen(text), false, &err), 0, "%s",
                 err.msg);
    cr_assert_eq(inventory_read(v, t, &err), 0, "%s", err.msg);
    return t;
}

static void check_phase(const struct inventory_phase *p, const char *name, uint64_t ops,
                        unsigned long flops, unsigned long bytes)
{
    cr_expect_str_eq(p->name, name);
    cr_expect_eq(p->ops, ops, "%s: %llu ops", name, (unsigned long long)p->ops);
    cr_expect_eq(mpz_cmp_ui(p->flops, flops), 0, "%s: %lu FLOP", name, mpz_get_ui(p->flops));
    cr_expect_eq(mpz_cmp_ui(p->bytes, bytes), 0, "%s: %lu B", name, mpz_get_ui(p->bytes));
}

Test(inventory, phases_end_with_their_block_and_repeats_multiply)
{
    struct inventory v;
    struct trace *t = read_inventory(&v);

    cr_assert_eq(v.n_phases, 3);
    check_phase(&v.phases[0], "", 1, 8, 16);
    /* 3 rounds of b; d; start with its 16 B of payload, done with none; f of the second step */
    check_phase(&v.phases[1], "fwd", 3 + 1 + 2 + 1, 30 + 100 + 1000, 3 * 20 + 20 + 16 + 20);
    check_phase(&v.phases[2], "inner", 15, 15, 15 * 20);
    inventory_free(&v);
    trace_close(t);
}

Test(inventory, text_shows_totals_and_phases_with_their_units)
{
    struct inventory v;
    struct trace *t = read_inventory(&v);
    char *got;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    v.checksum = 0xabc; /* of the text above; its value is the reader's business */
    report_inventory_text(&v, t, out);
    fclose(out);
    const char *want =
        "workload              by hand\n"
        "samples per step      2\n"
        "samples per epoch     unknown\n"
        "dtypes                tensors f32, matmul bf16, activations keep\n"
        "checksum              0000000000000abc\n"
        "\n"
        "steps                 2\n"
        "operations            23 run in 2 steps, 7 lines in the trace\n"
        "fusions               0\n"
        "useful work           1153 FLOP (1.153 kFLOP)\n"
        "logical reads         320 B\n"
        "logical writes        96 B\n"
        "collective payload    16 B\n"
        "infeed                0 B\n"
        "outfeed               0 B\n"
        "parameters            4\n"
        "weights               16 B\n"
        "optimizer state       0 B\n"
        "inputs                0 B\n"
        "\n"
        "phase                                  ops           kFLOP       logical B\n"
        "(none)                                   1           0.008          16.000\n"
        "fwd                                      7           1.130         116.000\n"
        "inner                                   15           0.015         300.000\n";
    cr_assert_str_eq(got, want, "got\n%s\nwant\n%s", got, want);
    free(got);
    inventory_free(&v);
    trace_close(t);
}
