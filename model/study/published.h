/* published.h - the published figures of tests/validation, linked into the program by
 * scripts/embed. */
#ifndef STUDY_PUBLISHED_H
#define STUDY_PUBLISHED_H

#include <stddef.h>

struct table_file {
    const char *name;    /* "tpu_v4_gemm.csv" */
    const char *stem;    /* the same without .csv */
    const char *summary; /* "" */
    const char *text;    /* `size` bytes as they are in the file, and a NUL after them */
    size_t size;
};

extern const struct table_file table_files[]; /* in byte order of their names */
extern const size_t table_n_files;

/* Reading one: lines that begin with # and the one that names the columns are passed over. */
struct table_reader {
    const char *at;
    unsigned line;
};
void table_open(struct table_reader *r, const struct table_file *file);
/* The next line's fields into `field`, at most `max` of them, each cut to TABLE_FIELD - 1 bytes;
 * quotes around one that holds a comma are taken off.  Returns their number, 0 at the end. */
#define TABLE_FIELD 192
size_t table_next(struct table_reader *r, char field[][TABLE_FIELD], size_t max);

#endif
