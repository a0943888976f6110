/* One trace on slices of several sizes as text. */
#include <inttypes.h>
#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/scaling_report.h"
#include "report/text/account_text.h"
#include "report/text/evidence_text.h"
#include "report/text/rest.h"
#include "report/text/result_text.h"
#include "report/text/scale.h"
#include "run/result/words.h"

/* A table of the step of a core, a row for each size. */
static void print_title(const char *trace, const char *machine, const struct scaling_size *s,
                        size_t n, FILE *out)
{
    const char *core = words_of_result(&s[0].result)->core;
    bool derived = false, divided = false;

    for (size_t i = 0; i < n; i++) {
        derived |= s[i].result.derived;
        divided |= mpq_cmp(s[i].samples, s[0].samples) != 0;
    }
    text_shown(trace, out);
    fprintf(out, " on machines as %s; ", machine);
    fprintf(out, divided ? "the %ss divide the batch\n" : "each %s keeps its batch\n", core);
    if (derived) {
        fputs("the trace is for ", out);
        text_count(s[0].result.written_for, core, out);
        fputs("; it was derived again for other sizes\n", out);
    }
    putc('\n', out);
}

static const char *const part_name[SCALING_N_PARTS] = {
    [SCALING_COMPUTE] = "compute",     [SCALING_LAUNCH] = "launch",
    [SCALING_NET_LATENCY] = "latency", [SCALING_NET_BANDWIDTH] = "bandwidth",
    [SCALING_INPUT] = "input",         [SCALING_HOST] = "host",
    [SCALING_IMBALANCE] = "imbalance", [SCALING_BATCH] = "batch",
};
#define PART_WIDTH 10
#define ERROR_WIDTH 8

/* Does the loss show with one digit on a size, gained or lost? */
static bool has_loss(const struct scaling_size *s, size_t n, int part)
{
    EXACT_Q(q);
    for (size_t i = 0; i < n; i++) {
        mpq_abs(q, s[i].loss[part]);
        if (!rest_has(q))
            return true;
    }
    return false;
}

static void print_size(const struct scaling_size *s, const struct scale *time, const bool *shown,
                       FILE *out)
{
    EXACT_Q(one);
    mpq_set_ui(one, 1, 1);
    fprintf(out, "  %6" PRIu64 " %6" PRIu32, s->size, s->result.chips);
    scale_write(s->result.seconds_per_step, time, 14, out);
    evidence_text_cell(&s->result, ERROR_WIDTH, out);
    account_text_cell(&s->result.account, ERROR_WIDTH, out);
    text_fixed(s->speedup, one, 2, 9, out);
    putc(' ', out);
    text_percent(s->efficiency, one, 7, out);
    for (int p = 0; p < SCALING_N_PARTS; p++)
        if (shown[p])
            text_percent(s->loss[p], one, PART_WIDTH, out);
    putc('\n', out);
}

/* True if bytes pass over links, or between nodes and slices. */
static bool has_exchange(const struct run_result *r)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, "utilization.dcn") == 0 && r->figures[i].known &&
            mpq_sgn(r->figures[i].value) > 0)
            return true;
    return mpq_sgn(r->work.link_bytes) != 0;
}

/* Devices that exchange nothing scale as well as one likes. */
static void print_exchange(const struct scaling_size *s, size_t n, FILE *out)
{
    bool many = false;

    for (size_t i = 0; i < n; i++) {
        if (has_exchange(&s[i].result))
            return;
        many |= s[i].result.cores > 1;
    }
    if (many)
        fputs("the trace exchanges nothing between its devices: each runs the step by itself, and "
              "no gradients are summed\n",
              out);
}

/* Say once what is not known of the step, where it is much. */
static void print_unknown(const struct scaling_size *s, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++)
        if (account_is_unknown(&s[i].result.account)) {
            fputs("open: times, speed-ups and losses are of what is known; ", out);
            account_write_unknown(&s[i].result.account, "the step", out);
            putc('\n', out);
            return;
        }
}

/* Print the time and cost of a run of the epochs that the user asked for. */
static void print_run(const struct scaling_size *s, FILE *out)
{
    char size[32];

    snprintf(size, sizeof size, "size %" PRIu64, s->size);
    result_text_run_on(size, &s->result, out);
}

void report_scaling_text(const char *trace, const char *machine, const struct scaling_size *s,
                         size_t n, FILE *out)
{
    bool shown[SCALING_N_PARTS];
    struct rest rest = { 0 };
    struct scale time;

    EXACT_Q(most);
    for (size_t i = 0; i < n; i++)
        if (mpq_cmp(s[i].result.seconds_per_step, most) > 0)
            mpq_set(most, s[i].result.seconds_per_step);
    scale_init(&time, most, "s");
    print_title(trace, machine, s, n, out);
    for (int p = 0; p < SCALING_N_PARTS; p++)
        shown[p] = has_loss(s, n, p);
    fprintf(out, "  %57s  %% of the step lost against %" PRIu64 " to\n", "", s[0].size);
    fprintf(out, "  %6s %5ss %8s/step%*s%*s%9s %7s", "size", words_of_result(&s[0].result)->device,
            time.unit, ERROR_WIDTH, "error", ERROR_WIDTH, "known ", "speed-up", "eff. %");
    for (int p = 0; p < SCALING_N_PARTS; p++)
        if (shown[p])
            fprintf(out, "%*s", PART_WIDTH, part_name[p]);
    putc('\n', out);
    for (size_t i = 0; i < n; i++)
        print_size(&s[i], &time, shown, out);
    for (int p = 0; p < SCALING_N_PARTS; p++)
        if (!shown[p])
            rest_add(&rest, part_name[p], out);
    rest_end(&rest, out);
    print_exchange(s, n, out);
    print_unknown(s, n, out);
    for (size_t i = 0; i < n; i++)
        print_run(&s[i], out);
    fputs("error: to expect of the time of a step, either way (`replay` says what it rests "
          "on)\n" ACCOUNT_TEXT_KNOWN,
          out);
    scale_clear(&time);
}
