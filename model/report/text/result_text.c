#include "report/text/result_text.h"

#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "base/text_write.h"
#include "report/text/memory_text.h"
#include "report/text/rest.h"
#include "run/epoch.h"
#include "run/result/margin.h"
#include "run/result/words.h"
#include "run/visit/figure_group.h"

/* The bytes at the peak by role, largest first, and how many of them are padding. */
static void print_roles(const struct run_result *r, FILE *out)
{
    bool told[N_FOOTPRINT_ROLES] = { false };

    for (int n = 0; n < N_FOOTPRINT_ROLES; n++) {
        int most = -1;
        for (int i = 0; i < N_FOOTPRINT_ROLES; i++)
            if (!told[i] && (most < 0 || r->memory.role[i] > r->memory.role[most]))
                most = i;
        told[most] = true;
        if (r->memory.role[most] == 0)
            break;
        fprintf(out, "%s%s ",
                n == 0   ? "\n           "
                : n == 4 ? ",\n           "
                         : ", ",
                result_role_name[most]);
        text_bytes(r->memory.role[most], out);
    }
    if (r->memory.padding) {
        fputs("; ", out);
        text_bytes(r->memory.padding, out);
        fputs(" of it padding", out);
    }
}

/* The bytes that do not fit, and the changes that would save some. */
static void print_remedies(const struct run_result *r, FILE *out)
{
    char change[64];

    fputs("\n           ", out);
    text_bytes(r->peak_bytes_per_core - r->capacity_bytes_per_core, out);
    fputs(" too much; times and costs are as if the memory were larger\n           ", out);
    fputs("what would help:", out);
    for (size_t i = 0; i < r->n_remedies; i++) {
        const struct run_remedy *m = &r->remedies[i];
        fprintf(out, "\n             %s: ", m->what);
        if (m->saves) {
            fputs(m->about ? "saves about " : "saves ", out);
            text_bytes(m->saves, out);
            fputs(", ", out);
        }
        fputs(m->fits ? m->about ? "may fit" : "fits" : m->about ? "still about " : "still ", out);
        if (!m->fits) {
            text_bytes(m->peak - r->capacity_bytes_per_core, out);
            fputs(" too much", out);
        }
        if (m->tried) {
            plain_change(change, sizeof change, m->cost_permille / 10.0, 1);
            fprintf(out, "; tried: a step takes %s %% longer", change);
        }
    }
    if (r->compile && *r->compile)
        fprintf(out, "\n           a change of the program is compiled again: `%s`", r->compile);
}

bool result_text_doubt(const struct run_result *r, FILE *out)
{
    bool close = margin_is_close(r), rests = margin_rests_on_switch(r);

    if (!close && !rests)
        return false;
    EXACT_Q(margin);
    margin_of(margin, r);
    mpq_abs(margin, margin);
    fputs(r->fits ? "fits by " : "does not fit by ", out);
    text_share(margin, 0, out);
    fputs(" %", out);
    if (r->fit_switch.known) {
        fprintf(out, "; with %s it needs ", r->fit_switch.set);
        text_bytes(r->fit_switch.peak, out);
        fprintf(out, " and %s%s", r->fit_switch.fits ? "fits" : "does not fit",
                rests                ? ""
                : r->fit_switch.fits ? " too"
                                     : " either");
    }
    return true;
}

void result_text_memory(const struct run_result *r, FILE *out)
{
    EXACT_Q(peak);
    EXACT_Q(capacity);
    exact_ratio(peak, r->peak_bytes_per_core, 1);
    exact_ratio(capacity, r->capacity_bytes_per_core, 1);
    fputs(r->fits ? "  memory   fits: " : "  memory   DOES NOT FIT: needs ", out);
    text_bytes(r->peak_bytes_per_core, out);
    fputs(" of ", out);
    text_bytes(r->capacity_bytes_per_core, out);
    fprintf(out, " per %s (", words_of_result(r)->core);
    text_percent(peak, capacity, 0, out);
    fputs(" %)", out);
    if (r->peak_at) {
        unsigned width = (unsigned)strlen(r->peak_at);
        fputs(r->fits ? ", most at " : "\n           most at ", out);
        text_column(r->peak_at, width < 32 ? width : 32, out);
        if (r->n_stages)
            fprintf(out, " of stage %u", (unsigned)r->peak_stage);
    }
    print_roles(r, out);
    if (margin_is_close(r) || margin_rests_on_switch(r)) {
        fputs(margin_is_close(r) ? "\n           close: " : "\n           resting on a switch: ",
              out);
        result_text_doubt(r, out);
    }
    memory_text_program(r, out);
    if (!r->fits)
        print_remedies(r, out);
    putc('\n', out);
}

void result_text_causes(const struct run_result *r, const struct scale *time, const char *what,
                        FILE *out)
{
    const char *core = words_of_result(r)->core;
    char head[32];
    bool shown[N_CAUSES] = { false };
    struct rest rest = { 0 };

    snprintf(head, sizeof head, "%s/%s", time->unit, what);
    fprintf(out, "\ntime by cause  %8s%7s  ", head, "%");
    if (r->cores > 1)
        fprintf(out, "of a %s, on average over all %ss\n", core, core);
    else
        fprintf(out, "of the %s\n", core);
    EXACT_Q(share);
    for (unsigned line = 0; line < N_CAUSES; line++) {
        unsigned most = N_CAUSES;
        for (unsigned c = 0; c < N_CAUSES; c++) {
            if (!shown[c] && (most == N_CAUSES ||
                              mpq_cmp(amounts_get(&r->cause, c), amounts_get(&r->cause, most)) > 0))
                most = c;
        }
        if (mpq_sgn(amounts_get(&r->cause, most)) == 0)
            break;
        shown[most] = true;
        mpq_div(share, amounts_get(&r->cause, most), r->seconds_per_step);
        if (rest_has(share)) {
            rest_add(&rest, cause_name[most], out);
            continue;
        }
        fprintf(out, "  %-11s", cause_name[most]);
        scale_write(amounts_get(&r->cause, most), time, 10, out);
        text_percent(amounts_get(&r->cause, most), r->seconds_per_step, 7, out);
        fprintf(out, "  %s\n", cause_doc[most]);
    }
    rest_end(&rest, out);
}

void result_text_stages(const struct run_result *r, const struct scale *time, FILE *out)
{
    char head[32];

    if (r->n_stages == 0)
        return;
    snprintf(head, sizeof head, "%s/step", time->unit);
    fprintf(out, "\nstages         %8s%7s  memory of a core\n", head, "bubble");
    for (uint32_t k = 0; k < r->n_stages; k++) {
        fprintf(out, "  %-11u", (unsigned)k);
        scale_write(r->stage[k].seconds, time, 10, out);
        text_percent(r->stage[k].bubble, r->seconds_per_step, 7, out);
        fputs("  ", out);
        text_bytes(r->stage[k].peak_bytes, out);
        putc('\n', out);
    }
}

static void print_figure(const struct run_figure *f, FILE *out)
{
    size_t length = figure_group_length(f->column), doc = strlen(f->doc);

    fputs("  ", out);
    text_column(f->column + (length ? length + 1 : 0), 21, out);
    text_share(f->value, 7, out);
    fputs("  ", out);
    text_column(f->doc, doc < 68 ? (unsigned)doc : 68, out);
    putc('\n', out);
}

/* The whole that the percentages of a group are shares of, if it is one for all its figures. */
static void print_share_of(const struct words *w, const char *column, FILE *out)
{
    if (figure_group_same(column, RUN_LEDGER_KEY "_waste."))
        fputs("  of busy " RUN_LEDGER_UNIT " slots of all cores", out);
    else if (figure_group_same(column, "utilization."))
        fprintf(out, "  of the %s: %s", w->whole, w->all);
    else if (figure_group_same(column, "hbm."))
        fprintf(out, "  of all %ss", w->device);
}

/* One group, from the figure that opens it on. */
static void print_group(const struct run_figure *f, size_t first, size_t n, const struct words *w,
                        FILE *out)
{
    struct rest rest = { 0 };
    size_t length = figure_group_length(f[first].column);

    fprintf(out, "\n%-23.*s%7s", (int)length, f[first].column, "%");
    print_share_of(w, f[first].column, out);
    putc('\n', out);
    for (size_t j = first; j < n; j++)
        if (figure_group_same(f[first].column, f[j].column) && f[j].known && !rest_has(f[j].value))
            print_figure(&f[j], out);
    for (size_t j = first; j < n; j++)
        if (figure_group_same(f[first].column, f[j].column) && f[j].known && rest_has(f[j].value))
            rest_add(&rest, f[j].column + (length ? length + 1 : 0), out);
    rest_end(&rest, out);
}

/* True if the group that opens here has a figure worth a line. */
static bool has_some(const struct run_figure *f, size_t first, size_t n)
{
    for (size_t j = first; j < n; j++)
        if (figure_group_same(f[first].column, f[j].column) && f[j].known && !rest_has(f[j].value))
            return true;
    return false;
}

void result_text_figures(const struct run_figure *f, size_t n, const struct words *w, FILE *out)
{
    for (size_t i = 0; i < n; i++)
        if (figure_group_opens(f, i) && has_some(f, i, n))
            print_group(f, i, n, w, out);
}

void result_text_links(const struct run_link *l, size_t n, const struct words *w, FILE *out)
{
    size_t hottest = 0;

    if (n == 0)
        return;
    EXACT_Q(sum);
    EXACT_Q(q);
    for (size_t i = 0; i < n; i++) {
        exact_sum(sum, l[i].utilization);
        if (mpq_cmp(l[i].utilization, l[hottest].utilization) > 0)
            hottest = i;
    }
    if (mpq_sgn(sum) == 0) {
        return;
    }
    fprintf(out, "\n%-23s%7s  of the %s\n  %-20s", "links", "%", w->whole, l[hottest].name);
    mpq_set_ui(q, 100, 1);
    text_fixed(l[hottest].utilization, q, 1, 8, out);
    fprintf(out, "  the hottest of %zu: ", n);
    mpq_set_z(q, l[hottest].bytes);
    text_quantity(q, "B", out);
    exact_ratio(q, n, 1);
    mpq_mul(q, q, l[hottest].utilization);
    mpq_div(q, q, sum);
    fputs(" a step, ", out);
    text_number(q, out);
    fputs(" times the average\n", out);
}

static void print_run_cost(const mpq_t per_hour, const mpq_t seconds, const char *how, FILE *out)
{
    EXACT_Q(usd);
    cost_usd(usd, per_hour, seconds);
    fputs(", ", out);
    text_number(usd, out);
    fprintf(out, " USD %s", how);
}

void result_text_run(const struct run_result *r, FILE *out)
{
    EXACT_Q(seconds);
    EXACT_Q(hours);
    epoch_run_seconds(seconds, r);
    mpq_set_ui(hours, 1, 3600);
    mpq_mul(hours, hours, seconds);
    text_count(r->epochs, "epoch", out);
    fprintf(out, " in %s", r->account.at_least ? "at least " : "");
    text_number(hours, out);
    fputs(" h", out);
    if (r->has_price)
        print_run_cost(r->usd_per_hour, seconds, "on demand", out);
    if (r->has_preemptible)
        print_run_cost(r->usd_per_hour_preemptible, seconds, "preemptible", out);
}

void result_text_run_on(const char *machine, const struct run_result *r, FILE *out)
{
    if (r->epochs == 0)
        return;
    fprintf(out, "run on %s: ", machine);
    if (epoch_has_run(r))
        result_text_run(r, out);
    else
        fputs("unknown, the trace does not say how many samples an epoch has", out);
    putc('\n', out);
}
