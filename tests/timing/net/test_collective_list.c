/* Groups that no distance describes: how long the links take that they cross. */
#include <criterion/criterion.h>

#include "collective_bench.h"
#include "kernels/net/collective.h"
#include "schedule/schedule_list.h"

#define B (UINT64_C(4) << 20)

/* us on eight chips of TPU v5e, which are 2 x 4 with links of 45 GB/s */
static double time_on_v5e(const struct collective *c)
{
    struct machine_spec *s;
    struct task_call call;
    struct cap cap;
    struct err e;

    cr_assert_eq(spec_load(&s, "tpu-v5e-8", NULL, 0, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, c, &cap, &e), 0, "%s", e.msg);
    double us = (double)collective_cycles(s, &call, false, false) / 700;
    schedule_list_free(call.schedule.list);
    spec_free(s);
    return us;
}

static void expect_between(const struct collective *c, double low, double high)
{
    double us = time_on_v5e(c);

    cr_expect(us >= low && us <= high, "%.1f us, not in [%.1f, %.1f]", us, low, high);
}

/* Each of four pairs exchanges 4 MiB across the middle, over two links each way:
 * 4 x 4 MiB / 2 / 45 GB/s. */
Test(collective_list, opposite_corners_share_the_links_between_them)
{
    expect_between(&(struct collective){ .kind = SCHEDULE_ALL_REDUCE,
                                         .bytes = B,
                                         .element = 4,
                                         .members = "0 7, 1 6, 2 5, 3 4" },
                   186.4, 195);
}

/* Each pair of neighbours has a link of its own: 4 MiB / 45 GB/s. */
Test(collective_list, neighbours_have_a_link_each)
{
    expect_between(&(struct collective){ .kind = SCHEDULE_ALL_REDUCE,
                                         .bytes = B,
                                         .element = 4,
                                         .members = "0 1, 2 3, 4 5, 6 7" },
                   93.2, 98);
}

/* The pair takes as long as any; the ring of six 10 / 6 x 4 MiB / 2 / 45 GB/s = 78 us. */
Test(collective_list, the_slowest_group_decides)
{
    expect_between(
        &(struct collective){
            .kind = SCHEDULE_ALL_REDUCE, .bytes = B, .element = 4, .members = "0 1 2 3 4 5, 6 7" },
        93.2, 98);
}

/* Three chips send through one link: from column 0 upwards into row 3. */
Test(collective_list, pairs_wait_for_the_links_that_they_share)
{
    expect_between(&(struct collective){ .kind = SCHEDULE_PERMUTE, .bytes = B, .pairs = "0 6" },
                   93.2, 100);
    expect_between(
        &(struct collective){
            .kind = SCHEDULE_PERMUTE, .bytes = B, .element = 4, .pairs = "0 6, 2 4, 4 2, 1 3" },
        186.4, 196);
}
