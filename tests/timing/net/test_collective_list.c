/* Groups that no distance describes: how long the links take that they cross. */
#include <criterion/criterion.h>
#include <stdio.h>

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

/* "0 0, 1 1, 2 8, ...": core j of chip (x, y) of 4 x 4 sends to core j of chip (y, x). */
static void write_transposition(char *to, size_t room)
{
    for (int core = 0, at = 0; core < 32; core++) {
        int chip = core / 2, x = chip % 4, y = chip / 4;
        at += snprintf(to + at, room - (size_t)at, "%s%d %d", core ? ", " : "", core,
                       2 * (4 * x + y) + core % 2);
    }
}

/* The mesh is open: in row 0 chips 1, 2 and 3 cross the link from 1 to 0 with two cores each, and
 * no link carries more than those 6 pairs.  So a chip sends six times 4 MiB to the next one; all
 * pairs by themselves take about as long. */
Test(collective_list, pairs_as_shifts_take_as_long_as_the_busiest_link)
{
    struct machine_spec *s;
    struct task_call call;
    struct cap cap;
    struct err e;
    char pairs[512];
    double cycles[2];

    write_transposition(pairs, sizeof pairs);
    struct collective c = { .kind = SCHEDULE_PERMUTE, .bytes = B, .element = 4, .pairs = pairs };
    cr_assert_eq(spec_load(&s, "tpu-v3-32", NULL, 0, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    for (int even = 0; even < 2; even++) {
        cap.even_pairs = even;
        cr_assert_eq(collective_plan(&call, &c, &cap, &e), 0, "%s", e.msg);
        cr_expect_eq(call.schedule.list == NULL, even);
        cycles[even] = (double)collective_cycles(s, &call, false, false);
        schedule_list_free(call.schedule.list);
    }
    cr_expect_eq(call.schedule.bytes, 6 * B);
    cr_expect_eq(call.schedule.shift, 1);
    cr_expect_float_eq(cycles[1] / cycles[0], 1, 0.1, "%.0f cycles, %.0f", cycles[1], cycles[0]);
    spec_free(s);
}
