/* Progress of one of several runs, as those who are told of all of them see it. */
#include <criterion/criterion.h>

#include "run/job/progress.h"

static uint64_t told_done, told_all;
static const char *told_what;

static void hear_progress(void *self, const char *what, uint64_t done, uint64_t all)
{
    (void)self;
    told_what = what;
    told_done = done;
    told_all = all;
}

Test(progress_part, adds_runs_that_are_behind)
{
    struct progress_part p = { hear_progress, NULL, "tpu-v3-8", 2, 4 };

    progress_part(&p, "replay", 1, 4);
    cr_expect_str_eq(told_what, "tpu-v3-8");
    cr_expect_eq(told_done, 2250000);
    cr_expect_eq(told_all, 4000000);
    progress_part(&p, "replay", 0, 0); /* how far this run is, is not known */
    cr_expect_eq(told_done, 2000000);
    p.what = NULL;
    progress_part(&p, "replay", UINT64_MAX, UINT64_MAX);
    cr_expect_str_eq(told_what, "replay");
    cr_expect_eq(told_done, 3000000);
    p.tell = NULL;
    progress_part(&p, "replay", 1, 1);
    cr_expect_eq(told_done, 3000000);
}
