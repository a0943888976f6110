/* events.h - what happened in which cycle, as the RTL did it or as the C model says. */
#ifndef TESTS_RTL_EVENTS_H
#define TESTS_RTL_EVENTS_H

#include "sequence.h"

#define EVENTS(E)                                                                                  \
    E(beat_pushed, n_beats, "beat pushed into the weight FIFO")                                    \
    E(beat_taken, n_beats, "beat taken by the array")                                              \
    E(tile_loaded, n_tiles, "tile loaded")                                                         \
    E(row_pushed, n_rows, "row pushed into the row FIFO")                                          \
    E(row_taken, n_rows, "row taken by the array")                                                 \
    E(row_left, n_rows, "result leaves the array")                                                 \
    E(tile_done, n_tiles, "last result of a tile leaves the array")                                \
    E(row_fetched, n_rows, "result fetched")

struct events {
#define E(name, count, text) uint64_t *name;
    EVENTS(E)
#undef E
    int32_t *results; /* [n_rows][size]; RTL only */
    uint64_t cycles;  /* from reset to the last fetch */
    /* model only: beats and rows that the array waited for, rows that waited for room */
    uint64_t late_beats, late_rows, no_room;
};

struct events *events_new(const struct sequence *s);
void events_free(struct events *e);

/* The C model's answer. */
struct events *events_expect(const struct dut *d, const struct sequence *s);

/* The RTL's, simulated on `array` (of d->up) from reset for at most `limit` cycles.  NULL if it has
 * not finished by then, or did something impossible: *why says what. */
struct events *events_simulate(const struct dut *d, void *array, const struct sequence *s,
                               uint64_t limit, const char **why);

/* Events that differ; with `complain`, the first few on stderr.  *compared counts them all. */
uint64_t events_differ(const struct sequence *s, const struct events *rtl,
                       const struct events *model, bool complain, uint64_t *compared);

#endif
