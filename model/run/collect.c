/* A result begins, takes what each run measured, and ends: from books and counters of a machine to
 * exact figures. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "run/job/job.h"
#include "run/job/program.h"
#include "run/memory/memory_fit.h"
#include "run/result/op_tree.h"
#include "run/result/origin.h"
#include "run/result/padding.h"
#include "run/result/price.h"

/* Seconds that the cores of each stage of a pipeline worked, and waited for other stages. */
static void book_stage(const struct job *j, const struct machine *m, const struct job_step *st,
                       uint32_t core, uint64_t steps, struct run_stage *k)
{
    uint32_t per_stage = j->spec->slice.cores / j->stages;

    EXACT_Q(q);
    EXACT_Z(fs);
    for (uint32_t i = 0; i < st->program.n_rows; i++) {
        const struct ledger_row *b = machine_book(m, &st->program, i, core);
        for (int c = 0; c < N_CAUSES; c++) {
            exact_set_u64(fs, b->time[c]);
            job_seconds(q, fs, per_stage, steps);
            mpq_ptr to = c == CAUSE_BUBBLE ? k->bubble : k->seconds;
            exact_sum(to, q);
        }
    }
}

static void collect_stages(const struct job *j, const struct machine *m, uint64_t steps,
                           uint64_t every, struct run_result *r)
{
    uint32_t cores = j->spec->slice.cores, per_stage = cores / j->stages;

    for (uint32_t core = 0; core < cores && r->n_stages; core++)
        for (size_t s = 0; s < j->n_steps; s++)
            if (j->step[s].measured && j->step[s].every == every)
                book_stage(j, m, &j->step[s], core, steps, &r->stage[core / per_stage]);
}

static void init_stages(const struct job *j, struct run_result *r)
{
    r->n_stages = j->stages > 1 ? j->stages : 0;
    r->stage = memory_zeroed(r->n_stages, sizeof *r->stage);
    for (uint32_t k = 0; k < r->n_stages; k++)
        mpq_inits(r->stage[k].seconds, r->stage[k].bubble, NULL);
}

/* The parameters of a trace that is as its generator wrote it: passes add to its provenance. */
static char *write_parameters(const struct trace_header *h)
{
    static const char tail[] = "; generated";
    size_t length = strlen(h->provenance);
    struct memory_text t;

    memory_text_begin(&t);
    if (length >= sizeof tail - 1 && strcmp(h->provenance + length - (sizeof tail - 1), tail) == 0)
        for (uint32_t i = 0; i < h->n_params; i++)
            fprintf(t.out, "%s%s=%s", i ? " " : "", h->param[i].key, h->param[i].value);
    return memory_text_end(&t);
}

static void init_result(struct run_result *r)
{
    *r = (struct run_result){ 0 };
    mpz_inits(r->samples_per_step, r->samples_left, NULL);
    mpq_inits(r->moments.least, r->moments.most, r->seconds_per_step, r->steps_per_epoch,
              r->seconds_per_epoch, r->samples_per_second, r->usd_per_hour,
              r->usd_per_hour_preemptible, r->usd_per_epoch, r->usd_per_epoch_preemptible,
              r->peak_flops, r->hbm_bytes_per_second, r->hop_seconds, r->model_flops,
              r->plain_flops, r->server.updates, r->server.missed, NULL);
    mpq_inits(r->work.macs, r->work.fmas, r->work.bytes, r->work.link_bytes, NULL);
    cost_power_init(&r->power);
    run_slots_init(&r->slots);
    account_init(&r->account);
}

/* Traces of recorded operations say so in their provenance (model/import/chakra).  No step with
 * kernels of our own passes was measured on CPUs. */
static enum run_way find_way(const struct trace_header *h, enum chip_kind kind)
{
    if (h->program.given)
        return strcmp(h->program.compiler, TRACE_OWN_COMPILER) || kind == CHIP_CPU
                   ? RUN_WAY_COMPILED
                   : RUN_WAY_HAND;
    if (strstr(h->provenance, "Chakra execution trace"))
        return RUN_WAY_CHAKRA;
    return strstr(h->provenance, "recorded") ? RUN_WAY_RECORDED : RUN_WAY_HAND;
}

void job_collect_begin(struct job *j, struct job_figures *f, struct run_result *r)
{
    const struct machine_spec *s = j->spec;

    init_result(r);
    r->texts = j->texts; /* rows of the result have those of the job's */
    j->texts = (struct texts){ 0 };
    padding_begin(trace_head(j->trace), r);
    init_stages(j, r);
    job_figures_init(f);
    pace_unverified(s, f->account.pace);
    r->machine = memory_copy(s->name);
    r->trace = memory_copy(j->input.file);
    r->written_for = j->input.resize.from;
    r->derived = j->input.resize.to != 0;
    r->local_devices = j->input.resize.local;
    r->parameters = write_parameters(trace_head(j->trace));
    r->workload = memory_copy(trace_head(j->trace)->workload);
    r->cores = spec_cores(s);
    r->chips = spec_chips(s);
    r->hosts = spec_hosts(s);
    r->core_hz = spec_clock(s);
    r->slices = s->dcn.slices;
    r->mesh[0] = s->slice.mesh_x;
    r->mesh[1] = s->slice.mesh_y;
    r->mesh[2] = s->slice.mesh_z;
    r->tensor_cores = r->cores * s->core.halves;
    r->mxus = spec_matrix_units(s);
    r->mxu_size = r->mxus ? s->mxu.size : 0;
    r->causes = spec_causes(s);
    r->chip = spec_kind_name[s->kind];
    r->peak_dtype = spec_peak_dtype(s);
    r->constants = spec_constants(s);
    r->memory_name = spec_memory_name[s->kind];
    r->link_bytes_per_second = spec_slice_chips(s) > 1 ? spec_links(s).bandwidth : 0;
    job_peak_flops(j, r->peak_flops);
    exact_ratio(r->hbm_bytes_per_second, s->hbm.bandwidth, spec_cores_of_chip(s));
    f->account.peak = r->peak_flops;
    trace_unread_share(r->account.unread, &trace_head(j->trace)->recorded);
    r->account.lost = trace_head(j->trace)->recorded.lost;
    f->account.recorded = mpq_sgn(r->account.unread) > 0;
    r->account.at_least = f->account.recorded;
    r->exact = j->q->exact;
    r->expected.way = find_way(trace_head(j->trace), s->kind);
}

void job_collect_drop(struct job_figures *f, struct run_result *r)
{
    job_figures_clear(f, r->n_figures);
    run_result_free(r);
}

void job_collect(struct job *j, struct job_figures *f, struct machine *m, uint64_t fs,
                 uint64_t steps, uint64_t every, struct run_result *r)
{
    uint64_t hz = spec_clock(j->spec), length = steps * (every ? every : 1);
    uint64_t cycles = des_edge_index(machine_now(m), hz) - des_edge_index(machine_now(m) - fs, hz);

    EXACT_Q(q);
    EXACT_Z(whole);
    exact_set_u64(whole, fs);
    job_seconds(q, whole, 1, length);
    exact_sum(r->seconds_per_step, q);
    exact_ratio(q, cycles, length);
    exact_sum(f->cycles, q);
    job_collect_rows(j, f, m, length, every, r);
    collect_stages(j, m, length, every, r);
    if (!j->q->brief)
        job_figures_add(f, m, length, r);
}

/* Each wait was booked when it ended; together they must be the step, to the femtosecond, and so
 * must what they rest on. */
static void check_sums(const struct run_result *r)
{
    EXACT_Q(sum);
    EXACT_Q(known);
    amounts_sum(sum, &r->cause);
    BUG_ON(mpq_cmp(sum, r->seconds_per_step) != 0);
    for (int c = 0; c < N_ACCOUNT; c++)
        exact_sum(known, r->account.seconds[c]);
    BUG_ON(mpq_cmp(known, r->seconds_per_step) != 0);
}

/* The nearest integer; of two the larger. */
static uint64_t round_to_nearest(const mpq_t q)
{
    EXACT_Z(n);
    mpz_mul_2exp(n, mpq_numref(q), 1);
    mpz_add(n, n, mpq_denref(q));
    mpz_fdiv_q(n, n, mpq_denref(q));
    mpz_fdiv_q_2exp(n, n, 1);
    return mpz_get_ui(n);
}

/* Is a unit busy in at least 99 % of the time?  It rests until the next clock edge between two
 * pieces of work, even where it sets the pace. */
static bool always_busy(const struct run_result *r, const char *column)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, column) == 0)
            return r->figures[i].known && mpq_cmp_ui(r->figures[i].value, 99, 100) >= 0;
    return false;
}

/* True if a stage of the parameter server never rests. */
static bool server_limits(const struct run_result *r)
{
    return always_busy(r, "utilization.server_receive") ||
           always_busy(r, "utilization.server_update") || always_busy(r, "utilization.server_send");
}

/* A unit outside the cores that never rests sets the pace, even if the cores wait longer for other
 * things.  Work of the host that has a cause of its own keeps that cause. */
static enum cause limit_of_step(const struct run_result *r)
{
    if (r->bound_by == CAUSE_COMPILE || r->bound_by == CAUSE_FALLBACK ||
        r->bound_by == CAUSE_LAUNCH)
        return r->bound_by;
    if (always_busy(r, "utilization.storage"))
        return CAUSE_STORAGE;
    if (r->limited_by_server)
        return CAUSE_HOST;
    if (always_busy(r, "utilization.host") || always_busy(r, "utilization.client"))
        return CAUSE_HOST;
    return r->bound_by;
}

/* Count the grid steps of all steps, and those simulated, where turns were left out. */
static void count_walked(const struct job *j, struct run_result *r)
{
    for (size_t i = 0; i < j->n_steps && j->cut; i++) {
        r->grid_steps += j->step[i].work;
        r->walked_steps += j->step[i].walked;
    }
}

/* Add up the notes of all steps. */
static void add_notes(const struct job *j, struct task_notes *sum)
{
    for (size_t i = 0; i < j->n_steps; i++) {
        const struct task_notes *n = &j->step[i].program.notes;
        for (int why = 0; why < TASK_N_RETILED; why++)
            sum->retiled[why] += n->retiled[why];
        sum->sparse_on_core += n->sparse_on_core;
        sum->even_pairs += n->even_pairs;
    }
}

void job_collect_end(struct job *j, struct job_figures *f, struct machine *m, uint64_t steps,
                     struct run_result *r)
{
    const struct machine_spec *s = j->spec;
    char command[PROGRAM_COMMAND];

    r->steps = steps;
    r->events = machine_events(m);
    r->cycles_per_step = round_to_nearest(f->cycles);
    job_finish_phases(j, r);
    origin_sum(r, j->q->ungroup);
    account_sort(&r->account);
    check_sums(r);
    if (j->q->brief) {
        job_figures_clear(f, r->n_figures);
        return;
    }
    r->unknown_compiler =
        strcmp(trace_head(j->trace)->program.compiler, TRACE_UNKNOWN_COMPILER) == 0;
    op_tree_build(r);
    add_notes(j, &r->notes);
    count_walked(j, r);
    job_figures_end(f, r);
    job_figures_clear(f, r->n_figures);
    r->bound_by = (enum cause)amounts_largest(&r->cause, r->causes);
    r->limited_by_server = server_limits(r);
    r->limited_by_launches = r->bound_by == CAUSE_LAUNCH && always_busy(r, "utilization.launch");
    r->limited_by = limit_of_step(r);
    job_epoch(j, r);
    padding_end(r);
    r->trace_checksum = trace_checksum(j->trace);
    program_command(command, sizeof command, trace_head(j->trace), s);
    r->compile = memory_copy(command);
    memory_fit_collect(j, r); /* it may read the trace again */
    price_result(s, r);
}
