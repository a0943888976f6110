/* The systolic array: cycles of whole products by hand, walked and folded; each row tight; the fold
 * against the walk in random runs.  The Verilog is in tests/rtl. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arith.h"
#include "hw/core/dataflow.h"
#include "hw/core/systolic.h"

enum { DEEP = 4096 };

struct bench {
    struct systolic s;
    uint64_t fetched[DEEP];
};

static void set_up(struct bench *b, enum array_load load, uint32_t size, uint32_t rows,
                   uint32_t weight_rows, uint32_t results)
{
    struct array par = { size, rows, weight_rows, results, load, 0, 0, 0 };

    memset(b->fetched, 0, sizeof b->fetched);
    systolic_init(&b->s, &par, b->fetched);
}

/* --- whole products ------------------------------------------------------------------------- */

struct product {
    enum array_load load;
    uint32_t size, rows, weight_rows;
    uint64_t m, n, k;
    uint64_t cycles; /* by hand, from the rule of the mode in systolic.h */
};

static const struct product products[] = {
    { ARRAY_SERIAL, 8, 1, 1, 8, 8, 8, 30 },     /* T = 1: 8 + 3*8 - 2 */
    { ARRAY_SERIAL, 8, 1, 1, 20, 16, 16, 168 }, /* T = 4: 4 * (20 + 22) */
    { ARRAY_SERIAL, 8, 1, 2, 20, 16, 16, 152 }, /* 4 * (4 + 20 + 14) */
    { ARRAY_SHADOW, 8, 1, 1, 20, 16, 16, 103 }, /* 8 + 3*20 + 20 + 15 */
    { ARRAY_SHADOW, 8, 1, 1, 5, 16, 16, 73 },   /* 8 + 3*15 + 5 + 15 */
    { ARRAY_WAVE, 8, 1, 1, 5, 16, 16, 52 },     /* 8 + 3*8 + 5 + 15 */
    { ARRAY_EXPOSED, 8, 1, 1, 5, 16, 16, 67 },  /* 4 * (8 + 5) + 15 */
    /* 128 x 128, one row and one weight row a cycle, C[m,n] = A[m,k] B[k,n] */
    { ARRAY_SHADOW, 128, 1, 1, 128, 128, 128, 511 },
    { ARRAY_WAVE, 128, 1, 1, 128, 128, 128, 511 },
    { ARRAY_SHADOW, 128, 1, 1, 100, 77, 300, 993 }, /* 128 + 2*255 + 100 + 255 */
    { ARRAY_WAVE, 128, 1, 1, 100, 77, 300, 739 },   /* 128 + 2*128 + 100 + 255 */
    { ARRAY_SHADOW, 128, 1, 1, 1000, 10, 2048, 16383 },
    { ARRAY_WAVE, 128, 1, 1, 1000, 10, 2048, 16383 },
    { ARRAY_SHADOW, 128, 1, 1, 1024, 1024, 1024, 65919 },
    { ARRAY_WAVE, 128, 1, 1, 1024, 1024, 1024, 65919 },
    { ARRAY_SHADOW, 128, 1, 1, 4096, 4096, 4096, 4194687 },
    { ARRAY_WAVE, 128, 1, 1, 4096, 4096, 4096, 4194687 },
    { ARRAY_SERIAL, 128, 1, 1, 100, 77, 300, 1446 },         /* 3 * (100 + 382) */
    { ARRAY_EXPOSED, 128, 1, 2, 1024, 1024, 1024, 69887 },   /* 64 * (64 + 1024) + 255 */
    { ARRAY_EXPOSED, 128, 1, 2, 4096, 4096, 4096, 4260095 }, /* 1024 * (64 + 4096) + 255 */
    { ARRAY_WAVE, 256, 2, 1, 4096, 4096, 4096, 525055 },     /* 256 * 2048 + 256 + 511 */
    { ARRAY_SHADOW, 256, 2, 2, 301, 257, 256, 1173 },        /* 128 + 383 + 151 + 511 */
    { ARRAY_EXPOSED, 128, 1, 3, 128, 128, 128, 426 },        /* 43 + 128 + 255 */
};

Test(systolic, products_take_the_cycles_worked_out_by_hand)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *p = &products[i];
        struct bench walked, folded;
        uint64_t tiles = arith_ceil_div(p->n, p->size) * arith_ceil_div(p->k, p->size);
        struct systolic_run run = { tiles, p->m, 1000, 1000 };
        set_up(&walked, p->load, p->size, p->rows, p->weight_rows, DEEP);
        set_up(&folded, p->load, p->size, p->rows, p->weight_rows, DEEP);
        struct systolic_span w = systolic_walk(&walked.s, &run), f;
        cr_assert(systolic_fold(&folded.s, &run, &f), "case %zu", i);
        cr_assert_eq(w.begin, 1000);
        cr_assert_eq(w.end, 1000 + p->cycles, "case %zu: walked %llu", i,
                     (unsigned long long)(w.end - 1000));
        cr_assert_eq(f.end, 1000 + p->cycles, "case %zu: folded %llu", i,
                     (unsigned long long)(f.end - 1000));
    }
}

/* --- single rules --------------------------------------------------------------------------- */

/* 4 x 4, one weight row a cycle: load a tile from cycle `there` on. */
static uint64_t load_weights(struct bench *b, uint64_t there)
{
    uint64_t at = 0;

    for (int i = 0; i < 4; i++)
        at = systolic_load(&b->s, there);
    return at;
}

Test(systolic, the_next_tile_is_loaded_when_its_mode_says)
{
    /* rows in cycles 10, 11, 12 of a 4 x 4 array; then the first beat of the next tile */
    static const uint64_t next[] = {
        [ARRAY_SERIAL] = 19,  /* the result of row 12 leaves in 12 + 7 */
        [ARRAY_EXPOSED] = 13, /* after row 12 */
        [ARRAY_SHADOW] = 13,  /* the swap of row 10 is at the fourth row of elements */
        [ARRAY_WAVE] = 10,    /* with row 10 */
    };

    for (enum array_load m = ARRAY_SERIAL; m <= ARRAY_WAVE; m++) {
        struct bench b;
        set_up(&b, m, 4, 1, 1, 64);
        cr_assert_eq(load_weights(&b, 2), 5); /* 2, 3, 4, 5 */
        cr_assert_not(systolic_can_load(&b.s));
        cr_assert_eq(systolic_take(&b.s, 10, false), 10);
        cr_assert_eq(systolic_can_load(&b.s), m == ARRAY_SHADOW || m == ARRAY_WAVE);
        cr_assert_eq(systolic_take(&b.s, 0, false), 11);
        cr_assert_eq(systolic_take(&b.s, 0, true), 12);
        cr_assert(systolic_can_load(&b.s));
        cr_assert_not(systolic_can_take(&b.s));
        cr_assert_eq(systolic_load(&b.s, 0), next[m], "mode %d", m);
    }
}

Test(systolic, rows_wait_for_the_last_beat_of_their_weights)
{
    struct bench b;

    set_up(&b, ARRAY_WAVE, 4, 1, 1, 64);
    cr_assert_eq(systolic_load(&b.s, 0), 0);
    cr_assert_eq(systolic_load(&b.s, 0), 1);
    cr_assert_eq(systolic_load(&b.s, 7), 7); /* late */
    cr_assert_not(systolic_can_take(&b.s));
    cr_assert_eq(systolic_load(&b.s, 0), 8);
    cr_assert_eq(systolic_take(&b.s, 0, true), 9);
}

Test(systolic, two_rows_a_cycle_but_never_of_two_tiles)
{
    struct bench b;

    set_up(&b, ARRAY_WAVE, 4, 2, 4, 64);
    cr_assert_eq(systolic_load(&b.s, 0), 0);
    cr_assert_eq(systolic_take(&b.s, 0, false), 1);
    cr_assert_eq(systolic_load(&b.s, 0), 1);
    cr_assert_eq(systolic_take(&b.s, 0, false), 1);
    cr_assert_eq(systolic_take(&b.s, 0, true), 2);
    cr_assert_eq(systolic_take(&b.s, 0, false), 3); /* the next tile, alone in its cycle */
    cr_assert_eq(systolic_take(&b.s, 9, false), 9); /* late: nobody to share with */
    cr_assert_eq(systolic_take(&b.s, 9, false), 9);
    cr_assert_eq(systolic_take(&b.s, 9, true), 10);
}

Test(systolic, a_full_result_fifo_holds_rows_up_at_the_entrance)
{
    struct bench b;

    set_up(&b, ARRAY_SHADOW, 4, 1, 4, 2);
    cr_assert_eq(systolic_load(&b.s, 0), 0);
    cr_assert_eq(systolic_take(&b.s, 0, false), 1); /* its result leaves in 1 + 8 */
    cr_assert_eq(systolic_take(&b.s, 0, false), 2);
    cr_assert_not(systolic_can_take(&b.s), "no place for a third result");
    systolic_fetch(&b.s, 9);
    cr_assert(systolic_can_take(&b.s));
    cr_assert_eq(systolic_take(&b.s, 0, false), 10); /* the cycle after the fetch */
    systolic_fetch(&b.s, 30);                        /* the consumer was busy */
    cr_assert_eq(systolic_take(&b.s, 0, true), 31);
}

/* --- fold against walk ---------------------------------------------------------------------- */

static uint32_t draw_below(uint64_t *r, uint32_t n)
{
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*r >> 33) % n);
}

/* A few tiles with gaps and slow fetching, the same on both, so that a run starts from anywhere. */
static void disturb_array(struct bench *a, struct bench *b, uint64_t *r)
{
    for (uint32_t tiles = draw_below(r, 4); tiles; tiles--) {
        uint64_t t = a->s.load_from + draw_below(r, 20), rows = 1 + draw_below(r, 30);
        for (uint64_t i = array_beats(&a->s.par); i; i--, t += draw_below(r, 3))
            cr_assert_eq(systolic_load(&a->s, t), systolic_load(&b->s, t));
        for (; rows; rows--, t += draw_below(r, 3)) {
            uint64_t at = systolic_take(&a->s, t, rows == 1);
            cr_assert_eq(at, systolic_take(&b->s, t, rows == 1));
            at += array_latency(&a->s.par) + draw_below(r, 40);
            uint64_t before =
                a->s.results.back ? a->fetched[(a->s.results.back - 1) % a->s.results.depth] : 0;
            systolic_fetch(&a->s, at > before ? at : before);
            systolic_fetch(&b->s, at > before ? at : before);
        }
    }
}

/* Run tile by tile through the calls of one row each: every event is where the fold has it. */
static void check_rows(struct bench *b, const struct systolic_run *run,
                       const struct systolic_span *span)
{
    uint64_t interval = array_interval(&b->s.par, run->rows);

    for (uint64_t t = 0; t < run->tiles; t++) {
        for (uint64_t i = array_beats(&b->s.par); i; i--)
            systolic_load(&b->s, run->weights_at);
        for (uint64_t i = 0; i < run->rows; i++) {
            uint64_t at = systolic_take(&b->s, run->rows_at, i == run->rows - 1);
            cr_assert_eq(at, span->row + t * interval + i / b->s.par.rows_per_cycle);
            systolic_fetch(&b->s, at + array_latency(&b->s.par));
        }
    }
}

static void check_same(const struct bench *a, const struct bench *b)
{
    cr_assert_eq(a->s.load_from, b->s.load_from);
    cr_assert_eq(a->s.row_from, b->s.row_from);
    cr_assert_eq(a->s.beat, b->s.beat);
    cr_assert_eq(a->s.streaming, b->s.streaming);
    cr_assert_eq(a->s.loaded, b->s.loaded);
    cr_assert_eq(a->s.begun, b->s.begun);
    cr_assert_eq(a->s.end, b->s.end);
    cr_assert_eq(a->s.rows.cycle, b->s.rows.cycle);
    cr_assert_eq(a->s.rows.used, b->s.rows.used);
    cr_assert_eq(a->s.results.put, b->s.results.put);
    cr_assert_eq(a->s.results.back, b->s.results.back);
    cr_assert_arr_eq(a->fetched, b->fetched, sizeof a->fetched);
}

Test(systolic, a_folded_run_ends_as_a_walked_one_in_every_cycle_and_in_every_state)
{
    static const uint32_t sizes[] = { 4, 8, 16, 32 };
    uint64_t r = 1, folds = 0, refused = 0;

    for (int i = 0; i < 8000; i++) {
        static struct bench walked, folded, rows;
        uint32_t size = sizes[draw_below(&r, 4)], lanes = 1 + draw_below(&r, 2);
        uint32_t weight_rows = 1 + draw_below(&r, draw_below(&r, 2) ? size : 4);
        uint32_t results = draw_below(&r, 2) ? DEEP : 1 + draw_below(&r, 6 * size);
        enum array_load load = (enum array_load)draw_below(&r, 4);
        set_up(&walked, load, size, lanes, weight_rows, results);
        set_up(&folded, load, size, lanes, weight_rows, results);
        disturb_array(&walked, &folded, &r);
        for (uint32_t runs = 1 + draw_below(&r, 3); runs; runs--) {
            uint64_t at = walked.s.load_from;
            struct systolic_run run = { 1 + draw_below(&r, 6), 1 + draw_below(&r, 3 * size),
                                        at + draw_below(&r, 40) - (at < 20 ? 0 : 20),
                                        at + draw_below(&r, 80) - (at < 20 ? 0 : 20) };
            struct systolic_span f = { 0 };
            rows = folded;
            rows.s.results.freed = rows.fetched;
            bool done = systolic_fold(&folded.s, &run, &f);
            struct systolic_span w = systolic_walk(&walked.s, &run);
            folds += done;
            refused += !done;
            if (!done) {
                systolic_walk(&folded.s, &run);
                continue;
            }
            cr_assert_eq(f.begin, w.begin);
            cr_assert_eq(f.row, w.row);
            cr_assert_eq(f.last_row, w.last_row);
            cr_assert_eq(f.end, w.end);
            check_same(&walked, &folded);
            check_rows(&rows, &run, &f);
        }
    }
    cr_assert_gt(folds, 8000);
    cr_assert_gt(refused, 1000);
}

Test(systolic, a_run_is_not_folded_in_the_midst_of_things_or_into_a_full_fifo)
{
    struct systolic_run run = { 3, 8, 0, 0 };
    struct systolic_span span;
    struct bench b;

    set_up(&b, ARRAY_SHADOW, 8, 1, 1, DEEP);
    systolic_load(&b.s, 0);
    cr_assert_not(systolic_fold(&b.s, &run, &span), "a tile is half loaded");
    for (int i = 0; i < 7; i++)
        systolic_load(&b.s, 0);
    cr_assert_not(systolic_fold(&b.s, &run, &span), "a tile waits");
    systolic_take(&b.s, 0, true);
    cr_assert_not(systolic_fold(&b.s, &run, &span), "a result was not fetched");
    systolic_fetch(&b.s, 24);
    cr_assert(systolic_fold(&b.s, &run, &span));
    /* a result that sits in the FIFO until 50 is in the way of one that leaves in 23 + 16 */
    set_up(&b, ARRAY_SHADOW, 8, 1, 1, DEEP);
    for (int i = 0; i < 8; i++)
        systolic_load(&b.s, 0);
    systolic_take(&b.s, 0, true);
    systolic_fetch(&b.s, 50);
    cr_assert_not(systolic_fold(&b.s, &run, &span));
    /* row i's place comes back 17 cycles after it was taken, so 17 places feed a row a cycle */
    set_up(&b, ARRAY_SHADOW, 8, 1, 1, 16);
    cr_assert_not(systolic_fold(&b.s, &run, &span));
    set_up(&b, ARRAY_SHADOW, 8, 1, 1, 17);
    cr_assert(systolic_fold(&b.s, &run, &span));
}

/* --- dataflows ------------------------------------------------------------------------------ */

struct flow_case {
    enum dataflow flow;
    uint64_t rows, cols, m, n, k;
    uint64_t printed; /* the index of the last cycle, as SCALE-Sim prints it */
};

static const struct flow_case flows[] = {
    { DATAFLOW_WS, 128, 128, 128, 128, 128, 509 },
    { DATAFLOW_WS, 128, 128, 100, 77, 300, 1445 },
    { DATAFLOW_WS, 128, 128, 1000, 10, 2048, 22111 },
    { DATAFLOW_WS, 128, 128, 1024, 1024, 1024, 89983 },
    { DATAFLOW_WS, 128, 128, 4096, 4096, 4096, 4585471 },
    { DATAFLOW_WS, 8, 8, 20, 16, 16, 167 },
    { DATAFLOW_WS, 4, 16, 20, 24, 10, 251 },          /* 3 * 2 * (20 + 8 + 14) - 1 */
    { DATAFLOW_OS, 128, 128, 128, 128, 128, 381 },    /* 1 * (128 + 254) - 1 */
    { DATAFLOW_OS, 128, 128, 100, 77, 300, 553 },     /* 1 * (300 + 254) - 1 */
    { DATAFLOW_OS, 128, 128, 1000, 10, 2048, 18415 }, /* 8 * (2048 + 254) - 1 */
    { DATAFLOW_OS, 8, 8, 20, 16, 30, 263 },           /* 3 * 2 * (30 + 14) - 1 */
    { DATAFLOW_OS, 4, 16, 20, 24, 10, 279 },          /* 5 * 2 * (10 + 18) - 1 */
    { DATAFLOW_IS, 128, 128, 128, 128, 128, 509 },    /* 1 * (128 + 382) - 1 */
    { DATAFLOW_IS, 128, 128, 100, 77, 300, 1376 },    /* 3 * 1 * (77 + 382) - 1 */
    { DATAFLOW_IS, 128, 128, 1000, 10, 2048, 50175 }, /* 16 * 8 * (10 + 382) - 1 */
    { DATAFLOW_IS, 8, 8, 20, 16, 30, 455 },           /* 4 * 3 * (16 + 22) - 1 */
    { DATAFLOW_IS, 4, 16, 20, 24, 10, 275 },          /* 3 * 2 * (24 + 22) - 1 */
};

Test(dataflow, counts_are_those_scale_sim_prints)
{
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        const struct flow_case *c = &flows[i];
        uint64_t got = dataflow_cycles(c->flow, c->rows, c->cols, c->m, c->n, c->k);
        cr_assert_eq(got - 1, c->printed, "case %zu: %llu", i, (unsigned long long)(got - 1));
    }
}

/* Four tiles with a latency of 10 in place of 16 or 15: wave 8 + 3*8 + 5 + 9, serial
 * 4 * (8 + 20 + 9). */
Test(systolic, an_array_that_adds_several_products_at_once_is_faster)
{
    static const struct {
        enum array_load load;
        uint64_t rows, cycles;
    } cases[] = { { ARRAY_WAVE, 5, 46 }, { ARRAY_SERIAL, 20, 148 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct array par = { 8, 1, 1, 0, cases[i].load, 0, 0, 10 };
        struct systolic_run run = { 4, cases[i].rows, 0, 0 };
        struct systolic walked, folded;
        struct systolic_span f;
        systolic_init(&walked, &par, NULL);
        systolic_init(&folded, &par, NULL);
        cr_expect_eq(systolic_walk(&walked, &run).end, cases[i].cycles, "case %zu", i);
        cr_assert(systolic_fold(&folded, &run, &f), "case %zu", i);
        cr_expect_eq(f.end, cases[i].cycles, "case %zu", i);
    }
}
