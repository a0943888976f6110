/* xla_params.h - what the compiler of a TPU (XLA) costs and chooses: [xla] of a machine file.
 *
 * A row of P is a parameter that lowering takes as the file states it; a row of C is a time that
 * kernels wait, which it takes in whole core cycles.  Lowering reads all of them in `xla` of struct
 * cap, by the names of the file: a new parameter is a row here. */
#ifndef KERNELS_COMMON_XLA_PARAMS_H
#define KERNELS_COMMON_XLA_PARAMS_H

#include "base/param.h"

/* Rows of parameters: P as they are stated, C in cycles. */
/* clang-format off */
#define XLA_ROWS(P, C)                                                                             \
    P(ENUM, layout, "logical|compact", "logical", "", "",                                          \
      "bytes of an array in HBM: its elements, or whole tiles in the best order of dimensions [calibrated: tpu_v4_ops]") \
    P(U32, tile_lanes, "", "128", "1", "1024",                                                     \
      "lanes of a tile of an array at most; a register of more holds several tiles [jax]")         \
    P(U32, tile_sublanes, "", "8", "1", "64", "sublanes of it at most, likewise [jax]")            \
    C(FS, vector_time, "s", "0 s", "0 s", "1 s",                                                   \
      "added to a kernel without a product [calibrated: tpu_v4_ops]") \
    P(U64, exposed_gemm, "B", "0 B", "0 B", "1 GiB",                                               \
      "bytes of the first windows in and the last out of a product that take half as long again, at most [calibrated: tpu_v4_gemm]") \
    P(U64, exposed_bytes, "B", "0 B", "0 B", "1 GiB",                                              \
      "bytes that a kernel without a product moves one way while the other waits [calibrated: tpu_v4_ops]")    \
    C(FS, relayout_time, "s", "0 s", "0 s", "1 s",                                                 \
      "added to a kernel whose input and output order their dimensions differently [calibrated: tpu_v4_ops]") \
    C(FS, lane_reduce_time, "s", "0 s", "0 s", "1 s",                                              \
      "added to a reduction along lanes [calibrated: tpu_v4_ops]")                 \
    C(FS, row_time, "s", "0 s", "0 s", "1 s",                                                      \
      "added to one whose result has one dimension [calibrated: tpu_v4_ops]") \
    P(PPB, resume_cycles, "cycle", "0", "0", "64",                                                 \
      "of each register of f32 sums that a grid step of a product takes up, where k is cut [unverified]") \
    C(FS, join_time, "s", "0 s", "0 s", "1 s",                                                     \
      "added to a sum that the halves of a device divide [calibrated: tpu_v4_ops]") \
    P(ENUM, vector_dot, "no|yes", "no", "", "",                                                    \
      "products with a dimension of 1 run on the vector unit [calibrated: tpu_v4_gemm]")           \
    C(FS, dot_time, "s", "0 s", "0 s", "1 s",                                                      \
      "added to a product on the vector unit [calibrated: tpu_v4_gemm]") \
    C(FS, dot_small_time, "s", "0 s", "0 s", "1 s",                                                \
      "in place of dot_time, if no dimension is larger than the array [calibrated: tpu_v4_gemm]")            \
    C(FS, dot_reduce_time, "s", "0 s", "0 s", "1 s",                                               \
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
    C(FS, window_time, "s", "0 s", "0 s", "1 s",                                                   \
      "of a transfer besides its bytes, in the compiler's choice of windows of products; 0: windows of least time here [calibrated: xla-estimates]") \
    C(FS, window_step, "s", "0 s", "0 s", "1 s",                                                   \
      "of a grid step besides its product, by the compiler's estimate, which hides window_time; 0: nothing hides it [calibrated: xla-estimates]") \
    C(FS, exchange_time, "s", "0 s", "0 s", "1 s",                                                 \
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
      "keep f32 activations that matmuls read in bf16 in memory [calibrated: tpu_v2-8_fc]")         \
    P(ENUM, join_operands, "no|yes", "no", "", "",                                                 \
      "arrays side by side that products alone read are put together in their kernels [xla-programs]")

#define XLA_PARAMS(P) XLA_ROWS(P, P)
/* clang-format on */

struct xla_params {
    XLA_PARAMS(PARAM_FIELD)
};
/* Values of xla.layout. */
enum xla_layout { XLA_LOGICAL, XLA_COMPACT };
extern const struct param_table xla_param_table;

#endif
