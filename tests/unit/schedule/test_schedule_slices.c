/* Schedules over several slices, played on small vectors: every chip ends with what it should,
 * links and the network between slices carry what the closed forms say, and no less than they must.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/net/collective.h"
#include "schedule/schedule_slices.h"

#define MAX_CHIPS 48

struct play {
    struct schedule s;
    uint32_t slices, chips, elements; /* chips of all slices */
    uint64_t *buffer[MAX_CHIPS], *before[MAX_CHIPS];
    uint64_t far_out[MAX_CHIPS], far_in[MAX_CHIPS]; /* bytes to and from other slices */
    uint64_t read, write, added;
};

static uint64_t first_part(uint32_t chip, uint32_t i)
{
    return UINT64_C(1000) * chip + 7 * i + 1;
}

static void start_play(struct play *p, const struct schedule *s, uint32_t slices)
{
    *p = (struct play){ .s = *s, .slices = slices, .chips = slices * mesh_size(&s->mesh) };
    p->elements = (uint32_t)(schedule_padded(s) / s->element);
    cr_assert_leq(p->chips, MAX_CHIPS);
    for (uint32_t c = 0; c < p->chips; c++) {
        p->buffer[c] = calloc(p->elements + 1, sizeof *p->buffer[c]);
        p->before[c] = calloc(p->elements + 1, sizeof *p->before[c]);
        for (uint32_t i = 0; i < p->elements; i++)
            p->buffer[c][i] = first_part(c, i);
    }
}

static void stop_play(struct play *p)
{
    for (uint32_t c = 0; c < p->chips; c++) {
        free(p->buffer[c]);
        free(p->before[c]);
    }
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

static void take_in(struct play *p, uint32_t chip, bool sum, const struct schedule_part *out,
                    const struct schedule_part *in)
{
    uint32_t e = p->s.element, here = mesh_size(&p->s.mesh);
    uint64_t bytes = in->bytes * in->count;

    cr_assert_eq(out->bytes * out->count, bytes);
    for (uint64_t i = 0; i < bytes / e; i++) {
        uint64_t at = i * e, a = out->offset + at / out->bytes * out->pitch + at % out->bytes,
                 b = in->offset + at / in->bytes * in->pitch + at % in->bytes;
        cr_assert_lt(a / e, p->elements);
        cr_assert_lt(b / e, p->elements);
        uint64_t v = p->before[in->chip][a / e];
        p->buffer[chip][b / e] = sum ? p->buffer[chip][b / e] + v : v;
    }
    if (in->chip / here != chip / here) {
        cr_assert_eq(in->chip % here, chip % here, "only chips of one place talk over slices");
        p->far_in[chip] += bytes;
        p->far_out[in->chip] += bytes;
    }
}

static void run_case(struct play *p)
{
    static struct schedule_step step[MAX_CHIPS];

    for (uint32_t i = 0; i < schedule_steps(&p->s); i++) {
        uint32_t sent = 0, taken = 0;
        for (uint32_t c = 0; c < p->chips; c++) {
            schedule_step(&p->s, c, i, &step[c]);
            memcpy(p->before[c], p->buffer[c], p->elements * sizeof *p->buffer[c]);
            p->read += step[c].read;
            p->write += step[c].write;
            p->added += step[c].added;
        }
        for (uint32_t c = 0; c < p->chips; c++) {
            uint32_t seen[MAX_CHIPS] = { 0 };
            sent += step[c].n_send;
            taken += step[c].n_recv;
            for (uint32_t k = 0; k < step[c].n_recv; k++) {
                const struct schedule_part *in = &step[c].recv[k];
                const struct schedule_part *out = kth_part(&step[in->chip], c, seen[in->chip]++);
                cr_assert_not_null(out, "step %u: chip %u waits for chip %u in vain", i, c,
                                   in->chip);
                take_in(p, c, step[c].sum, out, in);
            }
        }
        cr_assert_eq(sent, taken, "step %u: somebody sends what nobody takes in", i);
    }
}

/* Group and member of a chip among the chips of all slices: what the schedule's group and slices
 * say together. */
static bool are_together(const struct play *p, uint32_t a, uint32_t b)
{
    uint32_t here = mesh_size(&p->s.mesh), ga, gb, m;
    uint32_t sa = a / here, sb = b / here, n = p->s.outer.n, apart = p->s.outer.stride;

    mesh_group_of(&p->s.group, a % here, &ga, &m);
    mesh_group_of(&p->s.group, b % here, &gb, &m);
    return ga == gb && sa / (n * apart) == sb / (n * apart) && sa % apart == sb % apart;
}

/* An element of a chip: its sum over the chips that are together with it, and its owners among
 * them.
 */
struct known {
    uint64_t sum;
    uint32_t owners, owner;
};

static void know_elements(const struct play *p, uint32_t c, struct known *known)
{
    struct schedule_part part[SCHEDULE_MAX_PARTS];

    memset(known, 0, p->elements * sizeof *known);
    for (uint32_t o = 0; o < p->chips; o++) {
        if (!are_together(p, c, o))
            continue;
        uint32_t n = schedule_share(&p->s, o, part);
        for (uint32_t i = 0; i < p->elements; i++) {
            uint64_t at = (uint64_t)i * p->s.element;
            known[i].sum += first_part(o, i);
            for (uint32_t k = 0; k < n; k++)
                if (at >= part[k].offset && at < part[k].offset + part[k].bytes) {
                    known[i].owners++;
                    known[i].owner = o;
                    break;
                }
        }
    }
}

static void check_result(const struct play *p)
{
    struct known *known = calloc(p->elements + 1, sizeof *known);

    for (uint32_t c = 0; c < p->chips; c++) {
        know_elements(p, c, known);
        for (uint32_t i = 0; i < p->elements; i++) {
            uint32_t owner = known[i].owner;
            cr_assert_eq(
                known[i].owners, 1, "element %u has %u owners: %s by %s, %u of %u chips, %u slices",
                i, known[i].owners, schedule_kind_name[p->s.kind],
                schedule_algorithm_name[p->s.algorithm], p->s.group.size, p->chips, p->s.outer.n);
            if (p->s.kind == SCHEDULE_ALL_GATHER)
                cr_assert_eq(p->buffer[c][i], first_part(owner, i), "chip %u element %u", c, i);
            else if (p->s.kind != SCHEDULE_REDUCE_SCATTER || owner == c)
                cr_assert_eq(p->buffer[c][i], known[i].sum,
                             "chip %u element %u of %s by %s over %u slices", c, i,
                             schedule_kind_name[p->s.kind], schedule_algorithm_name[p->s.algorithm],
                             p->s.outer.n);
        }
    }
    free(known);
}

/* Each chip sends and gets its share's 2 (N-1)/N, or half of that, as little as can be. */
static void check_far(const struct play *p)
{
    struct schedule_far far = schedule_far(&p->s);
    uint64_t share = schedule_padded(&p->s) / p->s.group.size, n = p->s.outer.n;
    uint64_t least = share / n * (n - 1) * (p->s.kind == SCHEDULE_ALL_REDUCE ? 2 : 1);

    if (p->s.kind == SCHEDULE_BARRIER)
        least = 0;
    cr_assert_eq(far.bytes, least);
    cr_assert_eq(far.hops,
                 (n - 1) *
                     (p->s.kind == SCHEDULE_ALL_REDUCE || p->s.kind == SCHEDULE_BARRIER ? 2 : 1));
    for (uint32_t c = 0; c < p->chips; c++) {
        cr_assert_eq(p->far_out[c], least, "chip %u sends %lu, not %lu", c, p->far_out[c], least);
        cr_assert_eq(p->far_in[c], least);
    }
}

static uint32_t tried, uniform;

/* All chips alike in every step. */
static void check_uniform(const struct play *p)
{
    struct schedule_step zero, step;

    for (uint32_t i = 0; i < schedule_steps(&p->s); i++) {
        schedule_step(&p->s, 0, i, &zero);
        for (uint32_t c = 0; c < p->chips; c++) {
            schedule_step(&p->s, c, i, &step);
            cr_assert(step.n_send == zero.n_send && step.n_recv == zero.n_recv &&
                      step.read == zero.read && step.write == zero.write &&
                      step.added == zero.added);
        }
    }
}

static void try_all(struct mesh m, uint32_t size, uint32_t stride, struct schedule_outer outer,
                    uint32_t slices, uint64_t bytes)
{
    for (int kind = 0; kind < SCHEDULE_N_KINDS; kind++)
        for (int a = SCHEDULE_AUTO + 1; a < SCHEDULE_N_ALGORITHMS; a++) {
            struct schedule s = { .kind = (enum schedule_kind)kind,
                                  .algorithm = (enum schedule_algorithm)a,
                                  .mesh = m,
                                  .outer = outer,
                                  .bytes = kind == SCHEDULE_BARRIER ? 0 : bytes,
                                  .element = 4,
                                  .pieces = 3 };
            struct play p;
            if (!mesh_group(&s.group, &m, size, stride) || !schedule_fits(&s))
                continue;
            start_play(&p, &s, slices);
            run_case(&p);
            check_result(&p);
            check_far(&p);
            if (schedule_uniform(&s)) {
                check_uniform(&p);
                uniform++;
            }
            stop_play(&p);
            tried++;
        }
}

Test(schedule_slices, every_algorithm_within_and_a_ring_between)
{
    static const struct mesh meshes[] = {
        { { 1, 1, 1 }, { 0 } }, { { 2, 1, 1 }, { 0 } },          { { 2, 2, 1 }, { 0 } },
        { { 3, 2, 1 }, { 0 } }, { { 4, 1, 1 }, { true } },       { { 4, 3, 1 }, { true, true } },
        { { 2, 2, 2 }, { 0 } }, { { 4, 4, 1 }, { true, true } }, { { 3, 3, 1 }, { true, true } },
    };

    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        uint32_t n = mesh_size(&meshes[i]);
        for (uint32_t slices = 2; slices * n <= MAX_CHIPS && slices <= 5; slices++) {
            try_all(meshes[i], n, 1, (struct schedule_outer){ slices, 1 }, slices, 4 * 37);
            /* one chip of each slice, every chip its own group */
            try_all(meshes[i], 1, 1, (struct schedule_outer){ slices, 1 }, slices, 4 * 37);
            if (slices == 4) { /* every second slice; every second chip */
                try_all(meshes[i], n, 1, (struct schedule_outer){ slices / 2, 2 }, slices, 4 * 20);
                if (n % 2 == 0)
                    try_all(meshes[i], n / 2, 2, (struct schedule_outer){ slices, 1 }, slices, 44);
            }
        }
    }
    cr_expect_gt(tried, 500);
    cr_expect_gt(uniform, 100);
}

/* Two slices of a 2x2 mesh, 64 bytes: shares of 16, of which 8 go over and 8 come, in two ranges of
 * two colours each. */
Test(schedule_slices, two_slices_step_by_step)
{
    struct schedule s = { .kind = SCHEDULE_ALL_REDUCE,
                          .algorithm = SCHEDULE_TORUS,
                          .mesh = { { 2, 2, 1 }, { 0 } },
                          .outer = { 2, 1 },
                          .bytes = 64,
                          .element = 4,
                          .pieces = 1 };
    struct schedule_step t;

    cr_assert(mesh_group(&s.group, &s.mesh, 4, 1));
    cr_assert_eq(schedule_padded(&s), 64);
    cr_assert_eq(schedule_steps(&s), 6, "two along the dimensions, two between, two back");
    for (uint32_t i = 2; i < 4; i++) {
        schedule_step(&s, 5, i, &t);
        cr_expect_eq(t.sum, i == 2);
        cr_assert_eq(t.n_send, 2);
        cr_assert_eq(t.n_recv, 2);
        for (uint32_t k = 0; k < 2; k++) {
            cr_expect_eq(t.send[k].chip, 1);
            cr_expect_eq(t.recv[k].chip, 1);
            cr_expect_eq(t.send[k].bytes, 4);
            cr_expect_eq(t.recv[k].bytes, 4);
        }
        /* 8 out; of 8 in the sum is theirs and one's own read, theirs and the sum written */
        cr_expect_eq(t.read, i == 2 ? 8 + 16 : 8);
        cr_expect_eq(t.write, i == 2 ? 16 : 8);
        cr_expect_eq(t.added, i == 2 ? 8 : 0);
    }
    /* chip 1 is at x = 1, y = 0: of the first colour, bytes 0 to 31, the half of x = 1 and of that
     * the half of y = 0; of the second, 32 to 63, the other way round.  Slice 1 has their second
     * halves. */
    struct schedule_part part[SCHEDULE_MAX_PARTS];
    cr_assert_eq(schedule_share(&s, 5, part), 2);
    cr_expect_eq(part[0].offset, 16 + 4);
    cr_expect_eq(part[1].offset, 32 + 8 + 4);
    cr_expect_eq(part[0].bytes, 4);
}

/* --- cores, groups and what is refused ----------------------------------------------------- */

static struct cap four_slices(void) /* of 2x2 chips of two cores */
{
    return (struct cap){ .replicas = 32,
                         .net = { .mesh = { { 2, 2, 1 }, { 0 } },
                                  .slices = 4,
                                  .cores_per_chip = 2,
                                  .latency_fs = 1000000000,
                                  .bytes_per_s = 62000000000 } };
}

static int plan_call(struct task_call *call, enum schedule_kind kind, uint32_t group,
                     uint32_t stride, struct err *err)
{
    struct cap cap = four_slices();
    struct collective c = {
        .kind = kind, .bytes = 1024, .element = 4, .group = group, .stride = stride
    };

    return collective_plan(call, &c, &cap, err);
}

Test(schedule_slices, groups_of_cores_over_slices)
{
    static const struct {
        uint32_t group, stride, n, apart, chips, chip_stride;
        uint64_t bytes; /* of a chip's buffer */
    } rows[] = {
        { 0, 0, 4, 1, 4, 1, 1024 },  /* all 32 */
        { 8, 1, 0, 0, 4, 1, 1024 },  /* each slice */
        { 16, 1, 2, 1, 4, 1, 1024 }, /* two slices */
        { 16, 2, 4, 1, 4, 1, 2048 }, /* every second core: two groups on each chip */
        { 4, 8, 4, 1, 1, 1, 2048 },  /* the same core of each slice */
        { 2, 16, 2, 2, 1, 1, 2048 }, /* of every second slice */
        { 4, 2, 0, 0, 4, 1, 2048 },  { 8, 4, 4, 1, 2, 2, 2048 },
    };
    struct task_call call;
    struct err e;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(plan_call(&call, SCHEDULE_ALL_REDUCE, rows[i].group, rows[i].stride, &e), 0,
                     "%s", e.msg);
        cr_expect_eq(call.schedule.outer.n, rows[i].n, "row %zu", i);
        cr_expect_eq(call.schedule.outer.stride, rows[i].apart, "row %zu", i);
        cr_expect_eq(call.schedule.group.size, rows[i].chips, "row %zu", i);
        cr_expect_eq(call.schedule.group.stride, rows[i].chip_stride, "row %zu", i);
        cr_expect_eq(call.schedule.bytes, rows[i].bytes, "row %zu", i);
    }
}

Test(schedule_slices, what_does_not_go_from_slice_to_slice_is_refused)
{
    static const enum schedule_kind no[] = { SCHEDULE_ALL_TO_ALL, SCHEDULE_PERMUTE,
                                             SCHEDULE_BROADCAST };
    struct task_call call;
    struct err e;

    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(plan_call(&call, no[i], 0, 0, &e), -1);
        cr_expect(strstr(e.msg, "does not go from slice to slice: all-reduce, reduce-scatter, "
                                "all-gather and barrier do; group=8 keeps it within a slice"),
                  "%s", e.msg);
        cr_expect_eq(plan_call(&call, no[i], 8, 1, &e), 0, "%s", e.msg);
    }
    struct cap cap = four_slices();
    cap.replicas = 24; /* three slices */
    cap.net.slices = 3;
    struct collective c = { .kind = SCHEDULE_ALL_REDUCE, .bytes = 4, .element = 4, .group = 12 };
    cr_assert_eq(collective_plan(&call, &c, &cap, &e), -1, "half of a slice");
    cr_expect_str_eq(e.msg, "groups of 12 devices, 1 apart, are not alike on slices of 8");
    c.group = 0;
    c.algorithm = SCHEDULE_TREE;
    cr_assert_eq(collective_plan(&call, &c, &cap, &e), -1, "a tree does no reduce-scatter");
    cr_expect_str_eq(e.msg, "all-reduce does not run by tree on groups of 2 x 2 x 1 chips of "
                            "several slices, but by torus, ring, hierarchical, line, "
                            "halving-doubling or ring-one-way");
}
