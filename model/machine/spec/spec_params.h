/* spec_params.h - parameters of a machine that no component has: the size of its slice, what a
 * framework on CPUs costs and chooses, its price, its electrical power and its dies. */
#ifndef MACHINE_SPEC_SPEC_PARAMS_H
#define MACHINE_SPEC_SPEC_PARAMS_H

#include "base/param.h"

/* clang-format off */
#define SLICE_PARAMS(P)                                                                            \
    P(U32, cores,          "", "-", "1", "19200", "devices of a slice: cores, or chips whose cores work as one [cloud-tpu]") \
    P(U32, cores_per_chip, "", "2", "1", "2",    "cores of a chip; they share its HBM [jax]") \
    P(U32, chips_per_host, "", "4", "1", "8",    "chips of a host [unverified]")                 \
    P(U32, mesh_x,         "", "1", "1", "1024",  "chips along x [cloud-tpu]")                      \
    P(U32, mesh_y,         "", "1", "1", "1024",  "chips along y [cloud-tpu]")                      \
    P(U32, mesh_z,         "", "1", "1", "1024",  "chips along z [cloud-tpu]")                      \
    P(U32, wrap_least,     "", "0", "0", "64",                                                     \
      "dimensions of at least this many chips are closed to rings; 0: none [mlperf-v0.7]")           \
    P(ENUM, wrap_together, "no|yes", "no", "", "", "dimensions are closed only if all of them have that many chips [scaling-book]") \
    P(ENUM, twisted, "no|yes", "no", "", "",                                                       \
      "a torus of n and 2n chips where a step over the end of n also moves n along 2n [jouppi-2023]") \
    P(ENUM, network, "grid|boardfly", "grid", "", "",                                              \
      "grid: chips are linked to their neighbours along x, y and z; boardfly: boards of 4, groups of 8 boards (docs/model/network.md) [google-tpu8]")

#define NVLINK_PARAMS(P)                                                                           \
    P(U32, links,     "", "6", "1", "64", "of a GPU [nvidia-v100]")                                \
    P(U32, pair_links, "", "0", "0", "64", "that join two GPUs of a box of two; 0: all, over a switch [nvidia-v100]") \
    P(U64, bandwidth, "B/s", "25 GB/s", "1 MB/s", "100 TB/s", "one direction of a link [nvidia-v100]") \
    P(U64, packet,    "B",   "256 B",   "1 B",    "64 KiB",  "moved per cycle of the links [unverified]") \
    P(FS,  latency,   "s",   "0.3 us",  "0 s",    "1 s",     "of bytes from one GPU to another, without software [unverified]")

#define FRAMEWORK_PARAMS(P)                                                                        \
    P(ENUM, execution, "eager|graph|xla", "graph", "", "",                                         \
      "eager: as Python calls each operation; graph: the same from a graph of the framework; xla: a fusion is one operation [frontends]") \
    P(FS,  dispatch, "s", "22 us", "0 s", "1 s", "of an operation, eager [tensorflow-cpu]")        \
    P(FS,  node,     "s", "1.4 us", "0 s", "1 s", "of an operation of a graph [tensorflow-cpu]")   \
    P(FS,  fork,     "s", "5 us", "0 s", "1 s", "for the threads of an operation to double [unverified]") \
    P(U64, task_cycles, "cycle", "100000", "1", "1000000000", "of work for which an operation takes one more thread [eigen]") \
    P(U64, fresh,    "B", "32 MiB", "0 B", "1 TiB", "results above are in memory that the system has just mapped; 0: the allocator keeps all [glibc]") \
    P(U64, page,     "B", "4 KiB", "4 KiB", "1 GiB", "of a page of such memory [glibc]")           \
    P(FS,  fault,    "s", "0.25 us", "0 s", "1 s", "of a thread to map a page, besides clearing it [unverified]") \
    P(U64, clear,    "B/s", "8 GB/s", "1 MB/s", "10 TB/s", "at which one thread clears a page [tensorflow-cpu]") \
    P(U32, fault_lines, "", "2", "0", "64", "times that the line with the lock of the process's memory goes to another core for each fault [linux-mmap-lock]")

#define PROCESS_PARAMS(P)                                                                          \
    P(U64, context, "B", "400 MB", "0 B", "1 TB", "that a process holds on a GPU before it makes a tensor [pytorch-context]") \
    P(U64, workspace, "B", "8320 KiB", "0 B", "1 TB", "that the library of products keeps [cublas-workspace]") \
    P(U64, granule, "B", "512 B", "1 B", "1 GiB", "the framework's allocator rounds tensors up to this: PyTorch 512 B, TensorFlow 256 B [pytorch-allocator]")

#define PRICE_PARAMS(P)                                                                            \
    P(PPB, on_demand,        "USD/h", "0", "0", "1000000", "of the whole slice [cloud-tpu]")       \
    P(PPB, preemptible,      "USD/h", "0", "0", "1000000", "of the whole slice, preemptible [cloud-tpu]") \
    P(PPB, chip_on_demand,   "USD/h", "0", "0", "1000000", "of a chip, where slices have no price of their own [cloud-tpu]") \
    P(PPB, chip_preemptible, "USD/h", "0", "0", "1000000", "of a chip of any slice, preemptible [cloud-tpu]")

#define POWER_PARAMS(P)                                                                            \
    P(U64, idle, "W", "0 W", "0 W", "10 kW", "of an idle chip: the least measured; 0: unknown [google-cloud-tpu-v3]") \
    P(U64, peak, "W", "0 W", "0 W", "10 kW", "of a busy chip: the most measured, or its limit; 0: unknown [google-cloud-tpu-v3]") \
    P(U64, busy, "W", "0 W", "0 W", "10 kW", "beyond idle of a chip all of whose cores have work; 0: unknown, and power is a range [accelwattch]") \
    P(PPB, mac,  "pJ", "0", "0", "10000", "of a 16-bit multiply-accumulate of the matrix units, on-chip memory included [jouppi-2021]") \
    P(PPB, fma,  "pJ", "0", "0", "10000", "of an f32 multiply-accumulate of the CUDA cores [jouppi-2021]") \
    P(PPB, byte, "pJ", "0", "0", "100000", "of a byte that is moved to or from memory [jouppi-2021]") \
    P(PPB, link_bit, "pJ", "0", "0", "10000", "of a bit on a link between chips [arunkumar-2017]")

#define DIE_PARAMS(P)                                                                              \
    P(ENUM, node,  "16nm|7nm|5nm|3nm", "16nm", "", "", "process in which a chip is made [jouppi-2020]") \
    P(U32,  count, "", "1", "1", "8", "dies with cores in a chip [jouppi-2020]")                    \
    P(U32,  links, "", "4", "1", "6", "ICI links that a chip has, used or not [norrie-2021]")
/* clang-format on */

struct slice_params {
    SLICE_PARAMS(PARAM_FIELD)
};
/* Values of slice.network. */
enum slice_network { SLICE_GRID, SLICE_BOARDFLY };
struct nvlink_params {
    NVLINK_PARAMS(PARAM_FIELD)
};
struct process_params {
    PROCESS_PARAMS(PARAM_FIELD)
};
struct framework_params {
    FRAMEWORK_PARAMS(PARAM_FIELD)
};
/* Values of framework.execution. */
enum framework_execution { FRAMEWORK_EAGER, FRAMEWORK_GRAPH, FRAMEWORK_XLA };
struct price_params {
    PRICE_PARAMS(PARAM_FIELD)
};
struct power_params {
    POWER_PARAMS(PARAM_FIELD)
};
struct die_params {
    DIE_PARAMS(PARAM_FIELD)
};
enum die_node { DIE_16NM, DIE_7NM, DIE_5NM, DIE_3NM, DIE_N_NODES }; /* as die.node says */
extern const struct param_table slice_param_table;
extern const struct param_table nvlink_param_table;
extern const struct param_table framework_param_table;
extern const struct param_table process_param_table;
extern const struct param_table price_param_table;
extern const struct param_table power_param_table;
extern const struct param_table die_param_table;

#endif
