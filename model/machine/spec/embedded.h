/* embedded.h - the machine files of model/machines, linked into the program by scripts/embed. */
#ifndef MACHINE_SPEC_EMBEDDED_H
#define MACHINE_SPEC_EMBEDDED_H

#include <stddef.h>

struct machine_file {
    const char *name;    /* file name without its folder: "tpu-v3.ini" */
    const char *stem;    /* the same without .ini: "tpu-v3" */
    const char *summary; /* its `summary =` line, or "" */
    const char *text;    /* `size` bytes as they are in the file, and a NUL after them */
    size_t size;
};

extern const struct machine_file machine_files[]; /* in byte order of their names */
extern const size_t machine_n_files;              /* of them */

/* The file called `name`, with or without ".ini" and "tpu-", in letters of either case; or NULL. */
const struct machine_file *embedded_find(const char *name);

#endif
