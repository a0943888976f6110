/* cmem.h - the common memory of a chip: memory on the chip beyond VMEM, shared by its cores.
 *
 *      request[i]  >--[ one burst a cycle, cores served in turn ]--> reply[i]
 *
 * Operands that a program keeps there stream to the units of a core while the units work; a grid
 * step does not end before they have.  There are no rows to open and no refreshes: a burst is a
 * register. */
#ifndef HW_CORE_CMEM_H
#define HW_CORE_CMEM_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_unit.h"
#include "hw/wires/show.h"

#define CMEM_MAX_CLIENTS 2 /* cores of a chip */

/* clang-format off */
#define CMEM_PARAMS(P)                                                                             \
    P(U64, capacity,  "B",   "0 B",    "0 B",    "16 GiB",   "common memory of a chip between HBM and VMEM; 0: none [jax]") \
    P(U64, bandwidth, "B/s", "5 TB/s", "1 GB/s", "100 TB/s", "from common memory to the units of a chip [calibrated: tpu_v4_gemm]") \
    P(U64, burst,     "B",   "4096 B", "32 B",   "64 KiB",   "moved in a cycle: a register [pallas]")

#define CMEM_STATS(C, R)                                                                           \
    C(capacity, "B", "bytes the bandwidth could have moved in the measured time")                  \
    C(bytes,    "B", "bytes moved for requests")                                                   \
    R("utilization.cmem", bytes, capacity, "bytes moved over the bandwidth of the common memory")
/* clang-format on */

struct cmem_params {
    CMEM_PARAMS(PARAM_FIELD)
};
struct cmem_stats {
    CMEM_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table cmem_param_table;
extern const struct stat_table cmem_stat_table;

struct cmem {
    struct des_module mod;
    struct cmem_params par;
    struct cmem_stats st;
    uint32_t n_clients, turn, served;
    struct des_in request[CMEM_MAX_CLIENTS]; /* struct unit_feed */
    struct des_out reply[CMEM_MAX_CLIENTS];  /* struct unit_done */
    struct lane lane;
    struct des_probes show;
    uint64_t hz; /* of its clock */
};

/* A memory for `n_clients` cores, 1 to CMEM_MAX_CLIENTS, with a port each. */
void cmem_init(struct cmem *c, struct des *sim, struct des_module parent,
               const struct cmem_params *par, uint32_t n_clients, lane_fold_fn *fold);
/* The shortcut around its wires (cmem_fold.c); only where it has one client. */
unit_serve_fn cmem_serve;
component_reset_fn cmem_reset;
component_finish_fn cmem_finish;

#endif
