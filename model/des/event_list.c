/* event_list.c - lists of events, to wait for any or all of them. */
#include <stdlib.h>

#include "base/memory.h"
#include "des/des_impl.h"

#define ALL_MAX 64 /* bits of process.need */

static struct des_list add_list(struct des *sim, struct des_module m, const char *name,
                                const struct des_event *events, size_t n, bool all)
{
    struct des_label l = des_label(sim, m, name);

    if (n == 0 || n >= ID_LIMIT || (all && n > ALL_MAX))
        des_misuse(sim, l, "des/list", "a list of %zu events; %s", n,
                   all ? "1 to 64 can be waited for together" : "it has to hold one at least");
    uint32_t id = TABLE_ADD(sim, lists, l);
    for (size_t i = 0; i < n; i++) {
        (void)RECORD(sim, events, events[i], "event");
        for (size_t j = 0; all && j < i; j++)
            if (events[j].id == events[i].id)
                des_misuse(sim, l, "des/list", "event %zu is event %zu again", i, j);
        uint32_t at = TABLE_ADD(sim, list_events, l);
        sim->list_events.at[at] = events[i].id;
    }
    sim->lists.at[id] = (struct des_list_record){
        .first = sim->list_events.n - (uint32_t)n, .n = (uint32_t)n, .all = all, .label = l
    };
    return (struct des_list){ id };
}

struct des_list des_any(struct des *sim, struct des_module m, const char *name,
                        const struct des_event *events, size_t n)
{
    return add_list(sim, m, name, events, n, false);
}

struct des_list des_all(struct des *sim, struct des_module m, const char *name,
                        const struct des_event *events, size_t n)
{
    return add_list(sim, m, name, events, n, true);
}

/* Give each event the array of its places in lists, which ends with list 0. */
void des_link_lists(struct des *sim)
{
    uint32_t *count = memory_zeroed(sim->events.n, sizeof *count), next = 1;

    sim->memberships =
        des_alloc(sim, (size_t)sim->list_events.n + sim->events.n + 1, sizeof *sim->memberships);
    for (uint32_t i = 1; i < sim->list_events.n; i++)
        count[sim->list_events.at[i]]++;
    for (uint32_t e = 1; e < sim->events.n; e++) {
        if (count[e] == 0)
            continue;
        sim->events.at[e].lists = next;
        next += count[e] + 1;
        count[e] = 0;
    }
    for (uint32_t l = 1; l < sim->lists.n; l++) {
        const struct des_list_record *list = &sim->lists.at[l];
        for (uint32_t i = 0; i < list->n; i++) {
            uint32_t e = sim->list_events.at[list->first + i];
            sim->memberships[sim->events.at[e].lists + count[e]++] =
                (struct des_membership){ l, i };
        }
    }
    free(count);
}

static void fire_list(struct des *sim, struct des_list_record *list, uint32_t place)
{
    struct des_process_record *p = sim->processes.at;
    uint32_t last = list->waiters, next = p[last].next, w;

    if (!list->all)
        list->waiters = 0;
    do {
        w = next;
        next = p[w].next;
        if (list->all) {
            p[w].need &= ~(UINT64_C(1) << place);
            if (p[w].need)
                continue;
            des_ring_remove(sim, &list->waiters, w);
        }
        des_wake_waiter(sim, w);
    } while (w != last);
}

void des_fire_lists(struct des *sim, uint32_t e)
{
    for (const struct des_membership *m = sim->memberships + sim->events.at[e].lists; m->list; m++)
        if (sim->lists.at[m->list].waiters)
            fire_list(sim, &sim->lists.at[m->list], m->place);
}
