/* The part of a result that padding has, for result_visit(). */
#include "base/exact.h"
#include "run/epoch.h"
#include "run/visit/result_visit.h"
#include "run/visit/visit_value.h"

/* The cost of the slice for so many seconds. */
static void visit_usd(const struct result_visitor *v, const struct run_result *r, const char *name,
                      mpq_srcptr seconds, bool known)
{
    EXACT_Q(usd);
    v->open(v->self, name, RESULT_GROUP);
    cost_usd(usd, r->usd_per_hour, seconds);
    visit_decimal(v, "on_demand", "USD", usd, known && r->has_price);
    cost_usd(usd, r->usd_per_hour_preemptible, seconds);
    visit_decimal(v, "preemptible", "USD", usd, known && r->has_preemptible);
    v->close(v->self);
}

static void visit_time(const struct result_visitor *v, const struct run_result *r,
                       const mpq_t seconds)
{
    EXACT_Q(q);
    visit_decimal(v, "seconds", "s", seconds, true);
    mpq_div(q, seconds, r->seconds_per_step);
    visit_decimal(v, "time_share", "ratio", q, true);
    visit_usd(v, r, "usd_per_step", seconds, true);
    mpq_mul(q, seconds, r->steps_per_epoch);
    visit_usd(v, r, "usd_per_epoch", q, r->has_epoch);
}

void result_visit_padding(const struct result_visitor *v, const struct run_result *r)
{
    if (r->n_padding == 0)
        return;
    v->open(v->self, "padding", RESULT_GROUP);
    visit_time(v, r, r->padding_seconds);
    v->open(v->self, "rows", RESULT_ROWS);
    for (size_t i = 0; i < r->n_padding; i++) {
        const struct run_padding *p = &r->padding[i];
        v->open(v->self, NULL, RESULT_GROUP);
        visit_text(v, "name", p->name);
        visit_whole(v, "real", "", p->real);
        visit_whole(v, "padded", "", p->padded);
        visit_decimal(v, "share", "ratio", p->share, true);
        visit_time(v, r, p->seconds);
        v->close(v->self);
    }
    v->close(v->self);
    v->close(v->self);
}

void result_visit_row_padding(const struct result_visitor *v, const struct run_row *row)
{
    if (!row->padding)
        return;
    EXACT_Q(seconds);
    if (row->padded)
        exact_ratio(seconds, row->padded - row->real, row->padded);
    mpq_mul(seconds, seconds, row->seconds);
    visit_text(v, "padding", row->padding);
    visit_decimal(v, "padding_seconds", "s", seconds, true);
}
