/* probe.c - see probe.h. */
#include "des/des_impl.h"

struct des_probes des_probes_new(struct des *sim, struct des_module m,
                                 const struct des_probe_row *rows, uint32_t n)
{
    uint32_t first = sim->probes.n;

    for (uint32_t i = 0; i < n; i++) {
        struct des_label l = { rows[i].name, m.id };
        if (m.id >= sim->modules.n && m.id != 0)
            des_handle_misuse(sim, "module");
        uint32_t id = TABLE_ADD(sim, probes, l);
        TABLE_ADD(sim, probe_infos, l);
        sim->probe_infos.at[id] =
            (struct des_probe_info){ .label = l, .row = &rows[i], .first = first };
    }
    return (struct des_probes){ first };
}

struct des_probe des_probe_at(struct des_probes p, uint32_t row)
{
    return (struct des_probe){ p.first + row };
}

const struct des_probe_row *des_probe_row(const struct des *sim, struct des_probe p)
{
    return RECORD(sim, probe_infos, p, "probe")->row;
}

bool des_fine_watched(const struct des *sim, uint32_t first)
{
    return RECORD(sim, probes, (struct des_probe){ first }, "probe")->fine;
}

void des_show_watched(struct des *sim, uint32_t id, uint64_t value)
{
    struct des_probe_record *p = RECORD(sim, probes, (struct des_probe){ id }, "probe");

    if (p->value == value)
        return;
    p->value = value;
    if (p->watch)
        des_call_watchers(sim, p->watch, value);
}

uint64_t des_ramp_by(const struct des_ramp *r, des_time now)
{
    if (now >= r->to)
        return r->amount;
    return now <= r->from ? 0 : (uint64_t)((u128)r->amount * (now - r->from) / (r->to - r->from));
}

void des_show_ramp_watched(struct des *sim, uint32_t id, struct des_ramp ramp)
{
    struct des_probe_info *p = RECORD(sim, probe_infos, (struct des_probe){ id }, "probe");

    BUG_ON(!p->row->ramps || ramp.to < ramp.from || ramp.from < p->ramp.to);
    p->ramp = ramp;
    if (p->ramp_watch)
        des_call_watchers(sim, p->ramp_watch, ramp.amount);
}

struct des_ramp des_probe_ramp(const struct des *sim, struct des_probe p)
{
    return RECORD(sim, probe_infos, p, "probe")->ramp;
}

void des_probe_set_peak(struct des *sim, struct des_probes p, uint32_t row, uint64_t peak)
{
    RECORD(sim, probe_infos, des_probe_at(p, row), "probe")->peak = peak;
}

uint64_t des_probe_peak(const struct des *sim, struct des_probe p)
{
    return RECORD(sim, probe_infos, p, "probe")->peak;
}

void des_texts(struct des *sim, const char *const *text, uint32_t n)
{
    sim->texts = text;
    sim->n_texts = n;
}

const char *des_text(const struct des *sim, uint64_t number)
{
    return number < sim->n_texts ? sim->texts[number] : "";
}

uint32_t des_texts_count(const struct des *sim)
{
    return sim->n_texts;
}

uint64_t des_flow(struct des *sim)
{
    return ++sim->flows;
}

void des_walk(struct des *sim, des_time from, des_time to)
{
    sim->hot.walk_from = from;
    sim->hot.walk_to = to;
}

des_time des_walk_begin(const struct des *sim)
{
    return sim->hot.walk_from;
}

des_time des_walk_end(const struct des *sim)
{
    return sim->hot.walk_to;
}

void des_each(struct des *sim, des_visit *visit, void *self)
{
    for (uint32_t i = 1; i < sim->clocks.n; i++)
        visit(sim, self, (struct des_object){ DES_CLOCK, i });
    for (uint32_t i = 1; i < sim->probes.n; i++)
        visit(sim, self, (struct des_object){ DES_PROBE, i });
    for (uint32_t i = 1; i < sim->signals.n; i++)
        visit(sim, self, (struct des_object){ DES_SIGNAL, i });
    for (uint32_t i = 1; i < sim->fifos.n; i++)
        visit(sim, self, (struct des_object){ DES_FIFO, i });
}
