/* The verdict of a replay as text, at most 100 columns wide. */
#include "report/text/verdict_text.h"

#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/text/account_text.h"
#include "report/text/energy_text.h"
#include "report/text/evidence_text.h"
#include "report/text/result_text.h"
#include "run/epoch.h"
#include "run/result/speed.h"
#include "run/result/words.h"

/* " (6.31 %)" */
static void print_part(const mpz_t part, const mpq_t whole, FILE *out)
{
    EXACT_Q(q);
    EXACT_Q(hundred);
    mpq_set_ui(hundred, 100, 1);
    mpq_set_z(q, part);
    mpq_div(q, q, whole);
    mpq_mul(q, q, hundred);
    fputs(" (", out);
    text_decimal(q, 3, out);
    fputs(" %)", out);
}

/* Samples of the data set that no step has, or that its steps have too many. */
static void print_left(const struct run_result *r, FILE *out)
{
    unsigned long long all = r->samples_per_epoch;

    EXACT_Q(whole);
    EXACT_Z(size);
    if (mpz_sgn(r->samples_left) == 0)
        return;
    mpz_abs(size, r->samples_left);
    exact_ratio(whole, r->samples_per_epoch, 1);
    fputs("\n           ", out);
    if (mpz_sgn(r->samples_left) > 0) {
        gmp_fprintf(out, "%Zd of %llu samples", size, all);
        print_part(size, whole, out);
        fputs(" fill no whole global batch and are dropped", out);
    } else if (epoch_is_short(r)) {
        mpq_set_z(whole, r->samples_per_step);
        gmp_fprintf(out, "the global batch is larger than the data set of %llu: %Zd samples", all,
                    size);
        print_part(size, whole, out);
        fputs(" are padding", out);
    } else {
        gmp_fprintf(out, "its steps have %Zd samples", size);
        print_part(size, whole, out);
        fprintf(out, " more than the %llu of the data set: padding", all);
    }
}

/* The line in the place of throughput and epoch where the samples of a step are unknown. */
static void print_no_samples(const struct run_result *r, FILE *out)
{
    bool compiled = r->n_ops > 0 && r->ops[0].compiled;

    fprintf(out,
            "  samples  not stated, so times only; `%s --samples N` states those of a device\n",
            compiled ? "scripts/compile ..." : "cyclotron trace import ...");
}

/* Work that is left out makes times and costs least ones, and rates most ones. */
static const char *least_of(const struct run_result *r)
{
    return r->account.at_least ? "at least " : "";
}

static const char *most_of(const struct run_result *r)
{
    return r->account.at_least ? "at most " : "";
}

static void print_epoch(const struct run_result *r, FILE *out)
{
    if (r->samples_unknown)
        return;
    if (!r->has_epoch) {
        fputs("  epoch    of unknown length, the trace does not say how many samples it has\n",
              out);
        return;
    }
    EXACT_Q(hours);
    mpq_set_ui(hours, 1, 3600);
    mpq_mul(hours, hours, r->seconds_per_epoch);
    fputs("  epoch    ", out);
    text_number(r->steps_per_epoch, out);
    fputs(mpq_cmp_ui(r->steps_per_epoch, 1, 1) == 0 ? " step, " : " steps, ", out);
    fputs(least_of(r), out);
    text_number(r->seconds_per_epoch, out);
    fputs(" s (", out);
    text_number(hours, out);
    fputs(" h)", out);
    print_left(r, out);
    putc('\n', out);
}

static void print_unfed(const struct run_result *r, FILE *out)
{
    if (r->unfed)
        fputs("  input    is in memory: no host feeds this program, so these times have no input "
              "pipeline\n",
              out);
}

static void print_price(const struct run_result *r, const mpq_t per_hour, const mpq_t per_epoch,
                        const char *how, FILE *out)
{
    fputs(least_of(r), out);
    if (r->has_epoch) {
        text_number(per_epoch, out);
        fputs(" USD/epoch at ", out);
    } else {
        EXACT_Q(step);
        cost_usd(step, per_hour, r->seconds_per_step);
        text_number(step, out);
        fputs(" USD/step at ", out);
    }
    text_number(per_hour, out);
    fprintf(out, " USD/h %s", how);
}

static void print_cost(const struct run_result *r, FILE *out)
{
    const char *head = "  cost     ", *more = "           ";

    if (!r->has_price && !r->has_preemptible) {
        fprintf(out, "%sno list price of %s; --set 'price.on_demand=1 USD/h' gives it one\n", head,
                r->machine);
        return;
    }
    fputs(head, out);
    if (r->has_price)
        print_price(r, r->usd_per_hour, r->usd_per_epoch, "on demand", out);
    if (r->has_price && r->has_preemptible)
        fprintf(out, "\n%s", more);
    if (r->has_preemptible)
        print_price(r, r->usd_per_hour_preemptible, r->usd_per_epoch_preemptible, "preemptible",
                    out);
    if (r->has_price && r->has_preemptible && r->price_source)
        fprintf(out, "\n%sprices %s", more, r->price_source);
    else if (r->price_source)
        fprintf(out, " %s", r->price_source);
    putc('\n', out);
}

/* Time and cost of the number of epochs that was asked for. */
static void print_run(const struct run_result *r, FILE *out)
{
    if (!epoch_has_run(r))
        return;
    fputs("  run      ", out);
    result_text_run(r, out);
    putc('\n', out);
}

/* The unit that sets the pace, where it is none of a core. */
static const char *name_of_pace(const struct run_result *r)
{
    return r->limited_by_server           ? "The parameter server"
           : r->limited_by_launches       ? "The host thread that launches kernels"
           : r->limited_by == r->bound_by ? NULL
           : r->limited_by == CAUSE_HOST  ? "The host"
                                          : "Storage";
}

void verdict_text_cause(const struct run_result *r, const char *what, FILE *out)
{
    fputs("In ", out);
    text_percent(amounts_get(&r->cause, r->bound_by), r->seconds_per_step, 0, out);
    fprintf(out, " %% of the %s a %s %s (%s)\n", what, words_of_result(r)->core,
            cause_doc[r->bound_by], cause_name[r->bound_by]);
}

static void print_headline(const struct run_result *r, FILE *out)
{
    bool named = r->workload && *r->workload;

    if (!r->fits) {
        fprintf(out, "%s CANNOT HOLD %s: it needs ", r->machine, named ? r->workload : "the step");
        text_bytes(r->peak_bytes_per_core, out);
        fputs(" of ", out);
        text_bytes(r->capacity_bytes_per_core, out);
        fprintf(out, " per %s. If the memory were larger:\n", words_of_result(r)->core);
    }
    fprintf(out, "%s takes %s", r->machine, least_of(r));
    text_quantity(r->seconds_per_step, "s", out);
    fprintf(out, " for a step%s%s", named ? " of " : "", named ? r->workload : "");
    fputs(account_text_unknown(&r->account, out) ? "\n" : ": ", out);
    if (!r->samples_unknown) {
        fputs(most_of(r), out);
        text_number(r->samples_per_second, out);
        fputs(" samples/s, ", out);
    }
    EXACT_Q(share);
    speed_utilization(share, r);
    text_share(share, 0, out);
    fprintf(out, " %% model FLOP utilization (MFU)%s\n",
            account_is_unknown(&r->account) ? " of what is known" : "");
    if (name_of_pace(r))
        fprintf(out, "%s is always busy and sets the pace\n", name_of_pace(r));
    verdict_text_cause(r, "step", out);
}

static void print_rate(const struct run_result *r, FILE *out)
{
    if (r->samples_unknown) {
        print_no_samples(r, out);
        return;
    }
    EXACT_Q(q);
    fprintf(out, "  speed    %s", most_of(r));
    speed_samples_per_chip(q, r);
    text_number(q, out);
    fprintf(out, " samples/s per %s; global batch of ", words_of_result(r)->device);
    gmp_fprintf(out, "%Zd sample%s on ", r->samples_per_step,
                mpz_cmp_ui(r->samples_per_step, 1) == 0 ? "" : "s");
    text_count(r->chips, words_of_result(r)->device, out);
    putc('\n', out);
}

static void print_speed(const struct run_result *r, FILE *out)
{
    EXACT_Q(q);
    print_rate(r, out);
    fputs("  compute  ", out);
    speed_achieved(q, r);
    text_quantity(q, "FLOP/s", out);
    fprintf(out, " of the %s's peak of ", words_of_result(r)->whole);
    speed_peak(q, r);
    text_quantity(q, "FLOP/s", out);
    fprintf(out, " in %s: MFU ", speed_dtype(r));
    speed_utilization(q, r);
    text_share(q, 0, out);
    fprintf(out, " %%%s\n", account_is_unknown(&r->account) ? " of what is known" : "");
}

/* Updates a second of a parameter server, and the age of the weights that gradients were worked out
 * with. */
static void print_server(const struct run_result *r, FILE *out)
{
    if (!r->server.serves || r->cores == 1) /* one core cannot miss updates of others */
        return;
    fputs("  server   ", out);
    text_number(r->server.updates, out);
    fputs(" updates/s; gradients miss ", out);
    text_number(r->server.missed, out);
    fputs(" updates on average\n", out);
}

static void print_counts(const struct run_result *r, FILE *out)
{
    uint32_t of_core = r->cores ? r->tensor_cores / r->cores : 1;

    fputs("  machine  ", out);
    text_count(r->chips, r->mxus ? "chip" : r->chip, out);
    if (r->mxus) {
        fputs(", ", out);
        text_count(r->cores, "core", out);
    }
    if (r->mxus) {
        fputs(r->cores == 1 ? " (device) of " : " (devices) of ", out);
        text_count(of_core, "TensorCore", out);
    }
    fputs(", ", out);
    text_count(r->hosts, "host", out);
    if (r->slices > 1) {
        fputs(", ", out);
        text_count(r->slices, words_of_result(r)->many, out);
    }
    fputs("; peak ", out);
    EXACT_Q(peak);
    speed_plain_peak(peak, r);
    text_quantity(peak, "FLOP/s", out);
    fprintf(out, " in %s\n", r->peak_dtype);
}

static void print_parts(const struct run_result *r, FILE *out)
{
    EXACT_Q(q);
    fprintf(out, "           %s ", words_of_result(r)->rate);
    if (r->mxus) {
        text_count(r->mxus, "MXU", out);
        fprintf(out, " of %ux%u, ", (unsigned)r->mxu_size, (unsigned)r->mxu_size);
    }
    exact_ratio(q, r->core_hz, 1);
    text_quantity(q, "Hz", out);
    fprintf(out, "; %s%s ", words_of_result(r)->of_memory, r->memory_name);
    speed_hbm_of_chip(q, r);
    text_quantity(q, "B/s", out);
    if (r->link_bytes_per_second) {
        fputs("; per link ", out);
        exact_ratio(q, r->link_bytes_per_second, 1);
        text_quantity(q, "B/s", out);
        fputs(" each way", out);
    }
    putc('\n', out);
}

static void print_machine(const struct run_result *r, FILE *out)
{
    print_counts(r, out);
    print_parts(r, out);
    if (r->constants)
        fprintf(out,
                "           constants of %s: what is fitted was measured there, not on this chip\n",
                r->constants);
    if (r->unverified == 0)
        return;
    fputs("           ", out);
    text_count(r->unverified, "value", out);
    fprintf(out, " %s unverified: `cyclotron machine show %s` marks %s [unverified]\n",
            r->unverified == 1 ? "is" : "are", r->machine, r->unverified == 1 ? "it" : "them");
}

void verdict_text_changed(const struct run_result *r, FILE *out)
{
    for (size_t i = 0; i < r->n_changed; i++)
        fprintf(out, "  changed  %s\n", r->changed[i]);
}

static void print_compiler(const struct run_result *r, FILE *out)
{
    if (r->unknown_compiler)
        fputs("  WARNING  the program does not say which compiler wrote it: taken for XLA:TPU; one "
              "of "
              "XLA:CPU has other kernels\n",
              out);
}

#define RETILED_SHOWN 3 /* kernels that were cut anew, by name */

static const char *const retiled_text[TASK_N_RETILED] = {
    [TASK_RETILED_ASKED] = "as asked",
    [TASK_RETILED_ARRAY] = "for arrays of another size",
    [TASK_RETILED_UNSTATED] = "for want of windows",
    [TASK_RETILED_VMEM] = "for want of VMEM",
};

/* The kernel that was cut anew for this reason and takes longest after `last`; NULL: no other. */
static const struct run_row *find_next(const struct run_result *r, enum task_retiled why,
                                       const struct run_row *last)
{
    const struct run_row *best = NULL;

    for (size_t i = 0; i < r->n_ops; i++) {
        const struct run_row *w = &r->ops[i];
        int order = last ? mpq_cmp(w->seconds, last->seconds) : -1;
        if (w->retiled != 1 + why || order > 0 || (order == 0 && w <= last))
            continue;
        if (!best || mpq_cmp(w->seconds, best->seconds) > 0)
            best = w;
    }
    return best;
}

/* Kernels that were cut anew for one reason: how many, their time, and which take longest. */
static void print_retiled(const struct run_result *r, enum task_retiled why, FILE *out)
{
    const struct run_row *w = NULL;
    int shown = 0;

    EXACT_Q(seconds);
    result_retiled_seconds(seconds, r, why);
    text_count(r->notes.retiled[why], "kernel", out);
    fprintf(out, " cut anew %s, ", retiled_text[why]);
    text_percent(seconds, r->seconds_per_step, 0, out);
    fputs(" % of the step:", out);
    for (; shown < RETILED_SHOWN && (w = find_next(r, why, w)); shown++) {
        fputs(shown == 0 ? "\n           " : ", ", out);
        text_column(w->name, (unsigned)strlen(w->name) < 24 ? (unsigned)strlen(w->name) : 24, out);
        putc(' ', out);
        text_percent(w->seconds, r->seconds_per_step, 0, out);
        fputs(" %", out);
    }
    if (shown == RETILED_SHOWN && find_next(r, why, w))
        fputs(" ...", out);
    putc('\n', out);
}

/* The distance of our cut of kernels from the compiler's, where one step has both. */
static void print_hands(const struct run_result *r, FILE *out)
{
    EXACT_Q(share);

    if (!r->trials.hands)
        return;
    mpq_set_si(share, r->trials.hands_permille, 1000);
    mpq_canonicalize(share);
    fprintf(out, "           on %s as it stands our cut of all (--retile) takes ", r->machine);
    text_signed_share(share, 0, out);
    fputs(" % of the time\n           beside the compiler's: a gain within that is open\n", out);
}

/* Replays beside this one. */
static void print_trials(const struct run_result *r, FILE *out)
{
    if (r->trials.replays == 0)
        return;
    fputs("  trials   ", out);
    text_count(r->trials.replays, "replay", out);
    fputs(" of what this report compares with or advises, not in its figures; --no-trials\n", out);
}

static void print_notes(const struct run_result *r, FILE *out)
{
    const char *before = "  kernels  ";

    for (int why = 0; why < TASK_N_RETILED; why++) {
        if (!r->notes.retiled[why])
            continue;
        fputs(before, out);
        print_retiled(r, (enum task_retiled)why, out);
        before = "           ";
    }
    print_hands(r, out);
    if (!r->notes.sparse_on_core)
        return;
    fputs(before, out);
    text_count(r->notes.sparse_on_core, "kernel", out);
    fputs(" for SparseCores on the TensorCore: this machine has none\n", out);
}

static void print_integers(const struct run_result *r, FILE *out)
{
    if (r->expected.way == RUN_WAY_RECORDED && strcmp(r->chip, "TPU") == 0)
        fputs("  dtypes   integers of 64 bits in the recording are of 32 on a TPU, as JAX and "
              "PyTorch/XLA take them\n",
              out);
}

static void print_turns(const struct run_result *r, FILE *out)
{
    if (r->notes.even_pairs) {
        fputs("  pairs    ", out);
        text_count(r->notes.even_pairs, "permute", out);
        fputs(" between unlike pairs as shifts by one chip, of what the busiest link carries: all "
              "chips are too many to simulate\n",
              out);
    }
    if (r->grid_steps)
        fprintf(
            out,
            "  loops    %llu of %llu grid steps were simulated, the other turns count as those; "
            "--exact has all\n",
            (unsigned long long)r->walked_steps, (unsigned long long)r->grid_steps);
}

void verdict_text(const struct run_result *r, FILE *out)
{
    print_headline(r, out);
    print_compiler(r, out);
    print_notes(r, out);
    print_integers(r, out);
    print_turns(r, out);
    print_speed(r, out);
    print_epoch(r, out);
    print_unfed(r, out);
    print_cost(r, out);
    print_run(r, out);
    energy_text(r, out);
    result_text_memory(r, out);
    print_server(r, out);
    account_text(r, out);
    evidence_text(r, out);
    print_machine(r, out);
    fputs("  trace    ", out);
    text_shown(r->trace, out);
    fputs(", ", out);
    text_count(r->steps, "step", out);
    fprintf(out, " of %llu cycles simulated\n", (unsigned long long)r->cycles_per_step);
    if (r->derived)
        fprintf(out, "           written for %llu %s%s, derived again for %lu by its generator%s\n",
                (unsigned long long)r->written_for, words_of_result(r)->core,
                r->written_for == 1 ? "" : "s", (unsigned long)r->cores,
                r->local_devices ? ", devices=local" : "");
    verdict_text_changed(r, out);
    print_trials(r, out);
}
