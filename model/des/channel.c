/* channel.c - user-defined channels and their updates. */
#include <string.h>

#include "des/des_impl.h"

struct des_channel des_channel_new(struct des *sim, struct des_module m, const char *name,
                                   const struct des_interface *type, void *self,
                                   des_callback *update)
{
    struct des_label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, channels, l);

    sim->channels.at[id] =
        (struct des_channel_record){ .self = self, .update = update, .type = type, .label = l };
    return (struct des_channel){ id };
}

void des_request_update(struct des *sim, struct des_channel handle)
{
    struct des_channel_record *c = RECORD(sim, channels, handle, "channel");

    des_need_open(sim, &c->label);
    if (!c->update)
        des_misuse(sim, c->label, "des/no-update", "an update of a channel that has none");
    if (c->updating)
        return;
    c->updating = true;
    sim->channel_updates[sim->n_channel_updates++] = handle.id;
}

void des_update_channels(struct des *sim)
{
    while (sim->n_channel_updates) {
        uint32_t n = sim->n_channel_updates;
        for (uint32_t i = 0; i < n; i++) {
            struct des_channel_record *c = &sim->channels.at[sim->channel_updates[i]];
            c->updating = false;
            c->update(sim, c->self);
        }
        sim->n_channel_updates -= n; /* what these have asked for comes next */
        memmove(sim->channel_updates, sim->channel_updates + n,
                sim->n_channel_updates * sizeof *sim->channel_updates);
    }
}
