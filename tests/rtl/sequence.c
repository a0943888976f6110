#include "sequence.h"

#include <stdlib.h>

#include "base/err.h"
#include "rtl_random.h"

enum { FEED_PLACES = 64, RESULT_PLACES = 256 }; /* of systolic.v */

static void *make_room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    BUG_ON(!p);
    return p;
}

static uint32_t draw_tiles(const struct sequence *s, uint32_t length)
{
    return (length + s->size - 1) / s->size;
}

static int8_t *draw_noise(uint64_t *r, size_t n)
{
    int8_t *p = make_room(n, 1);

    for (size_t i = 0; i < n; i++)
        p[i] = (int8_t)(random_next(r) >> 56);
    return p;
}

static void add_product(struct sequence *s, uint64_t *r, uint32_t m, uint32_t n, uint32_t k)
{
    uint32_t t = draw_tiles(s, n) * draw_tiles(s, k);
    struct product p = { m, n, k, s->n_tiles, s->n_rows, NULL, NULL };

    p.a = draw_noise(r, (size_t)m * k);
    p.b = draw_noise(r, (size_t)k * n);
    s->product = realloc(s->product, (s->n_products + 1) * sizeof p);
    BUG_ON(!s->product);
    s->product[s->n_products++] = p;
    s->n_tiles += t;
    s->n_rows += t * m;
}

/* Weight row `i` of beat `b` belongs to array row (beats-1-b) * weight_rows + i; what is beyond the
 * array falls out below, so it is noise. */
static void cut_weights(struct sequence *s, uint64_t *r, const struct product *p, uint32_t tile,
                        uint32_t k0, uint32_t n0)
{
    for (uint32_t b = 0; b < s->beats; b++)
        for (uint32_t i = 0; i < s->weight_rows; i++)
            for (uint32_t c = 0; c < s->size; c++) {
                uint32_t at = (s->beats - 1 - b) * s->weight_rows + i;
                size_t to = (((size_t)tile * s->beats + b) * s->weight_rows + i) * s->size + c;
                if (at >= s->size)
                    s->weights[to] = (int8_t)random_next(r);
                else if (k0 + at < p->k && n0 + c < p->n)
                    s->weights[to] = p->b[(size_t)(k0 + at) * p->n + n0 + c];
            }
}

static void cut_rows(struct sequence *s, const struct product *p, uint32_t row, uint32_t k0)
{
    for (uint32_t m = 0; m < p->m; m++) {
        s->last[row + m] = m == p->m - 1;
        for (uint32_t c = 0; c < s->size && k0 + c < p->k; c++)
            s->rows[(size_t)(row + m) * s->size + c] = p->a[(size_t)m * p->k + k0 + c];
    }
}

static void cut_sequence(struct sequence *s, uint64_t *r)
{
    s->n_beats = s->n_tiles * s->beats;
    s->weights = make_room((size_t)s->n_beats * s->weight_rows * s->size, 1);
    s->rows = make_room((size_t)s->n_rows * s->size, 1);
    s->last = make_room(s->n_rows, sizeof *s->last);
    s->beat_from = make_room(s->n_beats, sizeof *s->beat_from);
    s->row_from = make_room(s->n_rows, sizeof *s->row_from);
    for (uint32_t i = 0; i < s->n_products; i++) {
        const struct product *p = &s->product[i];
        uint32_t tile = p->first_tile, row = p->first_row;
        for (uint32_t n0 = 0; n0 < p->n; n0 += s->size)
            for (uint32_t k0 = 0; k0 < p->k; k0 += s->size, tile++, row += p->m) {
                cut_weights(s, r, p, tile, k0, n0);
                cut_rows(s, p, row, k0);
            }
    }
}

/* When things are offered: all at once, with gaps here and there, in bursts, or at a slow pace. */
static void draw_delay(const struct sequence *s, uint64_t *r, uint64_t *from, uint32_t n)
{
    uint32_t style = random_below(r, 4), slow = random_from(r, 1, 4);
    uint64_t t = random_below(r, 2) ? random_below(r, 3 * s->size) : 0;

    for (uint32_t i = 0; i < n; i++) {
        from[i] = t;
        if (style == 1 && random_below(r, 3) == 0)
            t += random_from(r, 1, 5);
        else if (style == 2 && random_below(r, 2 * s->size) == 0)
            t += random_from(r, 1, 6 * s->size);
        else if (style == 3)
            t += slow;
    }
}

static void draw_want(struct sequence *s, const struct dut *d, uint64_t *r)
{
    uint32_t style = random_below(r, 4), slow = random_from(r, 2, 6), still = 0;

    s->n_ready = style ? 2 * (s->n_rows + s->n_beats + 8 * s->size) : 0;
    s->ready = make_room(s->n_ready, sizeof *s->ready);
    for (uint32_t i = 0; i < s->n_ready; i++) {
        uint32_t n = d->rows_per_cycle;
        if (style == 1)
            n = random_below(r, n + 1);
        else if (style == 2 && still)
            still--, n = 0;
        else if (style == 2 && random_below(r, 2 * s->size) == 0)
            still = random_from(r, 1, 6 * s->size);
        else if (style == 3)
            n = i % slow == 0;
        s->ready[i] = (uint8_t)n;
    }
}

static struct sequence *start_sequence(const struct dut *d)
{
    struct sequence *s = make_room(1, sizeof *s);

    s->size = d->size;
    s->weight_rows = d->weight_rows_per_cycle;
    s->beats = (d->size + s->weight_rows - 1) / s->weight_rows;
    return s;
}

/* Often shallow, often deep, sometimes in between. */
static uint16_t draw_depth(uint64_t *r, uint32_t low, uint32_t most)
{
    switch (random_below(r, 4)) {
    case 0: return (uint16_t)random_from(r, low, low + 3);
    case 1: return (uint16_t)random_from(r, low, most);
    }
    return (uint16_t)most;
}

static uint32_t draw_length(uint64_t *r, uint32_t size)
{
    switch (random_below(r, 4)) {
    case 0: return random_from(r, 1, 4);
    case 1: return size;
    }
    return random_from(r, 1, 3 * size);
}

struct sequence *sequence_random(const struct dut *d, uint64_t seed)
{
    struct sequence *s = start_sequence(d);
    uint64_t r = seed;
    uint32_t products = random_from(&r, 1, 4);

    s->weight_depth = draw_depth(&r, 1, FEED_PLACES);
    s->row_depth = draw_depth(&r, 1, FEED_PLACES);
    /* one place in the result FIFO is a row per latency: rare, so as to be quick */
    s->result_depth = draw_depth(&r, random_below(&r, 8) ? s->size / 2 : 1, RESULT_PLACES);
    for (uint32_t i = 0; i < products; i++) {
        uint32_t n = random_from(&r, 1, 2 * s->size), k = random_from(&r, 1, 3 * s->size);
        add_product(s, &r, draw_length(&r, s->size), n, k);
    }
    cut_sequence(s, &r);
    draw_delay(s, &r, s->beat_from, s->n_beats);
    draw_delay(s, &r, s->row_from, s->n_rows);
    draw_want(s, d, &r);
    return s;
}

struct sequence *sequence_regular(const struct dut *d, uint32_t m, uint32_t n, uint32_t k)
{
    struct sequence *s = start_sequence(d);
    uint64_t r = 1;

    s->weight_depth = s->row_depth = FEED_PLACES;
    s->result_depth = RESULT_PLACES;
    add_product(s, &r, m, n, k);
    cut_sequence(s, &r);
    return s;
}

void sequence_free(struct sequence *s)
{
    for (uint32_t i = 0; i < s->n_products; i++) {
        free(s->product[i].a);
        free(s->product[i].b);
    }
    free(s->product);
    free(s->weights);
    free(s->rows);
    free(s->last);
    free(s->beat_from);
    free(s->row_from);
    free(s->ready);
    free(s);
}

uint32_t sequence_ready(const struct sequence *s, const struct dut *d, uint64_t cycle)
{
    return cycle < s->n_ready ? s->ready[cycle] : d->rows_per_cycle;
}

static uint64_t wrong_in(const struct sequence *s, const struct product *p, const int32_t *results)
{
    uint64_t wrong = 0;
    uint32_t across = draw_tiles(s, p->n) * s->size, deep = draw_tiles(s, p->k);

    for (uint32_t m = 0; m < p->m; m++)
        for (uint32_t n = 0; n < across; n++) {
            int32_t plain = 0, got = 0;
            for (uint32_t k = 0; n < p->n && k < p->k; k++)
                plain += p->a[(size_t)m * p->k + k] * p->b[(size_t)k * p->n + n];
            for (uint32_t t = 0; t < deep; t++) {
                size_t row = p->first_row + (size_t)(n / s->size * deep + t) * p->m + m;
                got += results[row * s->size + n % s->size];
            }
            wrong += got != plain;
        }
    return wrong;
}

uint64_t sequence_wrong(const struct sequence *s, const int32_t *results)
{
    uint64_t wrong = 0;

    for (uint32_t i = 0; i < s->n_products; i++)
        wrong += wrong_in(s, &s->product[i], results);
    return wrong;
}
