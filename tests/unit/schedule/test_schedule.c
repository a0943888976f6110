/* Schedules as data: they do what they are for, byte for byte, and no better than links allow. */
#include "tests/unit/schedule/schedule_of.h"

#define MAX_CHIPS 108

/* A schedule played on small vectors: one number stands for an element. */
struct play {
    struct schedule s;
    uint32_t n_chips, elements;
    uint64_t *buffer[MAX_CHIPS], *before[MAX_CHIPS];
    uint64_t link[MAX_CHIPS][MESH_PORTS]; /* bytes in all */
    uint64_t busiest;                     /* of each step, added up */
    uint64_t read, write, added;
};

static uint64_t first_part(uint32_t chip, uint32_t i)
{
    return UINT64_C(1000) * chip + 7 * i + 1;
}

static void start_play(struct play *p, const struct schedule *s)
{
    *p = (struct play){ .s = *s, .n_chips = mesh_size(&s->mesh) };
    uint64_t bytes = s->kind == SCHEDULE_PERMUTE ? s->bytes + s->further : schedule_padded(s);
    p->elements = (uint32_t)(bytes / s->element);
    cr_assert_leq(p->n_chips, MAX_CHIPS);
    for (uint32_t c = 0; c < p->n_chips; c++) {
        p->buffer[c] = calloc(p->elements + 1, sizeof *p->buffer[c]);
        p->before[c] = calloc(p->elements + 1, sizeof *p->before[c]);
        for (uint32_t i = 0; i < p->elements; i++)
            p->buffer[c][i] = first_part(c, i);
    }
}

static void stop_play(struct play *p)
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

/* The k-th part sent to `to` in this step. */
static const struct schedule_part *kth_part(const struct schedule_step *step, uint32_t to,
                                            uint32_t k)
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

static void route_part(struct play *p, uint32_t from, const struct schedule_part *part,
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

static void run_case(struct play *p)
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
                route_part(p, c, &step[c].send[k], load);
            for (uint32_t k = 0; k < step[c].n_recv; k++) {
                const struct schedule_part *in = &step[c].recv[k];
                const struct schedule_part *out = kth_part(&step[in->chip], c, seen[in->chip]++);
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
static uint64_t expected_part(const struct play *p, uint32_t c, uint32_t i)
{
    const struct mesh_group *g = &p->s.group;
    uint32_t group, member, size = g->size;
    uint64_t sum = 0;

    mesh_group_of(g, c, &group, &member);
    if (p->s.kind == SCHEDULE_BROADCAST)
        return first_part(mesh_group_chip(g, group, 0), i);
    if (p->s.kind == SCHEDULE_ALL_TO_ALL) {
        uint32_t block = p->elements / size;
        return first_part(mesh_group_chip(g, group, i / block), member * block + i % block);
    }
    if (p->s.kind == SCHEDULE_PERMUTE) {
        uint32_t by = p->s.shift + (i * p->s.element >= p->s.bytes);
        uint32_t place = (mesh_place(&g->box, member) + size - by % size) % size;
        return first_part(mesh_group_chip(g, group, mesh_round(&g->box, place)), i);
    }
    for (uint32_t j = 0; j < size; j++)
        sum += first_part(mesh_group_chip(g, group, j), i);
    return sum;
}

/* Which chip of a group owns each element. */
static void find_owners(const struct play *p, uint32_t group, uint32_t *owner)
{
    struct schedule_part part[SCHEDULE_MAX_PARTS];
    uint64_t e = p->s.element;

    for (uint32_t i = 0; i < p->elements; i++)
        owner[i] = UINT32_MAX;
    for (uint32_t m = 0; m < p->s.group.size; m++) {
        uint32_t chip = mesh_group_chip(&p->s.group, group, m);
        uint32_t n = schedule_share(&p->s, chip, part);
        for (uint32_t k = 0; k < n; k++)
            for (uint64_t i = (part[k].offset + e - 1) / e;
                 i < p->elements && i * e < part[k].offset + part[k].bytes; i++) {
                cr_assert_eq(owner[i], UINT32_MAX, "two chips own element %lu", (unsigned long)i);
                owner[i] = chip;
            }
    }
    for (uint32_t i = 0; i < p->elements; i++)
        cr_assert_neq(owner[i], UINT32_MAX, "nobody owns element %u", i);
}

static void check_result(struct play *p)
{
    bool shared = p->s.kind == SCHEDULE_REDUCE_SCATTER || p->s.kind == SCHEDULE_ALL_GATHER;
    uint32_t *owner = calloc(p->elements + 1, sizeof *owner);

    for (uint32_t c = 0; c < p->n_chips; c++) {
        uint32_t group, member;
        mesh_group_of(&p->s.group, c, &group, &member);
        if (shared)
            find_owners(p, group, owner);
        for (uint32_t i = 0; i < p->elements; i++) {
            uint32_t own = shared ? owner[i] : c;
            if (p->s.kind == SCHEDULE_ALL_GATHER)
                cr_assert_eq(p->buffer[c][i], first_part(own, i), "chip %u element %u", c, i);
            else if (own == c)
                cr_assert_eq(p->buffer[c][i], expected_part(p, c, i),
                             "chip %u element %u of %s by %s", c, i, schedule_kind_name[p->s.kind],
                             schedule_algorithm_name[p->s.algorithm]);
        }
    }
    free(owner);
}

/* Bytes a chip must send at least, over all of its links. */
static uint64_t least_time(const struct schedule *s)
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

/* The chip of the low corner whose image another is: place 0 of a closed dimension; of an open one
 * of an even number the place as far from the other end.  Odd ones have no images. */
static uint32_t mirror_chip(const struct mesh *m, uint32_t chip, bool turned[MESH_DIMS])
{
    uint32_t at[MESH_DIMS];

    mesh_at(m, chip, at);
    for (int d = 0; d < MESH_DIMS; d++) {
        turned[d] = m->n[d] % 2 == 0 && !(m->wrap[d] && m->n[d] > 2) && 2 * at[d] >= m->n[d];
        at[d] = m->wrap[d] && m->n[d] > 2 ? 0 : turned[d] ? m->n[d] - 1 - at[d] : at[d];
    }
    return mesh_chip(m, at);
}

/* Every chip does what that of the first group of boards does, with chips as many groups on. */
static bool repeats_boards(const struct schedule *s)
{
    struct schedule_step a, b;
    uint32_t all = mesh_size(&s->mesh);

    for (uint32_t i = 0; i < schedule_steps(s); i++)
        for (uint32_t c = 0; c < all; c++) {
            uint32_t on = c / 32 * 32;
            schedule_step(s, c, i, &a);
            schedule_step(s, c % 32, i, &b);
            if (a.n_send != b.n_send || a.n_recv != b.n_recv || a.read != b.read ||
                a.write != b.write || a.added != b.added || a.sum != b.sum)
                return false;
            for (uint32_t k = 0; k < a.n_send; k++)
                if (a.send[k].chip != (b.send[k].chip + on) % all ||
                    bytes_of(&a.send[k]) != bytes_of(&b.send[k]) ||
                    mesh_port(&s->mesh, c, a.send[k].chip) !=
                        mesh_port(&s->mesh, c % 32, b.send[k].chip))
                    return false;
        }
    return true;
}

/* Every chip does what its image does, through the ports of the mirror. */
static bool is_mirrored(const struct schedule *s)
{
    struct schedule_step a, b;

    if (s->mesh.wrap[MESH_BOARDS])
        return repeats_boards(s);
    for (uint32_t i = 0; i < schedule_steps(s); i++)
        for (uint32_t c = 0; c < mesh_size(&s->mesh); c++) {
            uint64_t sent[2][MESH_PORTS] = { { 0 } };
            bool turned[MESH_DIMS];
            uint32_t image = mirror_chip(&s->mesh, c, turned);
            schedule_step(s, c, i, &a);
            schedule_step(s, image, i, &b);
            if (a.n_send != b.n_send || a.n_recv != b.n_recv || a.read != b.read ||
                a.write != b.write || a.added != b.added || a.sum != b.sum)
                return false;
            for (uint32_t k = 0; k < a.n_send; k++) {
                uint32_t port = mesh_port(&s->mesh, c, a.send[k].chip);
                if (mesh_distance(&s->mesh, c, a.send[k].chip) != 1)
                    return false;
                sent[0][turned[port / 2] ? port ^ 1 : port] += bytes_of(&a.send[k]);
                sent[1][mesh_port(&s->mesh, image, b.send[k].chip)] += bytes_of(&b.send[k]);
            }
            if (memcmp(sent[0], sent[1], sizeof sent[0]) != 0)
                return false;
        }
    return true;
}

static bool is_adjacent(const struct mesh_group *g)
{
    for (int d = 0; d < MESH_DIMS; d++)
        if (g->box.n[d] > 1 && g->hop[d] != 1)
            return false;
    return g->hop[0] != 0;
}

static bool closed_form_is_exact(const struct schedule *s)
{
    if (s->algorithm == SCHEDULE_TREE)
        return is_adjacent(&s->group);
    if (s->algorithm == SCHEDULE_EXCHANGE)
        return s->group.size == mesh_size(&s->mesh);
    if (s->kind == SCHEDULE_BROADCAST)
        return s->algorithm == SCHEDULE_RING && mesh_closed(&s->group.box) &&
               is_adjacent(&s->group);
    return s->algorithm == SCHEDULE_TORUS || s->algorithm == SCHEDULE_HIERARCHICAL ||
           ((s->algorithm == SCHEDULE_RING || s->algorithm == SCHEDULE_RING_ONE_WAY) &&
            mesh_closed(&s->group.box) && is_adjacent(&s->group));
}

static uint32_t tried, in_mirrors;

static void try_all(struct mesh m, uint32_t size, uint32_t stride, uint64_t bytes)
{
    struct mesh_group g;

    if (!mesh_group(&g, &m, size, stride))
        return;
    for (int kind = 0; kind < SCHEDULE_N_KINDS; kind++)
        for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
            struct schedule s =
                make_schedule((enum schedule_kind)kind, (enum schedule_algorithm)a, m, size, stride,
                              kind == SCHEDULE_BARRIER ? 0 : bytes);
            s.shift = kind == SCHEDULE_PERMUTE ? (uint32_t)(bytes / 4) % size : 0;
            s.further = kind == SCHEDULE_PERMUTE ? 8 : 0;
            if (!schedule_fits(&s))
                continue;
            struct play p;
            start_play(&p, &s);
            run_case(&p);
            check_result(&p);
            if (schedule_mirrored(&s)) {
                cr_assert(is_mirrored(&s), "%s by %s on %ux%ux%u is not mirrored",
                          schedule_kind_name[kind], schedule_algorithm_name[a], m.n[0], m.n[1],
                          m.n[2]);
                in_mirrors++;
            }
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
                    cr_assert_geq(p.busiest * links_out(&m, chip), least_time(&s));
            }
            stop_play(&p);
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
    cr_expect_gt(in_mirrors, 500);
}

Test(schedule, larger_tori)
{
    try_all((struct mesh){ { 8, 4, 1 }, { true, true, false } }, 32, 1, 4000);
    try_all((struct mesh){ { 4, 4, 4 }, { true, true, true } }, 64, 1, 400);
    try_all((struct mesh){ { 16, 2, 1 }, { true, false, false } }, 32, 1, 40);
    try_all((struct mesh){ { 5, 3, 3 }, { true, true, true } }, 45, 1, 400);
    try_all((struct mesh){ { 32, 1, 1 }, { true, false, false } }, 32, 1, 4000);
}

Test(schedule, twisted_tori)
{
    uint32_t before = tried;

    try_all((struct mesh){ { 3, 6, 3 }, { true, true, true, true } }, 54, 1, 500);
    try_all((struct mesh){ { 3, 6, 6 }, { true, true, true, true } }, 108, 1, 36);
    try_all((struct mesh){ { 3, 3, 6 }, { true, true, true, true } }, 54, 1, 4000);
    try_all((struct mesh){ { 4, 8, 1 }, { true, true, false, true } }, 32, 1, 4000);
    /* parts of it, along a long axis and along short ones */
    try_all((struct mesh){ { 3, 3, 6 }, { true, true, true, true } }, 6, 9, 4000);
    try_all((struct mesh){ { 3, 3, 6 }, { true, true, true, true } }, 9, 1, 4000);
    try_all((struct mesh){ { 3, 3, 6 }, { true, true, true, true } }, 27, 2, 4000);
    cr_expect_gt(tried, before + 80);
}

/* Groups within a board, of boards, of groups of boards, and of chips at any distance. */
Test(schedule, boards)
{
    static const uint32_t rows[][3] = { { 1, 32, 1 }, { 1, 4, 1 },  { 1, 8, 4 },  { 1, 2, 2 },
                                        { 1, 16, 2 }, { 2, 64, 1 }, { 2, 2, 32 }, { 3, 96, 1 },
                                        { 3, 3, 32 }, { 3, 24, 4 } };
    uint32_t before = tried;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_all((struct mesh){ { 4, 8, rows[i][0] }, { [0] = true, [MESH_BOARDS] = true } },
                rows[i][1], rows[i][2], 4000);
    cr_expect_gt(tried, before + 150);
}

Test(schedule, hbm_moves_what_a_step_moves)
{
    /* a reduce-scatter reads each of the four parts once and writes one; a gather the reverse */
    struct mesh m = { { 4, 1, 1 }, { true, false, false } };
    struct play p;

    for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
        struct schedule s = make_schedule(SCHEDULE_REDUCE_SCATTER, (enum schedule_algorithm)a,
                                          a == SCHEDULE_LINE ? line4 : m, 4, 1, 640);
        if (a == SCHEDULE_HALVING || !schedule_fits(&s))
            continue;
        start_play(&p, &s);
        run_case(&p);
        cr_expect_eq(p.read, 4 * 640, "%s reads %lu", schedule_algorithm_name[a], p.read);
        cr_expect_eq(p.write, 4 * 160, "%s writes %lu", schedule_algorithm_name[a], p.write);
        cr_expect_eq(p.added, 4 * 480);
        stop_play(&p);
        s.kind = SCHEDULE_ALL_GATHER;
        start_play(&p, &s);
        run_case(&p);
        cr_expect_eq(p.read, 4 * 160, "%s reads %lu", schedule_algorithm_name[a], p.read);
        cr_expect_eq(p.write, 4 * 480, "%s writes %lu", schedule_algorithm_name[a], p.write);
        cr_expect_eq(p.added, 0);
        stop_play(&p);
    }
}

Test(schedule, all_links_of_a_torus_are_equally_busy)
{
    struct schedule s = make_schedule(SCHEDULE_ALL_REDUCE, SCHEDULE_TORUS, torus4, 16, 1, 65536);
    struct play p;

    start_play(&p, &s);
    run_case(&p);
    for (uint32_t c = 0; c < 16; c++)
        for (uint32_t k = 0; k < 4; k++)
            cr_expect_eq(p.link[c][k], 30720, "chip %u port %u: %lu", c, k, p.link[c][k]);
    stop_play(&p);
}
