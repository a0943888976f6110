/* Prices: of a slice, of its chips, or none. */
#include <criterion/criterion.h>
#include <string.h>

#include "cost/cost.h"

static struct err err;

/* USD an hour in cents, -1 where there is no list price. */
static long price_machine(const char *name, const char *const *set, size_t n, char **source)
{
    struct machine_spec *m;
    mpq_t q;
    long cents = -1;

    cr_assert_eq(spec_load(&m, name, set, n, &err), 0, "%s", err.msg);
    mpq_init(q);
    if (cost_per_hour(q, m, COST_ON_DEMAND))
        cents = (long)(mpq_get_d(q) * 100 + 0.5);
    else
        cr_expect_eq(mpq_sgn(q), 0);
    mpq_clear(q);
    if (source)
        *source = cost_sources(m);
    spec_free(m);
    return cents;
}

Test(cost, each_slice_has_its_list_price_or_none)
{
    static const struct {
        const char *name;
        long cents;
        const char *source;
    } rows[] = {
        { "tpu-v2-1", -1, "" },
        { "tpu-v2-8", 450,
          "on demand [ju-2020: 2020-04-07], preemptible [skypilot-catalog: 2022]" },
        { "tpu-v2-32", 2400, "[skypilot-catalog: 2022]" },
        { "tpu-v2-512", 38400,
          "on demand [ju-2020: 2020-04-07], preemptible [skypilot-catalog: 2022]" },
        { "tpu-v3-1", -1, "" },
        { "tpu-v3-64", 6400, "[skypilot-catalog: 2022]" },
        { "tpu-v3-2048", 204800, "[skypilot-catalog: 2022]" },
        { "tpu-v4-2560", 412160, /* as listed: 4121.6 */
          "on demand [skypilot-catalog: 2025-26], preemptible [gpuhunt: 2024-12]" },
        { "tpu-v5e-16", 1920,
          "on demand [skypilot-catalog: 2025-26], preemptible [gpuhunt: 2024-12]" },
        { "tpu-v5p-8960", 1881600, "[skypilot-catalog: 2025-26]" },
        { "tpu-v6e-32", 8640, "[skypilot-catalog: 2025-26]" },
        { "tpu-v7-8", 4800, "[unverified]" },
        { "a100x4", 1469, "[skypilot-catalog: 2025-26]" },
        { "a100-sxm4-80gb", 552, "[skypilot-catalog: 2025-26]" },
        { "h100-sxm-80gb", 1098, "[skypilot-catalog: 2025-26]" },
        { "h200x1", 1000, "[oci-catalog: 2026]" },
        { "a100-pcie-40gb", -1, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *source;
        long cents = price_machine(rows[i].name, NULL, 0, &source);
        cr_expect_eq(cents, rows[i].cents, "%s: %ld", rows[i].name, cents);
        cr_expect_str_eq(source, rows[i].source, "%s", rows[i].name);
        free(source);
    }
}

Test(cost, chips_keep_their_price_in_another_slice)
{
    static const char *const set[] = { "slice.cores=24", "slice.mesh_x=6", "slice.mesh_y=4",
                                       "dcn.slices=2" };

    cr_expect_eq(price_machine("tpu-v5e-8", set, 4, NULL), 5760, "2 * 24 * 1.20");
    cr_expect_eq(price_machine("tpu-v3-8", set, 0, NULL), 800);
    static const char *const other[] = { "slice.cores=16", "slice.mesh_x=4" };
    cr_expect_eq(price_machine("tpu-v3-8", other, 2, NULL), -1, "a price of a slice alone");
}

Test(cost, the_last_price_given_counts)
{
    static const char *const set[] = { "price.on_demand=7 USD/h", "price.chip_on_demand=2 USD/h" };

    cr_expect_eq(price_machine("tpu-v5e-8", set, 1, NULL), 700);
    cr_expect_eq(price_machine("tpu-v5e-8", set, 2, NULL), 1600);
    cr_expect_eq(price_machine("tpu-v3-8", set + 1, 1, NULL), 800, "4 chips");
}

Test(cost, a_price_of_chips_is_verified_by_its_source)
{
    static const struct {
        const char *name;
        bool verified;
    } rows[] = { { "tpu-v3-8", true }, { "tpu-v5e-8", true }, { "tpu-v7-8", false } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        cr_assert_eq(spec_load(&m, rows[i].name, NULL, 0, &err), 0, "%s", err.msg);
        cr_expect_eq(cost_verified(m, COST_ON_DEMAND), rows[i].verified, "%s", rows[i].name);
        spec_free(m);
    }
}

static double part_of(const struct cost_power *p, enum cost_part part)
{
    return mpq_get_d(p->part[part]);
}

/* By hand, of one V100: half of the time busy, 1e12 products of 3 pJ, 2e12 FMAs of 15, 1e11 bytes
 * of 43.75, 1e10 bits of 10 a second. */
Test(cost, power_is_that_of_idle_chips_and_of_what_they_do)
{
    struct machine_spec *m;
    struct cost_load load;
    struct cost_power p;

    cr_assert_eq(spec_load(&m, "v100x1", NULL, 0, &err), 0, "%s", err.msg);
    cost_load_init(&load);
    cost_power_init(&p);
    mpq_set_ui(load.share, 1, 2);
    mpq_set_ui(load.macs, 1000000000000, 1);
    mpq_set_ui(load.fmas, 2000000000000, 1);
    mpq_set_ui(load.bytes, 100000000000, 1);
    mpq_set_ui(load.link_bits, 10000000000, 1);
    cost_power_of(&p, m, &load);
    cr_expect(p.known && p.by_work && !p.limited);
    cr_expect_float_eq(part_of(&p, COST_IDLE), 55, 1e-9);
    cr_expect_float_eq(part_of(&p, COST_BUSY), 24.5, 1e-9);
    cr_expect_float_eq(part_of(&p, COST_PRODUCT), 3, 1e-9);
    cr_expect_float_eq(part_of(&p, COST_VECTOR), 30, 1e-9);
    cr_expect_float_eq(part_of(&p, COST_MEMORY), 4.375, 1e-9);
    cr_expect_float_eq(part_of(&p, COST_LINK), 0.1, 1e-9);
    cr_expect_float_eq(mpq_get_d(p.watts), 116.975, 1e-9);
    cr_expect_float_eq(mpq_get_d(p.least), 55, 1e-9);
    cr_expect_float_eq(mpq_get_d(p.most), 177.5, 1e-9); /* 55 + 245 / 2 */
    mpq_set_ui(load.macs, 100000000000000, 1);
    cost_power_of(&p, m, &load);
    cr_expect(p.limited);
    cr_expect_float_eq(mpq_get_d(p.watts), 300, 1e-9);
    cost_power_clear(&p);
    cost_load_clear(&load);
    spec_free(m);
}

/* 0.27 of the limit to all of it, at half of the time: 102 + (373 - 102) / 2 W a chip. */
Test(cost, power_is_a_range_where_nobody_published_what_work_takes)
{
    struct machine_spec *m;
    struct cost_load load;
    struct cost_power p;

    cr_assert_eq(spec_load(&m, "tpu-v6e-4", NULL, 0, &err), 0, "%s", err.msg);
    cost_load_init(&load);
    cost_power_init(&p);
    mpq_set_ui(load.share, 1, 2);
    cost_power_of(&p, m, &load);
    cr_expect(p.known && !p.by_work);
    cr_expect_float_eq(mpq_get_d(p.least), 408, 1e-9);
    cr_expect_float_eq(mpq_get_d(p.most), 950, 1e-9);
    cost_power_clear(&p);
    cost_load_clear(&load);
    spec_free(m);
}
