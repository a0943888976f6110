/* shard.h - pass: the step of one of several cores that share a training step.
 *
 * Along one axis the cores of a group share a step:
 *     model   its weights: a product's columns, then the rows of the next one that reads them
 *     edges   the rows of its graph's edges; nodes are computed by each of them, or cut as well,
 *             and rows that others need are exchanged (halo)
 * and along `data` such groups train on batches of their own.  Replica = group * share + member.
 *
 * With a parameter server no core reduces or updates anything: one operation of the client takes
 * the gradients of all, updates, and gives the weights back.
 *
 * Each value is whole on every core, cut along one dimension, or a sum of which every core has a
 * summand.  The rules of shard_rule.c say what an operation makes of its operands; where it needs
 * another form an all-gather or an all-reduce within the group is put before it, and a fusion that
 * would hold it is parted there.  A gradient stays a summand until its all-reduce.  The gradient of
 * a weight that all members hold alike is reduced over `data` alone. */
#ifndef PASSES_SHARD_SHARD_H
#define PASSES_SHARD_SHARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "passes/shard/pipeline.h"

struct step;

#define SHARD_HALO_ONE UINT64_C(1000000) /* of shard_plan.halo: as many rows as a core owns */

struct trace;
struct trace_limits;

struct shard_plan {
    uint64_t data;         /* groups, at least 1 */
    uint64_t model, edges; /* members of a group; at most one of the two is above 1 */
    bool nodes;            /* with edges: nodes are cut, too */
    uint64_t halo;         /* then: rows of others' nodes that a core needs, of its own */
    uint64_t pipeline;     /* stages; above 1 beside data alone: passes/shard/pipeline.h */
    uint64_t microbatches; /* then: parts of a batch */
    bool gpipe;            /* then: all forwards go first */
    bool apart;            /* every core trains a model of its own: nothing is reduced */
    bool server;        /* the client keeps the optimizer: gradients go there, weights come back */
    uint64_t staleness; /* then: a core goes on with weights that lack up to so many of its updates,
                           and each is served by itself; 0: all together */
};

/* Read AXIS=N words.  Errors: ERR_UNKNOWN an axis; ERR_RANGE a number, or axes that do not go
 * together; ERR_FORMAT one that stands twice. */
int shard_plan_read(struct shard_plan *plan, const char *const *word, size_t n, struct err *err);

/* The part of a plan that a pipeline is cut by, within the limits of a reader. */
struct pipeline_plan shard_pipeline(const struct shard_plan *plan,
                                    const struct trace_limits *limits);

/* Pass: `to` becomes what one core does of `from`, all steps of a trace, without a pipeline;
 * its header says so.  Errors: those of shard_write(). */
int shard_step(struct step *to, const struct step *from, const struct shard_plan *plan,
               struct err *err);

/* Write what one core does of an open trace, as canonical text.  Memory grows with the text, time
 * with references.  Errors: those of reading the trace; ERR_RANGE where the edges cannot be cut
 * evenly; ERR_FIT what cannot be cut: collectives over groups, asynchronous infeed, a trace that
 * was cut already. */
int shard_write(struct trace *t, const struct shard_plan *plan, FILE *out, struct err *err);

#endif
