/* clock.c - clocks.  Edge n, rising for even n and falling for odd n, is due at
 *
 *     ceil(n * 1e15 / (2 hz)) fs
 *
 * The next edge follows from floor and remainder of the last one by addition, without drift. */
#include "des/des_impl.h"

static bool is_frequency(uint64_t hz)
{
    return hz >= 1 && hz <= DES_FS_PER_S;
}

/* ceil(index * 1e15 / hz); the product fits 128 bits. */
static u128 time_of_edge(uint64_t index, uint64_t hz)
{
    return ((u128)index * DES_FS_PER_S + hz - 1) / hz;
}

des_time des_edge(uint64_t index, uint64_t hz)
{
    BUG_ON(!is_frequency(hz));
    u128 t = time_of_edge(index, hz);
    BUG_ON(t >= DES_NEVER);
    return (des_time)t;
}

/* The smallest i with edge i at or after t; ceil(x) >= t means x > t - 1. */
static u128 index_of_edge(des_time t, uint64_t hz)
{
    return t == 0 ? 0 : (u128)(t - 1) * hz / DES_FS_PER_S + 1;
}

/* a / DES_FS_PER_S, which must be below 2^64, by the reciprocal
 * floor((2^128 - 1) / (DES_FS_PER_S 2^14)) - 2^64: the compiler calls a division of 128 bits.
 * [moller-2011]
 *
 * Their last correction is never needed for this divisor.  In units of 2^64 the divisor is d =
 * 0.888 and 2^128 less its product with the whole reciprocal is k = 0.108; the first remainder is
 * below d k + 1 - d = 0.208, hence below d. */
static uint64_t divide_by_fs(u128 a)
{
    const uint64_t d = DES_FS_PER_S << 14, inverse = (uint64_t)(~(u128)0 / d);

    a <<= 14;
    u128 q = (a >> 64) * inverse + a;
    uint64_t quotient = (uint64_t)(q >> 64) + 1, rest = (uint64_t)a - quotient * d;
    return quotient - (rest > (uint64_t)q);
}

uint64_t des_edge_index(des_time t, uint64_t hz)
{
    BUG_ON(!is_frequency(hz));
    return t == 0 ? 0 : divide_by_fs((u128)(t - 1) * hz) + 1;
}

struct des_clock des_clock_new(struct des *sim, struct des_module m, const char *name, uint64_t hz)
{
    struct des_label l = des_label(sim, m, name);

    if (!is_frequency(hz))
        des_misuse(sim, l, "des/clock", "a clock of %llu Hz", (unsigned long long)hz);
    uint32_t id = TABLE_ADD(sim, clocks, l);
    struct des_clock_record *c = &sim->clocks.at[id];
    *c = (struct des_clock_record){
        .hz = hz, .step = DES_FS_PER_S / hz, .step_rest = DES_FS_PER_S % hz * 2, .label = l
    };
    c->edges[1].floor = DES_FS_PER_S / (2 * hz);
    c->edges[1].rest = DES_FS_PER_S % (2 * hz);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t event = des_event_add(sim, l, EVENT_OWNED);
        c->edges[i].event = event;
        sim->event_infos.at[event].owner = id;
        sim->events.at[event].edge = (uint16_t)(i + 1);
    }
    return (struct des_clock){ id };
}

struct des_event des_posedge(const struct des *sim, struct des_clock c)
{
    return (struct des_event){ RECORD(sim, clocks, c, "clock")->edges[0].event };
}

struct des_event des_negedge(const struct des *sim, struct des_clock c)
{
    return (struct des_event){ RECORD(sim, clocks, c, "clock")->edges[1].event };
}

uint64_t des_clock_hz(const struct des *sim, struct des_clock c)
{
    return RECORD(sim, clocks, c, "clock")->hz;
}

uint64_t des_clock_index(const struct des *sim, struct des_clock c)
{
    return des_edge_index(sim->hot.now, RECORD(sim, clocks, c, "clock")->hz);
}

static _Noreturn void report_overflow(const struct des *sim, const struct des_clock_record *c)
{
    des_misuse(sim, c->label, "des/time-overflow", "an edge after the end of time");
}

des_time des_clock_delay(const struct des *sim, struct des_clock handle, uint64_t cycles)
{
    const struct des_clock_record *c = RECORD(sim, clocks, handle, "clock");
    uint64_t index;

    if (__builtin_add_overflow(des_edge_index(sim->hot.now, c->hz), cycles, &index))
        report_overflow(sim, c);
    u128 t = time_of_edge(index, c->hz);
    if (t >= DES_NEVER)
        report_overflow(sim, c);
    return (des_time)t - sim->hot.now;
}

/* The level: true after a rising edge, false after a falling one. */
bool des_clock_level(const struct des *sim, uint32_t id)
{
    uint64_t hz = sim->clocks.at[id].hz;

    return sim->started && index_of_edge(sim->hot.now + 1, 2 * hz) % 2 == 1;
}

static des_time due_of_edge(const struct des_edges *e)
{
    return e->floor + (e->rest > 0);
}

static void step_edge(const struct des *sim, const struct des_clock_record *c, struct des_edges *e)
{
    e->rest += c->step_rest;
    uint64_t carry = e->rest >= 2 * c->hz;
    e->rest -= carry ? 2 * c->hz : 0;
    if (__builtin_add_overflow(e->floor, c->step + carry, &e->floor))
        report_overflow(sim, c);
}

/* Advance to the first edge of this stream after now, in O(1). */
static void skip_to_now(const struct des *sim, const struct des_clock_record *c,
                        struct des_edges *e)
{
    u128 n = index_of_edge(sim->hot.now + 1, 2 * c->hz);
    uint64_t odd = e == &c->edges[1];

    n += n % 2 != odd;
    u128 t = n * DES_FS_PER_S; /* n is below 2^75, so this is below 2^125 */
    if (t / (2 * c->hz) >= DES_NEVER)
        report_overflow(sim, c);
    e->floor = (des_time)(t / (2 * c->hz));
    e->rest = (uint64_t)(t % (2 * c->hz));
}

void des_clock_arm(struct des *sim, uint32_t id)
{
    struct des_event_record *event = &sim->events.at[id];
    struct des_clock_record *c = &sim->clocks.at[sim->event_infos.at[id].owner];
    struct des_edges *e = &c->edges[event->edge - 1];

    if (event->when != DES_NEVER)
        return;
    sim->idle_clocks -= event->n > 0;
    if (!sim->started && event->edge == 1 && !e->begun) { /* it follows the initialisation */
        e->begun = true;
        des_event_delta(sim, id);
        return;
    }
    if (due_of_edge(e) <= sim->hot.now) {
        step_edge(sim, c, e);
        if (due_of_edge(e) <= sim->hot.now)
            skip_to_now(sim, c, e);
    }
    event->when = due_of_edge(e);
    if (unlikely(event->when < e->floor || event->when == DES_NEVER))
        report_overflow(sim, c);
    des_queue_insert_mixed(sim, event->when, id, ++event->stamp);
}

void des_start_clocks(struct des *sim)
{
    for (uint32_t i = 1; i < sim->clocks.n; i++)
        for (int k = 0; k < 2; k++)
            if (sim->clocks.at[i].edges[k].watched)
                des_clock_arm(sim, sim->clocks.at[i].edges[k].event);
}
