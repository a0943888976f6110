/* work.h - the work of an operation or a fusion on a TensorCore, and what the files that add to it
 * or cut it into grid steps have in common. */
#ifndef KERNELS_COMMON_WORK_H
#define KERNELS_COMMON_WORK_H

#include "base/err.h"
#include "kernels/common/cap.h"
#include "kernels/common/stream.h"
#include "step/step.h"
#include "task/task.h"

/* Can the matrix units of some machine round operands to `d`?  A trace may ask for it then. */
bool lower_multiplies(enum trace_dtype d);

/* Where a value is while a kernel runs.  A resident one is in the common memory as long as that has
 * room, else in VMEM. */
enum place { PLACE_HBM, PLACE_CMEM, PLACE_VMEM };

/* Bytes of VMEM for the windows of rows beside a table; XLA's kernels of TPU v3 take 0.25 to 1 MiB
 * [xla-programs]. */
#define LOWER_ROW_WINDOWS (UINT64_C(1) << 20)

/* The work of an operation or a fusion in all, before it is cut into grid steps. */
struct work {
    struct task_move in, out; /* of everything that crosses the kernel's border */
    uint64_t vpu[N_VECTOR_OPS], xlu;
    uint64_t loads, stores;       /* registers, of vector work */
    struct stream_array streamed; /* the longest that its windows cut; no units: none */
    uint64_t steps;               /* grid steps of all halves, if its windows are chosen */
    bool fused;                   /* several operations in one kernel */
    bool moves;                   /* it computes nothing */
    uint64_t spread;              /* registers of lanes that become sublanes, one by one */
    uint64_t picked;              /* rows of a table on chip */
    uint64_t table_in, table_out; /* bytes of it, and of sums, that come before the first grid
                                     step and go after the last */
    uint64_t turned, wide;  /* bytes of a table as it lies, and with rows of whole lanes; it is */
    bool turn_stays;        /* ... on chip; it is */
    bool turn_in, turn_out; /* copied to those first, and back, by kernels of their own */
    uint64_t fed;           /* bytes in the common memory, not VMEM */
    uint64_t reserved;      /* bytes of VMEM that resident values take */
    bool a_in_vmem, b_in_vmem, c_in_vmem; /* whole, as resident values */
    uint64_t extra_cycles;
    uint64_t chain_cycles, sum_cycles; /* of a grid step, as in struct task_kernel */
    bool sums_last; /* results are sums, or little in each grid step: they go after the last one */
    uint64_t workspace; /* bytes of HBM that only this kernel needs */
    struct task_gemm gemm;
    struct array_mode mode;
    bool a_turned, b_turned;     /* operand is stored transposed */
    bool windowed;               /* cut it in windows as the compiler does; `lanes` are known */
    uint8_t lanes[3];            /* enum trace_dim on the lanes of A, B and C */
    uint32_t c_element;          /* bytes of an element of C */
    bool oriented;               /* B stays, also where the other operand could */
    bool sums_stay;              /* sums of passes over k wait in registers, not in VMEM */
    uint64_t casts, differences; /* that cut an element of an f32 operand in bf16 parts */
    uint64_t a_elements, b_elements;
    uint64_t a, b, c; /* bytes of the GEMM's operands and result that are part of in and out; 0 for
                         one that stays inside the fusion */
    uint64_t a_bytes, b_bytes, c_bytes; /* their sizes, wherever they are */
    bool a_made, b_made; /* the kernel computes the operand, window by window, from: */
    uint64_t made_in, made_loads, made_vpu[N_VECTOR_OPS]; /* bytes, registers, operations */
    uint32_t a_element, b_element;                        /* bytes of theirs */
    const enum place *resident; /* [value] named by resident=: crosses HBM neither way */
};

/* Cut `w` into grid steps: fills all of `k`. */
void lower_tile(struct task_kernel *k, const struct work *w, const struct cap *cap);
/* Units that a window of a kernel without a GEMM is to have (stream.h), of `units` in all that take
 * `bytes` wherever they are; 0: all of a half. */
uint64_t lower_window(const struct work *w, uint64_t units, uint64_t bytes, const struct cap *cap);
/* Sum up the work of the units, without the GEMM. */
struct task_grid_step lower_sum_work(const struct work *w);
/* Add what halves that divide the kernel wait for each other, if no read from HBM hides it. */
void lower_meet(struct task_kernel *k, const struct cap *cap);
/* A copy of a table so that other elements of it lie along the lanes: w->turned bytes into w->wide,
 * or back. */
void lower_turn(struct task_kernel *k, const struct work *w, bool back, const struct cap *cap);
/* Most grid steps of a kernel of a compiled program: of one with more, several in a row are one.
 * The first window in and the last one out, which nothing hides, are then larger, at most this part
 * of all. */
#define LOWER_MOST_STEPS 512
/* The most grid steps that a kernel may have before they are joined, so that `joined` has 32 bits.
 */
#define LOWER_MOST_STATED (UINT64_C(1) << 40)
/* Cycles of a grid step with which no run ends. */
#define LOWER_MOST_CYCLES (UINT64_C(1) << 60)

/* A kernel without a GEMM in so many grid steps, whose windows are given. */
void lower_tile_stated(struct task_kernel *k, const struct work *w, uint64_t steps,
                       const struct cap *cap);
/* Cut a kernel with a GEMM into grid steps (tile_product.c); lower_tile() calls it. */
void lower_grid(struct task_kernel *k, const struct work *w, const struct cap *cap);
/* Cut a matrix product in windows as the compiler would (tile_window.c); false, with nothing
 * changed, if it is beyond what a run can hold. */
bool lower_windows(struct task_kernel *k, const struct work *w, const struct cap *cap);
/* Make it C^T = B^T A^T: the other operand stays in the arrays, and is needed transposed. */
void lower_swap(struct work *w);
/* A kernel with a GEMM in blocks that are given, divided between `cores` halves of the device as
 * given: w->in and w->out are what all grid steps move. */
void lower_grid_stated(struct task_kernel *k, const struct work *w, const struct task_block *block,
                       const struct task_parts *cores, const struct cap *cap);

/* Add what the first windows in and the last one out of a product take besides their bytes at the
 * full rate of HBM: nothing else is under way then, and they reach two thirds of it, for up to
 * exposed_gemm bytes. */
void lower_expose_ends(struct task_kernel *k, const struct cap *cap);

/* More multiply-accumulates than a run can hold on any machine; sums over passes and padding stay
 * within 64 bits. */
#define LOWER_MAX_MACS (UINT64_C(1) << 61)

/* One file per family; each adds what a member operation needs to `w`.  HBM traffic of operands
 * and results that cross the kernel's border is added by lower.c; gather, scatter, updates and
 * GEMMs then move what they treat differently. */

/* -1, and why in `err`, when the machine cannot multiply operands of that dtype. */
/* Passes after the first, of f32 operands in bf16 parts (gemm.c). */
uint32_t lower_more_passes(enum trace_precision precision);
int lower_gemm(struct work *w, const struct step *step, const struct step_op *op,
               const struct cap *cap, struct err *err);
/* Fill in w->gemm of a convolution, a product for each group; true when the vector unit does it. */
bool lower_conv_groups(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap);
/* The others by name: lower_reduce() of reduce.c, and so on (trace/kind/kinds.h). */
#define C(id, name)                                                                                \
    void lower_##name(struct work *w, const struct step *step, const struct step_op *op,           \
                      const struct cap *cap);
TRACE_CORES(C)
#undef C

/* Bytes of a table of rank 2 in rows of whole lanes; true if they would make one that lies with its
 * rows along the lanes too large, so that it stays as it is. */
uint64_t lower_rows_wide(const struct step_value *v, const struct cap *cap);
bool lower_rows_stay(const struct step_value *v, bool gathers, const struct cap *cap);
/* True if operand or result `j` of `op` crosses HBM in another way than as a whole.  lower_rows()
 * and lower_update() add what of it does. */
bool lower_rows_apart(const struct work *w, const struct step *step, const struct step_op *op,
                      bool in, uint32_t j, const struct cap *cap);
bool lower_update_apart(const struct step *step, const struct step_op *op, bool in, uint32_t j);

#endif
