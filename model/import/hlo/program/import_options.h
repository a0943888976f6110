/* import_options.h - how a compiled program is imported, what came of it, and how much that may
 * take. */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_OPTIONS_H
#define IMPORT_HLO_PROGRAM_IMPORT_OPTIONS_H

#include "hlo/hlo_module.h"
#include "trace/trace.h"

struct import_loop {
    const char *name; /* of a while, without the % */
    uint64_t count;
};

struct import_hint {
    const char *tree; /* arguments whose name begins so: "opt_state" has opt_state['w'] */
    enum trace_role role;
};

/* All zero: what the module says of itself. */
struct import_options {
    const char *place; /* of the module in its text, for the provenance: "module 2 of 3", or NULL */
    uint64_t samples;  /* of a step of one replica; 0: as the module says, else 1 */
    const char *machine; /* "tpu-v4-8", "a100"; NULL: as the module says */
    uint32_t n_loops;    /* iterations of loops whose count depends on data */
    const struct import_loop *loop;
    uint64_t other_loops; /* those of all other such loops; 0: 1 */
    uint32_t n_hints;     /* the first that fits decides */
    const struct import_hint *hint;
    bool fused;  /* fusion_text() made it: no compiler has seen it */
    bool gpu;    /* a program that no compiler has seen is for GPUs */
    bool wide16; /* one that does not name its machine is for one that computes on 32 bits alone */
};

/* Figures of one step of one device.  Loop bodies count as often as they run, but in `flops_once`.
 */
struct import_totals {
    uint64_t flops;           /* useful: 2 a multiply-add, 1 an element of other operations */
    uint64_t flops_once;      /* the same, with each loop body counted once */
    uint64_t transcendentals; /* elements of exponentials, roots and the like */
    uint64_t bytes;           /* that kernels and copies move to and from HBM */
    uint64_t kernels, collectives, copies;
    uint64_t unmodelled_instructions, unmodelled_flops, unmodelled_bytes; /* form=custom */
    uint64_t argument_bytes;       /* in device memory, padded */
    uint64_t loops, guessed_loops; /* guessed: the text does not tell how often they run */
    uint64_t conditionals;         /* of which the branch with the most work was taken */
};

/* A module may take at most so much, so that a short text does not take a machine: calls and the
 * bodies of loops are written out where they run, and tuples taken apart.
 *
 *   memory   IMPORT_LEAST_ROOM bytes, and IMPORT_ROOM for each byte of the text, the trace included
 *   time     IMPORT_LEAST_WORK steps of some nanoseconds, and IMPORT_WORK for each byte of the text
 *   loops    IMPORT_MAX_LOOPS inside each other; 2^63 - 1 iterations in a step
 *   calls    HLO_MAX_CALLS inside each other (hlo/hlo_module.h)
 *   kernels  a million operations in one, fusions inside each other 64 deep
 *
 * Programs of XLA that we know take 0.6 to 6 bytes and less than 2 steps for each byte of text. */
#define IMPORT_LEAST_ROOM (UINT64_C(64) << 20)
#define IMPORT_ROOM 64
#define IMPORT_LEAST_WORK (UINT64_C(1) << 26)
#define IMPORT_WORK 64
#define IMPORT_MAX_LOOPS 60

#endif
