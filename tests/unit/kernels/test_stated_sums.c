/* Kernels of compiled programs that add up, worked out by hand on the machine of lower_bench.h:
 * registers of 1024 elements, row accesses of 512 B. */
#include "machine/spec/spec.h"
#include "stated_line.h"

Test(stated_sums, a_sum_along_the_lanes_ends_with_its_latency)
{
    static const struct {
        const char *line;
        uint64_t more;
    } rows[] = {
        { "%y f32[1024]{0:T(1024)} = kernel(%x) form=vector xlu=1024", 300 },
        /* no lanes, no fewer elements, no sum */
        { "%y f32[1024]{0:T(1024)} = kernel(%x) form=vector", 0 },
        { "%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x) form=vector xlu=1024", 0 },
        { "%y f32[1024]{0:T(1024)} = kernel(%x) form=copy xlu=1024", 0 },
    };
    struct cap c = cap;

    c.xla.lane_reduce_time = 300;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t more = lower_line(rows[i].line, &c).kernel.extra_cycles;
        cr_expect_eq(more, rows[i].more, "%zu: %lu", i, more);
    }
}

Test(stated_sums, a_result_of_less_than_an_access_a_grid_step_is_written_at_the_end)
{
    static const struct {
        const char *line;
        uint64_t out, end;
    } rows[] = {
        /* 8 steps of 511 B, and of 512 */
        { "%y f32[1024]{0:T(1024)} = kernel(%x) form=vector grid=8 store=4088", 0, 4088 },
        { "%y f32[1024]{0:T(1024)} = kernel(%x) form=vector grid=8 store=4096", 4096, 0 },
        { "%y f32[64]{0:T(128)} = kernel(%x) form=vector grid=1 store=256", 256, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task t = lower_line(rows[i].line, &cap);
        cr_expect_eq(t.kernel.all.out.bytes, rows[i].out, "%zu", i);
        cr_expect_eq(t.kernel.resident_out, rows[i].end, "%zu", i);
    }
}

/* The fixed cost of a kernel and the cycles of its grid steps. */
struct sum_case {
    const char *line;
    uint64_t chain, sums, fixed;
};

static void expect_sums(const struct sum_case *row, const struct cap *c)
{
    const struct task_kernel k = lower_line(row->line, c).kernel;

    cr_expect_eq(k.chain_cycles, row->chain, "%s: chain %lu", row->line, k.chain_cycles);
    cr_expect_eq(k.sum_cycles, row->sums, "%s: sums %lu", row->line, k.sum_cycles);
    cr_expect_eq(k.extra_cycles, row->fixed, "%s: fixed %lu", row->line, k.extra_cycles);
}

#define MATRIX "%y f32[16,1024]{1,0:T(8,128)} = kernel(%x) form=vector store=65536 "
#define COPY "%y f32[16,1024]{1,0:T(8,128)} = kernel(%x) form=copy store=65536 "
#define LINE "%y f32[1024]{0:T(1024)} = kernel(%x) form=vector store=4096 "

Test(stated_sums, additions_wait_for_each_other_and_each_register_of_sums_has_its_cycles)
{
    static const struct sum_case rows[] = {
        /* 30 additions of 2 cycles; 5 registers of 12 */
        { MATRIX "grid=4x1 chain=30 sums=5 sum-steps=1", 60, 60, 0 },
        /* several grid steps add to them: 3 more each; along lanes, of 7, the latency of a sum */
        { MATRIX "grid=4x1 chain=30 sums=5 sum-steps=4", 60, 75, 0 },
        { MATRIX "grid=4x1 xlu=5120 chain=30 sums=5 sum-steps=1", 60, 35, 300 },
        { MATRIX "grid=4x1 xlu=5120 chain=30 sums=5 sum-steps=4", 60, 335, 300 },
        /* a row stays in registers, and is laid along lanes at the end */
        { LINE "grid=4x1 xlu=5120 chain=30 sums=5 sum-steps=4", 60, 35, 340 },
        { LINE "grid=4x1 chain=30 sums=5 sum-steps=4", 60, 60, 0 },
        /* three grid steps as one */
        { MATRIX "grid=1200 chain=30 sums=5 sum-steps=1", 180, 180, 0 },
    };
    struct cap c = cap;

    c.bundle.add_latency = 2;
    c.bundle.sum_cycles = 12;
    c.lane_cycles = 7;
    c.xla.lane_reduce_time = 300;
    c.xla.row_time = 40;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_sums(&rows[i], &c);
    /* a register takes the XLU a cycle, not twelve: 24 of them as long as 2 that are transposed */
    cr_expect_eq(lower_line(MATRIX "xlu=24576 chain=1 sums=24 grid=1", &c).kernel.all.xlu, 2);
    c.lane_cycles = 0;
    cr_expect_eq(lower_line(MATRIX "xlu=24576 chain=1 sums=24 grid=1", &c).kernel.all.xlu, 24);
}

Test(stated_sums, halves_join_their_sums_and_meet_where_no_read_hides_it)
{
    static const struct sum_case rows[] = {
        { MATRIX "grid=4x1 split=m split-bytes=4096 chain=1 sums=1", 0, 0, 500 },
        { MATRIX "grid=4x1 split=m chain=1 sums=1", 0, 0, 0 },
        /* nothing is read: 70 until both have begun */
        { MATRIX "grid=4x1 split=m split-bytes=4096 fetch=0 chain=1 sums=1", 0, 0, 570 },
        { MATRIX "grid=4x1 split=m fetch=0 chain=1 sums=1", 0, 0, 70 },
        { MATRIX "grid=4x1 split=none fetch=0 chain=1 sums=1", 0, 0, 0 },
        { MATRIX "grid=1x1 fetch=0 chain=1 sums=1", 0, 0, 0 },
        /* what goes through the XLU otherwise takes as long with one half */
        { MATRIX "grid=1x1 fetch=0 xlu=1024", 0, 0, 70 },
        /* a row that both share: they meet whether or not they read */
        { LINE "grid=4x1 split=m split-bytes=4096 chain=1 sums=1", 0, 0, 570 },
        { LINE "grid=4x1 split=m split-bytes=4096 fetch=0 chain=1 sums=1", 0, 0, 570 },
        { LINE "grid=4x1 split=m chain=1 sums=1", 0, 0, 0 },
    };
    struct cap c = cap;

    c.halves = 2;
    c.xla.join_time = 500;
    c.meet_cycles = 70;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_sums(&rows[i], &c);
    c.halves = 1;
    expect_sums(&(struct sum_case){ rows[0].line, 0, 0, 0 }, &c);
}

Test(stated_sums, sums_of_several_grid_steps_are_written_at_the_end)
{
    struct task t = lower_line(MATRIX "grid=4x1 chain=1 sums=1 sum-steps=4", &cap);

    cr_expect_eq(t.kernel.all.out.bytes, 0);
    cr_expect_eq(t.kernel.resident_out, 65536);
    t = lower_line(MATRIX "grid=4x1 chain=1 sums=1 sum-steps=1", &cap);
    cr_expect_eq(t.kernel.all.out.bytes, 65536);
    cr_expect_eq(t.kernel.resident_out, 0);
}

Test(stated_sums, a_kernel_whose_result_stays_in_vmem_waits_for_no_write)
{
    struct cap c = cap;

    c.xla.vector_time = 140;
    expect_sums(&(struct sum_case){ MATRIX "grid=1", 0, 0, 140 }, &c);
    expect_sums(&(struct sum_case){ "%y f32[16,1024]{1,0:T(8,128)S(1)} = kernel(%x) form=vector "
                                    "grid=1 store=0",
                                    0, 0, 0 },
                &c);
    /* CMEM is not VMEM */
    c.cmem_bytes = 128 << 20;
    expect_sums(&(struct sum_case){ "%y f32[16,1024]{1,0:T(8,128)S(3)} = kernel(%x) form=vector "
                                    "grid=1 store=0",
                                    0, 0, 140 },
                &c);
}

Test(stated_sums, lanes_that_are_spread_and_rows_that_move_follow_each_other)
{
    static const struct sum_case rows[] = {
        /* 329 registers of 2 cycles in 7 windows, and the latency at the end */
        { MATRIX "grid=7x1 spread=329", 0, 94, 300 },
        /* 9,216 rows of 8 cycles for 8 of them; in one grid step where no windows are stated */
        { COPY "xlu=65536 lane-rows=9216", 0, 9216, 0 },
        { COPY "grid=9 xlu=65536 lane-rows=9216", 0, 1024, 0 },
    };
    struct cap c = cap;

    c.lane_cycles = 2;
    c.rows_cycles = 8;
    c.xla.lane_reduce_time = 300;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_sums(&rows[i], &c);
    struct task_kernel k = lower_line(rows[1].line, &c).kernel;
    cr_expect_eq(k.grid_steps, 1);
    cr_expect_eq(k.all.xlu, 96); /* a cycle for each row: 9,216 / (8 x 12) registers */
    c.rows_cycles = 0;
    k = lower_line(rows[1].line, &c).kernel;
    cr_expect_eq(k.all.xlu, 64);
    cr_expect_eq(k.sum_cycles, 0);
}

#define ONE_ROW "%y f32[16,1024]{1,0:T(1,128)} = kernel(%x) form=copy store=65536 "

Test(stated_sums, rows_that_are_stored_each_by_itself_have_their_cycles)
{
    static const struct sum_case rows[] = {
        { ONE_ROW "grid=1 row-stores=128", 384, 0, 0 },
        /* 43 in each of three windows */
        { ONE_ROW "grid=3 row-stores=128", 128, 0, 0 },
        { ONE_ROW "grid=3", 0, 0, 0 },
        /* a chain may take longer */
        { MATRIX "grid=1 chain=30 sums=5 row-stores=10", 60, 0, 0 },
    };
    struct cap c = cap;

    c.bundle.add_latency = 2;
    c.bundle.row_store = 3;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_sums(&rows[i], &c);
    c.bundle.row_store = 0;
    expect_sums(&(struct sum_case){ rows[0].line, 0, 0, 0 }, &c);
}

Test(stated_sums, rows_cost_nothing_besides_their_bundles_on_v2_and_2_cycles_on_v4)
{
    static const struct {
        const char *machine;
        uint64_t cycles;
    } rows[] = { { "tpu-v2-1", 0 }, { "tpu-v3-1", 0 }, { "tpu-v4-2", 256 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        struct cap of_machine, c = cap;
        struct err e;

        cr_assert_eq(spec_load(&m, rows[i].machine, NULL, 0, &e), 0, "%s", e.msg);
        spec_cap(m, &of_machine);
        c.bundle.row_store = of_machine.bundle.row_store;
        expect_sums(&(struct sum_case){ ONE_ROW "grid=1 row-stores=128", rows[i].cycles, 0, 0 },
                    &c);
        spec_free(m);
    }
}

#define TURN(layout) "%y f32[1024,1024]{" layout ":T(8,128)} = kernel(%x) form=copy store=4194304 "

Test(stated_sums, a_copy_that_turns_lanes_ends_with_the_latency_of_the_xlu)
{
    struct cap c = cap;

    c.xla.lane_reduce_time = 300;
    expect_sums(&(struct sum_case){ TURN("0,1") "xlu=1048576", 0, 0, 300 }, &c);
    expect_sums(&(struct sum_case){ TURN("0,1"), 0, 0, 0 }, &c);
    expect_sums(&(struct sum_case){ TURN("1,0") "xlu=1048576", 0, 0, 0 }, &c);
    /* of arrays of other dimensions nothing is known */
    expect_sums(&(struct sum_case){ COPY "xlu=1048576", 0, 0, 0 }, &c);
}

Test(stated_sums, a_kernel_that_only_moves_says_so)
{
    cr_expect(lower_line(COPY "grid=1", &cap).kernel.moves);
    cr_expect_not(lower_line(MATRIX "grid=1", &cap).kernel.moves);
}
