/* padding.h - time that a step spends on rows without data.
 *
 * Shapes on a TPU are fixed, so graphs, events and batches are filled up to a size; the header of a
 * trace says how much of each size is real (docs/reference/trace-format.md).  Time goes to padding
 * in proportion:
 *
 *     nodes, edges, ...   (1 - real / padded) of every operation on these rows
 *     samples             (1 - real / padded) of the whole step, which a padded sample shares in
 *     epoch               the same for the steps of an epoch, if they have room for more samples
 *                         than the data set has
 *
 * An operation is on the rows of the largest of its values that has padded rows.  A value has them
 * if its first dimension, or the product of its first dimensions, is the padded size.  Weights,
 * states, constants and what an optimizer reads have none. */
#ifndef RUN_RESULT_PADDING_H
#define RUN_RESULT_PADDING_H

#include "run/result/result.h"
#include "step/step.h"

/* Fill r->padding with the rows of the header. */
void padding_begin(const struct trace_header *h, struct run_result *r);

/* of[i] = the number of the padded rows that node i of the step is on, from 1; 0: none.  O(values
 * and references). */
void padding_of_nodes(const struct step *step, uint32_t *of);

/* Add the padding's share of `seconds` of a step; `which` as above, not 0. */
void padding_add(struct run_result *r, uint32_t which, const mpq_t seconds);

/* Take the padding of the batch away from `samples`, rounded up. */
void padding_real_samples(const struct trace_header *h, mpz_t samples);

/* Once the length of the step and of the epoch is known: the time of padded samples, and the sum.
 */
void padding_end(struct run_result *r);
void padding_clear(struct run_result *r);

#endif
