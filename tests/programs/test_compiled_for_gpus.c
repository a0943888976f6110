/* Steps that XLA:GPU compiled (gpu_steps.py), counted by hand: kernels, FLOPs, bytes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import.h"
#include "import/open.h"
#include "run/result/result.h"

struct expected {
    const char *name, *machine;
    uint64_t kernels, collectives, flops, bytes;
    double peak; /* bytes, of the compiler; 0: not held */
    struct {
        const char *part; /* of lines, */
        unsigned times;
    } line[4];
};

/* convnet, 32 images: of 8 channels of 16 x 16 come 16 of 14 x 14, of 3,136 numbers 10.
 *
 *     FLOPs   2 * 32 * 14 * 14 * 16 * 8 * 9 = 14,450,688, forward and for the filter;
 *             2 * 32 * 3,136 * 10 = 2,007,040, three times; 336,000 others on V100: 100,352 for
 *             relu and twice that for its gradient, 1,280 for the loss, 31,360 + 2,304 updates
 *     bytes   images 262,144, filter 4,608, their result 401,408, the layer 125,440, outputs 1,280:
 *             copy 250,880; convolutions 2 * 668,160; relu 802,816 and 1,204,224; products
 *             3 * 528,128; loss 3,844 + 8; updates 376,320 + 13,824
 *
 * On four A100 relu is fused into what reads it, and one all-reduce has all gradients: 32,513 f32.
 * Its peak is not held: the compiler writes one result over an operand, which we do not.
 *
 * table: 65,536 keys are sorted by 15 kernels, 16 comparisons a key; as many rows of 64 are read,
 * squared and added up, and read again to be added to their gradients. */
static const struct expected programs[] = {
    { "convnet",
      "v100x1",
      12,
      0,
      2 * 14450688 + 3 * 2007040 + 336000,
      5572620,
      5517340,
      { { " conv=forward image=32x8x16x16 filter=16x8x3x3 result=32x16x14x14 ", 1 },
        { " conv=wgrad ", 1 },
        { " form=product product=1x", 5 },
        { " pattern=reduction ", 1 } } },
    { "convnet",
      "a100x4",
      14,
      1,
      2 * 14450688 + 3 * 2007040 + 472832 + 32513,
      0,
      0,
      { { " = all-reduce-start(", 1 },
        { "%all-reduce-start f32[32513] ", 1 },
        { " conv=", 2 },
        { " operands=f32 ", 5 } } },
    { "table",
      "a100x1",
      8,
      0,
      19133440,
      0,
      1298468,
      { { " rows=1 cols=65536 form=sort ", 1 },
        { " rounds=15 ", 1 },
        { " rows=65536 form=scatter ", 1 },
        { " rows=65536 form=gather ", 1 } } },
};
#define N (sizeof programs / sizeof *programs)

static void name_file(char *path, size_t room, const struct expected *e)
{
    snprintf(path, room, "tests/programs/%s.%s.hlo.zst", e->name, e->machine);
}

static unsigned count_lines(const char *text, const char *part)
{
    unsigned n = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

static void check_text(const struct expected *e)
{
    struct import_totals t;
    struct hlo_module *m;
    struct err err;
    char path[128], *hlo, *text;
    size_t size;

    name_file(path, sizeof path, e);
    cr_assert_eq(import_read(&hlo, &size, path, &err), 0, "%s", err.msg);
    cr_assert_eq(hlo_parse(&m, path, hlo, size, &err), 0, "%s", err.msg);
    cr_assert_eq(import_hlo_text(m, &(struct import_options){ 0 }, &text, &size, &t, &err), 0, "%s",
                 err.msg);
    cr_expect_eq(t.kernels, e->kernels, "%s: %lu kernels", path, (unsigned long)t.kernels);
    cr_expect_eq(t.collectives, e->collectives, "%s", path);
    cr_expect_eq(t.flops, e->flops, "%s: %lu FLOP", path, (unsigned long)t.flops);
    cr_expect(e->bytes == 0 || t.bytes == e->bytes, "%s: %lu B", path, (unsigned long)t.bytes);
    for (size_t i = 0; i < sizeof e->line / sizeof *e->line; i++)
        cr_expect_eq(count_lines(text, e->line[i].part), e->line[i].times, "%s: '%s'", path,
                     e->line[i].part);
    free(text);
    hlo_free(m);
    free(hlo);
}

Test(compiled_for_gpus, come_out_as_counted_by_hand)
{
    for (size_t i = 0; i < N; i++)
        check_text(&programs[i]);
}

Test(compiled_for_gpus, take_the_memory_that_their_compiler_says)
{
    for (size_t i = 0; i < N; i++) {
        const struct expected *e = &programs[i];
        char path[128];
        struct run_request q = { .trace = path, .machine = e->machine, .steps = 1 };
        struct run_result r;
        struct err err;

        if (e->peak == 0)
            continue;
        name_file(path, sizeof path, e);
        cr_assert_eq(run_replay(&q, &r, &err), 0, "%s", err.msg);
        cr_expect_float_eq((double)r.compiler_peak.counted / e->peak, 1, 0.03, "%s: %g", path,
                           (double)r.compiler_peak.counted);
        run_result_free(&r);
    }
}
