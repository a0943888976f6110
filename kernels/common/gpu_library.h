/* gpu_library.h - the kernels that libraries have for a GPU, as machine files state them
 * (model/machines/libraries).
 *
 * A section for each kind of product lists the kernels of the library, a line each, and what they
 * have in common.  A chip names its library: chips of one generation share it, and a chip that is
 * new takes that of the nearest one.  A table of another kind is parameters of its own, their
 * section in GPU_LIBRARY_SECTIONS, and a field of struct gpu_library. */
#ifndef KERNELS_COMMON_GPU_LIBRARY_H
#define KERNELS_COMMON_GPU_LIBRARY_H

#include "base/param.h"

/* clang-format off */
#define GPU_TILE_PARAMS(P)                                                                         \
    P(PPB,  share,    "ratio", "-", "0.01", "2",   "of the peak rate that a full SM reaches [calibrated: gpu-gemm]") \
    P(U32,  k_more,   "",      "0", "0", "100000", "a block takes the time of so many more steps of k [calibrated: gpu-gemm]") \
    P(U32,  resident, "",      "1", "1", "64",     "blocks of an SM at a time [nvidia-v100]")      \
    P(PPB,  believed, "ratio", "1", "0.1", "10",   "the library takes its time for so many times what it is [calibrated: gpu-gemm]") \
    P(ENUM, serves,   "all|lone|batch", "all", "", "", "products that are no batch, batches, or both [gpu-gemm]") \
    P(U32,  step,     "",      "0", "0", "4096",   "of a convolution: it goes tap by tap, and pads the channels of each to so many; 0: taps are not told apart [gpu-conv]") \
    P(U32,  most,     "",      "0", "0", "1000000000", "rows of m up to which the library takes it, and none for more; 0: any [vllm-f8]")

#define GPU_TILES_PARAMS(P)                                                                        \
    P(PPB,  memory,        "ratio", "0.9", "0.01", "1", "of HBM's rate that operands reach [calibrated: gpu-gemm]") \
    P(FS,   time,          "s",     "0 s", "0 s", "1 s", "fixed, besides that of every kernel [calibrated: gpu-gemm]") \
    P(FS,   k_time,        "s",     "0 s", "0 s", "1 us", "of a block at least for a step of k [calibrated: gpu-graphs]") \
    P(U32,  least_k,       "",      "0", "0", "4294967295", "of a part, where k is split [calibrated: gpu-gemm]") \
    P(U32,  long_k,        "",      "0", "0", "4294967295", "above it the library believes tiles whose warps do not divide k slower than they are; 0: never [calibrated: gpu-gemm]") \
    P(PPB,  long_believed, "ratio", "1.2", "0.1", "10", "for so many times their time [calibrated: gpu-gemm]") \
    P(PPB,  split_blocks,  "ratio", "0", "0", "1000", "k is split only below so many blocks an SM; 0: always [calibrated: gpu-gemm]") \
    P(FS,   split_time,    "s",     "0 s", "0 s", "1 s", "that the library counts for a split [calibrated: gpu-gemm]") \
    P(U32,  split_bytes,   "",      "0", "0", "1000", "times that it counts the bytes of the parts [calibrated: gpu-gemm]") \
    P(PPB,  split_memory,  "ratio", "0.92", "0.01", "1", "of HBM's rate at which it counts those bytes [calibrated: gpu-gemm]") \
    P(FS,   reduce_time,   "s",     "0 s", "0 s", "1 s", "fixed, of the kernel that adds up the parts [calibrated: gpu-gemm]") \
    P(U32,  most_split,    "",      "0", "0", "256", "parts of k, powers of two; 0: up to 32, any number [calibrated: gpu-gemm]") \
    P(U64,  split_from,    "",      "0", "0", "1000000000", "the least k that is split; 0: any [calibrated: gpu-gemm]") \
    P(U64,  split_most,    "",      "0", "0", "1000000000000", "the most elements of a result whose k is split; 0: any [calibrated: gpu-gemm]") \
    P(ENUM, split_batches, "no|yes", "no", "", "", "k of batches is split too [calibrated: gpu-gemm]") \
    P(PPB,  unaligned,     "ratio", "1", "0.01", "1", "of the rate where rows are not whole vectors of 16 B [calibrated: gpu-gemm]") \
    P(PPB,  both_along_k,  "ratio", "1", "0.01", "2", "of the rate where both operands are stored along k [calibrated: gpu-gemm]") \
    P(PPB,  fetched,       "ratio", "1", "0.01", "1", "of the bytes of panels that pass the L2, as clusters share them [calibrated: gpu-gemm]") \
    P(PPB,  thin,          "ratio", "0", "0", "1", "of HBM's rate, of products with m or n up to 128 and B transposed or broken vectors of n; 0: as others [calibrated: gpu-gemm]") \
    P(PPB,  thin_power,    "ratio", "0.76", "0.01", "1", "the same where k is a power of two [calibrated: gpu-gemm]") \
    P(PPB,  scattered,     "ratio", "0", "0", "10", "share of bytes that A takes more if not transposed: its rows are fetched in sectors, whose lines crowd the L2 [calibrated: gpu-gemm]") \
    P(PPB,  crowded,       "ratio", "0", "0", "10", "the same where they crowd it most [calibrated: gpu-gemm]") \
    P(PPB,  crowd_from,    "ratio", "0.1", "0", "1", "share of the L2 from which on lines in flight crowd it [calibrated: gpu-gemm]") \
    P(PPB,  crowd_to,      "ratio", "0.6", "0.001", "10", "the same at which they crowd it most [calibrated: gpu-gemm]") \
    P(ENUM, swizzled,      "no|yes", "no", "", "", "blocks in flight lie as a rectangle of the fewest bytes [calibrated: gpu-gemm]") \
    P(ENUM, turns,         "no|yes", "no", "", "", "the transposed of each tile is there too [gpu-gemm]") \
    P(PPB,  rate,          "ratio", "1", "0.01", "1", "of the rate of its kernels, in all its convolutions [calibrated: gpu-conv]") \
    P(PPB,  one_tap,       "ratio", "1", "0.01", "1", "the same besides where filters have one tap [calibrated: gpu-conv]") \
    P(PPB,  gradient,      "ratio", "1", "0.01", "1", "the same besides in gradients of images [calibrated: gpu-conv]") \
    P(PPB,  odd,           "ratio", "1", "0.01", "1", "the same besides on tensor cores where an image's channels are no whole vectors, unpadded [calibrated: gpu-conv]") \
    P(PPB,  masked,        "ratio", "0", "0", "1", "of the rate of kernels by taps, where filters have more taps than the 32 bits of a mask; 0: they cannot [gpu-conv]") \
    P(PPB,  strided,       "ratio", "1", "0.01", "1", "of the rate on tensor cores in a gradient of a strided image [calibrated: gpu-conv]") \
    P(PPB,  change,        "ratio", "0", "0", "1", "of HBM's rate of kernels that change the layout of operands; 0: there are none [gpu-conv]") \
    P(PPB,  change_pad,    "ratio", "0", "0", "1", "the same where they pad channels to whole vectors of 16 B [gpu-conv]") \
    P(PPB,  pad,           "ratio", "0", "0", "1", "the same where they only pad channels [gpu-conv]")
/* clang-format on */

/* Values of tile.serves. */
enum gpu_serves { GPU_SERVES_ALL, GPU_SERVES_LONE, GPU_SERVES_BATCH };

/* A kernel for products: blocks of n columns by m rows.  "128x32s": warps of a block divide k. */
struct gpu_tile {
    struct param_string name;
    uint32_t n, m;
    bool sliced;
    GPU_TILE_PARAMS(PARAM_FIELD)
};

/* The kernels that a library has for one kind of product. */
#define GPU_MOST_TILES 16
struct gpu_tiles {
    GPU_TILES_PARAMS(PARAM_FIELD)
    uint32_t n;
    struct gpu_tile tile[GPU_MOST_TILES];
};

/* Sections of tiles: matrix products by the unit that does them, then convolutions, gradients of
 * images and of filters, in CUDA cores and in tensor cores.  Where one of gradients of images is
 * empty, that of convolutions stands for it; of TF32 that of half; of three dimensions that of two.
 */
#define GPU_TILES_SECTIONS(S)                                                                      \
    S(product_f32, product_f32, LIBRARY)                                                           \
    S(product_tf32, product_tf32, LIBRARY)                                                         \
    S(product_half, product_half, LIBRARY)                                                         \
    S(product_f8, product_f8, LIBRARY)                                                             \
    S(product_f64, product_f64, LIBRARY)                                                           \
    S(conv_f32, conv_f32, LIBRARY)                                                                 \
    S(conv_half, conv_half, LIBRARY)                                                               \
    S(dgrad_f32, dgrad_f32, LIBRARY)                                                               \
    S(dgrad_half, dgrad_half, LIBRARY)                                                             \
    S(wgrad_f32, wgrad_f32, LIBRARY)                                                               \
    S(wgrad_f32_3d, wgrad_f32_3d, LIBRARY)                                                         \
    S(wgrad_tf32, wgrad_tf32, LIBRARY)                                                             \
    S(wgrad_half, wgrad_half, LIBRARY)

/* Kernels that a compiler writes itself (gpu_compiled.c, gpu_written.c). */
/* clang-format off */
#define COMPILED_PARAMS(P)                                                                         \
    P(PPB, strided,     "ratio", "1", "0.01", "1", "of the rate at which HBM streams: parts of arrays [calibrated: xla-h100]") \
    P(PPB, transposed,  "ratio", "1", "0.01", "1", "... what writes along another dimension than it reads [calibrated: xla-h100]") \
    P(PPB, reduction,   "ratio", "1", "0.01", "1", "... sums along rows [calibrated: xla-h100]")   \
    P(PPB, columns,     "ratio", "1", "0.01", "1", "... sums across rows [calibrated: xla-h100]")  \
    P(PPB, windows,     "ratio", "1", "0.01", "1", "... what reads a window for each result [calibrated: xla-h100]") \
    P(PPB, rows,        "ratio", "1", "0.01", "1", "... rows by index [calibrated: xla-h100]")     \
    P(PPB, cached,      "ratio", "1", "0.01", "1", "of the rate of the L2, any kernel [calibrated: xla-h100]") \
    P(U64, row_more,    "B",     "0 B", "0 B", "1 MiB", "that a row by index of a table beyond the L2 costs HBM more [calibrated: xla-h100]") \
    P(PPB, atomics,     "sector/cycle", "1", "0.001", "1000", "of 32 B that the L2 adds to, for each SM [calibrated: xla-h100]") \
    P(U32, adding,      "instruction", "1", "1", "10000", "for an element of a sum across rows [calibrated: xla-h100]") \
    P(FS,  adding_time, "s", "0 s", "0 s", "1 s", "of a block for 32 rows of such a sum [calibrated: xla-h100]") \
    P(FS,  storing_time, "s", "0 s", "0 s", "1 s", "... where it stores what it adds up [calibrated: xla-h100]") \
    P(FS,  ending_time, "s", "0 s", "0 s", "1 s", "more, where 128 does not divide the rows [calibrated: xla-h100]") \
    P(PPB, share_f32,   "ratio", "1", "0.01", "1", "of the rate of an SM that a product by tiles reaches, f32 and f64 [unverified]") \
    P(PPB, share_tf32,  "ratio", "1", "0.01", "1", "... TF32 [calibrated: xla-h100]")              \
    P(PPB, share_half,  "ratio", "1", "0.01", "1", "... f16 and bf16 [calibrated: xla-h100]")      \
    P(PPB, share_eight, "ratio", "1", "0.01", "1", "... 8 bits [unverified]")                      \
    P(PPB, unaligned,   "ratio", "1", "0.01", "1", "of that where rows along k are not whole vectors of 16 B [calibrated: xla-h100]") \
    P(PPB, memory,      "ratio", "1", "0.01", "1", "of HBM's rate that products by tiles reach [calibrated: xla-h100]") \
    P(PPB, panels,      "ratio", "1", "0.01", "1", "of the bytes of their panels that cross the L2 [calibrated: xla-h100]") \
    P(PPB, epilogue,    "ratio", "1", "0",    "1", "of the time of writing their results that no multiplication hides [calibrated: xla-h100]") \
    P(FS,  step_time,   "s", "0 s", "0 s", "1 s", "a tile of k is on its way [calibrated: xla-h100]") \
    P(FS,  product_time, "s", "0 s", "0 s", "1 s", "fixed, of a product by tiles, besides that of every kernel [calibrated: xla-h100]") \
    P(PPB, attention_64,  "ratio", "1", "0.01", "1", "of the rate of tensor cores that fused attention reaches, heads of 64 [calibrated: flash-attention-3]") \
    P(PPB, attention_128, "ratio", "1", "0.01", "1", "... heads of 128 [calibrated: flash-attention-3]")       \
    P(PPB, attention_256, "ratio", "1", "0.01", "1", "... heads of 256 [calibrated: flash-attention-3]")       \
    P(PPB, attention_gradient, "ratio", "1", "0.01", "1", "of that, its gradient [calibrated: flash-attention-3]") \
    P(PPB, attention_warps, "ratio", "0.35", "0.01", "1", "... of FlashAttention-2, whose blocks are of four warps, all sizes [flash-attention-3]") \
    P(U32, attention_keys, "", "0", "0", "1000000", "that a block of queries takes besides those it meets [calibrated: flash-attention-3]") \
    P(U32, attention_masked_keys, "", "0", "0", "1000000", "... under a causal mask [calibrated: flash-attention-3]") \
    P(U32, attention_gradient_keys, "", "0", "0", "1000000", "... in the gradient [calibrated: flash-attention-3]") \
    P(PPB, attention_f32, "ratio", "0.4", "0.01", "1", "of the CUDA cores' rate that f32 attention of CUTLASS reaches [calibrated: kineto-h100]")
/* clang-format on */

struct compiled_params {
    COMPILED_PARAMS(PARAM_FIELD)
};
extern const struct param_table compiled_param_table;

/* All sections of a library. */
#define GPU_LIBRARY_SECTIONS(S)                                                                    \
    GPU_TILES_SECTIONS(S)                                                                          \
    S(convolution, convolution, LIBRARY)                                                           \
    S(stream, stream, LIBRARY)                                                                     \
    S(compiled, compiled, LIBRARY)

/* clang-format off */
#define CONVOLUTION_PARAMS(P)                                                                      \
    P(PPB,  slow,            "ratio", "0.76", "0.01", "1", "of their rate that kernels reach which go through the result of a strided convolution for its image's gradient, CUDA cores [calibrated: gpu-conv]") \
    P(PPB,  clear,           "ratio", "0.75", "0.01", "1", "of HBM's rate at which that gradient is cleared before [calibrated: gpu-conv]") \
    P(PPB,  fused,           "ratio", "0", "0", "4", "of the rate of the CUDA cores that a fused Winograd reaches, in operations of the direct convolution; 0: none [calibrated: gpu-conv]") \
    P(U32,  fused_step,      "", "72", "1", "100000", "multiply-accumulates of such a Winograd for a position of a channel and 8 channels summed [calibrated: gpu-conv]") \
    P(U32,  fused_more,      "", "110", "0", "100000", "the same besides [calibrated: gpu-conv]") \
    P(ENUM, several_images,  "no|yes", "no", "", "", "its blocks may be 8 x 4 positions of 4 images, besides 8 x 16 of one [gpu-conv]") \
    P(PPB,  image,           "ratio", "1.5", "0.1", "20", "passes over memory for images, of an unfused Winograd [calibrated: gpu-conv]") \
    P(PPB,  result,          "ratio", "1.4", "0.1", "20", "the same of results [calibrated: gpu-conv]") \
    P(PPB,  filter,          "ratio", "1.4", "0.1", "20", "the same of filters [calibrated: gpu-conv]") \
    P(PPB,  filter_odd,      "ratio", "5.5", "0.1", "20", "the same where channels are no multiple of 8 [calibrated: gpu-conv]") \
    P(PPB,  product,         "ratio", "1", "0.1", "10", "what its products take of the time of others [calibrated: gpu-conv]") \
    P(U32,  direct,          "", "4", "1", "1000", "times what the peak of the CUDA cores takes, where a thread computes a position of a channel, as in groups of few channels [unverified]") \
    P(PPB,  direct_memory,   "ratio", "0.85", "0.01", "1", "of HBM's rate that such a kernel reaches [unverified]") \
    P(FS,   kernel_time,     "s", "2 us", "0 s", "1 s", "that the library counts for a kernel besides products [unverified]") \
    P(U32,  direct_3d,       "", "4", "1", "1000", "the same of the gradient of an image of one channel in three dimensions [unverified]") \
    P(U32,  few,             "", "0", "0", "64", "most channels of an image whose 2-D gradient is computed so; 0: groups alone [calibrated: gpu-conv]") \
    P(ENUM, fourier,         "no|yes", "no", "", "", "f32 convolutions of three dimensions and gradients of their images may run by Fourier transforms of tiles [openlab-3dgan]") \
    P(ENUM, mixed,           "no|yes", "no", "", "", "convolutions in TF32 may take kernels of the CUDA cores, 1x1 ones those for products [gpu-conv]")
#define STREAM_CLASS_PARAMS(P)                                                                     \
    P(PPB, share, "ratio", "-", "0.01", "2", "of the rate of HBM that contiguous streams reach [calibrated: gpu-kernels]") \
    P(PPB, element, "B", "0 B", "0", "10000", "an element takes at least the time of HBM for so many bytes, whether HBM moves them or not; 0: no limit seen [calibrated: gpu-kernels]") \
    P(FS,  time,  "s", "0 s", "0 s", "1 s", "fixed, of a framework's kernel, besides that of every kernel [calibrated: gpu-kernels]") \
    P(FS,  row,   "s", "0 s", "0 s", "1 s", "of an SM for a block, where a block moves one row by index; of reductions of PyTorch, for a step of the last block of a column; 0: blocks have more [calibrated: kineto-h100]")
#define STREAM_PARAMS(P)                                                                           \
    P(U32, finding, "", "40", "0", "1000", "instructions of TensorFlow's sums for an element between dimensions that are summed [calibrated: openlab-3dgan]") \
    P(PPB, best, "ratio", "0.95", "0.1", "1", "of HBM's peak rate that HBM reaches by itself: transforms and products that reach less move more bytes [unverified]") \
    P(PPB, l2, "ratio", "1", "0.01", "1", "of the L2's rate that streams reach [calibrated: gpu-kernels]") \
    P(U32, atomics, "", "16", "1", "100000", "additions to elements of a table in the L2, a cycle of each SM [unverified]") \
    P(FS, vectors, "s", "0 s", "0 s", "1 ms", "of an SM for a block of 128 results, in batches of products by vectors [calibrated: hta-diff]")
/* clang-format on */

/* Classes of kernels without a product, by how they pass through memory, and their names. */
#define GPU_STREAM_CLASSES(C)                                                                      \
    C(VECTOR, "contiguous")                                                                        \
    C(STRIDED, "strided")                                                                          \
    C(TRANSPOSE, "transposed")                                                                     \
    C(REDUCE, "reduction")                                                                         \
    C(POOL, "windows")                                                                             \
    C(GATHER, "gather")                                                                            \
    C(SCATTER, "scatter")                                                                          \
    C(NORM, "norm")                                                                                \
    C(SORT, "sort")                                                                                \
    C(FILL, "fill")
enum gpu_stream_class {
#define C(id, text) GPU_##id,
    GPU_STREAM_CLASSES(C)
#undef C
        GPU_N_STREAM_CLASSES
};

/* A class: which rates its kernels reach. */
struct gpu_stream_line {
    struct param_string name;
    uint32_t class; /* enum gpu_stream_class */
    STREAM_CLASS_PARAMS(PARAM_FIELD)
};
struct stream_params {
    STREAM_PARAMS(PARAM_FIELD)
    uint32_t n;
    struct gpu_stream_line line[GPU_N_STREAM_CLASSES];
};
extern const struct param_table stream_param_table;

/* Rules of the convolutions of a library, besides their tiles. */
struct convolution_params {
    CONVOLUTION_PARAMS(PARAM_FIELD)
};
extern const struct param_table convolution_param_table;

/* A section of tiles: its struct and its table. */
#define GPU_TILES_SECTION(section, component, kinds)                                               \
    struct component##_params {                                                                    \
        struct gpu_tiles lib;                                                                      \
    };                                                                                             \
    extern const struct param_table component##_param_table;
GPU_TILES_SECTIONS(GPU_TILES_SECTION)
#undef GPU_TILES_SECTION

/* The library of a GPU. */
struct gpu_library {
#define GPU_TILES_FIELD(section, component, kinds) struct gpu_tiles section;
    GPU_TILES_SECTIONS(GPU_TILES_FIELD)
#undef GPU_TILES_FIELD
    struct compiled_params compiled;
    struct convolution_params convolution;
    struct stream_params stream;
};

#endif
