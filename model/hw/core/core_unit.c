/* Commands of a unit, served by a lane. */
#include "hw/core/core_unit.h"

/* Room for the command of any unit. */
union core_unit_command {
    struct unit_vector vector;
    struct unit_lanes lanes;
};

static bool take_command(struct des *sim, void *self, uint64_t *units)
{
    struct core_unit *u = self;
    union core_unit_command cmd;

    if (!des_get_any(sim, u->cmd, &cmd))
        return false;
    *units = u->work(u, &cmd);
    u->st.busy += *units;
    return true;
}

static bool finish_command(struct des *sim, void *self)
{
    struct core_unit *u = self;

    return des_put(sim, u->done, &(struct unit_done){ .cause = u->cause });
}

void core_unit_init(struct core_unit *u, struct des *sim, struct des_module parent,
                    const struct component_class *class, uint64_t core_hz, lane_fold_fn *fold,
                    enum cause cause, size_t size, core_unit_work_fn *work)
{
    *u = (struct core_unit){ .cause = cause, .work = work, .core_hz = core_hz };
    u->mod = des_module_new(sim, parent, class->name);
    component_add(sim, class, u->mod, u);
    u->cmd = des_in_new(sim, u->mod, "cmd", size);
    u->done = des_out_new(sim, u->mod, "done", sizeof(struct unit_done));
    lane_init(&u->lane, sim, u->mod, core_hz, fold, u, take_command, finish_command);
    des_sensitive(sim, u->lane.serve, u->cmd);
    des_sensitive(sim, u->lane.serve, u->done);
}

void core_unit_finish(void *self, des_time now, des_time elapsed)
{
    struct core_unit *u = self;

    u->st.cycles = des_edge_index(now, u->core_hz) - des_edge_index(now - elapsed, u->core_hz);
}
