/* A machine divided among threads: every time, counter and book is that of one event kernel. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cut_step.h"
#include "dice.h"
#include "kernels/net/collective.h"
#include "machine/machine.h"
#include "report/run_report.h"
#include "run/result/result.h"
#include "settings.h"

enum { MOST_TASKS = 24, MOST_CALLS = 8 };

/* A mesh or torus of several hosts with slow parts, so that its chips do not keep step. */
static struct machine_spec *random_slice(uint64_t *s)
{
    struct sets q = { .n = 0 };
    struct machine_spec *spec;
    struct err e;
    uint32_t x = 2 * (1 + dice_below(s, 3)), y = 1 + dice_below(s, 4), z = 1 + dice_below(s, 2),
             chips = x * y * z;

    add_setting(&q, "slice.cores", 2 * chips, "");
    add_setting(&q, "slice.mesh_x", x, "");
    add_setting(&q, "slice.mesh_y", y, "");
    add_setting(&q, "slice.mesh_z", z, "");
    add_setting(&q, "slice.chips_per_host", chips > 2 && dice_below(s, 2) ? 2 : 1, "");
    add_setting(&q, "slice.wrap_least", dice_below(s, 5), "");
    add_setting(&q, "ici.latency", 1 + dice_below(s, dice_below(s, 2) ? 20 : 3000), " ns");
    size_t whole = q.n;
    uint32_t chip = dice_below(s, chips);
    if (dice_below(s, 4)) {
        add_setting(&q, "fault.slow_chip", chip, "");
        add_setting(&q, "fault.chip_times", 1 + dice_below(s, 3), "");
        add_setting(&q, "fault.jitter", dice_below(s, 3000), " ns");
        if (dice_below(s, 2)) {
            add_setting(&q, "fault.dead_from", chip, "");
            add_setting(&q, "fault.dead_to", chip + 1, "");
        }
        add_setting(&q, "fault.slow_from", chip, "");
        add_setting(&q, "fault.slow_to", chip ? chip - 1 : 0, "");
        add_setting(&q, "fault.slow_times", 1 + dice_below(s, 8), "");
    }
    /* faults between chips that are no neighbours are refused: then there is none */
    if (spec_load(&spec, "tpu-v2-8", q.set, q.n, &e) != 0)
        cr_assert_eq(spec_load(&spec, "tpu-v2-8", q.set, whole, &e), 0, "%s", e.msg);
    return spec;
}

struct work {
    struct task task[MOST_TASKS];
    struct task_call call[MOST_CALLS];
    struct task_program program;
};

static struct task random_kernel(uint64_t *s)
{
    uint64_t steps = 1 + dice_below(s, dice_below(s, 3) ? 6 : 100);
    struct task t = { .kind = TASK_KERNEL, .stage = TASK_ALL_STAGES };

    t.kernel = (struct task_kernel){ .grid_steps = steps,
                                     .all.in.bytes = steps * (1 + dice_below(s, 60000)),
                                     .all.out.bytes = steps * dice_below(s, 60000),
                                     .chain_cycles = dice_below(s, 500),
                                     .sum_cycles = dice_below(s, 50) };
    t.kernel.all.vpu[0] = steps * (1 + dice_below(s, 900));
    return t;
}

/* A collective of all cores, or of groups of them; false: the machine cannot do it. */
static bool add_call(struct work *w, const struct machine_spec *spec, uint64_t *s)
{
    uint32_t cores = spec->slice.cores, group = 1 + dice_below(s, cores);
    struct collective c = { .kind = (enum schedule_kind)dice_below(s, SCHEDULE_N_KINDS),
                            .algorithm = SCHEDULE_AUTO,
                            .bytes = 1 + dice_below(s, dice_below(s, 2) ? 8 : 60000),
                            .element = 4,
                            .stride = 1 };
    struct cap cap;
    struct err e;

    while (cores % group)
        group--;
    c.group = dice_below(s, 2) ? cores : group;
    if (c.kind == SCHEDULE_PERMUTE)
        c.shift = dice_below(s, c.group);
    spec_cap(spec, &cap);
    memset(&w->call[w->program.n_calls], 0, sizeof *w->call);
    return collective_plan(&w->call[w->program.n_calls], &c, &cap, &e) == 0;
}

static void add_task(struct work *w, struct task t)
{
    t.row = w->program.n_tasks;
    w->task[w->program.n_tasks++] = t;
}

/* Kernels, collectives that are waited for at once or later, and transfers from the first half of
 * the cores to the second. */
static void random_work(struct work *w, const struct machine_spec *spec, uint64_t *s)
{
    uint32_t n = 3 + dice_below(s, 10);
    bool staged = dice_below(s, 3) == 0;

    w->program = (struct task_program){ .task = w->task, .call = w->call };
    while (n-- > 0) {
        add_task(w, random_kernel(s));
        if (staged && dice_below(s, 2)) {
            uint32_t id = w->program.n_sends++;
            struct task send = { .kind = TASK_SEND, .stage = 0 }, receive = { .stage = 1 };
            send.send.id = receive.send.id = id;
            send.send.away = spec->slice.cores / 2;
            send.send.bytes = 1 + dice_below(s, 90000);
            receive.kind = TASK_RECEIVE;
            receive.start = w->program.n_tasks;
            add_task(w, send);
            add_task(w, receive);
            n -= n > 0;
        } else if (w->program.n_calls < MOST_CALLS && add_call(w, spec, s)) {
            struct task t = { .kind = TASK_COLLECTIVE, .stage = TASK_ALL_STAGES };
            uint32_t start = w->program.n_tasks;
            t.collective.first = w->program.n_calls++;
            t.collective.count = 1;
            t.async = dice_below(s, 3) ? TASK_SYNC : TASK_START;
            add_task(w, t);
            if (t.async == TASK_START) {
                add_task(w, random_kernel(s));
                add_task(w, (struct task){ .kind = TASK_COLLECTIVE,
                                           .async = TASK_DONE,
                                           .stage = TASK_ALL_STAGES,
                                           .start = start });
                n -= n > 1 ? 2 : n;
            }
        }
    }
    w->program.n_rows = w->program.n_tasks;
    w->program.stages = staged ? 2 : 1;
}

static void add_word(uint64_t *sum, uint64_t word)
{
    *sum = (*sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    *sum ^= *sum >> 29;
}

static void add_counters(void *self, const char *path, const struct stat_table *table,
                         const void *counters, uint64_t times)
{
    uint64_t *sum = self, word;

    for (; *path; path++)
        add_word(sum, (uint64_t)*path);
    for (size_t i = 0; i < table->size; i += sizeof word) {
        memcpy(&word, (const char *)counters + i, sizeof word);
        add_word(sum, word);
    }
    add_word(sum, times);
}

/* A number for all that a machine says: the time of each step, books of each core, statistics. */
static uint64_t run_work(struct machine *m, const struct work *w, uint32_t cores)
{
    const struct task_program *p = &w->program;
    uint64_t sum = 0;
    struct err e;

    for (int step = 0; step < 3; step++) {
        if (step == 1)
            machine_reset(m);
        cr_assert_eq(machine_step(m, p, p, &e), 0, "%s", e.msg);
        add_word(&sum, machine_now(m));
    }
    for (uint32_t core = 0; core < cores; core++)
        for (uint32_t row = 0; row < p->n_rows; row++) {
            const struct ledger_row *r = machine_book(m, p, row, core);
            for (int cause = 0; cause < N_CAUSES; cause++)
                add_word(&sum, r->time[cause]);
            add_word(&sum, r->cycles);
        }
    machine_statistics(m, add_counters, &sum);
    machine_free(m);
    return sum;
}

Test(cells, any_work_on_any_slice_is_the_same_for_any_number_of_threads)
{
    uint32_t divided = 0, staged = 0, faulty = 0;

    for (uint64_t seed = 1; seed <= 80; seed++) {
        uint64_t s = seed;
        struct machine_spec *spec = random_slice(&s);
        struct work w;
        random_work(&w, spec, &s);
        uint32_t cores = spec->slice.cores;
        unsigned threads = 2 + dice_below(&s, 3);
        bool exact = dice_below(&s, 6) == 0;
        if (machine_divides(spec, &w.program)) {
            uint64_t one = run_work(machine_new(spec, exact), &w, cores);
            uint64_t some = run_work(machine_new_divided(spec, exact, threads), &w, cores);
            cr_assert_eq(one, some, "seed %lu: %u threads", (unsigned long)seed, threads);
            divided++;
            staged += w.program.stages > 1;
            faulty += fault_any(&spec->fault);
        }
        spec_free(spec);
    }
    cr_expect(divided > 60 && staged > 15 && faulty > 30, "%u, %u, %u", divided, staged, faulty);
}

/* --- whole steps ---------------------------------------------------------------------------- */

static char *replay_json(struct run_request q, unsigned threads)
{
    struct run_result r;
    char *text;
    size_t size;
    struct err e;
    FILE *f = open_memstream(&text, &size);

    q.threads = threads;
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    report_json(&r, f);
    fclose(f);
    run_result_free(&r);
    return text;
}

static void expect_same(const struct run_request *q)
{
    char *one = replay_json(*q, 1);

    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        char *some = replay_json(*q, threads);
        cr_expect_str_eq(one, some, "%s, %u threads", q->machine, threads);
        free(some);
    }
    free(one);
}

Test(cells, steps_with_faults_are_the_same)
{
    static const struct {
        const char *machine, *set[3];
        size_t n;
    } rows[] = {
        { "tpu-v3-32", { "fault.slow_chip=5", "fault.chip_times=1.5" }, 2 },
        { "tpu-v2-32", { "fault.jitter=3 us", "fault.seed=9" }, 2 },
        { "tpu-v3-64", { "fault.dead_from=1", "fault.dead_to=2", "fault.jitter=5 us" }, 3 },
        { "tpu-v4-32", { "fault.slow_from=0", "fault.slow_to=1", "fault.slow_times=7" }, 3 },
        { "tpu-v7-64", { "fault.slow_chip=0", "fault.chip_times=2" }, 2 },
        { "tpu-v8i-64", { "fault.slow_chip=5", "fault.chip_times=2" }, 2 },
        { "tpu-v8i-64", { "fault.dead_from=1", "fault.dead_to=7", "fault.jitter=1 us" }, 3 },
        { "a100x16", { "fault.slow_chip=0", "fault.chip_times=2" }, 2 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_same(&(struct run_request){ .trace = "traces/tiny/tiny.trace",
                                           .machine = rows[i].machine,
                                           .set = rows[i].set,
                                           .n_set = rows[i].n,
                                           .steps = 3 });
}

Test(cells, pipelines_are_the_same)
{
    char *text = cut_step("cores=8", (struct pipeline_plan){ 4, 4, 8, PIPELINE_1F1B, 0 });

    expect_same(&(struct run_request){ .trace = "fc",
                                       .text = text,
                                       .text_size = strlen(text),
                                       .machine = "tpu-v3-32",
                                       .steps = 2 });
    free(text);
}
