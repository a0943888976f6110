/* rest.h - rows that a table leaves out because their share prints as 0.0 %: their names, in one
 * line at its end, so that a reader sees that nothing else is missing. */
#ifndef REPORT_TEXT_REST_H
#define REPORT_TEXT_REST_H

#include <stdio.h> /* before gmp.h, which declares what takes a FILE only then */

#include <gmp.h>
#include <stdbool.h>

/* Zeroed: there is no such row yet. */
struct rest {
    unsigned width; /* columns of its line so far */
};

/* True if `share` of a whole of 1 is such a row's: less than 0.05 %. */
bool rest_has(const mpq_t share);

/* Write the name of a row, and "below 0.05 %: " before the first. */
void rest_add(struct rest *rest, const char *name, FILE *out);

/* End the line, if there is one. */
void rest_end(const struct rest *rest, FILE *out);

#endif
