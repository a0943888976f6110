/* launcher.h - begins each step on all cores at once, and pauses the simulation when all have
 * finished.
 *
 *      finished[core]  >--[ gather, pause the simulation ]--[ release ]--> go[core] */
#ifndef HW_HOST_LAUNCHER_H
#define HW_HOST_LAUNCHER_H

#include "des/des.h"
#include "hw/wires/msg_host.h"

struct launcher {
    struct des_module mod;
    uint32_t n_cores, i;
    struct des_in *finished; /* struct step_token; arrays of n_cores, owned by the caller */
    struct des_out *go;      /* struct step_token */
    struct des_event release, meeting;
    uint64_t step; /* number of the next one; 0: it warms up */
    bool idle;     /* every core waits for a step, and none was released */
};

/* Make the launcher of n_cores cores; `finished` and `go` are [n_cores]. */
void launcher_init(struct launcher *l, struct des *sim, struct des_module parent, uint32_t n_cores,
                   struct des_in *finished, struct des_out *go);
/* Begin the next step `rest` from now; only while idle. */
void launcher_release(struct launcher *l, struct des *sim, des_time rest);
/* Run to `at`, to its last delta, while idle: the time at which the cores of another event kernel
 * have finished. */
void launcher_meet(struct launcher *l, struct des *sim, des_time at);

#endif
