/* The C side of the comparison: model/hw/core/systolic.h with FIFOs in front, one step per beat,
 * row and fetched result. */
#include <stdlib.h>

#include "base/err.h"
#include "events.h"
#include "hw/core/systolic.h"

/* A FIFO in front of the array: how many items a cycle it lets in, and how many it holds. */
struct front {
    struct flow_lanes lanes;
    struct flow_places places;
};

struct expect {
    const struct dut *dut;
    const struct sequence *seq;
    struct events *e;
    struct systolic array;
    struct front weights, rows;
    uint32_t beat, row, fetched; /* done so far */
    uint32_t tile;               /* of the next row */
    struct flow_lanes door;      /* results fetched in the cycle of the last one */
};

static uint64_t *zeroed_memory(uint32_t depth)
{
    uint64_t *m = calloc(depth, sizeof *m);

    BUG_ON(!m);
    return m;
}

static void front_init(struct front *f, uint32_t width, uint32_t depth)
{
    flow_lanes_init(&f->lanes, width);
    flow_places_init(&f->places, depth, zeroed_memory(depth));
}

static uint64_t front_push(struct front *f, uint64_t from)
{
    uint64_t place = flow_places_from(&f->places);
    uint64_t at = flow_lanes_pass(&f->lanes, from > place ? from : place);

    flow_places_put(&f->places);
    return at;
}

static void step_beat(struct expect *x)
{
    uint64_t pushed = front_push(&x->weights, x->seq->beat_from[x->beat]);
    bool late = pushed > x->array.load_from;
    uint64_t taken = systolic_load(&x->array, pushed);

    x->e->late_beats += late;
    flow_places_back(&x->weights.places, taken);
    x->e->beat_pushed[x->beat] = pushed;
    x->e->beat_taken[x->beat] = taken;
    if (x->array.beat == 0)
        x->e->tile_loaded[x->array.loaded - 1] = taken;
    x->beat++;
}

static void step_row(struct expect *x)
{
    bool last = x->seq->last[x->row];
    uint64_t pushed = front_push(&x->rows, x->seq->row_from[x->row]);
    uint64_t weights = x->array.streaming ? 0 : x->array.row_from;
    uint64_t before = x->array.rows.cycle, place = flow_places_from(&x->array.results);
    uint64_t taken = systolic_take(&x->array, pushed, last);
    uint64_t left = taken + array_latency(&x->array.par);

    x->e->late_rows += taken == pushed && pushed > weights && pushed > before && pushed > place;
    x->e->no_room += taken > pushed && taken > weights && taken > before + 1;
    flow_places_back(&x->rows.places, taken);
    x->e->row_pushed[x->row] = pushed;
    x->e->row_taken[x->row] = taken;
    x->e->row_left[x->row] = left;
    if (last)
        x->e->tile_done[x->tile++] = left;
    x->row++;
}

static void step_fetch(struct expect *x)
{
    uint64_t at = x->e->row_left[x->fetched];

    /* the consumer decides how many it wants each cycle */
    if (at < x->door.cycle)
        at = x->door.cycle;
    for (;; at++) {
        uint32_t gone = at == x->door.cycle ? x->door.used : 0;
        if (gone < sequence_ready(x->seq, x->dut, at))
            break;
    }
    if (at > x->door.cycle)
        x->door.used = 0;
    x->door.cycle = at;
    x->door.used++;
    systolic_fetch(&x->array, at);
    x->e->row_fetched[x->fetched++] = at;
    x->e->cycles = at + 1;
}

struct events *events_expect(const struct dut *d, const struct sequence *s)
{
    struct expect x = { .dut = d, .seq = s, .e = events_new(s) };
    struct array par = { d->size,
                         d->rows_per_cycle,
                         d->weight_rows_per_cycle,
                         s->result_depth,
                         (enum array_load)d->load,
                         0,
                         0,
                         0 };

    systolic_init(&x.array, &par, zeroed_memory(s->result_depth));
    front_init(&x.weights, 1, s->weight_depth);
    front_init(&x.rows, d->rows_per_cycle, s->row_depth);
    while (x.fetched < s->n_rows) {
        bool beat = x.beat < s->n_beats && systolic_can_load(&x.array);
        bool row = x.row < s->n_rows && systolic_can_take(&x.array);
        bool fetch = x.fetched < x.row;
        BUG_ON(!beat && !row && !fetch);
        if (beat)
            step_beat(&x);
        if (row)
            step_row(&x);
        if (fetch)
            step_fetch(&x);
    }
    free(x.array.results.freed);
    free(x.weights.places.freed);
    free(x.rows.places.freed);
    return x.e;
}
