/* series.h - the values of a probe added up over equal bins of time, one bin after the other. */
#ifndef REPORT_TIMELINE_SERIES_H
#define REPORT_TIMELINE_SERIES_H

#include "des/des.h"

enum series_kind {
    SERIES_BUSY,  /* femtoseconds of the bin in which the value was not 0 */
    SERIES_TOTAL, /* by how much the value grew in the bin, or what of ramps moved in it */
    SERIES_LEVEL, /* the largest value of the bin */
};

/* Called when a bin is over, with its number from 0, its sum, and its width, which is less for the
 * last one. */
typedef void series_emit(void *self, uint64_t bin, uint64_t sum, des_time width);

struct series {
    enum series_kind kind;
    des_time zero, width;
    uint64_t value;
    des_time since; /* all before is in `sum` or emitted */
    uint64_t bin, sum;
    struct des_ramp ramp; /* the last one, which is added when the next one is known */
    series_emit *emit;
    void *self;
};

/* Begin at time `zero` with `value`. */
void series_begin(struct series *s, enum series_kind kind, des_time zero, des_time width,
                  uint64_t value, series_emit *emit, void *self);
/* The probe changes to `value` at `now`, which is not before the last change.  O(bins that ended).
 */
void series_change(struct series *s, des_time now, uint64_t value);
/* An amount moves (des_show_ramp), which is spread over the bins in which it does: by each border
 * of bins its part is rounded down to a whole, so a bin is off by less than one, and their sum by
 * nothing.  What moves before the begin or after the end is left out.  A series has either ramps or
 * changes.  O(bins that ended). */
void series_ramp(struct series *s, const struct des_ramp *ramp);
/* End the last bin at `now`. */
void series_end(struct series *s, des_time now);

#endif
