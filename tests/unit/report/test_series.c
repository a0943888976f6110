#include <criterion/criterion.h>

#include "report/timeline/series.h"

struct got {
    uint64_t sum[16];
    des_time width[16];
    uint64_t n;
};

static void take_bin(void *self, uint64_t bin, uint64_t sum, des_time width)
{
    struct got *g = self;

    cr_assert_eq(bin, g->n);
    g->width[g->n] = width;
    g->sum[g->n++] = sum;
}

static struct got play_series(enum series_kind kind)
{
    struct got g = { .n = 0 };
    struct series s;

    series_begin(&s, kind, 100, 10, 0, take_bin, &g); /* bins [100, 110), [110, 120) ... */
    series_change(&s, 104, 3);
    series_change(&s, 107, 5);
    series_change(&s, 110, 5); /* no change, at the border */
    series_change(&s, 131, 0 + (kind == SERIES_TOTAL ? 9 : 0));
    series_end(&s, 136);
    cr_assert_eq(g.n, 4);
    cr_assert_eq(g.width[0], 10);
    cr_assert_eq(g.width[3], 6, "the last bin is cut");
    return g;
}

Test(series, of_a_state_is_the_time_that_it_lasted)
{
    struct got g = play_series(SERIES_BUSY);

    cr_assert(g.sum[0] == 6 && g.sum[1] == 10 && g.sum[2] == 10 && g.sum[3] == 1);
}

Test(series, of_a_total_is_its_growth)
{
    struct got g = play_series(SERIES_TOTAL);

    cr_assert(g.sum[0] == 5 && g.sum[1] == 0 && g.sum[2] == 0 && g.sum[3] == 4);
}

Test(series, of_a_level_is_its_peak)
{
    struct got g = play_series(SERIES_LEVEL);

    cr_assert(g.sum[0] == 5 && g.sum[1] == 5 && g.sum[2] == 5 && g.sum[3] == 5);
}

/* Bins [100, 110), [110, 120) ... up to `end`, of ramps. */
static struct got play_ramps(const struct des_ramp *ramp, size_t n, des_time end)
{
    struct got g = { .n = 0 };
    struct series s;

    series_begin(&s, SERIES_TOTAL, 100, 10, 7, take_bin, &g);
    for (size_t i = 0; i < n; i++)
        series_ramp(&s, &ramp[i]);
    series_end(&s, end);
    return g;
}

Test(series, of_a_ramp_is_what_moves_in_each_bin)
{
    /* 80 in 20 fs are 4 a femtosecond; 10 in 3 fs: 3 1/3, 6 2/3, 10 */
    static const struct des_ramp two[] = { { 105, 125, 80 }, { 128, 131, 10 } };
    struct got g = play_ramps(two, 2, 136);

    cr_assert_eq(g.n, 4);
    cr_assert(g.sum[0] == 20 && g.sum[1] == 40 && g.sum[2] == 20 + 6 && g.sum[3] == 4);
    cr_assert_eq(g.width[3], 6);
}

Test(series, of_a_ramp_ends_and_begins_with_the_window)
{
    static const struct des_ramp one = { 90, 130, 40 };
    struct got g = play_ramps(&one, 1, 116);

    cr_assert_eq(g.n, 2);
    cr_assert(g.sum[0] == 10 && g.sum[1] == 6, "10 before the begin, 14 after the end");
}

/* Bytes moved in one moment are in one bin; those moved before the window in none. */
Test(series, of_a_ramp_may_be_a_moment)
{
    static const struct des_ramp some[] = { { 80, 100, 50 }, { 110, 110, 3 }, { 110, 112, 0 } };
    struct got g = play_ramps(some, 3, 120);

    cr_assert_eq(g.n, 2);
    cr_assert(g.sum[0] == 0 && g.sum[1] == 3);
}
