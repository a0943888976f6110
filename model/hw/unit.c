#include "hw/unit.h"

static bool take(struct des *sim, void *self, uint64_t *units)
{
    struct unit *u = self;

    if (!u->get(sim, u, units))
        return false;
    u->st.busy += *units;
    return true;
}

static bool finish(struct des *sim, void *self)
{
    struct unit *u = self;

    return des_put(sim, u->done, &(struct unit_done){ .cause = u->cause });
}

void unit_init(struct unit *u, struct des *sim, struct des_module parent, const char *name,
               uint64_t core_hz, lane_fold_fn *fold, enum cause cause, size_t size,
               unit_get_fn *get)
{
    *u = (struct unit){ .cause = cause, .get = get };
    u->mod = des_module_new(sim, parent, name);
    u->cmd = des_in_new(sim, u->mod, "cmd", size);
    u->done = des_out_new(sim, u->mod, "done", sizeof(struct unit_done));
    lane_init(&u->lane, sim, u->mod, core_hz, fold, u, take, finish);
    des_sensitive(sim, u->lane.serve, u->cmd);
    des_sensitive(sim, u->lane.serve, u->done);
}

void unit_finish(struct unit *u, uint64_t cycles)
{
    u->st.cycles = cycles;
}
