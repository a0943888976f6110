/* Kernels of compiled programs that add up, worked out by hand on the machine of lower_bench.h:
 * registers of 1024 elements, row accesses of 512 B. */
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

    c.reduce_cycles = 300;
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
