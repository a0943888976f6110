/* published.h - the published figures of tests/validation, linked into the program by
 * scripts/embed. */
#ifndef STUDY_PUBLISHED_H
#define STUDY_PUBLISHED_H

#include <stddef.h>

struct published_file {
    const char *name;    /* "tpu_v4_gemm.csv" */
    const char *stem;    /* the same without .csv */
    const char *summary; /* "" */
    const char *text;    /* `size` bytes as they are in the file, and a NUL after them */
    size_t size;
};

extern const struct published_file published_files[]; /* in byte order of their names */
extern const size_t published_n_files;

/* Reading one: lines that begin with # and the one that names the columns are passed over. */
struct published_reader {
    const char *at;
    unsigned line;
};
void published_open(struct published_reader *r, const struct published_file *file);
/* The next line's fields into `field`, at most `max` of them, each cut to PUBLISHED_FIELD - 1
 * bytes; quotes around one that holds a comma are taken off.  Returns their number, 0 at the end.
 */
#define PUBLISHED_FIELD 192
size_t published_next(struct published_reader *r, char field[][PUBLISHED_FIELD], size_t max);

#endif
