/* chakra_import.h - a Chakra execution trace as the text of a trace. */
#ifndef IMPORT_CHAKRA_CHAKRA_IMPORT_H
#define IMPORT_CHAKRA_CHAKRA_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct chakra_import {
    /* what is wanted */
    uint64_t samples;   /* of a step; 0: unknown, or what cyclotron wrote into the file */
    uint64_t ranks;     /* how many there are; 0: as the file says */
    bool allow_unknown; /* write what has no kind of operation as an unknown one */
    /* what was read */
    char version[24];
    bool own;           /* cyclotron wrote it */
    uint64_t nodes;     /* all of them */
    uint64_t skipped;   /* without an operation: of the host, metadata */
    uint64_t dangling;  /* dependencies on nodes that are not there */
    uint64_t uncovered; /* operations of which nothing but FLOPs and bytes is known */
    uint64_t measured;  /* ... not even those, but the time that it took */
    uint64_t empty;     /* ... and no time either */
};

/* True if it begins as a Chakra trace does: with a GlobalMetadata and, if there is more, a Node.
 * The beginning of a file is enough. */
bool chakra_import_likes(const void *data, size_t size);

/* Write the text of a trace with one step.  A file that cyclotron wrote comes back as it was.  Of
 * another one, a node becomes an operation, in an order that its dependencies allow
 * (docs/reference/trace-format.md, "Other formats").  `name` is for messages.
 * Errors: those of chakra_graph_read(); ERR_RANGE for numbers that are none, or where ranks have to
 * be known; ERR_UNKNOWN for nodes without a kind of operation. */
int chakra_import(const char *name, const void *data, size_t size, struct chakra_import *x,
                  FILE *out, struct err *err);

#endif
