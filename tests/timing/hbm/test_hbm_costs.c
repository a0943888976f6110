/* A burst of a mix costs what the formula of hbm_part.h gives for walks of known length.  A lone
 * stream takes 8,192 cycles, one for each access. */
#include <criterion/criterion.h>

#include "hw/hbm/hbm_learnt.h"

enum { READS, WRITES, READ_ROWS, WRITE_ROWS }; /* kinds */

/* A part that no built-in machine has, with turns of 2,048 accesses of a channel.  Each walk then
 * counts 8,192 accesses, of three streams 12,288.  The memory is so many times `slower`. */
static void init_part(struct hbm_part *p, uint32_t slower)
{
    struct dram_params par;

    param_defaults(&dram_param_table, &par);
    par.write_latency = 5555555;
    hbm_part_init(p, &par, 1 << 20, dram_bytes_per_s(&par) / slower);
    cr_assert_eq(p->turn, 2048);
}

/* Let the walk of a mix have taken so many cycles. */
static void set_walk(const struct hbm_part *p, hbm_mix_key key, uint64_t cycles)
{
    hbm_learnt_add(
        &(struct hbm_walked){ .part = p->walked, .low = (uint64_t)key, .cycles = cycles });
}

static void expect_costs(struct hbm_part *p, hbm_mix_key key, uint32_t kind, uint32_t cost)
{
    uint32_t i = hbm_part_mix(p, key), found = p->mixture[i].cost[kind];

    cr_expect_eq(found, cost, "kind %u of %lx: %u", kind, (uint64_t)key, found);
}

Test(hbm_costs, streams_delay_each_other_or_hide_the_rows_of_others)
{
    const hbm_mix_key read = hbm_mix_one(READS), write = hbm_mix_one(WRITES);
    const hbm_mix_key rows = hbm_mix_one(READ_ROWS), put = hbm_mix_one(WRITE_ROWS);
    struct hbm_part p;

    init_part(&p, 1);
    set_walk(&p, read, 8192);
    set_walk(&p, write, 8192);
    set_walk(&p, rows, 24576); /* r = 3 */
    set_walk(&p, put, 16384);  /* r = 2 */
    expect_costs(&p, read, READS, 65536);
    expect_costs(&p, rows, READ_ROWS, 196608);
    expect_costs(&p, put, WRITE_ROWS, 131072);
    /* r = 1.25: a round of two takes 2.5, more than 1 + 1, in equal parts */
    set_walk(&p, read + write, 10240);
    expect_costs(&p, read + write, READS, 81920);
    expect_costs(&p, read + write, WRITES, 81920);
    /* r = 2.5: 5, as much as both take alone */
    set_walk(&p, rows + put, 20480);
    expect_costs(&p, rows + put, READ_ROWS, 196608);
    expect_costs(&p, rows + put, WRITE_ROWS, 131072);
    /* r = 1.5: 3, less than 1 + 3.  Of the 2 that rows take more than a stream 1 is hidden */
    set_walk(&p, read + rows, 12288);
    expect_costs(&p, read + rows, READS, 65536);
    expect_costs(&p, read + rows, READ_ROWS, 131072);
    /* r = 4/3 of three: 4, less than 1 + 3 + 2.  Of 3 more 1 is left, in proportion 2 to 1 */
    set_walk(&p, read + rows + put, 16384);
    expect_costs(&p, read + rows + put, READS, 65536);
    expect_costs(&p, read + rows + put, READ_ROWS, 65536 + 43690);
    expect_costs(&p, read + rows + put, WRITE_ROWS, 65536 + 21845);
    hbm_part_free(&p);
}

/* A mix that took less than a lone stream costs as much: r is 1 at least. */
Test(hbm_costs, no_burst_is_faster_than_one_of_a_lone_stream)
{
    const hbm_mix_key two = 2 * hbm_mix_one(WRITES);
    struct hbm_part p;

    init_part(&p, 1);
    set_walk(&p, hbm_mix_one(WRITES), 8192);
    set_walk(&p, two, 8000);
    expect_costs(&p, two, WRITES, 65536);
    hbm_part_free(&p);
}

/* r = 3 and r = 1.5 in a part that is twice as fast as the memory: 1.5, and no less than 1. */
Test(hbm_costs, a_part_faster_than_the_memory_serves_mixes_at_its_own_rate)
{
    const hbm_mix_key rows = hbm_mix_one(READ_ROWS), put = hbm_mix_one(WRITE_ROWS);
    struct hbm_part p;

    init_part(&p, 2);
    set_walk(&p, hbm_mix_one(READS), 8192);
    set_walk(&p, hbm_mix_one(WRITES), 8192);
    set_walk(&p, rows, 24576);
    set_walk(&p, put, 12288);
    expect_costs(&p, rows, READ_ROWS, 98304);
    expect_costs(&p, put, WRITE_ROWS, 65536);
    hbm_part_free(&p);
}
