/* scaling.h - one trace on slices of several sizes, and why more cores are not as many times
 * faster.
 *
 * Each core keeps its batch, so ideal is the same time for a step.  What a step takes is parted in
 *     compute      the units, HBM, the fixed costs of operations
 *     latency      of collectives: that of all hops of their schedules, as far as cores wait for
 * them bandwidth    of collectives: the rest of the waits for them, HBM of the chips included host
 * input, output, calls, storage, compiling imbalance    waits for other cores and the loss of
 * efficiency against the first size is the sum of how much each part grew. */
#ifndef STUDY_SCALING_H
#define STUDY_SCALING_H

#include "run/result.h"

enum run_part {
    RUN_COMPUTE,
    RUN_NET_LATENCY,
    RUN_NET_BANDWIDTH,
    RUN_HOST,
    RUN_IMBALANCE,
    RUN_N_PARTS
};

#define RUN_MAX_SIZES 16

struct run_size {
    uint64_t size; /* as in the name of the machine */
    char *machine; /* built-in, or the one given with other sizes */
    uint32_t cores, chips, slices;
    mpq_t seconds, samples_per_second;
    mpq_t part[RUN_N_PARTS]; /* seconds; they add up to `seconds` */
    mpq_t speedup;           /* samples a second over those of the first size */
    mpq_t efficiency;        /* seconds of the first size over these */
    mpq_t loss[RUN_N_PARTS]; /* of efficiency; they add up to 1 - efficiency */
};

/* Replay q->trace on slices of q->machine of these sizes, which count as the number at the end of
 * its name does: tpu-v3-128 for 128 beside tpu-v3-8.  A size without a machine of its own is q's
 * with as square a mesh, or cube, of as many chips, and collectives as the rule chooses; with
 * `by_slices` one larger than q's is as many slices of it.
 * Errors: those of run_replay(); ERR_FIT when a size makes no whole chips, hosts or slices. */
int run_scaling(const struct run_request *q, const uint64_t *size, size_t n, bool by_slices,
                struct run_size *out, struct err *err);
void run_sizes_free(struct run_size *s, size_t n);

#endif
