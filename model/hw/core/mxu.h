/* mxu.h - matrix unit: a size x size weight-stationary systolic array.
 *
 *      cmd  >--[ load tile | stream rows | ... | drain ]--> done
 *
 * A command makes one pass over its operands, or several where f32 operands are split into bf16
 * parts; 8-bit operands enter more rows at a time (struct array_mode).  A pass goes tile by tile of
 * weights: load the tile, then stream the rows of the left operand, padded to `row_granule`.
 * `weight_load` says how much of a load hides behind the rows before it; the cycle of each row is
 * that of systolic.h, which equals Verilog.  Tiles, passes and commands follow without gaps;
 * results are taken as they leave.  A command with `drain` is done when its last result has left
 * the array, any other when its last row was taken.  The dataflows `os` and `is` are those of
 * dataflow.h.
 *
 * In every cycle of a command the array streams rows, or takes a beat of weights alone, or does
 * neither.  Each is counted where it happens, and together they must equal the clock's cycles. */
#ifndef HW_CORE_MXU_H
#define HW_CORE_MXU_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"
#include "hw/core/dataflow.h"
#include "hw/core/systolic.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_unit.h"
#include "hw/wires/show.h"

/* clang-format off */
#define MXU_PARAMS(P)                                                                              \
    P(U32, count, "", "1", "1", "16", "matrix units of a core [jax]")                         \
    P(U32, size, "PE", "128", "8", "512", "rows and columns of the array [jax]")             \
    P(U32, rows_per_cycle, "rows", "1", "1", "8", "streamed rows taken a cycle [jax]")             \
    P(ENUM, dataflow, "ws|os|is", "ws", "", "",                                                    \
      "what stays in the array: weights (TPU), outputs or inputs (tile after tile without overlap) [scale-sim]") \
    P(ENUM, weight_load, "serial|exposed|shadow|wave", "exposed", "", "",                          \
      "how weights of a tile follow the last: after the drain; after the last row; behind the swap; with the first row [calibrated: tpu_v2-8_fc]") \
    P(U32, weight_rows_per_cycle, "rows", "2", "1", "1024",                                        \
      "rows of a weight tile loaded per cycle [calibrated: tpu_v2-8_fc]") \
    P(U32, turned_rows_per_cycle, "rows", "2", "0", "1024",                                        \
      "rows of a transposed weight tile loaded per cycle; 0: by the XLU first [calibrated: tpu_v2-8_fc]") \
    P(U32, int8_rate, "", "0", "0", "8",                                                           \
      "speed of products of 8-bit integers over that of bf16; 0: none [jax]") \
    P(U32, fp8_rate, "", "0", "0", "8",                                                            \
      "speed of products of 8-bit floating point over that of bf16; 0: none [jax]") \
    P(U32, e5m2_rate, "", "0", "0", "8",                                                           \
      "of products of f8e5m2; 0: as fp8_rate [calibrated: xla-estimates]")                         \
    P(U32, e4m3b11_rate, "", "0", "0", "8",                                                        \
      "of products of f8e4m3b11fnuz; 0: as fp8_rate [calibrated: xla-estimates]")                  \
    P(ENUM, stationary, "rhs|free", "rhs", "", "",                                                 \
      "operand that stays in the array: the right one, or the faster [calibrated: tpu_v2-8_fc]") \
    P(ENUM, sums, "vector|array", "vector", "", "",                                                \
      "where sums of tiles of k are added up: in the vector unit, or where the array leaves its results [norrie-2021]") \
    P(PPB, issue, "ratio", "1", "0.1", "1",                                                        \
      "share of cycles in which the program issues rows [calibrated: tpu_v4_gemm]") \
    P(PPB, sustained, "ratio", "1", "0.1", "1",                                                    \
      "share of `issue` that is left in a step that strains the matrix units [unverified]") \
    P(PPB, strained, "ratio", "0.3", "0", "1",                                                     \
      "share of multiply-accumulates in a step's kernels beyond which the matrix units are strained [calibrated: maxtext_steps]") \
    P(U32, latency, "cycle", "0", "0", "4096",                                                     \
      "from the entrance of a row to its result; 0: twice the size [norrie-2021]") \
    P(U32, row_granule, "rows", "8", "1", "128", "streamed rows are padded to this [scaling-book]")

#define MXU_STATS(C, R)                                                                            \
    C(cycles,      "cycle", "cycles of the measured time")                                         \
    C(busy,        "cycle", "cycles with a command in the array")                                  \
    C(capacity,    "MAC",   "multiply-accumulates the array could have done in the measured time") \
    C(slots,       "MAC",   "multiply-accumulates the array could have done while busy")           \
    C(useful,      "MAC",   "multiply-accumulates that the operation is about")                    \
    C(precision,   "MAC",   "multiply-accumulates with further parts of f32 operands")             \
    C(conv_zeros,  "MAC",   "multiply-accumulates with zeros put in: between strides, outside groups")                 \
    C(pad_m,       "MAC",   "slots of rows added to fill the row granule")                         \
    C(pad_n,       "MAC",   "slots of columns beyond n")                                           \
    C(pad_k,       "MAC",   "slots of array rows beyond k")                                        \
    C(weight_load, "MAC",   "slots of cycles that take weights and no row")                        \
    C(fill_drain,  "MAC",   "slots of cycles that take neither: swap or drain")                    \
    R("utilization.mxu",       useful,     capacity, "useful FLOPs over peak FLOPs of the matrix units") \
    R("utilization.mxu_busy",  busy,       cycles,   "time with work in a matrix unit")            \
    R("mxu_waste.pad_m",       pad_m,      slots,    "rows (m) added to fill the row granule")     \
    R("mxu_waste.pad_n",       pad_n,      slots,    "array columns idle: fewer outputs (n) than columns") \
    R("mxu_waste.pad_k",       pad_k,      slots,    "array rows idle: fewer products to sum (k) than rows") \
    R("mxu_waste.fill_drain",  fill_drain, slots,    "weights swapping or results draining")       \
    R("mxu_waste.precision",   precision,  slots,    "further passes, over the low parts of f32 operands") \
    R("mxu_waste.conv_zeros",  conv_zeros, slots,    "multiplying zeros put in: between strides, outside groups")      \
    R("mxu_waste.weight_load", weight_load, slots,   "weights loading while no row streams")
/* clang-format on */

struct mxu_params {
    MXU_PARAMS(PARAM_FIELD)
};
struct mxu_stats {
    MXU_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table mxu_param_table;
extern const struct stat_table mxu_stat_table;

struct mxu;

/* The shortcut (mxu_fold.c): when the tiles of the command at hand, begun in `cycle`, end, without
 * walking them; counts their cycles. */
typedef struct systolic_span mxu_fold_fn(struct mxu *m, uint64_t cycle);
mxu_fold_fn mxu_fold;

/* The array of `par`, with a result FIFO that is never full. */
struct array mxu_array(const struct mxu_params *par);
/* Hz of the array's clock in a core of `core_hz`: it ticks in cycles in which rows are issued. */
uint64_t mxu_hz(const struct mxu_params *par, uint64_t core_hz);
/* Tiles of all passes, and the rows of each, of the command at hand, begun in `cycle`. */
struct systolic_run mxu_run(const struct mxu *m, uint64_t cycle);

/* The shortcut around the wires (mxu_fold.c). */
unit_serve_fn mxu_serve;
unit_rest_fn mxu_rest;
unit_repeat_fn mxu_repeat;

/* The cycles of the command at hand, by use. */
struct mxu_cycles {
    uint64_t next;  /* cycles before this one are counted */
    uint64_t beats; /* of weights since the last row, not counted yet */
    uint64_t load, stream, idle;
};

/* The effect of a command on an idle array; it is the same whenever the command finds it idle. */
struct mxu_memo {
    struct unit_gemm cmd; /* with b = 0: unused; gemm.useful is ignored */
    uint64_t start, cycles;
    uint64_t slots[N_USES];
    struct systolic array; /* after it */
};
#define MXU_MEMOS 4

struct mxu {
    struct des_module mod;
    struct mxu_params par;
    struct mxu_stats st;
    struct des_in cmd;   /* struct unit_gemm */
    struct des_out done; /* struct unit_done */
    struct des_clock clock;
    struct des_process stream;
    mxu_fold_fn *fold; /* NULL: one event per push of row_granule rows */
    struct systolic array;
    struct array base; /* `array` without the mode of the command at hand */
    struct unit_gemm cur;
    struct unit_done reply; /* to the command at hand */
    struct systolic_run run;
    struct mxu_cycles cycles;
    uint64_t start, passes, rows, end;
    uint64_t load, loaded; /* cycles [load, loaded) of the tile at hand take weights and no row */
    uint64_t told,
        from; /* cycle after the last row shown; cycle of the first row of the push at hand */
    uint64_t useful;        /* multiply-accumulates since the beginning */
    uint64_t hz, core_hz;   /* of `clock`, of the core's clock */
    const uint64_t *faster; /* mxu_bind; NULL: none */
    struct mxu_memo memo[MXU_MEMOS];
    uint32_t next_memo;
    struct des_probes show;
};

/* --- for mxu_fold.c ----------------------------------------------------------------------- */

/* Begin the command at hand in `cycle`; end it in m->end, which sets m->reply. */
void mxu_begin(struct mxu *m, uint64_t cycle);
void mxu_end(struct mxu *m);
/* The cycle in which the command at hand ends, if its last row was taken in `last_row`. */
uint64_t mxu_end_after(const struct mxu *m, uint64_t last_row);
/* The cycle in which the command at hand ends in a dataflow that overlaps no tiles. */
uint64_t mxu_bare_end(struct mxu *m);
/* Add `n` commands of `cycles` cycles, with multiply-accumulates by use, to the statistics. */
void mxu_count(struct mxu *m, uint64_t cycles, const uint64_t slots[N_USES], uint64_t n);

/* Make a matrix unit of a core of `core_hz` Hz as module `name` of `parent`.  `fold` NULL: walk. */
void mxu_init(struct mxu *m, struct des *sim, struct des_module parent, const char *name,
              const struct mxu_params *par, uint64_t core_hz, mxu_fold_fn *fold);
/* `faster` is its core's counter of extra cycles: 8-bit operations do the work of several cycles of
 * bf16 in one, which adds to the capacity.  Without mxu_bind there are none. */
void mxu_bind(struct mxu *m, const uint64_t *faster);
component_finish_fn mxu_finish;

#endif
