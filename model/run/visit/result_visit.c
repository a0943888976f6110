#include "run/visit/result_visit.h"

#include <stdlib.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/version.h"
#include "run/epoch.h"
#include "run/result/evidence.h"
#include "run/result/expected.h"
#include "run/result/margin.h"
#include "run/result/speed.h"
#include "run/visit/figure_group.h"
#include "run/visit/visit_value.h"

#define GROUP_NAME 64 /* bytes of the longest prefix of a column */

/* --- parts ----------------------------------------------------------------------------------- */

static void visit_by_cause(const struct result_visitor *v, const char *name, const char *unit,
                           uint32_t causes, const struct amounts *cause)
{
    visit_group(v, name);
    for (unsigned c = 0; c < N_CAUSES; c++)
        if (causes >> c & 1)
            visit_decimal(v, cause_name[c], unit, amounts_get(cause, c), true);
    v->close(v->self);
}

void result_visit_causes(const struct result_visitor *v, uint32_t causes,
                         const struct amounts *cause)
{
    visit_by_cause(v, "time_by_cause", "s", causes, cause);
}

/* Has a core of this kind matrix units, whose slots are counted? */
static bool has_slots(uint32_t causes)
{
    return causes >> CAUSE_MXU & 1;
}

void result_visit_slots(const struct result_visitor *v, uint32_t causes, const struct run_slots *s)
{
    if (!has_slots(causes))
        return;
    visit_group(v, RUN_LEDGER_KEY "_slots");
    visit_decimal(v, "capacity", "MAC", s->capacity, true);
    for (unsigned u = 0; u < N_USES; u++)
        visit_decimal(v, use_name[u], "MAC", amounts_get(&s->use, u), true);
    visit_decimal(v, "not_issued", "MAC", s->not_issued, true);
    visit_by_cause(v, "waiting", "MAC", causes, &s->wait);
    v->close(v->self);
}

void result_visit_advice(const struct result_visitor *v, const struct run_row *row)
{
    v->open(v->self, "advice", RESULT_LIST);
    for (size_t i = 0; i < row->n_advice; i++)
        visit_text(v, NULL, row->advice[i]);
    v->close(v->self);
}

/* Shares of what the busy matrix units could do; unknown if they were never busy. */
static void visit_waste(const struct result_visitor *v, const struct run_row *row)
{
    if (!has_slots(row->causes))
        return;
    EXACT_Q(busy);
    EXACT_Q(share);
    run_slots_busy(busy, &row->slots);
    bool known = mpq_sgn(busy) != 0;
    visit_group(v, RUN_LEDGER_KEY "_waste");
    for (unsigned u = 0; u < N_USES; u++) {
        if (u == USE_USEFUL)
            continue;
        if (known)
            mpq_div(share, amounts_get(&row->slots.use, u), busy);
        visit_decimal(v, use_name[u], "ratio", share, known);
    }
    result_visit_advice(v, row);
    v->close(v->self);
}

static const char *const retiled_name[TASK_N_RETILED] = { "asked", "array", "unstated", "vmem" };

/* The source of a kernel of a compiled program, and the compiler's own estimate of it. */
static void visit_origin(const struct result_visitor *v, const struct run_row *row)
{
    if (!row->compiled)
        return;
    visit_text(v, "scope", row->scope);
    visit_text(v, "source", row->source);
    visit_decimal(v, "estimated_seconds", "s", row->estimated, mpq_sgn(row->estimated) > 0);
    visit_text(v, "retiled", row->retiled ? retiled_name[row->retiled - 1] : "");
}

/* The class of an operation in the account; phases have operations of all classes. */
static void visit_rests(const struct result_visitor *v, const struct run_row *row)
{
    if (!*row->kind)
        return;
    visit_text(v, "rests_on", account_name[row->rests]);
    if (*row->why)
        visit_text(v, "why", row->why);
}

/* The key of FLOPs over the peak: of the units that do matrix products. */
static const char *matrix_key(uint32_t causes)
{
    return has_slots(causes) ? RUN_LEDGER_KEY : "tensor";
}

void result_visit_row(const struct result_visitor *v, const struct run_row *row)
{
    visit_text(v, "name", row->name);
    visit_text(v, "phase", row->phase);
    visit_text(v, "kind", row->kind);
    visit_text(v, "group", row->group);
    visit_integer(v, "count", "", row->count);
    visit_integer(v, "every", "", row->every);
    visit_decimal(v, "seconds", "s", row->seconds, true);
    visit_origin(v, row);
    visit_rests(v, row);
    visit_text(v, "bound_by", cause_name[row->bound_by]);
    visit_whole(v, "flops", "FLOP", row->flops);
    visit_whole(v, "hbm_bytes", "B", row->hbm_bytes);
    visit_decimal(v, matrix_key(row->causes), "ratio", row->mxu, true);
    result_visit_causes(v, row->causes, &row->cause);
    visit_waste(v, row);
    result_visit_slots(v, row->causes, &row->slots);
    result_visit_row_padding(v, row);
}

static void visit_rows(const struct result_visitor *v, const char *name, const struct run_row *row,
                       size_t n)
{
    v->open(v->self, name, RESULT_ROWS);
    for (size_t i = 0; i < n; i++) {
        visit_group(v, NULL);
        result_visit_row(v, &row[i]);
        v->close(v->self);
    }
    v->close(v->self);
}

/* Sums by layer, scope or source line; a trace written by hand has none. */
static void visit_origins(const struct result_visitor *v, const char *name,
                          const struct run_row *row, size_t n)
{
    if (n == 0)
        return;
    v->open(v->self, name, RESULT_ROWS);
    for (size_t i = 0; i < n; i++) {
        visit_group(v, NULL);
        visit_text(v, "name", row[i].name);
        visit_text(v, "group", row[i].group);
        visit_integer(v, "count", "", row[i].count);
        visit_decimal(v, "seconds", "s", row[i].seconds, true);
        visit_decimal(v, "estimated_seconds", "s", row[i].estimated, mpq_sgn(row[i].estimated) > 0);
        visit_text(v, "bound_by", cause_name[row[i].bound_by]);
        visit_whole(v, "flops", "FLOP", row[i].flops);
        visit_whole(v, "hbm_bytes", "B", row[i].hbm_bytes);
        visit_decimal(v, matrix_key(row[i].causes), "ratio", row[i].mxu, true);
        v->close(v->self);
    }
    v->close(v->self);
}

/* "utilization.mxu" goes into the group "utilization", which stands where its first figure does. */
void result_visit_figures(const struct result_visitor *v, const struct run_result *r)
{
    const struct run_figure *f = r->figures;
    char group[GROUP_NAME];

    for (size_t i = 0; i < r->n_figures; i++) {
        size_t length = figure_group_length(f[i].column);
        if (length == 0) {
            visit_decimal(v, f[i].column, "ratio", f[i].value, f[i].known);
            continue;
        }
        if (!figure_group_opens(f, i))
            continue;
        snprintf(group, sizeof group, "%.*s", (int)length, f[i].column);
        visit_group(v, group);
        for (size_t j = i; j < r->n_figures; j++)
            if (figure_group_same(f[j].column, f[i].column))
                visit_decimal(v, f[j].column + length + 1, "ratio", f[j].value, f[j].known);
        v->close(v->self);
    }
}

static void visit_stages(const struct result_visitor *v, const struct run_result *r)
{
    v->open(v->self, "stages", RESULT_LIST);
    for (uint32_t k = 0; k < r->n_stages; k++) {
        visit_group(v, NULL);
        visit_decimal(v, "seconds", "s", r->stage[k].seconds, true);
        visit_decimal(v, "bubble", "s", r->stage[k].bubble, true);
        visit_integer(v, "peak_bytes_per_core", "B", r->stage[k].peak_bytes);
        v->close(v->self);
    }
    v->close(v->self);
}

static void visit_links(const struct result_visitor *v, const struct run_result *r)
{
    v->open(v->self, "links", RESULT_ROWS);
    for (size_t i = 0; i < r->n_links; i++) {
        visit_group(v, NULL);
        visit_text(v, "name", r->links[i].name);
        visit_whole(v, "bytes", "B", r->links[i].bytes);
        visit_decimal(v, "utilization", "ratio", r->links[i].utilization, true);
        v->close(v->self);
    }
    v->close(v->self);
}

static void visit_server(const struct result_visitor *v, const struct run_result *r)
{
    if (!r->server.serves)
        return;
    visit_group(v, "server");
    visit_decimal(v, "updates_per_second", "1/s", r->server.updates, true);
    visit_decimal(v, "missed_updates", "", r->server.missed, true);
    v->close(v->self);
}

void result_visit_expected(const struct result_visitor *v, const struct run_result *r)
{
    const struct run_expected *e = &r->expected;
    struct memory_text text;

    EXACT_Q(error);
    exact_ratio(error, e->permille, 1000);
    memory_text_begin(&text);
    expected_write(r, text.out);
    char *words = memory_text_end(&text);
    visit_group(v, "expected");
    visit_decimal(v, "error", "ratio", error, e->cases > 0);
    visit_integer(v, "cases", "", e->cases);
    visit_text(v, "stated", expected_way_name[e->way]);
    visit_text(v, "rests_on", words);
    v->close(v->self);
    free(words);
}

static void visit_evidence(const struct result_visitor *v, const struct run_result *r)
{
    visit_group(v, "evidence");
    visit_text(v, "covers", evidence_name(r->evidence.cover));
    visit_text(v, "says", evidence_words(r->evidence.cover));
    v->open(v->self, "measured", RESULT_LIST);
    for (size_t i = 0; i < r->evidence.n; i++) {
        const struct run_evidence_line *l = &r->evidence.line[i];
        visit_group(v, NULL);
        visit_text(v, "class", l->class);
        visit_text(v, "machine", l->machine);
        visit_integer(v, "rows", "", l->rows);
        visit_decimal(v, "median_error", "ratio", l->median, true);
        visit_decimal(v, "worst_error", "ratio", l->worst, true);
        v->close(v->self);
    }
    v->close(v->self);
    result_visit_expected(v, r);
    v->close(v->self);
}

void result_visit_provenance(const struct result_visitor *v, const struct run_result *r)
{
    visit_group(v, "provenance");
    visit_text(v, "version", CYCLOTRON_VERSION);
    visit_checksum(v, "trace_checksum", r->trace_checksum);
    visit_checksum(v, "machine_checksum", r->machine_checksum);
    if (r->written_for) {
        visit_integer(v, "trace_written_for_cores", "", r->written_for);
        visit_flag(v, "trace_derived", r->derived);
    }
    v->open(v->self, "parameters_changed", RESULT_LIST);
    for (size_t i = 0; i < r->n_changed; i++)
        visit_text(v, NULL, r->changed[i]);
    v->close(v->self);
    v->close(v->self);
}

/* The machine, as far as figures are compared with it. */
static void visit_slice(const struct result_visitor *v, const struct run_result *r)
{
    visit_group(v, "slice");
    visit_integer(v, "cores", "", r->cores);
    visit_integer(v, "chips", "", r->chips);
    visit_integer(v, "hosts", "", r->hosts);
    visit_integer(v, "slices", "", r->slices);
    v->open(v->self, "mesh", RESULT_LIST);
    for (int i = 0; i < 3; i++)
        visit_integer(v, NULL, "", r->mesh[i]);
    v->close(v->self);
    visit_integer(v, "tensor_cores", "", r->tensor_cores);
    if (r->mxus) {
        visit_integer(v, "mxus_per_core", "", r->mxus);
        visit_integer(v, "mxu_size", "", r->mxu_size);
    }
    visit_decimal(v, "peak_flops_per_core", "FLOP/s", r->peak_flops, true);
    visit_decimal(v, "hbm_bytes_per_second_per_core", "B/s", r->hbm_bytes_per_second, true);
    visit_integer(v, "link_bytes_per_second", "B/s", r->link_bytes_per_second);
    visit_text(v, "kind", r->chip);
    if (r->constants)
        visit_text(v, "constants", r->constants);
    v->close(v->self);
}

static void visit_epoch(const struct result_visitor *v, const struct run_result *r)
{
    EXACT_Q(q);
    visit_decimal(v, "seconds_per_epoch", "s", r->seconds_per_epoch, r->has_epoch);
    visit_decimal(v, "steps_per_epoch", "", r->steps_per_epoch, r->has_epoch);
    epoch_dropped(q, r);
    visit_decimal(v, "dropped_samples_per_epoch", "", q, r->has_epoch);
    epoch_added(q, r);
    visit_decimal(v, "added_samples_per_epoch", "", q, r->has_epoch);
    if (r->unfed)
        visit_flag(v, "fed_by_hosts", false);
}

/* Achieved and peak speed of the slice. */
static void visit_speed(const struct result_visitor *v, const struct run_result *r)
{
    EXACT_Q(q);
    visit_decimal(v, "samples_per_second", "1/s", r->samples_per_second, !r->samples_unknown);
    speed_samples_per_chip(q, r);
    visit_decimal(v, "samples_per_second_per_chip", "1/s", q, !r->samples_unknown);
    v->value(v->self, &(struct result_value){ .name = "global_batch",
                                              .unit = "",
                                              .kind = RESULT_WHOLE,
                                              .known = !r->samples_unknown,
                                              .whole = r->samples_per_step });
    visit_group(v, "model_flops");
    visit_decimal(v, "per_step", "FLOP", r->model_flops, true);
    speed_achieved(q, r);
    visit_decimal(v, "per_second", "FLOP/s", q, true);
    speed_peak(q, r);
    visit_decimal(v, "peak_per_second", "FLOP/s", q, true);
    visit_text(v, "dtype", speed_dtype(r));
    speed_utilization(q, r);
    visit_decimal(v, "mfu", "ratio", q, true);
    v->close(v->self);
}

/* Kernels of a compiled program that were cut anew, by reason; nothing for other traces. */
static void visit_notes(const struct result_visitor *v, const struct run_result *r)
{
    if (!result_has_notes(r))
        return;
    visit_group(v, "retiled");
    for (int why = 0; why < TASK_N_RETILED; why++)
        visit_integer(v, retiled_name[why], "", r->notes.retiled[why]);
    visit_integer(v, "sparse_on_core", "", r->notes.sparse_on_core);
    EXACT_Q(q);
    result_retiled_seconds(q, r, TASK_N_RETILED);
    visit_decimal(v, "seconds", "s", q, true);
    mpq_div(q, q, r->seconds_per_step);
    visit_decimal(v, "share", "ratio", q, true);
    v->close(v->self);
}

/* Grid steps of loops of which not all turns were simulated; nothing of other replays. */
static void visit_turns(const struct result_visitor *v, const struct run_result *r)
{
    if (r->notes.even_pairs)
        visit_integer(v, "even_pairs", "", r->notes.even_pairs);
    if (!r->grid_steps)
        return;
    visit_group(v, "turns");
    visit_integer(v, "grid_steps", "", r->grid_steps);
    visit_integer(v, "walked", "", r->walked_steps);
    v->close(v->self);
}

bool result_has_notes(const struct run_result *r)
{
    uint32_t sum = r->notes.sparse_on_core;

    for (int why = 0; why < TASK_N_RETILED; why++)
        sum += r->notes.retiled[why];
    return sum > 0;
}

/* --- all ------------------------------------------------------------------------------------- */

void result_visit(const struct result_visitor *v, const struct run_result *r)
{
    visit_text(v, "machine", r->machine);
    visit_text(v, "trace", r->trace);
    visit_text(v, "workload", r->workload);
    visit_slice(v, r);
    visit_integer(v, "steps", "", r->steps);
    visit_integer(v, "cycles_per_step", "cycle", r->cycles_per_step);
    visit_decimal(v, "seconds_per_step", "s", r->seconds_per_step, true);
    visit_epoch(v, r);
    visit_speed(v, r);
    result_visit_costs(v, r);
    visit_text(v, "bound_by", cause_name[r->bound_by]);
    v->value(v->self, &(struct result_value){ .name = "limited_by",
                                              .unit = "",
                                              .kind = RESULT_TEXT,
                                              .known = true,
                                              .beside = true,
                                              .text = result_limit_name(r) });
    result_visit_memory(v, r);
    visit_server(v, r);
    result_visit_figures(v, r);
    result_visit_slots(v, r->causes, &r->slots);
    result_visit_causes(v, r->causes, &r->cause);
    visit_stages(v, r);
    result_visit_padding(v, r);
    visit_rows(v, "phases", r->phases, r->n_phases);
    visit_rows(v, "ops", r->ops, r->n_ops);
    visit_origins(v, "layers", r->layers, r->n_layers);
    visit_origins(v, "scopes", r->scopes, r->n_scopes);
    visit_origins(v, "sources", r->sources, r->n_sources);
    result_visit_tree(v, r);
    result_visit_flow(v, &r->flow);
    visit_links(v, r);
    visit_group(v, "uncovered");
    visit_integer(v, "ops", "", r->account.count[ACCOUNT_BOUNDS]);
    EXACT_Q(share);
    mpq_div(share, r->account.seconds[ACCOUNT_BOUNDS], r->seconds_per_step);
    if (mpq_cmp(share, r->account.unread) < 0)
        mpq_set(share, r->account.unread);
    visit_decimal(v, "share", "ratio", share, true);
    v->close(v->self);
    result_visit_account(v, &r->account);
    visit_notes(v, r);
    visit_turns(v, r);
    visit_evidence(v, r);
    result_visit_provenance(v, r);
}
