#include "run/result.h"

#include <stdlib.h>

static void clear_row(struct run_row *w)
{
    free(w->name);
    free(w->phase);
    free(w->kind);
    mpq_clears(w->seconds, w->mxu, NULL);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_clear(w->cause[c]);
    mpz_clears(w->flops, w->hbm_bytes, NULL);
}

void run_result_free(struct run_result *r)
{
    if (!r->machine)
        return;
    free(r->machine);
    free(r->trace);
    free(r->workload);
    free(r->price_source);
    free(r->peak_at);
    mpq_clears(r->seconds_per_step, r->steps_per_epoch, r->seconds_per_epoch, r->samples_per_second,
               r->usd_per_hour, r->usd_per_hour_preemptible, r->usd_per_epoch,
               r->usd_per_epoch_preemptible, r->uncovered_share, NULL);
    for (int c = 0; c < N_CAUSES; c++)
        mpq_clear(r->cause[c]);
    for (size_t i = 0; i < r->n_figures; i++)
        mpq_clear(r->figures[i].value);
    free(r->figures);
    for (size_t i = 0; i < r->n_phases; i++)
        clear_row(&r->phases[i]);
    free(r->phases);
    for (size_t i = 0; i < r->n_ops; i++)
        clear_row(&r->ops[i]);
    free(r->ops);
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
