/* The layer that a scope of a compiled program names. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "run/result/layer_name.h"

Test(layer_name, leaves_out_what_the_framework_did)
{
    static const char *const rows[][2] = {
        { "jit(step)/jvp(Model)/block1/dense/dot_general", "Model/block1/dense" },
        { "jit(step)/transpose(jvp(Model))/block1/dense/dot_general", "Model/block1/dense" },
        { "jit(step)/shard_map/g_0/transpose(jvp(G.conv1))/conv", "g_0/G.conv1" },
        { "jit(step)/jvp(jit(log_softmax))/sub", "log_softmax" },
        { "jit(step)/while/body/closed_call/mul", "" },
        { "jit(step)/checkpoint/rematted_computation/attention/exp", "attention" },
        { "jit(step)/jvp(l0)/pair (a/b)/...ij,...jf->...if/dot_general",
          "l0/pair (a/b)/...ij,...jf->...if" },
        { "jit(step)/transpose(jvp())/mul", "" },
        { "jit(step)/add", "" },
        { "encoder/layer3/add", "encoder/layer3" },
        { "jit(step)/odd(name/x", "" },
        { "", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *name = layer_name(rows[i][0]);
        cr_expect_str_eq(name, rows[i][1], "%s: %s", rows[i][0], name);
        free(name);
    }
}

Test(layer_name, a_label_has_a_star_for_each_number)
{
    char *label = layer_label("g_12/conv3/bias");

    cr_expect_str_eq(label, "g_*/conv*/bias");
    free(label);
}
