/* option.h - parameters that generators share: optimizer=, precision=, combine=, update=. */
#ifndef TRACES_OPTION_H
#define TRACES_OPTION_H

#include "gen.h"
#include "net.h"

enum { OPTION_SGD, OPTION_MOMENTUM, OPTION_RMSPROP, OPTION_ADAM };
extern const char *const option_optimizers[]; /* by that enum, then NULL */
/* The optimizer with a number of that enum. */
const struct net_optimizer *option_optimizer(uint64_t value);

extern const char *const option_precisions[]; /* by enum emit_precision */
/* Help of precision=. */
#define OPTION_PRECISION_DOC                                                                       \
    "f32 tensors, multiplied in bf16 as XLA does; mixed: bf16 but for weights; bf16: all; "        \
    "highest: "                                                                                    \
    "f32 products"

/* Options of sums of gradients and updates of weights.  The head of a trace leaves out these two
 * rows of a generator's table where they are 0, and the rows after them where they have their
 * defaults, so that older traces stay equal. */
extern const char *const option_updates[];
#define OPTION_COMBINE                                                                             \
    {                                                                                              \
        "combine", 0, 0, UINT32_MAX, "bytes of a bucket of gradients; 0: as the machine does",     \
            NULL                                                                                   \
    }
#define OPTION_UPDATE                                                                              \
    {                                                                                              \
        "update", 0, 0, 1, "of all weights on each core, or each of its share", option_updates     \
    }

/* Replicas that one host feeds: [HOST_CORES] = OPTION_HOST_CORES. */
#define OPTION_HOST_CORES                                                                          \
    {                                                                                              \
        "host_cores", 8, 1, 16, "replicas of a host, 8 of a TPU v2 or v3", NULL                    \
    }

/* Samples that fill no whole batch: remainder=. */
enum { OPTION_REFUSE, OPTION_PAD, OPTION_DROP };
extern const char *const option_remainders[]; /* by that enum */

#define OPTION_MAX GEN_MAX_PARAMS /* of a workload */
/* Keys and values of a generator as texts, for the head of its trace. */
struct option_list {
    const char *key[OPTION_MAX], *word[OPTION_MAX];
    uint64_t value[OPTION_MAX];
};

/* Put the parameters and their values into the head of a trace; `list` outlives it. */
void option_head(struct emit_head *head, struct option_list *list, const struct gen_param *params,
                 size_t n_params, const uint64_t *value);

#endif
