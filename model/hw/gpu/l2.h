/* l2.h - the L2 cache of a GPU, between its SMs and HBM.
 *
 *      access >--[ bytes of HBM ]--> request, reply --+--[ latency ]--> done
 *             >--[ bytes, at its own rate ]-----------+
 *
 * Which bytes hit is a matter of the program, and known when it is lowered
 * (kernels/common/gpu_cache.h): an access says how many bytes pass and how many of them HBM moves.
 * An access is over when its last byte has passed, and has come from HBM or is there, and then its
 * latency.  Reads and writes have a path each. */
#ifndef HW_GPU_L2_H
#define HW_GPU_L2_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_gpu.h"
#include "hw/wires/msg_mem.h"
#include "hw/wires/show.h"

#define L2_FLIGHT 8 /* accesses of a way that have no answer yet, at most */

/* clang-format off */
#define L2_PARAMS(P)                                                                               \
    P(U64, capacity,  "B",   "6 MiB",    "64 KiB", "4 GiB",    "of the chip [nvidia-v100]")        \
    P(U64, bandwidth, "B/s", "2155 GB/s", "1 GB/s", "1000 TB/s", "one way, of all slices together [jia-2018]") \
    P(FS,  latency,   "s",   "0.15 us",  "0 s",    "1 s",      "of an access that hits [jia-2018]") \
    P(FS,  miss,      "s",   "0.15 us",  "0 s",    "1 s",      "added to one that HBM serves [jia-2018]")

#define L2_STATS(C, R)                                                                             \
    C(capacity, "B", "bytes that could have passed in the measured time, both ways")               \
    C(bytes,    "B", "bytes that passed")                                                          \
    C(missed,   "B", "of them those that HBM moved")                                               \
    R("utilization.l2", bytes, capacity, "bytes that passed over the bandwidth of both ways")      \
    R("l2.misses",      missed, bytes, "bytes that HBM moved over bytes that passed")
/* clang-format on */

struct l2_params {
    L2_PARAMS(PARAM_FIELD)
};
struct l2_stats {
    L2_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table l2_param_table;
extern const struct stat_table l2_stat_table;

/* One way: its accesses in order. */
struct l2_way {
    des_time free;              /* its path has passed all bytes so far */
    des_time passed[L2_FLIGHT]; /* of access n % L2_FLIGHT: its bytes have */
    bool missed[L2_FLIGHT];     /* HBM serves it */
    uint64_t sent, answered;
};

struct l2 {
    struct des_module mod;
    struct l2_params par;
    struct l2_stats st;
    struct des_in access;   /* struct gpu_access */
    struct des_out done;    /* struct gpu_access_done */
    struct des_out request; /* struct mem_request */
    struct des_in reply;    /* struct mem_done */
    struct l2_way way[2];   /* reads, writes */
    struct des_probes show;
};

/* Make the cache; its ports to HBM are bound by who wires the GPU. */
void l2_init(struct l2 *c, struct des *sim, struct des_module parent, const struct l2_params *par);

#endif
