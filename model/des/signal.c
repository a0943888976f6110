#include "des/des_impl.h"

struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial)
{
    struct label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, signals, l);

    sim->signals.at[id] = (struct signal){
        .now = initial, .next = initial, .changed = des_event_add(sim, l, 0), .label = l
    };
    return (struct des_signal){ id };
}

uint64_t des_read(const struct des *sim, struct des_signal s)
{
    return RECORD(sim, signals, s, "signal")->now;
}

struct des_event des_changed(const struct des *sim, struct des_signal s)
{
    return (struct des_event){ RECORD(sim, signals, s, "signal")->changed };
}

static void check_writer(const struct des *sim, struct signal *s)
{
    if (s->writer && s->writer != sim->current) {
        const struct label *first = &sim->process_labels.at[s->writer];
        const struct label *second = &sim->process_labels.at[sim->current];
        des_label_bug(sim, s->label, "a second writer, %s.%s, after %s.%s",
                      des_module_path(sim, (struct des_module){ second->module }), second->name,
                      des_module_path(sim, (struct des_module){ first->module }), first->name);
    }
    s->writer = sim->current;
}

void des_write(struct des *sim, struct des_signal handle, uint64_t value)
{
    struct signal *s = RECORD(sim, signals, handle, "signal");

    des_need_elaborated(sim);
    if (s->writer != sim->current && sim->current) /* a test bench outside may write any */
        check_writer(sim, s);
    s->next = value;
    if (s->updating || value == s->now)
        return;
    s->updating = true;
    sim->update[sim->n_update++] = 2 * handle.id;
}

void des_signal_update(struct des *sim, uint32_t id)
{
    struct signal *s = &sim->signals.at[id];

    s->updating = false;
    if (s->now == s->next)
        return;
    s->now = s->next;
    des_event_delta(sim, s->changed);
}
