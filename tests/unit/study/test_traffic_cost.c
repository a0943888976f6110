/* The cost of a network of routers before it runs, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "study/network/traffic_cost.h"

static void set_up(struct traffic_setup *s, const char *const *word, size_t n)
{
    struct traffic_request q = { .arg = word, .n_args = n };
    struct err err;

    *s = (struct traffic_setup){ 0 };
    cr_assert_eq(traffic_set_up(s, &q, &err), 0, "%s", err.msg);
}

/* To the next node of both axes: 16 nodes x 0.1 x 2 links for 13,000 cycles are 41,600 flit-hops,
 * and 16 x 13,000 draws are 3,250 more.  16 routers of 5 ports, 4 channels, 8 flits of 4 bytes. */
Test(traffic_cost, light_traffic_costs_what_its_routes_take)
{
    static const char *const word[] = { "radix=4x4", "pattern=neighbour" };
    struct traffic_setup s;

    set_up(&s, word, 2);
    struct traffic_cost c = traffic_cost_of(&s, 100000000);
    cr_expect(!c.overloaded);
    cr_expect_eq(c.hops, 44850);
    cr_expect_eq(c.packets, 0);
    cr_expect_eq(c.bytes, 10240);
    traffic_set_down(&s);
}

/* 7,332 nodes send 600 links far: all 29,328 links are busy until the run is given up at cycle
 * 3,000 + 2 x 10,000 + 6 x (3 + 2,444 + 1) + 5,000 = 42,688.  By then 31,298,841 packets wait, in
 * an array of 2^25 of 64 bytes, beside 4,692,480 bytes of queues. */
Test(traffic_cost, an_overloaded_network_keeps_all_packets_in_memory)
{
    static const char *const word[] = { "radix=3x2444" };
    struct traffic_setup s;

    set_up(&s, word, 1);
    struct traffic_cost c = traffic_cost_of(&s, 100000000);
    cr_expect(c.overloaded);
    cr_expect_eq(c.packets, 31298841);
    cr_expect_eq(c.bytes, 2152176128);
    cr_expect_eq(c.hops, 29328ull * 42688 + 7332ull * 42688 / 64);
    traffic_set_down(&s);
}

static void expect_refusal(const char *const *word, size_t n, bool saturate,
                           const struct traffic_limits *limits, const char *with)
{
    struct traffic_request q = { .arg = word, .n_args = n, .saturate = saturate, .limits = limits };
    struct traffic_setup s;
    struct err err = { .msg = "nothing" };

    set_up(&s, word, n);
    cr_expect_eq(traffic_check_cost(&s, &q, &err), with ? -1 : 0, "%s", word[0]);
    cr_expect(!with || strstr(err.msg, with), "%s", err.msg);
    traffic_set_down(&s);
}

Test(traffic_cost, is_refused_beyond_its_limits)
{
    static const struct traffic_limits more = { .hops = 1300000000, .bytes = 3000000000 },
                                       less = { .hops = 1200000000, .bytes = 3000000000 },
                                       few = { .hops = 44850, .bytes = 10240 },
                                       fewer = { .hops = 44849, .bytes = 10240 },
                                       small = { .hops = 44850, .bytes = 10239 };
    static const char *const long_ring[] = { "radix=3x2444" };
    static const char *const grid[] = { "radix=4x4", "pattern=neighbour" };

    expect_refusal(long_ring, 1, false, NULL, "2.15 GB of memory, more than 1 GB");
    expect_refusal(long_ring, 1, false, &less, "--allow hops=1.4e+09");
    expect_refusal(long_ring, 1, false, &more, NULL);
    expect_refusal(grid, 2, false, NULL, NULL);
    expect_refusal(grid, 2, false, &few, NULL);
    expect_refusal(grid, 2, false, &fewer, "flit-hops");
    expect_refusal(grid, 2, false, &small, "memory");
    expect_refusal(grid, 2, true, &few, "flit-hops"); /* several rates */
}

/* 10^9 flits in packets of one: more than a flit can number. */
Test(traffic_cost, messages_of_too_many_packets_are_refused)
{
    static const struct traffic_limits all = { .hops = UINT64_MAX, .bytes = UINT64_MAX };
    static const char *const word[] = { "radix=16x16", "send=0-5:1" };
    struct traffic_request q = { .arg = word, .n_args = 2, .limits = &all };
    struct message m = { .from = 0, .to = 5, .flits = 268435456 };
    struct traffic_setup s;
    struct err err;

    set_up(&s, word, 2);
    cr_expect_eq(traffic_check_messages(&s, &q, &m, 1, &err), 0);
    m.flits++;
    cr_expect_eq(traffic_check_messages(&s, &q, &m, 1, &err), -1);
    cr_expect_eq(err.code, ERR_RANGE);
    q.limits = NULL;
    m.flits = 10000000; /* 2^24 packets of 64 bytes */
    cr_expect_eq(traffic_check_messages(&s, &q, &m, 1, &err), -1);
    cr_expect(strstr(err.msg, "1.07 GB"), "%s", err.msg);
    traffic_set_down(&s);
}

static void expect_messages(const struct traffic_limits *limits, const char *with)
{
    static const char *const word[] = { "radix=4x4", "flits=8" };
    static const struct message m[] = { { .from = 0, .to = 1, .flits = 17 } };
    struct traffic_request q = { .arg = word, .n_args = 2, .limits = limits };
    struct traffic_setup s;
    struct err err = { .msg = "nothing" };

    set_up(&s, word, 2);
    cr_expect_eq(traffic_check_messages(&s, &q, m, 1, &err), with ? -1 : 0, "%s", err.msg);
    cr_expect(!with || strstr(err.msg, with), "%s", err.msg);
    traffic_set_down(&s);
}

/* 17 flits over a link and into a node are 34 flit-hops; three packets of 8 flits take an array of
 * four of 64 bytes. */
Test(traffic_cost, messages_cost_their_flits_and_whole_packets)
{
    expect_messages(&(struct traffic_limits){ .hops = 34, .bytes = 256 }, NULL);
    expect_messages(&(struct traffic_limits){ .hops = 33, .bytes = 256 }, "flit-hops");
    expect_messages(&(struct traffic_limits){ .hops = 34, .bytes = 255 }, "memory");
}
