#include "cost/proxy.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "cost/cost.h"

#define WAFER_MM 300.0

#define ROW(...) PARAM_DESC(struct proxy_params, __VA_ARGS__)
static const struct param_desc rows[] = { PROXY_PARAMS(ROW) };
#undef ROW
const struct param_table proxy_param_table = { "proxy", rows, sizeof rows / sizeof *rows,
                                               sizeof(struct proxy_params), NULL };

int proxy_set(struct proxy_params *p, const char *text, struct err *err)
{
    const char *names[sizeof rows / sizeof *rows], *dot = strchr(text, '.'),
                                                   *eq = strchr(text, '=');
    char key[64];

    if (!dot || !eq || dot > eq)
        return err_set(err, ERR_FORMAT, "--set %s: expected proxy.key=value", text);
    snprintf(key, sizeof key, "%.*s", (int)(eq - dot - 1), dot + 1);
    const struct param_desc *d = param_find(&proxy_param_table, key);
    if (d)
        return param_set(&proxy_param_table, d, p, eq + 1, err) == 0
                   ? 0
                   : err_at(err, "--set %s", text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        names[i] = rows[i].name;
    const char *near = err_nearest(key, names, (unsigned)(sizeof rows / sizeof *rows));
    return err_set(err, ERR_UNKNOWN, "--set %s: unknown parameter of [proxy] '%s'%s%s%s", text, key,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool proxy_knows(const struct machine_spec *m)
{
    return spec_has(m->kind, (size_t)spec_table("die"));
}

static double share_of_ppb(uint64_t ppb)
{
    return (double)ppb / 1e9;
}

/* Factors of a process node, relative to areas at 16 nm, and the price of its wafers. */
struct node {
    double logic, cells, other, wafer;
};

static struct node find_node(const struct proxy_params *p, const struct machine_spec *m)
{
    switch ((enum die_node)m->die.node) {
    case DIE_7NM:
        return (struct node){ share_of_ppb(p->logic_7nm), share_of_ppb(p->cells_7nm),
                              share_of_ppb(p->other_7nm), share_of_ppb(p->wafer_7nm) };
    case DIE_5NM:
        return (struct node){ share_of_ppb(p->logic_5nm), share_of_ppb(p->cells_5nm),
                              share_of_ppb(p->other_5nm), share_of_ppb(p->wafer_5nm) };
    case DIE_3NM:
        return (struct node){ share_of_ppb(p->logic_3nm), share_of_ppb(p->cells_3nm),
                              share_of_ppb(p->other_3nm), share_of_ppb(p->wafer_3nm) };
    default: return (struct node){ 1, 1, 1, share_of_ppb(p->wafer) };
    }
}

static double link_gbps(const struct machine_spec *m)
{
    return m->die.links * (double)m->ici.bandwidth / 1e9;
}

static double die_mm2(const struct proxy_params *p, const struct machine_spec *m)
{
    struct node node = find_node(p, m);
    double size = m->mxu.size,
           multipliers = size * size * m->mxu.rows_per_cycle * share_of_ppb(p->pe_area),
           edge = size * share_of_ppb(p->edge_area),
           array = (multipliers > edge ? multipliers : edge) / 1e6;
    double alus = (double)m->vpu.lanes * m->vpu.sublanes * m->vpu.alus;
    /* of a machine whose TensorCores work as one, a core is all of a chip */
    double cores = m->slice.cores_per_chip, mib = 1.0 / (1 << 20);
    double logic = cores * (m->mxu.count * array + alus * share_of_ppb(p->alu_area) / 1e6);
    double memory = (cores * (double)m->vmem.capacity + (double)m->cmem.capacity) * mib;
    double other = (double)m->hbm.bandwidth / 1e9 * share_of_ppb(p->hbm_area) +
                   link_gbps(m) * share_of_ppb(p->ici_area) + share_of_ppb(p->rest_area);

    return (logic * node.logic + memory * share_of_ppb(p->sram_area) * node.cells +
            other * node.other) /
           m->die.count;
}

static double die_usd(const struct proxy_params *p, double wafer, double area)
{
    double pi = 3.14159265358979323846, r = WAFER_MM / 2;
    double dies = pi * r * r / area - pi * WAFER_MM / sqrt(2 * area);
    double flawed = 1 + area / 100 * share_of_ppb(p->defects) / 3;

    if (dies < 1) /* a die as large as that is made of several, at the same yield */
        dies = pi * r * r / area;
    return wafer / dies * flawed * flawed * flawed;
}

static double hardware_usd(const struct proxy_params *p, const struct machine_spec *m, double area)
{
    double chip = m->die.count * die_usd(p, find_node(p, m).wafer, area) +
                  (double)m->hbm.capacity / 1e9 * share_of_ppb(p->hbm_gb) +
                  (double)m->hbm.bandwidth / 1e9 * share_of_ppb(p->hbm_rate) +
                  link_gbps(m) * share_of_ppb(p->ici_rate) + share_of_ppb(p->board);

    return spec_chips(m) * chip + spec_hosts(m) * share_of_ppb(p->host);
}

void proxy_of(const struct proxy_params *p, const struct machine_spec *m,
              const struct machine_spec *as_is, struct proxy *out)
{
    double share = share_of_ppb(p->share);

    EXACT_Q(rent);
    out->die_mm2 = die_mm2(p, m);
    out->over_reticle = out->die_mm2 > share_of_ppb(p->reticle);
    out->hardware_usd = hardware_usd(p, m, out->die_mm2);
    out->has_rent = as_is && cost_per_hour(rent, as_is, COST_ON_DEMAND);
    out->usd_per_hour = 0;
    if (out->has_rent) {
        double before = hardware_usd(p, as_is, die_mm2(p, as_is)) / as_is->dcn.slices;
        double now = out->hardware_usd / m->dcn.slices;
        /* rents are those of all slices */
        out->usd_per_hour = mpq_get_d(rent) / as_is->dcn.slices * m->dcn.slices *
                            (1 - share + share * now / before);
    }
}
