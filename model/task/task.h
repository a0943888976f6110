/* task.h - tasks: what lowering makes of the operations of a training step, for a core to run.
 *
 * A kernel is a loop of grid steps.  Grid step i reads its tile from HBM into VMEM, computes on it,
 * and writes its result to HBM, with two buffers in either direction.  Bytes, multiply-accumulates
 * and vector operations of all grid steps add up exactly to those of the operation.  Other tasks
 * exchange data with cores or the host and wait for them, or are the brackets of loops. */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/schedule.h"
#include "task/array.h"
#include "task/cause.h"
#include "task/grid.h"
#include "task/task_pool.h"
#include "task/vector_op.h"

/* C[m,n] += A[m,k] B[k,n], b times, with B stationary in the array and the m rows streamed. */
struct task_gemm {
    uint64_t b, m, k, n; /* all zero: no matrix work */
    uint64_t useful;     /* multiply-accumulates that count as useful; at most b*m*k*n */
};

/* The grid of parts in which the MXUs of a device share a GEMM: parts of each dimension. */
struct task_parts {
    uint32_t b, m, k, n; /* each at least 1; their product is at most the number of MXUs */
};

/* HBM traffic one way: a stream of `bytes`, and `rows` accesses of `row_bytes` at random places. */
struct task_move {
    uint64_t bytes, rows, row_bytes;
};

/* A block: as much of each dimension of the GEMM as one grid step takes.  The last block along a
 * dimension may be smaller. */
struct task_block {
    uint64_t b, m, n, k;
    bool m_outer; /* order of the loops: b, m, n, k; else b, n, m, k */
};

/* One grid step, or all of a kernel. */
struct task_grid_step {
    struct task_move in, out;
    struct task_gemm gemm;
    uint64_t vpu[N_VECTOR_OPS]; /* register operations on the vector unit */
    uint64_t loads, stores;     /* registers that vector work brings from VMEM and leaves there */
    uint64_t picked;            /* rows of a table on chip, each by its index */
    uint64_t xlu;               /* vector registers through the transpose/reduce/permute unit */
    uint64_t feed;              /* bytes of operands and results in the chip's common memory */
};

/* Work of the host's CPU for a program, in this order: `up` bytes of each core come over PCIe,
 * files are read from storage, the CPU computes, a program is compiled or begins, `down` bytes go
 * back to each core. */
struct task_work {
    uint64_t up, down;    /* bytes of each core */
    uint64_t load_bytes;  /* from storage, for each core */
    uint64_t loads;       /* files they are in */
    uint32_t readers;     /* streams read at once */
    uint64_t cpu_fs;      /* of one thread */
    uint32_t threads;     /* that share it equally */
    enum cause cause;     /* of that time: CAUSE_HOST or CAUSE_FALLBACK */
    uint64_t copied;      /* bytes of variables that the CPU copies out and in again */
    uint64_t copy_fs;     /* that it takes for them */
    bool client;          /* load and compute once, on the machine that drives all hosts */
    bool launch, restart; /* the host starts a program; a training loop */
    uint64_t compile_fs;  /* that compiling takes */
    /* 0: all cores call together and wait.  Else the client serves each call by itself, and a core
     * goes on while at most so many of its calls have no answer. */
    uint32_t staleness;
};

#define TASK_MAX_STALENESS 16 /* of struct task_host */

/* Kinds of tasks.  In brackets: the member of struct task's union that holds the rest. */
enum task_kind {
    TASK_KERNEL,     /* compute on tiles [kernel] */
    TASK_GRID,       /* the kernel of a GPU [grid] */
    TASK_POOL,       /* an operation on the cores of a CPU [pool] */
    TASK_COLLECTIVE, /* exchange data with other cores [collective] */
    TASK_INFEED,     /* wait for a batch from the host [feed] */
    TASK_OUTFEED,    /* hand bytes to the host [feed] */
    TASK_HOST,       /* have the host work, and wait for it [host] */
    TASK_SEND,       /* hand bytes to another core; nobody waits [send] */
    TASK_RECEIVE,    /* wait for what the task `start` sent [send] */
    TASK_COPY,       /* move bytes between HBM and the chip or the host beside other tasks [copy] */
    TASK_SPARSE,     /* have the SparseCores run a kernel beside other tasks [sparse] */
    TASK_SCALAR,     /* a few instructions of the scalar unit [scalar] */
    /* from here on tasks take no time: they say in which order the others run */
    TASK_REPEAT, /* begin of a loop, up to the matching TASK_END [loop] */
    TASK_END,    /* end of a loop [loop] */
};

/* An operation may be two tasks: one starts it, the other waits for it. */
enum task_async { TASK_SYNC, TASK_START, TASK_DONE };

#define TASK_ALL_STAGES UINT32_MAX /* of a task that every stage runs */
#define TASK_MAX_DEPTH 64          /* loops in loops */

/* TASK_KERNEL */
struct task_kernel {
    uint64_t grid_steps;       /* at least 1; with a GEMM the product of its blocks' counts */
    struct task_grid_step all; /* what all grid steps take together */
    struct task_block block;   /* of the GEMM */
    struct task_parts parts;
    struct array_mode mode;        /* of the GEMM */
    uint64_t resident_in;          /* bytes read before the first grid step */
    uint64_t resident_out;         /* bytes written after the last one */
    uint64_t windows;              /* bytes of VMEM while it runs: buffers, sums, resident values */
    uint32_t streamed, stationary; /* bytes of an element of the GEMM's operands in VMEM */
    uint64_t extra_cycles;         /* fixed cost besides that of an operation: relayout kernels */
    bool moves;                    /* computes nothing: loads and stores fill its bundles */
    uint64_t chain_cycles; /* least cycles of a grid step: additions that wait for each other */
    uint64_t sum_cycles;   /* of a grid step besides its bundles: begin and end of its sums */
    /* a grid step may stand for several of a program that has very many: its reads and writes count
     * as so many transfers each; 0 counts as 1 */
    uint32_t joined;
    uint64_t joined_cycles; /* of control, besides that of one: of those steps, of sums taken up */
};

/* TASK_COLLECTIVE: calls [first, first + count) of the program, one after the other; none where
 * `async` is TASK_DONE. */
struct task_collective {
    uint32_t first, count;
    bool first_waits; /* TASK_START: the core waits for the first call */
};

/* TASK_INFEED, TASK_OUTFEED; bytes are those of one core */
struct task_feed {
    uint64_t bytes;        /* over PCIe */
    uint64_t handled;      /* infeed: that the host handles to prepare them */
    bool sync;             /* outfeed: the host reads it before the core goes on */
    struct task_work work; /* infeed: its load and computing ahead of the step */
};

/* TASK_SEND, TASK_RECEIVE */
struct task_send {
    uint32_t id;    /* of the transfer, from 0; both tasks name it */
    int64_t away;   /* send: from core to core */
    uint64_t bytes; /* send: of this core */
};

/* TASK_COPY: nothing where `async` is TASK_DONE */
struct task_copy {
    uint64_t in, out; /* bytes read from HBM; written to it */
    bool host;        /* the other end is the memory of the host, over PCIe */
};

/* TASK_SPARSE: nothing where `async` is TASK_DONE */
struct task_sparse {
    struct task_move in, out;
    uint64_t operations; /* on elements of 32 bits, an addition counting as one */
};

/* TASK_SCALAR */
struct task_scalar {
    uint64_t cycles; /* of the core */
};

/* TASK_REPEAT, TASK_END */
struct task_loop {
    uint64_t trips; /* repeat: at least 1 */
    uint32_t begin; /* end: index of its TASK_REPEAT */
};

struct task {
    enum task_kind kind;
    enum task_async async;
    uint32_t start;     /* TASK_DONE: index of the task that started it */
    uint32_t row;       /* index of the operation in the report; times are booked there */
    uint32_t stage;     /* whose cores run it, or TASK_ALL_STAGES */
    uint8_t retiled;    /* TASK_KERNEL: 1 + enum task_retiled, why it was cut anew; 0: it was not */
    uint64_t workspace; /* bytes of HBM while it runs, besides operands and results */
    union {
        struct task_kernel kernel;
        struct task_grid grid;
        struct task_pool pool;
        struct task_collective collective;
        struct task_feed feed;
        struct task_work host;
        struct task_send send;
        struct task_copy copy;
        struct task_sparse sparse;
        struct task_scalar scalar;
        struct task_loop loop;
    };
};

/* The work that a TASK_HOST, TASK_INFEED or TASK_OUTFEED has for the host's CPU. */
static inline const struct task_work *task_host_work(const struct task *t)
{
    return t->kind == TASK_HOST ? &t->host : &t->feed.work;
}

/* Work of a chip by itself before or after a collective, bytes: read from HBM, written to it, added
 * up, and sent from each of its dies to each other one. */
struct task_local {
    uint64_t read, write, added, across;
};

/* One collective call: the schedule between chips, and the work of each chip before and after it.
 */
struct task_call {
    struct schedule schedule;
    struct task_local before, after;
    uint64_t bytes;    /* payload of a core */
    uint32_t operands; /* tensors that the payload is joined from; 0 counts as 1 */
};

/* Reasons to cut a kernel of a compiled program anew. */
enum task_retiled {
    TASK_RETILED_ASKED,    /* all are, as the user wishes */
    TASK_RETILED_ARRAY,    /* all are: this machine has arrays of another size */
    TASK_RETILED_UNSTATED, /* a product without windows */
    TASK_RETILED_VMEM,     /* more VMEM than there is */
    TASK_N_RETILED
};

/* Kernels of a compiled program that run otherwise than it states. */
struct task_notes {
    uint32_t retiled[TASK_N_RETILED];
    uint32_t sparse_on_core; /* on the TensorCore, which has no SparseCores */
    uint32_t even_pairs;     /* permutes whose pairs differ between chips, that count as shifts */
};

/* A lowered training step. */
struct task_program {
    struct task *task;
    uint32_t n_tasks;
    struct task_call *call; /* each collective call */
    uint32_t n_calls;
    uint32_t n_rows; /* operations in the report */
    uint32_t n_sends;
    uint32_t stages; /* of equally many cores; 0 or 1: all cores run all of it */
    struct task_notes notes;

    /* for waves and timelines; may be left out */
    uint32_t text; /* number of the program's name among the texts; those of rows follow, then
                      the tensors that each row reads, then those that it writes */
    const uint64_t *live; /* [row] bytes alive on a core while it runs, or NULL */
};

/* True if the client works for the program. */
bool task_needs_client(const struct task_program *p);

/* Index of the block of the GEMM that grid step `i` takes, from 0 along each dimension. */
struct task_gemm task_block_at(const struct task_kernel *k, uint64_t i);

/* Grid step `i` of a kernel: an even share of bytes and vector operations, and its block of the
 * GEMM.  O(1), with 128-bit divisions; task_walk.h has all grid steps in order without them. */
struct task_grid_step task_grid_step(const struct task_kernel *k, uint64_t i);

/* The part of `g` that MXU `i` takes: rows in multiples of `granule`, k and n in multiples of the
 * array `size`; the parts add up to the whole.  It is empty for an MXU beyond the grid of `parts`,
 * and where there are fewer granules than parts. */
struct task_gemm task_share(const struct task_gemm *g, const struct task_parts *parts, uint32_t i,
                            uint32_t granule, uint32_t size);
/* The largest of the parts, which the others wait for. */
struct task_gemm task_largest(const struct task_gemm *g, const struct task_parts *parts,
                              uint32_t granule, uint32_t size);

/* Cycles of one MXU for `g` from its first weights to the cycle after its last row was taken:
 * (1 + more_passes) * b * ceil(k/depth) * ceil(n/columns) passes of the rows padded to `granule`.
 */
uint64_t task_stream_cycles(const struct task_gemm *g, uint32_t granule, const struct array *a,
                            const struct array_mode *mode);

#endif
