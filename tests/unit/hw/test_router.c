/* One router, cycle by cycle: its stages, its turns and its credits, worked out by hand. */
#include <criterion/criterion.h>

#include "hw/noc/router.h"

/* three ports, the last the node's own, two channels each */
static flit storage[3 * 2 * 8];
static struct router_move moves[ROUTER_MAX_PORTS];

static struct router make_router(uint32_t depth)
{
    struct router r;

    router_init(&r, 3, 2, depth, storage);
    return r;
}

/* A cycle in which every head may take the channels `want`; returns the number of moves. */
static uint32_t run_cycle(struct router *r, uint64_t now, channels want)
{
    bool changed;

    for (channels s = r->route; s; s &= s - 1)
        r->want[__builtin_ctzll(s)] = want;
    return router_cycle(r, now, moves, &changed);
}

Test(router, a_head_passes_route_channel_and_crossbar_a_cycle_each)
{
    struct router r = make_router(4);

    router_put(&r, 0, flit_of(7, true, true));
    cr_expect_eq(run_cycle(&r, 0, 3u << 8), 0, "route");
    cr_expect_eq(run_cycle(&r, 1, 0), 0, "channel");
    cr_expect_eq(run_cycle(&r, 2, 0), 1, "crossbar");
    cr_expect(moves[0].in == 0 && moves[0].out == 8 && flit_packet(moves[0].flit) == 7);
    cr_expect(!router_busy(&r));
    cr_expect_eq(r.credit[8], 3);
}

Test(router, the_next_packet_of_a_channel_starts_when_the_tail_has_left)
{
    struct router r = make_router(4);

    router_put(&r, 0, flit_of(1, true, true));
    router_put(&r, 0, flit_of(2, true, true));
    for (uint64_t t = 0; t <= 5; t++)
        cr_expect_eq(run_cycle(&r, t, 3u << 8), t == 2 || t == 5, "cycle %lu", (unsigned long)t);
}

Test(router, an_input_takes_free_channels_in_turn)
{
    struct router r = make_router(4);
    uint32_t n = 0, out[3] = { 0 };

    for (uint32_t i = 0; i < 3; i++)
        router_put(&r, 0, flit_of(i, true, true));
    for (uint64_t t = 0; t < 9; t++)
        if (run_cycle(&r, t, 3u << 8) == 1)
            out[n++] = moves[0].out;
    cr_assert_eq(n, 3);
    cr_expect(out[0] == 8 && out[1] == 9 && out[2] == 8);
}

Test(router, a_packet_streams_a_flit_a_cycle_and_keeps_its_channel)
{
    struct router r = make_router(4);

    router_put(&r, 0, flit_of(1, true, false));
    run_cycle(&r, 0, 3u << 8);
    router_put(&r, 0, flit_of(1, false, false));
    run_cycle(&r, 1, 0);
    cr_expect_eq(run_cycle(&r, 2, 0), 1);
    cr_expect_eq(run_cycle(&r, 3, 0), 1);
    cr_expect_eq(run_cycle(&r, 4, 0), 0, "nothing has come");
    cr_expect_eq(r.taken, 1u << 8);
    router_put(&r, 0, flit_of(1, false, true));
    cr_expect_eq(run_cycle(&r, 5, 0), 1, "no stage for what follows a head");
    cr_expect_eq(moves[0].out, 8);
    cr_expect_eq(r.taken, 0);
}

Test(router, without_a_credit_nothing_crosses)
{
    struct router r = make_router(1);

    router_put(&r, 0, flit_of(1, true, false));
    for (uint64_t t = 0; t < 3; t++)
        run_cycle(&r, t, 1u << 8);
    router_put(&r, 0, flit_of(1, false, true));
    cr_expect_eq(run_cycle(&r, 3, 0), 0);
    cr_expect_eq(run_cycle(&r, 4, 0), 0);
    cr_expect(router_credit(&r, 8), "it is wanted");
    cr_expect_eq(run_cycle(&r, 5, 0), 1);
    cr_expect(!router_credit(&r, 8), "nobody waits for it");
}

Test(router, the_node_itself_takes_all_that_comes)
{
    struct router r = make_router(1);

    router_put(&r, 0, flit_of(1, true, true));
    for (uint64_t t = 0; t < 3; t++)
        run_cycle(&r, t, 1u << 16);
    cr_expect_eq(r.credit[16], 1);
}

Test(router, a_slow_link_holds_its_port)
{
    struct router r = make_router(8);

    router_put(&r, 0, flit_of(1, true, false));
    router_put(&r, 0, flit_of(1, false, true));
    for (uint64_t t = 0; t < 3; t++)
        run_cycle(&r, t, 1u << 8);
    r.ready[1] = 6;
    for (uint64_t t = 3; t < 6; t++)
        cr_expect_eq(run_cycle(&r, t, 0), 0);
    cr_expect_eq(run_cycle(&r, 6, 0), 1);
}

Test(router, two_inputs_take_turns_on_one_output_port)
{
    struct router r = make_router(8);
    uint8_t order[6];

    /* two packets of three flits, from ports 0 and 2, to the two channels of port 1 */
    for (uint32_t i = 0; i < 3; i++) {
        router_put(&r, 0, flit_of(1, i == 0, i == 2));
        router_put(&r, 16, flit_of(2, i == 0, i == 2));
    }
    run_cycle(&r, 0, 3u << 8);
    /* both channels of port 1 offer themselves to channel 0, which takes one; the other input gets
     * the second channel a cycle later */
    run_cycle(&r, 1, 0);
    cr_expect_eq(r.holding, 1u);
    for (uint64_t t = 2; t < 8; t++) {
        cr_assert_eq(run_cycle(&r, t, 0), 1, "cycle %lu", (unsigned long)t);
        order[t - 2] = moves[0].in;
    }
    cr_expect_arr_eq(order, ((uint8_t[]){ 0, 16, 0, 16, 0, 16 }), 6);
}

Test(router, one_input_port_sends_one_flit_a_cycle_and_its_channels_take_turns)
{
    struct router r = make_router(8);

    for (uint32_t i = 0; i < 2; i++) {
        router_put(&r, 0, flit_of(1, i == 0, i == 1));
        router_put(&r, 1, flit_of(2, i == 0, i == 1));
    }
    for (channels s = r.route; s; s &= s - 1) /* channel 0 to port 1, channel 1 to the node */
        r.want[__builtin_ctzll(s)] = s & 1 ? 1u << 8 : 1u << 16;
    bool changed;
    router_cycle(&r, 0, moves, &changed);
    run_cycle(&r, 1, 0);
    uint8_t order[4];
    for (uint64_t t = 2; t < 6; t++) {
        cr_assert_eq(run_cycle(&r, t, 0), 1);
        order[t - 2] = moves[0].in;
    }
    /* the port takes the lower offer first, then moves its turn on */
    cr_expect_arr_eq(order, ((uint8_t[]){ 0, 1, 0, 1 }), 4);
}

Test(router, a_packet_waits_for_the_channel_of_another)
{
    struct router r = make_router(8);
    bool changed;

    router_put(&r, 0, flit_of(1, true, false));
    router_put(&r, 16, flit_of(2, true, true));
    for (uint64_t t = 0; t < 6; t++)
        run_cycle(&r, t, 1u << 8);
    cr_expect_eq(r.vc, 1u << 16, "the only channel is taken");
    router_cycle(&r, 6, moves, &changed);
    cr_expect(!changed);
    router_put(&r, 0, flit_of(1, false, true));
    cr_expect_eq(run_cycle(&r, 7, 0), 1, "the tail leaves");
    cr_expect_eq(run_cycle(&r, 8, 0), 0, "the channel changes hands");
    cr_expect_eq(run_cycle(&r, 9, 0), 1);
    cr_expect_eq(flit_packet(moves[0].flit), 2);
}
