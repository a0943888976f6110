/* layer_group.h - identical layers: operations, or phases, whose names differ in numbers alone and
 * which do the same work.
 *
 *     l0.attn.qkv.fwd ... l11.attn.qkv.fwd     the group l*.attn.qkv.fwd of 12 names
 *
 * Two names are in one group if
 *  - they are equal but for runs of digits, and are of one kind;
 *  - their operations, in program order, agree one by one: phase (but for digits), executions in a
 *    step, FLOPs, bytes of HBM, and kinds, attributes and shapes (step/signature.h).
 *
 * A phase is compared by the operations in it.  Time is not compared: a group shows what layers of
 * one design take together. */
#ifndef RUN_JOB_LAYER_GROUP_H
#define RUN_JOB_LAYER_GROUP_H

#include <stddef.h>

#include "run/job/job.h"

/* Set `group` and `phase_group` of all rows of a job: the label of the group, or the name itself.
 * Cost: O(n log n) comparisons of rows. */
void layer_group_job(struct job *j);

/* The label of `n` names, 1 at least, that are equal but for digits: the first of them with "*" in
 * the place of each number that is not the same in all.  To be freed.  Cost: O(characters). */
char *layer_group_label(const char *const *names, size_t n);

#endif
