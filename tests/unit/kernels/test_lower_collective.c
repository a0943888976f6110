/* Gradients to collectives: buckets, groups, shares of an update. */
#include "tests/unit/kernels/lower_bench.h"

Test(lower, each_gradient_is_a_collective_of_its_own_unless_combined)
{
    struct bench b = { 0 };
    struct cap combined = cap;
    const char *tensors = "tensor %x f32[100] input\ntensor %y f32[10,10] input\n";
    const char *body = "%a f32[100] gradient = elementwise(%x)\n"
                       "%b f32[10,10] gradient = elementwise(%y)\nall-reduce(%a, %b)\n";

    cr_assert_eq(lower_text(&b, tensors, body, &cap, false), 0);
    cr_assert_eq(b.p.task[2].collective.count, 2);
    cr_assert_eq(b.p.call[b.p.task[2].collective.first + 1].bytes, 400);
    take_down(&b);
    b = (struct bench){ 0 };
    combined.xla.combine_all_reduce = true;
    cr_assert_eq(lower_text(&b, tensors, body, &combined, false), 0);
    cr_assert_eq(b.p.task[2].collective.count, 1);
    cr_assert_eq(b.p.call[b.p.task[2].collective.first].bytes, 800);
    cr_expect_eq(b.p.call[b.p.task[2].collective.first].operands, 2);
    cr_expect_eq(b.p.task[2].workspace, 0, "each lies where it was");
    take_down(&b);
}

Test(lower, a_group_parts_the_replicas_evenly_or_is_refused)
{
    struct bench b = { 0 };
    const char *tensors = "tensor %x f32[100] input\n";

    cr_assert_eq(lower_text(&b, tensors,
                            "%a f32[100] gradient = elementwise(%x)\nall-reduce(%a) group=4\n",
                            &cap, false),
                 0);
    cr_expect_eq(b.p.call[0].schedule.group.size, 2, "two chips of two cores");
    cr_expect_eq(b.p.call[0].before.read, 800, "each chip adds its two cores' copies first");
    take_down(&b);
    b = (struct bench){ 0 };
    cr_assert_eq(lower_text(&b, tensors,
                            "%a f32[100] gradient = elementwise(%x)\nall-reduce(%a) group=3\n",
                            &cap, false),
                 -1);
    cr_assert_str_eq(b.err.msg,
                     "t:8: all-reduce 'all-reduce': groups of 3 devices, 1 apart, do not "
                     "part 8 evenly");
    take_down(&b);
}

Test(lower, gradients_go_in_buckets)
{
    struct bench b = { 0 };
    const char *tensors = "tensor %x f32[100] input\ntensor %y f32[200] input\n";
    const char *body = "%a f32[100] gradient = elementwise(%x)\n"
                       "%b f32[100] gradient = elementwise(%x)\n"
                       "%c f32[200] gradient = elementwise(%y)\n"
                       "%d f32[100] gradient = elementwise(%x)\n"
                       "all-reduce(%a, %b, %c, %d) combine=800\n";

    /* 400 + 400 fit, 800 alone, and 400 is left */
    cr_assert_eq(lower_text(&b, tensors, body, &cap, false), 0);
    cr_assert_eq(b.p.task[4].collective.count, 3);
    cr_expect_eq(b.p.call[0].bytes, 800);
    cr_expect_eq(b.p.call[1].bytes, 800);
    cr_expect_eq(b.p.call[2].bytes, 400);
    cr_expect_eq(b.p.call[0].schedule.kind, SCHEDULE_ALL_REDUCE);
    take_down(&b);
}

Test(lower, a_framework_has_buckets_of_its_own)
{
    struct bench b = { 0 };
    struct cap buckets = cap;
    const char *tensors = "tensor %x f32[100] input\n";
    const char *grads = "%a f32[100] gradient = elementwise(%x)\n"
                        "%b f32[100] gradient = elementwise(%x)\n"
                        "%c f32[100] gradient = elementwise(%x)\n";
    char body[512];

    /* 400 + 400 fit in 1,000 bytes, and 400 is left */
    buckets.bucket_bytes = 1000;
    snprintf(body, sizeof body, "%sall-reduce(%%a, %%b, %%c)\n", grads);
    cr_assert_eq(lower_text(&b, tensors, body, &buckets, false), 0);
    cr_assert_eq(b.p.task[3].collective.count, 2);
    cr_expect_eq(b.p.call[0].bytes, 800);
    cr_expect_eq(b.p.call[1].bytes, 400);
    take_down(&b);
    b = (struct bench){ 0 };
    snprintf(body, sizeof body, "%sall-reduce(%%a, %%b, %%c) combine=1200\n", grads);
    cr_assert_eq(lower_text(&b, tensors, body, &buckets, false), 0);
    cr_expect_eq(b.p.task[3].collective.count, 1, "the trace decides");
    take_down(&b);
}

Test(lower, replicas_update_a_share_each_and_gather_the_weights)
{
    struct bench whole = { 0 }, part = { 0 };
    const char *tensors = "tensor %w f32[8000] weight\ntensor %s f32[8000] state\n";
    const char *plain = "%g f32[8000] gradient = elementwise(%w)\nall-reduce(%g)\n"
                        "optimizer(%w, %g, %s) flops=64000\n";
    const char *sharded = "%g f32[8000] gradient = elementwise(%w)\nall-reduce(%g) sharded=1\n"
                          "optimizer(%w, %g, %s) flops=64000 sharded=1\n";

    cr_assert_eq(lower_text(&whole, tensors, plain, &cap, false), 0);
    cr_assert_eq(lower_text(&part, tensors, sharded, &cap, false), 0);
    cr_expect_eq(part.p.call[0].schedule.kind, SCHEDULE_REDUCE_SCATTER);
    cr_expect_eq(part.p.call[0].bytes, 32000);
    /* of 8 replicas: an eighth of three tensors read and two written */
    cr_expect_eq(part.p.task[2].kernel.all.in.bytes, 12000);
    cr_expect_eq(part.p.task[2].kernel.all.out.bytes, 8000);
    cr_expect_eq(whole.p.task[2].kernel.all.in.bytes, 96000);
    cr_assert_eq(part.p.n_tasks, 4);
    cr_expect_eq(part.p.call[1].schedule.kind, SCHEDULE_ALL_GATHER);
    cr_expect_eq(part.p.call[1].bytes, 32000, "the weights, not their state");
    take_down(&whole);
    take_down(&part);
}

Test(lower, a_weight_is_gathered_when_no_more_shares_of_it_are_updated)
{
    const char *tensors = "tensor %w f32[8000] weight\ntensor %v f32[800] weight\n"
                          "tensor %s f32[8000] state\n";
    static const struct {
        const char *body;
        uint64_t bytes[3]; /* that each optimizer gathers; 0: nothing */
    } rows[] = {
        { "optimizer(%w, %v, %s) sharded=1\noptimizer(%w, %s) sharded=1\n", { 3200, 32000 } },
        { "optimizer(%w, %s) sharded=1\noptimizer(%v, %w) sharded=1\n", { 0, 35200 } },
        { "optimizer(%w, %s) sharded=1\n%x f32[8000] = elementwise(%w)\n"
          "optimizer(%w, %s) sharded=1\n",
          { 32000, 32000 } },
        { "optimizer(%w, %s) sharded=1\noptimizer(%w, %s)\n", { 32000 } },
        /* the next turn may need it first */
        { "repeat 2 {\noptimizer(%w, %s) sharded=1\n}\noptimizer(%w, %s) sharded=1\n",
          { 32000, 32000 } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        uint32_t n = 0;
        cr_assert_eq(lower_text(&b, tensors, rows[i].body, &cap, false), 0);
        for (size_t k = 0; k < 3; k++)
            if (rows[i].bytes[k]) {
                cr_assert_lt(n, b.p.n_calls, "row %zu", i);
                cr_expect_eq(b.p.call[n].schedule.kind, SCHEDULE_ALL_GATHER);
                cr_expect_eq(b.p.call[n].bytes, rows[i].bytes[k], "row %zu: %lu", i,
                             b.p.call[n].bytes);
                n++;
            }
        cr_expect_eq(b.p.n_calls, n, "row %zu", i);
        take_down(&b);
    }
}

Test(lower, algorithms_have_the_names_that_traces_give_them)
{
    for (int a = 0; a < SCHEDULE_N_ALGORITHMS; a++)
        cr_expect_str_eq(schedule_algorithm_name[a], trace_algorithm_name[a]);
}
