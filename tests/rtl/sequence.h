/* sequence.h - a random sequence of work for an array: matrix products, and who is late when. */
#ifndef TESTS_RTL_SEQUENCE_H
#define TESTS_RTL_SEQUENCE_H

#include "dut.h"

/* C[m,n] = A[m,k] B[k,n] in tiles of size x size weights, k inside n; ragged edges are zeros. */
struct product {
    uint32_t m, n, k;
    uint32_t first_tile, first_row; /* in the sequence */
    int8_t *a, *b;
};

struct sequence {
    uint32_t size, beats; /* of the array; beats of a tile */
    uint32_t weight_rows;
    uint16_t weight_depth, row_depth, result_depth;
    uint32_t n_products, n_tiles, n_beats, n_rows, n_ready;
    struct product *product;
    int8_t *weights;     /* [n_beats][weight_rows][size], as they are loaded */
    int8_t *rows;        /* [n_rows][size] */
    bool *last;          /* [n_rows] last of its tile */
    uint64_t *beat_from; /* [n_beats] cycle from which it is offered */
    uint64_t *row_from;  /* [n_rows] */
    uint8_t *ready;      /* [n_ready] results fetched per cycle at most; then all there are */
};

/* A random sequence for `d`; `seed` says which. */
struct sequence *sequence_random(const struct dut *d, uint64_t seed);
/* One product, nothing late, deep FIFOs. */
struct sequence *sequence_regular(const struct dut *d, uint32_t m, uint32_t n, uint32_t k);
void sequence_free(struct sequence *s);

/* The most results that are fetched in `cycle`. */
uint32_t sequence_ready(const struct sequence *s, const struct dut *d, uint64_t cycle);

/* The number of elements of the products that differ from `results` ([n_rows][size], as the array
 * gave them): partial sums over k are added up here, columns beyond n must be zero. */
uint64_t sequence_wrong(const struct sequence *s, const int32_t *results);

#endif
