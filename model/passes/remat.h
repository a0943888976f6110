/* remat.h - pass: rematerialisation.  Fewer activations are kept between the forward pass and its
 * gradients, and the others are computed again.
 *
 * The forward pass consists of the kernels that no gradient reaches.  It is cut into segments.  A
 * value of it that gradients read is kept where
 *
 *   - a later segment reads it, or anything else that is no gradient's kernel;
 *   - a matrix product makes it, or a kernel out of one, if such are to be kept;
 *   - it cannot be computed again: a collective or a host makes or changes it, or what it was
 *     made of is written over before it is needed;
 *
 * and given up otherwise.  Before the first gradient that reads it, it is computed again from
 * what is kept; what its segment needs for that is worked out once.  Random numbers are drawn again
 * and are the same, since their generators count. */
#ifndef PASSES_REMAT_H
#define PASSES_REMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define REMAT_MAX_SEGMENTS 4096 /* of a forward pass */
#define REMAT_PHASE "remat"     /* of what is computed again */

struct step;

struct trace;

enum remat_cut {
    REMAT_BEST,   /* of all ways the one whose peak is least */
    REMAT_PHASES, /* a segment is a phase */
    REMAT_PARTS,  /* `segments` of them, with about as many bytes given up in each */
};

/* Bytes of a core that a trace takes on a machine.  Errors: those of lowering it there. */
typedef int remat_count_fn(void *self, const char *text, size_t size, uint64_t *bytes,
                           struct err *err);

struct remat_plan {
    enum remat_cut cut;
    uint32_t segments;
    bool products; /* keep what matrix products make */
    bool choose;   /* neither of the two was said */
    uint64_t fit;  /* BEST: bytes; the way with the fewest FLOPs whose peak is no more; 0: none */
    remat_count_fn *count; /* of BEST; NULL: tensors alone, as a TPU keeps them */
    void *self;
};

/* Read segments=, keep= and fit=.  Errors: ERR_UNKNOWN a key; ERR_RANGE, ERR_FORMAT, ERR_UNIT. */
int remat_plan_read(struct remat_plan *plan, const char *const *word, size_t n, struct err *err);

/* Pass: `to` becomes `from`, one step of a trace, cut one way, not BEST; its provenance says
 * so.  `*some`: something is given up.  Errors: ERR_FIT a step that was rematerialised already. */
int remat_step(struct step *to, const struct step *from, const struct remat_plan *plan, bool *some,
               struct err *err);

/* Write an open trace as canonical text.  Memory grows with the longest step; BEST works out up to
 * eighty ways.  Errors: those of reading; ERR_FIT a trace without activations that gradients read,
 * one that was rematerialised already, a `fit` that no way reaches. */
int remat_write(struct trace *t, const struct remat_plan *plan, FILE *out, struct err *err);

#endif
