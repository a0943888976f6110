/* Schedules step by step and their closed forms by hand; which is chosen. */
#include "tests/unit/schedule/schedule_of.h"

/* --- by hand ------------------------------------------------------------------------------- */

static void expect_cost(enum schedule_algorithm a, struct mesh m, uint64_t bytes, uint64_t hops,
                        uint64_t on_link)
{
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, a, m, mesh_size(&m), 1, bytes);
    struct schedule_cost c = schedule_cost(&s);

    cr_expect_eq(c.hops, hops, "%s: %lu hops", schedule_algorithm_name[a], c.hops);
    cr_expect_eq(c.bytes, on_link, "%s: %lu bytes", schedule_algorithm_name[a], c.bytes);
}

Test(schedule, closed_forms)
{
    /* S = 4096 times so many bytes that all divides */
    expect_cost(SCHEDULE_RING_ONE_WAY, ring8, 65536, 14, 2 * 7 * 65536 / 8);
    expect_cost(SCHEDULE_RING, ring8, 65536, 14, 7 * 65536 / 8);
    expect_cost(SCHEDULE_LINE, line4, 65536, 6, 2 * 3 * 65536 / 4);
    expect_cost(SCHEDULE_HIERARCHICAL, torus4, 65536, 12, 65536 * 15 / 16);
    expect_cost(SCHEDULE_TORUS, torus4, 65536, 12, 65536 / 2 * 15 / 16);
    /* three colours: S / 3 (1 - 1/64), S = 3 * 65536 */
    expect_cost(SCHEDULE_TORUS, cube4, 196608, 18, 65536 * 63 / 64);
    /* 1 + 2 + 4 links for S/2, S/4, S/8, there and back */
    expect_cost(SCHEDULE_HALVING, ring8, 65536, 14, 2 * (32768 + 2 * 16384 + 4 * 8192));
    /* four deep: 4 hops up, 4 down; of three pieces of 65544 / 3 the last comes in six of them */
    expect_cost(SCHEDULE_TREE, ring8, 65536, 8, 2 * (4 + 2) * 21848);
    expect_cost(SCHEDULE_TREE, torus4, 65536, 8, 2 * (4 + 2) * 21848);
    expect_cost(SCHEDULE_TREE, line4, 65536, 4, 2 * (2 + 2) * 21848);
}

/* S = 65536 among boards, walked outside this program: on a board 2 links on the longest way and
 * two parts of S / 4 on each link; between the boards of a group 3, and five of S / 32 on the
 * busiest; between groups 7.  There and back. */
Test(schedule, closed_forms_among_boards)
{
    struct mesh m = { { 4, 8, 1 }, { [0] = true, [MESH_BOARDS] = true } };

    expect_cost(SCHEDULE_EXCHANGE, m, 65536, 2 * (2 + 3), 2 * (2 * 16384 + 5 * 2048));
    m.n[2] = 36;
    struct schedule s = make_schedule(SCHEDULE_BARRIER, SCHEDULE_EXCHANGE, m, 1152, 1, 0);
    cr_expect_eq(schedule_cost(&s).hops, 2 * (2 + 3 + 7));
    cr_expect_eq(schedule_steps(&s), 2 * 3, "all 35 other groups in one step");
}

/* Who passes on to whom on an open 3 x 3 with the root in its middle, chip 4: along x to the middle
 * column, along it to the middle. */
Test(schedule, a_tree_step_by_step)
{
    struct mesh m = { { 3, 3, 1 }, { false, false, false } };
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, m, 9, 1, 120);
    static const uint32_t to[9] = { 1, 4, 1, 4, 4, 4, 7, 4, 7 };
    /* which of three pieces of 40 bytes goes in which step */
    static const char *const sent[9] = { "012.", ".012", "012.", ".012", "....",
                                         ".012", "012.", ".012", "012." };
    struct schedule_step t;

    cr_assert_eq(schedule_steps(&s), 2 * (2 + 2));
    for (uint32_t chip = 0; chip < 9; chip++)
        for (uint32_t i = 0; i < 4; i++) {
            schedule_step(&s, chip, i, &t);
            cr_expect(t.sum);
            cr_expect_eq(t.n_send, sent[chip][i] != '.', "chip %u step %u", chip, i);
            if (t.n_send) {
                cr_expect_eq(t.send[0].chip, to[chip]);
                cr_expect_eq(t.send[0].offset, 40u * (uint32_t)(sent[chip][i] - '0'));
            }
        }
    /* the root takes in the first piece at step 1, from four chips, and hands it on at step 4 */
    static const struct {
        uint32_t step, sends, takes;
        uint64_t read, write, added;
    } root[] = { { 0, 0, 0, 0, 0, 0 },  { 1, 0, 4, 40, 40, 160 }, { 3, 0, 4, 40, 40, 160 },
                 { 4, 4, 0, 40, 0, 0 }, { 6, 4, 0, 40, 0, 0 },    { 7, 0, 0, 0, 0, 0 } };
    for (size_t i = 0; i < sizeof root / sizeof *root; i++) {
        schedule_step(&s, 4, root[i].step, &t);
        cr_expect_eq(t.n_send, root[i].sends, "step %u", root[i].step);
        cr_expect_eq(t.n_recv, root[i].takes, "step %u", root[i].step);
        cr_expect_eq(t.read, root[i].read);
        cr_expect_eq(t.write, root[i].write);
        cr_expect_eq(t.added, root[i].added);
    }
    /* a corner reads its own going up and writes the sum coming down */
    schedule_step(&s, 0, 0, &t);
    cr_expect_eq(t.read, 40);
    schedule_step(&s, 0, 5, &t);
    cr_expect_eq(t.n_recv, 1);
    cr_expect_eq(t.write, 40);
}

Test(schedule, a_ring_of_four_step_by_step)
{
    struct mesh m = { { 4, 1, 1 }, { true, false, false } };
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_RING_ONE_WAY, m, 4, 1, 64);
    static const uint32_t out[6] = { 0, 3, 2, 1, 0, 3 }, in[6] = { 3, 2, 1, 0, 3, 2 };
    struct schedule_step t;

    cr_assert_eq(schedule_steps(&s), 6);
    for (uint32_t i = 0; i < 6; i++) {
        schedule_step(&s, 1, i, &t);
        cr_expect_eq(t.n_send, 1);
        cr_expect_eq(t.n_recv, 1);
        cr_expect_eq(t.send[0].chip, 2);
        cr_expect_eq(t.recv[0].chip, 0);
        cr_expect_eq(t.send[0].offset, 16 * out[i], "step %u", i);
        cr_expect_eq(t.recv[0].offset, 16 * in[i], "step %u", i);
        cr_expect_eq(t.send[0].bytes, 16);
        cr_expect_eq(t.sum, i < 3);
    }
}

/* --- the choice ---------------------------------------------------------------------------- */

static enum schedule_algorithm choose_algorithm(enum schedule_kind kind, struct mesh m,
                                                uint64_t bytes)
{
    struct schedule s = make_schedule(kind, SCHEDULE_AUTO, m, mesh_size(&m), 1, bytes);

    schedule_choose(&s, UINT64_C(1000000000), UINT64_C(62000000000)); /* 1 us, 62 GB/s */
    return s.algorithm;
}

Test(schedule, the_cheapest_is_chosen)
{
    struct mesh mesh16 = { { 4, 4, 1 }, { false, false, false } };

    cr_expect_eq(choose_algorithm(SCHEDULE_ALL_REDUCE, torus4, 100000000), SCHEDULE_TORUS);
    cr_expect_eq(choose_algorithm(SCHEDULE_ALL_REDUCE, mesh16, 100000000), SCHEDULE_TORUS);
    cr_expect_eq(choose_algorithm(SCHEDULE_ALL_REDUCE, ring8, 100000000), SCHEDULE_TORUS,
                 "one ring is one");
    cr_expect_eq(choose_algorithm(SCHEDULE_ALL_TO_ALL, torus4, 100000000), SCHEDULE_TORUS);
    cr_expect_eq(choose_algorithm(SCHEDULE_PERMUTE, torus4, 4096), SCHEDULE_DIRECT);
    /* 4 bytes over 8 chips of a line: 14 hops by any way; of 62 GB/s and 1 us a tree is no shorter
     */
    cr_expect_eq(choose_algorithm(SCHEDULE_BROADCAST, torus4, 4), SCHEDULE_TREE);
    cr_expect_eq(choose_algorithm(SCHEDULE_BROADCAST, torus4, 100000000), SCHEDULE_TREE,
                 "4 deep, not 8");
    /* 8 hops, not 12, for little; half the bytes over the busiest link for much */
    cr_expect_eq(choose_algorithm(SCHEDULE_ALL_REDUCE, torus4, 4), SCHEDULE_TREE);
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_LINE, torus4, 16, 1, 4096);
    schedule_choose(&s, UINT64_C(1000000000), UINT64_C(62000000000));
    cr_expect_eq(s.algorithm, SCHEDULE_LINE, "forced");
}

/* Every other chip of a ring of 8: two deep, edges of two links.  Each of the 2 + 3 - 1 steps one
 * way counts two hops, and two links' worth of a piece of 21848. */
Test(schedule, edges_of_several_links_pay_for_each_piece)
{
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, ring8, 4, 2, 65536);
    struct schedule_cost c = schedule_cost(&s);

    cr_expect_eq(c.hops, 2 * 4 * 2);
    cr_expect_eq(c.bytes, 2 * 4 * 2 * 21848);
    struct mesh m = { { 3, 4, 1 }, { false, false, false } };
    s = make_schedule(SCHEDULE_BROADCAST, SCHEDULE_TREE, m, 3, 4, 65536);
    cr_assert_eq(s.group.hop[0], 0, "0, 4 and 8 are no box");
    c = schedule_cost(&s);
    /* (0,0) to (1,1) and to (2,2): 2 and 4 links; one deep, three pieces */
    cr_expect_eq(c.hops, 3 * 4);
    cr_expect_eq(c.bytes, 3 * 4 * 21848);
}

/* With one piece the root has the sum on chip; with several it reads the sum again. */
Test(schedule, the_root_of_a_tree_sends_a_sum_that_just_came)
{
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, line4, 4, 1, 120);
    struct schedule_step t;

    s.pieces = 1;
    schedule_step(&s, 2, 2, &t); /* two up, then down */
    cr_expect_eq(t.n_send, 2);
    cr_expect_eq(t.read, 0);
    s.pieces = 2;
    schedule_step(&s, 2, 3, &t);
    cr_expect_eq(t.n_send, 2);
    cr_expect_eq(t.read, 60);
}

/* Four deep, 1 us a hop: 8 us and 2 S (1 + 3 / m) / B, the least with 256 pieces.  1 MB takes 40.65
 * us then, and 41.03 with 128; 100 MB are 1.2 % longer with 128.  4 bytes cannot be cut. */
Test(schedule, a_tree_is_cut_in_as_many_pieces_as_pay)
{
    static const struct {
        uint64_t bytes;
        uint32_t pieces;
    } rows[] = { { 0, 1 }, { 4, 1 }, { 1000000, 128 }, { 100000000, 256 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct schedule s =
            make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, torus4, 16, 1, rows[i].bytes);
        schedule_choose(&s, UINT64_C(1000000000), UINT64_C(62000000000));
        cr_expect_eq(s.pieces, rows[i].pieces, "%lu bytes: %u", rows[i].bytes, s.pieces);
    }
}
