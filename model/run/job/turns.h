/* turns.h - programs of which only some turns of loops are simulated.
 *
 * A loop of T turns that is cut runs b of them, then b + K, with q K + b = T.  The difference of
 * both runs is the time of K turns, so the step takes the first run and q times that difference.  A
 * loop is cut if it has more than q turns and is in none that is cut, so that one q holds for all
 * of them.  Programs that exchange data with hosts, or with cores of other stages, are run whole.
 */
#ifndef RUN_JOB_TURNS_H
#define RUN_JOB_TURNS_H

#include "machine/machine.h"

struct turns {
    struct machine_turns machine; /* to be run; once == NULL: whole */
    struct task_program once, twice;
    bool *turned;        /* [row] */
    uint32_t *more_rows; /* [row] */
    uint64_t walked;     /* work of both runs */
};

/* Choose the least q with which both runs of `p` have at most `most` of work, or else the q with
 * the least work.  Where that is more than a quarter of all work, the step runs whole.  work[i]:
 * that of a turn of task i.  `p` must outlive it.  O(tasks) for each of some hundred q. */
void turns_plan(struct turns *t, const struct task_program *p, const uint64_t *work, uint64_t most);
/* True if the program exchanges data with nobody but the cores that run the same. */
bool turns_can_cut(const struct task_program *p);
void turns_free(struct turns *t);

#endif
