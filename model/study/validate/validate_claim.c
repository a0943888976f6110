/* Claims and questions of sources, and how the program answers them. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "study/validate/validate_figure.h"
#include "study/validate/validate_job.h"
#include "study/validate/validate_runs.h"

enum { CLASS, MACHINE, WORKLOAD, PARAMETERS, FIGURE, RELATION, BASE, CLAIM, SOURCE, N };

int validate_read_claims(struct validate_plan *p, const struct published_file *file,
                         struct err *err)
{
    char f[N][PUBLISHED_FIELD], what[2 * PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N)) > 0) {
        if (n != N || !*f[RELATION])
            return published_refuse(&t, err);
        snprintf(what, sizeof what, "%s%s%s", f[WORKLOAD], *f[PARAMETERS] ? " " : "",
                 f[PARAMETERS]);
        struct validate_row *r = validate_add_row(p->v, validate_intern(p->v, f[CLASS]), f[MACHINE],
                                                  what, f[FIGURE], "", f[SOURCE]);
        r->status = strcmp(f[RELATION], "?") == 0 ? VALIDATE_ASKED : VALIDATE_CLAIM;
        validate_set_text(&r->claim, f[CLAIM]);
        validate_set_text(&r->relation, f[RELATION]);
        enum validate_kind kind =
            strcmp(f[FIGURE], "memory") == 0 ? VALIDATE_MEMORY : VALIDATE_CLAIMS;
        validate_need_job(p, kind, f[MACHINE], f[WORKLOAD], f[PARAMETERS], f[BASE]);
    }
    return 0;
}

/* --- does it hold? ------------------------------------------------------------------------ */

/* True if `q` is in "LO..HI", either end of which may be missing. */
static bool is_in_range(const mpq_t q, const char *range)
{
    const char *dots = strstr(range, "..");
    char low[64];
    bool in = true;
    EXACT_Q(end);

    snprintf(low, sizeof low, "%.*s", (int)(dots - range), range);
    if (*low)
        in = exact_parse(end, low) && mpq_cmp(q, end) >= 0;
    if (dots[2])
        in = in && exact_parse(end, dots + 2) && mpq_cmp(q, end) <= 0;
    return in;
}

/* A number must be in the range of the row, a word must be its word. */
static void judge_claim(struct validate_row *r, const char *word)
{
    r->holds = strstr(r->relation, "..") ? !word && is_in_range(r->predicted, r->relation)
                                         : word && strcmp(word, r->relation) == 0;
}

/* "0.0166 s", or for a ratio "54.7 %". */
static const char *print_with_unit(char *buf, size_t n, const mpq_t q, const char *unit)
{
    const char *shown = strcmp(unit, "ratio") == 0 ? "%" : unit;
    char number[64];
    EXACT_Q(scaled);

    mpq_set(scaled, q);
    validate_scale(scaled, shown);
    snprintf(buf, n, "%s %s", exact_decimal(number, sizeof number, scaled, 4), shown);
    return buf;
}

/* "1.05 times that of tpu-v3-8 fc: 0.0166 s and 0.0158 s" */
static int answer_number(struct validate_row *r, const char *base_name,
                         const struct run_result *result, const struct run_result *base)
{
    const char *unit = validate_figure_unit(r->metric);
    char times[64], here[80], there[80], text[512];
    int rc = validate_figure(r->predicted, r->metric, result);
    EXACT_Q(q);

    if (rc != 0)
        return rc;
    snprintf(text, sizeof text, "%s", print_with_unit(here, sizeof here, r->predicted, unit));
    if (base)
        rc = validate_figure(q, r->metric, base);
    if (base && rc == 0 && mpq_sgn(q) > 0) {
        print_with_unit(there, sizeof there, q, unit);
        mpq_div(r->predicted, r->predicted, q);
        snprintf(text, sizeof text, "%s times that of %.255s: %s and %s",
                 exact_decimal(times, sizeof times, r->predicted, 4), base_name, here, there);
        unit = "ratio";
    }
    validate_set_text(&r->unit, unit);
    validate_set_text(&r->answer, text);
    return rc;
}

static void answer_row(struct validate_row *r, const struct validate_job *j,
                       const struct run_result *result, const struct run_result *base)
{
    const char *word = validate_word(r->metric, result, base);
    char text[320];

    if (word) {
        snprintf(text, sizeof text, "%s%s%.255s", word, base ? ", beside " : "", j->base);
        validate_set_text(&r->answer, text);
    } else if (answer_number(r, j->base, result, base) != 0) {
        validate_fail(r, "the program has no such figure");
        return;
    }
    if (r->status == VALIDATE_CLAIM)
        judge_claim(r, word);
}

/* --- runs --------------------------------------------------------------------------------- */

static int compare_runs(const struct validate_plan *p, const struct validate_job *j,
                        struct validate_runs *runs, struct err *err)
{
    struct validate_case run = validate_runs_case(j);
    struct validate_taken result, base;
    char text[PUBLISHED_FIELD];

    struct validate_case beside = validate_runs_base(j, text);
    if (validate_runs_take(runs, &run, &result, err) != 0)
        return -1;
    int rc = *text ? validate_runs_take(runs, &beside, &base, err) : 0;
    for (size_t i = 0; i < j->n && rc == 0; i++)
        answer_row(&p->v->row[j->first + i], j, result.result, *text ? base.result : NULL);
    validate_runs_leave(runs, &result);
    if (*text && rc == 0)
        validate_runs_leave(runs, &base);
    return rc;
}

static const char *const role_name[N_FOOTPRINT_ROLES] = {
#define R(id, text, doc) #text,
    FOOTPRINT_ROLES(R)
#undef R
};

/* "39.63 GiB of 16 GiB, does not fit: weights 0.95 MiB, activations 39.27 GiB, ..." */
static int measure_memory(const struct validate_plan *p, const struct validate_job *j,
                          const struct validate_request *q, struct err *err)
{
    struct validate_case run = { .machine = j->machine,
                                 .workload = j->workload,
                                 .parameters = j->parameters };
    const double gib = 1 << 30, mib = 1 << 20;
    struct run_memory m;
    char text[512];

    if (validate_case_memory(&run, q, &m, err) != 0)
        return -1;
    bool fits = m.peak.total <= m.capacity;
    int n = plain_text(text, sizeof text, "%.2f GiB of %.4g GiB, %s", (double)m.peak.total / gib,
                       (double)m.capacity / gib, fits ? "fits" : "does not fit");
    for (int i = 0, some = 0; i < N_FOOTPRINT_ROLES; i++) {
        double bytes = (double)m.peak.role[i];
        if (bytes > 0)
            n += plain_text(text + n, sizeof text - (size_t)n, "%s%s %.2f %s", some++ ? ", " : ": ",
                            role_name[i], bytes / (bytes < gib ? mib : gib),
                            bytes < gib ? "MiB" : "GiB");
    }
    for (size_t i = j->first; i < j->first + j->n; i++) {
        struct validate_row *r = &p->v->row[i];
        exact_ratio(r->predicted, m.peak.total, UINT64_C(1) << 30);
        validate_set_text(&r->unit, "GiB");
        validate_set_text(&r->answer, text);
        if (r->status == VALIDATE_CLAIM)
            judge_claim(r, fits ? "fits" : "does not fit");
    }
    return 0;
}

void validate_run_claims(const struct validate_plan *p, const struct validate_job *j,
                         const struct validate_request *q, struct validate_runs *runs)
{
    struct err err;
    int rc =
        j->kind == VALIDATE_MEMORY ? measure_memory(p, j, q, &err) : compare_runs(p, j, runs, &err);

    for (size_t i = j->first; i < j->first + j->n && rc != 0; i++)
        validate_fail(&p->v->row[i], err.msg);
}
