/* Sums, as PyTorch and TensorFlow divide them over blocks on an H100. */
#include "lower_bench.h"
#include "machine/spec/spec.h"

#define ARRAYS                                                                                     \
    "tensor %x f32[4096,768] input\ntensor %n f32[60000,2] input\n"                                \
    "tensor %t f32[600000,64] input\ntensor %w f32[4096,30522] input\n"                            \
    "tensor %d f32[256,16,2304] input\n"

static uint64_t fixed_of(const char *framework, const char *line)
{
    struct machine_spec *spec;
    struct bench b = { 0 };
    struct cap c;
    struct err err;
    char head[512];

    cr_assert_eq(spec_load(&spec, "h100x1", NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    snprintf(head, sizeof head, "%s%s", framework, ARRAYS);
    cr_assert_eq(lower_text(&b, head, line, &c, false), 0, "%s", b.err.msg);
    uint64_t cycles = b.p.task[0].grid.fixed_cycles;
    take_down(&b);
    return cycles;
}

/* By PyTorch 2.11's own grids on an H100: blocks of a group / height of a block.  [4096,768]: 6
 * groups of 64 blocks of 32 x 4 threads; [600000,64]: one of 2,112 of 16 x 8; [4096,30522]: 477 of
 * 3 of 32 x 8; [60000,2]: one block of 1 x 256.  A step takes 360 ns, 712.8 cycles. */
Test(gpu_sum, the_last_block_adds_what_the_others_left_step_by_step)
{
    static const struct {
        const char *line;
        uint64_t steps;
    } sums[] = {
        { "%y f32[768] = reduce(%x) dims=0\n", 16 },
        { "%y f32[64] = reduce(%t) dims=0\n", 264 },
        { "%y f32[2304] = reduce(%d) dims=0+1\n", 16 },
        { "%y f32[30522] = reduce(%w) dims=0\n", 1 },
        { "%y f32[2] = reduce(%n) dims=0\n", 0 },
        { "%y f32[4096] = reduce(%x) dims=1\n", 0 },
    };

    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        uint64_t more = fixed_of("framework pytorch\n", sums[i].line) - fixed_of("", sums[i].line);
        cr_expect_eq(more, sums[i].steps * 7128 / 10, "%s%lu", sums[i].line, (unsigned long)more);
    }
}

static uint64_t cycles_of(const char *framework, const char *line)
{
    struct machine_spec *spec;
    struct bench b = { 0 };
    struct cap c;
    struct err err;
    char head[512];

    cr_assert_eq(spec_load(&spec, "h100x1", NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    snprintf(head, sizeof head, "%stensor %%i f32[64,8,100,1000] input\n", framework);
    cr_assert_eq(lower_text(&b, head, line, &c, false), 0, "%s", b.err.msg);
    uint64_t cycles = b.p.task[0].grid.cycles[GRID_FMA];
    take_down(&b);
    return cycles;
}

/* 6.4 million elements of each of 8 channels in a block of its own, 40 instructions each on 64
 * lanes; all channels together, or gradients of a bias, have as many blocks as they like. */
Test(gpu_sum, tensorflow_gives_each_channel_between_others_one_block)
{
    const char *const slow = "%y f32[8] = reduce(%i) dims=0+2+3\n";

    cr_expect_eq(cycles_of("framework tensorflow\n", slow), 4000000);
    cr_expect_eq(
        cycles_of("framework tensorflow\n", "%y f32[8], %z f32[8] = reduce(%i) dims=0+2+3\n"),
        8000000, "two sums");
    cr_expect_lt(cycles_of("framework pytorch\n", slow), 100000);
    cr_expect_lt(
        cycles_of("framework tensorflow\n", "%y f32[8] gradient = reduce(%i) dims=0+2+3\n"),
        100000);
    cr_expect_lt(cycles_of("framework tensorflow\n", "%y f32[64,8] = reduce(%i) dims=2+3\n"),
                 100000);
}
