/* kineto_import.h - a recording of PyTorch's profiler as the text of a trace.
 *
 *     JSON --kineto--> calls, work --recorded--> a step --aten--> lines of a trace
 *
 * An operation decides its kernels, and the machine that replays them how long they take.  The
 * import uses the recorded times of host threads alone. */
#ifndef IMPORT_KINETO_KINETO_IMPORT_H
#define IMPORT_KINETO_KINETO_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/trace.h"

struct kineto_import {
    uint64_t samples; /* of a step; 0: unknown */
    /* as found */
    uint64_t operations, kernels, steps;
    const char *found;              /* what told the steps apart */
    uint64_t unknown, timed;        /* operations without a row; of them costed by their time */
    uint64_t all_ns;                /* recorded time of all work */
    struct trace_recorded recorded; /* as the trace says it */
    char worst[64];                 /* the unknown one that took longest */
    char device[64];
    uint32_t rank, ranks;
    uint32_t lost; /* launches of kernels that the file does not have: their work is left out */
    uint64_t host_ns, launch_ns; /* of the host's thread, and of a median launch, recorded */
    bool shapes;
};

/* True if these bytes begin as JSON, plain or packed by gzip. */
bool kineto_import_likes(const void *data, size_t size);

/* Write the text of a trace.  Errors: those of kineto_read(); ERR_FORMAT no work of a GPU, no
 * shapes. */
int kineto_import(const char *name, const void *data, size_t size, struct kineto_import *x,
                  FILE *out, struct err *err);

#endif
