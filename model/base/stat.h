/* stat.h - each statistic is declared once, in the component that counts it.
 *
 * Components only increment counters, rows C(name, "unit", "meaning").  What a report shows is a
 * ratio of two counters, rows R(column, num, den, "meaning"): a report adds both over all
 * instances and over the measured time before it divides, and finds its column in the row, so it
 * knows no component.  `column` is the key in the report: "utilization.mxu_busy". */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include <stddef.h>
#include <stdint.h>

struct stat_desc {
    const char *name;   /* of the counter, or NULL for a ratio */
    const char *column; /* of the ratio, or NULL for a counter */
    const char *unit, *doc;
    size_t num, den; /* offsets of uint64_t counters; a counter row uses num */
};

struct stat_table {
    const char *section;
    const struct stat_desc *rows;
    size_t n_rows, size; /* size of the struct; it holds uint64_t counters and nothing else */
};

/* The counter called `name` among those that `t` describes; NULL if it has none of that name. */
const uint64_t *stat_counter(const struct stat_table *t, const void *counters, const char *name);

#define STAT_FIELD(name, unit, doc) uint64_t name;
#define STAT_NO_FIELD(column, num, den, doc)
#define STAT_COUNTER(S, name, unit, doc) { #name, NULL, unit, doc, offsetof(S, name), 0 },
#define STAT_RATIO(S, column, num, den, doc)                                                       \
    { NULL, column, "ratio", doc, offsetof(S, num), offsetof(S, den) },

#endif
