/* cpu_cores.h - the cores of a CPU node, all sockets together.
 *
 *      work  >--[ cycles of the core with the most ]--> done
 *
 * Threads of an operation have equal shares of it, so cores that have one do the same and one lane
 * serves all.  What a core does in a cycle, and what it moves, is counted when an operation is
 * lowered (kernels/cpu/cpu_stream.c, kernels/cpu/cpu_product.c). */
#ifndef HW_CPU_CPU_CORES_H
#define HW_CPU_CPU_CORES_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/lane.h"
#include "hw/wires/msg_cpu.h"

/* clang-format off */
#define CPU_CORES_PARAMS(P)                                                                        \
    P(U64, clock, "Hz", "-", "1 MHz", "10 GHz", "of all cores when they do matrix products [intel-6148]") \
    P(PPB, stream_clock, "ratio", "1", "1", "4", "clock of everything else over that of products: it has fewer wide instructions [intel-6148]") \
    P(U32, sockets, "", "2", "1", "8", "of the node [intel-6148]")                                 \
    P(U32, count, "", "20", "1", "1024", "cores of a socket [intel-6148]")                         \
    P(U32, lanes, "", "16", "1", "64", "f32 elements of the widest register [intel-6148]")         \
    P(U32, fma, "", "2", "1", "8", "registers that a core multiplies and adds a cycle [intel-6148]") \
    P(U64, l3, "B", "27.5 MiB", "64 KiB", "4 GiB", "last cache, which a group of cores shares [intel-6148]") \
    P(U64, core_bandwidth, "B/s", "12 GB/s", "1 MB/s", "1 TB/s", "that one core moves from and to memory [unverified]") \
    P(U64, link_bandwidth, "B/s", "62.4 GB/s", "1 MB/s", "10 TB/s", "between two sockets, one way [intel-6148]") \
    P(PPB, away, "ratio", "0.5", "0", "1", "share of a thread's bytes at another socket; 0: threads are pinned to their data [numa-first-touch]") \
    P(FS,  line, "s", "95 ns", "0 s", "1 ms", "for a line of a cache from one core to another [core-latency]")

#define CPU_CORES_STATS(C, R)                                                                      \
    C(cycles,   "cycle", "cycles of the measured time")                                            \
    C(capacity, "cycle", "as many for each core")                                                  \
    C(busy,     "cycle", "of each core with work")                                                 \
    C(any,      "cycle", "with work for at least one core")                                        \
    R("utilization.cores", busy, capacity, "time in which cores have work of an operation")        \
    R("utilization.pool",  any,  cycles,   "time in which at least one core has")
/* clang-format on */

struct cpu_cores_params {
    CPU_CORES_PARAMS(PARAM_FIELD)
};
struct cpu_cores_stats {
    CPU_CORES_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table cpu_cores_param_table;
extern const struct stat_table cpu_cores_stat_table;

struct cpu_cores {
    struct des_module mod;
    struct cpu_cores_params par;
    struct cpu_cores_stats st;
    struct des_in work;  /* struct cores_work */
    struct des_out done; /* struct cores_done */
    struct lane lane;
    uint64_t hz;
};

/* Make the cores of a node, at a clock of `hz`.  `fold` NULL: walk every cycle. */
void cpu_cores_init(struct cpu_cores *c, struct des *sim, struct des_module parent,
                    const struct cpu_cores_params *par, uint64_t hz, lane_fold_fn *fold);

#endif
