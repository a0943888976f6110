/* Figures of a result that published tables name. */
#include <criterion/criterion.h>

#include "base/exact.h"
#include "study/validate/validate_figure.h"

/* A step of 10 s, 4 of them forward: with a validated sample for each ten that are trained on, a
 * sample takes 1.04 times as long. */
Test(validate_figure, an_epoch_validates_in_the_forward_phases)
{
    struct run_row phase[3] = { { .name = (char *)"fwd_a" },
                                { .name = (char *)"fwd_b" },
                                { .name = (char *)"bwd" } };
    struct run_result r = { .phases = phase, .n_phases = 3, .has_epoch = true };
    EXACT_Q(q);

    for (int i = 0; i < 3; i++)
        mpq_init(phase[i].seconds);
    mpq_set_ui(phase[0].seconds, 3, 1);
    mpq_set_ui(phase[1].seconds, 1, 1);
    mpq_set_ui(phase[2].seconds, 6, 1);
    mpq_inits(r.seconds_per_step, r.seconds_per_epoch, r.samples_per_second, NULL);
    mpq_set_ui(r.seconds_per_step, 10, 1);
    mpq_set_ui(r.seconds_per_epoch, 100, 1);
    mpq_set_ui(r.samples_per_second, 26, 1);

    cr_assert_eq(validate_figure(q, "epoch, validating 1/10 in fwd_*", &r), 0);
    cr_expect_eq(mpq_cmp_ui(q, 104, 1), 0);
    cr_assert_eq(validate_figure(q, "samples per second, validating 1/10 in fwd_*", &r), 0);
    cr_expect_eq(mpq_cmp_ui(q, 25, 1), 0);
    cr_expect_neq(validate_figure(q, "epoch, validating 1/10 in forward", &r), 0, "no such phase");
    cr_expect_neq(validate_figure(q, "epoch, validating 1 in fwd_*", &r), 0, "of how many?");
    for (int i = 0; i < 3; i++)
        mpq_clear(phase[i].seconds);
    mpq_clears(r.seconds_per_step, r.seconds_per_epoch, r.samples_per_second, NULL);
}
