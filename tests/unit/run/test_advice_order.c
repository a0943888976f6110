/* The order in which an operation is advised. */
#include <criterion/criterion.h>

#include "run/advice.h"

static void add_wait(struct run_row *w, enum cause c, unsigned long seconds)
{
    mpq_set_ui(amounts_at(&w->cause, c), seconds, 1);
}

/* Waits that are equally long come in the order of their causes in the report. */
Test(advice, the_largest_wait_is_first)
{
    static const enum cause expected[] = { CAUSE_HOST, CAUSE_HBM, CAUSE_PCIE, CAUSE_LAUNCH };
    struct run_row w;
    struct job_row row = { .count = 1 };

    run_row_init(&w, 0, "x", "fwd", "elementwise");
    add_wait(&w, CAUSE_LAUNCH, 2);
    add_wait(&w, CAUSE_PCIE, 2);
    add_wait(&w, CAUSE_HOST, 3);
    add_wait(&w, CAUSE_HBM, 2);
    add_wait(&w, CAUSE_ICI, 1); /* exactly a tenth: enough */
    advice_write(&w, NULL, &row);
    cr_assert_eq(w.n_advice, 5);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(w.advised[i].cause, expected[i], "%zu: %s", i, w.advice[i]);
    cr_expect_eq(w.advised[4].cause, CAUSE_ICI);
    run_row_clear(&w);
}
