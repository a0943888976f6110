/* spec_params.h - parameters of a machine that no component has: the size of its slice, what the
 * compiler (XLA) or a framework on CPUs costs and chooses, its price, its electrical power and its
 * dies. */
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

#define XLA_PARAMS(P)                                                                              \
    P(ENUM, layout, "logical|compact", "logical", "", "",                                          \
      "bytes of an array in HBM: its elements, or whole tiles in the best order of dimensions [calibrated: tpu_v4_ops]") \
    P(U32, tile_lanes, "", "128", "1", "1024",                                                     \
      "lanes of a tile of an array at most; a register of more holds several tiles [jax]")         \
    P(U32, tile_sublanes, "", "8", "1", "64", "sublanes of it at most, likewise [jax]")            \
    P(FS, vector_time, "s", "0 s", "0 s", "1 s",                                                   \
      "added to a kernel without a product [calibrated: tpu_v4_ops]") \
    P(U64, exposed_gemm, "B", "0 B", "0 B", "1 GiB",                                               \
      "bytes of the first windows in and the last out of a product that take half as long again, at most [calibrated: tpu_v4_gemm]") \
    P(U64, exposed_bytes, "B", "0 B", "0 B", "1 GiB",                                              \
      "bytes that a kernel without a product moves one way while the other waits [calibrated: tpu_v4_ops]")    \
    P(FS, relayout_time, "s", "0 s", "0 s", "1 s",                                                 \
      "added to a kernel whose input and output order their dimensions differently [calibrated: tpu_v4_ops]") \
    P(FS, lane_reduce_time, "s", "0 s", "0 s", "1 s",                                              \
      "added to a reduction along lanes [calibrated: tpu_v4_ops]")                 \
    P(FS, row_time, "s", "0 s", "0 s", "1 s",                                                      \
      "added to one whose result has one dimension [calibrated: tpu_v4_ops]") \
    P(PPB, resume_cycles, "cycle", "0", "0", "64",                                                 \
      "of each register of f32 sums that a grid step of a product takes up, where k is cut [unverified]") \
    P(FS, join_time, "s", "0 s", "0 s", "1 s",                                                     \
      "added to a sum that the halves of a device divide [calibrated: tpu_v4_ops]") \
    P(ENUM, vector_dot, "no|yes", "no", "", "",                                                    \
      "products with a dimension of 1 run on the vector unit [calibrated: tpu_v4_gemm]")           \
    P(FS, dot_time, "s", "0 s", "0 s", "1 s",                                                      \
      "added to a product on the vector unit [calibrated: tpu_v4_gemm]") \
    P(FS, dot_small_time, "s", "0 s", "0 s", "1 s",                                                \
      "in place of dot_time, if no dimension is larger than the array [calibrated: tpu_v4_gemm]")            \
    P(FS, dot_reduce_time, "s", "0 s", "0 s", "1 s",                                               \
      "added if the sum is longer than the array is large [calibrated: tpu_v4_gemm]")            \
    P(U64, dot_tile, "B", "1 B", "1 B", "1 GiB",                                                   \
      "bytes that such a product moves before it computes, and after [calibrated: tpu_v4_gemm]")       \
    P(ENUM, prefetch, "no|yes", "no", "", "",                                                      \
      "the program before brings an operand of a lone kernel on chip [xla-kernels]")              \
    P(PPB, remat_most, "ratio", "1.5", "1", "1000",                                                \
      "times the memory up to which the compiler was seen to rematerialise by itself; not at 2.5 [xla-limits]") \
    P(FS, compile_time, "s", "5 s", "0 s", "3600 s", "to compile a program, in addition to its operations [unverified]") \
    P(FS, compile_op_time, "s", "0.1 s", "0 s", "100 s", "to compile each operation of a program [unverified]") \
    P(ENUM, combine_all_reduce, "no|yes", "yes",  "", "",                                           \
      "one collective for all operands of an all-reduce (compilers of 2018: one for each) [xla-programs]")  \
    P(PPB, carried_steps, "steps", "0", "0", "16",                                                 \
      "steps of a ring that the start of a carried collective takes, at most carried_share of it [unverified]") \
    P(PPB, carried_share, "ratio", "0.5", "0", "1", "of such a collective that its start sends at most [unverified]") \
    P(U32, push_rows, "rows", "0", "0", "1024",                                                    \
      "rows of weights a cycle that compiled kernels push behind those of the tile before; 0: as mxu.weight_load [calibrated: xla-estimates]") \
    P(U32, image_parts, "parts", "0", "0", "1024",                                                 \
      "into which the last dimension of fewer images than sublanes is cut; 0: it is not [xla-kernels]") \
    P(U32, tap_loads, "", "3", "0", "64",                                                          \
      "of a register of a depthwise convolution, at each tap: of image, filter and sum [calibrated: xla-estimates]") \
    P(U32, tap_stores, "", "2", "0", "64",                                                         \
      "stores at each tap: of its sum, and one that is not known [calibrated: xla-estimates]") \
    P(U64, turn_bytes, "B", "128 MiB", "1 B", "1 TiB",                                              \
      "a table of narrow rows that padding to whole lanes makes larger by so much (and twice as large) is used where it lies; others are copied first [xla-programs]") \
    P(U64, place_bytes, "B", "0 B", "0 B", "1 TiB",                                                \
      "of CMEM, else VMEM, for values between kernels; 0: they go through HBM [xla-programs]") \
    P(FS, window_time, "s", "0 s", "0 s", "1 s",                                                   \
      "of a transfer besides its bytes, in the compiler's choice of windows of products; 0: windows of least time here [calibrated: xla-estimates]") \
    P(FS, window_step, "s", "0 s", "0 s", "1 s",                                                   \
      "of a grid step besides its product, by the compiler's estimate, which hides window_time; 0: nothing hides it [calibrated: xla-estimates]") \
    P(FS, exchange_time, "s", "0 s", "0 s", "1 s",                                                 \
      "added to a product whose k the halves of a device divide [calibrated: tpu_v4_gemm]") \
    P(U64, window_memory, "B", "13 MiB", "64 KiB", "1 GiB",                                        \
      "VMEM that the windows of a product take, at most [calibrated: xla-estimates]") \
    P(U64, whole_stream, "B", "0 B", "0 B", "1 GiB",                                               \
      "operands and results of an element-wise kernel that half a device takes as one window; 0: windows of least time here [xla-kernels]") \
    P(U64, whole_way, "B", "0 B", "0 B", "1 GiB",                                                  \
      "the same of a kernel that only reads or only writes HBM; 0: whole_stream [xla-kernels]") \
    P(U64, whole_fusion, "B", "0 B", "0 B", "1 GiB",                                               \
      "the same of a kernel of several operations; 0: whole_stream [xla-kernels]")                 \
    P(U64, fusion_window, "", "0", "0", "1073741824",                                              \
      "elements of a result in a window of a kernel of several operations without a product, within window_memory; 0: windows of least time here [xla-programs]") \
    P(U64, stream_window, "", "131072", "1024", "1073741824",                                      \
      "elements of a result in a window of a longer element-wise kernel [xla-kernels]")            \
    P(ENUM, narrow_activations, "no|yes", "yes", "", "",                                           \
      "keep f32 activations that matmuls read in bf16 in memory [calibrated: tpu_v2-8_fc]")

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
struct xla_params {
    XLA_PARAMS(PARAM_FIELD)
};
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
extern const struct param_table xla_param_table;
extern const struct param_table price_param_table;
extern const struct param_table power_param_table;
extern const struct param_table die_param_table;

#endif
