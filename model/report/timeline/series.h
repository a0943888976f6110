/* series.h - what a probe showed, added up over equal bins of time, one bin after the other. */
#ifndef REPORT_TIMELINE_SERIES_H
#define REPORT_TIMELINE_SERIES_H

#include "des/des.h"

enum series_kind {
    SERIES_BUSY,  /* femtoseconds of the bin in which the value was not 0 */
    SERIES_TOTAL, /* by how much the value grew in the bin */
    SERIES_LEVEL, /* the largest value of the bin */
};

/* A bin is over: its number from 0, its sum, and how much of it there was (less at the end). */
typedef void series_emit(void *self, uint64_t bin, uint64_t sum, des_time width);

struct series {
    enum series_kind kind;
    des_time zero, width;
    uint64_t value;
    des_time since; /* all before is in `sum` or emitted */
    uint64_t bin, sum;
    series_emit *emit;
    void *self;
};

/* From `zero` on the value is `value`. */
void series_begin(struct series *s, enum series_kind kind, des_time zero, des_time width,
                  uint64_t value, series_emit *emit, void *self);
/* At `now` it becomes `value`. */
void series_change(struct series *s, des_time now, uint64_t value);
/* The last bin ends at `now`. */
void series_end(struct series *s, des_time now);

#endif
