/* inventory.h - what a trace holds, by phase: the figures of `cyclotron trace info`. */
#ifndef TRACE_INVENTORY_H
#define TRACE_INVENTORY_H

#include <stdint.h>

#include "trace/trace.h"

struct inventory_phase {
    char *name;         /* "": operations before the first phase */
    uint64_t ops;       /* executed, members of fusions counted */
    mpz_t flops, bytes; /* bytes: logical reads and writes; payloads of collectives and feeds */
};

/* Sums over one pass through all steps, `repeat` multiplied out. */
struct inventory {
    struct trace_totals totals;
    struct inventory_phase *phases; /* those with operations, in the order they first appear */
    size_t n_phases;
    uint64_t checksum; /* XXH64 of the text */
};

/* Read the whole trace, from its start.  O(lines * log phases).  Errors: all of the reader. */
int inventory_read(struct inventory *v, struct trace *t, struct err *err);
void inventory_free(struct inventory *v);

#endif
