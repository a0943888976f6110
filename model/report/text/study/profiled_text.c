/* A measured step beside its prediction, as text. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "base/text_write.h"
#include "report/profile_report.h"
#include "report/text/account_text.h"
#include "report/text/scale.h"

#define NAME 34 /* columns of a kernel's name */

/* "+12.3 %" of predicted against measured; "-" where nothing was measured. */
static void print_error(const mpq_t predicted, const mpq_t measured, int width, FILE *out)
{
    if (mpq_sgn(measured) > 0) {
        EXACT_Q(q);
        mpq_sub(q, predicted, measured);
        mpq_div(q, q, measured);
        text_signed_share(q, width > 2 ? width - 2 : 0, out);
        fputs(" %", out);
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

/* PyTorch's profiler works on the thread that launches kernels: between them its time is measured
 * as well. */
static void print_stretch(const struct profiled *p, FILE *out)
{
    if (!p->step_known || strcmp(p->profile->format, "kineto") != 0 ||
        mpq_cmp(p->in_kernels.measured, p->step.measured) >= 0)
        return;
    fputs("             in kernels ", out);
    text_quantity(p->in_kernels.predicted, "s", out);
    fputs(" predicted, ", out);
    text_quantity(p->in_kernels.measured, "s", out);
    fputs(" measured: ", out);
    print_error(p->in_kernels.predicted, p->in_kernels.measured, 0, out);
    fputs("; the rest of the measured time holds the profiler's own\n", out);
}

static void print_head(const struct profiled *p, FILE *out)
{
    const struct profile_program *m = &p->profile->program[p->program];

    text_shown_format(out, "%s on %s, beside %s (%s", p->run.workload, p->run.machine,
                      p->profile->path, p->profile->format);
    if (p->profile->n_devices > 0 && *p->profile->device[0].type)
        text_shown_format(out, ", %zu %s", profile_devices(p->profile), p->profile->device[0].type);
    fputs(")\n", out);
    fputs("  step       ", out);
    text_quantity(p->step.predicted, "s", out);
    fputs(" predicted, ", out);
    if (!p->step_known) {
        text_quantity(p->in_kernels.predicted, "s", out);
        fputs(" of it in kernels, where ", out);
    }
    text_quantity(p->step.measured, "s", out);
    fputs(p->step_known ? " measured: " : " was measured: ", out);
    const struct profiled_pair *like = p->step_known ? &p->step : &p->in_kernels;
    print_error(like->predicted, like->measured, 0, out);
    putc('\n', out);
    print_stretch(p, out);
    fputs("  measured   ", out);
    if (m->runs > 0) {
        text_count(m->runs, "run", out);
        text_shown_format(out, " of %s on ", *m->name ? m->name : "the program");
        text_count(profile_devices(p->profile), "device", out);
        if (m->cut > 0)
            fprintf(out, ", %" PRIu64 " cut by the capture and left out", m->cut);
    } else {
        fprintf(out, "about ");
        text_count(p->steps, "step", out);
        fputs(", by how often its kernels come; the profile has no runs", out);
    }
    putc('\n', out);
}

/* The line on what the prediction rests on. */
static void print_account(const struct profiled *p, FILE *out)
{
    fputs("  rests on   ", out);
    account_text_shares(&p->run.account, out);
    fputs(p->run.account.at_least ? "; work is left out" : "", out);
    if (account_is_unknown(&p->run.account)) {
        fputs("; ", out);
        account_write_unknown(&p->run.account, "the step", out);
    }
    putc('\n', out);
}

static void print_pairs(const struct profiled *p, FILE *out)
{
    size_t by_name;
    bool doubtful = profiled_is_doubtful(p, &by_name);

    fprintf(out, "  kernels    %zu with a partner, ", p->n_pairs);
    text_share(p->paired_share, 0, out);
    fprintf(out, " %% of the measured time: %zu by name, %zu by shape and kind\n", by_name,
            p->n_pairs - by_name);
    if (p->n_only_predicted + p->n_only_measured > 0)
        fprintf(out, "             %zu only predicted, %zu only measured\n", p->n_only_predicted,
                p->n_only_measured);
    if (doubtful)
        fputs("  open       few names and kernels agree: is this a profile of that program?\n",
              out);
    fputs("  error      ", out);
    text_share(p->error, 0, out);
    fputs(" % of measured kernel time is predicted otherwise; ", out);
    text_share(p->paired_error, 0, out);
    fputs(" % over kernels with a partner\n", out);
}

/* A time that is printed as 0.000 has no error in percent. */
static bool is_shown(const mpq_t seconds, const struct scale *time)
{
    EXACT_Q(shown);
    EXACT_Q(least);

    mpq_mul(shown, seconds, time->factor);
    mpq_set_ui(least, 1, 2000);
    return mpq_cmp(shown, least) > 0;
}

static void print_class(const char *name, const struct profiled_pair *c, const struct scale *time,
                        const char *text, FILE *out)
{
    EXACT_Q(difference);

    mpq_sub(difference, c->predicted, c->measured);
    fputs("  ", out);
    text_column(name, 16, out);
    scale_write(c->predicted, time, 11, out);
    scale_write(c->measured, time, 11, out);
    scale_write(difference, time, 13, out);
    if (is_shown(c->measured, time))
        print_error(c->predicted, c->measured, 11, out);
    else
        fprintf(out, "%11s", "-");
    fprintf(out, "  %s\n", text);
}

/* The part of the idle time in which no kernel was launched yet, where the profile tells it. */
static void print_host(const struct profiled *p, const struct scale *time, FILE *out)
{
    EXACT_Q(seconds);

    profiled_host_wait(seconds, p);
    if (mpq_sgn(seconds) == 0)
        return;
    fprintf(out, "  %-16s%11s", "  for the host", "");
    scale_write(seconds, time, 11, out);
    fprintf(out, "%24s  of it, nothing is launched yet\n", "");
}

static void print_classes(const struct profiled *p, FILE *out)
{
    struct scale time;

    scale_init(&time,
               mpq_cmp(p->step.predicted, p->step.measured) > 0 ? p->step.predicted
                                                                : p->step.measured,
               "s");
    fprintf(out, "\n  %-16s%11s%11s%13s%11s\n", "where a step is", "predicted", "measured",
            "difference", "");
    fprintf(out, "  %-16s%11s%11s%13s\n", "", time.unit, time.unit, time.unit);
    for (unsigned c = 0; c < PROFILED_N_CLASSES; c++) {
        const struct profiled_pair *x = &p->class[c];
        if (c == PROFILED_IDLE)
            print_class("all kernels", &p->in_kernels, &time, "", out);
        if (c >= PROFILED_IDLE && !p->step_known)
            continue;
        if (c == PROFILED_GAP)
            print_class("step", &p->step, &time, "", out);
        if (mpq_sgn(x->predicted) != 0 || mpq_sgn(x->measured) != 0)
            print_class(profiled_class_label(p, c), x, &time, profiled_class_text[c], out);
        if (c == PROFILED_IDLE)
            print_host(p, &time, out);
    }
    scale_clear(&time);
}

static void print_kernel(const struct profiled *p, const struct profiled_kernel *k,
                         const struct scale *time, FILE *out)
{
    EXACT_Q(ratio);
    bool both = mpq_sgn(k->predicted) > 0 && mpq_sgn(k->measured) > 0;

    fputs("  ", out);
    text_column(*k->name ? k->name : k->measured_name, NAME, out);
    fprintf(out, "%-14s%7" PRIu64, profiled_class_label(p, k->class), k->count);
    if (k->how == PAIRING_NONE && *k->measured_name)
        fprintf(out, "%11s", "-");
    else
        scale_write(k->predicted, time, 11, out);
    if (k->how == PAIRING_NONE && *k->name)
        fprintf(out, "%11s", "-");
    else
        scale_write(k->measured, time, 11, out);
    if (both) {
        EXACT_Q(one);
        mpq_set_ui(one, 1, 1);
        mpq_div(ratio, k->predicted, k->measured);
        text_fixed(ratio, one, 2, 8, out);
    } else {
        fprintf(out, "%8s", "-");
    }
    if (mpq_sgn(k->estimated) > 0)
        scale_write(k->estimated, time, 11, out);
    else
        fprintf(out, "%11s", "-");
    fprintf(out, "  %s\n", k->source ? k->source : "");
}

static void print_kernel_head(const char *title, const struct scale *time, FILE *out)
{
    fprintf(out, "\n  %-*s%-14s%7s%11s%11s%8s%11s\n", NAME, title, "class", "times", "predicted",
            "measured", "ratio", "estimate");
    fprintf(out, "  %-*s%-14s%7s%11s%11s%8s%11s\n", NAME, "", "", "a step", time->unit, time->unit,
            "", time->unit);
}

/* At most `rows` of those with a partner, or of those without. */
static void print_kernels(const struct profiled *p, bool pairs, const char *title, uint64_t rows,
                          FILE *out)
{
    const struct profiled_kernel *longest = NULL;
    struct scale time;
    uint64_t n = 0;

    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profiled_kernel *k = &p->kernel[i];
        if ((k->how != PAIRING_NONE) != pairs ||
            (mpq_sgn(k->predicted) == 0 && mpq_sgn(k->measured) == 0))
            continue;
        if (!longest)
            longest = k;
        n++;
    }
    if (n == 0 || rows == 0)
        return;
    scale_init(&time,
               mpq_cmp(longest->predicted, longest->measured) > 0 ? longest->predicted
                                                                  : longest->measured,
               "s");
    print_kernel_head(title, &time, out);
    uint64_t left = rows;
    for (size_t i = 0; i < p->n_kernels && left > 0; i++) {
        const struct profiled_kernel *k = &p->kernel[i];
        if ((k->how != PAIRING_NONE) != pairs ||
            (mpq_sgn(k->predicted) == 0 && mpq_sgn(k->measured) == 0))
            continue;
        print_kernel(p, k, &time, out);
        left--;
    }
    if (n > rows)
        fprintf(out, "  ... %" PRIu64 " more: --kernels %" PRIu64 "\n", n - rows, n);
    scale_clear(&time);
}

static void print_calibration(const struct calibration *c, FILE *out)
{
    fprintf(out, "\n  %-18s%14s%14s%10s%9s  %s\n", "constant", "before", "after", "change", "error",
            "what it is");
    for (unsigned i = 0; i < CALIBRATION_N; i++) {
        const struct calibration_constant *k = &c->constant[i];
        char error[32] = "-", change[32] = "-", number[24];
        if (k->error > 0)
            plain_text(error, sizeof error, "%.1f %%", 100 * k->error);
        if (k->changed && k->ratio > 0) {
            plain_change(number, sizeof number, 100 * (k->ratio - 1), 1);
            snprintf(change, sizeof change, "%s %%", number);
        }
        fprintf(out, "  %-18s%14s%14s%10s%9s  %s%s%s\n", k->key, k->before, k->after, change, error,
                k->text, k->why ? "; left alone: " : "", k->why ? k->why : "");
    }
    plain_print(out,
                "\n  fitted on %zu kernels: %.1f %% of their time was predicted otherwise, now "
                "%.1f %%\n  held out, %zu kernels: %.1f %%, now %.1f %%\n",
                c->fitted.kernels, 100 * c->fitted.before, 100 * c->fitted.after, c->held.kernels,
                100 * c->held.before, 100 * c->held.after);
}

void report_profile_text(const struct profiled *p, const struct calibration *c, uint64_t rows,
                         FILE *out)
{
    print_head(p, out);
    print_account(p, out);
    print_pairs(p, out);
    print_classes(p, out);
    print_kernels(p, true, "most seconds of difference first", rows, out);
    print_kernels(p, false, "without a partner", rows, out);
    if (c)
        print_calibration(c, out);
}
