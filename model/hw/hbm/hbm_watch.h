/* hbm_watch.h - the channels of a memory as modules of a simulation, for waves of every command.
 *
 *     channel0         clock; row_bus, row_bank, column_bus, column_bank: a command and its bank;
 *                      direction, reads, writes, refresh_due
 *     channel0.bank0   state, row, waiting; banks count on over groups and pseudo-channels
 *
 * Cycle t of a channel is edge t of its clock.  The model is that of hbm_memory.h, request by
 * request.  Channels that are watched are stepped in order of time, so that the simulation's time
 * advances with them. */
#ifndef HW_HBM_HBM_WATCH_H
#define HW_HBM_HBM_WATCH_H

#include "des/des.h"
#include "hw/hbm/hbm_memory.h"

enum hbm_bank_state {
    HBM_BANK_CLOSED,
    HBM_BANK_ACTIVATING,
    HBM_BANK_OPEN,
    HBM_BANK_READING,
    HBM_BANK_WRITING,
    HBM_BANK_PRECHARGING,
    HBM_BANK_REFRESHING,
    HBM_BANK_N_STATES
};
enum hbm_bus_state { HBM_BUS_IDLE, HBM_BUS_COMMAND }; /* + enum hbm_command */

struct hbm_watch;

/* Make modules for all channels of `m`, before elaboration and before anything is served. */
struct hbm_watch *hbm_watch_new(struct des *sim, struct hbm_memory *m, const struct hbm_traffic *w);
void hbm_watch_free(struct hbm_watch *v);

/* Serve the traffic to the end of the window of des_walk, or to the end of the traffic.  Accesses
 * before the window are served without being shown, by `skip` if it is not NULL.  Call it once,
 * between two runs of the simulation. */
void hbm_watch_run(struct hbm_watch *v, hbm_skip_fn *skip);
/* Serve the rest without showing it.  Without `skip` the outcome is that of hbm_memory_walk. */
void hbm_watch_finish(struct hbm_watch *v, struct hbm_outcome *out);

#endif
