/* axis.h - one dimension of a sweep: a parameter and the values it takes.
 *
 *     mxu.count=1,2,4,8                  a list; the last unit is that of all before it
 *     hbm.bandwidth=300:900:100 GB/s     from 300 to 900 in steps of 100
 *     vmem.capacity=4:64:*2 MiB          from 4 to 64, each twice the last
 *     ici.bandwidth=10:1000:log5 GB/s    five values, evenly spread in the logarithm; lin5: evenly
 *     core.clock=500:2000 MHz            a range for samples; with :log, even in the logarithm
 *
 * Ranges include both ends; pieces can be joined by commas; a value that comes again is left out.
 */
#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H

#include <stddef.h>

#include "sweep/key.h"

#define AXIS_MAX_VALUES 10000 /* of an axis */

struct axis {
    char *name;
    struct key key;
    char **value; /* as text, in order */
    size_t n;
    bool open, log; /* open: a range without steps from low to high, no values */
    mpq_t low, high;
};

/* Read "name=values".  Errors: ERR_FORMAT, ERR_UNIT, ERR_UNKNOWN, ERR_RANGE for an empty range or
 * more than AXIS_MAX_VALUES; that a value is allowed is not checked. */
int axis_parse(struct axis *a, const char *text, const struct gen_workload *w, struct err *err);
/* An axis of words that are taken as they are: machines, traces. */
void axis_words(struct axis *a, const char *name, const char *const *word, size_t n);
void axis_free(struct axis *a);

/* Write the value at place u / 2^32 of the axis: of a list the u-th part, of a range the number,
 * rounded to six digits.  `buf` must hold the longest value and KEY_TEXT bytes. */
void axis_at(const struct axis *a, uint32_t u, char *buf, size_t size);

#endif
