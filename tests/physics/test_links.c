/* Links of a machine beside routers and flits: alone the same but for a constant, together within a
 * bound. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "hw/net/link.h"
#include "hw/noc/messages.h"
#include "kernels/net/collective.h"
#include "machine/machine.h"

enum { MOST = 8, NS = 1000000 };

/* Nanoseconds, which are cycles of the links, that one part takes over a row of links. */
static uint64_t over_links(uint32_t links, uint64_t flits, uint64_t latency)
{
    struct link_params par = { .bandwidth = 32000000000, .flit = 32, .latency = latency * NS };
    struct net_chunk c = { .to = links, .bytes = 32 * flits };
    struct des *sim = des_new();
    struct des_module none = { 0 };
    struct link l[MOST];
    struct des_fifo f[MOST + 1];
    char name[16];

    for (uint32_t i = 0; i <= links; i++) {
        snprintf(name, sizeof name, "f%u", i);
        f[i] = des_fifo_new(sim, none, name, sizeof c, 2);
    }
    for (uint32_t i = 0; i < links; i++) {
        snprintf(name, sizeof name, "l%u", i);
        link_init(&l[i], sim, none, name, &par,
                  &(struct link_place){ .to = i + 1, .times = 1000000000 }, lane_fold);
        des_bind(sim, l[i].in, f[i]);
        des_bind(sim, l[i].out, f[i + 1]);
    }
    struct des_module ends = des_module_new(sim, none, "ends");
    struct des_out in = des_out_new(sim, ends, "in", sizeof c);
    struct des_in out = des_in_new(sim, ends, "out", sizeof c);
    struct err e;
    des_bind(sim, in, f[0]);
    des_bind(sim, out, f[links]);
    cr_assert_eq(des_elaborate(sim, &e), 0, "%s", e.msg);
    des_run(sim, 0);
    des_put(sim, in, &c);
    while (!des_get(sim, out, &c))
        des_run(sim, des_next_activity(sim));
    uint64_t ns = des_now(sim) / NS;
    cr_expect_eq(des_now(sim) % NS, 0);
    des_free(sim);
    return ns;
}

static void ignore_packet(void *self, const struct network_packet *p, uint64_t now)
{
    (void)self;
    (void)p;
    (void)now;
}

Test(links, a_part_alone_takes_what_its_flits_take_but_for_six_cycles)
{
    struct topology t;
    struct err e;

    cr_assert_eq(topology_parse(&t, "mesh", "9", &e), 0);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t s = seed, flits, cycles;
        uint32_t hops = 1 + dice_below(&s, MOST);
        struct network_params par = { NETWORK_DIMENSION, 4, 0, 1 + dice_below(&s, 900), 2 };
        struct network n;
        flits = 1 + dice_below(&s, 3000);
        par.depth = 7 + 2 * par.link;
        cr_assert_eq(network_init(&n, &t, &par, ignore_packet, NULL, &e), 0, "%s", e.msg);
        cr_assert(network_alone(&n, 0, hops, (uint32_t)flits, 64, &cycles));
        cr_expect_eq(over_links(hops, flits, par.link + 4) + 6, cycles, "%u hops of %u, %lu flits",
                     hops, par.link + 4, (unsigned long)flits);
        network_free(&n);
    }
}

/* Nanoseconds until every chip of a 4x4 mesh has sent `flits` flits of 25 B to the one `shift`
 * places on in the round through all, links of 1 GB/s. */
static uint64_t by_parts(uint32_t shift, uint64_t flits)
{
    static const char *const set[] = { "ici.bandwidth=1 GB/s", "ici.flit=25 B" };
    struct collective c = { .kind = SCHEDULE_PERMUTE,
                            .bytes = flits * 25 / 2, /* of each of two cores */
                            .element = 4,
                            .shift = 2 * shift };
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_call call = { 0 };
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1 };
    struct machine_spec *s;
    struct cap cap;
    struct err e;

    cr_assert_eq(spec_load(&s, "tpu-v2-32", set, 2, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, false);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &c, &cap, &e), 0, "%s", e.msg);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t ns = machine_now(m) / NS;
    machine_free(m);
    spec_free(s);
    return ns;
}

static uint64_t by_flits(uint32_t shift, uint64_t flits)
{
    const struct mesh plane = { .n = { 4, 4, 1 } };
    struct message m[16];
    struct topology t;
    struct err e;
    struct message_world w = { .topology = &t,
                               .par = { NETWORK_DIMENSION, 4, 80, 36, 2 },
                               .packet = 64,
                               .fold = network_alone };
    uint64_t last = 0;

    topology_parse(&t, "mesh", "4x4", &e);
    for (uint32_t i = 0; i < 16; i++)
        m[i] = (struct message){ .from = mesh_round(&plane, i),
                                 .to = mesh_round(&plane, (i + shift) % 16),
                                 .flits = (uint32_t)flits };
    cr_assert_eq(messages_run(&w, m, 16, &e), 0, "%s", e.msg);
    for (uint32_t i = 0; i < 16; i++)
        last = m[i].done > last ? m[i].done : last;
    return last * 25; /* 40 million flits a second */
}

/* --- the same by turns of flits, queues without bound -------------------------------------- */

enum { CHIPS = 16, LINKS = 4, INS = LINKS + 1, FLITS = 4000, HOP = 40, NONE = -1 };

struct turns {
    struct mesh mesh;
    uint32_t to[CHIPS];      /* of a chip's message; flit f is of message f / FLITS */
    int next[CHIPS * FLITS]; /* in the queue of each flit */
    int first[CHIPS][INS][LINKS], last[CHIPS][INS][LINKS]; /* by the way in and the way out */
    int wire[HOP][CHIPS][LINKS];                           /* on the way, by the cycle it arrives */
    uint32_t turn[CHIPS][LINKS];
};

static void wait_for(struct turns *t, uint32_t chip, uint32_t in, int f)
{
    uint32_t out = mesh_port(&t->mesh, chip, t->to[f / FLITS]);
    int *last = &t->last[chip][in][out];

    t->next[f] = NONE;
    if (*last == NONE)
        t->first[chip][in][out] = f;
    else
        t->next[*last] = f;
    *last = f;
}

/* A link takes a flit a cycle of the ways in by turns. */
static int take_turn(struct turns *t, uint32_t chip, uint32_t out)
{
    for (uint32_t k = 0; k < INS; k++) {
        uint32_t in = (t->turn[chip][out] + k) % INS;
        int f = t->first[chip][in][out];
        if (f == NONE)
            continue;
        t->first[chip][in][out] = t->next[f];
        if (t->next[f] == NONE)
            t->last[chip][in][out] = NONE;
        t->turn[chip][out] = (in + 1) % INS;
        return f;
    }
    return NONE;
}

static uint64_t by_turns(uint32_t shift)
{
    static struct turns t;
    uint64_t now = 0, left = CHIPS * FLITS;

    memset(&t, 0xff, sizeof t); /* NONE everywhere */
    memset(t.turn, 0, sizeof t.turn);
    t.mesh = (struct mesh){ .n = { 4, 4, 1 } };
    for (uint32_t i = 0; i < CHIPS; i++)
        t.to[mesh_round(&t.mesh, i)] = mesh_round(&t.mesh, (i + shift) % CHIPS);
    for (int f = 0; f < CHIPS * FLITS; f++)
        wait_for(&t, (uint32_t)f / FLITS, LINKS, f);
    for (; left > 0; now++)
        for (uint32_t i = 0; i < CHIPS * LINKS; i++) {
            uint32_t chip = i / LINKS, out = i % LINKS, to = mesh_neighbour(&t.mesh, chip, out);
            int *wire = &t.wire[now % HOP][chip][out];
            if (*wire != NONE && t.to[*wire / FLITS] != to)
                wait_for(&t, to, out ^ 1, *wire);
            else if (*wire != NONE)
                left--;
            *wire = take_turn(&t, chip, out);
        }
    return now * 25;
}

/* Sending a part as a whole does not make the end early: with flits that take turns it is within
 * 2 % of that. */
Test(links, turns_of_flits_end_when_turns_of_parts_do)
{
    for (uint32_t shift = 1; shift < 16; shift++) {
        double parts = (double)by_parts(shift, FLITS), turns = (double)by_turns(shift);
        cr_expect(parts > 0.98 * turns && parts < 1.02 * turns, "%u places: %+.1f %%", shift,
                  100 * (parts / turns - 1));
    }
}

Test(links, parts_that_meet_take_up_to_a_fifth_less_than_their_flits)
{
    /* a link of a machine never idles while something waits for it; flits of packets that wait for
     * a channel keep others behind them.  Neighbours meet nobody but themselves. */
    for (uint32_t shift = 1; shift < 16; shift++) {
        double parts = (double)by_parts(shift, 4000), flits = (double)by_flits(shift, 4000);
        double least = shift == 1 || shift == 15 ? 0.99 : 0.8;
        cr_expect(parts > least * flits && parts < 1.01 * flits, "%u places: %+.1f %%", shift,
                  100 * (parts / flits - 1));
    }
}
