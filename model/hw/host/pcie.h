/* pcie.h - the PCIe link of a chip to its host, both directions.
 *
 *      feed   >--[ one packet a cycle ]--> HBM write --> fed[core]        down
 *      back   >--[ the same, first ]-----> HBM write --> returned[core]   down
 *      call[core]  >-- HBM read --[ one packet a cycle ]--> up            up
 *      answer[core]: passed through by the host itself
 *      copy[1][core]  >-- HBM read --[ one packet a cycle ]--> copied[1][core]    up
 *      copy[0][core]  >--[ the same ]--> HBM write --> copied[0][core]            down
 *      from_ici >--[ one packet a cycle ]--> to_dcn,  from_dcn >--[ the same ]--> to_ici
 *
 * Copies are of the program, between HBM and the memory of the host: no software of the host takes
 * part.  They go after everything else, each as a whole, as a batch does.
 *
 * The last line is for machines of several slices (pcie_bind): messages that the collective engine
 * has read from HBM or will write there.  Downwards they go before input; upwards they wait for a
 * call that has been read.
 *
 * A batch sets out when the core has room for it, so that it delays nothing behind it. */
#ifndef HW_HOST_PCIE_H
#define HW_HOST_PCIE_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/msg_mem.h"
#include "hw/wires/msg_net.h"

#define PCIE_MAX_CORES 4 /* of a chip */

/* clang-format off */
#define PCIE_PARAMS(P)                                                                             \
    P(U64, bandwidth, "B/s", "16 GB/s", "1 MB/s", "10 TB/s", "one direction [norrie-2021]")        \
    P(U64, packet,    "B",   "256 B",   "1 B",    "64 KiB",  "moved per cycle of the link [unverified]")

#define PCIE_STATS(C, R)                                                                           \
    C(capacity, "B", "bytes both directions could have moved in the measured time")                \
    C(bytes,    "B", "bytes moved, both directions")                                               \
    R("utilization.pcie", bytes, capacity, "bytes moved over the bandwidth of both directions")
/* clang-format on */

struct pcie_params {
    PCIE_PARAMS(PARAM_FIELD)
};
struct pcie_stats {
    PCIE_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table pcie_param_table;
extern const struct stat_table pcie_stat_table;

struct pcie {
    struct des_module mod;
    struct pcie_params par;
    struct pcie_stats st;
    uint32_t n_cores, n_copiers;              /* on the chip; that make copies */
    struct des_in feed;                       /* struct host_feed */
    struct des_out fed[PCIE_MAX_CORES];       /* struct host_feed */
    struct des_in back;                       /* struct host_feed: what calls give back */
    struct des_out returned[PCIE_MAX_CORES];  /* struct host_feed */
    struct des_out request[2];                /* struct mem_request; [0] down, [1] up */
    struct des_in done[2];                    /* struct mem_done */
    struct des_in call[PCIE_MAX_CORES];       /* struct host_call */
    struct des_out up;                        /* struct host_call */
    struct des_in copy[2][PCIE_MAX_CORES];    /* struct host_copy; [0] down, [1] up */
    struct des_out copied[2][PCIE_MAX_CORES]; /* struct host_copy */
    bool joined;                              /* with other slices */
    struct des_in from_ici, from_dcn;         /* struct net_chunk */
    struct des_out to_dcn, to_ici;            /* struct net_chunk */
    struct lane lane_down, lane_up;
    struct host_feed down_cur, waiting;
    bool returns; /* the one that crosses is what a call gives back */
    bool waits;   /* a batch has come for which the core has no room yet */
    struct host_call up_cur;
    struct host_copy copy_cur[2];
    uint32_t copy_core[2];
    bool copies[2];              /* what is at hand is a copy */
    bool written;                /* the write of the feed at hand to HBM has been asked for */
    bool reading;                /* the call at hand is being read from HBM */
    struct net_chunk far_cur[2]; /* a message of another slice that crosses; [0] down, [1] up */
    bool far[2];                 /* there is one */
    struct des_probes show[2];   /* [0] down, [1] up */
};

/* `copies`: its cores make copies of their own. */
void pcie_init(struct pcie *p, struct des *sim, struct des_module parent,
               const struct pcie_params *par, uint32_t n_cores, bool copies, lane_fold_fn *fold);
/* Give it the ports for messages to other slices and from them. */
void pcie_bind(struct pcie *p, struct des *sim);
component_reset_fn pcie_reset;
component_finish_fn pcie_finish;

#endif
