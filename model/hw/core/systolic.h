/* systolic.h - cycles of a size x size weight-stationary systolic array, one call per streamed row.
 *
 *     weights >--[ load port ]--+
 *     rows    >----------------[ array ]--[ result FIFO ]--> results
 *
 * Pure timing, in cycles from 0, for a component that has a clock.  Equal to the Verilog of
 * tests/rtl in every cycle (make test-rtl).  A tile of weights is size rows, loaded in
 * B = size / weight_rows_per_cycle beats (rounded up), one a cycle as they come.  Then its M
 * rows are streamed, up to rows_per_cycle a cycle side by side: b = M / rows_per_cycle cycles
 * (rounded up) if none is late.  With S = size:
 *
 * The first row of a tile is taken in the cycle after the last beat of its weights or later; no
 * cycle takes rows of two tiles.  The result of a row taken in cycle t leaves the array in cycle
 * t + latency.  A row is taken only if its result has a place in the result FIFO, that is from the
 * cycle after the one in which the result result_rows before it was fetched: back-pressure holds
 * rows up at the entrance, never inside.  When the next tile's first beat is taken at the earliest:
 *
 *   serial   t(last row) + 2S - 1   as its result leaves the array.  One weight register per
 *                                   element; latency 2S - 1
 *   exposed  t(last row) + 1        weights and rows share a port, so loading is never hidden
 *   shadow   t(first row) + S - 1   weights are shifted down the spare registers of a column, when
 *                                   the swap for the rows before is at its last register
 *   wave     t(first row)           weights ride down behind the swap, an element a cycle
 *
 * Exposed, shadow and wave have two registers per element; a swap ahead of the first row makes the
 * spare weights the ones that multiply, and rows wait a cycle for it: latency 2S.
 *
 * T tiles of M rows, nothing late and results fetched at once, from the first beat in cycle 0 to
 * the last result at the end of the array:
 *   serial   T * (B + b + 2S - 2)
 *   exposed  T * (B + b) + 2S - 1
 *   shadow   B + (T-1) * max(b, B + S - 1) + b + 2S - 1
 *   wave     B + (T-1) * max(b, B) + b + 2S - 1 */
#ifndef HW_CORE_SYSTOLIC_H
#define HW_CORE_SYSTOLIC_H

#include "hw/core/flow.h"
#include "task/array.h"

struct systolic {
    struct array par;
    uint64_t load_from;  /* earliest cycle of the next beat */
    uint64_t row_from;   /* earliest cycle of the first row of the tile loaded last */
    uint32_t beat;       /* beats taken of the tile being loaded */
    bool streaming;      /* between the first and the last row of a tile */
    uint64_t loaded;     /* tiles */
    uint64_t begun, end; /* tiles whose first row, whose last row was taken */
    struct flow_lanes rows;
    struct flow_places results;
};

/* `fetched` has room for par->result_rows cycles and is the caller's; NULL without any. */
void systolic_init(struct systolic *s, const struct array *par, uint64_t *fetched);

/* Tiles from now on are in `mode` of `base`, the array as it was made.  Only between tiles. */
void systolic_set_mode(struct systolic *s, const struct array *base, const struct array_mode *mode);

/* Take the next beat of weights, which is at the load port from cycle `there` on; returns the
 * cycle. Rows that it must wait for in this mode must have been taken, or can_load is false. */
bool systolic_can_load(const struct systolic *s);
uint64_t systolic_load(struct systolic *s, uint64_t there);

/* Take the next row, which is at the array from cycle `there` on; returns the cycle.  `last` ends
 * its tile.  Its weights must have been loaded, and the result that makes room for its own fetched,
 * or can_take is false. */
bool systolic_can_take(const struct systolic *s);
uint64_t systolic_take(struct systolic *s, uint64_t there, bool last);

/* Fetch the next result from the result FIFO in `cycle`, when it leaves the array or later: results
 * go straight through an empty FIFO. */
void systolic_fetch(struct systolic *s, uint64_t cycle);

/* Equal tiles back to back: all weights are there from cycle `weights_at` on and all rows from
 * `rows_at` on; each result is fetched when it leaves the array and all earlier ones are fetched.
 */
struct systolic_run {
    uint64_t tiles, rows; /* rows of each tile; both at least 1 */
    uint64_t weights_at, rows_at;
};

struct systolic_span {
    uint64_t begin;    /* first beat of the first tile taken */
    uint64_t row;      /* first row of the first tile taken */
    uint64_t last_row; /* last row of the last tile taken */
    uint64_t end;      /* its result leaves the array */
};

/* Run row by row. */
struct systolic_span systolic_walk(struct systolic *s, const struct systolic_run *run);

/* The shortcut (systolic_fold.c): the span and the state after systolic_walk, without its rows.
 * Returns false and changes nothing where the run may be irregular: within a tile, with results to
 * be fetched, or where the result FIFO may hold rows up.  O(1), O(depth) with a result FIFO. */
bool systolic_fold(struct systolic *s, const struct systolic_run *run, struct systolic_span *span);

#endif
