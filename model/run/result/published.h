/* published.h - tables of published figures: the CSV files of model/measured, linked into the
 * program by scripts/embed, and a reader of their lines. */
#ifndef RUN_RESULT_PUBLISHED_H
#define RUN_RESULT_PUBLISHED_H

#include <stddef.h>

#include "base/err.h"

struct published_file {
    const char *name;    /* "tpu_v4_gemm.csv" */
    const char *stem;    /* "tpu_v4_gemm" */
    const char *summary; /* always ""; scripts/embed fills it in for machines */
    const char *text;    /* `size` bytes as they are in the file, and a NUL after them */
    size_t size;
};

extern const struct published_file published_files[]; /* in byte order of their names */
extern const size_t published_n_files;                /* of them */

/* The table with that stem, or NULL. */
const struct published_file *published_find(const char *stem);

/* A reader skips lines that begin with # and the line that names the columns. */
struct published_reader {
    const struct published_file *file;
    const char *at;
    unsigned line; /* the next one, from 1 */
};
void published_open(struct published_reader *r, const struct published_file *file);
/* Read the fields of the next line into `field`: at most `max`, each cut to PUBLISHED_FIELD - 1
 * bytes, without the quotes around a field that holds a comma.  Returns their number, 0 at the end.
 */
#define PUBLISHED_FIELD 192
size_t published_next(struct published_reader *r, char field[][PUBLISHED_FIELD], size_t max);
/* Say that the line read last is no row of its table: ERR_FORMAT, -1. */
int published_refuse(const struct published_reader *r, struct err *err);

#endif
