/* Schedules as data: they do what they are for, byte for byte, and no better than links allow. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/schedule.h"

#define MAX_CHIPS 64

/* A schedule played on small vectors: one number stands for an element. */
struct play {
    struct schedule s;
    uint32_t n_chips, elements;
    uint64_t *buffer[MAX_CHIPS], *before[MAX_CHIPS];
    uint64_t link[MAX_CHIPS][MESH_PORTS]; /* bytes in all */
    uint64_t busiest;                     /* of each step, added up */
    uint64_t read, write, added;
};

static struct schedule schedule(enum schedule_kind kind, enum schedule_algorithm algorithm,
                                struct mesh m, uint32_t size, uint32_t stride, uint64_t bytes)
{
    struct schedule s = {
        .kind = kind, .algorithm = algorithm, .mesh = m, .bytes = bytes, .element = 4, .pieces = 3
    };

    cr_assert(mesh_group(&s.group, &m, size, stride));
    return s;
}

static uint64_t first(uint32_t chip, uint32_t i)
{
    return UINT64_C(1000) * chip + 7 * i + 1;
}

static void start(struct play *p, const struct schedule *s)
{
    *p = (struct play){ .s = *s, .n_chips = mesh_size(&s->mesh) };
    uint64_t bytes = s->kind == SCHEDULE_PERMUTE ? s->bytes + s->further : schedule_padded(s);
    p->elements = (uint32_t)(bytes / s->element);
    cr_assert_leq(p->n_chips, MAX_CHIPS);
    for (uint32_t c = 0; c < p->n_chips; c++) {
        p->buffer[c] = calloc(p->elements + 1, sizeof *p->buffer[c]);
        p->before[c] = calloc(p->elements + 1, sizeof *p->before[c]);
        for (uint32_t i = 0; i < p->elements; i++)
            p->buffer[c][i] = first(c, i);
    }
}

static void stop(struct play *p)
{
    for (uint32_t c = 0; c < p->n_chips; c++) {
        free(p->buffer[c]);
        free(p->before[c]);
    }
}

static uint64_t bytes_of(const struct schedule_part *part)
{
    return part->bytes * part->count;
}

/* What `from` sends to `to` as its k-th part in this step. */
static const struct schedule_part *kth(const struct schedule_step *step, uint32_t to, uint32_t k)
{
    for (uint32_t i = 0; i < step->n_send; i++)
        if (step->send[i].chip == to && k-- == 0)
            return &step->send[i];
    return NULL;
}

static void take_in(struct play *p, uint32_t chip, const struct schedule_step *mine,
                    const struct schedule_part *out, const struct schedule_part *in)
{
    uint32_t e = p->s.element;

    cr_assert_eq(bytes_of(out), bytes_of(in), "a part of another size is sent than taken in");
    cr_assert_eq(out->bytes % e, 0);
    cr_assert_eq(out->offset % e, 0);
    for (uint64_t i = 0; i < bytes_of(in) / e; i++) {
        uint64_t at = i * e, a = out->offset + at / out->bytes * out->pitch + at % out->bytes,
                 b = in->offset + at / in->bytes * in->pitch + at % in->bytes;
        cr_assert_lt(a / e, p->elements);
        cr_assert_lt(b / e, p->elements);
        uint64_t v = p->before[in->chip][a / e];
        p->buffer[chip][b / e] = mine->sum ? p->buffer[chip][b / e] + v : v;
    }
}

static void route(struct play *p, uint32_t from, const struct schedule_part *part,
                  uint64_t load[MAX_CHIPS][MESH_PORTS])
{
    while (from != part->chip) {
        uint32_t port = mesh_port(&p->s.mesh, from, part->chip);
        load[from][port] += bytes_of(part);
        p->link[from][port] += bytes_of(part);
        from = mesh_neighbour(&p->s.mesh, from, port);
        cr_assert_neq(from, MESH_NO_PORT);
    }
}

static void run(struct play *p)
{
    static struct schedule_step step[MAX_CHIPS];

    for (uint32_t i = 0; i < schedule_steps(&p->s); i++) {
        uint64_t load[MAX_CHIPS][MESH_PORTS] = { { 0 } }, most = 0;
        uint32_t sent = 0, taken = 0;
        for (uint32_t c = 0; c < p->n_chips; c++) {
            schedule_step(&p->s, c, i, &step[c]);
            memcpy(p->before[c], p->buffer[c], p->elements * sizeof *p->buffer[c]);
            p->read += step[c].read;
            p->write += step[c].write;
            p->added += step[c].added;
        }
        for (uint32_t c = 0; c < p->n_chips; c++) {
            uint32_t seen[MAX_CHIPS] = { 0 };
            sent += step[c].n_send;
            taken += step[c].n_recv;
            for (uint32_t k = 0; k < step[c].n_send; k++)
                route(p, c, &step[c].send[k], load);
            for (uint32_t k = 0; k < step[c].n_recv; k++) {
                const struct schedule_part *in = &step[c].recv[k];
                const struct schedule_part *out = kth(&step[in->chip], c, seen[in->chip]++);
                cr_assert_not_null(out, "step %u: chip %u waits for chip %u in vain", i, c,
                                   in->chip);
                take_in(p, c, &step[c], out, in);
            }
        }
        cr_assert_eq(sent, taken, "step %u: somebody sends what nobody takes in", i);
        for (uint32_t c = 0; c < p->n_chips; c++)
            for (uint32_t k = 0; k < MESH_PORTS; k++)
                most = load[c][k] > most ? load[c][k] : most;
        p->busiest += most;
    }
}

/* Does chip `c` hold what it should in element `i`? */
static uint64_t expected(const struct play *p, uint32_t c, uint32_t i)
{
    const struct mesh_group *g = &p->s.group;
    uint32_t group, member, size = g->size;
    uint64_t sum = 0;

    mesh_group_of(g, c, &group, &member);
    if (p->s.kind == SCHEDULE_BROADCAST)
        return first(mesh_group_chip(g, group, 0), i);
    if (p->s.kind == SCHEDULE_ALL_TO_ALL) {
        uint32_t block = p->elements / size;
        return first(mesh_group_chip(g, group, i / block), member * block + i % block);
    }
    if (p->s.kind == SCHEDULE_PERMUTE) {
        uint32_t by = p->s.shift + (i * p->s.element >= p->s.bytes);
        uint32_t place = (mesh_place(&g->box, member) + size - by % size) % size;
        return first(mesh_group_chip(g, group, mesh_round(&g->box, place)), i);
    }
    for (uint32_t j = 0; j < size; j++)
        sum += first(mesh_group_chip(g, group, j), i);
    return sum;
}

static uint32_t owner(const struct play *p, uint32_t group, uint32_t i)
{
    struct schedule_part part[SCHEDULE_MAX_PARTS];
    uint32_t found = UINT32_MAX;

    for (uint32_t m = 0; m < p->s.group.size; m++) {
        uint32_t chip = mesh_group_chip(&p->s.group, group, m);
        uint32_t n = schedule_share(&p->s, chip, part);
        for (uint32_t k = 0; k < n; k++) {
            uint64_t at = (uint64_t)i * p->s.element;
            if (at < part[k].offset || at >= part[k].offset + part[k].bytes)
                continue;
            cr_assert_eq(found, UINT32_MAX, "two chips own element %u", i);
            found = chip;
        }
    }
    cr_assert_neq(found, UINT32_MAX, "nobody owns element %u", i);
    return found;
}

static void check(struct play *p)
{
    bool shared = p->s.kind == SCHEDULE_REDUCE_SCATTER || p->s.kind == SCHEDULE_ALL_GATHER;

    for (uint32_t c = 0; c < p->n_chips; c++) {
        uint32_t group, member;
        mesh_group_of(&p->s.group, c, &group, &member);
        for (uint32_t i = 0; i < p->elements; i++) {
            uint32_t own = shared ? owner(p, group, i) : c;
            if (p->s.kind == SCHEDULE_ALL_GATHER)
                cr_assert_eq(p->buffer[c][i], first(own, i), "chip %u element %u", c, i);
            else if (own == c)
                cr_assert_eq(p->buffer[c][i], expected(p, c, i), "chip %u element %u of %s by %s",
                             c, i, schedule_kind_name[p->s.kind],
                             schedule_algorithm_name[p->s.algorithm]);
        }
    }
}

/* Bytes a chip must send at least, over all of its links. */
static uint64_t least(const struct schedule *s)
{
    uint64_t all = schedule_padded(s), n = s->group.size, once = all / n * (n - 1);

    return s->kind == SCHEDULE_ALL_REDUCE ? 2 * once : once;
}

static uint32_t links_out(const struct mesh *m, uint32_t chip)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < MESH_PORTS; p++)
        n += mesh_neighbour(m, chip, p) != MESH_NO_PORT;
    return n;
}

/* All chips alike in every step, each link with one part of the same size. */
static bool is_uniform(const struct schedule *s)
{
    struct schedule_step zero, step;

    for (uint32_t i = 0; i < schedule_steps(s); i++) {
        schedule_step(s, 0, i, &zero);
        for (uint32_t c = 0; c < mesh_size(&s->mesh); c++) {
            bool used[MESH_PORTS] = { false };
            uint64_t sum[2] = { 0, 0 };
            schedule_step(s, c, i, &step);
            if (step.n_send != zero.n_send || step.n_recv != zero.n_recv ||
                step.read != zero.read || step.write != zero.write || step.added != zero.added)
                return false;
            for (uint32_t k = 0; k < step.n_send; k++) {
                uint32_t port = mesh_port(&s->mesh, c, step.send[k].chip);
                if (mesh_distance(&s->mesh, c, step.send[k].chip) != 1 || used[port])
                    return false;
                used[port] = true;
                sum[0] += bytes_of(&step.send[k]) * bytes_of(&step.send[k]);
                sum[1] += bytes_of(&zero.send[k]) * bytes_of(&zero.send[k]);
            }
            if (sum[0] != sum[1])
                return false;
        }
    }
    return true;
}

static bool adjacent(const struct mesh_group *g)
{
    for (int d = 0; d < MESH_DIMS; d++)
        if (g->box.n[d] > 1 && g->hop[d] != 1)
            return false;
    return g->hop[0] != 0;
}

static bool closed_form_is_exact(const struct schedule *s)
{
    if (s->algorithm == SCHEDULE_TREE)
        return adjacent(&s->group);
    if (s->kind == SCHEDULE_BROADCAST)
        return s->algorithm == SCHEDULE_RING && mesh_closed(&s->group.box) && adjacent(&s->group);
    return s->algorithm == SCHEDULE_TORUS || s->algorithm == SCHEDULE_HIERARCHICAL ||
           ((s->algorithm == SCHEDULE_RING || s->algorithm == SCHEDULE_RING_ONE_WAY) &&
            mesh_closed(&s->group.box) && adjacent(&s->group));
}

static uint32_t tried;

static void try_all(struct mesh m, uint32_t size, uint32_t stride, uint64_t bytes)
{
    struct mesh_group g;

    if (!mesh_group(&g, &m, size, stride))
        return;
    for (int kind = 0; kind < SCHEDULE_N_KINDS; kind++)
        for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
            struct schedule s =
                schedule(kind, a, m, size, stride, kind == SCHEDULE_BARRIER ? 0 : bytes);
            s.shift = kind == SCHEDULE_PERMUTE ? (uint32_t)(bytes / 4) % size : 0;
            s.further = kind == SCHEDULE_PERMUTE ? 8 : 0;
            if (!schedule_fits(&s))
                continue;
            struct play p;
            start(&p, &s);
            run(&p);
            check(&p);
            if (schedule_uniform(&s))
                cr_assert(is_uniform(&s), "%s by %s on %ux%ux%u is not uniform",
                          schedule_kind_name[kind], schedule_algorithm_name[a], m.n[0], m.n[1],
                          m.n[2]);
            if (kind <= SCHEDULE_ALL_GATHER || kind == SCHEDULE_BROADCAST) {
                struct schedule_cost c = schedule_cost(&s);
                if (closed_form_is_exact(&s))
                    cr_assert_eq(c.bytes, p.busiest, "%s by %s: %lu, not %lu",
                                 schedule_kind_name[kind], schedule_algorithm_name[a], c.bytes,
                                 p.busiest);
                if (s.group.hop[0])
                    cr_assert_geq(c.bytes, p.busiest,
                                  "%s by %s on %ux%ux%u, %u by %u: %lu, not %lu",
                                  schedule_kind_name[kind], schedule_algorithm_name[a], m.n[0],
                                  m.n[1], m.n[2], size, stride, c.bytes, p.busiest);
                for (uint32_t chip = 0; kind != SCHEDULE_BROADCAST && size > 1 && chip < p.n_chips;
                     chip++)
                    cr_assert_geq(p.busiest * links_out(&m, chip), least(&s));
            }
            stop(&p);
            tried++;
        }
}

Test(schedule, every_algorithm_does_its_work_on_every_group)
{
    for (uint32_t x = 1; x <= 4; x++)
        for (uint32_t y = 1; y <= 4; y++)
            for (uint32_t z = 1; z <= 2; z++)
                for (uint32_t wrap = 0; wrap < 8; wrap = 4 * wrap + (wrap ? 3 : 1)) {
                    struct mesh m = { { x, y, z }, { wrap & 1, wrap & 2, wrap & 4 } };
                    uint32_t n = x * y * z;
                    for (uint32_t size = 1; size <= n; size++)
                        for (uint32_t stride = 1; stride <= n / size; stride++)
                            try_all(m, size, stride, 4 * (1 + (size * 7 + stride) % 50));
                }
    cr_expect_gt(tried, 10000);
}

Test(schedule, larger_tori)
{
    try_all((struct mesh){ { 8, 8, 1 }, { true, true, false } }, 64, 1, 4000);
    try_all((struct mesh){ { 4, 4, 4 }, { true, true, true } }, 64, 1, 4000);
    try_all((struct mesh){ { 16, 4, 1 }, { true, false, false } }, 64, 1, 40);
    try_all((struct mesh){ { 5, 3, 3 }, { true, true, true } }, 45, 1, 400);
    try_all((struct mesh){ { 64, 1, 1 }, { true, false, false } }, 64, 1, 4000);
}

/* --- by hand ------------------------------------------------------------------------------- */

static const struct mesh ring8 = { { 8, 1, 1 }, { true, false, false } };
static const struct mesh line4 = { { 4, 1, 1 }, { false, false, false } };
static const struct mesh torus4 = { { 4, 4, 1 }, { true, true, false } };
static const struct mesh cube4 = { { 4, 4, 4 }, { true, true, true } };

static void expect_cost(enum schedule_algorithm a, struct mesh m, uint64_t bytes, uint64_t hops,
                        uint64_t on_link)
{
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, a, m, mesh_size(&m), 1, bytes);
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

/* Who passes on to whom on an open 3 x 3 with the root in its middle, chip 4: along x to the middle
 * column, along it to the middle. */
Test(schedule, a_tree_step_by_step)
{
    struct mesh m = { { 3, 3, 1 }, { false, false, false } };
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, m, 9, 1, 120);
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
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_RING_ONE_WAY, m, 4, 1, 64);
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

Test(schedule, hbm_moves_what_a_step_moves)
{
    /* a reduce-scatter reads each of the four parts once and writes one; a gather the reverse */
    struct mesh m = { { 4, 1, 1 }, { true, false, false } };
    struct play p;

    for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
        struct schedule s =
            schedule(SCHEDULE_REDUCE_SCATTER, a, a == SCHEDULE_LINE ? line4 : m, 4, 1, 640);
        if (a == SCHEDULE_HALVING || !schedule_fits(&s))
            continue;
        start(&p, &s);
        run(&p);
        cr_expect_eq(p.read, 4 * 640, "%s reads %lu", schedule_algorithm_name[a], p.read);
        cr_expect_eq(p.write, 4 * 160, "%s writes %lu", schedule_algorithm_name[a], p.write);
        cr_expect_eq(p.added, 4 * 480);
        stop(&p);
        s.kind = SCHEDULE_ALL_GATHER;
        start(&p, &s);
        run(&p);
        cr_expect_eq(p.read, 4 * 160, "%s reads %lu", schedule_algorithm_name[a], p.read);
        cr_expect_eq(p.write, 4 * 480, "%s writes %lu", schedule_algorithm_name[a], p.write);
        cr_expect_eq(p.added, 0);
        stop(&p);
    }
}

Test(schedule, all_links_of_a_torus_are_equally_busy)
{
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TORUS, torus4, 16, 1, 65536);
    struct play p;

    start(&p, &s);
    run(&p);
    for (uint32_t c = 0; c < 16; c++)
        for (uint32_t k = 0; k < 4; k++)
            cr_expect_eq(p.link[c][k], 30720, "chip %u port %u: %lu", c, k, p.link[c][k]);
    stop(&p);
}

/* --- the choice ---------------------------------------------------------------------------- */

static enum schedule_algorithm chosen(enum schedule_kind kind, struct mesh m, uint64_t bytes)
{
    struct schedule s = schedule(kind, SCHEDULE_AUTO, m, mesh_size(&m), 1, bytes);

    schedule_choose(&s, UINT64_C(1000000000), UINT64_C(62000000000)); /* 1 us, 62 GB/s */
    return s.algorithm;
}

Test(schedule, the_cheapest_is_chosen)
{
    struct mesh mesh16 = { { 4, 4, 1 }, { false, false, false } };

    cr_expect_eq(chosen(SCHEDULE_ALL_REDUCE, torus4, 100000000), SCHEDULE_TORUS);
    cr_expect_eq(chosen(SCHEDULE_ALL_REDUCE, mesh16, 100000000), SCHEDULE_TORUS);
    cr_expect_eq(chosen(SCHEDULE_ALL_REDUCE, ring8, 100000000), SCHEDULE_TORUS, "one ring is one");
    cr_expect_eq(chosen(SCHEDULE_ALL_TO_ALL, torus4, 100000000), SCHEDULE_TORUS);
    cr_expect_eq(chosen(SCHEDULE_PERMUTE, torus4, 4096), SCHEDULE_DIRECT);
    /* 4 bytes over 8 chips of a line: 14 hops by any way; of 62 GB/s and 1 us a tree is no shorter
     */
    cr_expect_eq(chosen(SCHEDULE_BROADCAST, torus4, 4), SCHEDULE_TREE);
    cr_expect_eq(chosen(SCHEDULE_BROADCAST, torus4, 100000000), SCHEDULE_TREE, "4 deep, not 8");
    /* 8 hops, not 12, for little; half the bytes over the busiest link for much */
    cr_expect_eq(chosen(SCHEDULE_ALL_REDUCE, torus4, 4), SCHEDULE_TREE);
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_LINE, torus4, 16, 1, 4096);
    schedule_choose(&s, UINT64_C(1000000000), UINT64_C(62000000000));
    cr_expect_eq(s.algorithm, SCHEDULE_LINE, "forced");
}

/* Every other chip of a ring of 8: two deep, edges of two links.  Each of the 2 + 3 - 1 steps one
 * way counts two hops, and two links' worth of a piece of 21848. */
Test(schedule, edges_of_several_links_pay_for_each_piece)
{
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, ring8, 4, 2, 65536);
    struct schedule_cost c = schedule_cost(&s);

    cr_expect_eq(c.hops, 2 * 4 * 2);
    cr_expect_eq(c.bytes, 2 * 4 * 2 * 21848);
    struct mesh m = { { 3, 4, 1 }, { false, false, false } };
    s = schedule(SCHEDULE_BROADCAST, SCHEDULE_TREE, m, 3, 4, 65536);
    cr_assert_eq(s.group.hop[0], 0, "0, 4 and 8 are no box");
    c = schedule_cost(&s);
    /* (0,0) to (1,1) and to (2,2): 2 and 4 links; one deep, three pieces */
    cr_expect_eq(c.hops, 3 * 4);
    cr_expect_eq(c.bytes, 3 * 4 * 21848);
}

/* Of one piece the root has the sum on chip; of several it reads it again. */
Test(schedule, the_root_of_a_tree_sends_a_sum_that_just_came)
{
    struct schedule s = schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, line4, 4, 1, 120);
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
            schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TREE, torus4, 16, 1, rows[i].bytes);
        schedule_choose(&s, UINT64_C(1000000000), UINT64_C(62000000000));
        cr_expect_eq(s.pieces, rows[i].pieces, "%lu bytes: %u", rows[i].bytes, s.pieces);
    }
}
