/* Limits of top-k as machine files and overrides state them. */
#include <criterion/criterion.h>
#include <string.h>

#include "machine/spec/spec.h"

/* The way for k of so many keys on a TPU v5e with a parameter changed. */
static enum top_k_way choose_way(const char *set, uint64_t keys, uint64_t k)
{
    struct machine_spec *m;
    struct err err;

    cr_assert_eq(spec_load(&m, "tpu-v5e-1", &set, set ? 1 : 0, &err), 0, "%s", err.msg);
    enum top_k_way way = top_k_choose(&m->top_k, keys, k);
    spec_free(m);
    return way;
}

/* XLA takes its top-k kernel for 98 of 6,400 keys and a sort for 99. */
Test(top_k, a_machine_has_the_limits_of_the_compiler)
{
    cr_expect_eq(choose_way(NULL, 6400, 98), TOP_K_KERNEL);
    cr_expect_eq(choose_way(NULL, 6400, 99), TOP_K_SORT);
    cr_expect_eq(choose_way(NULL, 32768, 216), TOP_K_KERNEL);
    cr_expect_eq(choose_way(NULL, 32768, 240), TOP_K_PIECES);
    cr_expect_eq(choose_way(NULL, 32768, 257), TOP_K_KERNEL);
    cr_expect_eq(choose_way(NULL, 131072, 257), TOP_K_KERNEL);
}

Test(top_k, a_width_is_set_as_a_parameter_is)
{
    cr_expect_eq(choose_way("top_k.6400=99", 6400, 99), TOP_K_KERNEL);
    cr_expect_eq(choose_way("top_k.32768=300, 250", 32768, 240), TOP_K_KERNEL);
    cr_expect_eq(choose_way("top_k.pieces=64", 32768, 257), TOP_K_PIECES);
}

Test(top_k, a_width_is_a_number_of_keys)
{
    static const char *const sets[] = { "top_k.4k=3", "top_k.0=3", "top_k.99999999999=3" };

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct machine_spec *m;
        struct err err;
        cr_expect_neq(spec_load(&m, "tpu-v5e-1", &sets[i], 1, &err), 0);
        cr_expect_not_null(strstr(err.msg, "no parameter and no width; expected a number of keys"),
                           "%s", err.msg);
    }
}
