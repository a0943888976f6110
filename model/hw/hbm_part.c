/* What a part says about transfers of rows: how a row lies in the channels, and what opening costs.
 */
#include "hw/hbm.h"
#include "hw/hbm_memory.h"

void hbm_part_init(struct hbm_part *p, const struct dram_params *par)
{
    struct err err;

    *p = (struct hbm_part){ .par = *par };
    BUG_ON(hbm_timing_init(&p->t, par, &err) != 0);
    BUG_ON(hbm_map_init(&p->map, par, &err) != 0);
}

/* Random accesses fill the queues of one channel that is not refreshed: so many of them. */
#define SAMPLE 8192

static void measure(struct hbm_part *p)
{
    struct dram_params one = p->par;
    struct hbm_memory m;
    struct hbm_traffic w;
    struct hbm_outcome out;
    struct hbm_load load = { .pattern = HBM_RANDOM, .size = one.access, .seed = 1 };
    struct err err;

    one.stacks = one.channels = 1;
    one.refresh = HBM_REFRESH_NONE;
    one.window = 0;
    load.bytes = SAMPLE * one.access;
    BUG_ON(hbm_memory_init(&m, &one, &err) != 0);
    BUG_ON(hbm_traffic_init(&w, &load, &m.map, &one, &err) != 0);
    hbm_memory_walk(&m, &w, &out);
    p->row_cycles = out.cycles;
    p->row_accesses = SAMPLE;
    hbm_traffic_free(&w);
    hbm_memory_free(&m);
}

void hbm_part_rows(struct hbm_part *p, uint64_t row_bytes)
{
    uint64_t accesses = (row_bytes + p->par.access - 1) / p->par.access;
    uint32_t first = hbm_map_place(&p->map, 0).channel;

    if (!p->row_cycles)
        measure(p);
    if (p->row_bytes == row_bytes && p->row_depth)
        return;
    /* beyond a period of the map a row is not one row of a bank any more */
    uint64_t n = accesses < p->map.period ? accesses : p->map.period;
    p->row_bytes = row_bytes;
    p->row_depth = 0;
    for (uint64_t i = 0; i < n; i++) {
        struct hbm_place at = hbm_map_place(&p->map, i);
        p->row_depth += at.channel == first && at.bank == hbm_map_place(&p->map, 0).bank;
    }
    p->row_depth += p->row_depth == 0;
    p->row_width = (accesses + p->row_depth - 1) / p->row_depth;
}
