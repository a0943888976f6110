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

/* Published bounds: v4, at 7 nm, is below 600 mm2; v2 and v3, at 16 nm, below 625 and 700. */
Test(proxy, dies_stay_below_the_published_bounds)
{
    static const struct {
        const char *machine;
        double least, most;
    } rows[] = {
        { "tpu-v2-8", 500, 625 },
        { "tpu-v3-8", 560, 700 },
        { "tpu-v4-8", 400, 600 }, /* above a v4i, which has one of its two cores */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct proxy x;
        cost_machine(rows[i].machine, NULL, &x);
        cr_expect(x.die_mm2 > rows[i].least && x.die_mm2 < rows[i].most, "%s: %g mm2",
                  rows[i].machine, x.die_mm2);
        cr_expect_not(x.over_reticle);
    }
}

/* 8 arrays of 128^2 * 1129 um2 and 4096 ALUs of 8000: 180.7 mm2 * 0.30; 32 + 128 MiB at 1.2: 192 *
 * 0.386; HBM 1230 * 0.07, links 6 * 45 * 0.15, and the rest of 391: 517.6 * 0.68. */
Test(proxy, die_of_v4_by_hand)
{
    struct proxy x;

    cost_machine("tpu-v4-8", NULL, &x);
    cr_expect_float_eq(x.die_mm2, 54.22 + 74.11 + 351.97, 0.05);
}

/* A v4i as published: one core of a v4, 128 MiB of CMEM, 614 GB/s, two links.  That its die is
 * below 400 mm2 is where other_7nm comes from. */
Test(proxy, a_v4i_just_stays_below_400_mm2)
{
    struct machine_spec *m;
    struct proxy_params p;
    struct proxy x;
    static const char *const set[] = { "mxu.count=4",          "vpu.alus=2",
                                       "vmem.capacity=16 MiB", "hbm.bandwidth=614 GB/s",
                                       "die.links=2",          "ici.bandwidth=50 GB/s" };

    param_defaults(&proxy_param_table, &p);
    cr_assert_eq(spec_load(&m, "tpu-v4-8", set, 6, &err), 0, "%s", err.msg);
    proxy_of(&p, m, NULL, &x);
    cr_expect(x.die_mm2 < 400 && x.die_mm2 > 395, "%g", x.die_mm2);
    spec_free(m);
}

Test(proxy, a_die_over_the_reticle_limit_is_flagged)
{
    struct proxy x;

    cost_machine("tpu-v3-8", "mxu.count=7", &x); /* 5 more on each of two cores: 185 mm2 */
    cr_expect_float_eq(x.die_mm2, 833.3, 0.2);
    cr_expect_not(x.over_reticle);
    cost_machine("tpu-v3-8", "mxu.count=8", &x);
    cr_expect_float_eq(x.die_mm2, 870.3, 0.2);
    cr_expect(x.over_reticle, "more than 26 mm * 33 mm");
}

Test(proxy, the_rent_of_a_slice_follows_from_that_of_its_chips)
{
    struct proxy x;

    cost_machine("tpu-v4-32", NULL, &x);
    cr_assert(x.has_rent);
    cr_expect_float_eq(x.usd_per_hour, 16 * 3.22, 1e-9);
    cost_machine("tpu-v3-1", NULL, &x);
    cr_expect_not(x.has_rent);
}
