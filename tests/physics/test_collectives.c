/* Collectives on machines that nobody chose: whatever the mesh, the groups, the sizes and the way,
 * every core gets its answers, and none sooner than its links allow. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "kernels/net/collective.h"
#include "machine/machine.h"

#define CALLS 4

static uint64_t state = 88172645463325252u;

static uint32_t draw_number(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

/* A slice of up to 3 x 3 x 2 chips of one or two cores. */
static struct machine_spec *make_slice(void)
{
    static char text[7][48];
    const char *set[7];
    uint32_t x = 1 + draw_number(3), y = 1 + draw_number(3), z = 1 + draw_number(2),
             cores = 1 + draw_number(2);
    uint32_t value[] = { x * y * z * cores, x, y, z, cores, draw_number(2) ? 3 : 0, 1 };
    static const char *const key[] = { "slice.cores",          "slice.mesh_x",
                                       "slice.mesh_y",         "slice.mesh_z",
                                       "slice.cores_per_chip", "slice.wrap_least",
                                       "slice.chips_per_host" };
    struct machine_spec *s;
    struct err e;

    for (int i = 0; i < 7; i++) {
        snprintf(text[i], sizeof text[i], "%s=%u", key[i], value[i]);
        set[i] = text[i];
    }
    cr_assert_eq(spec_load(&s, "tpu-v3-8", set, 7, &e), 0, "%s", e.msg);
    return s;
}

/* Calls that fit the slice; any of them may be started and waited for later. */
static uint32_t draw_call(struct task_call *call, const struct cap *cap)
{
    uint32_t n = 0;

    for (int tries = 0; n < CALLS && tries < 200; tries++) {
        struct collective c = {
            .kind = (enum schedule_kind)draw_number(SCHEDULE_N_KINDS),
            .algorithm = (enum schedule_algorithm)draw_number(SCHEDULE_N_ALGORITHMS),
            .bytes = 4 * (1 + draw_number(draw_number(2) ? 10 : 100000)),
            .element = 4,
            .group = draw_number(3) ? 1 + draw_number(cap->replicas) : 0,
            .stride = 1 + draw_number(3),
            .shift = draw_number(7),
        };
        struct err e;
        n += collective_plan(&call[n], &c, cap, &e) == 0;
    }
    return n;
}

/* The bytes that a chip of the group sends, over all its links there are. */
static uint64_t least_time(const struct task_call *call)
{
    const struct schedule *s = &call->schedule;
    uint64_t once = s->bytes / s->group.size * (s->group.size - 1);

    return s->kind == SCHEDULE_ALL_REDUCE                                         ? 2 * once
           : s->kind == SCHEDULE_REDUCE_SCATTER || s->kind == SCHEDULE_ALL_GATHER ? once
                                                                                  : 0;
}

/* Runs until every core has finished; the machine stops with its own message if some never do. */
static uint64_t run_case(const struct machine_spec *s, struct task_call *call, uint32_t n,
                         bool started)
{
    struct task task[2 * CALLS];
    struct task_program p = { .task = task, .call = call, .n_calls = n, .n_rows = 1 };
    struct machine *m = machine_new(s, false);
    struct err e;

    for (uint32_t i = 0; i < n; i++)
        task[p.n_tasks++] = (struct task){ .kind = TASK_COLLECTIVE,
                                           .collective.first = i,
                                           .collective.count = 1,
                                           .async = started ? TASK_START : TASK_SYNC };
    for (uint32_t i = 0; started && i < n; i++)
        task[p.n_tasks++] =
            (struct task){ .kind = TASK_COLLECTIVE, .async = TASK_DONE, .start = i };
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0, "%s", e.msg);
    uint64_t fs = machine_now(m);
    machine_free(m);
    return fs;
}

Test(collectives, none_waits_for_ever_and_none_beats_its_links)
{
    uint64_t bounds = 0;

    for (int round = 0; round < 150; round++) {
        struct machine_spec *s = make_slice();
        struct task_call call[CALLS];
        struct cap cap;

        spec_cap(s, &cap);
        uint32_t n = draw_call(call, &cap);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t fs = run_case(s, &call[i], 1, false);
            double seconds = (double)least_time(&call[i]) / (6 * 82e9);
            cr_expect_geq((double)fs, seconds * 1e15, "round %d: %s by %s", round,
                          schedule_kind_name[call[i].schedule.kind],
                          schedule_algorithm_name[call[i].schedule.algorithm]);
            bounds += least_time(&call[i]) > 0;
        }
        if (n) {
            run_case(s, call, n, false);
            run_case(s, call, n, true);
        }
        spec_free(s);
    }
    cr_expect_gt(bounds, 100);
}
