/* Many messages: closed forms and walks together give what a walk of all gives. */
#include <criterion/criterion.h>

#include "dice.h"
#include "hw/noc/messages.h"

enum { MOST = 40 };

/* The number of messages that were not walked. */
static uint32_t compare_walks(uint64_t seed)
{
    static const char *const grids[][2] = { { "mesh", "4x4" },
                                            { "torus", "4x4" },
                                            { "torus", "8" },
                                            { "torus", "4x4x4" },
                                            { "twisted", "4x8" } };
    struct message m[MOST], all[MOST];
    struct topology t;
    struct err e;
    uint64_t s = seed;
    uint32_t g = dice_below(&s, 5), n = 1 + dice_below(&s, MOST), folded = 0;

    cr_assert_eq(topology_parse(&t, grids[g][0], grids[g][1], &e), 0);
    struct message_slow slow = { dice_below(&s, t.n_nodes), 0, 1 + dice_below(&s, 4) };
    struct message_world w = { .topology = &t,
                               .par = { .routing = NETWORK_DIMENSION,
                                        .vcs = 4,
                                        .depth = 32,
                                        .link = 1 + dice_below(&s, 9),
                                        .credit = dice_below(&s, 4) },
                               .packet = 1 + dice_below(&s, 30),
                               .slow = &slow,
                               .n_slow = dice_below(&s, 2),
                               .fold = network_alone };
    uint32_t span = 1 + dice_below(&s, 3000);
    for (uint32_t i = 0; i < n; i++)
        all[i] = m[i] = (struct message){ .from = dice_below(&s, t.n_nodes),
                                          .to = dice_below(&s, t.n_nodes),
                                          .flits = 1 + dice_below(&s, 200),
                                          .start = dice_below(&s, span) };
    cr_assert_eq(messages_run(&w, m, n, &e), 0, "%s", e.msg);
    w.fold = NULL;
    cr_assert_eq(messages_run(&w, all, n, &e), 0, "%s", e.msg);
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(all[i].walked);
        cr_assert_eq(m[i].done, all[i].done, "seed %lu: message %u of %u is there in %lu, not %lu",
                     (unsigned long)seed, i, n, (unsigned long)m[i].done,
                     (unsigned long)all[i].done);
        folded += !m[i].walked;
    }
    return folded;
}

Test(messages, closed_forms_and_walks_agree_with_a_walk_of_all)
{
    uint32_t folded = 0;

    for (uint64_t seed = 1; seed <= 400; seed++)
        folded += compare_walks(seed);
    cr_expect(folded > 400, "%u", folded);
}

Test(messages, who_meets_nobody_is_not_walked)
{
    struct topology t;
    struct err e;
    struct message m[] = {
        { .from = 0, .to = 2, .flits = 10, .start = 0 },
        { .from = 1, .to = 3, .flits = 10, .start = 0 },   /* shares the link from 1 to 2 */
        { .from = 3, .to = 1, .flits = 10, .start = 0 },   /* the other way: other links */
        { .from = 0, .to = 2, .flits = 10, .start = 500 }, /* long after */
    };
    struct message_world w = { .topology = &t,
                               .par = { NETWORK_DIMENSION, 4, 16, 2, 2 },
                               .packet = 16,
                               .fold = network_alone };

    topology_parse(&t, "mesh", "4", &e);
    cr_assert_eq(messages_run(&w, m, 4, &e), 0);
    cr_expect(m[0].walked && m[1].walked && !m[2].walked && !m[3].walked);
    cr_expect_eq(m[2].done, 19 + 9);
    cr_expect_eq(m[3].done, 500 + 19 + 9);
    /* node 1's own flits cross the shared link from cycle 4; node 0's head asks in 10 and from then
     * on they take turns: 4 left of node 1's cross in 11, 13, 15 and 17.  The last is at node 2 in
     * 21, waits two cycles behind others of its port, and at node 3 leaves as it comes, in 27 */
    cr_expect_eq(m[1].done, 30);
    cr_expect_eq(m[0].done, 23 + 4 + 2 + 3);
}
