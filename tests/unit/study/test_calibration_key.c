/* test_calibration_key.c - constants that a fit moves: rounded to four digits, within their ranges.
 */
#include <criterion/criterion.h>

#include "study/calibrate/calibration_impl.h"

#define PART 1e9 /* amounts of shares are billionths */

static struct machine_spec *load_machine(const char *name)
{
    struct machine_spec *spec;
    struct err err;

    cr_assert_eq(spec_load(&spec, name, NULL, 0, &err), 0, "%s", err.msg);
    return spec;
}

Test(calibration_key, amounts_are_rounded_to_four_digits)
{
    static const struct {
        enum calibration_key key;
        double asked;
        uint64_t want;
    } sets[] = {
        { CALIBRATION_CLOCK, 987654321, 987700000 }, /* Hz */
        { CALIBRATION_CLOCK, 987600001, 987600000 },
        { CALIBRATION_FLOOR, 12345, 12350 }, /* fs; half goes up */
        { CALIBRATION_FLOOR, 9999.6, 10000 },
        { CALIBRATION_FLOOR, 1234.4, 1234 },
        { CALIBRATION_FLOOR, 1, 1 },
        { CALIBRATION_FLOOR, 0.9, 0 },
    };
    struct machine_spec *spec = load_machine("tpu-v3-8");

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        cr_expect(calibration_set(spec, sets[i].key, sets[i].asked), "%zu", i);
        cr_expect_eq(calibration_amount(spec, sets[i].key), sets[i].want, "%zu: %llu", i,
                     (unsigned long long)calibration_amount(spec, sets[i].key));
    }
    cr_expect_not(calibration_set(spec, CALIBRATION_FLOOR, 0), "it is 0 already");
    spec_free(spec);
}

/* HBM reaches 0.95 of its peak, and at most all of it. */
Test(calibration_key, what_is_out_of_range_goes_half_the_way_until_it_is_in)
{
    static const struct {
        double asked;
        bool moves;
        uint64_t want;
    } sets[] = {
        { 2, true, 982800000 },                   /* 1.475, 1.2125, 1.08125, 1.015625, 0.9828125 */
        { 0.95 + 0.05 * 2048, true, 1000000000 }, /* the twelfth try */
        { 0.95 + 0.051 * 2048, false, 950000000 },
        { 0.95, false, 950000000 },
    };

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct machine_spec *spec = load_machine("tpu-v3-8");
        cr_expect_eq(calibration_set(spec, CALIBRATION_HBM, sets[i].asked * PART), sets[i].moves,
                     "%zu", i);
        cr_expect_eq(calibration_amount(spec, CALIBRATION_HBM), sets[i].want, "%zu: %llu", i,
                     (unsigned long long)calibration_amount(spec, CALIBRATION_HBM));
        spec_free(spec);
    }
}

Test(calibration_key, gpus_have_constants_and_errors_of_their_own)
{
    struct machine_spec *tpu = load_machine("tpu-v3-8"), *gpu = load_machine("h100");

    cr_expect_eq(calibration_most_error(tpu), 0.03);
    cr_expect_eq(calibration_most_error(gpu), 0.015);
    cr_expect_eq(calibration_amount(tpu, CALIBRATION_CLOCK), 940000000);
    cr_expect_eq(calibration_amount(gpu, CALIBRATION_CLOCK), 1980000000);
    spec_free(tpu);
    spec_free(gpu);
}
