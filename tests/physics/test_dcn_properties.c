/* Several slices: one chip for all tells what all of them tell, walked packet by packet; cards
 * carry what schedules say and no more than they can; a wider network is never slower. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "kernels/net/collective.h"
#include "machine/machine.h"
#include "replay_bench.h"
#include "schedule/schedule_slices.h"

static void expect_same(const char *machine, const char *const *set, size_t n, bool folds)
{
    uint64_t few, many;
    char *folded = replay_json(TINY, machine, set, n, false, &few);
    char *walked = replay_json(TINY, machine, set, n, true, &many);

    cr_expect_str_eq(folded, walked, "%s %s", machine, set[0]);
    cr_expect(strstr(folded, "\"dcn\":"), "%s %s says how busy its cards are", machine, set[0]);
    if (folds)
        cr_expect_lt(8 * few, many, "%s %s was not folded", machine, set[0]);
    free(folded);
    free(walked);
}

Test(dcn, a_step_on_several_slices_folded_and_exact)
{
    expect_same("tpu-v3-8", SET("dcn.slices=2"), true);
    expect_same("tpu-v3-32", SET("dcn.slices=3", "dcn.message=4 KiB"), true);
    expect_same("tpu-v4-8", SET("dcn.slices=4", "dcn.bisection=0.3", "dcn.nics=2"), true);
    expect_same("tpu-v3-8", SET("dcn.slices=2", "slice.chips_per_host=2", "dcn.bisection=0.7"),
                true);
    /* chips that differ are all simulated */
    expect_same("tpu-v3-32", SET("dcn.slices=2", "ici.algorithm=torus"), false);
    expect_same("tpu-v3-8", SET("dcn.slices=2", "fault.slow_chip=1", "fault.chip_times=3"), false);
}

/* --- at random ----------------------------------------------------------------------------- */

enum { MOST_SET = 16, LENGTH = 48 };

static struct machine_spec *random_machine(uint64_t *s)
{
    char text[MOST_SET][LENGTH];
    const char *set[MOST_SET];
    struct machine_spec *spec;
    struct err e;
    size_t n = 0;
    uint32_t x = 1 + dice_below(s, 4), y = 1 + dice_below(s, 3), chips = x * y,
             slices = 2 + dice_below(s, 4);

#define ADD(...) (snprintf(text[n], LENGTH, __VA_ARGS__), set[n] = text[n], n++)
    ADD("slice.cores=%u", 2 * chips);
    ADD("slice.mesh_x=%u", x);
    ADD("slice.mesh_y=%u", y);
    ADD("slice.chips_per_host=%u", chips % 2 ? 1 : 2);
    ADD("slice.wrap_least=%u", dice_below(s, 5));
    ADD("dcn.slices=%u", slices);
    ADD("dcn.nics=%u", 1 + dice_below(s, 2));
    ADD("dcn.message=%u KiB", 1 + dice_below(s, 200));
    ADD("dcn.message_time=%u us", dice_below(s, 4));
    ADD("dcn.latency=%u ns", dice_below(s, 20000));
    ADD("dcn.bisection=0.%u", 1 + dice_below(s, 9));
#undef ADD
    cr_assert_eq(spec_load(&spec, "tpu-v2-8", set, n - dice_below(s, 2), &e), 0, "%s", e.msg);
    return spec;
}

struct seen {
    uint64_t out, in, capacity;
    des_time time[N_CAUSES]; /* of core 0 */
};

static void look_at_nics(void *self, const char *path, const struct stat_table *table,
                         const void *counters, uint64_t times)
{
    struct seen *m = self;
    const struct nic_stats *st = counters;

    (void)times;
    if (strcmp(table->section, "nic") != 0)
        return;
    cr_expect_leq(st->bytes, st->capacity, "%s", path);
    *(strncmp(path, "host", 4) == 0 ? &m->out : &m->in) += st->bytes;
}

static des_time run_case(const struct machine_spec *s, const struct task_program *p, bool exact,
                         bool alike, struct seen *seen)
{
    struct machine *m =
        alike ? machine_new_alike(s, IMAGES_ONE, NULL, NULL) : machine_new(s, exact);
    struct err e;

    *seen = (struct seen){ 0 };
    for (int step = 0; step < 2; step++) /* ends: machine_step finds every process done */
        cr_assert_eq(machine_step(m, p, NULL, &e), 0, "%s", e.msg);
    des_time end = machine_now(m);
    machine_statistics(m, look_at_nics, seen);
    memcpy(seen->time, machine_book(m, p, 0, 0)->time, sizeof seen->time);
    machine_free(m);
    return end;
}

/* All of the time has a cause, and what goes between slices waits at least for the way there. */
static void expect_parts(const struct seen *m, des_time end, const struct task_call *call)
{
    struct schedule_far far = schedule_far(&call->schedule);
    des_time sum = 0;

    for (int c = 0; c < N_CAUSES; c++)
        sum += m->time[c];
    cr_expect_eq(sum, end);
    cr_expect_eq(m->time[CAUSE_DCN] > 0, far.parts > 0);
}

Test(dcn, any_collective_ends_on_any_slices_and_cards_carry_what_it_says)
{
    static const enum schedule_kind kinds[] = { SCHEDULE_ALL_REDUCE, SCHEDULE_REDUCE_SCATTER,
                                                SCHEDULE_ALL_GATHER, SCHEDULE_BARRIER };
    uint32_t ran = 0, crossed = 0, folded = 0;

    for (uint64_t seed = 1; seed <= 120; seed++) {
        uint64_t s = seed;
        struct machine_spec *spec = random_machine(&s);
        uint32_t cores = spec_cores(spec), group = 1 + dice_below(&s, cores);
        uint32_t stride = 1 + dice_below(&s, cores);
        if (dice_below(&s, 2)) { /* all of them, or a core of each slice */
            group = dice_below(&s, 2) ? cores : spec->dcn.slices;
            stride = cores / group;
        }
        while (cores % group)
            group--;
        while (cores / group % stride)
            stride--;
        struct collective c = { .kind = kinds[dice_below(&s, 4)],
                                .bytes = 1 + dice_below(&s, dice_below(&s, 2) ? 8 : 600000),
                                .element = 4,
                                .group = group,
                                .stride = stride };
        struct task_call call = { 0 };
        struct cap cap;
        struct err e;
        spec_cap(spec, &cap);
        if (collective_plan(&call, &c, &cap, &e) == 0) {
            struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
            struct task_program p = {
                .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1
            };
            struct seen a, b;
            des_time end = run_case(spec, &p, false, false, &a);
            cr_assert_eq(end, run_case(spec, &p, true, false, &b), "seed %lu: exact",
                         (unsigned long)seed);
            cr_expect_eq(a.out, b.out);
            cr_expect_arr_eq(a.time, b.time, sizeof a.time);
            expect_parts(&a, end, &call);
            cr_expect_eq(a.out, a.in);
            cr_expect_eq(a.out, 2 * schedule_far(&call.schedule).bytes * spec_chips(spec),
                         "seed %lu", (unsigned long)seed);
            if (machine_alike(spec, &p) & IMAGES_ONE) {
                cr_expect_eq(end, run_case(spec, &p, false, true, &b), "seed %lu: one for all",
                             (unsigned long)seed);
                cr_expect_eq(a.out, b.out);
                cr_expect_arr_eq(a.time, b.time, sizeof a.time);
                folded++;
            }
            ran++;
            crossed += a.out > 0;
        }
        spec_free(spec);
    }
    cr_expect(ran > 80 && crossed > 40 && folded > 30, "%u, %u, %u", ran, crossed, folded);
    cr_log_info("%u ran, %u crossed, %u folded", ran, crossed, folded);
}

/* --- more of it ---------------------------------------------------------------------------- */

/* Seconds of a step without the fixed cost of its input. */
static double seconds_of_step(const char *machine, const char *a, const char *b)
{
    const char *set[] = { "host.infeed_overhead=0 s", a, b };
    struct run_request q = {
        .trace = TINY, .machine = machine, .set = set, .n_set = b ? 3 : 2, .steps = 1
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

Test(dcn, a_wider_network_is_never_slower)
{
    double plain = seconds_of_step("tpu-v4-8", "dcn.slices=4", NULL);

    cr_expect_lt(seconds_of_step("tpu-v4-8", "dcn.slices=1", NULL), plain);
    cr_expect_lt(seconds_of_step("tpu-v4-8", "dcn.slices=2", NULL), plain);
    cr_expect_lt(seconds_of_step("tpu-v4-8", "dcn.slices=4", "dcn.bandwidth=250 GB/s"), plain);
    cr_expect_lt(seconds_of_step("tpu-v4-8", "dcn.slices=4", "dcn.latency=1 us"), plain);
    cr_expect_gt(seconds_of_step("tpu-v4-8", "dcn.slices=4", "dcn.bisection=0.01"), plain);
}

Test(dcn, everything_of_the_machine_counts_all_slices)
{
    struct run_request q = { .trace = TINY, .machine = "tpu-v2-8", .steps = 1 };
    const char *set[] = { "dcn.slices=3" };
    struct run_result one, three;
    struct err e;

    cr_assert_eq(run_replay(&q, &one, &e), 0, "%s", e.msg);
    q.set = set;
    q.n_set = 1;
    cr_assert_eq(run_replay(&q, &three, &e), 0, "%s", e.msg);
    cr_expect_eq(three.cores, 24);
    cr_expect_eq(three.chips, 12);
    cr_expect_eq(three.hosts, 3);
    cr_expect_eq(three.slices, 3);
    cr_expect_eq(three.mesh[0] * three.mesh[1], 4);
    cr_expect_eq(mpz_get_ui(three.samples_per_step), 3 * mpz_get_ui(one.samples_per_step));
    cr_expect_eq(mpq_get_d(one.usd_per_hour), 4.5);
    cr_expect_eq(mpq_get_d(three.usd_per_hour), 13.5);
    cr_expect_eq(three.peak_bytes_per_core, one.peak_bytes_per_core);
    /* 8 links of a slice, and both ways of a card each */
    cr_expect_eq(one.n_links, 8);
    cr_expect_eq(three.n_links, 3 * 8 + 3 * 2);
    cr_expect_str_eq(three.links[24].name, "host0->dcn");
    cr_expect_str_eq(three.links[29].name, "dcn->host2");
    run_result_free(&one);
    run_result_free(&three);
}
