/* pipeline.h - pass: a training step cut into stages, and its batch into micro-batches.
 *
 * A trace of one core in, one trace of all stages out.  The forward operations are cut, in their
 * order, into contiguous stages so that the largest is as small as it can be; backward operations
 * go with the forward ones whose weights or activations they belong to, updates with their weight.
 * Stage s is run by cores s D to s D + D - 1, each of which trains with one core of every other
 * stage on a batch of its own.  A stage runs its part once for each of M micro-batches, forward and
 * backward, in the order of the schedule; gradients of weights are added up over them, reduced over
 * the D cores of the stage, and then used.  What another stage needs is sent there.
 *
 *      cost of an operation = FLOPs + PIPELINE_BYTE_FLOPS x bytes of its operands and results
 *
 *      gpipe   all forwards, then all backwards: M micro-batches in flight
 *      1f1b    stage s runs min(M, P - 1 - s) forwards ahead, then one forward and one backward in
 *              turn: at most P - s in flight
 *
 * Operations stand in one order in which each could be run when it is met, and a send waits for
 * nobody: so no stages ever wait for each other in a circle. */
#ifndef PASSES_SHARD_PIPELINE_H
#define PASSES_SHARD_PIPELINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* FLOPs in the time of a byte of HBM: of a core of TPU v2 to v4 65 to 230. */
#define PIPELINE_BYTE_FLOPS 100

struct step;

struct trace;

enum pipeline_schedule { PIPELINE_GPIPE, PIPELINE_1F1B };

struct pipeline_plan {
    uint64_t stages;       /* P, at least 2 */
    uint64_t microbatches; /* M, at least 1 */
    uint64_t data;         /* D, cores of a stage */
    enum pipeline_schedule schedule;
    uint64_t operations; /* the most that may run for micro-batches; 0: any number */
};

/* Pass: `to` becomes the step of all stages of `from`, all steps of a trace; its header says
 * so. Errors: those of pipeline_write() but for reading. */
int pipeline_step(struct step *to, const struct step *from, const struct pipeline_plan *plan,
                  struct err *err);

/* Write what all stages do of an open trace, as canonical text.  Time and memory grow with
 * operations x M. Errors: those of reading the trace; ERR_RANGE where there are fewer operations or
 * samples than are asked for, or what is asked for takes too many operations or too much memory;
 * ERR_FIT what cannot be cut: loops, several passes or steps, work of the host in the step, weights
 * that are used too far apart, operations that need the whole batch; each with the line. */
int pipeline_write(struct trace *t, const struct pipeline_plan *plan, FILE *out, struct err *err);

#endif
