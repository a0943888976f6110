#include "report/text/diff_text.h"
#include "report/compare_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/text_write.h"
#include "report/run_report.h"
#include "report/text/diff_rows.h"
#include "report/text/open_text.h"
#include "report/text/origin_text.h"
#include "run/result/account.h"
#include "run/result/words.h"

#define SHOWN 10 /* operations */
#define NAME_COLUMNS 36
#define LEAST_FIGURE 1e-30
#define MOST_FIGURE 1e30

/* A member that is read, and its type. */
struct member {
    const char *path; /* "memory.fits" */
    char type; /* n number, N number or null, s string, o object, O object of TPUs alone, a array,
                  b boolean */
};

static const struct member of_run[] = {
    { "machine", 's' },
    { "trace", 's' },
    { "workload", 's' },
    { "steps", 'n' },
    { "slice", 'o' },
    { "slice.cores", 'n' },
    { "slice.chips", 'n' },
    { "slice.hosts", 'n' },
    { "slice.mesh", 'a' },
    { "slice.peak_flops_per_core", 'n' },
    { "slice.hbm_bytes_per_second_per_core", 'n' },
    { "cycles_per_step", 'n' },
    { "seconds_per_step", 'n' },
    { "seconds_per_epoch", 'N' },
    { "samples_per_second", 'N' },
    { "global_batch", 'N' },
    { "usd_per_million_samples", 'o' },
    { "usd_per_million_samples.on_demand", 'N' },
    { "usd_per_epoch", 'o' },
    { "usd_per_epoch.on_demand", 'N' },
    { "memory", 'o' },
    { "memory.peak_bytes_per_core", 'n' },
    { "memory.capacity_bytes_per_core", 'n' },
    { "memory.fits", 'b' },
    { "utilization", 'o' },
    { "time_by_cause", 'o' },
    { RUN_LEDGER_KEY "_slots", 'O' },
    { RUN_LEDGER_KEY "_slots.waiting", 'O' },
    { "phases", 'a' },
    { "ops", 'a' },
    { "links", 'a' },
    { "uncovered", 'o' },
    { "provenance", 'o' },
    { "provenance.parameters_changed", 'a' },
};

static const struct member of_op[] = {
    { "name", 's' },
    { "kind", 's' },
    { "group", 's' },
    { "phase", 's' },
    { "count", 'n' },
    { "seconds", 'n' },
    { "bound_by", 's' },
    { "flops", 'n' },
    { "hbm_bytes", 'n' },
    { "time_by_cause", 'o' },
    { RUN_LEDGER_KEY "_slots", 'O' },
    { RUN_LEDGER_KEY "_slots.waiting", 'O' },
    { RUN_LEDGER_KEY "_waste", 'O' },
};

static const struct member of_link[] = { { "name", 's' },
                                         { "bytes", 'n' },
                                         { "utilization", 'n' } };

static json_t *find_member(const json_t *object, const char *path)
{
    char key[64];

    for (;;) {
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        json_t *found = json_object_get(object, key);
        if (!path[n] || !found)
            return found;
        object = found;
        path += n + 1;
    }
}

static bool is_of_type(const json_t *x, char type)
{
    switch (type) {
    case 'n': return json_is_number(x);
    case 'N': return json_is_number(x) || json_is_null(x);
    case 's': return json_is_string(x);
    case 'o': return json_is_object(x);
    case 'O': return !x || json_is_object(x);
    case 'a': return json_is_array(x);
    default: return json_is_boolean(x);
    }
}

/* Quotients and products of two of them are numbers too. */
static bool is_figure(const json_t *x)
{
    double v = json_number_value(x);

    return v == 0 || (v >= LEAST_FIGURE && v <= MOST_FIGURE);
}

static int fail_figure(const json_t *x, const char *where, const char *name, struct err *err)
{
    return err_set(err, ERR_RANGE, "%s%s = %g: expected 0 or a number from %g to %g", where, name,
                   json_number_value(x), LEAST_FIGURE, MOST_FIGURE);
}

static int check_members(const json_t *object, const struct member *m, size_t n, const char *where,
                         struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *x = find_member(object, m[i].path);
        if (!is_of_type(x, m[i].type))
            return err_set(err, ERR_FORMAT,
                           "no report of `cyclotron replay --format json`: %s%s is missing or of "
                           "another type",
                           where, m[i].path);
        if (json_is_number(x) && !is_figure(x))
            return fail_figure(x, where, m[i].path, err);
    }
    return 0;
}

static int check_causes(const json_t *causes, const char *where, struct err *err)
{
    /* the others are those of one kind of core, HBM that of all but CPUs */
    for (int c = CAUSE_ICI; c <= CAUSE_SYNC; c++)
        if (!json_is_number(json_object_get(causes, cause_name[c])))
            return err_set(err, ERR_FORMAT,
                           "no report of this version: %stime_by_cause.%s is missing", where,
                           cause_name[c]);
    for (int c = 0; c < N_CAUSES; c++) {
        const json_t *x = json_object_get(causes, cause_name[c]);
        char name[64];
        snprintf(name, sizeof name, "time_by_cause.%s", cause_name[c]);
        if (!is_figure(x))
            return fail_figure(x, where, name, err);
    }
    return 0;
}

#define CHECK(object, members, where, err)                                                         \
    check_members(object, members, sizeof(members) / sizeof *(members), where, err)

static int check_rows(const json_t *rows, struct err *err)
{
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row) if (CHECK(row, of_op, "ops[].", err) != 0 ||
                                         check_causes(find_member(row, "time_by_cause"), "ops[].",
                                                      err) != 0) return -1;
    return 0;
}

int diff_check(const json_t *run, struct err *err)
{
    const json_t *link;
    size_t i;

    if (CHECK(run, of_run, "", err) != 0 ||
        check_causes(find_member(run, "time_by_cause"), "", err) != 0 ||
        check_rows(find_member(run, "ops"), err) != 0 ||
        check_rows(find_member(run, "phases"), err) != 0)
        return -1;
    json_array_foreach(find_member(run, "links"), i,
                       link) if (CHECK(link, of_link, "links[].", err) != 0) return -1;
    return 0;
}

/* --- text --------------------------------------------------------------------------------- */

static double read_number(const json_t *object, const char *path)
{
    return json_number_value(find_member(object, path));
}

static void print_change(double a, double b, FILE *out)
{
    char change[64];

    if (a > 0) {
        plain_change(change, sizeof change, 100 * (b / a - 1), 1);
        fprintf(out, " %8s %%\n", change);
    } else {
        fputs("         -\n", out);
    }
}

static void print_line(const char *name, const char *unit, double a, double b, FILE *out)
{
    char label[64];

    snprintf(label, sizeof label, "%s%s%s", name, *unit ? ", " : "", unit);
    plain_print(out, "  %-30s %14.6g %14.6g", label, a, b);
    print_change(a, b, out);
}

/* The line of a figure that a run may not know, which then has "-". */
static void print_figure(const char *name, const char *unit, const char *path, json_t *const run[2],
                         FILE *out)
{
    char label[64];
    bool known = true;

    snprintf(label, sizeof label, "%s%s%s", name, *unit ? ", " : "", unit);
    fprintf(out, "  %-30s", label);
    for (int i = 0; i < 2; i++) {
        const json_t *x = find_member(run[i], path);
        known = known && json_is_number(x);
        if (json_is_number(x))
            plain_print(out, " %14.6g", json_number_value(x));
        else
            fprintf(out, " %14s", "-");
    }
    print_change(known ? read_number(run[0], path) : 0, known ? read_number(run[1], path) : 0, out);
}

/* The unit that both runs are compared in: a step, or a sample if their global batches differ. */
struct footing {
    bool samples;
    double batch[2]; /* samples of a step */
    double divide[2];
};

static struct footing find_footing(json_t *const run[2])
{
    double a = read_number(run[0], "global_batch"), b = read_number(run[1], "global_batch");

    if (a == b || a <= 0 || b <= 0)
        return (struct footing){ false, { a, b }, { 1, 1 } };
    struct footing f = { true, { a, b }, { 1, 1 } };
    for (int i = 0; i < 2; i++) /* padding of a batch is no sample */
        f.divide[i] =
            read_number(run[i], "seconds_per_step") * read_number(run[i], "samples_per_second");
    if (f.divide[0] <= 0 || f.divide[1] <= 0) /* of one run they are not known */
        return (struct footing){ false, { a, b }, { 1, 1 } };
    return f;
}

static int compare_changes(const void *x, const void *y)
{
    const struct diff_row *a = x, *b = y;
    double da = fabs(a->seconds[1] - a->seconds[0]), db = fabs(b->seconds[1] - b->seconds[0]);

    if (da != db)
        return da < db ? 1 : -1;
    int order = strcmp(a->label, b->label);
    return order ? order : strcmp(a->kind, b->kind);
}

/* "l*.ffn x12", or "l*.ffn x12 and x24" where the runs differ; what does not fit is cut from the
 * label. */
static void write_label(const struct diff_row *row, FILE *out)
{
    char times[64] = "";
    const uint64_t *n = row->names;

    if (n[0] && n[1] && n[0] != n[1])
        snprintf(times, sizeof times, " x%" PRIu64 " and x%" PRIu64, n[0], n[1]);
    else if (n[0] > 1 || n[1] > 1)
        snprintf(times, sizeof times, " x%" PRIu64, n[0] ? n[0] : n[1]);
    unsigned left = NAME_COLUMNS - (unsigned)strlen(times);
    char *brief =
        strchr(row->label, '(') ? origin_text_brief(row->label, left) : memory_copy(row->label);
    char *whole = memory_format("%s%s", brief, times);
    if (strlen(whole) <= NAME_COLUMNS) {
        text_column(whole, NAME_COLUMNS, out);
    } else {
        text_column(brief, left, out);
        fputs(times, out);
    }
    free(whole);
    free(brief);
}

static void write_ops(json_t *const run[2], const struct footing *f, bool ungroup, FILE *out)
{
    size_t n;
    struct diff_row *rows = diff_rows(run, ungroup, &n);
    size_t shown = n < SHOWN ? n : SHOWN;
    bool groups = false;

    for (size_t i = 0; i < n; i++) {
        groups = groups || rows[i].names[0] > 1 || rows[i].names[1] > 1;
        for (int side = 0; side < 2; side++)
            rows[i].seconds[side] /= f->divide[side];
    }
    qsort(rows, n, sizeof *rows, compare_changes);
    fprintf(out, "\n%s that changed most, %zu of %zu%s\n  %-*s %10s %10s %10s\n",
            groups ? "groups of operations" : "operations", shown, n,
            f->samples ? ", time of a sample" : "", NAME_COLUMNS, "", "A, s", "B, s", "B - A, s");
    for (size_t i = 0; i < shown; i++) {
        const double *s = rows[i].seconds;
        fputs("  ", out);
        write_label(&rows[i], out);
        plain_print(out,
                    s[0] < s[1] || s[0] > s[1] ? " %10.4g %10.4g %+10.4g\n"
                                               : " %10.4g %10.4g %10.4g\n",
                    s[0], s[1], s[1] - s[0]);
    }
    diff_rows_free(rows, n);
}

/* FLOPs of a sample; 0: they are not known. */
static double find_work(const json_t *run)
{
    double batch = read_number(run, "global_batch");

    return batch > 0 ? read_number(run, "model_flops.per_step") / batch : 0;
}

/* Say that a sample of one run is no sample of the other: workloads that do not take as many FLOPs
 * a sample, as a trace and the program compiled of it do. */
static void write_other_work(json_t *const run[2], FILE *out)
{
    const char *a = json_string_value(find_member(run[0], "workload")),
               *b = json_string_value(find_member(run[1], "workload"));
    double x = find_work(run[0]), y = find_work(run[1]);

    const json_t *from[] = { find_member(run[0], "trace"), find_member(run[1], "trace") };
    if (!a || !b || (from[0] && json_equal(from[0], from[1]) && strcmp(a, b) == 0))
        return;
    bool alike = strcmp(a, b) == 0, known = x > 0 && y > 0;
    double most = (alike ? REPORT_SAME_WORK_NAMED : REPORT_SAME_WORK) / 100.0;
    if (known ? fmax(x / y, y / x) - 1 <= most : alike)
        return;
    fprintf(out, "A and B do different work, %s and %s: ", a, b);
    if (x > 0 && y > 0)
        plain_print(out, "%.3g and %.3g FLOP a sample; ", x, y);
    fputs("their times do not compare\n", out);
}

/* The first line: what became of the time of a step, or of a sample. */
static void write_verdict(const struct footing *f, const double seconds[2], FILE *out)
{
    const char *what = f->samples ? "sample" : "step";

    if (f->samples)
        plain_print(out, "global batches differ, A %.10g and B %.10g samples a step: ", f->batch[0],
                    f->batch[1]);
    if (seconds[0] == seconds[1])
        fprintf(out, "both take the same time for a %s\n", what);
    else if (seconds[0] <= 0)
        plain_print(out, "a %s of B takes %.4g s, one of A no time\n", what, seconds[1]);
    else
        plain_print(out, "a %s of B takes %.4g times as long as one of A\n", what,
                    seconds[1] / seconds[0]);
}

/* The error to expect of a run; 0: it is not known, or an earlier version wrote the result. */
static double find_error(const json_t *run)
{
    return json_number_value(find_member(run, "evidence.expected.error"));
}

/* True if more of the step is not known than goes without a word. */
static bool is_unknown(const json_t *run)
{
    const json_t *known = find_member(run, "account.known");

    return known && json_number_value(known) < (100 - ACCOUNT_UNKNOWN) / 100.0;
}

/* Say that the runs of two machines are closer than the errors to expect, or rest on work that is
 * not known, by the rule of compare: squares of errors add up. */
static void write_open(json_t *const run[2], const double seconds[2], FILE *out)
{
    double a = find_error(run[0]), b = find_error(run[1]);

    if (json_equal(find_member(run[0], "machine"), find_member(run[1], "machine")) ||
        !find_member(run[0], "account") || seconds[0] <= 0 || seconds[1] <= 0)
        return;
    double off = fmax(seconds[0] / seconds[1], seconds[1] / seconds[0]) - 1;
    bool read = !is_unknown(run[0]) && !is_unknown(run[1]), measured = a > 0 && b > 0;
    if (!read || !measured || off * off <= a * a + b * b)
        fprintf(out, "open: %s; a profile or a timed step decides\n",
                open_text_reason(read, measured));
}

/* Behind the name of a run: what its time rests on. */
static void write_trust(const json_t *run, FILE *out)
{
    const json_t *known = find_member(run, "account.known");
    double error = find_error(run);

    if (!known)
        return;
    if (error > 0)
        plain_print(out, error < 0.1 ? ", error to expect %.1f %%" : ", error to expect %.0f %%",
                    error < 0.1 ? 100 * error : ceil(100 * error - 1e-9));
    else
        fputs(", error to expect not known", out);
    if (json_is_true(find_member(run, "account.at_least")))
        fputs(", takes at least that", out);
    if (!is_unknown(run))
        return;
    if (json_is_true(find_member(run, "account.known_or_more")))
        plain_print(out, ", how long %.0f operations of it take is not known",
                    json_number_value(find_member(run, "account.operations_of_any_time")));
    else
        plain_print(out, ", %.1f %% of it is not known", 100 * (1 - json_number_value(known)));
}

/* Write the head of the peak memory: of what both have, a core, GPU or node, else of a device. */
static void name_peak(char *text, size_t room, json_t *const run[2])
{
    const struct words *w[2];

    for (int i = 0; i < 2; i++)
        w[i] = words_of_chip(json_string_value(find_member(run[i], "slice.kind")));
    snprintf(text, room, "peak memory of a %s", w[0] == w[1] ? w[0]->core : "device");
}

static void write_numbers(json_t *const run[2], const struct footing *f, FILE *out)
{
    char peak[48];
    const struct {
        const char *name, *unit, *path;
    } rows[] = {
        { "time of a step", "s", "seconds_per_step" },
        { "global batch", "samples", "global_batch" },
        { "samples a second", "", "samples_per_second" },
        { peak, "B", "memory.peak_bytes_per_core" },
        { "cost of a million samples", "USD", "usd_per_million_samples.on_demand" },
        { "cost of an epoch", "USD", "usd_per_epoch.on_demand" },
    };
    double a = read_number(run[0], "seconds_per_step"), b = read_number(run[1], "seconds_per_step");

    name_peak(peak, sizeof peak, run);
    fprintf(out, "\n  %-30s %14s %14s %10s\n", "", "A", "B", "change");
    if (f->samples)
        print_line("time of a sample", "s", a / f->divide[0], b / f->divide[1], out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_figure(rows[i].name, rows[i].unit, rows[i].path, run, out);
}

void diff_text(const char *const name[2], json_t *const run[2], bool ungroup, FILE *out)
{
    const struct footing f = find_footing(run);
    double seconds[2];

    for (int i = 0; i < 2; i++)
        seconds[i] = read_number(run[i], "seconds_per_step") / f.divide[i];
    write_other_work(run, out);
    write_verdict(&f, seconds, out);
    for (int i = 0; i < 2; i++) {
        text_shown_format(out, "  %c  %s: %s on %s", "AB"[i], name[i],
                          json_string_value(find_member(run[i], "workload")),
                          json_string_value(find_member(run[i], "machine")));
        write_trust(run[i], out);
        putc('\n', out);
    }
    write_open(run, seconds, out);
    write_numbers(run, &f, out);
    fprintf(out, "\ntime by cause, s%s\n", f.samples ? " a sample" : "");
    for (int c = 0; c < N_CAUSES; c++) {
        char path[64];
        snprintf(path, sizeof path, "time_by_cause.%s", cause_name[c]);
        double x = read_number(run[0], path), y = read_number(run[1], path);
        if (x > 0 || y > 0)
            print_line(cause_name[c], "", x / f.divide[0], y / f.divide[1], out);
    }
    write_ops(run, &f, ungroup, out);
}
