/* hbm.h - the HBM of a chip, shared by its cores, ICI and PCIe.
 *
 *      request[i]  >--[ one burst a cycle, clients served in turn ]--> reply[i]
 *
 * A burst is what all channels together deliver at once; its clock runs at the bandwidth that long
 * streams reach, bandwidth * efficiency.  A row at a random place costs `row_overhead` bytes more
 * than it carries, for the activate that nothing hides. */
#ifndef HW_HBM_H
#define HW_HBM_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/lane.h"
#include "hw/msg_mem.h"

#define HBM_MAX_CLIENTS 8

/* clang-format off */
#define HBM_PARAMS(P)                                                                              \
    P(U64, capacity,     "B",     "16 GiB",   "1 MiB",  "16 TiB",   "of the chip [jax]")      \
    P(U64, bandwidth,    "B/s",   "600 GB/s", "1 GB/s", "100 TB/s", "peak of the chip [jax]") \
    P(PPB, efficiency,   "ratio", "0.86",     "0.05",   "1",                                       \
      "share of the peak that long streams reach [calibrated: tpu_v2-8_fc]")                       \
    P(U64, burst,        "B",     "2048 B",   "32 B",   "64 KiB",                                  \
      "moved per burst by all channels together: 32 channels of 64 B [norrie-2021]")                  \
    P(U64, row_overhead, "B",     "93 B",     "0 B",    "64 KiB",                                  \
      "bytes of streaming lost per random row [dramsim3]")                                         \
    P(U64, request_overhead, "B", "0 B", "0 B", "1 MiB",                                           \
      "bytes of streaming lost per transfer: set up and begun while no other runs [calibrated: tpu_v4_gemm]")

#define HBM_STATS(C, R)                                                                            \
    C(capacity, "B", "bytes the peak bandwidth could have moved in the measured time")             \
    C(bytes,    "B", "bytes moved for requests")                                                   \
    C(bursts,   "",  "burst times in use, overheads included")                                     \
    R("utilization.hbm", bytes, capacity, "bytes moved over peak bandwidth")
/* clang-format on */

struct hbm_params {
    HBM_PARAMS(PARAM_FIELD)
};
struct hbm_stats {
    HBM_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table hbm_param_table;
extern const struct stat_table hbm_stat_table;

struct hbm {
    struct des_module mod;
    struct hbm_params par;
    struct hbm_stats st;
    uint32_t n_clients, turn, served;
    struct des_in request[HBM_MAX_CLIENTS]; /* struct mem_request */
    struct des_out reply[HBM_MAX_CLIENTS];  /* struct mem_done */
    struct mem_request cur;
    struct lane lane;
    uint64_t moved; /* bytes since the beginning */
    struct des_probes show;
};

/* Bursts per second of long streams. */
uint64_t hbm_burst_hz(const struct hbm_params *par);

void hbm_init(struct hbm *h, struct des *sim, struct des_module parent,
              const struct hbm_params *par, uint32_t n_clients, lane_fold_fn *fold);
void hbm_finish(struct hbm *h, des_time elapsed);

#endif
