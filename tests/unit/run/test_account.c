/* Seconds of a step by what they rest on: each reason to doubt one is said; all add up to the step.
 * Programs are small, so that which operation has which reason is seen by eye. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/exact.h"
#include "machine/spec/catalog.h"
#include "run/result/account.h"
#include "run/result/result.h"
#include "study/trial_pace.h"

#define HEAD "cyclotron-trace 1\nworkload w\nsamples step=1\n"

static void replay_text(struct run_result *r, const char *text, const char *machine, bool allow)
{
    struct run_request q = { .trace = "w",
                             .text = text,
                             .text_size = strlen(text),
                             .machine = machine,
                             .steps = 1,
                             .allow_unknown = allow };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

/* The seconds of all rows, by what they rest on, add up to the account of the step. */
static void expect_rows(const struct run_result *r)
{
    for (int c = 0; c < N_ACCOUNT; c++) {
        EXACT_Q(sum);
        for (size_t i = 0; i < r->n_ops; i++) {
            const struct run_row *w = &r->ops[i];
            if (c == ACCOUNT_ASSUMPTIONS)
                mpq_add(sum, sum, w->assumed);
            else if ((int)w->rests == c)
                mpq_add(sum, sum, w->seconds);
            if (c == ACCOUNT_MODELS)
                mpq_sub(sum, sum, w->assumed);
        }
        cr_expect_eq(mpq_cmp(sum, r->account.seconds[c]), 0, "%s", account_name[c]);
    }
}

/* All seconds rest on something, once. */
static void expect_sum(const struct run_result *r)
{
    EXACT_Q(sum);
    for (int c = 0; c < N_ACCOUNT; c++)
        mpq_add(sum, sum, r->account.seconds[c]);
    cr_expect_eq(mpq_cmp(sum, r->seconds_per_step), 0);
}

/* Expect `count` executions in a class for a reason. */
static void expect_reason(const struct run_result *r, enum account_class class, uint64_t count,
                          const char *why)
{
    bool found = false;

    cr_expect_eq(r->account.count[class], count, "%s: %lu", account_name[class],
                 (unsigned long)r->account.count[class]);
    for (size_t i = 0; i < r->account.n_reasons; i++)
        found |= r->account.reason[i].class == class && strstr(r->account.reason[i].why, why);
    cr_expect(found || count == 0, "no reason '%s'", why);
    expect_sum(r);
    expect_rows(r);
}

static const char *class_of_kind(const struct run_result *r, const char *kind)
{
    for (size_t i = 0; i < r->account.n_kinds; i++)
        if (strcmp(r->account.kind[i].what, kind) == 0)
            return account_name[r->account.kind[i].class];
    return "none";
}

/* --- traces by hand ------------------------------------------------------------------------- */

Test(account, operations_of_unknown_kind_are_lower_bounds)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1024,1024] input\n"
                     "step {\n  %y f32[1024,1024] = frobnicate(%x)\n"
                     "  repeat 3 {\n    %z f32[1024,1024] = frobnicate(%x)\n  }\n}\n",
                "tpu-v3-8", true);
    expect_reason(&r, ACCOUNT_BOUNDS, 4, "of unknown kind");
    cr_expect(r.account.at_least);
    cr_expect(account_is_unknown(&r.account));
    run_result_free(&r);
}

Test(account, a_basis_of_the_trace_is_the_reason)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1024,1024] input\n"
                     "step {\n  %y f32[1024,1024] = elementwise(%x) basis=loop\n"
                     "  %z f32[1024,1024] = elementwise(%y) basis=loop+unread\n"
                     "  %v f32[1024,1024] = elementwise(%z) basis=sizes\n"
                     "  return(%v)\n}\n",
                "tpu-v3-8", false);
    expect_reason(&r, ACCOUNT_DATA, 2, "in a loop that data end");
    expect_reason(&r, ACCOUNT_DATA, 2, "as large as data say");
    expect_reason(&r, ACCOUNT_BOUNDS, 1, "not read");
    cr_expect(r.account.at_least);
    run_result_free(&r);
}

Test(account, the_wait_for_a_guessed_exchange_is_a_guess)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1048576] input\n"
                     "step {\n  %t u32[] = all-reduce-start(%x) basis=groups\n"
                     "  all-reduce-done(%t)\n}\n",
                "tpu-v3-8", false);
    expect_reason(&r, ACCOUNT_DATA, 2, "in groups that were not read");
    cr_expect_not(r.account.at_least);
    EXACT_Q(known);
    account_known(known, &r.account);
    cr_expect_lt(mpq_cmp_ui(known, 1, 100), 0, "the wait itself is in the account");
    run_result_free(&r);
}

Test(account, a_step_whose_work_is_stated_is_known)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1024,1024] input\n"
                     "step {\n  %y f32[1024,1024] = elementwise(%x)\n}\n",
                "tpu-v3-8", false);
    cr_expect_not(r.account.at_least);
    cr_expect_not(account_is_unknown(&r.account));
    cr_expect_not(account_is_open(&r.account));
    cr_expect_eq(r.account.n_reasons, 0);
    expect_sum(&r);
    run_result_free(&r);
}

/* The bandwidth of a v5e's HBM has a source; how much of it a kernel sees has none. */
Test(account, seconds_at_an_unverified_pace_are_assumptions)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[8192,8192] input\n"
                     "step {\n  %y f32[8192,8192] = sort(%x) rows=8192 cols=8192\n"
                     "  %z f32[8192,8192] = copy(%x)\n}\n",
                "tpu-v5e-1", false);
    bool found = false;
    for (size_t i = 0; i < r.account.n_reasons; i++)
        if (strcmp(r.account.reason[i].why, "hbm.efficiency") == 0) {
            found = true;
            cr_expect_eq(mpq_cmp(r.account.reason[i].seconds, amounts_get(&r.cause, CAUSE_HBM)), 0);
        }
    cr_expect(found);
    expect_sum(&r);
    run_result_free(&r);
}

/* An operation with basis=absent takes no time, so the seconds of the step are a lower bound. */
Test(account, an_operation_that_is_not_modelled_is_a_lower_bound)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1024,1024] input\n"
                     "step {\n  %n u8[] = kernel() form=vector store=0 basis=absent\n"
                     "  %y f32[1024,1024] = matmul(%x, %x)\n}\n",
                "tpu-v5e-1", false);
    expect_reason(&r, ACCOUNT_BOUNDS, 1, "not modelled: it takes no time");
    cr_expect_str_eq(r.account.largest[0].what, "n");
    cr_expect(r.account.at_least);
    cr_expect(account_is_open(&r.account));
    run_result_free(&r);
}

/* Seconds of a step for which values of the machine are to blame; `name`: NULL, all of them. */
static double find_assumed(const struct run_result *r, const char *name)
{
    double sum = 0;

    for (size_t i = 0; i < r->account.n_reasons; i++)
        if (r->account.reason[i].class == ACCOUNT_ASSUMPTIONS &&
            (!name || strcmp(r->account.reason[i].why, name) == 0))
            sum += mpq_get_d(r->account.reason[i].seconds);
    return sum;
}

/* A product on a v5e is loaded at the pace of HBM for a part of its time.  HBM at 0.912 of its
 * bandwidth in place of 0.96, a twentieth less, takes that much longer as 1/20 of what is said. */
Test(account, unverified_values_count_the_seconds_that_they_move)
{
    static const char text[] = HEAD "tensor %x bf16[2048,2048] input\n"
                                    "step {\n  %y bf16[2048,2048] = matmul(%x, %x)\n"
                                    "  %z bf16[2048,2048] = copy(%y)\n}\n";
    static const char *const less = "hbm.efficiency=0.912";
    struct run_request q = {
        .trace = "w", .text = text, .text_size = sizeof text - 1, .machine = "tpu-v5e-1", .steps = 1
    };
    struct run_result r, slower;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double paced = find_assumed(&r, "hbm.efficiency");
    trial_pace(&q, &r);
    expect_sum(&r);
    q.set = &less;
    q.n_set = 1;
    cr_assert_eq(run_replay(&q, &slower, &e), 0, "%s", e.msg);
    double more = mpq_get_d(slower.seconds_per_step) - mpq_get_d(r.seconds_per_step);
    double moved = find_assumed(&r, "hbm.efficiency");
    cr_expect_float_eq(moved, 20 * more, 1e-12, "%g moved, %g more", moved, more);
    cr_expect(moved > 0 && (moved < 0.99 * paced || moved > 1.01 * paced), "%g paced", paced);
    cr_expect_float_eq(find_assumed(&r, NULL), mpq_get_d(r.account.seconds[ACCOUNT_ASSUMPTIONS]),
                       1e-12);
    cr_expect_geq(r.trials.replays, 1);
    run_result_free(&slower);
    run_result_free(&r);
}

/* Assumptions are taken from modelled seconds; a copy is of a measured class and has none. */
Test(account, a_value_moves_no_measured_seconds)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[8192,8192] input\nstep {\n"
                     "  %z f32[8192,8192] = copy(%x)\n}\n",
                "tpu-v5e-1", false);
    account_move(&r.account, "hbm.efficiency", r.seconds_per_step);
    account_move(&r.account, "hbm.bandwidth", r.seconds_per_step); /* it is verified */
    expect_sum(&r);
    cr_expect_eq(mpq_sgn(r.account.seconds[ACCOUNT_MODELS]), 0);
    run_result_free(&r);
}

/* Constants of an H100 were fitted on one; an H200 has them for want of its own. */
Test(account, constants_of_a_chip_of_its_own_are_no_assumption)
{
    static const char text[] = HEAD "tensor %x bf16[2048,2048] input\n"
                                    "step {\n  %y bf16[2048,2048] = matmul(%x, %x)\n}\n";
    struct run_result r;

    replay_text(&r, text, "h100x1", false);
    cr_expect_eq(find_assumed(&r, "sm.constants"), 0);
    run_result_free(&r);
    replay_text(&r, text, "h200x1", false);
    cr_expect_gt(find_assumed(&r, "sm.constants"), 0);
    run_result_free(&r);
}

/* --- measured kinds ------------------------------------------------------------------------- */

static const char table[] = "machine,kind,rows\n"
                            "tpu-v4-2,matmul bf16,12\n"
                            "tpu-v3-8,copy f32,3\n"
                            "v100-sxm2-16gb,conv f16,3\n";

static bool is_measured(const char *machine, const char *set, const char *kind)
{
    const struct published_file file = { "m.csv", "m", "", table, sizeof table - 1 };
    struct machine_spec *m;
    struct account_kinds k;
    struct err e;

    cr_assert_eq(spec_load(&m, machine, &set, set != NULL, &e), 0, "%s", e.msg);
    cr_assert_eq(account_kinds_read(&k, m, &file, &e), 0, "%s", e.msg);
    bool have = account_kinds_have(&k, kind);
    numbered_clear(&k.names);
    spec_free(m);
    return have;
}

Test(account, kinds_are_measured_by_generation_and_by_their_whole_name)
{
    cr_expect(is_measured("tpu-v4-8", NULL, "matmul bf16"));
    cr_expect(is_measured("tpu-v4-2048", NULL, "matmul bf16"));
    cr_expect_not(is_measured("tpu-v4-8", NULL, "matmul"));
    cr_expect_not(is_measured("tpu-v4-8", NULL, "matmul bf16 high"));
    cr_expect_not(is_measured("tpu-v4-8", NULL, "copy f32"));
    cr_expect_not(is_measured("tpu-v5e-8", NULL, "matmul bf16"));
    cr_expect(is_measured("v100x4", NULL, "conv f16"));
    cr_expect_not(is_measured("a100x4", NULL, "conv f16"));
}

Test(account, nothing_is_measured_on_a_machine_with_changed_values)
{
    cr_expect_not(is_measured("tpu-v4-8", "mxu.count=16", "matmul bf16"));
}

Test(account, prices_and_powers_change_no_time)
{
    cr_expect(is_measured("tpu-v4-8", "price.on_demand=1USD/h", "matmul bf16"));
    cr_expect(is_measured("tpu-v4-8", "power.idle=1W", "matmul bf16"));
    cr_expect(is_measured("tpu-v4-8", "mxu.count=8", "matmul bf16")); /* as it was */
}

Test(account, an_operation_that_no_table_knows_is_not_measured)
{
    struct run_result r;

    /* on v4 products in bf16 are measured, in bytes they are not */
    replay_text(&r,
                HEAD "tensor %a bf16[1024,1024] input\ntensor %b s8[1024,1024] input\n"
                     "step {\n  %y bf16[1024,1024] = matmul(%a, %a)\n"
                     "  %z s8[1024,1024] = matmul(%b, %b)\n}\n",
                "tpu-v4-2", false);
    cr_expect_str_eq(class_of_kind(&r, "matmul bf16"), "measured");
    cr_expect_str_eq(class_of_kind(&r, "matmul s8"), "models");
    expect_sum(&r);
    run_result_free(&r);
}

/* --- compiled programs ---------------------------------------------------------------------- */

#define A "f32[1024,1024]{1,0:T(8,128)}"
#define FUSED                                                                                      \
    "fused {\n  y = " A " parameter(0)\n"                                                          \
    "  ROOT d = " A " convolution(y, y), dim_labels=bf_io->bf\n}\n"

Test(account, a_loop_that_data_end_is_data_and_its_time_a_lower_bound)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true\n" FUSED "body {\n  c = (f32[], " A
                ", f32[]) parameter(0)\n"
                "  r = f32[] get-tuple-element(c), index=0\n"
                "  y = " A " get-tuple-element(c), index=1\n"
                "  e = f32[] get-tuple-element(c), index=2\n"
                "  n = " A " fusion(y), kind=kOutput, calls=fused\n"
                "  h = f32[] multiply(r, e)\n"
                "  ROOT t = (f32[], " A ", f32[]) tuple(h, n, e)\n}\n"
                "cond {\n  c = (f32[], " A ", f32[]) parameter(0)\n"
                "  r = f32[] get-tuple-element(c), index=0\n"
                "  e = f32[] get-tuple-element(c), index=2\n"
                "  ROOT p = pred[] compare(r, e), direction=GT\n}\n"
                "ENTRY main {\n  y = " A " parameter(0)\n  e = f32[] parameter(1)\n"
                "  one = f32[] constant(1)\n  t = (f32[], " A ", f32[]) tuple(one, y, e)\n"
                "  w = (f32[], " A ", f32[]) while(t), condition=cond, body=body\n"
                "  ROOT g = " A " get-tuple-element(w), index=1\n}\n",
                "tpu-v5e-1", false);
    expect_reason(&r, ACCOUNT_DATA, 2, "in a loop that data end");
    cr_expect(r.account.at_least);
    cr_expect(account_is_unknown(&r.account));
    run_result_free(&r);
}

Test(account, a_branch_that_data_choose_is_data)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true\n" FUSED "big {\n  y = " A " parameter(0)\n"
                "  ROOT n = " A " fusion(y), kind=kOutput, calls=fused\n}\n"
                "small {\n  ROOT y = " A " parameter(0)\n}\n"
                "ENTRY main {\n  y = " A " parameter(0)\n  p = pred[] parameter(1)\n"
                "  ROOT c = " A " conditional(p, y, y), true_computation=big, "
                "false_computation=small\n}\n",
                "tpu-v5e-1", false);
    expect_reason(&r, ACCOUNT_DATA, 1, "in the branch with the most work");
    cr_expect_not(r.account.at_least);
    run_result_free(&r);
}

Test(account, a_call_without_a_body_is_a_lower_bound)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true\n"
                "ENTRY main {\n  x = " A " parameter(0)\n"
                "  ROOT y = " A " custom-call(x), custom_call_target=\"mystery\"\n}\n",
                "tpu-v5e-1", false);
    expect_reason(&r, ACCOUNT_BOUNDS, 1, "not read: memory traffic alone");
    cr_expect(r.account.at_least);
    run_result_free(&r);
}

Test(account, an_exchange_of_as_many_rows_as_data_say_is_data)
{
    struct run_result r;

    replay_text(
        &r,
        "HloModule w, is_scheduled=true, num_partitions=8\n"
        "ENTRY main {\n  x = bf16[4096,2048]{1,0} parameter(0)\n"
        "  out = bf16[4096,2048]{1,0} parameter(1)\n  a = s32[8]{0} parameter(2)\n"
        "  b = s32[8]{0} parameter(3)\n  c = s32[8]{0} parameter(4)\n"
        "  d = s32[8]{0} parameter(5)\n"
        "  ROOT r = bf16[4096,2048]{1,0} ragged-all-to-all(x, out, a, b, c, d), channel_id=1, "
        "replica_groups={{0,1,2,3,4,5,6,7}}\n}\n",
        "tpu-v5e-8", false);
    expect_reason(&r, ACCOUNT_DATA, 1, "as large as data say");
    run_result_free(&r);
}

/* A program that was compiled for arrays of 128 rows, on arrays of 256. */
Test(account, kernels_that_are_cut_anew_are_said)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true\n" FUSED "ENTRY main {\n  y = " A " parameter(0)\n"
                "  ROOT n = " A " fusion(y), kind=kOutput, calls=fused\n}\n",
                "tpu-v5e-1", false);
    expect_reason(&r, ACCOUNT_RETILED, 1, "cut anew for want of windows");
    cr_expect_not(account_is_unknown(&r.account));
    cr_expect(account_is_open(&r.account));
    run_result_free(&r);
}

Test(account, a_transfer_of_which_one_end_is_there_is_a_lower_bound)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true, num_partitions=8\n"
                "ENTRY main {\n  x = " A " parameter(0)\n  t = token[] after-all()\n"
                "  r = (" A ", u32[], token[]) recv(t), channel_id=1\n"
                "  d = (" A ", token[]) recv-done(r), channel_id=1\n"
                "  g = " A " get-tuple-element(d), index=0\n"
                "  ROOT y = " A " add(x, g)\n}\n",
                "tpu-v5e-8", false);
    expect_reason(&r, ACCOUNT_BOUNDS, 1, "not read: memory traffic alone");
    cr_expect(r.account.at_least);
    run_result_free(&r);
}

/* A collective that is in no table of instructions is memory traffic alone, and said so. */
Test(account, a_collective_that_nobody_knows_is_a_lower_bound)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true, num_partitions=8\n"
                "ENTRY main {\n  x = " A " parameter(0)\n"
                "  y = " A " collective-shuffle(x), channel_id=1, "
                "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                "  ROOT z = " A " add(x, y)\n}\n",
                "tpu-v5e-8", false);
    expect_reason(&r, ACCOUNT_BOUNDS, 1, "not read: memory traffic alone");
    cr_expect(r.account.at_least);
    cr_expect(account_is_unknown(&r.account));
    run_result_free(&r);
}

/* One that is in the table is modelled, and not counted as unknown. */
Test(account, a_collective_that_is_known_is_no_bound)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true, num_partitions=8\n"
                "ENTRY main {\n  x = " A " parameter(0)\n"
                "  y = " A " collective-broadcast(x), channel_id=1, "
                "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                "  ROOT z = " A " add(x, y)\n}\n",
                "tpu-v5e-8", false);
    expect_reason(&r, ACCOUNT_BOUNDS, 0, "");
    cr_expect_not(r.account.at_least);
    cr_expect_gt(mpq_get_d(amounts_get(&r.cause, CAUSE_ICI)), 0);
    run_result_free(&r);
}

/* A Pallas kernel whose body is not there, but for what its author estimates: 2^31 FLOP at the full
 * rate of 196.6 TFLOP/s take 10.9 us, which is no less than what it takes. */
Test(account, an_authors_estimate_of_a_kernel_is_a_bound)
{
    struct run_result r;

    replay_text(&r,
                "HloModule w, is_scheduled=true\n"
                "ENTRY main {\n  x = " A " parameter(0)\n"
                "  ROOT y = " A " custom-call(x), custom_call_target=\"tpu_custom_call\", "
                "backend_config={\"custom_call_config\":{\"cost_estimate\":{\"flops\":"
                "\"2147483648\",\"transcendentals\":\"0\",\"bytes_accessed\":\"8388608\"}}}\n}\n",
                "tpu-v5e-1", false);
    expect_reason(&r, ACCOUNT_BOUNDS, 1, "its author's estimate at full rate");
    cr_expect(account_is_unknown(&r.account));
    cr_expect_geq(mpq_get_d(r.seconds_per_step), 10.9e-6);
    run_result_free(&r);
}
