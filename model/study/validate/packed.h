/* packed.h - compiled programs and recorded steps that are linked into the program:
 * model/measured/NAME.hlo.zst, NAME.trace.zst.
 *
 * A file is one zstd frame of HLO modules or traces, each behind a line "// NAME"
 * (scripts/compile-kernels, scripts/pack-recorded), as "// matmul,82,959,12". */
#ifndef STUDY_VALIDATE_PACKED_H
#define STUDY_VALIDATE_PACKED_H

#include <stddef.h>

#include "base/err.h"

struct packed_file {
    const char *name;    /* "kernels_tpu_v4.hlo.zst" */
    const char *stem;    /* "kernels_tpu_v4" */
    const char *summary; /* always ""; scripts/embed fills it in for machines */
    const char *text;    /* `size` bytes, compressed */
    size_t size;
};

extern const struct packed_file packed_files[]; /* in byte order of their names */
extern const size_t packed_n_files;             /* of them */

struct packed_module {
    const char *name; /* "matmul,82,959,12" */
    const char *text; /* `size` bytes, from "HloModule" on, without a NUL after them */
    size_t size;
};

/* An unpacked file. */
struct packed {
    char *text;
    struct packed_module *module; /* sorted by name */
    size_t n;
};

/* Unpack the file `stem`.  Errors: ERR_UNKNOWN there is none; ERR_FORMAT it is damaged, has no
 * module, or one twice.  O(bytes + n log n). */
int packed_open(struct packed *p, const char *stem, struct err *err);
/* packed_open of a file in memory, to which messages refer as file->name. */
int packed_read(struct packed *p, const struct packed_file *file, struct err *err);
void packed_close(struct packed *p);

/* The module called `name`, or NULL.  O(log n). */
const struct packed_module *packed_find(const struct packed *p, const char *name);

#endif
