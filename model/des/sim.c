#include <stdlib.h>

#include "des/des_impl.h"

struct des *des_new(void)
{
    struct des *sim = des_alloc(1, sizeof *sim);

    /* item 0 of every table is the null record */
    sim->events.n = sim->processes.n = sim->signals.n = sim->fifos.n = sim->ins.n = 1;
    sim->outs.n = sim->clocks.n = sim->event_infos.n = sim->process_labels.n = 1;
    sim->sensitivities.n = sim->modules.n = 1;
    return sim;
}

void des_free(struct des *sim)
{
    if (!sim)
        return;
    void *owned[] = {
        sim->run,        sim->delta,        sim->update,           sim->queue,
        sim->events.at,  sim->processes.at, sim->listeners,        sim->process_clocks,
        sim->signals.at, sim->fifos.at,     sim->ins.at,           sim->outs.at,
        sim->clocks.at,  sim->items,        sim->event_infos.at,   sim->process_labels.at,
        sim->modules.at, sim->module_hash,  sim->sensitivities.at,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    des_free_names(sim);
    free(sim);
}

int des_elaborate(struct des *sim, struct err *err)
{
    uint32_t ring = 1;

    if (sim->elaborated)
        des_bug(sim, (struct des_module){ 0 }, "elaborated twice");
    if (des_check_ports(sim, err) != 0)
        return -1;
    des_link_processes(sim);
    des_fifo_storage(sim);
    while (ring < sim->processes.n)
        ring *= 2;
    sim->run = des_alloc(ring, sizeof *sim->run);
    sim->run_mask = ring - 1;
    sim->cap_delta = 2 * sim->events.n + 1;
    sim->delta = des_alloc(sim->cap_delta, sizeof *sim->delta);
    sim->update = des_alloc((size_t)sim->signals.n + sim->fifos.n, sizeof *sim->update);
    sim->queue = des_alloc((size_t)sim->events.n + 1, sizeof *sim->queue);
    sim->elaborated = true;
    des_start_processes(sim);
    return 0;
}

/* One delta cycle: evaluate, update, notify. */
static void delta_cycle(struct des *sim)
{
    while (sim->run_head != sim->run_tail)
        des_activate(sim, sim->run[sim->run_head++ & sim->run_mask]);

    for (uint32_t i = 0; i < sim->n_update; i++) {
        uint32_t channel = sim->update[i];
        if (channel & 1)
            des_fifo_update(sim, channel / 2);
        else
            des_signal_update(sim, channel / 2);
    }
    sim->n_update = 0;

    for (uint32_t i = 0; i < sim->n_delta; i++) {
        uint32_t e = sim->delta[i];
        if (e == 0) /* cancelled */
            continue;
        sim->events.at[e].pos = 0;
        des_fire(sim, e);
    }
    sim->n_delta = 0;
    sim->started = true;
    sim->deltas++;
}

/* Whether anything is left to do at the current time. */
static bool unsettled(const struct des *sim)
{
    return sim->run_head != sim->run_tail || sim->n_update || sim->n_delta;
}

static void advance(struct des *sim)
{
    sim->now = sim->queue[1].when;
    do
        des_fire(sim, des_queue_pop(sim));
    while (sim->n_queue && sim->queue[1].when == sim->now);
}

static void settle(struct des *sim)
{
    while (unsettled(sim) && !sim->stop)
        delta_cycle(sim);
}

static void enter(struct des *sim)
{
    des_need_elaborated(sim);
    if (sim->current)
        des_label_bug(sim, sim->process_labels.at[sim->current], "a process runs the simulation");
    sim->stop = false;
}

bool des_step(struct des *sim)
{
    enter(sim);
    if (!unsettled(sim)) {
        if (sim->n_queue == 0)
            return false;
        advance(sim);
    }
    settle(sim);
    return true;
}

bool des_run(struct des *sim, des_time until)
{
    enter(sim);
    while (!sim->stop) {
        if (!unsettled(sim)) {
            if (sim->n_queue == 0 || sim->queue[1].when > until)
                break;
            advance(sim);
        } else if (sim->now > until) {
            break;
        }
        settle(sim);
    }
    return unsettled(sim) || sim->n_queue > 0;
}

void des_stop(struct des *sim)
{
    sim->stop = true;
}

des_time des_now(const struct des *sim)
{
    return sim->now;
}

uint64_t des_delta_count(const struct des *sim)
{
    return sim->deltas;
}

uint64_t des_activations(const struct des *sim)
{
    return sim->activations;
}
