/* Notes below machines side by side: epochs, memory, traces derived again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/compare_report.h"
#include "report/text/compare_text.h"
#include "report/text/rest.h"
#include "report/text/result_text.h"
#include "run/epoch.h"
#include "run/result/words.h"

/* The share of an epoch that whole steps drop, or of its steps that is padding; false: none. */
static bool find_left(mpq_t share, const struct run_result *r, bool dropped)
{
    EXACT_Q(whole);
    if (!r || !r->has_epoch)
        return false;
    if (dropped) {
        epoch_dropped(share, r);
        exact_ratio(whole, r->samples_per_epoch, 1);
    } else {
        epoch_added(share, r);
        mpq_set_z(whole, r->samples_per_step);
        mpq_mul(whole, whole, r->steps_per_epoch);
    }
    mpq_div(share, share, whole);
    return !rest_has(share);
}

void compare_text_proportion(const struct report_comparison *c, FILE *out)
{
    bool any = false;

    EXACT_Q(times);
    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        uint64_t samples;
        if (!v->fixed_batch || !v->result || !report_compare_proportion(times, &samples, v->result))
            continue;
        fprintf(out, "%s%s about ", any ? ", " : "largest batch: ", report_compare_label(v));
        if (samples)
            fprintf(out, "%" PRIu64 " samples a %s, ", samples, words_of_result(v->result)->core);
        text_number(times, out);
        fputs(" times its own", out);
        any = true;
    }
    if (any)
        fputs(", if memory grows in proportion; one made for that batch tells\n", out);
}

void compare_text_most(const struct report_comparison *c, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        if (!v->most_batch)
            continue;
        if (!any)
            fprintf(out, "the generator takes no batch above %" PRIu64 ", memory may hold more: ",
                    v->batch);
        fprintf(out, "%s%s", any ? ", " : "", v->machine);
        any = true;
    }
    if (any)
        putc('\n', out);
}

/* Where the prices of a machine come from; NULL: it has none. */
static const char *find_source(const struct report_verdict *v)
{
    const struct run_result *r = v->result;

    return r && r->has_price ? r->price_source : NULL;
}

static bool is_same_source(const struct report_verdict *a, const struct report_verdict *b)
{
    const char *x = find_source(a), *y = find_source(b);

    return x && y && strcmp(x, y) == 0;
}

/* Machine i and those after it whose prices come from where its own do; none if it is not the
 * first of them. */
static void print_source(const struct report_comparison *c, size_t i, FILE *out)
{
    const struct report_verdict *v = c->verdict, *before = NULL;

    for (size_t k = 0; k < i; k++)
        if (is_same_source(&v[k], &v[i]))
            return;
    for (size_t k = i; k < c->n; k++) {
        if (!is_same_source(&v[i], &v[k]) || (before && strcmp(before->machine, v[k].machine) == 0))
            continue;
        if (!before)
            fprintf(out, "price %s:", find_source(&v[k]));
        fprintf(out, "%s %s", before ? "," : "", v[k].machine);
        before = &v[k];
    }
    if (before)
        putc('\n', out);
}

void compare_text_prices(const struct report_comparison *c, FILE *out)
{
    for (size_t i = 0; i < c->n; i++)
        print_source(c, i, out);
}

/* A line that says for each machine what its epoch leaves over; nothing where none does. */
void compare_text_left(const struct report_comparison *c, bool dropped, FILE *out)
{
    const char *head = dropped
                           ? "Samples that fill no whole global batch are dropped:"
                           : "The steps of an epoch hold more samples than the data set; padding:";
    unsigned width = 0;

    EXACT_Q(share);
    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        if (!find_left(share, v->result, dropped))
            continue;
        unsigned length = (unsigned)strlen(report_compare_label(v)) + (unsigned)strlen(", 00.0 %,");
        if (width == 0)
            width = (unsigned)fprintf(out, "%s", head);
        else
            width += (unsigned)fprintf(out, ",");
        if (width + length > RESULT_TEXT_WIDTH)
            width = (unsigned)fprintf(out, "\n ") - 1;
        width += length;
        fprintf(out, " %s ", report_compare_label(v));
        text_share(share, 0, out);
        fputs(" %", out);
    }
    if (width)
        putc('\n', out);
}

/* The next letter of a reason that counts: not the name of its machine, and no digit. */
static const char *skip_own(const char *text, const char *machine)
{
    size_t length = strlen(machine);

    for (;;)
        if (length && strncmp(text, machine, length) == 0)
            text += length;
        else if (*text >= '0' && *text <= '9')
            text++;
        else
            return text;
}

/* The end of a reason: in front of the command that compiles it again, which each has of its own.
 */
static const char *find_end(const char *reason)
{
    const char *again = strstr(reason, " compile it again");

    return again && again > reason ? again - 1 : reason + strlen(reason);
}

static bool has_same_reason(const struct report_verdict *a, const struct report_verdict *b)
{
    const char *x = skip_own(a->error, a->machine), *y = skip_own(b->error, b->machine);
    const char *end_x = find_end(a->error), *end_y = find_end(b->error);

    while (x < end_x && y < end_y && *x == *y) {
        x = skip_own(x + 1, a->machine);
        y = skip_own(y + 1, b->machine);
    }
    return x >= end_x && y >= end_y;
}

/* Machine i and all after it that cannot run it for the same reason; mark them as told. */
static void print_refused(const struct report_comparison *c, size_t i, bool *told, FILE *out)
{
    const struct report_verdict *v = c->verdict;
    size_t n = 0;

    for (size_t k = i; k < c->n; k++)
        if (!v[k].result && has_same_reason(&v[i], &v[k])) {
            told[k] = true;
            n++;
        }
    unsigned width = (unsigned)fprintf(out, "cannot run it, %zu of %zu:", n, c->n);
    for (size_t k = i; k < c->n && n > 0; k++) {
        if (v[k].result || !has_same_reason(&v[i], &v[k]))
            continue;
        unsigned length = (unsigned)strlen(report_compare_label(&v[k])) + 2;
        if (width + length > RESULT_TEXT_WIDTH)
            width = (unsigned)fprintf(out, "\n ") - 1;
        width += length;
        fprintf(out, " %s%s", report_compare_label(&v[k]), --n ? "," : "\n");
    }
    fprintf(out, "  %s: %s\n", report_compare_label(&v[i]), v[i].error);
}

void compare_text_refused(const struct report_comparison *c, FILE *out)
{
    bool *told = memory_zeroed(c->n, sizeof *told);

    for (size_t i = 0; i < c->n; i++)
        if (!c->verdict[i].result && !told[i])
            print_refused(c, i, told, out);
    free(told);
}

void compare_text_run(const struct report_comparison *c, FILE *out)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct run_result *r = c->verdict[i].result;
        if (r)
            result_text_run_on(report_compare_label(&c->verdict[i]), r, out);
    }
}

/* The sentence of result_text_doubt on a machine, to be freed; NULL if there is none. */
static char *write_doubt(const struct report_verdict *v)
{
    struct memory_text text;

    if (!v->result)
        return NULL;
    memory_text_begin(&text);
    bool any = result_text_doubt(v->result, text.out);
    char *doubt = memory_text_end(&text);
    if (any)
        return doubt;
    free(doubt);
    return NULL;
}

/* A line for machines whose memory is close to the peak, or on which a switch of the compiler
 * decides: one for all of which the same is to be said. */
void compare_text_doubts(const struct report_comparison *c, FILE *out)
{
    char **doubt = memory_zeroed(c->n, sizeof *doubt);

    for (size_t i = 0; i < c->n; i++)
        doubt[i] = write_doubt(&c->verdict[i]);
    for (size_t i = 0; i < c->n; i++) {
        if (!doubt[i])
            continue;
        fprintf(out, "Memory %s\n  on %s", doubt[i], report_compare_label(&c->verdict[i]));
        for (size_t k = i + 1; k < c->n; k++)
            if (doubt[k] && strcmp(doubt[i], doubt[k]) == 0) {
                fprintf(out, ", %s", report_compare_label(&c->verdict[k]));
                free(doubt[k]);
                doubt[k] = NULL;
            }
        putc('\n', out);
    }
    for (size_t i = 0; i < c->n; i++)
        free(doubt[i]);
    free(doubt);
}

/* On these machines another step ran than the one in the file. */
void compare_text_derived(const struct report_verdict *v, size_t n, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        const struct run_result *r = v[i].result;
        if (!r || !r->derived)
            continue;
        if (!any)
            fprintf(out, "The trace is for %llu device%s; derived again for ",
                    (unsigned long long)r->written_for, r->written_for == 1 ? "" : "s");
        fprintf(out, "%s%s", any ? ", " : "", report_compare_label(&v[i]));
        any = true;
    }
    if (any)
        fputs(".\n", out);
}
