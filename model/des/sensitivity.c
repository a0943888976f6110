/* sensitivity.c - static sensitivity: declarations, and the arrays that elaboration makes of them.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "des/des_impl.h"

#define WALK_MIN 4 /* with fewer listeners the run list is as fast */

void des_sensitive_to(struct des *sim, struct des_process p, struct des_object x)
{
    (void)RECORD(sim, processes, p, "process");
    struct des_label l = des_label_of(sim, x);

    switch (x.kind) {
    case DES_MODULE:
    case DES_LIST:
    case DES_PROCESS:
    case DES_FIFO:
    case DES_CHANNEL:
    case DES_PORT:
        des_misuse(sim, l, "des/sensitive",
                   "a process is sensitive to an event, a clock, a signal, a mutex, a semaphore "
                   "or a port to a FIFO or a signal");
    default: break;
    }
    uint32_t id = TABLE_ADD(sim, sensitivities, l);
    sim->sensitivities.at[id] = (struct des_sensitivity){ p.id, x };
}

void des_dont_initialize(struct des *sim, struct des_process p)
{
    struct des_process_record *rec = RECORD(sim, processes, p, "process");

    if (sim->elaborated)
        des_misuse(sim, sim->process_infos.at[p.id].label, "des/elaborated",
                   "des_dont_initialize after elaboration");
    rec->flags |= PROCESS_DONT_INITIALIZE;
}

/* Give each event the array of its static listeners, in the order of declaration. */
static void link_listeners(struct des *sim, const uint32_t *event)
{
    uint32_t n = sim->sensitivities.n, next = 0;
    struct des_event_record *events = sim->events.at;

    sim->listeners = des_alloc(sim, n, sizeof *sim->listeners);
    for (uint32_t i = 1; i < n; i++)
        events[event[i]].first++;
    for (uint32_t e = 1; e < sim->events.n; e++) {
        uint32_t count = events[e].first;
        events[e].first = next;
        next += count;
    }
    for (uint32_t i = 1; i < n; i++) {
        struct des_event_record *e = &events[event[i]];
        sim->listeners[e->first + e->n++] = sim->sensitivities.at[i].process;
    }
}

/* Mark the events whose listeners can be walked in place: there are WALK_MIN at least, which listen
 * to nothing else, and the event is never notified immediately. */
static void mark_walked(struct des *sim, const uint32_t *event)
{
    uint32_t n = sim->sensitivities.n;
    uint32_t *count = memory_zeroed(sim->processes.n, sizeof *count);

    for (uint32_t i = 1; i < n; i++) {
        struct des_event_record *e = &sim->events.at[event[i]];
        count[sim->sensitivities.at[i].process]++;
        if (e->n >= WALK_MIN && (e->edge || e->flags & (EVENT_OF_SIGNAL | EVENT_OF_FIFO)))
            e->flags |= EVENT_WALKED;
    }
    for (uint32_t i = 1; i < n; i++)
        if (count[sim->sensitivities.at[i].process] > 1)
            sim->events.at[event[i]].flags &= (uint16_t)~EVENT_WALKED;
    free(count);
}

/* Give each process the list of the clock edges that it listens to, which ends with 0. */
static void link_clocks(struct des *sim, const uint32_t *event)
{
    uint32_t n = sim->sensitivities.n, next = 1;
    uint32_t *count = memory_zeroed(sim->processes.n, sizeof *count);

    for (uint32_t i = 1; i < n; i++)
        if (sim->events.at[event[i]].edge)
            count[sim->sensitivities.at[i].process]++;
    for (uint32_t p = 1; p < sim->processes.n; p++) {
        if (count[p] == 0)
            continue;
        sim->processes.at[p].flags |= PROCESS_CLOCKED;
        sim->process_infos.at[p].clocks = next;
        next += count[p] + 1; /* the list ends with 0 */
    }
    sim->process_clocks = des_alloc(sim, next, sizeof *sim->process_clocks);
    for (uint32_t i = n; i-- > 1;) {
        uint32_t p = sim->sensitivities.at[i].process;
        if (sim->events.at[event[i]].edge)
            sim->process_clocks[sim->process_infos.at[p].clocks + --count[p]] = event[i];
    }
    for (uint32_t e = 1; e < sim->events.n; e++)
        sim->idle_clocks += sim->events.at[e].edge && sim->events.at[e].n;
    free(count);
}

void des_link_processes(struct des *sim)
{
    uint32_t *event = memory_zeroed(sim->sensitivities.n, sizeof *event);

    for (uint32_t i = 1; i < sim->sensitivities.n; i++)
        event[i] = des_event_behind(sim, sim->sensitivities.at[i].source);
    link_listeners(sim, event);
    mark_walked(sim, event);
    link_clocks(sim, event);
    free(event);
}
