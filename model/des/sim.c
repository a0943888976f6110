/* sim.c - a simulation: creation, elaboration, end, state. */
#include <stdlib.h>

#include "base/memory.h"
#include "des/des_impl.h"

struct des *des_new(void)
{
    struct des *sim = memory_zeroed(1, sizeof *sim);

    sim->memory = sizeof *sim;
    /* item 0 of every table is the null record */
    sim->events.n = sim->processes.n = sim->signals.n = sim->fifos.n = sim->channels.n = 1;
    sim->mutexes.n = sim->semaphores.n = sim->lists.n = sim->clocks.n = sim->watches.n = 1;
    sim->ports.n = sim->event_infos.n = sim->process_infos.n = sim->signal_infos.n = 1;
    sim->fifo_labels.n = sim->mutex_labels.n = sim->semaphore_labels.n = sim->list_events.n = 1;
    sim->probes.n = sim->probe_infos.n = 1;
    sim->sensitivities.n = sim->modules.n = sim->callbacks.n = sim->actions.n = 1;
    return sim;
}

void des_free(struct des *sim)
{
    if (!sim)
        return;
    void *owned[] = {
        sim->run,
        sim->delta,
        sim->hot.signal_updates,
        sim->hot.fifo_updates,
        sim->channel_updates,
        sim->events.at,
        sim->processes.at,
        sim->listeners,
        sim->process_clocks,
        sim->memberships,
        sim->signals.at,
        sim->fifos.at,
        sim->channels.at,
        sim->mutexes.at,
        sim->semaphores.at,
        sim->lists.at,
        sim->clocks.at,
        sim->watches.at,
        sim->probes.at,
        sim->hot.port_fifos,
        sim->hot.port_signals,
        sim->port_channels,
        sim->items,
        sim->queue.chunks,
        sim->queue.next_chunk,
        sim->queue.same,
        sim->queue.now,
        sim->ports.at,
        sim->event_infos.at,
        sim->process_infos.at,
        sim->signal_infos.at,
        sim->probe_infos.at,
        sim->fifo_labels.at,
        sim->mutex_labels.at,
        sim->semaphore_labels.at,
        sim->list_events.at,
        sim->sensitivities.at,
        sim->modules.at,
        sim->callbacks.at,
        sim->actions.at,
        sim->module_hash,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    des_free_names(sim);
    free(sim);
}

/* --- elaboration -------------------------------------------------------------------------- */

static void allocate_storage(struct des *sim)
{
    uint32_t most = sim->processes.n + sim->events.n + 1, ring = 1;

    while (ring < most)
        ring *= 2;
    sim->run = des_alloc(sim, ring, sizeof *sim->run);
    sim->run_mask = ring - 1;
    sim->cap_delta = 2 * most + 1;
    sim->delta = des_alloc(sim, sim->cap_delta, sizeof *sim->delta);
    sim->hot.signal_updates = des_alloc(sim, sim->signals.n, sizeof *sim->hot.signal_updates);
    sim->hot.fifo_updates = des_alloc(sim, sim->fifos.n, sizeof *sim->hot.fifo_updates);
    sim->channel_updates = /* during an update every channel may request another */
        des_alloc(sim, 2 * (size_t)sim->channels.n, sizeof *sim->channel_updates);
    des_fifo_storage(sim);
    des_queue_storage(sim);
}

static int elaborate_objects(struct des *sim, struct err *err)
{
    des_call_back(sim, DES_BEFORE_END_OF_ELABORATION);
    if (des_resolve_ports(sim, err) != 0)
        return -1;
    des_link_processes(sim);
    des_link_lists(sim);
    des_link_signals(sim);
    allocate_storage(sim);
    for (uint32_t i = 1; i < sim->events.n; i++) {
        struct des_event_record *e = &sim->events.at[i];
        if (!e->n && !e->lists && !e->edge && !(e->flags & EVENT_WATCHED))
            e->flags |= EVENT_PLAIN;
    }
    sim->elaborated = true;
    des_set_open(sim, true);
    des_start_processes(sim);
    des_start_clocks(sim);
    des_call_back(sim, DES_END_OF_ELABORATION);
    return 0;
}

int des_elaborate(struct des *sim, struct err *err)
{
    if (sim->elaborated)
        des_misuse(sim, (struct des_label){ "", 0 }, "des/elaborated", "elaborated twice");
    des_need_idle(sim, "elaborates the simulation");
    sim->busy = true;
    int status = elaborate_objects(sim, err);
    sim->busy = false;
    if (sim->halt == HALT_STOP)
        des_finish(sim);
    return status;
}

/* --- the end and the state ----------------------------------------------------------------- */

bool des_finished(const struct des *sim)
{
    return sim->finished;
}

uint64_t des_delta_count(const struct des *sim)
{
    return sim->deltas;
}

uint64_t des_activations(const struct des *sim)
{
    return sim->activations;
}

void des_set_user(struct des *sim, void *user)
{
    sim->user = user;
}

void *des_user(const struct des *sim)
{
    return sim->user;
}

size_t des_memory(const struct des *sim)
{
    return sim->memory;
}
