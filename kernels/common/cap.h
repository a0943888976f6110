/* cap.h - what lowering may know of a machine: sizes and rates, no components, no time.
 *
 * The machine layer fills it from the machine file; kernels only read it. */
#ifndef KERNELS_COMMON_CAP_H
#define KERNELS_COMMON_CAP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/common/cpu_library.h"
#include "kernels/common/gpu_library.h"
#include "kernels/common/nccl_params.h"
#include "kernels/common/top_k.h"
#include "kernels/common/xla_params.h"
#include "schedule/schedule.h"
#include "task/array.h"
#include "task/bundle.h"
#include "task/vector_op.h"

/* Kinds of chips: each has sections of its own in machine files, and kernels of its own. */
enum chip_kind { CHIP_TPU, CHIP_GPU, CHIP_CPU, CHIP_N_KINDS };

/* Instruction sets, which a library has kernels of its own for. */
enum cap_gpu_isa { CAP_GPU_VOLTA, CAP_GPU_AMPERE, CAP_GPU_HOPPER, CAP_GPU_N_ISAS };

/* A GPU, as its kernels see it.  Rates of an SM are multiply-accumulates a cycle; 0: it has none.
 */
struct cap_gpu {
    struct gpu_library library;
    enum cap_gpu_isa isa;
    /* of the clock that work in CUDA cores, and in tensor cores, keeps, parts per 1,000 */
    uint32_t f32_share, tensor_share;
    uint32_t sms;
    uint32_t f16, bf16, tf32, f8, s8; /* in tensor cores */
    uint32_t f32, f64;                /* in CUDA cores */
    uint32_t f64_tensor;              /* in tensor cores; 0: they do not take f64 */
    uint32_t sfu;                     /* special functions a cycle */
    uint64_t shared_bytes;            /* of an SM */
    uint64_t l2_bytes, l2_bytes_per_s;
    bool fused;   /* a fusion is one kernel */
    bool strict;  /* products of f32 operands are never rounded to TF32 */
    bool exact;   /* ... nor matrix products that do not ask for it */
    bool follows; /* ... unless the framework that a trace states does otherwise */
    uint64_t dispatch_fs, node_fs, call_fs; /* of the host: an operation, eager or of a graph; a
                                               kernel */
};

/* A node of CPUs and the framework that runs on it, as its operations see them. */
struct cap_cpu {
    uint32_t cores, sockets;
    uint32_t lanes, macs; /* f32 elements of a register; multiply-accumulates of a core a cycle */
    uint64_t stream;      /* clock of all but products over that of products, parts per 1e9 */
    uint64_t l3_bytes;    /* in which an operation finds what the one before left */
    uint64_t core_bytes_per_s, link_bytes_per_s; /* of a core; between two sockets, one way */
    uint64_t away;    /* of the bytes that a thread moves, at another socket, parts per 1e9 */
    uint64_t line_fs; /* for a line to change from one core to another */
    bool fused;       /* a fusion is one operation */
    uint64_t dispatch_fs, fork_fs; /* of an operation; each time that its threads double */
    uint64_t task_cycles;          /* of work for which an operation takes one more thread */
    uint64_t fresh_bytes;          /* results above are in fresh pages; 0: none is */
    uint64_t page_bytes, fault_fs; /* of a page; a thread takes to map and clear one */
    uint32_t fault_lines;          /* of the process that each fault changes */
    struct elements_params elements;
    struct blocks_params blocks;
};

/* Chips and the links between them, as the rule that chooses an algorithm sees them. */
struct cap_net {
    struct mesh mesh; /* of a slice */
    uint32_t slices;  /* joined over the data centre's network; 0 counts as 1 */
    uint32_t cores_per_chip;
    enum schedule_algorithm algorithm; /* for every collective it does, if not AUTO */
    uint64_t latency_fs, bytes_per_s;  /* of a hop; of one direction of a link */
    /* of a hop between slices; of a chip, while all chips of its host send over their cards */
    uint64_t far_latency_fs, far_bytes_per_s;
    uint64_t message, host_bytes_per_s; /* of what goes at a time; of a chip's link to its host */
    uint64_t far_message_fs; /* of a round of messages of all chips of a host, besides its bytes */
};

/* Buckets in which gradients go while the backward pass still runs: bytes that fill the first one
 * and the others; 0: none, they go where the trace has the all-reduce. */
struct cap_overlap {
    uint64_t first_bytes, bytes;
    bool follows; /* none where a trace states a framework that does not overlap */
};

/* Memory that a process holds besides tensors, and to which multiple its allocator rounds them; 0:
 * nothing, and not at all. */
struct cap_process {
    uint64_t bytes, granule;
};

/* A variable that goes from one training loop to the next through the host.  Up to `message_bytes`
 * it takes one message, `message_fs`, or its bytes at `bytes_per_s` if they take longer.  A larger
 * one takes three messages (it is announced, granted and sent), and then its bytes.  Beyond
 * `reused_bytes` the host has no memory left from the copy before: the bytes take as long again as
 * their pages take to be cleared and mapped, at `fresh_bytes_per_s`. */
struct cap_variable {
    uint64_t message_fs, message_bytes, bytes_per_s, reused_bytes, fresh_bytes_per_s;
};

struct cap {
    enum chip_kind kind;
    struct cap_gpu gpu;   /* of a GPU */
    struct cap_cpu cpu;   /* of a node of CPUs */
    uint64_t cache_bytes; /* of the last cache of a GPU or CPU, which operations share; 0: none */
    uint32_t replicas;    /* cores of all slices, each with its copy of the program */
    uint32_t halves;      /* TensorCores that work as one core: they share every kernel */
    uint64_t core_hz;
    uint32_t mxu_count; /* of a core, all its halves */
    bool mxu_free;      /* either operand may stay in the arrays, not only B */
    uint64_t mxu_issue; /* share of cycles in which rows are issued, parts per 1e9 */
    struct array mxu;   /* each of them */
    uint32_t int8_rate; /* speed of products of 8-bit integers, in that of bf16; 0: none */
    uint32_t fp8_rate;  /* of 8-bit floating point */
    uint32_t e5m2_rate, e4m3b11_rate; /* of two of its types; 0: the same */
    uint32_t mxu_row_granule;         /* streamed rows are padded to a multiple of this */
    uint32_t vector_elements;         /* 32-bit elements of one vector register: lanes * sublanes */
    bool packed16; /* registers hold, and the vector unit computes on, twice as many of bf16 */
    uint32_t vector_alus;                /* operations of one slot begun a cycle */
    uint32_t vector_functions;           /* ... divisions and exponentials */
    uint32_t vector_slots[N_VECTOR_OPS]; /* of an operation of each class */
    uint32_t xlu_cycles;                 /* of a register */
    uint32_t lane_cycles;                /* ... that is summed or spread along lanes; 0: the same */
    uint32_t rows_cycles;                /* ... whose rows go to places of their own; 0: the same */
    uint32_t hand_cycles;                /* of one whose lanes a kernel by hand sums or spreads */
    uint32_t hand_wait; /* cycles until it has a result that a grid step waits for */
    struct bundle_params bundle;
    uint32_t sublanes, lanes; /* of a tile of an array: a register holds one, or several if it is
                                 larger than the tiles of the compiler */
    bool array_sums;          /* partial sums of k are added up in the matrix units */
    uint64_t smem_bytes;      /* of a half, for the indices of rows */
    uint64_t vmem_bytes;      /* of a half */
    uint64_t cmem_bytes;      /* of a core, 0: none */
    uint64_t hbm_bytes_per_s; /* what one core streams when all cores of its chip do */
    uint32_t hbm_cores;       /* that share it */
    uint64_t dma_cycles;      /* core cycles from a transfer's last byte until its core knows */
    uint64_t write_cycles;    /* the same of a write for which the next one waits; 0: none does */
    uint64_t request_bytes;   /* of streaming that each transfer costs besides */
    uint64_t dma_granule;     /* bytes; a row access moves a multiple of it */
    uint64_t op_cycles;       /* fixed cost of an operation */
    uint64_t gap_cycles;      /* between two kernels of a program, besides */
    uint64_t step_cycles;     /* fixed cost of a grid step, core cycles */
    uint64_t scalar_cycles;   /* an operation on scalars */
    uint32_t sparsecores;     /* of a core; 0: none */
    bool alone;               /* a lone kernel: copies that the program before may begin are over */
    uint64_t meet_cycles;     /* in which both halves begin a kernel that reads nothing from HBM */
    bool retile;              /* cut kernels of compiled programs anew */
    bool even_pairs;          /* pairs that differ between chips count as a shift by one chip */
    uint32_t stated_array;    /* size of the arrays that the program was compiled for; 0: unknown */
    struct cap_variable variable; /* what copying one between two training loops takes */
    struct cap_net net;
    struct nccl_params nccl;   /* of GPUs */
    struct top_k_params top_k; /* of TPUs */
    struct xla_params xla;     /* of TPUs, as the machine file states them, but times that kernels
                                  wait in core cycles */
    uint64_t bucket_bytes; /* of gradients that go as one collective, at most; 0: each by itself */
    struct cap_overlap overlap;
    struct cap_process process;
};

/* 32-bit elements of a tile of an array. */
static inline uint32_t cap_tile(const struct cap *cap)
{
    return cap->lanes * cap->sublanes;
}

/* True if arrays are padded to tiles in HBM (kernels/common/layout.h). */
static inline bool cap_compact(const struct cap *cap)
{
    return cap->xla.layout == XLA_COMPACT;
}

/* Tiles that a register holds. */
static inline uint32_t cap_register_tiles(const struct cap *cap)
{
    uint32_t tile = cap_tile(cap);

    return tile && cap->vector_elements > tile ? cap->vector_elements / tile : 1;
}

#endif
