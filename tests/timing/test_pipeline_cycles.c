/* Transfers between cores of different stages, and the steps of pipelines of equal stages: the
 * cycle they end.
 *
 * Of a slice whose HBM moves 2,048 B and whose links move 32 B in each of its 700,000,000 cycles a
 * second, and where an operation costs nothing but its work.  A transfer is read from HBM, sent and
 * written, in pieces of 64 KiB or 16 larger ones, so over a hop of latency a it takes
 *
 *      piece / 2,048 + bytes / 32 + a + piece / 2,048 */
#include <criterion/criterion.h>

#include "machine/machine.h"
#include "plain_hbm.h"

#define EVEN                                                                                       \
    PLAIN_COSTS, "hbm.efficiency=1", "hbm.bandwidth=1433.6 GB/s", "hbm.burst=2048 B",              \
        "ici.bandwidth=22.4 GB/s", "ici.flit=32 B", "core.op_overhead=0 s", "core.step_overhead=0"
#define N_EVEN (N_PLAIN_COSTS + 7)

static struct machine_spec *make_slice(const char *const *more, size_t n)
{
    const char *set[N_EVEN + 16] = { EVEN };
    struct machine_spec *s;
    struct err e;

    for (size_t i = 0; i < n; i++)
        set[N_EVEN + i] = more[i];
    cr_assert_eq(spec_load(&s, "tpu-v2-8", set, N_EVEN + n, &e), 0, "%s", e.msg);
    return s;
}

/* Core cycles until the last core has ended. */
static uint64_t run_cycles(const struct machine_spec *s, const struct task_program *p, bool exact)
{
    struct machine *m = machine_new(s, exact);
    struct err e;

    cr_assert_eq(machine_step(m, p, NULL, &e), 0);
    uint64_t n = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    return n;
}

/* --- one transfer ------------------------------------------------------------------------- */

/* From core 0 of a v2-8, two cores a chip, to that `away`. */
static void expect_send(const char *what, int64_t away, uint64_t bytes, uint64_t expected)
{
    struct task t[] = {
        { .kind = TASK_SEND, .stage = 0, .send.bytes = bytes, .send.away = away },
        { .kind = TASK_RECEIVE, .stage = (uint32_t)away, .row = 1, .async = TASK_DONE },
    };
    struct task_program p = { .task = t, .n_tasks = 2, .n_rows = 2, .n_sends = 1, .stages = 8 };
    struct machine_spec *s = make_slice(NULL, 0);

    for (int exact = 0; exact < 2; exact++)
        cr_expect_eq(run_cycles(s, &p, exact), expected, "%s: %lu, not %lu", what,
                     (unsigned long)run_cycles(s, &p, exact), (unsigned long)expected);
    spec_free(s);
}

Test(pipeline, a_transfer_is_read_sent_and_written_piece_by_piece)
{
    expect_send("a burst on the chip", 1, 32, 1 + 1);
    expect_send("a piece on the chip", 1, 65536, 32 + 32);
    expect_send("two pieces on the chip", 1, 131072, 4 * 32);
    expect_send("a flit to the next chip", 2, 32, 1 + 1 + 700 + 1);
    expect_send("a piece to the next chip", 2, 65536, 32 + 2048 + 700 + 32);
    expect_send("two pieces to the next chip", 2, 131072, 32 + 4096 + 700 + 32);
    expect_send("16 of 128 KiB", 2, 2097152, 64 + 65536 + 700 + 64);
    expect_send("a piece over two hops", 6, 65536, 32 + 2048 + 2 * 700 + 32);
}

/* Core 0 sends first and core 1 of its chip then, both to the next chip: one link carries both. */
Test(pipeline, transfers_share_a_link_in_turn)
{
    struct task t[] = {
        { .kind = TASK_SEND, .stage = 0, .send.bytes = 65536, .send.away = 2 },
        { .kind = TASK_SEND,
          .stage = 1,
          .row = 1,
          .send.bytes = 65536,
          .send.away = 2,
          .send.id = 1 },
        { .kind = TASK_RECEIVE, .stage = 2, .row = 2, .async = TASK_DONE },
        { .kind = TASK_RECEIVE, .stage = 3, .row = 3, .async = TASK_DONE, .send.id = 1 },
    };
    struct task_program p = { .task = t, .n_tasks = 4, .n_rows = 4, .n_sends = 2, .stages = 8 };
    struct machine_spec *s = make_slice(NULL, 0);

    cr_expect_eq(run_cycles(s, &p, false), 32 + 2 * 2048 + 700 + 32);
    cr_expect_eq(run_cycles(s, &p, true), 32 + 2 * 2048 + 700 + 32);
    spec_free(s);
}

/* --- pipelines ---------------------------------------------------------------------------- */

#define F 10000 /* cycles of a forward, and twice that of a backward */
#define MAX_TASKS 1024

struct pipeline {
    struct task task[MAX_TASKS];
    uint32_t n, sends, stages, micro;
    uint32_t sent[2][8][16]; /* [backward][stage][micro-batch] number of the task + 1 */
};

static struct task *add_task(struct pipeline *p, enum task_kind kind, uint32_t stage)
{
    cr_assert_lt(p->n, MAX_TASKS);
    struct task *t = &p->task[p->n];
    *t = (struct task){ .kind = kind, .stage = stage, .row = p->n++ };
    return t;
}

/* A unit: what it receives, its kernel, what it sends. */
static void add_unit(struct pipeline *p, bool back, uint32_t stage, uint32_t m)
{
    bool first = back ? stage + 1 == p->stages : stage == 0;
    bool last = back ? stage == 0 : stage + 1 == p->stages;

    if (!first) {
        struct task *t = add_task(p, TASK_RECEIVE, stage);
        t->start = p->sent[back][back ? stage + 1 : stage - 1][m] - 1;
        t->async = TASK_DONE;
        t->send.id = p->task[t->start].send.id;
    }
    struct task *k = add_task(p, TASK_KERNEL, stage);
    k->kernel.grid_steps = 1;
    k->kernel.all.vpu[VECTOR_ADD] = (back ? 4 : 2) * F; /* two a cycle */
    k->kernel.parts = (struct task_parts){ 1, 1, 1, 1 };
    if (!last) {
        struct task *t = add_task(p, TASK_SEND, stage);
        t->send.bytes = 32;
        t->send.id = p->sends++;
        t->send.away = back ? -1 : 1;
        p->sent[back][stage][m] = p->n;
    }
}

static bool can_start(const struct pipeline *p, bool back, uint32_t stage, uint32_t m)
{
    if (back ? stage + 1 == p->stages : stage == 0)
        return true;
    return p->sent[back][back ? stage + 1 : stage - 1][m] != 0;
}

/* Each stage in its own order, `ahead` forwards before they take turns with backwards; the text in
 * any order in which a receive stands behind its send. */
static void fill_pipeline(struct pipeline *p, uint32_t stages, uint32_t micro, bool gpipe)
{
    uint32_t at[8] = { 0 }, done = 0;

    *p = (struct pipeline){ .stages = stages, .micro = micro };
    while (done < 2 * stages * micro)
        for (uint32_t s = 0; s < stages; s++) {
            uint32_t ahead = gpipe || stages - 1 - s > micro ? micro : stages - 1 - s, k = at[s];
            bool turns = k >= ahead && k < 2 * micro - ahead;
            bool back = turns ? (k - ahead) % 2 == 1 : k >= ahead;
            uint32_t m = turns ? (k - ahead) / 2 + (back ? 0 : ahead) : back ? k - micro : k;
            if (k == 2 * micro || !can_start(p, back, s, m))
                continue;
            add_unit(p, back, s, m);
            at[s]++;
            done++;
        }
}

static const char *const chain[] = { "slice.cores_per_chip=1", "slice.cores=4",
                                     "slice.mesh_x=4",         "slice.mesh_y=1",
                                     "slice.wrap_least=0",     "ici.latency=0 s" };

static void expect_pipeline(uint32_t stages, uint32_t micro, bool gpipe, uint64_t expected)
{
    static struct pipeline p;
    struct machine_spec *s = make_slice(chain, sizeof chain / sizeof *chain);

    fill_pipeline(&p, stages, micro, gpipe);
    struct task_program program = {
        .task = p.task, .n_tasks = p.n, .n_rows = p.n, .n_sends = p.sends, .stages = stages
    };
    for (int exact = 0; exact < 2; exact++) {
        uint64_t n = run_cycles(s, &program, exact);
        cr_expect_eq(n, expected, "%s, %u micro-batches: %lu, not %lu", gpipe ? "gpipe" : "1f1b",
                     micro, (unsigned long)n, (unsigned long)expected);
    }
    spec_free(s);
}

/* (M + P - 1) times a forward and a backward, and down and up again three transfers of 3 cycles. */
Test(pipeline, gpipe_takes_m_plus_p_minus_one_stage_times)
{
    expect_pipeline(4, 1, true, 4 * 3 * F + 18);
    expect_pipeline(4, 2, true, 5 * 3 * F + 18);
    expect_pipeline(4, 4, true, 7 * 3 * F + 18);
    expect_pipeline(4, 8, true, 11 * 3 * F + 18);
}

/* It takes as long as GPipe, but where a forward and a backward alternate one waits for the other's
 * transfers: a few times 6 cycles more, worked out outside this program with the recurrence
 *
 *      end(u) = max(end of the unit before it on its stage, end of the one it needs + 3) + cost(u)
 */
Test(pipeline, one_forward_one_backward_takes_as_long)
{
    expect_pipeline(4, 1, false, 4 * 3 * F + 18);
    expect_pipeline(4, 2, false, 5 * 3 * F + 18);
    expect_pipeline(4, 4, false, 7 * 3 * F + 18 + 12);
    expect_pipeline(4, 8, false, 11 * 3 * F + 18 + 30);
}

/* In a step of 11 stage times a core works 8; for the other 3 it waits for other stages, but for
 * the 6 transfers of 3 cycles that it waits for at most: 3 / 11 of the step are bubble. */
Test(pipeline, the_bubble_is_the_time_of_p_minus_one_stages)
{
    static struct pipeline p;
    struct machine_spec *s = make_slice(chain, sizeof chain / sizeof *chain);
    struct machine *m = machine_new(s, false);
    struct err e;
    uint64_t cycle = UINT64_C(1000000000000000) / 700000000;

    fill_pipeline(&p, 4, 8, true);
    struct task_program program = {
        .task = p.task, .n_tasks = p.n, .n_rows = p.n, .n_sends = p.sends, .stages = 4
    };
    cr_assert_eq(machine_step(m, &program, NULL, &e), 0);
    for (uint32_t core = 0; core < 4; core++) {
        uint64_t sum[N_CAUSES] = { 0 }, all = 0;
        for (uint32_t row = 0; row < p.n; row++)
            for (int c = 0; c < N_CAUSES; c++) {
                sum[c] += machine_book(m, &program, row, core)->time[c];
                all += machine_book(m, &program, row, core)->time[c];
            }
        cr_expect_eq(all, machine_now(m), "core %u", core);
        cr_expect_leq(sum[CAUSE_BUBBLE] / cycle, 3 * 3 * F + 18, "core %u", core);
        cr_expect_geq(sum[CAUSE_BUBBLE] / cycle, 3 * 3 * F - 18, "core %u", core);
        cr_expect_eq(sum[CAUSE_SYNC], 0);
    }
    machine_free(m);
    spec_free(s);
}
