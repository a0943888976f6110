/* The cost of a hypothetical machine. */
#include <criterion/criterion.h>

#include "cost/proxy.h"

static struct err err;

static void cost_machine(const char *machine, const char *set, struct proxy *x)
{
    struct machine_spec *m, *as_is;
    struct proxy_params p;

    param_defaults(&proxy_param_table, &p);
    cr_assert_eq(spec_load(&m, machine, &set, set ? 1 : 0, &err), 0, "%s", err.msg);
    cr_assert_eq(spec_load(&as_is, machine, NULL, 0, &err), 0);
    proxy_of(&p, m, as_is, x);
    spec_free(m);
    spec_free(as_is);
}

Test(proxy, dies_of_tpu_v2_and_v3_come_out)
{
    struct proxy x;

    cost_machine("tpu-v3-8", NULL, &x);
    cr_assert_float_eq(x.die_mm2, 648, 1); /* what the rest was taken from */
    cost_machine("tpu-v2-8", NULL, &x);
    cr_assert_float_eq(x.die_mm2, 611, 0.06 * 611); /* it was not */
}

Test(proxy, arrays_cost_multipliers_or_edges)
{
    struct proxy base, x;

    cost_machine("tpu-v3-8", NULL, &base);
    cost_machine("tpu-v3-8", "mxu.count=3",
                 &x); /* one more on each of two cores: 2 * 128^2 * 1129 um2 */
    cr_assert_float_eq(x.die_mm2 - base.die_mm2, 36.995, 0.001);
    cost_machine("tpu-v3-8", "mxu.size=64", &x); /* 4 of 128^2 * 1129 become 4 of 64 * 101610 um2 */
    cr_assert_float_eq(base.die_mm2 - x.die_mm2, 47.978, 0.001);
    cost_machine("tpu-v3-8", "vmem.capacity=32 MiB", &x); /* 2 * 16 MiB * 1.2 mm2 */
    cr_assert_float_eq(x.die_mm2 - base.die_mm2, 38.4, 0.001);
}

Test(proxy, hardware_of_a_v3_8_by_hand)
{
    struct proxy x;

    cost_machine("tpu-v3-8", NULL, &x);
    /* 648.358 mm2: 109.02 - 26.17 = 82.85 dies, flawed 1.21612^3 = 1.79858: 86.48 USD;
     * HBM 34.36 GB * 9.4 + 900 * 0.155 = 462.48; links 4 * 82 * 0.5 = 164; board 600: 1312.97;
     * four chips and a host of 5000: 10251.9 */
    cr_assert_float_eq(x.hardware_usd, 10251.9, 0.5);
    cr_assert(x.has_rent);
    cr_assert_float_eq(x.usd_per_hour, 8, 1e-9); /* as it is: the list price */
}

Test(proxy, the_share_of_the_rent_that_follows_is_a_parameter)
{
    struct machine_spec *m, *as_is;
    struct proxy_params p;
    struct proxy all, half;
    static const char *const set = "hbm.capacity=64 GiB";

    cr_assert_eq(spec_load(&m, "tpu-v3-8", &set, 1, &err), 0);
    cr_assert_eq(spec_load(&as_is, "tpu-v3-8", NULL, 0, &err), 0);
    param_defaults(&proxy_param_table, &p);
    proxy_of(&p, m, as_is, &all);
    cr_assert_eq(proxy_set(&p, "proxy.share=0.5", &err), 0);
    proxy_of(&p, m, as_is, &half);
    cr_assert_float_eq(all.usd_per_hour, 8 * all.hardware_usd / 10251.877, 0.001);
    cr_assert_float_eq(half.usd_per_hour - 8, (all.usd_per_hour - 8) / 2, 1e-9);
    spec_free(m);
    spec_free(as_is);
    cr_assert_eq(proxy_set(&p, "proxy.bord=1", &err), -1);
    cr_assert_str_eq(
        err.msg, "--set proxy.bord=1: unknown parameter of [proxy] 'bord'; did you mean 'board'?");
}
