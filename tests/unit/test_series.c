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
