/* watch.c - subscriptions.  The watchers of an object are a linked list that ends with 0, in the
 * order of subscription. */
#include "des/des_impl.h"

static void add_watch(struct des *sim, struct des_label l, uint32_t *list,
                      struct des_watch_record w)
{
    uint32_t id = TABLE_ADD(sim, watches, l);

    while (*list)
        list = &sim->watches.at[*list].next;
    sim->watches.at[id] = w;
    *list = id;
}

static void watch_event(struct des *sim, uint32_t id, struct des_watch_record w)
{
    struct des_event_info *info = &sim->event_infos.at[id];

    sim->events.at[id].flags |= EVENT_WATCHED;
    add_watch(sim, info->label, &info->watch, w);
}

static struct des_signal_record *signal_of(struct des *sim, uint32_t id)
{
    return RECORD(sim, signals, (struct des_signal){ id }, "signal");
}

static struct des_fifo_record *fifo_of(struct des *sim, uint32_t id)
{
    return RECORD(sim, fifos, (struct des_fifo){ id }, "FIFO");
}

/* Somebody looks into the modules around an object from now on. */
static void mark_modules(struct des *sim, struct des_label l)
{
    if (sim->elaborated)
        des_misuse(sim, l, "des/elaborated", "watched or dumped after elaboration");
    for (uint32_t m = l.module; m; m = sim->modules.at[m].parent)
        sim->modules.at[m].watched = true;
}

void des_watch_ramps(struct des *sim, struct des_probe p, des_watcher *seen, void *self,
                     uint32_t tag)
{
    struct des_probe_info *info = RECORD(sim, probe_infos, p, "probe");

    mark_modules(sim, info->label);
    sim->hot.shown = true;
    add_watch(sim, info->label, &info->ramp_watch,
              (struct des_watch_record){ .seen = seen, .self = self, .tag = tag });
}

void des_watch_object(struct des *sim, struct des_object x, des_watcher *seen, void *self,
                      uint32_t tag)
{
    struct des_watch_record w = { .seen = seen, .self = self, .tag = tag, .value = 1 };
    struct des_label l = des_label_of(sim, x);

    mark_modules(sim, l);
    switch (x.kind) {
    case DES_SIGNAL:
        signal_of(sim, x.id)->watched = true;
        add_watch(sim, l, &sim->signal_infos.at[x.id].watch, w);
        return;
    case DES_FIFO: add_watch(sim, l, &fifo_of(sim, x.id)->watch, w); return;
    case DES_EVENT: watch_event(sim, x.id, w); return;
    case DES_CLOCK:
        for (int i = 0; i < 2; i++, w.value = 0) {
            struct des_edges *e = &sim->clocks.at[x.id].edges[i];
            e->watched = true;
            watch_event(sim, e->event, w);
        }
        return;
    case DES_PROBE:
        sim->hot.shown = true;
        if (sim->probe_infos.at[x.id].row->fine)
            sim->probes.at[sim->probe_infos.at[x.id].first].fine = true;
        add_watch(sim, l, &sim->probes.at[x.id].watch, w);
        return;
    default:
        des_misuse(sim, l, "des/watch",
                   "only signals, FIFOs, events, clocks and probes can be seen");
    }
}

bool des_watched(const struct des *sim, struct des_module m)
{
    return RECORD(sim, modules, m, "module")->watched;
}

uint64_t des_watched_value(const struct des *sim, struct des_object x)
{
    switch (x.kind) {
    case DES_SIGNAL: return des_read_signal(sim, (struct des_signal){ x.id });
    case DES_FIFO: return des_fifo_count(sim, (struct des_fifo){ x.id });
    case DES_CLOCK: (void)des_label_of(sim, x); return des_clock_level(sim, x.id);
    case DES_PROBE: return RECORD(sim, probes, x, "probe")->value;
    default: return 0;
    }
}
