/* Fully connected networks, buckets of gradients and shares of updates. */
#include "tests/unit/traces/gen_helper.h"

static struct trace_totals totals_of(const char *const *set, size_t n_set)
{
    struct trace_totals s;
    struct trace *t;
    struct err err;
    size_t size;
    char *text = generate_text("fc", set, n_set, &size);

    trace_totals_init(&s);
    cr_assert_eq(trace_open_memory(&t, "fc", text, size, false, &err), 0, "%s", err.msg);
    cr_assert_eq(trace_sum(t, &s, &err), 0, "%s", err.msg);
    trace_close(t);
    free(text);
    return s;
}

static void expect_sum(const mpz_t got, uint64_t want, const char *what)
{
    cr_expect_eq(mpz_cmp_ui(got, want), 0, "%s: %lu, expected %" PRIu64, what, mpz_get_ui(got),
                 want);
}

/* 24 -> 16 -> 16 -> 8, 8 samples a core.
 *   parameters  24*16+16 + 16*16+16 + 16*8+8 = 808
 *   matmuls     2*8 * (768 forward + 384 to the inputs of all but the first + 768 of the weights)
 *   vector      512 bias and ReLU, 64 bias of the output, 64+320+8 loss, 256+64 its backward,
 *               512 masks and bias gradients, 808 all-reduce, 10*808 RMSprop
 *   bytes       16256 read and 8196 written by all but the update, (28+12)*808 by RMSprop;
 *               4*808 reduced, 1024 fed in, 4 out: these are counted apart */
Test(gen, totals_of_a_small_fully_connected_step_are_those_worked_out_by_hand)
{
    static const char *const set[] = { "layers=2", "width=16", "input=24", "output=8", "batch=64" };
    struct trace_totals s = totals_of(set, COUNT(set));

    expect_sum(s.parameters, 808, "parameters");
    expect_sum(s.flops, 30720 + 512 + 64 + 392 + 320 + 512 + 808 + 8080, "flops");
    mpz_add(s.reads, s.reads, s.writes);
    expect_sum(s.reads, 8196 + 16256 + 32320, "bytes");
    expect_sum(s.reduce_bytes, 3232, "reduced");
    expect_sum(s.infeed_bytes, 1024, "fed in");
    expect_sum(s.outfeed_bytes, 4, "fed out");
    cr_expect_eq(flops_of("fc", TRACE_MATMUL, set, COUNT(set)), 30720);
    trace_totals_clear(&s);
}

Test(gen, a_fully_connected_net_has_the_parameters_of_its_layers)
{
    /* 2000*2048 + 7*2048*2048 + 2048*1000 weights, 8*2048 + 1000 biases */
    struct trace_totals s = totals_of(SET("layers=8", "width=2048", "input=2000", "output=1000"));

    expect_sum(s.parameters, 35521512, "parameters");
    trace_totals_clear(&s);
}

/* Bytes that the optimizer reads and writes, a parameter: weight and gradient in, weight out, and
 * each state in and out. */
Test(gen, each_optimizer_moves_the_bytes_of_its_states)
{
    static const struct {
        const char *optimizer;
        uint64_t bytes, flops;
    } rows[] = { { "optimizer=sgd", 12, 2 },
                 { "optimizer=momentum", 20, 4 },
                 { "optimizer=rmsprop", 28 + 12, 10 },
                 { "optimizer=adam", 28, 12 } };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const set[] = { "layers=1", "width=3", "input=2", "output=1",
                                    rows[i].optimizer };
        struct trace *t;
        struct trace_item item;
        struct err err;
        size_t size;
        uint64_t bytes = 0;
        char *text = generate_text("fc", set, COUNT(set), &size);

        cr_assert_eq(trace_open_memory(&t, "fc", text, size, false, &err), 0, "%s", err.msg);
        do {
            cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
            if (item.kind == TRACE_ITEM_OP && item.op.kind == TRACE_OPTIMIZER)
                bytes += item.op.reads + item.op.writes;
        } while (item.kind != TRACE_ITEM_END);
        trace_close(t);
        free(text);
        /* 2*3 + 3 and 3*1 + 1 */
        cr_expect_eq(bytes, 13 * rows[i].bytes, "%s: %" PRIu64, rows[i].optimizer, bytes);
        cr_expect_eq(flops_of("fc", TRACE_OPTIMIZER, set, COUNT(set)), 13 * rows[i].flops);
    }
}

Test(gen, the_header_names_the_optimizer_and_leaves_out_an_epoch_that_is_not_said)
{
    size_t size;
    char *text = generate_text("fc", SET("optimizer=adam", "batch=64", "cores=4"), &size);

    cr_expect_not_null(strstr(text, "\nparam cores=4\nparam optimizer=adam\n"
                                    "param precision=f32\nparam epoch=0\n"));
    cr_expect_not_null(strstr(text, "\nsamples step=16\n"));
    free(text);
    text = generate_text("fc", SET("epoch=1000"), &size);
    cr_expect_not_null(strstr(text, "\nsamples step=512 epoch=1000\n"));
    free(text);
}

Test(gen, cores_divide_the_batch_and_leave_the_update_whole)
{
    uint64_t one = flops_of("fc", TRACE_MATMUL, SET("cores=1"));
    uint64_t eight = flops_of("fc", TRACE_MATMUL, SET("cores=8"));

    cr_expect_gt(eight, 0);
    cr_expect_eq(one, 8 * eight);
    cr_expect_eq(flops_of("fc", TRACE_OPTIMIZER, SET("cores=1")),
                 flops_of("fc", TRACE_OPTIMIZER, SET("cores=8")));
}

Test(gen, gradients_go_in_buckets_and_updates_in_shares)
{
    static const char *const workload[] = { "3dgan", "exatrkx", "mlpf", "fc" };

    for (size_t i = 0; i < 4; i++) {
        size_t n, m;
        char *plain = generate_text(workload[i], NULL, 0, &n);
        char *same =
            generate_text(workload[i], (const char *const[]){ "combine=0", "update=whole" }, 2, &m);
        cr_expect_str_eq(plain, same);
        char *text = generate_text(
            workload[i], (const char *const[]){ "combine=1000", "update=sharded" }, 2, &m);
        cr_expect(strstr(text, "param update=sharded\n"));
        cr_expect(strstr(text, " combine=1000 sharded=1"), "%s", workload[i]);
        cr_expect_null(strstr(plain, "sharded"));
        free(plain);
        free(same);
        free(text);
    }
}
