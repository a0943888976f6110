/* Faults of a slice: which are refused, and which ways lead round a dead link. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "machine/spec/fault.h"

static const struct mesh plane = { .n = { 4, 4, 1 } };

static struct fault_params no_faults(void)
{
    struct fault_params f;

    param_defaults(&fault_param_table, &f);
    return f;
}

Test(fault, by_default_there_is_none)
{
    struct fault_params f = no_faults();
    struct err e;

    cr_expect(!fault_any(&f));
    cr_expect_eq(fault_check(&f, &plane, &e), 0);
    cr_expect_null(fault_ways(&f, &plane));
    cr_expect(!fault_slow(&f, 0, 1));
}

Test(fault, a_slow_link_is_slow_both_ways)
{
    struct fault_params f = no_faults();

    f.slow_from = 5;
    f.slow_to = 6;
    cr_expect(fault_any(&f));
    cr_expect(fault_slow(&f, 5, 6) && fault_slow(&f, 6, 5) && !fault_slow(&f, 5, 4));
    f.slow_times = 1000000000;
    cr_expect(!fault_any(&f) && !fault_slow(&f, 5, 6), "once as long is no fault");
}

Test(fault, what_is_not_there_is_refused)
{
    struct err e;
    struct fault_params f = no_faults();

    f.slow_from = 16;
    cr_expect_eq(fault_check(&f, &plane, &e), -1);
    cr_expect_str_eq(e.msg, "fault.slow_from = 16: the slice has chips 0 to 15");
    f = no_faults();
    f.dead_from = 0;
    f.dead_to = 5;
    cr_expect_eq(fault_check(&f, &plane, &e), -1);
    cr_expect_str_eq(e.msg, "fault.dead_to = 5: there is no link between chips 0 and 5");
    f = no_faults();
    f.slow_chip = 16;
    cr_expect_eq(fault_check(&f, &plane, &e), 0, "which chip does not matter if none is slow");
    f.chip_times = 2000000000;
    cr_expect_eq(fault_check(&f, &plane, &e), -1);
    cr_expect_str_eq(e.msg, "fault.slow_chip = 16: the slice has chips 0 to 15");
}

Test(fault, a_link_without_which_a_chip_is_cut_off_is_refused)
{
    struct mesh row = { .n = { 4, 1, 1 } }, ring = { .n = { 4, 1, 1 }, .wrap = { true } };
    struct fault_params f = no_faults();
    struct err e;

    f.dead_from = 1;
    f.dead_to = 2;
    cr_expect_eq(fault_check(&f, &row, &e), -1);
    cr_expect_str_eq(e.msg,
                     "fault.dead_to = 2: without the link between chips 1 and 2 no way leads "
                     "from chip 3 to chip 1");
    cr_expect_eq(fault_check(&f, &ring, &e), 0);
}

Test(fault, ways_lead_round_a_dead_link_and_are_else_as_they_were)
{
    struct fault_params f = no_faults();
    uint32_t n = 16, same = 0;

    f.dead_from = 1;
    f.dead_to = 2;
    uint8_t *way = fault_ways(&f, &plane);
    cr_assert_not_null(way);
    cr_expect_eq(way[1 * n + 2], 2, "up to the next row: the lowest port of the shortest ways");
    cr_expect_eq(way[5 * n + 2], 0);
    cr_expect_eq(way[2 * n + 1], 2);
    cr_expect_eq(way[0 * n + 0], MESH_PORTS);
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            uint32_t at = from, links = 0;
            while (at != to) {
                uint32_t next = mesh_neighbour(&plane, at, way[at * n + to]);
                cr_assert(!(at == 1 && next == 2) && !(at == 2 && next == 1));
                at = next;
                cr_assert_leq(++links, 8);
            }
            if (links == mesh_distance(&plane, from, to) && from != to)
                same += way[from * n + to] == mesh_port(&plane, from, to);
        }
    /* of 240 pairs 8 are further apart now: 0 and 1 with 2 and 3.  From 1 to columns 2 and 3 of
     * other rows and from 2 to columns 0 and 1, 6 each, the first step is another one */
    cr_expect_eq(same, 240 - 8 - 6 - 6, "%u", same);
    free(way);
}
