/* Groups and pairs that are listed: which boxes they are, and who sends what to whom. */
#include <criterion/criterion.h>

#include "schedule/schedule_axis.h"
#include "schedule/schedule_list.h"

#define MESH(x, y, z) ((struct mesh){ .n = { x, y, z } })

/* Lists of `size` cores each. */
static struct schedule_list *list_of(struct mesh m, uint32_t per_chip, uint32_t size, uint32_t n,
                                     const uint32_t *core)
{
    uint32_t first[65];

    for (uint32_t i = 0; i <= n; i++)
        first[i] = i * size;
    return schedule_list_new(&m, per_chip, false, first, n, core);
}

/* True if groups of a stride that stand on a box stand on the same one as a list. */
static bool is_same_box(struct mesh m, uint32_t size, uint32_t stride)
{
    uint32_t core[64], n = mesh_size(&m);
    struct schedule s = { .mesh = m };
    struct mesh_group g;

    if (!mesh_group(&g, &m, size, stride) || g.hop[0] == 0)
        return true;
    for (uint32_t i = 0; i < n; i++)
        core[i] = mesh_group_chip(&g, i / size, i % size);
    struct schedule_list *l = list_of(m, 1, size, n / size, core);
    bool same = l->boxed;
    if (same) {
        schedule_list_use(&s, l);
        for (uint32_t d = 0; d < MESH_DIMS; d++)
            same = same && s.group.box.n[d] == g.box.n[d] && s.group.box.wrap[d] == g.box.wrap[d] &&
                   (g.box.n[d] == 1 || s.group.hop[d] == g.hop[d]);
    }
    schedule_list_free(l);
    return same;
}

Test(schedule_list, a_list_of_a_regular_group_is_that_group)
{
    struct mesh torus = { { 4, 2, 4 }, { true, true, true } };

    for (uint32_t size = 1; size <= 32; size++)
        for (uint32_t stride = 1; stride * size <= 32; stride++) {
            cr_expect(is_same_box(torus, size, stride), "%u, %u apart", size, stride);
            cr_expect(is_same_box(MESH(8, 4, 1), size, stride), "%u, %u apart", size, stride);
        }
}

Test(schedule_list, two_axes_that_are_not_neighbours_are_a_box)
{
    /* x and z of 2 x 2 x 2 */
    const uint32_t core[] = { 0, 1, 4, 5, 2, 3, 6, 7 };
    struct schedule s = { .mesh = MESH(2, 2, 2) };
    struct schedule_list *l = list_of(s.mesh, 1, 4, 2, core);

    cr_assert(l->boxed);
    schedule_list_use(&s, l);
    cr_expect_eq(s.group.box.n[0], 2);
    cr_expect_eq(s.group.box.n[1], 1);
    cr_expect_eq(s.group.box.n[2], 2);
    cr_expect_eq(mesh_group_chip(&s.group, 1, 3), 7);
    schedule_list_free(l);
}

Test(schedule_list, cores_of_a_chip_may_share_a_group_or_go_side_by_side)
{
    const uint32_t together[] = { 0, 1, 6, 7, 2, 3, 4, 5 }, beside[] = { 0, 4, 1, 5, 2, 6, 3, 7 },
                   mixed[] = { 0, 4, 1, 3, 2, 6, 5, 7 };
    struct schedule_list *a = list_of(MESH(2, 2, 1), 2, 4, 2, together),
                         *b = list_of(MESH(2, 2, 1), 2, 2, 4, beside),
                         *c = list_of(MESH(2, 2, 1), 2, 2, 4, mixed);

    cr_expect(!a->boxed, "chips 0 and 3, 1 and 2 are opposite corners");
    cr_expect(b->boxed && b->fan == 1 && b->size == 2, "chips 0 and 2, 1 and 3, twice each");
    cr_expect(!c->boxed);
    schedule_list_free(a);
    schedule_list_free(b);
    schedule_list_free(c);
}

/* Each part that a chip sends is received by another in the same step.  Bytes that all send. */
static uint64_t play_steps(const struct schedule *s)
{
    uint32_t n = mesh_size(&s->mesh);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < schedule_steps(s); i++) {
        int64_t due[16][16] = { { 0 } };
        for (uint32_t c = 0; c < n; c++) {
            struct schedule_step step;
            schedule_step(s, c, i, &step);
            for (uint32_t k = 0; k < step.n_send; k++) {
                due[c][step.send[k].chip] += (int64_t)step.send[k].bytes;
                sum += step.send[k].bytes;
            }
            for (uint32_t k = 0; k < step.n_recv; k++)
                due[step.recv[k].chip][c] -= (int64_t)step.recv[k].bytes;
        }
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                cr_expect_eq(due[a][b], 0, "step %u: %ld B from %u to %u", i, due[a][b], a, b);
    }
    return sum;
}

static struct schedule schedule_of(enum schedule_kind kind, enum schedule_algorithm a,
                                   struct mesh m, struct schedule_list *l)
{
    struct schedule s = {
        .kind = kind, .algorithm = a, .mesh = m, .bytes = 240, .element = 4, .pieces = 2
    };

    schedule_list_use(&s, l);
    cr_assert(schedule_fits(&s));
    return s;
}

Test(schedule_list, groups_of_several_sizes_send_what_their_kind_needs)
{
    const uint32_t core[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, first[] = { 0, 6, 8 };
    struct mesh m = MESH(2, 4, 1);
    struct schedule_list *l = schedule_list_new(&m, 1, false, first, 2, core);
    struct schedule sum = schedule_of(SCHEDULE_ALL_REDUCE, SCHEDULE_RING, m, l),
                    gather = schedule_of(SCHEDULE_ALL_GATHER, SCHEDULE_RING, m, l),
                    all = schedule_of(SCHEDULE_ALL_TO_ALL, SCHEDULE_DIRECT, m, l),
                    cast = schedule_of(SCHEDULE_BROADCAST, SCHEDULE_RING, m, l);

    /* 2 (n - 1) / n of 240 B for each core: 400 of six cores, 240 of two */
    cr_expect_eq(schedule_steps(&sum), 10);
    cr_expect_eq(play_steps(&sum), 6 * 400 + 2 * 240);
    cr_expect_eq(play_steps(&gather), 6 * 200 + 2 * 120);
    cr_expect_eq(play_steps(&all), 6 * 200 + 2 * 120);
    cr_expect_eq(play_steps(&cast), 5 * 240 + 240, "each but the source receives it once");
    cr_expect_not(schedule_uniform(&sum));
    schedule_list_free(l);
}

Test(schedule_list, cores_of_one_chip_exchange_without_a_link)
{
    /* cores 0 and 3 are on chips 0 and 1, cores 1 and 2 too; 4 and 5 share chip 2 */
    const uint32_t core[] = { 0, 3, 1, 2, 4, 5, 6, 7 };
    struct mesh m = MESH(2, 2, 1);
    struct schedule_list *l = list_of(m, 2, 2, 4, core);
    struct schedule s = schedule_of(SCHEDULE_ALL_REDUCE, SCHEDULE_RING, m, l);
    struct schedule_step step;

    cr_assert(!l->boxed);
    cr_expect_eq(play_steps(&s), 4 * 240);
    schedule_step(&s, 2, 0, &step);
    cr_expect_eq(step.n_send, 0);
    cr_expect_eq(step.added, 2 * 120, "each adds the half that it keeps");
    schedule_list_free(l);
}

Test(schedule_list, pairs_send_all_of_it_once)
{
    const uint32_t core[] = { 0, 7, 1, 2, 3, 3 }, first[] = { 0, 2, 4, 6 };
    struct mesh m = MESH(2, 4, 1);
    struct schedule_list *l = schedule_list_new(&m, 1, true, first, 3, core);
    struct schedule s = schedule_of(SCHEDULE_PERMUTE, SCHEDULE_DIRECT, m, l);

    cr_expect_eq(schedule_steps(&s), 1);
    cr_expect_eq(play_steps(&s), 480, "who sends to itself uses no link");
    schedule_list_free(l);
}
