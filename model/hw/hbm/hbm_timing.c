/* Times of a part in cycles, rounded up as a controller programs them. */
#include "hw/hbm/hbm_timing.h"

#include "base/exact.h"
#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct dram_params, __VA_ARGS__)
static const struct param_desc params[] = { DRAM_PARAMS(P) };
const struct param_table dram_param_table = { "dram", params, sizeof params / sizeof *params,
                                              sizeof(struct dram_params), NULL };
#undef P

static uint64_t cycles_of_time(const struct dram_params *p, uint64_t fs)
{
    return (uint64_t)(((u128)fs * p->clock + FS_PER_S - 1) / FS_PER_S);
}

uint32_t dram_channels(const struct dram_params *p)
{
    return p->stacks * p->channels;
}

uint64_t dram_bytes(const struct dram_params *p)
{
    return (uint64_t)dram_channels(p) * p->pseudo_channels * p->groups * p->banks * p->rows *
           p->row_bytes;
}

uint64_t dram_bytes_per_s(const struct dram_params *p)
{
    return (uint64_t)((u128)p->clock * p->access * dram_channels(p) * p->pseudo_channels /
                      p->burst);
}

static int check_shape(const struct dram_params *p, struct err *err)
{
    if (p->pseudo_channels * p->groups * p->banks > HBM_MAX_BANKS)
        return err_set(err, ERR_RANGE,
                       "dram: %u pseudo-channels * %u groups * %u banks: more than %d banks of a "
                       "channel",
                       p->pseudo_channels, p->groups, p->banks, HBM_MAX_BANKS);
    if (dram_channels(p) * p->pseudo_channels > HBM_MAX_CHANNELS)
        return err_set(err, ERR_RANGE, "dram: %u stacks * %u channels: more than %d in all",
                       p->stacks, p->channels, HBM_MAX_CHANNELS);
    if (p->row_bytes % p->access)
        return err_set(err, ERR_RANGE,
                       "dram.row_bytes = %llu B: not a multiple of dram.access = %llu B",
                       (unsigned long long)p->row_bytes, (unsigned long long)p->access);
    if (p->write_low >= p->write_high || p->write_high > p->write_queue)
        return err_set(err, ERR_RANGE,
                       "dram: expected write_low < write_high <= write_queue, not %u, %u, %u",
                       p->write_low, p->write_high, p->write_queue);
    return 0;
}

/* Gaps within a bank group are at least those between groups. */
static void widen_gaps(struct hbm_timing *t)
{
    if (t->rrd_l < t->rrd_s)
        t->rrd_l = t->rrd_s;
    if (t->ccd_l < t->ccd_s)
        t->ccd_l = t->ccd_s;
    if (t->write_read_l < t->write_read_s)
        t->write_read_l = t->write_read_s;
}

/* Refresh leaves at least half of the time. */
static int check_refresh(const struct hbm_timing *t, struct err *err)
{
    if (t->refresh == HBM_REFRESH_NONE)
        return 0;
    if (t->refi == 0)
        return err_set(err, ERR_RANGE,
                       "dram.refi: less than a cycle of dram.clock from one refresh to the next");
    uint64_t busy = t->refresh == HBM_REFRESH_ALL ? t->rp + t->rfc : t->rfc_bank / t->banks;
    if (busy * 2 > t->refi)
        return err_set(err, ERR_RANGE,
                       "dram.refi: refresh would take more than half of the time: %llu of %llu "
                       "cycles",
                       (unsigned long long)busy, (unsigned long long)t->refi);
    return 0;
}

int hbm_timing_init(struct hbm_timing *t, const struct dram_params *p, struct err *err)
{
    if (check_shape(p, err) != 0)
        return -1;
    uint32_t banks = p->pseudo_channels * p->groups * p->banks;
    uint64_t refi = (uint64_t)((u128)p->refi * p->clock / FS_PER_S);
    uint64_t write_data = cycles_of_time(p, p->write_latency) + p->burst;

    *t = (struct hbm_timing){
        .clock = p->clock,
        .pcs = p->pseudo_channels,
        .groups = p->pseudo_channels * p->groups,
        .banks = banks,
        .burst = p->burst,
        .access = (uint32_t)p->access,
        .accesses_per_row = (uint32_t)(p->row_bytes / p->access),
        .read_done = cycles_of_time(p, p->read_latency) + p->burst,
        .write_done = write_data,
        .rcd_read = cycles_of_time(p, p->rcd_read),
        .rcd_write = cycles_of_time(p, p->rcd_write),
        .rp = cycles_of_time(p, p->rp),
        .ras = cycles_of_time(p, p->ras),
        .rc = cycles_of_time(p, p->rc),
        .rrd_s = cycles_of_time(p, p->rrd_s),
        .rrd_l = cycles_of_time(p, p->rrd_l),
        .faw = cycles_of_time(p, p->faw),
        .ccd_s = p->ccd_s > p->burst ? p->ccd_s : p->burst, /* the data bus takes no two at once */
        .ccd_l = p->ccd_l > p->burst ? p->ccd_l : p->burst,
        .rtp = cycles_of_time(p, p->rtp),
        .read_write = cycles_of_time(p, p->rtw),
        .write_read_s = write_data + cycles_of_time(p, p->wtr_s),
        .write_read_l = write_data + cycles_of_time(p, p->wtr_l),
        .write_pre = write_data + cycles_of_time(p, p->wr),
        .rfc = cycles_of_time(p, p->rfc),
        .rfc_bank = cycles_of_time(p, p->rfc_bank),
        .rrefd = cycles_of_time(p, p->rrefd),
        .refi = p->refresh == HBM_REFRESH_BANK ? refi / banks : refi,
        .age_limit = cycles_of_time(p, p->age_limit),
        .refresh = p->refresh,
        .act_cycles = p->act_cycles,
        .row_hits = p->row_hits,
        .read_queue = p->read_queue,
        .write_queue = p->write_queue,
        .bank_queue = p->bank_queue,
        .write_high = p->write_high,
        .write_low = p->write_low,
        .dual_bus = p->dual_bus == 1,
        .closed_page = p->page == 1,
        .by_age = p->arbiter == 0,
        .hold_row = p->hold_row == 1,
        .early_place = p->early_place == 1,
    };
    widen_gaps(t);
    return check_refresh(t, err);
}
