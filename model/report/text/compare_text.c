/* Machines side by side as text. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text_write.h"
#include "report/compare_report.h"
#include "report/text/account_text.h"
#include "report/text/compare_text.h"
#include "report/text/evidence_text.h"
#include "report/text/open_text.h"
#include "report/text/rest.h"
#include "report/text/result_text.h"
#include "report/text/scale.h"
#include "run/epoch.h"
#include "run/result/expected.h"
#include "run/result/margin.h"
#include "run/result/speed.h"
#include "run/result/words.h"

#define WIDTH 10       /* of a column of numbers */
#define ERROR_WIDTH 8  /* of the error to expect */
#define MOST_REFUSED 2 /* machines that cannot run it: more of them have no rows of their own */

static void print_number(const mpq_t q, bool known, FILE *out)
{
    char buf[256] = "-";

    if (known && strlen(exact_decimal(buf, sizeof buf, q, 4)) >= WIDTH)
        exact_decimal(buf, sizeof buf, q, 3);
    fprintf(out, " %*s", WIDTH - 1, buf);
}

static void print_count(const mpz_t n, bool known, FILE *out)
{
    char *text = known ? mpz_get_str(NULL, 10, n) : memory_copy("-");

    BUG_ON(!text);
    fprintf(out, " %*s", WIDTH - 3, text);
    free(text);
}

static void print_memory(const struct run_result *r, FILE *out)
{
    char peak[256], capacity[256];

    EXACT_Q(q);
    exact_ratio(q, r->peak_bytes_per_core, 1);
    quantity_format(peak, sizeof peak, q, "B", 3);
    exact_ratio(q, r->capacity_bytes_per_core, 1);
    quantity_format(capacity, sizeof capacity, q, "B", 3);
    fprintf(out, "%s of %s", peak, capacity);
    if (!r->fits) {
        report_compare_times_capacity(q, r);
        fprintf(out, ", %s times", exact_decimal(peak, sizeof peak, q, 3));
    }
}

/* The units of a step and of an epoch: what the longest is at least one of; of costs, a step where
 * a trace does not state its samples, else a million samples. */
struct units {
    struct scale step, epoch;
    bool usd_of_step;
};

static void units_init(struct units *u, const struct report_verdict *v, size_t n)
{
    EXACT_Q(step);
    EXACT_Q(epoch);
    u->usd_of_step = false;
    for (size_t i = 0; i < n; i++) {
        const struct run_result *r = v[i].result;
        u->usd_of_step = u->usd_of_step || (r && r->samples_unknown);
        if (r && mpq_cmp(r->seconds_per_step, step) > 0)
            mpq_set(step, r->seconds_per_step);
        if (r && r->has_epoch && mpq_cmp(r->seconds_per_epoch, epoch) > 0)
            mpq_set(epoch, r->seconds_per_epoch);
    }
    if (mpq_sgn(step) == 0)
        mpq_set_ui(step, 1, 1); /* nothing to show: seconds */
    if (mpq_sgn(epoch) == 0)
        mpq_set_ui(epoch, 1, 1);
    scale_init(&u->step, step, "s");
    scale_init(&u->epoch, epoch, "s");
    if (mpq_cmp_ui(epoch, 3600, 1) >= 0) {
        strcpy(u->epoch.unit, "h");
        mpq_set_ui(u->epoch.factor, 1, 3600);
    }
}

static void units_clear(struct units *u)
{
    scale_clear(&u->step);
    scale_clear(&u->epoch);
}

/* Heads of the columns of devices: by the machines' kind, if they have one. */
struct heads {
    const char *devices, *each, *memory;
};

/* True if the machines are of several kinds. */
static bool is_mixed(const struct heads *h)
{
    return strcmp(h->each, "each") == 0;
}

static const struct heads *find_heads(const struct report_comparison *c)
{
    static const struct heads of_kind[] = { { "chips", "per chip", "memory of a core" },
                                            { "GPUs", "per GPU", "memory of a GPU" },
                                            { "nodes", "per node", "memory of a node" },
                                            { "size", "each", "memory of one" } };
    const struct run_result *first = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct run_result *r = c->verdict[i].result;
        if (first && r && words_of_result(r) != words_of_result(first))
            return &of_kind[3];
        first = first ? first : r;
    }
    const char *device = first ? words_of_result(first)->device : "chip";
    return &of_kind[strcmp(device, "GPU") == 0 ? 1 : strcmp(device, "node") == 0 ? 2 : 0];
}

/* The width of the column of devices: that of its head, at least five digits. */
static int devices_width(const struct heads *h)
{
    return (int)strlen(h->devices) > 5 ? (int)strlen(h->devices) : 5;
}

static void print_head(const struct units *u, const struct heads *h, unsigned width, FILE *out)
{
    char step[32], epoch[32];

    snprintf(step, sizeof step, "%s/step", u->step.unit);
    snprintf(epoch, sizeof epoch, "%s/epoch", u->epoch.unit);
    fprintf(out, "\n%-*s fits %*s%*s%*s%*s%*s%*s%*s  %*s%*s%*s  %-8s  %s\n", (int)width, "machine",
            devices_width(h), h->devices, WIDTH - 2, "batch", WIDTH, "samples/s", ERROR_WIDTH,
            "error", ERROR_WIDTH, "known ", WIDTH, h->each, WIDTH,
            u->usd_of_step ? "USD/step" : "USD/M", WIDTH - 1, step, WIDTH, epoch, WIDTH,
            "USD/epoch", "bound by", h->memory);
}

static void print_row(const struct report_verdict *v, const struct units *u, const struct heads *h,
                      unsigned width, FILE *out)
{
    const struct run_result *r = v->result;
    bool known = r && !r->samples_unknown;

    text_column(report_compare_label(v), width, out);
    if (!r) {
        fprintf(out, "  no   cannot run it: %s\n", v->error);
        return;
    }
    fputs(r->fits ? "  yes" : "  no ", out);
    fprintf(out, " %*lu", devices_width(h), (unsigned long)r->chips);
    print_count(r->samples_per_step, known, out);
    print_number(r->samples_per_second, known, out);
    evidence_text_cell(r, ERROR_WIDTH, out);
    account_text_cell(&r->account, ERROR_WIDTH, out);
    EXACT_Q(q);
    speed_samples_per_chip(q, r);
    print_number(q, known, out);
    if (u->usd_of_step)
        cost_usd(q, r->usd_per_hour, r->seconds_per_step);
    else
        epoch_million_samples(q, r, r->usd_per_hour);
    print_number(q, r->has_price, out);
    fputs(r->has_price && !r->price_verified ? "*" : " ", out);
    mpq_mul(q, r->seconds_per_step, u->step.factor);
    print_number(q, true, out);
    mpq_mul(q, r->seconds_per_epoch, u->epoch.factor);
    print_number(q, r->has_epoch, out);
    print_number(r->usd_per_epoch, r->has_epoch && r->has_price, out);
    fprintf(out, "  %-8s  ", result_limit_name(r));
    print_memory(r, out);
    putc('\n', out);
}

/* "no list price: a, b", the machines that nobody rents out. */
static void print_unpriced(const struct report_verdict *v, size_t n, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < n; i++)
        if (v[i].result && !v[i].result->has_price) {
            fprintf(out, "%s%s", any ? ", " : "no list price: ", report_compare_label(&v[i]));
            any = true;
        }
    if (any)
        putc('\n', out);
}

/* Prints the winning figure behind the names of the machines that share it. */
typedef void note(const struct run_result *r, bool by_step, FILE *out);

static void note_cost(const struct run_result *r, bool by_step, FILE *out)
{
    EXACT_Q(q);
    report_compare_cost(q, r);
    fprintf(out, ", %s", r->account.at_least ? "at least " : "");
    if (by_step)
        cost_usd(q, r->usd_per_hour, r->seconds_per_step);
    text_number(q, out);
    fputs(by_step ? " USD/step" : " USD/M", out);
}

static void note_time(const struct run_result *r, bool by_step, FILE *out)
{
    fprintf(out, ", %s", !r->account.at_least ? "" : by_step ? "at least " : "at most ");
    if (by_step) {
        text_quantity(r->seconds_per_step, "s", out);
        fputs(" a step", out);
        return;
    }
    text_number(r->samples_per_second, out);
    fputs(" samples/s", out);
}

static void note_size(const struct run_result *r, bool by_step, FILE *out)
{
    (void)by_step;
    fputs(", ", out);
    text_count(r->chips, words_of_result(r)->device, out);
    fputs(" with ", out);
    text_bytes(r->capacity_bytes_per_core, out);
    if (strcmp(words_of_result(r)->core, words_of_result(r)->device) != 0)
        fprintf(out, " a %s", words_of_result(r)->core);
}

/* "WHAT: a, b and c, 5 samples/s", all machines that share the best figure, or that there is none.
 * Returns whether one of them was marked: its price is what counts, and is unverified. */
static bool print_best(const char *what, const struct report_comparison *c,
                       const struct report_choice *choice, note *print_note, FILE *out)
{
    const struct run_result *best = NULL;
    bool priced = choice->figure == report_compare_cost, marked = false;
    bool *win = memory_zeroed(c->n, sizeof *win);
    size_t left = report_compare_best(win, c, choice);
    bool unpriced =
        priced && !choice->in_time && !choice->verified && !report_compare_other_work(c);

    fprintf(out, "%s: %s", what, left ? "" : unpriced ? "none with a price" : "none");
    for (size_t i = 0; left > 0; i++)
        if (win[i]) {
            left--;
            best = c->verdict[i].result;
            bool mark = priced && !best->price_verified;
            marked = marked || mark;
            fprintf(out, "%s%s%s", report_compare_label(&c->verdict[i]),
                    mark ? " (price unverified)" : "",
                    left == 0   ? ""
                    : left == 1 ? " and "
                                : ", ");
        }
    if (best)
        print_note(best, report_compare_by_step(c), out);
    if (best)
        open_text(win, c, choice, out);
    free(win);
    return marked;
}

/* A line on the cheapest, and beside an unverified price the cheapest that is verified. */
static void print_cheapest(const char *what, const struct report_comparison *c, bool in_time,
                           FILE *out)
{
    struct report_choice choice = { .figure = report_compare_cost, .in_time = in_time };

    if (print_best(what, c, &choice, note_cost, out)) {
        choice.verified = true;
        fputs("; ", out);
        print_best("with a verified price", c, &choice, note_cost, out);
    }
    putc('\n', out);
}

static void name_deadline(mpq_srcptr seconds, char *text, size_t size)
{
    unsigned long unit = mpq_cmp_ui(seconds, 3600, 1) >= 0 ? 3600
                         : mpq_cmp_ui(seconds, 60, 1) >= 0 ? 60
                                                           : 1;
    char buf[64];

    EXACT_Q(q);
    mpq_set_ui(q, 1, unit);
    mpq_mul(q, q, seconds);
    snprintf(text, size, "cheapest under %s %s/epoch", exact_decimal(buf, sizeof buf, q, 4),
             unit == 3600 ? "h"
             : unit == 60 ? "min"
                          : "s");
}

/* The trace says how long an epoch is, or not, for all machines. */
static bool knows_epoch(const struct report_comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->verdict[i].result)
            return c->verdict[i].result->has_epoch;
    return false;
}

/* The first line: what makes the machines comparable. */
static void print_footing(const struct report_comparison *c, FILE *out)
{
    const struct run_result *r = NULL;
    bool several = false; /* traces */

    for (size_t i = 0; i < c->n; i++) {
        r = r ? r : c->verdict[i].result;
        several = several || c->verdict[i].trace;
    }
    if (!r)
        fputs("none of the machines can run it\n", out);
    else if (report_compare_other_work(c))
        fputs("the traces do different work: a sample of one is none of another\n", out);
    else if (report_compare_by_step(c) && several)
        fputs("not all state their samples: compared by the time of a step, whatever it does\n",
              out);
    else if (report_compare_by_step(c))
        fputs("nobody has stated the samples of a step: machines are compared by its time\n", out);
    else if (report_compare_unequal(c))
        fputs("global batches differ: machines are compared by the sample, not by the epoch\n",
              out);
    else
        gmp_fprintf(out, "a global batch of %Zd sample%s on each machine\n", r->samples_per_step,
                    mpz_cmp_ui(r->samples_per_step, 1) == 0 ? "" : "s");
}

/* "TPU or GPU": the kinds of the machines, all of whose built-in ones were looked at. */
static void print_kinds(const struct report_comparison *c, FILE *out)
{
    const char *before = "";

    for (size_t i = 0; i < c->n; i++) {
        bool known = !c->verdict[i].result;
        for (size_t k = 0; k < i && !known; k++)
            known = c->verdict[k].result &&
                    words_of_result(c->verdict[k].result) == words_of_result(c->verdict[i].result);
        if (known)
            continue;
        fprintf(out, "%s%s", before, words_of_result(c->verdict[i].result)->chip);
        before = " or ";
    }
}

/* None of the machines holds the trace: one that does. */
static void print_smallest_of_all(const struct report_comparison *c, FILE *out)
{
    const struct run_slice *s = report_compare_smallest_of_all(c);

    fputs("none of the machines can hold it\n", out);
    if (!s)
        return;
    const struct words *w = words_of_chip(s->chip);
    fputs("smallest ", out);
    print_kinds(c, out);
    fprintf(out, " machine that fits: %s, ", s->machine);
    text_count(s->chips, w->device, out);
    fputs(" with ", out);
    text_bytes(s->capacity, out);
    if (s->chips > 1 || strcmp(w->core, w->device) != 0)
        fprintf(out, " a %s", w->core);
    fputs(", of which it takes ", out);
    text_bytes(s->peak, out);
    putc('\n', out);
}

static void print_verdict(const struct report_comparison *c, FILE *out)
{
    static const struct report_choice fastest = { .figure = report_compare_time };
    static const struct report_choice smallest = { .figure = report_compare_size };
    char under[96];

    print_footing(c, out);
    if (!report_compare_any_ran(c))
        return;
    if (!report_compare_any_fits(c)) {
        print_smallest_of_all(c, out);
        compare_text_proportion(c, out);
        return;
    }
    print_cheapest("cheapest", c, false, out);
    print_best("fastest", c, &fastest, note_time, out);
    putc('\n', out);
    print_best("smallest that fits", c, &smallest, note_size, out);
    putc('\n', out);
    if (c->deadline)
        name_deadline(c->deadline, under, sizeof under);
    if (c->deadline && knows_epoch(c)) {
        print_cheapest(under, c, true, out);
        open_text_in_time(c, out);
    } else if (c->deadline) {
        fprintf(out, "%s: unknown, the trace does not say how many samples an epoch has\n", under);
    }
    compare_text_proportion(c, out);
    compare_text_most(c, out);
    open_text_decides(c, out);
}

void report_compare_text(const char *trace, const struct report_comparison *c, FILE *out)
{
    const struct report_verdict *v = c->verdict;
    unsigned width = (unsigned)strlen("machine");
    bool beyond = false, unverified = false;
    size_t refused = 0;
    struct units u;

    for (size_t i = 0; i < c->n; i++) {
        unsigned length = (unsigned)strlen(report_compare_label(&v[i]));
        refused += !v[i].result;
        width = length > width ? length : width;
        unverified =
            unverified || (v[i].result && v[i].result->has_price && !v[i].result->price_verified);
        beyond = beyond || (v[i].result && !v[i].result->fits);
    }
    text_shown(trace, out);
    fputs(": ", out);
    print_verdict(c, out);
    if (refused == c->n) {
        putc('\n', out);
        compare_text_refused(c, out);
        return;
    }
    units_init(&u, v, c->n);
    const struct heads *heads = find_heads(c);
    print_head(&u, heads, width, out);
    for (size_t i = 0; i < c->n; i++)
        if (v[i].result || refused <= MOST_REFUSED)
            print_row(&v[i], &u, heads, width, out);
    if (refused > MOST_REFUSED)
        compare_text_refused(c, out);
    fprintf(out, "%sbatch: samples of a step; %s: samples/s%s\n",
            is_mixed(heads) ? "size: chips of TPUs, GPUs, nodes of CPUs; " : "", heads->each,
            u.usd_of_step ? "" : "; USD/M: for a million samples");
    units_clear(&u);
    fputs("error: to expect of samples/s, times and costs, either way (`replay` says what it rests "
          "on)\n" ACCOUNT_TEXT_KNOWN,
          out);
    compare_text_run(c, out);
    compare_text_prices(c, out);
    print_unpriced(v, c->n, out);
    if (unverified)
        fputs("*: the price is unverified\n", out);
    compare_text_left(c, true, out);
    compare_text_left(c, false, out);
    compare_text_doubts(c, out);
    if (beyond)
        fputs("Where the trace does not fit, times and costs are as if the memory were larger.\n",
              out);
    compare_text_derived(v, c->n, out);
}
