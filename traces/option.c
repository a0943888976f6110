#include "option.h"

#include <string.h>

const char *const option_optimizers[] = { [OPTION_SGD] = "sgd",
                                          [OPTION_MOMENTUM] = "momentum",
                                          [OPTION_RMSPROP] = "rmsprop",
                                          [OPTION_ADAM] = "adam",
                                          NULL };

const char *const option_precisions[] = { [EMIT_F32_TENSORS] = "f32",
                                          [EMIT_MIXED] = "mixed",
                                          [EMIT_BF16] = "bf16",
                                          [EMIT_HIGHEST] = "highest",
                                          NULL };

const struct net_optimizer *option_optimizer(uint64_t value)
{
    static const struct net_optimizer *const all[] = { [OPTION_SGD] = &net_sgd,
                                                       [OPTION_MOMENTUM] = &net_momentum,
                                                       [OPTION_RMSPROP] = &net_rmsprop,
                                                       [OPTION_ADAM] = &net_adam };

    return all[value];
}

const char *const option_updates[] = { "whole", "sharded", NULL };

const char *const option_remainders[] = {
    [OPTION_REFUSE] = "refuse", [OPTION_PAD] = "pad", [OPTION_DROP] = "drop", NULL
};

/* True for a parameter that the head names: combine= and update= only up to the last of them that
 * is set, what stands after them in the table only if it is not at its default. */
static bool is_given(const struct gen_param *params, size_t n, const uint64_t *value, size_t i)
{
    size_t combine = 0;

    while (combine < n && strcmp(params[combine].key, "combine") != 0)
        combine++;
    if (i > combine + 1)
        return value[i] != params[i].def;
    return i < combine || value[i] != 0 || (i == combine && i + 1 < n && value[i + 1] != 0);
}

void option_head(struct emit_head *head, struct option_list *list, const struct gen_param *params,
                 size_t n_params, const uint64_t *value)
{
    size_t n = 0;

    BUG_ON(n_params > OPTION_MAX);
    for (size_t i = 0; i < n_params; i++) {
        if (!is_given(params, n_params, value, i))
            continue;
        list->key[n] = params[i].key;
        list->word[n] = params[i].choice ? params[i].choice[value[i]] : NULL;
        list->value[n++] = value[i];
    }
    head->key = list->key;
    head->word = list->word;
    head->value = list->value;
    head->n_params = n;
}
