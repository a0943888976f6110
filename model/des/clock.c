#include "des/des_impl.h"

/* Times before rounding, in 1 / hz femtoseconds: index * 1e15 fits 128 bits. */
static des_u128 scaled(uint64_t index)
{
    return (des_u128)index * DES_FS_PER_S;
}

static bool valid(uint64_t hz)
{
    return hz >= 1 && hz <= DES_FS_PER_S;
}

static des_u128 edge(uint64_t index, uint64_t hz)
{
    return (scaled(index) + hz - 1) / hz;
}

des_time des_edge(uint64_t index, uint64_t hz)
{
    BUG_ON(!valid(hz));
    des_u128 t = edge(index, hz);
    BUG_ON(t >= DES_NEVER);
    return (des_time)t;
}

uint64_t des_edge_index(des_time t, uint64_t hz)
{
    BUG_ON(!valid(hz));
    if (t == 0)
        return 0;
    /* ceil(x) >= t is x > t - 1 */
    return (uint64_t)((des_u128)(t - 1) * hz / DES_FS_PER_S) + 1;
}

struct des_clock des_clock_new(struct des *sim, struct des_module m, const char *name, uint64_t hz)
{
    struct label l = des_label(sim, m, name);

    if (!valid(hz))
        des_label_bug(sim, l, "a clock of %llu Hz", (unsigned long long)hz);
    uint32_t id = TABLE_ADD(sim, clocks, l);
    uint32_t event = des_event_add(sim, l, id);
    sim->clocks.at[id] = (struct clock){
        .hz = hz,
        .step = DES_FS_PER_S / hz,
        .step_rest = DES_FS_PER_S % hz,
        .event = event,
        .label = l,
    };
    return (struct des_clock){ id };
}

struct des_event des_posedge(struct des *sim, struct des_clock c)
{
    return (struct des_event){ RECORD(sim, clocks, c, "clock")->event };
}

uint64_t des_clock_hz(const struct des *sim, struct des_clock c)
{
    return RECORD(sim, clocks, c, "clock")->hz;
}

uint64_t des_clock_index(const struct des *sim, struct des_clock c)
{
    return des_edge_index(sim->now, RECORD(sim, clocks, c, "clock")->hz);
}

static _Noreturn void overflow(const struct des *sim, const struct clock *c)
{
    des_label_bug(sim, c->label, "time overflow: an edge after the end of time");
}

des_time des_clock_delay(const struct des *sim, struct des_clock handle, uint64_t cycles)
{
    const struct clock *c = RECORD(sim, clocks, handle, "clock");
    uint64_t index;

    if (__builtin_add_overflow(des_edge_index(sim->now, c->hz), cycles, &index))
        overflow(sim, c);
    des_u128 t = edge(index, c->hz);
    if (t >= DES_NEVER)
        overflow(sim, c);
    return (des_time)t - sim->now;
}

static void step(const struct des *sim, struct clock *c)
{
    c->rest += c->step_rest;
    uint64_t carry = c->rest >= c->hz;
    c->rest -= carry ? c->hz : 0;
    if (__builtin_add_overflow(c->floor, c->step + carry, &c->floor))
        overflow(sim, c);
}

/* Go to the first edge after now, however long nobody looked. */
static void catch_up(const struct des *sim, struct clock *c)
{
    des_u128 t = scaled(des_edge_index(sim->now + 1, c->hz));

    if (t / c->hz >= DES_NEVER)
        overflow(sim, c);
    c->floor = (des_time)(t / c->hz);
    c->rest = (uint64_t)(t % c->hz);
}

void des_clock_arm(struct des *sim, uint32_t id)
{
    struct clock *c = &sim->clocks.at[id];

    if (sim->events.at[c->event].pos)
        return;
    if (!sim->started) { /* edge 0 follows the initialisation */
        des_event_delta(sim, c->event);
        return;
    }
    if (c->floor + (c->rest > 0) <= sim->now) {
        step(sim, c);
        if (c->floor + (c->rest > 0) <= sim->now)
            catch_up(sim, c);
    }
    des_time next = c->floor + (c->rest > 0);
    if (next < c->floor || next == DES_NEVER)
        overflow(sim, c);
    des_event_at(sim, c->event, next);
}
