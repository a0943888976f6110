/* An all-reduce of many operands, by hand and compiled: one collective of all bytes, and a small
 * cost for each operand. */
#include "replay_bench.h"

#define OPERANDS 141
#define ELEMENTS 32803 /* of an operand: 18.5 MB in all */

static void write_by_hand(FILE *f, unsigned n, unsigned elements)
{
    fputs("cyclotron-trace 1\nworkload \"sums\"\nsamples step=1\ndtype tensors=f32 matmul=f32\n",
          f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "tensor %%g%u f32[%u] weight\n", i, elements);
    fputs("step {\nall-reduce(", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s%%g%u", i ? ", " : "", i);
    fputs(")\n}\n", f);
}

static void write_compiled(FILE *f, unsigned n, unsigned elements)
{
    fputs("HloModule jit_step, is_scheduled=true, num_partitions=8\n\n"
          "%add (x: f32[], y: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n"
          "  %y = f32[] parameter(1)\n  ROOT %a = f32[] add(%x, %y)\n}\n\nENTRY %main (",
          f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%sp%u: f32[%u]", i ? ", " : "", i, elements);
    fputs(") -> (", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%sf32[%u]", i ? ", " : "", elements);
    fputs(") {\n", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "  %%p%u = f32[%u]{0} parameter(%u)\n", i, elements, i);
    fputs("  ROOT %r = (", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%sf32[%u]{0}", i ? ", " : "", elements);
    fputs(") all-reduce(", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s%%p%u", i ? ", " : "", i);
    fputs("), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, "
          "to_apply=%add\n}\n",
          f);
}

/* Microseconds of a step that sums `n` operands. */
static double time_of(const char *ending, void write(FILE *f, unsigned n, unsigned elements),
                      unsigned n, unsigned elements, const char *machine, const char *set)
{
    char path[] = "/tmp/cyclotron-sums-XXXXXX.trace";
    struct run_result r;

    strcpy(strchr(path, '.'), ending);
    FILE *f = fdopen(mkstemps(path, (int)strlen(ending)), "w");
    cr_assert_not_null(f);
    write(f, n, elements);
    cr_assert_eq(fclose(f), 0);
    replay_trace(&r, path, machine, set, 1, false);
    double us = 1e6 * mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    unlink(path);
    return us;
}

/* 18.5 MB in one piece take a v2-8 373 us; 140 more operands take 1.03 us each.  The compiler of
 * TPUs makes one collective of them whatever the machine says of traces by hand. */
Test(joined_operands, each_costs_a_little_and_not_a_latency)
{
    const char *each = "xla.combine_all_reduce=no";
    double one = time_of(".trace", write_by_hand, 1, OPERANDS * ELEMENTS, "tpu-v2-8", NULL);
    double many = time_of(".trace", write_by_hand, OPERANDS, ELEMENTS, "tpu-v2-8", NULL);
    double compiled = time_of(".hlo", write_compiled, OPERANDS, ELEMENTS, "tpu-v2-8", each);
    double apart = time_of(".trace", write_by_hand, OPERANDS, ELEMENTS, "tpu-v2-8", each);

    cr_expect_float_eq(one, 373, 2, "%g", one);
    cr_expect_float_eq(many - one, 144.2, 1, "%g", many - one);
    cr_expect_float_eq(compiled, many, 1, "%g, not %g", compiled, many);
    cr_expect_gt(apart, 1100, "each by itself: %g", apart);
}

/* Up to 124 hops of 1 us lie between the chips of a pod, which each operand waited for before. */
Test(joined_operands, large_slices_wait_for_their_hops_once)
{
    double one = time_of(".trace", write_by_hand, 1, 24000000, "tpu-v3-2048", NULL);
    double many = time_of(".trace", write_by_hand, 160, 150000, "tpu-v3-2048", NULL);

    cr_expect_float_eq(many - one, 163.8, 5, "%g", many - one);
}
