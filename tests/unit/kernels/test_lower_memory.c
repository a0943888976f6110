/* Values alive at each kernel, and the dtype in which they are kept. */
#include "tests/unit/kernels/lower_bench.h"

/* Bytes of the elements that are alive at the peak, without padding. */
static uint64_t peak_elements(const struct bench *b, uint32_t *at)
{
    struct footprint_core tiles = { .tiling = { 128, cap.sublanes }, .replicas = cap.replicas };
    struct footprint m;

    footprint_peak(&m, &b->step, &tiles, NULL, &(struct footprint_change){ 0 }, NULL);
    *at = m.at;
    return m.total - m.padding;
}

Test(footprint, memory_peaks_where_most_is_alive)
{
    struct bench b = { 0 };
    uint32_t at;

    /* x 400 persistent; a 400 until b, b 800 until c, c 40: at b 400 + 400 + 800 */
    cr_assert_eq(lower_text(&b, "tensor %x f32[100] input\n",
                            "%a f32[100] = elementwise(%x)\n%b f32[200] = elementwise(%a)\n"
                            "%c f32[10] = reduce(%b)\n",
                            &cap, false),
                 0);
    cr_assert_eq(peak_elements(&b, &at), 1600);
    cr_assert_str_eq(step_text(&b.step, b.step.node[at].title), "b");
    take_down(&b);
}

Test(footprint, what_a_loop_reads_from_outside_lives_until_the_loop_ends)
{
    struct bench b = { 0 };
    uint32_t at;

    /* a 400 is read by the first line of the loop and still there at the second: 400 + 400 + 2000
     */
    cr_assert_eq(lower_text(&b, "tensor %x f32[100] input\n",
                            "%a f32[100] = elementwise(%x)\nrepeat 3 {\n%b f32[10] = reduce(%a)\n"
                            "%c f32[500] = elementwise(%x)\n}\n",
                            &cap, false),
                 0);
    cr_assert_eq(peak_elements(&b, &at), 2800);
    take_down(&b);
}

Test(footprint, the_operands_of_a_start_live_until_its_done)
{
    struct bench b = { 0 };
    uint32_t at;

    /* a 4000 must outlast c 4000, which starts after it was handed to the network: 400 + 4000 + 4 +
     * 4000 at c, and at the done 400 + 4000 + 4 + 4000 for its result, c being gone */
    cr_assert_eq(
        lower_text(&b, "tensor %x f32[100] input\n",
                   "%a f32[1000] gradient = elementwise(%x)\n%h u32[] = all-reduce-start(%a)\n"
                   "%c f32[1000] = elementwise(%x)\n"
                   "%s f32[1000] gradient = all-reduce-done(%h)\n",
                   &cap, false),
        0);
    cr_assert_eq(peak_elements(&b, &at), 400 + 4000 + 4 + 4000);
    take_down(&b);
}

Test(lower, an_activation_that_a_matmul_reads_is_kept_in_bf16)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[256,64] input\ntensor %w f32[64,32] weight\n",
                            "%a f32[256,64] = elementwise(%x)\n%y f32[256,32] = matmul(%a, %w)\n"
                            "%z f32[256,32] = elementwise(%y)\n",
                            &cap, true),
                 0);
    cr_assert_eq(total_in(&b.p.task[0]), 256 * 64 * 4, "an input stays f32");
    cr_assert_eq(total_out(&b.p.task[0]), 256 * 64 * 2);
    cr_assert_eq(total_in(&b.p.task[1]), 256 * 64 * 2 + 64 * 32 * 4, "weights stay f32");
    cr_assert_eq(total_out(&b.p.task[1]), 256 * 32 * 4, "nobody rounds the result");
    take_down(&b);
}
