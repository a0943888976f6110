/* columns.h - the columns of a table of rows: runs, time, share, bound by, FLOPs, HBM, MXU, 60
 * columns wide, and 10 more with the estimates of a compiler. */
#ifndef REPORT_TEXT_COLUMNS_H
#define REPORT_TEXT_COLUMNS_H

#include <stdio.h>

#include "report/text/scale.h"
#include "run/result/result.h"

#define COLUMNS_ESTIMATE 10 /* columns that the estimates take */

/* The units of the columns, from the largest number of each. */
struct columns {
    struct scale time, flops, bytes;
    mpq_t all;          /* 100 %, the step */
    const char *memory; /* "HBM" */
    const char *key;    /* of FLOPs over the peak of the core */
    bool estimates;
};

/* For these rows of a step of `step` seconds, whose bytes pass that memory. */
void columns_init(struct columns *c, const struct run_row *rows, size_t n, const mpq_t step,
                  const char *memory);
void columns_clear(struct columns *c);
void columns_head(const struct columns *c, FILE *out);
void columns_row(const struct columns *c, const struct run_row *row, FILE *out);

#endif
