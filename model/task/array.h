/* array.h - a systolic array: its size, and in how many cycles it does a product.
 *
 * With S = size, a tile of weights is S rows, loaded in B = ceil(S / weight_rows_per_cycle) beats.
 * The M rows of the other operand stream through it in b = ceil(M / rows_per_cycle) cycles.  From
 * the first row of a tile to the first row of the next, in cycles, if nothing is late:
 *
 *     serial    b + L - 1 + B       one weight register: drain (L, the latency), then load
 *     exposed   b + B               two registers, but weights and rows share a port
 *     shadow    max(b, S - 1 + B)   weights shift into the spare registers after the swap
 *     wave      max(b, B)           weights follow the swap row by row
 *
 * Source: the Verilog of tests/rtl, which has each of them in hardware.
 *
 * A product of 8-bit operands may be `rate` times as fast: its rows and weights have a fraction of
 * the bits, so that `rate` times as many enter in a cycle.  A tile of weights that is stored
 * transposed is turned on its way in, at a rate of its own.
 *
 * A row's result has passed S multipliers, one a cycle, and S columns: 2S cycles, 2S - 1 with one
 * weight register.  An array that adds up several products at once is faster (`latency`).
 *
 * A program may push the rows of a tile while those of the tile before stream, at a rate that it
 * chooses: then the load is `wave`, whatever the hardware would do by itself.  A tile may hold
 * fewer rows or columns of weights than the array has; only those rows are pushed, of one that is
 * stored transposed as many as it has columns.
 *
 * An array that is at least two registers wide takes a tile that is at most one register high and
 * wide twice, along its diagonal: then two rows enter side by side (`twin`), and a pass of so many
 * rows takes half the cycles.  Of other tiles that fill fewer registers side by side than the array
 * is wide, so many fewer rows of it are pushed (`height`). */
#ifndef TASK_ARRAY_H
#define TASK_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

enum array_load { ARRAY_SERIAL, ARRAY_EXPOSED, ARRAY_SHADOW, ARRAY_WAVE };

struct array {
    uint32_t size;                  /* rows and columns; at least 4 */
    uint32_t rows_per_cycle;        /* streamed rows taken a cycle */
    uint32_t weight_rows_per_cycle; /* rows of a weight tile in a beat; at most `size` */
    uint32_t result_rows;           /* places of the result FIFO; 0: never too few */
    enum array_load load;
    uint32_t turned_rows_per_cycle; /* rows in a beat of a tile stored transposed; 0: not able */
    uint32_t tile_rows;             /* rows that are pushed for a tile; 0: `size` */
    uint32_t latency; /* cycles from taking a row to its result leaving; 0: of single adders */
};

/* The use of an array by a product; all zero for one pass of bf16 operands. */
struct array_mode {
    uint32_t more_passes; /* after the first: f32 operands go through it in bf16 parts */
    uint32_t more_rows;   /* that enter with each one: rate - 1 */
    bool turned;          /* weights are stored transposed */
    uint32_t depth;       /* rows of weights in a tile, which are k of the product; 0: `size` */
    uint32_t columns;     /* columns of weights in a tile, which are n of it; 0: `size` */
    uint32_t pushed; /* rows of weights in a beat behind the rows before; 0: as the array loads */
    uint32_t height; /* rows that are pushed for a tile; 0: `depth`, or `columns` if turned */
    bool twin;       /* the array holds a tile twice, and two rows enter side by side */
};

/* The k of a product that a tile of weights holds; the n. */
static inline uint32_t array_depth(uint32_t size, const struct array_mode *mode)
{
    return mode->depth ? mode->depth : size;
}
static inline uint32_t array_columns(uint32_t size, const struct array_mode *mode)
{
    return mode->columns ? mode->columns : size;
}

/* Rows that are pushed for a tile of weights; 0: `size`. */
static inline uint32_t array_height(const struct array_mode *mode)
{
    uint32_t all = mode->turned ? mode->columns : mode->depth;

    return mode->height ? mode->height : all;
}

/* Tiles of weights of a product of k and n. */
static inline uint64_t array_tiles(uint32_t size, const struct array_mode *mode, uint64_t k,
                                   uint64_t n)
{
    uint64_t depth = array_depth(size, mode), columns = array_columns(size, mode);

    return ((k + depth - 1) / depth) * ((n + columns - 1) / columns);
}

/* The array as it is in that mode. */
struct array array_in_mode(const struct array *a, const struct array_mode *mode);

uint64_t array_beats(const struct array *a);   /* to load a tile */
uint64_t array_latency(const struct array *a); /* cycles from taking a row to its result leaving */
/* Cycles from the first row of a tile to the first row of the next, of `rows` rows each. */
uint64_t array_interval(const struct array *a, uint64_t rows);
/* From the first beat of the first of `tiles` tiles, at least 1, to the cycle after the last row of
 * the last was taken. */
uint64_t array_cycles(const struct array *a, uint64_t tiles, uint64_t rows);

#endif
