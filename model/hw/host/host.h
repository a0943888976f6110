/* host.h - a host: prepares the input of its cores ahead of time, and serves their calls.
 *
 *      feed list --[ storage | CPU ]--[ infeed_overhead, bytes / infeed_bandwidth ]--> feed[chip]
 *      call[chip]  >--[ gather | storage | CPU, or the client ]--> answer[core], back[chip]
 *                  >--[ the client, call by call ]---------------> answer[core], back[chip]
 *
 * Input is read, computed and prepared as far ahead as the queues on the way have room: each of the
 * two stages is a thread of its own.  A batch is prepared for all cores, then handed out to all
 * chips at once.  A call that somebody waits for is served when all cores of
 * this host have made theirs, since they run one program; work of the client is passed on to it.
 * A call with a staleness is passed on at once, by itself.
 * Then the host begins the program, if that is asked. */
#ifndef HW_HOST_HOST_H
#define HW_HOST_HOST_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/show.h"

#define HOST_MAX_CHIPS 8
#define HOST_MAX_CORES 16
#define HOST_MAX_PREFETCH 64

/* clang-format off */
#define HOST_PARAMS(P)                                                                             \
    P(U64, infeed_bandwidth, "B/s", "5.67 GB/s", "1 MB/s", "10 TB/s",                              \
      "input one host prepares and hands to PCIe, all its cores together [calibrated: tpu_v2-8_fc]") \
    P(FS,  infeed_overhead,  "s",   "1.7 ms",    "0 s",    "10 s",                                 \
      "fixed cost of enqueueing the input of one step [calibrated: tpu_v2-8_fc]")                  \
    P(U32, cores,            "", "32", "1", "1024", "CPU threads that run at once [unverified]")   \
    P(U32, prefetch,         "batches", "2",     "1",      "64",                                   \
      "batches that wait on the device for each core [unverified]")                                \
    P(FS,  read_time,        "s",   "0.12 ms",   "0 s",    "10 s",                                 \
      "from a value the host reads each step to the next program launch [tpu-v5e-dispatch]")       \
    P(FS,  launch_time,      "s",   "0.12 ms", "0 s",      "10 s",                                 \
      "from starting a program on the host to its first operation [tpu-v5e-dispatch]")             \
    P(FS,  restart_time,     "s",   "40 ms",   "0 s",      "100 s",                                \
      "to end a training loop and begin the next: metrics, queues, launch [calibrated: tpu_v2-8_fc]") \
    P(FS,  copy_overhead,    "s",   "0.15 ms", "0 s",      "10 s",                                 \
      "of each variable that is copied out of a loop that ends and into the next [calibrated: tpu_v2-8_fc]") \
    P(U64, copy_bandwidth,   "B/s", "2.4 GB/s", "1 MB/s",  "10 TB/s",                              \
      "of variables copied out of a loop that ends or into one that begins [calibrated: tpu_v2-8_fc]")

#define HOST_STATS(C, R)                                                                           \
    C(elapsed, "fs", "measured time")                                                              \
    C(busy,    "fs", "time in which the host computed input or served calls")                      \
    R("utilization.host", busy, elapsed, "time in which the host computed input or served calls")
/* clang-format on */

struct host_params {
    HOST_PARAMS(PARAM_FIELD)
};
struct host_stats {
    HOST_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table host_param_table;
extern const struct stat_table host_stat_table;

/* A batch: bytes of each core that cross PCIe, that the host handles, that it reads and computes
 * first.  `stage`: for whose cores; TASK_ALL_STAGES: for all. */
struct host_batch {
    uint64_t bytes, handled;
    uint32_t stage;
    const struct task_work *work;
};

/* What the infeed operations of one step ask for, in program order: with several stages, in the
 * order of all of them, in which none waits for a batch behind one that it keeps from being taken.
 */
struct host_list {
    const struct host_batch *batch;
    uint32_t count;
    uint32_t per_stage; /* cores */
};

struct host {
    struct des_module mod;
    struct host_params par;
    struct host_stats st;
    uint32_t n_chips, cores_per_chip, copies;
    struct des_out feed[HOST_MAX_CHIPS];   /* struct host_feed */
    struct des_out back[HOST_MAX_CHIPS];   /* struct host_feed: what calls give back */
    struct des_in call[HOST_MAX_CHIPS];    /* struct host_call */
    struct des_out answer[HOST_MAX_CORES]; /* struct host_reply, core = chip * cores_per_chip + i */
    struct des_out pass;                   /* struct host_call: to the client */
    struct des_in passed;                  /* struct host_reply */
    struct des_out ask;                    /* struct host_call: that are served one by one */
    struct des_in told;                    /* struct host_reply */
    struct des_out load[2];                /* struct storage_request: of input, of calls */
    struct des_in loaded[2];               /* struct storage_done */
    struct des_event given, read, taken, asked;

    struct host_list list[2]; /* the step being prepared, and the one after it */
    uint32_t n_lists, item, core;
    uint32_t first_core; /* of the slice */
    bool begun;          /* this host has prepared something of the first list */
    struct host_feed next;
    uint32_t read_list, read_item;       /* the batch that is read, or is looked at, next */
    uint32_t n_read;                     /* batches read and computed, and not yet prepared */
    des_time read_at[HOST_MAX_PREFETCH]; /* when each of them had come from storage, oldest first */
    struct host_call calls[HOST_MAX_CORES];
    des_time arrived[HOST_MAX_CORES];
    bool called[HOST_MAX_CORES];
    uint32_t n_called;
    struct host_reply reply;
    struct host_feed returned;
    uint32_t to; /* core that gets what a call gives back */
    struct host_call each[HOST_MAX_CORES * HOST_MAX_OPEN]; /* to be served one by one: a ring */
    uint32_t first_each, n_each;
    struct host_reply each_reply;
    struct host_feed each_back;
    uint32_t working; /* threads of this host that are busy */
    des_time busy_since;
    uint64_t fed; /* batches since the beginning */
    struct des_probes show;
};

/* Each of `n_chips` stands for `copies` of the host's chips that do the same at the same time.  Its
 * cores are those of the slice from `first_core` on. */
void host_init(struct host *h, struct des *sim, struct des_module parent, const char *name,
               const struct host_params *par, uint32_t n_chips, uint32_t cores_per_chip,
               uint32_t copies, uint32_t first_core);
/* Tell the host what another step will take in; at most one step ahead of the one being prepared.
 */
void host_give(struct host *h, struct des *sim, struct host_list list);
component_reset_fn host_reset;
component_finish_fn host_finish;

#endif
