/* A link between two chips: 62 GB/s, flits of 32 B, 1,937,500,000 a second, then 1 us. */
#include "hw/net/link.h"
#include "tests/timing/bench.h"

Test(link, chunks_are_pipelined_behind_the_latency)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct link l;
        struct link_params par;
        struct net_chunk c = { .bytes = 62000 };
        param_defaults(&link_param_table, &par);
        link_init(&l, sim, (struct des_module){ 0 }, "link", &par,
                  &(struct link_place){ LINK_LAST, 1000000000, 0, 0 }, fold ? lane_fold : NULL);
        struct des_out in = bench_drive(sim, "in", l.in, sizeof c, 4);
        struct des_in out = bench_watch(sim, "out", l.out, sizeof c, 4);
        bench_start(sim);
        des_put(sim, in, &c);
        des_put(sim, in, &c);
        /* 1938 flits = 1000258064.5 fs, then 1 us; the second 1938 later, not 1 us later */
        bench_tight(sim, out, &c, 2000258065);
        bench_tight(sim, out, &c, 3000516130); /* 3876 flits = 2000516129.03 fs */
        des_free(sim);
    }
}

/* One chunk through a link that ends at chip 3; returns when it is there, in `c` what arrives. */
static des_time over_link(const struct link_place *place, struct net_chunk *c, bool fold)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par, place, fold ? lane_fold : NULL);
    struct des_out in = bench_drive(sim, "in", l.in, sizeof *c, 4);
    struct des_in out = bench_watch(sim, "out", l.out, sizeof *c, 4);
    bench_start(sim);
    des_put(sim, in, c);
    des_time t = 0;
    do {
        t = des_next_activity(sim);
        cr_assert_neq(t, DES_NEVER);
        des_run(sim, t);
    } while (!des_get(sim, out, c));
    des_free(sim);
    return t;
}

Test(link, what_goes_further_is_sent_on_as_it_comes)
{
    const struct link_place three = { .to = 3, .times = 1000000000 };

    for (int fold = 0; fold < 2; fold++) {
        struct net_chunk c = { .to = 5, .bytes = 62000 };
        /* a hop after it began; the last of 1938 flits is there in 1000258065 fs + 1 us */
        cr_expect_eq(over_link(&three, &c, fold), 1000000000);
        cr_expect_eq(c.tail, 2000258065);
        c = (struct net_chunk){ .to = 3, .bytes = 62000 };
        cr_expect_eq(over_link(&three, &c, fold), 2000258065, "here it ends");
    }
}

Test(link, the_last_flit_leaves_when_it_has_come)
{
    const struct link_place three = { .to = 3, .times = 1000000000 };

    for (int fold = 0; fold < 2; fold++) {
        struct net_chunk c = { .to = 3, .bytes = 32, .tail = 5000000000 };
        /* in by edge 9688 (9687.5) of 516129.03 fs: 5000258064.5 fs, and 1 us */
        cr_expect_eq(over_link(&three, &c, fold), 6000258065);
    }
}

Test(link, a_slow_one_takes_longer_for_every_flit_but_not_for_the_way)
{
    const struct link_place slow = { .to = LINK_LAST, .times = 2000000000 };
    struct net_chunk c = { .to = 5, .bytes = 62000 };

    cr_expect_eq(over_link(&slow, &c, true),
                 3000516130); /* 1938 / 968750000 s = 2000516129.03 fs */
}

Test(link, more_chunks_than_the_wire_holds_all_come_in_order)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;
    const struct link_place three = { .to = 3, .times = 1000000000 };
    uint32_t got = 0;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par, &three, lane_fold);
    struct des_out in = bench_drive(sim, "in", l.in, sizeof(struct net_chunk), 64);
    struct des_in out = bench_watch(sim, "out", l.out, sizeof(struct net_chunk), 64);
    bench_start(sim);
    /* some go further, some end here */
    for (uint32_t i = 0; i < 64; i++)
        des_put(sim, in, &(struct net_chunk){ .to = i % 3 ? 5 : 3, .bytes = 32, .part.step = i });
    while (got < 64) {
        struct net_chunk c;
        des_time t = des_next_activity(sim);
        cr_assert_neq(t, DES_NEVER, "%u came", got);
        des_run(sim, t);
        while (des_get(sim, out, &c))
            cr_assert_eq(c.part.step, got++);
    }
    des_free(sim);
}

Test(link, a_slow_one_could_have_moved_less)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par,
              &(struct link_place){ .to = 3, .times = 4000000000 }, lane_fold);
    link_finish(&l, 2 * DES_FS_PER_S, 2 * DES_FS_PER_S);
    cr_expect_eq(l.st.capacity, 31000000000, "a quarter of 62 GB/s for 2 s");
    des_free(sim);
}

Test(link, jitter_is_drawn_from_its_seed)
{
    struct link_place late = {
        .to = LINK_LAST, .times = 1000000000, .jitter = 2000000000, .seed = 7
    };
    struct net_chunk c = { .bytes = 62000 };

    /* splitmix64(7) is 0.3898 of 2^64: so much of 2 us */
    cr_expect_eq(over_link(&late, &c, true), UINT64_C(2000258065) + 779659497);
    c = (struct net_chunk){ .bytes = 62000 };
    late.seed = 8;
    cr_expect_neq(over_link(&late, &c, true), UINT64_C(2000258065) + 779659497);
}

Test(link, jitter_lets_no_chunk_overtake_another)
{
    struct des *sim = des_new();
    struct link l;
    struct link_params par;
    struct link_place late = {
        .to = LINK_LAST, .times = 1000000000, .jitter = 2000000000, .seed = 7
    };
    des_time last = 0;

    param_defaults(&link_param_table, &par);
    link_init(&l, sim, (struct des_module){ 0 }, "link", &par, &late, lane_fold);
    struct des_out in = bench_drive(sim, "in", l.in, sizeof(struct net_chunk), 16);
    struct des_in out = bench_watch(sim, "out", l.out, sizeof(struct net_chunk), 16);
    bench_start(sim);
    for (uint32_t i = 0; i < 12; i++)
        des_put(sim, in, &(struct net_chunk){ .bytes = 32, .part.step = i });
    for (uint32_t got = 0; got < 12;) {
        struct net_chunk c;
        des_run(sim, des_next_activity(sim));
        while (des_get(sim, out, &c)) {
            cr_expect_eq(c.part.step, got++);
            last = des_now(sim);
        }
    }
    cr_expect(last > 1000000000 && last <= 3000000000 + 12 * 516130);
    des_free(sim);
}
