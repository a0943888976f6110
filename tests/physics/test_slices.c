/* Random slices, groups, algorithms and faults: every collective ends, the same walked and folded,
 * and no link carries more than it can. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "kernels/net/collective.h"
#include "machine/machine.h"
#include "run/result/result.h"
#include "settings.h"

/* A mesh or torus of up to three dimensions, with a fault in half of the cases. */
static struct machine_spec *random_slice(uint64_t *s)
{
    struct sets q = { .n = 0 };
    struct machine_spec *spec;
    struct err e;
    uint32_t x = 1 + dice_below(s, 5), y = 1 + dice_below(s, 4), z = 1 + dice_below(s, 3),
             chips = x * y * z;

    add_setting(&q, "slice.cores", 2 * chips, "");
    add_setting(&q, "slice.mesh_x", x, "");
    add_setting(&q, "slice.mesh_y", y, "");
    add_setting(&q, "slice.mesh_z", z, "");
    add_setting(&q, "slice.chips_per_host", chips % 2 ? 1 : 2, "");
    add_setting(&q, "slice.wrap_least", dice_below(s, 5), "");
    size_t whole = q.n;
    if (dice_below(s, 2)) {
        uint32_t chip = dice_below(s, chips);
        add_setting(&q, "fault.dead_from", chip, "");
        add_setting(&q, "fault.dead_to", chip + 1, "");
        add_setting(&q, "fault.slow_from", dice_below(s, chips), "");
        add_setting(&q, "fault.slow_to", dice_below(s, chips), "");
        add_setting(&q, "fault.slow_times", 1 + dice_below(s, 8), "");
        add_setting(&q, "fault.slow_chip", chip, "");
        add_setting(&q, "fault.chip_times", 1 + dice_below(s, 3), "");
        add_setting(&q, "fault.jitter", dice_below(s, 3000), " ns");
    }
    /* faults between chips that are no neighbours are refused: then there is none */
    if (spec_load(&spec, "tpu-v2-8", q.set, q.n, &e) != 0)
        cr_assert_eq(spec_load(&spec, "tpu-v2-8", q.set, whole, &e), 0, "%s", e.msg);
    return spec;
}

struct most {
    double utilization;
};

static void look_at_links(void *self, const char *path, const struct stat_table *table,
                          const void *counters, uint64_t times)
{
    struct most *m = self;
    const struct link_stats *st = counters;

    (void)path;
    (void)times;
    if (strcmp(table->section, "link") == 0 && st->capacity > 0) {
        double share = (double)st->bytes / (double)st->capacity;
        m->utilization = share > m->utilization ? share : m->utilization;
    }
}

static des_time run_case(const struct machine_spec *s, const struct task_program *p, bool exact)
{
    struct machine *m = machine_new(s, exact);
    struct most most = { 0 };
    struct err e;

    for (int step = 0; step < 2; step++) /* ends: machine_step finds every process done */
        cr_assert_eq(machine_step(m, p, NULL, &e), 0, "%s", e.msg);
    des_time end = machine_now(m);
    machine_statistics(m, look_at_links, &most);
    cr_expect_leq(most.utilization, 1.0);
    machine_free(m);
    return end;
}

Test(slices, any_collective_ends_on_any_slice_with_any_fault)
{
    uint32_t ran = 0, forced = 0, faulty = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t s = seed;
        struct machine_spec *spec = random_slice(&s);
        uint32_t cores = spec->slice.cores, group = 1 + dice_below(&s, cores),
                 stride = 1 + dice_below(&s, cores);
        while (cores % group)
            group--;
        while (cores / group % stride)
            stride--;
        struct collective c = { .kind = (enum schedule_kind)dice_below(&s, SCHEDULE_N_KINDS),
                                .algorithm =
                                    (enum schedule_algorithm)dice_below(&s, SCHEDULE_N_ALGORITHMS),
                                .bytes = 1 + dice_below(&s, dice_below(&s, 2) ? 8 : 300000),
                                .element = 4,
                                .group = group,
                                .stride = stride };
        if (c.kind == SCHEDULE_PERMUTE)
            c.shift = dice_below(&s, group);
        struct task_call call = { 0 };
        struct cap cap;
        struct err e;
        spec_cap(spec, &cap);
        int rc = collective_plan(&call, &c, &cap, &e);
        if (rc != 0 && c.algorithm != SCHEDULE_AUTO) { /* not every algorithm does every kind */
            c.algorithm = SCHEDULE_AUTO;
            rc = collective_plan(&call, &c, &cap, &e);
        }
        if (rc == 0) {
            struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
            struct task_program p = {
                .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1
            };
            cr_assert_eq(run_case(spec, &p, false), run_case(spec, &p, true), "seed %lu: exact",
                         (unsigned long)seed);
            ran++;
            forced += c.algorithm != SCHEDULE_AUTO;
            faulty += fault_any(&spec->fault);
        }
        spec_free(spec);
    }
    cr_expect(ran > 150 && forced > 30 && faulty > 15, "%u, %u, %u", ran, forced, faulty);
    cr_log_info("%u ran, %u with a forced algorithm, %u with faults", ran, forced, faulty);
}

static double replay_step(const char *const *set, size_t n_set, bool exact)
{
    struct run_request q = { .trace = "traces/tiny/tiny.trace",
                             .machine = "tpu-v3-32",
                             .set = set,
                             .n_set = n_set,
                             .steps = 1,
                             .exact = exact };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

Test(slices, with_a_fault_no_chip_stands_for_all)
{
    /* two settings of a fault, or three, and one with which the host does not hide it */
    static const struct {
        const char *set[4];
        size_t n_fault;
    } faults[] = {
        { { "fault.slow_chip=3", "fault.chip_times=900", "host.prefetch=64" }, 2 },
        { { "fault.slow_from=5", "fault.slow_to=6", "fault.slow_times=900",
            "host.infeed_overhead=0 s" },
          3 },
        { { "fault.jitter=900 us", "fault.seed=4", "host.prefetch=64" }, 2 },
    };

    cr_expect_eq(replay_step(NULL, 0, true), replay_step(NULL, 0, false));
    for (size_t i = 0; i < 3; i++) {
        const char *const *set = faults[i].set;
        size_t n = faults[i].n_fault;
        double whole = replay_step(set + n, 1, false), s = replay_step(set, n + 1, false);
        cr_expect_eq(s, replay_step(set, n + 1, true), "%s", set[0]);
        cr_expect_gt(s, whole, "%s: %g, %g", set[0], s, whole);
    }
}
