/* host.h - a host: prepares input for its cores ahead of time, and serves their calls.
 *
 *      feed list --[ storage | CPU ]--[ infeed_overhead, bytes / infeed_bandwidth ]--> feed[chip]
 *      call[chip]  >--[ gather | storage | CPU, or the client ]--> answer[core], back[chip]
 *                  >--[ the client, call by call ]---------------> answer[core], back[chip]
 *
 * Input is read from storage and computed by one thread, and prepared for the device by another,
 * each as far ahead as the queues behind it have room.  A batch is prepared for all cores, then
 * handed to all chips at once.
 *
 * A call that cores wait for is served when all cores of this host have made theirs, since they run
 * one program.  Work of the client is passed on to it: once for all cores, or, of a call with a
 * staleness, at once for each core.  After the work the host begins the next program, if the call
 * asks for that. */
#ifndef HW_HOST_HOST_H
#define HW_HOST_HOST_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/show.h"

#define HOST_MAX_CHIPS 8     /* of a host */
#define HOST_MAX_CORES 16    /* of a host */
#define HOST_MAX_PREFETCH 64 /* batches ahead */

/* clang-format off */
#define HOST_PARAMS(P)                                                                             \
    P(U64, infeed_bandwidth, "B/s", "5.7 GB/s", "1 MB/s", "10 TB/s",                               \
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
    P(FS,  restart_time,     "s",   "42 ms",   "0 s",      "100 s",                                \
      "to end a training loop and begin the next: metrics, queues, launch [calibrated: tpu_v2-8_fc]") \
    P(FS,  copy_overhead,    "s",   "0.135 ms", "0 s",     "10 s",                                 \
      "of a message that carries a variable from one loop to the next [calibrated: tpu_v2-8_fc]") \
    P(U64, copy_message,     "B",   "256 KiB", "0 B",      "1 TiB",                                \
      "largest variable of one message; a larger one takes three, and its bytes [calibrated: tpu_v2-8_fc]") \
    P(U64, copy_bandwidth,   "B/s", "2.65 GB/s", "1 MB/s", "10 TB/s",                              \
      "of variables copied out of a loop or into one [calibrated: tpu_v2-8_fc]") \
    P(U64, copy_reused,      "B",   "32 MiB",  "0 B",      "1 TiB",                                \
      "largest variable that is copied into memory that the process has already [mallopt]")        \
    P(U64, fresh_bandwidth,  "B/s", "16 GB/s", "1 MB/s",   "10 TB/s",                              \
      "at which memory for larger ones is cleared and mapped, each time [calibrated: tpu_v2-8_fc]")

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

/* A batch of input, for each core: `bytes` cross PCIe, `handled` bytes are copied by the host,
 * `work` is read and computed first.  `stage`: of the pipeline, or TASK_ALL_STAGES. */
struct host_batch {
    uint64_t bytes, handled;
    uint32_t stage;
    const struct task_work *work;
};

/* Batches of one step, in the order of its infeed operations; with several stages, in program order
 * of all of them, so that no stage waits for a batch behind one that only it can take. */
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
    struct des_out back[HOST_MAX_CHIPS];   /* struct host_feed: data that calls return */
    struct des_in call[HOST_MAX_CHIPS];    /* struct host_call */
    struct des_out answer[HOST_MAX_CORES]; /* struct host_reply, core = chip * cores_per_chip + i */
    struct des_out pass;                   /* struct host_call: to the client */
    struct des_in passed;                  /* struct host_reply */
    struct des_out ask;                    /* struct host_call: those served one by one */
    struct des_in told;                    /* struct host_reply */
    struct des_out load[2];                /* struct storage_request: of input, of calls */
    struct des_in loaded[2];               /* struct storage_done */
    struct des_event given, read, taken, asked;

    struct host_list list[2]; /* the step being prepared, and the one after it */
    uint32_t n_lists, item, core;
    uint32_t first_core; /* of the slice */
    bool begun;          /* the host has begun with the first list */
    struct host_feed next;
    uint32_t read_list, read_item;       /* the batch that is read next */
    uint32_t n_read;                     /* batches read and computed, not yet prepared */
    des_time read_at[HOST_MAX_PREFETCH]; /* when each of them had come from storage, oldest first */
    struct host_call calls[HOST_MAX_CORES];
    des_time arrived[HOST_MAX_CORES];
    bool called[HOST_MAX_CORES];
    uint32_t n_called;
    struct host_reply reply;
    struct host_feed returned;
    uint32_t to; /* core that gets the data a call returns */
    struct host_call
        each[HOST_MAX_CORES * HOST_MAX_OPEN]; /* ring of calls to be served one by one */
    uint32_t first_each, n_each;
    struct host_reply each_reply;
    struct host_feed each_back;
    uint32_t working; /* threads of this host that are busy */
    des_time busy_since;
    uint64_t fed; /* batches since the beginning */
    struct des_probes show;
};

/* A host of `n_chips` simulated chips, each for `copies` chips that do the same at the same time.
 * Its cores count from `first_core` of the slice.  The ports named above are made here. */
void host_init(struct host *h, struct des *sim, struct des_module parent, const char *name,
               const struct host_params *par, uint32_t n_chips, uint32_t cores_per_chip,
               uint32_t copies, uint32_t first_core);
/* Hand the host the input of another step, at most one step ahead of the one being prepared. */
void host_give(struct host *h, struct des *sim, struct host_list list);
component_reset_fn host_reset;
component_finish_fn host_finish;

#endif
