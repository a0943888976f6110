/* directions.h - for each parameter of a machine: which way a step never becomes slower.
 *
 * A parameter that is in no row fails the test: whoever adds one says which way it goes. */
#ifndef TESTS_PHYSICS_DIRECTIONS_H
#define TESTS_PHYSICS_DIRECTIONS_H

enum direction {
    MORE,   /* bandwidth, clock, count, capacity: twice as much is never slower */
    LESS,   /* time, cycles, slots, bytes that are lost: half as much is never slower */
    NEITHER /* `why` says what else changes with it */
};

struct direction_of {
    const char *pattern; /* of shell wildcards; the first that matches counts */
    enum direction way;
    const char *why;
};

static const struct direction_of directions[] = {
    { "slice.*", NEITHER, "another slice has more to do: more samples a step, more cores to join" },
    { "core.clock", MORE, NULL },
    { "core.halves", NEITHER, "says how many cores are one device" },
    { "core.*_overhead", LESS, NULL },
    { "core.meet_time", LESS, NULL },
    { "mxu.count", MORE, NULL },
    { "mxu.size", NEITHER, "larger arrays are padded more" },
    { "mxu.*_per_cycle", MORE, NULL },
    { "mxu.*_rate", MORE, NULL },
    { "mxu.issue", MORE, NULL },
    { "mxu.row_granule", LESS, NULL },
    { "mxu.dataflow", NEITHER, "a choice" },
    { "mxu.weight_load", NEITHER, "a choice" },
    { "mxu.stationary", NEITHER, "a choice" },
    { "mxu.sums", NEITHER, "a choice" },
    { "mxu.latency", NEITHER, "0 stands for twice the size" },
    { "vpu.lanes", NEITHER, "wider registers are padded more" },
    { "vpu.sublanes", NEITHER, "taller registers are padded more" },
    { "vpu.alus", MORE, NULL },
    { "vpu.*_slots", LESS, NULL },
    { "xlu.cycles_per_register", LESS, NULL },
    { "xlu.*_cycles", NEITHER, "0 stands for cycles_per_register" },
    { "bundle.row_scalars", LESS, NULL },
    { "bundle.*_latency", LESS, NULL },
    { "bundle.*_cycles", LESS, NULL },
    { "bundle.*", MORE, NULL },
    { "smem.capacity", MORE, NULL },
    { "vmem.capacity", MORE, NULL },
    { "cmem.capacity", MORE, NULL },
    { "cmem.bandwidth", MORE, NULL },
    { "cmem.burst", NEITHER, "a grain: what is moved is rounded up to it" },
    { "dma.granule", LESS, NULL },
    { "dma.engines", MORE, NULL },
    { "dma.queue", MORE, NULL },
    { "dma.issue", LESS, NULL },
    { "dma.row_cycles", LESS, NULL },
    { "dma.bandwidth", MORE, NULL },
    { "core.kernel_gap", LESS, NULL },
    { "xla.whole_stream", NEITHER, "a choice of the compiler" },
    { "xla.stream_window", NEITHER, "a choice of the compiler" },
    { "dma.way_bandwidth", MORE, NULL },
    { "dma.first_read", LESS, NULL },
    { "dma.latency", LESS, NULL },
    { "core.scalar_cycles", LESS, NULL },
    { "sparsecore.granule", LESS, NULL },
    { "sparsecore.row_cycles", LESS, NULL },
    { "sparsecore.launch", LESS, NULL },
    { "sparsecore.*", MORE, NULL },
    { "hbm.capacity", MORE, NULL },
    { "hbm.bandwidth", MORE, NULL },
    { "hbm.efficiency", MORE, NULL },
    { "hbm.request_overhead", LESS, NULL },
    { "hbm.burst", NEITHER, "a grain" },
    { "hbm.turn", NEITHER, "long turns lose less, short ones wait less" },
    { "hbm.contention", NEITHER, "a choice" },
    /* hbm.bandwidth is the peak of the part: a part with a faster bus at the same peak has banks
     * that are slower beside it.  Both together are tested */
    { "dram.*", NEITHER, "the part that has the peak of hbm.bandwidth" },
    { "ici.bandwidth", MORE, NULL },
    { "ici.latency", LESS, NULL },
    { "ici.launch", LESS, NULL },
    { "ici.flit", NEITHER, "a grain" },
    { "ici.algorithm", NEITHER, "a choice" },
    { "pcie.bandwidth", MORE, NULL },
    { "pcie.packet", NEITHER, "a grain" },
    { "dcn.slices", NEITHER, "more slices have more cores to join" },
    { "dcn.nics", MORE, NULL },
    { "dcn.bandwidth", MORE, NULL },
    { "dcn.bisection", MORE, NULL },
    { "dcn.message_time", LESS, NULL },
    { "dcn.latency", LESS, NULL },
    { "dcn.packet", NEITHER, "a grain" },
    { "dcn.message", NEITHER, "a grain" },
    { "host.*_bandwidth", MORE, NULL },
    { "host.cores", MORE, NULL },
    { "host.prefetch", MORE, NULL },
    { "host.*_time", LESS, NULL },
    { "host.*_overhead", LESS, NULL },
    { "host.copy_*", MORE, NULL },
    { "storage.place", NEITHER, "a choice" },
    { "storage.*bandwidth", MORE, NULL },
    { "storage.*latency", LESS, NULL },
    { "storage.request", NEITHER, "a grain" },
    { "client.place", NEITHER, "a choice" },
    { "client.cores", MORE, NULL },
    { "client.nics", MORE, NULL },
    { "client.*bandwidth", MORE, NULL },
    { "client.latency", LESS, NULL },
    { "xla.*_time", LESS, NULL },
    { "xla.exposed_*", LESS, NULL },
    { "xla.dot_tile", LESS, NULL },
    { "xla.*", NEITHER, "a choice" },
    { "price.*", NEITHER, "dollars" },
    { "fault.*", NEITHER, "what is broken, not what is there" },
    { "power.*", NEITHER, "watts" },
    { "proxy.*", NEITHER, "dollars" },
    { "die.*", NEITHER, "what a die is made in, which takes no time" },
};

#endif
