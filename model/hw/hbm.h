/* hbm.h - the HBM of a chip, shared by its cores, ICI and PCIe.
 *
 *      request[i]  >--[ one burst a cycle, clients served in turn ]--> reply[i]
 *
 * All channels of hbm_channel.h work side by side on one transfer: a burst is an access of each.
 * Its clock runs at the rate that a stream in one direction has between refreshes, bandwidth *
 * efficiency. On top of it, from the part's timing:
 *
 *   refresh      every tREFI, banks are precharged and refreshed: nothing moves for tRP + tRFC
 *   turnaround   a read after a write waits for the write's data and tWTR_L, a write after a read
 * for tRTW; so does who comes after another client that went the other way random rows  each opens
 * a row in the channels it lies in.  What that takes is the mean of random accesses that fill the
 * queues of a channel, measured once for a part on the model of its channels: an expectation, here
 * as there; accesses of one row after its first cost their time on the bus
 *
 * The walk visits each burst; the shortcut counts them. */
#ifndef HW_HBM_H
#define HW_HBM_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/hbm_map.h"
#include "hw/lane.h"
#include "hw/msg_mem.h"

#define HBM_MAX_CLIENTS 8

/* clang-format off */
#define HBM_PARAMS(P)                                                                              \
    P(U64, capacity,     "B",     "16 GiB",   "1 MiB",  "16 TiB",   "of the chip [jax]")      \
    P(U64, bandwidth,    "B/s",   "600 GB/s", "1 GB/s", "100 TB/s", "peak of the chip [jax]") \
    P(PPB, efficiency,   "ratio", "0.86",     "0.05",   "1",                                       \
      "share of the peak that a stream reaches between refreshes and turnarounds [calibrated: tpu_v2-8_fc]")                       \
    P(U64, burst,        "B",     "2048 B",   "32 B",   "64 KiB",                                  \
      "moved per burst by all channels together: 32 channels of 64 B [norrie-2021]")                  \
    P(U64, request_overhead, "B", "0 B", "0 B", "1 MiB",                                           \
      "bytes of streaming lost per transfer: set up and begun while no other runs [calibrated: tpu_v4_gemm]")

#define HBM_STATS(C, R)                                                                            \
    C(capacity, "B", "bytes the peak bandwidth could have moved in the measured time")             \
    C(bytes,    "B", "bytes moved for requests")                                                   \
    C(bursts,   "",  "burst times in use, overheads included")                                     \
    C(elapsed,  "",  "burst times of the measured time")                                           \
    C(reads,    "B", "of the bytes, those read")                                                   \
    C(turns,    "",  "changes between reading and writing")                                        \
    C(turning,  "",  "burst times that they took")                                                 \
    C(refreshing, "", "burst times of refreshes in the measured time")                             \
    C(accesses, "",  "accesses of a channel, all channels together")                               \
    C(hits,     "",  "of them those to a row that was open")                                       \
    C(row_time, "",  "burst times of rows at random places beyond those on the bus")               \
    R("utilization.hbm", bytes, capacity, "bytes moved over peak bandwidth")                       \
    R("hbm.reads",       reads, bytes, "bytes read over bytes moved")                              \
    R("hbm.row_hits",    hits, accesses, "accesses to a row that was open")                        \
    R("hbm.opening",     row_time, elapsed, "time that rows at random places take to be opened")   \
    R("hbm.turning",     turning, elapsed, "time of turnarounds between reads and writes")         \
    R("hbm.refresh",     refreshing, elapsed, "time in which all banks are refreshed")
/* clang-format on */

struct hbm_params {
    HBM_PARAMS(PARAM_FIELD)
};
struct hbm_stats {
    HBM_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table hbm_param_table;
extern const struct stat_table hbm_stat_table;

/* What a part says about transfers; shared by all chips with it. */
struct hbm_part {
    struct dram_params par;
    struct hbm_timing t;
    struct hbm_map map;
    /* mean of random accesses of one channel, cycles / accesses; 0 until it is needed */
    uint64_t row_cycles, row_accesses;
    /* of rows of so many bytes: accesses of one bank, and banks that a row lies in */
    uint64_t row_bytes, row_depth, row_width;
};

struct hbm {
    struct des_module mod;
    struct hbm_params par;
    struct hbm_stats st;
    uint32_t n_clients, turn, served;
    struct des_in request[HBM_MAX_CLIENTS]; /* struct mem_request */
    struct des_out reply[HBM_MAX_CLIENTS];  /* struct mem_done */
    struct mem_request cur;
    struct lane lane;
    struct hbm_part *part;  /* NULL: no refresh, turnarounds or rows */
    uint64_t turn_units[2]; /* bursts: from read to write, from write to read */
    bool last;              /* direction of the transfer before */
    uint64_t moved;         /* bytes since the beginning */
    struct des_probes show;
};

/* Bursts per second of a stream between refreshes; bytes per second with refreshes. */
uint64_t hbm_burst_hz(const struct hbm_params *par);
uint64_t hbm_stream_bytes_per_s(const struct hbm_params *par, const struct dram_params *dram);

/* The part of checked parameters. */
void hbm_part_init(struct hbm_part *p, const struct dram_params *par);

/* Set row_depth and row_width for rows of so many bytes, and measure what opening one takes. */
void hbm_part_rows(struct hbm_part *p, uint64_t row_bytes);

/* `part` outlives it. */
void hbm_init(struct hbm *h, struct des *sim, struct des_module parent,
              const struct hbm_params *par, struct hbm_part *part, uint32_t n_clients,
              lane_fold_fn *fold);
void hbm_finish(struct hbm *h, des_time elapsed);

#endif
