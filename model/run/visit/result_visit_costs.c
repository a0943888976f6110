/* result_visit_costs.c - the figures of a result's prices and power (result_visit.h). */
#include "base/exact.h"
#include "cost/cost.h"
#include "run/epoch.h"
#include "run/visit/result_visit.h"
#include "run/visit/visit_value.h"

static void visit_prices(const struct result_visitor *v, const char *name, mpq_srcptr on_demand,
                         bool has_on_demand, mpq_srcptr preemptible, bool has_preemptible)
{
    visit_group(v, name);
    visit_decimal(v, "on_demand", "USD", on_demand, has_on_demand);
    visit_decimal(v, "preemptible", "USD", preemptible, has_preemptible);
    v->close(v->self);
}

/* The cost of the slice for `seconds`, if these are known. */
static void visit_usd(const struct result_visitor *v, const char *name, const struct run_result *r,
                      const mpq_t seconds, bool known)
{
    EXACT_Q(on_demand);
    EXACT_Q(preemptible);
    cost_usd(on_demand, r->usd_per_hour, seconds);
    cost_usd(preemptible, r->usd_per_hour_preemptible, seconds);
    visit_prices(v, name, on_demand, known && r->has_price, preemptible,
                 known && r->has_preemptible);
}

static void visit_joules(const struct result_visitor *v, const char *name,
                         const struct run_result *r, const mpq_t seconds, bool known)
{
    EXACT_Q(joules);
    mpq_mul(joules, r->power.watts, seconds);
    visit_decimal(v, name, "J", joules, known && r->power.by_work);
}

/* The power that energy is the integral of: what it goes to, and between what it must be. */
static void visit_power(const struct result_visitor *v, const struct run_result *r)
{
    const struct cost_power *p = &r->power;

    visit_group(v, "watts");
    visit_decimal(v, "least", "W", p->least, p->known);
    visit_decimal(v, "most", "W", p->most, p->known);
    visit_decimal(v, "average", "W", p->watts, p->by_work);
    for (int i = 0; i < COST_N_PARTS; i++)
        visit_decimal(v, cost_part_name[i], "W", p->part[i], p->by_work);
    visit_text(v, "source", r->power_source ? r->power_source : "");
    v->close(v->self);
}

void result_visit_run(const struct result_visitor *v, const struct run_result *r)
{
    if (!epoch_has_run(r)) {
        v->value(v->self,
                 &(struct result_value){ .name = "run", .unit = "", .kind = RESULT_NOTHING });
        return;
    }
    EXACT_Q(seconds);
    epoch_run_seconds(seconds, r);
    visit_group(v, "run");
    visit_integer(v, "epochs", "", r->epochs);
    visit_decimal(v, "seconds", "s", seconds, true);
    visit_usd(v, "usd", r, seconds, true);
    visit_joules(v, "joules", r, seconds, true);
    v->close(v->self);
}

/* The trust that prices deserve, and whose they are. */
static void visit_price(const struct result_visitor *v, const struct run_result *r)
{
    visit_group(v, "price");
    visit_flag(v, "verified", r->price_verified);
    visit_text(v, "source", r->price_source ? r->price_source : "");
    v->close(v->self);
}

void result_visit_costs(const struct result_visitor *v, const struct run_result *r)
{
    visit_price(v, r);
    visit_prices(v, "usd_per_epoch", r->usd_per_epoch, r->has_epoch && r->has_price,
                 r->usd_per_epoch_preemptible, r->has_epoch && r->has_preemptible);
    visit_usd(v, "usd_per_step", r, r->seconds_per_step, true);
    EXACT_Q(million);
    mpq_set_ui(million, 1000000, 1);
    mpq_div(million, million, r->samples_per_second);
    visit_usd(v, "usd_per_million_samples", r, million, !r->samples_unknown);
    visit_joules(v, "joules_per_step", r, r->seconds_per_step, true);
    visit_joules(v, "joules_per_epoch", r, r->seconds_per_epoch, r->has_epoch);
    visit_power(v, r);
    result_visit_run(v, r);
}
