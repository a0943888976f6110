/* pipeline_making.h - the step of all stages while it is put together: its values, by micro-batch
 * and stage.
 *
 * A value of micro-batch m is called %value:m, the sum of those up to m %value:acc<m>, and what
 * another stage s gets of either has :s<s> behind it. */
#ifndef PASSES_SHARD_PIPELINE_MAKING_H
#define PASSES_SHARD_PIPELINE_MAKING_H

#include "passes/shard/pipeline_impl.h"

/* A value on its way to another stage, and there; both in the new step, 0: not yet. */
struct pipeline_copy {
    uint32_t handle, value;
};

struct pipeline_making {
    const struct pipeline *p;
    const struct step *from;
    struct step *to;
    const char *phase;
    uint64_t once;  /* in place of a micro-batch: after, or before, all of them */
    uint32_t *each; /* [value][micro-batch or once] in the new step; once: there is only one */
    uint32_t *sum;  /* [value][micro-batch] the sum up to it */
    struct pipeline_copy *copy; /* [value][stage][micro-batch or once] */
    uint32_t *list;             /* room for the values that leave a fusion */
};

/* A micro-batch on a stage. */
struct pipeline_at {
    uint32_t stage;
    uint64_t micro;
};

/* The micro-batch by which a value is looked up: `once` where it is the same for all of them. */
uint64_t pipeline_which_micro(const struct pipeline_making *b, uint32_t v, uint64_t micro);

/* Places of a value in the new step: of a micro-batch; of the sum up to a micro-batch, for the
 * first the value itself; of either, where `micro` may be `once`. */
uint32_t *pipeline_find_each(const struct pipeline_making *b, uint32_t v, uint64_t micro);
uint32_t *pipeline_find_sum(const struct pipeline_making *b, uint32_t v, uint64_t micro);
uint32_t *pipeline_find_local(const struct pipeline_making *b, uint32_t v, uint64_t micro);
/* The value of the new step that is read at `at` in the place of `v`. */
uint32_t pipeline_find_value(const struct pipeline_making *b, uint32_t v, struct pipeline_at at);

/* Names of the same, to be freed. */
char *pipeline_name_sum(const struct pipeline_making *b, uint32_t v, uint64_t micro);
char *pipeline_name_local(const struct pipeline_making *b, uint32_t v, uint64_t micro);

/* Shape and role of a value in a micro-batch, on the cores of `stage`. */
struct step_value pipeline_value_of_micro(const struct pipeline_making *b, uint32_t v,
                                          uint64_t stage);

/* Add the send-done of a value before its first use there; send-starts to all stages that need it,
 * as soon as it is made. */
void pipeline_receive(struct pipeline_making *b, uint32_t v, struct pipeline_at at);
void pipeline_send(struct pipeline_making *b, uint32_t v, uint64_t micro);

#endif
