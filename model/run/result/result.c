#include "run/result/result.h"

#include <stdlib.h>

#include "base/exact.h"
#include "run/result/memory_owner.h"
#include "run/result/op_flow.h"
#include "run/result/op_tree.h"
#include "run/result/padding.h"

const char *const result_role_name[N_FOOTPRINT_ROLES] = {
#define R(id, text, doc) #text,
    FOOTPRINT_ROLES(R)
#undef R
};

const char *result_limit_name(const struct run_result *r)
{
    return r->limited_by_server ? "server" : cause_name[r->limited_by];
}

void run_slots_init(struct run_slots *s)
{
    *s = (struct run_slots){ 0 };
    mpq_inits(s->capacity, s->not_issued, NULL);
}

void run_slots_clear(struct run_slots *s)
{
    mpq_clears(s->capacity, s->not_issued, NULL);
    amounts_clear(&s->use);
    amounts_clear(&s->wait);
}

void run_slots_add(struct run_slots *sum, const struct run_slots *s)
{
    exact_sum(sum->capacity, s->capacity);
    exact_sum(sum->not_issued, s->not_issued);
    amounts_add(&sum->use, &s->use);
    amounts_add(&sum->wait, &s->wait);
}

void run_slots_busy(mpq_t q, const struct run_slots *s)
{
    mpq_set(q, s->not_issued);
    amounts_sum(q, &s->use);
}

void run_slots_waiting(mpq_t q, const struct run_slots *s)
{
    mpq_set_ui(q, 0, 1);
    amounts_sum(q, &s->wait);
}

void run_row_init(struct run_row *w, uint32_t causes, const char *name, const char *phase,
                  const char *kind)
{
    *w = (struct run_row){ .causes = causes,
                           .name = name ? name : "",
                           .group = name ? name : "",
                           .phase = phase ? phase : "",
                           .kind = kind ? kind : "",
                           .scope = "",
                           .source = "",
                           .why = "" };
    mpq_inits(w->seconds, w->estimated, w->assumed, w->mxu, NULL);
    mpz_inits(w->flops, w->hbm_bytes, NULL);
    run_slots_init(&w->slots);
}

void result_retiled_seconds(mpq_t q, const struct run_result *r, enum task_retiled why)
{
    mpq_set_ui(q, 0, 1);
    for (size_t i = 0; i < r->n_ops; i++)
        if (r->ops[i].retiled && (why == TASK_N_RETILED || r->ops[i].retiled == 1 + why))
            exact_sum(q, r->ops[i].seconds);
}

void run_row_clear(struct run_row *w)
{
    mpq_clears(w->seconds, w->estimated, w->assumed, w->mxu, NULL);
    amounts_clear(&w->cause);
    mpz_clears(w->flops, w->hbm_bytes, NULL);
    run_slots_clear(&w->slots);
    for (size_t i = 0; i < w->n_advice; i++)
        free(w->advice[i]);
    free(w->advice);
    free(w->advised);
}

static void free_rows(struct run_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        run_row_clear(&rows[i]);
    free(rows);
}

void run_result_free(struct run_result *r)
{
    if (!r->machine)
        return;
    free(r->machine);
    free(r->trace);
    free(r->workload);
    free(r->parameters);
    free(r->compile);
    run_evidence_clear(&r->evidence);
    free(r->price_source);
    free(r->power_source);
    free(r->peak_at);
    memory_owner_free(&r->owners);
    for (uint32_t k = 0; k < r->n_stages; k++)
        mpq_clears(r->stage[k].seconds, r->stage[k].bubble, NULL);
    free(r->stage);
    for (size_t i = 0; i < r->n_remedies; i++)
        free(r->remedies[i].what);
    free(r->remedies);
    padding_clear(r);
    mpz_clears(r->samples_per_step, r->samples_left, NULL);
    mpq_clears(r->moments.least, r->moments.most, r->seconds_per_step, r->steps_per_epoch,
               r->seconds_per_epoch, r->samples_per_second, r->usd_per_hour,
               r->usd_per_hour_preemptible, r->usd_per_epoch, r->usd_per_epoch_preemptible,
               r->peak_flops, r->hbm_bytes_per_second, r->hop_seconds, r->model_flops,
               r->plain_flops, r->server.updates, r->server.missed, NULL);
    mpq_clears(r->work.macs, r->work.fmas, r->work.bytes, r->work.link_bytes, NULL);
    cost_power_clear(&r->power);
    amounts_clear(&r->cause);
    run_slots_clear(&r->slots);
    account_clear(&r->account);
    for (size_t i = 0; i < r->n_figures; i++)
        mpq_clear(r->figures[i].value);
    free(r->figures);
    free_rows(r->phases, r->n_phases);
    free_rows(r->ops, r->n_ops);
    free_rows(r->layers, r->n_layers);
    free_rows(r->scopes, r->n_scopes);
    free_rows(r->sources, r->n_sources);
    op_tree_free(r);
    op_flow_free(&r->flow);
    texts_free(&r->texts);
    for (size_t i = 0; i < r->n_links; i++) {
        free(r->links[i].name);
        mpz_clear(r->links[i].bytes);
        mpq_clear(r->links[i].utilization);
    }
    free(r->links);
    for (size_t i = 0; i < r->n_changed; i++)
        free(r->changed[i]);
    free(r->changed);
    *r = (struct run_result){ 0 };
}
