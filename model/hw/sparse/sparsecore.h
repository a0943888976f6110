/* sparsecore.h - the SparseCores of a core: small processors for rows of tables in HBM.
 *
 *      cmd  >--[ launch | move and work ]--> done
 *                        |
 *                        +-- request ... HBM ... reply
 *
 * A core has `count` of them with `tiles` vector subcores each, which work on one kernel together
 * and finish it before the next.  After `launch` they read, write and compute at the same time,
 * through small memories of their own, so a kernel takes the longest of
 *
 *     HBM       its bytes, which share HBM with the core's own; rows at random places are padded to
 *               `granule`, which is finer than that of the core's DMA
 *     path      bytes / bandwidth
 *     rows      rows * row_cycles / (count * tiles)
 *     work      operations / (count * tiles * lanes)
 *
 * Reads and writes are one transfer each; what is written first was not read last, which only
 * matters for the order in which HBM serves them. */
#ifndef HW_SPARSE_SPARSECORE_H
#define HW_SPARSE_SPARSECORE_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_mem.h"
#include "hw/wires/msg_unit.h"
#include "hw/wires/show.h"

#define SPARSECORE_PLACES 64 /* kernels that wait, and answers */

/* clang-format off */
#define SPARSECORE_PARAMS(P)                                                                       \
    P(U32, count, "", "0", "0", "16", "SparseCores of a core to which XLA gives kernels; 0: none [pallas-sc]")                 \
    P(U32, tiles, "", "16", "1", "64", "vector subcores of each [pallas-sc]")                       \
    P(U32, lanes, "", "8", "1", "1024", "32-bit elements that a subcore works on at once [pallas-sc]") \
    P(U64, clock, "Hz", "0 Hz", "0 Hz", "10 GHz", "of the subcores; 0: that of the core [unverified]") \
    P(U64, granule, "B", "32 B", "1 B", "64 KiB", "a row access moves a multiple of this [pallas-sc]") \
    P(U32, row_cycles, "cycle", "1", "0", "1000", "cycles of a subcore to issue the access of a row [unverified]") \
    P(U64, bandwidth, "B/s", "0 B/s", "0 B/s", "100 TB/s", "between HBM and the SparseCores of a core; 0: as fast as HBM [unverified]") \
    P(FS, launch, "s", "1 us", "0 s", "1 s", "from the start of a kernel to its first transfer [unverified]")

#define SPARSECORE_STATS(C, R)                                                                     \
    C(elapsed, "fs", "measured time")                                                              \
    C(busy,    "fs", "of it with a kernel at work")                                                \
    C(bytes,   "B",  "bytes moved for kernels")                                                    \
    R("utilization.sparsecore", busy, elapsed, "time in which the SparseCores have a kernel")
/* clang-format on */

struct sparsecore_params {
    SPARSECORE_PARAMS(PARAM_FIELD)
};
struct sparsecore_stats {
    SPARSECORE_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table sparsecore_param_table;
extern const struct stat_table sparsecore_stat_table;

struct sparsecore {
    struct des_module mod;
    struct sparsecore_params par;
    struct sparsecore_stats st;
    struct des_in cmd, reply;     /* struct unit_sparse, mem_done */
    struct des_out request, done; /* struct mem_request, unit_done */
    struct des_clock clock;
    uint64_t hz;
    struct unit_sparse cur;
    bool busy; /* a kernel is at work, since `since` */
    des_time since;
    des_time worked; /* when its work, rows and path are done */
    uint32_t asked;  /* transfers that are not back */
    enum cause last;
    struct des_probes show;
};

/* `par`: at least one SparseCore; `core_hz`: of the core they belong to. */
void sparsecore_init(struct sparsecore *s, struct des *sim, struct des_module parent,
                     const struct sparsecore_params *par, uint64_t core_hz);
component_reset_fn sparsecore_reset;
component_finish_fn sparsecore_finish;

#endif
