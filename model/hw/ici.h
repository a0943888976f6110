/* ici.h - the collective engine of a chip: its cores, the two neighbours on the ring, its HBM.
 *
 *      call[core]  >--[ gather | read | ring steps | write ]--> reply[core]
 *
 * A collective of S bytes per core over P chips of c cores:
 *     gather   until every core of this chip has called
 *     read     c * S bytes from HBM; the chip's cores are added on the way in
 *     ring     P - 1 steps of reduce-scatter and P - 1 of all-gather, both directions at once, half
 *              of S each way (two chips have one link each way: one direction, all of S)
 *     write    c * S bytes to HBM
 * Every step waits for the chunk of the step before, so lateness of one chip shows in all. */
#ifndef HW_ICI_H
#define HW_ICI_H

#include "base/stat.h"
#include "des/des.h"
#include "hw/msg_mem.h"
#include "hw/msg_net.h"
#include "hw/show.h"

#define ICI_MAX_CORES 4

/* clang-format off */
#define ICI_STATS(C, R)                                                                            \
    C(calls, "",  "collectives")                                                                   \
    C(bytes, "B", "payload of collectives, per core")
/* clang-format on */

struct ici_stats {
    ICI_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct stat_table ici_stat_table;

struct ici {
    struct des_module mod;
    struct ici_stats st;
    uint32_t n_cores, n_chips;
    struct des_in call[ICI_MAX_CORES];   /* struct net_call */
    struct des_out reply[ICI_MAX_CORES]; /* struct net_reply */
    struct des_in from[2];               /* struct net_chunk; [0] clockwise, [1] the other way */
    struct des_out to[2];
    struct des_out request; /* struct mem_request */
    struct des_in done;     /* struct mem_done */

    struct net_call cur;
    struct net_chunk chunk;
    struct mem_done mem;
    des_time ready;
    uint64_t step, steps;
    uint32_t i, ways;
    struct des_probes show;
};

/* `n_chips` on the ring; the ring's ports exist only with more than one. */
void ici_init(struct ici *u, struct des *sim, struct des_module parent, uint32_t n_cores,
              uint32_t n_chips);

#endif
