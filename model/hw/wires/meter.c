#include "hw/wires/meter.h"

void meter_init(struct meter *m, struct des *sim, struct des_probes show, uint32_t row,
                uint64_t peak, uint64_t *count)
{
    *m = (struct meter){ .show = show, .row = row, .count = count };
    des_probe_set_peak(sim, show, row, peak);
}

void meter_pass(struct meter *m, des_time from, des_time to, uint64_t amount)
{
    *m->count += amount + m->not_yet;
    m->not_yet = 0;
    m->ramp = (struct des_ramp){ from, to, amount };
    m->moved += amount;
}

void meter_begin(struct des *sim, struct meter *m, des_time from, des_time to, uint64_t amount)
{
    *m->count += amount + m->not_yet;
    m->not_yet = 0;
    m->ramp = (struct des_ramp){ from, to, amount };
    des_show_ramp(sim, m->show, m->row, m->ramp);
}

void meter_end(struct des *sim, struct meter *m)
{
    m->moved += m->ramp.amount;
    des_show(sim, m->show, m->row, m->moved);
}

void meter_reset(struct meter *m, des_time now)
{
    m->not_yet = 0;
    *m->count += m->ramp.amount - des_ramp_by(&m->ramp, now);
}

void meter_finish(struct meter *m, des_time now)
{
    uint64_t left = m->ramp.amount - des_ramp_by(&m->ramp, now);

    *m->count += m->not_yet;
    *m->count -= left;
    m->not_yet = left;
}
