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

/* How many parameters the head names: combine= and update= only if they are set. */
static size_t count_given(const struct gen_param *params, size_t n, const uint64_t *value)
{
    while (n > 0 && value[n - 1] == 0 &&
           (strcmp(params[n - 1].key, "combine") == 0 || strcmp(params[n - 1].key, "update") == 0))
        n--;
    return n;
}

void option_head(struct emit_head *head, struct option_list *list, const struct gen_param *params,
                 size_t n_params, const uint64_t *value)
{
    BUG_ON(n_params > OPTION_MAX);
    n_params = count_given(params, n_params, value);
    for (size_t i = 0; i < n_params; i++) {
        list->key[i] = params[i].key;
        list->word[i] = params[i].choice ? params[i].choice[value[i]] : NULL;
    }
    head->key = list->key;
    head->word = list->word;
    head->value = value;
    head->n_params = n_params;
}
