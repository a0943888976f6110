/* stat.h - statistics, each declared once, in the table of the component that counts it.
 *
 * A component increments counters, rows C(name, "unit", "meaning").  A report shows ratios of two
 * counters, rows R(column, num, den, "meaning").  It adds up both counters over all instances and
 * over the measured time, then divides.  `column` is the key in the report,
 * "utilization.mxu_busy"; since the row names it, a report knows no component. */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include <stddef.h>
#include <stdint.h>

struct stat_desc {
    const char *name;   /* of a counter; NULL: the row is a ratio */
    const char *column; /* of a ratio; NULL: the row is a counter */
    const char *unit, *doc;
    size_t num, den; /* offsets of uint64_t counters in the struct; a counter's is num */
};

struct stat_table {
    const char *section;
    const struct stat_desc *rows;
    size_t n_rows, size; /* size in bytes of the struct, which holds uint64_t counters alone */
};

/* The counter called `name` among those that `t` describes; NULL if it has none of that name. */
const uint64_t *stat_counter(const struct stat_table *t, const void *counters, const char *name);

/* For use with a table: STAT_FIELD and STAT_NO_FIELD make the struct, the others the rows of struct
 * S. */
#define STAT_FIELD(name, unit, doc) uint64_t name;
#define STAT_NO_FIELD(column, num, den, doc)
#define STAT_COUNTER(S, name, unit, doc) { #name, NULL, unit, doc, offsetof(S, name), 0 },
#define STAT_RATIO(S, column, num, den, doc)                                                       \
    { NULL, column, "ratio", doc, offsetof(S, num), offsetof(S, den) },

#endif
