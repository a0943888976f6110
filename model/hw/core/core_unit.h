/* core_unit.h - a unit of a core that works through one command at a time.
 *
 *      cmd  >--[ cycles(command) ]--> done
 *
 * The base of the vector unit (vpu.h) and the XLU (xlu.h), which say how many cycles of the core's
 * clock a command takes. */
#ifndef HW_CORE_CORE_UNIT_H
#define HW_CORE_CORE_UNIT_H

#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_unit.h"

/* clang-format off */
#define CORE_UNIT_STATS(C)                                                                              \
    C(cycles, "cycle",    "cycles of the measured time")                                           \
    C(busy,   "cycle",    "cycles with a command in the unit")
/* clang-format on */

struct core_unit_stats {
    CORE_UNIT_STATS(STAT_FIELD)
};

struct core_unit;
/* Cycles of a command: `cmd` is a struct unit_vector or struct unit_lanes. */
typedef uint64_t core_unit_work_fn(const struct core_unit *u, const void *cmd);

struct core_unit {
    struct des_module mod;
    struct core_unit_stats st;
    struct des_in cmd;   /* struct unit_vector or struct unit_lanes */
    struct des_out done; /* struct unit_done */
    enum cause cause;    /* of waiting for this unit, in the sequencer's books */
    struct lane lane;
    core_unit_work_fn *work;
    uint64_t core_hz;
};

/* Make a unit whose commands have `size` bytes.  Its module has the name of the class. */
void core_unit_init(struct core_unit *u, struct des *sim, struct des_module parent,
                    const struct component_class *class, uint64_t core_hz, lane_fold_fn *fold,
                    enum cause cause, size_t size, core_unit_work_fn *work);
/* The shortcut around its wires (core_unit_fold.c). */
unit_serve_fn core_unit_serve;
unit_cycles_fn core_unit_cycles;
unit_pass_fn core_unit_pass;
component_finish_fn core_unit_finish;

#endif
