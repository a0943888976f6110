/* import_reader.h - files of other tools that are read as traces: one row for each format.
 *
 *     bytes --reader--> text of a trace --trace_open_memory()--> trace
 *
 * A reader writes text and checks what its format says; whoever reads the text checks the rest.  A
 * new format is a row of import_readers.c. */
#ifndef IMPORT_IMPORT_READER_H
#define IMPORT_IMPORT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* A file, and what its reader is asked to do. */
struct import_request {
    const char *name; /* for messages and for the name of the workload */
    const void *data;
    size_t size;
    uint64_t samples;   /* of a step; 0: as the file says, or 1 */
    uint64_t ranks;     /* that run it; 0: as the file says */
    const char *module; /* its name or number from 1 in a text of several; NULL: the first */
    bool allow_unknown; /* write what has no kind of operation as an unknown one */
    bool gpu;           /* for a machine with GPUs, where no compiler has decided it */
    bool wide16; /* for a TPU that computes on 32 bits alone, unless the file names another */
};

/* A file as its reader found it. */
struct import_result {
    char format[80];    /* "Chakra execution trace 0.0.4 of 12 nodes" */
    uint64_t uncovered; /* operations that are costed by FLOPs and bytes alone */
    char notes[640];    /* what was left out or assumed, in sentences; empty: nothing */
};

struct import_reader {
    const char *name; /* of the format, for messages */
    bool (*likes)(const void *data, size_t size);
    bool modules; /* a file may hold several, of which the request names one */
    /* Write the text of a trace.  `result` is zero before.  Errors: as "FILE:line:column: what" or
     * "FILE: byte 12: what". */
    int (*read)(const struct import_request *q, struct import_result *result, FILE *out,
                struct err *err);
};

/* The format of these bytes by how they begin, or NULL. */
const struct import_reader *import_reader_of(const void *data, size_t size);

/* "HLO text, a Chakra execution trace or a SCALE-Sim topology": what can be read. */
void import_reader_names(char *buf, size_t size);

#endif
