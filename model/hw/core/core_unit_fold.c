/* The shortcut of core_unit.c: an idle unit answers a command as many cycles after the edge at
 * which it arrives as the command takes. */
#include "hw/core/core_unit.h"

des_time core_unit_serve(void *unit, const void *cmd, des_time at, struct unit_done *done)
{
    struct core_unit *u = unit;
    uint64_t cycles = u->work(u, cmd);

    u->st.busy += cycles;
    *done = (struct unit_done){ .cause = u->cause };
    return des_edge(des_edge_index(at, u->core_hz) + cycles, u->core_hz);
}

uint64_t core_unit_cycles(const void *unit, const void *cmd)
{
    const struct core_unit *u = unit;

    return u->work(u, cmd);
}

void core_unit_pass(void *unit, uint64_t cycles)
{
    struct core_unit *u = unit;

    u->st.busy += cycles;
}
