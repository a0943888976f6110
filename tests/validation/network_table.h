/* network_table.h - latencies that BookSim2 measured on tori: what ours are held against.
 *
 * BookSim2 at 28f4329, router `iq`: order of dimensions, packets of one flit, 4 virtual channels of
 * 8 flits, routing, virtual-channel, switch and final delay 1, credit delay 2, allocators islip,
 * seed 42 [booksim2].  Latency 0: it found the network unstable at this rate. */
#ifndef TESTS_VALIDATION_NETWORK_TABLE_H
#define TESTS_VALIDATION_NETWORK_TABLE_H

static const struct network_row {
    const char *radix, *pattern, *rate;
    double latency; /* cycles */
} network_rows[] = {
    { "4x4", "uniform", "0.05", 19.19 },    { "4x4", "uniform", "0.2", 19.21 },
    { "4x4", "uniform", "0.4", 19.93 },     { "4x4", "uniform", "0.6", 21.44 },
    { "8x8", "uniform", "0.02", 31.1 },     { "8x8", "uniform", "0.05", 31.32 },
    { "8x8", "uniform", "0.1", 31.3 },      { "8x8", "uniform", "0.2", 32.1 },
    { "8x8", "uniform", "0.3", 33.15 },     { "8x8", "uniform", "0.4", 35.7 },
    { "8x8", "uniform", "0.5", 44.4 },      { "8x8", "uniform", "0.6", 0 },
    { "16x16", "uniform", "0.02", 55.0 },   { "16x16", "uniform", "0.1", 56.4 },
    { "16x16", "uniform", "0.2", 60.7 },    { "16x16", "uniform", "0.25", 67.6 },
    { "16x16", "uniform", "0.3", 0 },       { "4x4x4", "uniform", "0.05", 25.09 },
    { "4x4x4", "uniform", "0.3", 25.78 },   { "4x4", "neighbour", "0.05", 19.04 },
    { "4x4", "neighbour", "0.3", 19.53 },   { "4x4", "neighbour", "0.6", 23.77 },
    { "4x4", "neighbour", "0.9", 0 },       { "8x8", "neighbour", "0.05", 19.0 },
    { "16x16", "neighbour", "0.05", 19.0 }, { "4x4x4", "neighbour", "0.05", 25.0 },
    { "4x4", "tornado", "0.05", 19.0 },     { "8x8", "tornado", "0.05", 43.7 },
    { "16x16", "tornado", "0.05", 95.5 },   { "4x4x4", "tornado", "0.05", 25.0 },
    { "8x8", "tornado", "0.2", 0 },         { "16x16", "tornado", "0.2", 0 },
    { "4x4", "transpose", "0.05", 19.0 },   { "8x8", "transpose", "0.05", 31.4 },
    { "16x16", "transpose", "0.05", 56.5 }, { "4x4x4", "transpose", "0.05", 25.2 },
    { "8x8", "transpose", "0.2", 0 },       { "16x16", "transpose", "0.2", 0 },
};

#endif
