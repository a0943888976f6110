/* The RTL side of the comparison: drives the pins, watches them, writes down the cycles. */
#include <string.h>

#include "events.h"

struct counts {
    uint32_t beats_pushed, beats_taken, tiles_loaded;
    uint32_t rows_pushed, rows_taken, rows_left, tiles_done, rows_fetched;
};

static uint32_t mask_lanes(uint32_t n)
{
    return (1u << n) - 1;
}

static void offer_input(const struct dut *d, const struct sequence *s, const struct counts *n,
                        uint64_t cycle, struct dut_in *in)
{
    in->w_valid = n->beats_pushed < s->n_beats && s->beat_from[n->beats_pushed] <= cycle;
    if (in->w_valid)
        in->w = s->weights + (size_t)n->beats_pushed * s->weight_rows * s->size;
    in->a_valid = in->a_last = 0;
    for (uint32_t l = 0, i; l < d->rows_per_cycle; l++) {
        i = n->rows_pushed + l;
        if (i >= s->n_rows || s->row_from[i] > cycle)
            break;
        in->a_valid |= 1u << l;
        in->a_last |= (uint32_t)s->last[i] << l;
        in->a[l] = s->rows + (size_t)i * s->size;
    }
    in->c_ready = mask_lanes(sequence_ready(s, d, cycle));
}

/* Write down `cycle` for each lane set in `mask`; false if there are more than `limit` in all. */
static bool note_end(uint64_t *at, uint32_t *n, uint32_t limit, uint32_t mask, uint64_t cycle)
{
    for (; mask; mask &= mask - 1) {
        if (*n == limit)
            return false;
        at[(*n)++] = cycle;
    }
    return true;
}

static const char *watch_output(const struct sequence *s, struct counts *n, uint64_t cycle,
                                const struct dut_in *in, const struct dut_out *out,
                                struct events *e)
{
    uint32_t fetched = out->c_valid & in->c_ready;

    if (out->overrun)
        return "a result found no place in the result FIFO";
    for (uint32_t l = 0; fetched >> l & 1; l++) {
        uint32_t i = n->rows_fetched + l;
        if (i >= s->n_rows || (out->c_last >> l & 1) != s->last[i])
            return "results and tiles do not match";
        memcpy(e->results + (size_t)i * s->size, out->c[l], s->size * sizeof *e->results);
    }
    if (!note_end(e->beat_pushed, &n->beats_pushed, s->n_beats, in->w_valid && out->w_ready,
                  cycle) ||
        !note_end(e->beat_taken, &n->beats_taken, s->n_beats, out->load, cycle) ||
        !note_end(e->tile_loaded, &n->tiles_loaded, s->n_tiles, out->loaded, cycle) ||
        !note_end(e->row_pushed, &n->rows_pushed, s->n_rows, in->a_valid & out->a_ready, cycle) ||
        !note_end(e->row_taken, &n->rows_taken, s->n_rows, out->taken, cycle) ||
        !note_end(e->row_left, &n->rows_left, s->n_rows, out->left, cycle) ||
        !note_end(e->tile_done, &n->tiles_done, s->n_tiles, out->left & out->left_last, cycle) ||
        !note_end(e->row_fetched, &n->rows_fetched, s->n_rows, fetched, cycle))
        return "more comes out than went in";
    return NULL;
}

struct events *events_simulate(const struct dut *d, void *array, const struct sequence *s,
                               uint64_t limit, const char **why)
{
    struct events *e = events_new(s);
    struct counts n = { 0 };
    struct dut_in in = { .weight_depth = s->weight_depth,
                         .row_depth = s->row_depth,
                         .result_depth = s->result_depth,
                         .reset = true };
    struct dut_out out;

    d->settle(array, &in, &out);
    d->edge(array);
    in.reset = false;
    *why = NULL;
    while (n.rows_fetched < s->n_rows && !*why) {
        if (e->cycles == limit) {
            *why = "not done when the model is";
            break;
        }
        offer_input(d, s, &n, e->cycles, &in);
        d->settle(array, &in, &out);
        *why = watch_output(s, &n, e->cycles, &in, &out, e);
        d->edge(array);
        e->cycles++;
    }
    if (!*why)
        return e;
    events_free(e);
    return NULL;
}
