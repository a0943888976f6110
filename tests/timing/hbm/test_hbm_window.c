/* Accesses that look for room side by side: two channels with room for one read each, of which a
 * window knows the next few.  A row of four accesses; a read issues every cycle from cycle 2 on,
 * two after it was let in, and its data ends 11 later. */
#include "hbm_channel_bench.h"

#include "hw/hbm/hbm_memory.h"

static uint64_t walk_eight(const char *map, const char *window)
{
    static const char *const small[][2] = {
        { "channels", "2" },      { "groups", "1" }, { "banks", "1" },
        { "row_bytes", "256 B" }, { "rows", "64" },  { "read_queue", "1" },
    };
    struct hbm_load load = { .pattern = HBM_SEQUENTIAL, .bytes = 512, .size = 64 };
    struct hbm_bench *b = malloc(sizeof *b);
    struct hbm_traffic w;
    struct hbm_memory m;
    struct hbm_outcome out;
    struct err err;

    hbm_bench_init(b);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        hbm_bench_set(b, small[i][0], small[i][1]);
    hbm_bench_set(b, "map", map);
    hbm_bench_set(b, "window", window);
    cr_assert_eq(hbm_memory_init(&m, &b->par, &err), 0, "%s", err.msg);
    cr_assert_eq(hbm_traffic_init(&w, &load, &m.map, &b->par, &err), 0, "%s", err.msg);
    hbm_memory_walk(&m, &w, &out);
    hbm_traffic_free(&w);
    hbm_memory_free(&m);
    free(b);
    return out.cycles;
}

/* Four accesses of one channel, then four of the other. */
Test(hbm_window, a_channel_waits_until_the_window_has_come_to_its_accesses)
{
    static const char map[] = "ro ba bg ch co";

    /* the window holds as many of the second to the fourth as it has places for, and loses one each
     * cycle from 2 on.  The fifth, the first of the other channel, is let in when a place is free
     */
    cr_expect_eq(walk_eight(map, "1"), 20, "in cycle 4; its four reads issue from 6 to 9");
    cr_expect_eq(walk_eight(map, "2"), 19, "in cycle 3");
    cr_expect_eq(walk_eight(map, "3"), 18, "in cycle 2");
    cr_expect_eq(walk_eight(map, "4"), 16, "at once");
    cr_expect_eq(walk_eight(map, "1024"), 16);
    cr_expect_eq(walk_eight(map, "0"), 16, "each channel has its accesses on its own");
}

/* Channels in turn are full at the same times: no access passes another. */
Test(hbm_window, channels_in_turn_need_none)
{
    static const char *const windows[] = { "0", "1", "2", "3", "1024" };

    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        cr_expect_eq(walk_eight("ro ba bg co ch", windows[i]), 16, "%s", windows[i]);
}
