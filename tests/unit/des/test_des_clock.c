#include <criterion/criterion.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/wide.h"
#include "des/des.h"

#define ROOT ((struct des_module){ 0 })
#define MHZ_700 UINT64_C(700000000)
#define MHZ_940 UINT64_C(940000000)

static void elaborate_sim(struct des *sim)
{
    struct err err;

    cr_assert_eq(des_elaborate(sim, &err), 0);
}

Test(des_clock, edges_are_rounded_up_once)
{
    cr_assert_eq(des_edge(0, MHZ_700), 0);
    cr_assert_eq(des_edge(1, MHZ_700), 1428572); /* 1428571.43 */
    cr_assert_eq(des_edge(2, MHZ_700), 2857143); /* 2857142.86 */
    cr_assert_eq(des_edge(7, MHZ_700), 10000000);
    cr_assert_eq(des_edge(8 * 383, MHZ_700), UINT64_C(4377142858));
    cr_assert_eq(des_edge(1, MHZ_940), 1063830); /* 1063829.79 */
    cr_assert_eq(des_edge(47, MHZ_940), 50000000);
    cr_assert_eq(des_edge(5, 1), UINT64_C(5000000000000000));
    cr_assert_eq(des_edge(UINT64_MAX - 1, DES_FS_PER_S), UINT64_MAX - 1);
}

Test(des_clock, edges_do_not_drift_in_a_billion)
{
    /* 1e9 / 7e8 s = 1.428571428571428571.. s */
    cr_assert_eq(des_edge(UINT64_C(1000000000), MHZ_700), UINT64_C(1428571428571429));
    /* 1.4e12 edges are 2000 s to the femtosecond */
    cr_assert_eq(des_edge(UINT64_C(1400000000000), MHZ_700), UINT64_C(2000000000000000000));
}

Test(des_clock, the_index_is_that_of_the_first_edge_at_or_after)
{
    cr_assert_eq(des_edge_index(0, MHZ_700), 0);
    cr_assert_eq(des_edge_index(1, MHZ_700), 1);
    cr_assert_eq(des_edge_index(1428571, MHZ_700), 1);
    cr_assert_eq(des_edge_index(1428572, MHZ_700), 1);
    cr_assert_eq(des_edge_index(1428573, MHZ_700), 2);
    cr_assert_eq(des_edge_index(10000000, MHZ_700), 7);
    cr_assert_eq(des_edge_index(10000001, MHZ_700), 8);
    cr_assert_eq(des_edge_index(DES_FS_PER_S, 1), 1);
    cr_assert_eq(des_edge_index(DES_FS_PER_S + 1, 1), 2);
    cr_assert_eq(des_edge_index(UINT64_MAX, DES_FS_PER_S), UINT64_MAX);
    cr_assert_eq(des_edge_index(UINT64_MAX, 1), 18447); /* 18446.74 s */
}

/* Edge i is due at ceil(i 1e15 / hz), so it is the first from t on if (i - 1) 1e15 <= (t - 1) hz <
 * i 1e15: products alone, no division. */
static void check_index(des_time t, uint64_t hz)
{
    uint64_t i = des_edge_index(t, hz);
    u128 before = (u128)(t - 1) * hz;

    cr_assert((u128)(i - 1) * DES_FS_PER_S <= before && before < (u128)i * DES_FS_PER_S,
              "edge %" PRIu64 " for %" PRIu64 " fs at %" PRIu64 " Hz", i, t, hz);
}

Test(des_clock, the_index_of_any_time_lies_between_its_neighbours)
{
    uint64_t x = 1;

    for (int n = 0; n < 200000; n++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t hz = (x >> 3) % DES_FS_PER_S >> (x >> 53) % 50;
        uint64_t t = (x * UINT64_C(0x9e3779b97f4a7c15)) >> n % 64;
        check_index(t + !t, hz + 1);
        /* beside an edge, where the quotient's rest is 0 or one below the divisor */
        hz = hz % UINT64_C(4000000000) + 1;
        des_time edge = des_edge(t % 18446 * hz / 3, hz);
        check_index(edge + 1, hz);
        if (edge > 1) {
            check_index(edge, hz);
            check_index(edge - 1, hz);
        }
    }
}

Test(des_clock, an_edge_after_the_end_of_time_is_a_bug, .signal = SIGABRT)
{
    des_edge(18447, 1);
}

Test(des_clock, no_frequency_is_a_bug, .signal = SIGABRT)
{
    des_clock_new(des_new(), ROOT, "clk", 0);
}

Test(des_clock, a_frequency_above_one_edge_per_femtosecond_is_a_bug, .signal = SIGABRT)
{
    des_clock_new(des_new(), ROOT, "clk", DES_FS_PER_S + 1);
}

/* --- delays ------------------------------------------------------------------------------- */

static void do_nothing(struct des *sim, void *self)
{
    (void)sim;
    (void)self;
}

/* Bring the simulation to a time at which nothing else happens. */
static void go_to(struct des *sim, struct des_event e, des_time t)
{
    des_notify_after(sim, e, t - des_now(sim));
    des_run(sim, t);
    cr_assert_eq(des_now(sim), t);
}

Test(des_clock, delays_end_on_edges)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct des_clock c = des_clock_new(sim, m, "clk", MHZ_700);
    struct des_event e = des_event_new(sim, m, "e");

    elaborate_sim(sim);
    cr_assert_eq(des_clock_hz(sim, c), MHZ_700);
    cr_assert_eq(des_clock_index(sim, c), 0);
    cr_assert_eq(des_clock_delay(sim, c, 0), 0);
    cr_assert_eq(des_clock_delay(sim, c, 1), 1428572);
    cr_assert_eq(des_clock_delay(sim, c, 3064), UINT64_C(4377142858));
    go_to(sim, e, 1);
    cr_assert_eq(des_clock_index(sim, c), 1);
    cr_assert_eq(des_clock_delay(sim, c, 0), 1428571);
    cr_assert_eq(des_clock_delay(sim, c, 1), 2857142);
    go_to(sim, e, 1428572);
    cr_assert_eq(des_clock_index(sim, c), 1);
    cr_assert_eq(des_clock_delay(sim, c, 0), 0);
    cr_assert_eq(des_clock_delay(sim, c, 1), 1428571);
    des_free(sim);
}

Test(des_clock, a_delay_past_the_end_of_time_is_a_bug, .signal = SIGABRT)
{
    struct des *sim = des_new();
    struct des_clock c = des_clock_new(sim, ROOT, "clk", 1);

    elaborate_sim(sim);
    des_clock_delay(sim, c, 18447);
}

Test(des_clock, a_count_of_cycles_past_64_bits_is_a_bug, .signal = SIGABRT)
{
    struct des *sim = des_new();
    struct des_clock c = des_clock_new(sim, ROOT, "clk", DES_FS_PER_S);
    struct des_event e = des_event_new(sim, ROOT, "e");

    elaborate_sim(sim);
    go_to(sim, e, 10);
    des_clock_delay(sim, c, UINT64_MAX - 5);
}

/* --- edges as events ---------------------------------------------------------------------- */

struct tick {
    char letter, *log;
    size_t size;
    uint64_t count;
};

static void on_edge(struct des *sim, void *self)
{
    struct tick *t = self;
    size_t n = strlen(t->log);

    t->count++;
    snprintf(t->log + n, t->size - n, "%s%c%llu", n ? " " : "", t->letter,
             (unsigned long long)des_now(sim));
}

Test(des_clock, two_clocks_run_side_by_side)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct des_clock core = des_clock_new(sim, m, "core", MHZ_700);
    struct des_clock bus = des_clock_new(sim, m, "bus", MHZ_940);
    char log[300] = "";
    struct tick a = { 'a', log, sizeof log, 0 }, b = { 'b', log, sizeof log, 0 };
    struct des_process p = des_method_new(sim, m, "a", on_edge, &a);
    struct des_process q = des_method_new(sim, m, "b", on_edge, &b);

    des_dont_initialize(sim, q);
    des_sensitive(sim, p, des_posedge(sim, core));
    des_sensitive(sim, q, des_posedge(sim, bus));
    elaborate_sim(sim);
    cr_assert(des_run(sim, 4300000));
    /* a runs at the start, then both see edge 0; b had begun to wait first */
    cr_assert_str_eq(log, "a0 b0 a0 b1063830 a1428572 b2127660 a2857143 b3191490 b4255320 "
                          "a4285715");
    des_free(sim);
}

Test(des_clock, seven_hundred_thousand_edges_take_a_millisecond)
{
    struct des *sim = des_new();
    struct des_module m = des_module_new(sim, ROOT, "m");
    struct des_clock c = des_clock_new(sim, m, "clk", MHZ_700);
    char log[1] = "";
    struct tick a = { 'a', log, sizeof log, 0 };
    struct des_process p = des_method_new(sim, m, "a", on_edge, &a);

    des_dont_initialize(sim, p);
    des_sensitive(sim, p, des_posedge(sim, c));
    elaborate_sim(sim);
    des_run(sim, UINT64_C(1000000000000) - 1);
    cr_assert_eq(a.count, 700000);                      /* edges 0 .. 699999 */
    cr_assert_eq(des_now(sim), UINT64_C(999998571429)); /* 1e12 - 1428571.43, rounded up */
    des_run(sim, UINT64_C(1000000000000));
    cr_assert_eq(a.count, 700001);
    cr_assert_eq(des_now(sim), UINT64_C(1000000000000));
    des_free(sim);
}

Test(des_clock, a_clock_nobody_listens_to_never_ticks)
{
    struct des *sim = des_new();
    struct des_clock c = des_clock_new(sim, ROOT, "clk", DES_FS_PER_S);
    struct des_event e = des_event_new(sim, ROOT, "e");
    struct des_process p = des_method_new(sim, ROOT, "p", do_nothing, NULL);

    des_sensitive(sim, p, e);
    elaborate_sim(sim);
    des_notify_after(sim, e, DES_FS_PER_S);
    cr_assert_not(des_run(sim, DES_NEVER));
    cr_assert_eq(des_now(sim), DES_FS_PER_S);
    cr_assert_eq(des_activations(sim), 2);
    cr_assert_not(des_event_pending(sim, des_posedge(sim, c)));
    des_free(sim);
}

struct sleeper {
    struct des_clock c;
    des_time woke[6];
};

static uint32_t sleep_and_wake(struct des *sim, void *self, uint32_t at)
{
    struct sleeper *s = self;

    DES_BEGIN(at);
    DES_WAIT_EVENT(sim, des_posedge(sim, s->c)); /* edge 0 is still to come */
    s->woke[0] = des_now(sim);
    DES_WAIT_EVENT(sim, des_posedge(sim, s->c)); /* edge 0 is gone */
    s->woke[1] = des_now(sim);
    DES_WAIT_FOR(sim, 10000000 - 1428572); /* just at edge 7 */
    s->woke[2] = des_now(sim);
    DES_WAIT_EVENT(sim, des_posedge(sim, s->c)); /* so edge 8 */
    s->woke[3] = des_now(sim);
    DES_WAIT_FOR(sim, UINT64_C(1428571428571428) - 11428572); /* before edge 1e9 */
    s->woke[4] = des_now(sim);
    DES_WAIT_EVENT(sim, des_posedge(sim, s->c));
    s->woke[5] = des_now(sim);
    DES_END;
}

Test(des_clock, who_sleeps_long_wakes_at_the_right_edge_and_the_clock_stops_with_him)
{
    static const des_time want[] = {
        0, 1428572, 10000000, 11428572, UINT64_C(1428571428571428), UINT64_C(1428571428571429)
    };
    struct des *sim = des_new();
    struct sleeper s = { .c = des_clock_new(sim, ROOT, "clk", MHZ_700) };

    des_thread_new(sim, ROOT, "sleeper", sleep_and_wake, &s);
    elaborate_sim(sim);
    cr_assert_not(des_run(sim, DES_NEVER));
    cr_assert_arr_eq(s.woke, want, sizeof want);
    cr_assert_eq(des_now(sim), UINT64_C(1428571428571429));
    cr_assert_eq(des_activations(sim), 7);
    des_free(sim);
}

struct last_edge {
    struct des_clock c;
    uint64_t edges;
};

static uint32_t to_the_end(struct des *sim, void *self, uint32_t at)
{
    struct last_edge *l = self;

    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 18445 * DES_FS_PER_S);
    DES_WAIT_EVENT(sim, des_posedge(sim, l->c));
    cr_assert_eq(des_now(sim), 18446 * DES_FS_PER_S);
    l->edges++;
    DES_WAIT_EVENT(sim, des_posedge(sim, l->c));
    DES_END;
}

Test(des_clock, waiting_for_an_edge_past_the_end_of_time_is_a_bug, .signal = SIGABRT)
{
    struct des *sim = des_new();
    struct last_edge l = { .c = des_clock_new(sim, ROOT, "clk", 1) };

    des_thread_new(sim, ROOT, "t", to_the_end, &l);
    elaborate_sim(sim);
    cr_assert(des_run(sim, 18446 * DES_FS_PER_S - 1));
    des_run(sim, DES_NEVER);
}

Test(des_clock, only_the_clock_notifies_its_edges, .signal = SIGABRT)
{
    struct des *sim = des_new();
    struct des_clock c = des_clock_new(sim, ROOT, "clk", 1);

    elaborate_sim(sim);
    des_notify(sim, des_posedge(sim, c));
}
