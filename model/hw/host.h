/* host.h - a host: prepares the input of its cores ahead of time, and serves their calls.
 *
 *      feed list --[ infeed_overhead a step, bytes / infeed_bandwidth ]--> feed[chip]
 *      call[chip]  >--[ gather | read_time or work ]--> answer[core]
 *
 * Input is prepared as far ahead as the queues on the way have room.  A call that somebody waits
 * for is served when all cores of this host have made theirs, since they run one program. */
#ifndef HW_HOST_H
#define HW_HOST_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"
#include "hw/msg_host.h"
#include "hw/show.h"

#define HOST_MAX_CHIPS 8
#define HOST_MAX_CORES 16

/* clang-format off */
#define HOST_PARAMS(P)                                                                             \
    P(U64, infeed_bandwidth, "B/s", "5.67 GB/s", "1 MB/s", "10 TB/s",                              \
      "input one host prepares and hands to PCIe, all its cores together [calibrated: tpu_v2-8_fc]") \
    P(FS,  infeed_overhead,  "s",   "1.5 ms",    "0 s",    "10 s",                                 \
      "fixed cost of enqueueing the input of one step [calibrated: tpu_v2-8_fc]")                  \
    P(U32, prefetch,         "batches", "2",     "1",      "64",                                   \
      "batches that wait on the device for each core [unverified]")                                \
    P(FS,  read_time,        "s",   "0.12 ms",   "0 s",    "10 s",                                 \
      "from a value the host reads each step to the next program launch [tpu-v5e-dispatch]")

#define HOST_STATS(C, R)                                                                           \
    C(elapsed, "fs", "measured time")                                                              \
    C(busy,    "fs", "time in which the host prepared input or served calls")                      \
    C(feeds,   "",   "batches handed to PCIe")                                                     \
    R("utilization.host", busy, elapsed, "time in which the host prepared input or served calls")
/* clang-format on */

struct host_params {
    HOST_PARAMS(PARAM_FIELD)
};
struct host_stats {
    HOST_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table host_param_table;
extern const struct stat_table host_stat_table;

/* What the infeed operations of one step ask for, in program order: bytes per core. */
struct host_list {
    const uint64_t *bytes;
    uint32_t count;
};

struct host {
    struct des_module mod;
    struct host_params par;
    struct host_stats st;
    uint32_t n_chips, cores_per_chip;
    struct des_out feed[HOST_MAX_CHIPS];   /* struct host_feed */
    struct des_in call[HOST_MAX_CHIPS];    /* struct host_call */
    struct des_out answer[HOST_MAX_CORES]; /* struct host_reply, core = chip * cores_per_chip + i */
    struct des_event given;

    struct host_list list[2]; /* the step being prepared, and the one after it */
    uint32_t n_lists, item, core;
    struct host_feed next;
    struct host_call calls[HOST_MAX_CORES];
    des_time arrived[HOST_MAX_CORES];
    bool called[HOST_MAX_CORES];
    uint32_t n_called;
    des_time gathered;
    uint32_t working; /* threads of this host that are busy */
    des_time busy_since;
    uint64_t fed; /* batches since the beginning */
    struct des_probes show;
};

void host_init(struct host *h, struct des *sim, struct des_module parent, const char *name,
               const struct host_params *par, uint32_t n_chips, uint32_t cores_per_chip);
/* Tell the host what another step will take in; at most one step ahead of the one being prepared.
 */
void host_give(struct host *h, struct des *sim, struct host_list list);
/* Measuring starts: work under way counts from `now`. */
void host_reset(struct host *h, des_time now);
/* Measuring ends `elapsed` after it started: work under way counts up to `now`. */
void host_finish(struct host *h, des_time now, des_time elapsed);

#endif
