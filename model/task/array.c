#include "task/array.h"

#include "base/arith.h"

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct array array_in_mode(const struct array *a, const struct array_mode *mode)
{
    struct array b = *a;
    uint32_t rate = 1 + mode->more_rows;

    b.tile_rows = array_height(mode);
    if (mode->pushed) {
        b.load = ARRAY_WAVE;
        b.weight_rows_per_cycle = mode->pushed < a->size ? mode->pushed : a->size;
    } else if (mode->turned && a->turned_rows_per_cycle)
        b.weight_rows_per_cycle = a->turned_rows_per_cycle;
    b.rows_per_cycle *= mode->twin ? 2 * rate : rate;
    b.weight_rows_per_cycle =
        b.weight_rows_per_cycle < a->size / rate ? b.weight_rows_per_cycle * rate : a->size;
    return b;
}

uint64_t array_beats(const struct array *a)
{
    return arith_ceil_div(a->tile_rows ? a->tile_rows : a->size, a->weight_rows_per_cycle);
}

/* The spare registers of all modes but `serial` cost a cycle: rows wait for the swap ahead. */
uint64_t array_latency(const struct array *a)
{
    return a->latency ? a->latency : 2 * (uint64_t)a->size - (a->load == ARRAY_SERIAL);
}

uint64_t array_interval(const struct array *a, uint64_t rows)
{
    uint64_t b = arith_ceil_div(rows, a->rows_per_cycle), load = array_beats(a), size = a->size;

    switch (a->load) {
    case ARRAY_SERIAL: return b + array_latency(a) - 1 + load;
    case ARRAY_EXPOSED: return b + load;
    case ARRAY_SHADOW: return later_of(b, size - 1 + load);
    case ARRAY_WAVE: break;
    }
    return later_of(b, load);
}

uint64_t array_cycles(const struct array *a, uint64_t tiles, uint64_t rows)
{
    return array_beats(a) + (tiles - 1) * array_interval(a, rows) +
           arith_ceil_div(rows, a->rows_per_cycle);
}
