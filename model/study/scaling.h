/* scaling.h - one trace on machines of several sizes, and why N times the cores are not N times as
 * fast.
 *
 * A core keeps its batch, so a step ideally takes the same time on every size (weak scaling),
 * unless the trace divides a batch over its cores; such a trace is derived again for each size
 * (traces/resize.h), and a step ideally takes as much less time as a core has fewer samples.
 * The time of a step is divided into parts:
 *
 *     compute      the units, caches and memory
 *     launch       the fixed costs of operations and launches
 *     latency      of collectives: the hops of their schedules, as far as cores wait for them
 *     bandwidth    of collectives: the rest of the waits for them, including the chip's HBM
 *     input        over PCIe and from storage
 *     host         input that is not ready, the client, calls, what the host runs, compiling
 *     imbalance    waits for other cores and for other stages of a pipeline
 *
 * The loss of efficiency against the first size is the sum of how much each part grew.  Where the
 * cores divide a batch, compute that shrinks less than the samples of a core is the loss `batch`;
 * so is what a global batch has beyond the samples of the data set. */
#ifndef STUDY_SCALING_H
#define STUDY_SCALING_H

#include "run/result/result.h"

enum scaling_part {
    SCALING_COMPUTE,
    SCALING_LAUNCH,
    SCALING_NET_LATENCY,
    SCALING_NET_BANDWIDTH,
    SCALING_INPUT,
    SCALING_HOST,
    SCALING_IMBALANCE,
    SCALING_BATCH, /* of losses alone */
    SCALING_N_PARTS
};

#define SCALING_MAX_SIZES 16 /* of one --scale */

struct scaling_size {
    uint64_t size; /* as counted in names of machines: 128 of tpu-v3-128 */
    char *machine; /* a built-in one of that size, or the given one with its mesh changed */
    struct run_result result;
    mpq_t samples;               /* of a step and a core */
    mpq_t part[SCALING_N_PARTS]; /* seconds; they add up to those of the step */
    mpq_t speedup;               /* samples a second over those of the first size */
    mpq_t efficiency;            /* speed-up over the ratio of the cores */
    mpq_t loss[SCALING_N_PARTS]; /* of efficiency; they add up to 1 - efficiency */
};

/* Replay q->trace on machines of these sizes, counted as the number at the end of the machine's
 * name counts: beside tpu-v3-8, 128 is tpu-v3-128, beside v100x4, 16 is v100x16.  If no machine has
 * that name, it is, of TPUs, q's machine with the most square mesh (or cube) of that many chips,
 * and collectives on the algorithm for a torus; of GPUs and CPUs part of q's box, or several of
 * them. With `by_slices` a size beyond q's machine is several slices or boxes of it, joined by the
 * data-centre network.  Nodes of CPUs count as 1.  `out` has room for n; free it with
 * scaling_free.  Errors: those of run_replay; ERR_FIT when a size is no number of whole chips,
 * hosts, boxes or slices. */
int scaling_run(const struct run_request *q, const uint64_t *size, size_t n, bool by_slices,
                struct scaling_size *out, struct err *err);
void scaling_free(struct scaling_size *s, size_t n);

#endif
