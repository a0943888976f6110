/* passes.h - every pass over a step, in the order in which they are called.
 *
 *     cyclotron trace shard    load, shard or pipeline                     -> text
 *     cyclotron trace remat    load, remat                                 -> text
 *     cyclotron replay, op     load, join, narrow, placement,
 *                              liveness, footprint                         -> tasks (kernels/)
 *
 * A pass changes a step in place (join, narrow, placement), makes another step of it (shard,
 * pipeline, remat), or says something of it (liveness, footprint).  Each keeps what step_verify()
 * checks.
 * --dump=PASS of these commands prints the step after it: of load, shard, pipeline and remat a
 * trace to be read again, of the others for people, with dtypes as they are stored; what a pass
 * says follows as comments.
 *
 * Operations that a pass adds know their operands, names and groups, not their bytes and FLOPs,
 * which the reader computes: such a step is printed and read again before it is lowered. */
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include "passes/footprint.h"
#include "passes/placement.h"
#include "passes/remat.h"
#include "passes/shard/shard.h"
#include "step/step.h"

/* clang-format off */
/*    enum       name         called by      the step after it */
#define PASSES(P)                                                                                  \
    P(LOAD,      "load",      PASSES_SHARD | PASSES_REMAT | PASSES_PREPARE, "as the trace has it")        \
    P(SHARD,     "shard",     PASSES_SHARD,   "what one of the cores that share a step does of it")       \
    P(PIPELINE,  "pipeline",  PASSES_SHARD,   "of all stages, for each micro-batch")                      \
    P(REMAT,     "remat",     PASSES_REMAT,   "with activations computed again instead of kept")        \
    P(JOIN,      "join",      PASSES_PREPARE, "with arrays side by side put together where products read them") \
    P(NARROW,    "narrow", PASSES_PREPARE, "with activations that products round kept rounded")        \
    P(PLACEMENT, "placement", PASSES_PREPARE, "with the values that stay on chip between kernels")       \
    P(LIVENESS,  "liveness", PASSES_PREPARE, "and the nodes at which each value is in memory")           \
    P(FOOTPRINT, "footprint", PASSES_PREPARE, "and the bytes of HBM that it takes at its peak, by role")
/* clang-format on */

/* The callers of a pass; bits. */
enum passes_caller { PASSES_SHARD = 1, PASSES_REMAT = 2, PASSES_PREPARE = 4 };

/* The machine, as passes before lowering see it. */
struct passes_machine {
    bool join;   /* ... puts operands of products together in their kernels */
    bool narrow; /* its compiler keeps matmul-only activations in the dtype of products */
    struct placement_room room; /* for values between kernels */
    struct footprint_core core;
};

#define P(id, name, callers, doc) +1
enum { PASSES_MAX = 0 PASSES(P) }; /* names below */
#undef P

/* The names of the passes of a caller, for messages: returns how many. */
unsigned passes_names(enum passes_caller caller, const char *names[PASSES_MAX]);

/* All that is done to a step between reading and lowering it. */
void passes_prepare(struct step *step, const struct passes_machine *machine);

/* Print the steps of a trace after a pass: of those before lowering; of a cut.  `pass` is one of
 * passes_names().  Errors: those of reading and of the passes; ERR_RANGE where the plan does not
 * run that pass. */
int passes_dump_prepare(struct trace *t, const struct passes_machine *machine, const char *pass,
                        FILE *out, struct err *err);
int passes_dump_shard(struct trace *t, const struct shard_plan *plan, const char *pass, FILE *out,
                      struct err *err);
int passes_dump_remat(struct trace *t, const struct remat_plan *plan, const char *pass, FILE *out,
                      struct err *err);

#endif
