/* report_sample.h - a result worked out by hand, for the tests of model/report. */
#ifndef UNIT_REPORT_REPORT_SAMPLE_H
#define UNIT_REPORT_REPORT_SAMPLE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/run_report.h"

/* A result worked out by hand: 4 ms a step, 3 ms of it mxu, 0.8 ms hbm, 0.2 ms launch. */
/* Those of a TPU: mxu to sync. */
#define SAMPLE_CAUSES ((UINT32_C(1) << (CAUSE_SYNC + 1)) - 1)

struct sample {
    struct run_result r;
    struct run_figure figures[4];
    struct run_row phase, ops[2];
    struct run_link link;
    char *changed[1];
};

static inline void set_ratio(mpq_t q, const char *fraction)
{
    mpq_init(q);
    cr_assert_eq(mpq_set_str(q, fraction, 10), 0);
    mpq_canonicalize(q);
}

static inline void set_row(struct run_row *row, const char *name, const char *kind,
                           const char *seconds, enum cause cause, const char *flops)
{
    row->name = row->group = name;
    row->phase = "fwd";
    row->kind = kind;
    row->count = 1;
    set_ratio(row->seconds, seconds);
    set_ratio(row->estimated, "0");
    set_ratio(row->assumed, "0");
    row->rests = ACCOUNT_MODELS;
    row->why = "";
    row->causes = SAMPLE_CAUSES;
    row->cause = (struct amounts){ 0 };
    mpq_set(amounts_at(&row->cause, cause), row->seconds);
    row->bound_by = cause;
    mpz_init_set_str(row->flops, flops, 10);
    mpz_init_set_str(row->hbm_bytes, "2500000", 10);
    set_ratio(row->mxu, strcmp(flops, "0") == 0 ? "0" : "1/8");
    run_slots_init(&row->slots);
    row->every = 1;
    row->advice = NULL;
    row->n_advice = 0;
}

static inline void clear_row(struct run_row *row)
{
    mpq_clears(row->seconds, row->estimated, row->assumed, row->mxu, NULL);
    amounts_clear(&row->cause);
    mpz_clears(row->flops, row->hbm_bytes, NULL);
    run_slots_clear(&row->slots);
}

/* Who ran what, how long it took, what it cost and how much memory it needed. */
static inline void set_run(struct run_result *r)
{
    r->machine = (char *)"tpu-v3-8";
    r->trace = (char *)"a \"b\".trace";
    r->workload = (char *)"tiny";
    r->cores = 8;
    r->chips = 4;
    r->hosts = 1;
    r->slices = 1;
    r->steps = 2;
    r->cycles_per_step = 3760000;
    r->core_hz = 940000000;
    r->mesh[0] = r->mesh[1] = 2;
    r->mesh[2] = 1;
    r->tensor_cores = 8;
    r->mxus = 2;
    r->mxu_size = 128;
    r->memory_name = "HBM";
    r->link_bytes_per_second = UINT64_C(82000000000);
    set_ratio(r->peak_flops, "61603840000000");
    set_ratio(r->hbm_bytes_per_second, "900000000001/2");
    set_ratio(r->seconds_per_step, "1/250");
    set_ratio(r->model_flops, "985661440000"); /* half of what 8 cores can do in 4 ms */
    set_ratio(r->plain_flops, "985661440000");
    r->has_plain = true;
    mpz_init_set_ui(r->samples_left, 7); /* of an epoch of 256007 */
    r->samples_per_epoch = 256007;
    r->has_epoch = r->has_price = r->has_preemptible = true;
    set_ratio(r->steps_per_epoch, "1000");
    set_ratio(r->seconds_per_epoch, "4");
    set_ratio(r->samples_per_second, "64000");
    mpz_init_set_ui(r->samples_per_step, 256);
    set_ratio(r->usd_per_hour, "8");
    set_ratio(r->usd_per_hour_preemptible, "12/5");
    set_ratio(r->usd_per_epoch, "2/225"); /* 8 USD/h * 4 s / 3600 s/h */
    set_ratio(r->usd_per_epoch_preemptible, "1/375");
    r->price_verified = true;
    r->price_source = (char *)"[ju-2020]";
    r->peak_bytes_per_core = UINT64_C(4294967296);
    r->capacity_bytes_per_core = UINT64_C(17179869184);
    r->fits = true;
    r->peak_at = (char *)"conv3.dw";
    account_init(&r->account);
    mpq_set_ui(r->account.seconds[ACCOUNT_MODELS], 1, 250);
    mpq_inits(r->power.least, r->power.most, NULL);
    for (int i = 0; i < COST_N_PARTS; i++)
        mpq_init(r->power.part[i]);
    set_ratio(r->power.watts, "500");
    mpq_set_ui(r->power.least, 100, 1);
    mpq_set_ui(r->power.most, 600, 1);
    mpq_set_ui(r->power.part[COST_IDLE], 100, 1);
    mpq_set_ui(r->power.part[COST_MEMORY], 400, 1);
    r->trace_checksum = UINT64_C(0x0123456789abcdef);
    r->machine_checksum = 0xff;
    r->chip = "TPU";
    r->expected = (struct run_expected){ .cases = 9, .near = 9, .permille = 10 };
}

static inline void set_causes(struct run_result *r)
{
    r->cause = (struct amounts){ 0 };
    mpq_set_ui(amounts_at(&r->cause, CAUSE_MXU), 3, 1000);
    mpq_set_ui(amounts_at(&r->cause, CAUSE_HBM), 1, 1250);
    mpq_set_ui(amounts_at(&r->cause, CAUSE_LAUNCH), 1, 5000);
    r->bound_by = r->limited_by = CAUSE_MXU;
    run_slots_init(&r->slots);
}

static inline void set_figures(struct sample *s)
{
    static const char *const columns[] = { "utilization.mxu", "mxu_waste.pad_m", "utilization.host",
                                           "mxu_waste.pad_n" };

    for (size_t i = 0; i < 4; i++) {
        s->figures[i].column = columns[i];
        s->figures[i].doc = "useful work / what could have been done";
        s->figures[i].known = i != 2;
        set_ratio(s->figures[i].value, i == 0 ? "1/3" : "1/16");
    }
    s->r.figures = s->figures;
    s->r.n_figures = 4;
}

static inline void fill_result(struct sample *s)
{
    struct run_result *r = &s->r;

    memset(s, 0, sizeof *s);
    set_run(r);
    set_causes(r);
    set_figures(s);
    set_row(&s->phase, "fwd", "", "1/250", CAUSE_MXU, "36893488147419103232"); /* 2^65 */
    set_row(&s->ops[0], "copy,1", "copy", "1/1000", CAUSE_HBM, "0");
    set_row(&s->ops[1], "fc", "matmul", "3/1000", CAUSE_MXU, "36893488147419103232");
    r->causes = SAMPLE_CAUSES;
    r->peak_dtype = "bf16";
    r->phases = &s->phase;
    r->n_phases = 1;
    r->ops = s->ops;
    r->n_ops = 2;
    s->link.name = (char *)"chip0->chip1";
    mpz_init_set_str(s->link.bytes, "18446744073709551616", 10); /* 2^64 */
    set_ratio(s->link.utilization, "1/2");
    r->links = &s->link;
    r->n_links = 1;
    s->changed[0] = (char *)"mxu.count = 4";
    r->changed = s->changed;
    r->n_changed = 1;
    r->retimed = true;
}

static inline void clear_result(struct sample *s)
{
    struct run_result *r = &s->r;

    mpq_clears(r->seconds_per_step, r->steps_per_epoch, r->seconds_per_epoch, NULL);
    mpq_clears(r->samples_per_second, r->usd_per_hour, r->usd_per_hour_preemptible, NULL);
    mpq_clears(r->usd_per_epoch, r->usd_per_epoch_preemptible, NULL);
    cost_power_clear(&r->power);
    account_clear(&r->account);
    mpq_clears(r->peak_flops, r->hbm_bytes_per_second, r->model_flops, r->plain_flops, NULL);
    mpz_clears(r->samples_per_step, r->samples_left, NULL);
    amounts_clear(&r->cause);
    for (size_t i = 0; i < 4; i++)
        mpq_clear(s->figures[i].value);
    run_slots_clear(&r->slots);
    clear_row(&s->phase);
    clear_row(&s->ops[0]);
    clear_row(&s->ops[1]);
    mpz_clear(s->link.bytes);
    mpq_clear(s->link.utilization);
}

static inline void expect_same(const char *got, const char *want)
{
    cr_assert_str_eq(got, want, "got\n%s\nwant\n%s", got, want);
}

#endif
