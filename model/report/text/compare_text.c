#include <string.h>

#include "base/exact.h"
#include "base/quantity.h"
#include "report/cost.h"
#include "report/run_report.h"
#include "report/scale.h"
#include "report/write.h"

#define WIDTH 11 /* of a column of numbers */

static bool fits(const struct report_verdict *v)
{
    return v->result && v->result->fits;
}

/* What machines are ranked by: q and true, or false if the result does not know it. */
typedef bool pick_fn(mpq_t q, const struct run_result *r);

/* Of two slices that take a step in the same time the larger does more samples in it: an epoch
 * decides, or where there is none, a million samples. */
static bool time_taken(mpq_t q, const struct run_result *r)
{
    if (r->has_epoch)
        mpq_set(q, r->seconds_per_epoch);
    else
        mpq_inv(q, r->samples_per_second);
    return true;
}

static bool money_taken(mpq_t q, const struct run_result *r)
{
    if (r->has_epoch)
        mpq_set(q, r->usd_per_epoch);
    else
        cost_million_samples(q, r, r->usd_per_hour);
    return r->has_price;
}

/* Machines in question: those that fit and, with a deadline, take no longer for an epoch. */
static bool stands(const struct report_verdict *v, mpq_srcptr deadline)
{
    return fits(v) && (!deadline || (v->result->has_epoch &&
                                     mpq_cmp(v->result->seconds_per_epoch, deadline) <= 0));
}

/* The least of what is picked; false: no machine in question knows it. */
static bool least(mpq_t best, const struct report_verdict *v, size_t n, pick_fn *pick,
                  mpq_srcptr deadline)
{
    bool found = false;

    EXACT_Q(q);
    for (size_t i = 0; i < n; i++)
        if (stands(&v[i], deadline) && pick(q, v[i].result) && (!found || mpq_cmp(q, best) < 0)) {
            mpq_set(best, q);
            found = true;
        }
    return found;
}

static void number(const mpq_t q, bool known, FILE *out)
{
    char buf[256] = "-";

    if (known && strlen(exact_decimal(buf, sizeof buf, q, 4)) >= WIDTH)
        exact_decimal(buf, sizeof buf, q, 3);
    fprintf(out, " %*s", WIDTH - 1, buf);
}

/* peak / capacity; capacity is never 0 in a machine that was built */
static void times_over(mpq_t q, const struct run_result *r)
{
    exact_ratio(q, r->peak_bytes_per_core,
                r->capacity_bytes_per_core ? r->capacity_bytes_per_core : 1);
}

static void memory(const struct run_result *r, FILE *out)
{
    char peak[256], capacity[256];

    EXACT_Q(q);
    exact_ratio(q, r->peak_bytes_per_core, 1);
    quantity_format(peak, sizeof peak, q, "B", 3);
    exact_ratio(q, r->capacity_bytes_per_core, 1);
    quantity_format(capacity, sizeof capacity, q, "B", 3);
    fprintf(out, "%s of %s", peak, capacity);
    if (!r->fits) {
        times_over(q, r);
        fprintf(out, ", %s times", exact_decimal(peak, sizeof peak, q, 2));
    }
}

/* The units of a step and of an epoch: what the longest is at least one of. */
struct units {
    struct scale step, epoch;
};

static void units_init(struct units *u, const struct report_verdict *v, size_t n)
{
    EXACT_Q(step);
    EXACT_Q(epoch);
    for (size_t i = 0; i < n; i++) {
        const struct run_result *r = v[i].result;
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

static void head(const struct units *u, unsigned width, FILE *out)
{
    char step[32], epoch[32];

    snprintf(step, sizeof step, "%s/step", u->step.unit);
    snprintf(epoch, sizeof epoch, "%s/epoch", u->epoch.unit);
    fprintf(out, "\n\n%-*s %s%*s%*s%*s%*s%*s  %-8s  %s\n", (int)width, "machine", "fits", WIDTH,
            step, WIDTH, "samples/s", WIDTH, epoch, WIDTH, "USD/epoch", WIDTH, "USD/M", "bound by",
            "memory of a core");
}

static void row(const struct report_verdict *v, const struct units *u, unsigned width, FILE *out)
{
    const struct run_result *r = v->result;

    write_column(v->machine, width, out);
    if (!r) {
        fprintf(out, "  no   cannot run it: %s\n", v->error);
        return;
    }
    fputs(r->fits ? "  yes" : "  no ", out);
    EXACT_Q(q);
    mpq_mul(q, r->seconds_per_step, u->step.factor);
    number(q, true, out);
    number(r->samples_per_second, true, out);
    mpq_mul(q, r->seconds_per_epoch, u->epoch.factor);
    number(q, r->has_epoch, out);
    number(r->usd_per_epoch, r->has_epoch && r->has_price, out);
    cost_million_samples(q, r, r->usd_per_hour);
    number(q, r->has_price, out);
    fprintf(out, "  %-8s  ", report_limit_name(r));
    memory(r, out);
    putc('\n', out);
}

/* "WHAT: a, b and c", all machines that share the smallest value, or that there is none. */
static void winners(const char *what, const struct report_verdict *v, size_t n, pick_fn *pick,
                    mpq_srcptr deadline, FILE *out)
{
    const struct report_verdict *first = NULL, *last = NULL;

    EXACT_Q(best);
    EXACT_Q(q);
    bool found = least(best, v, n, pick, deadline);
    fprintf(out, "%s: ", what);
    for (size_t i = 0; found && i < n; i++) {
        if (!stands(&v[i], deadline) || !pick(q, v[i].result) || !mpq_equal(q, best))
            continue;
        if (last)
            fprintf(out, "%s%s", first == last ? "" : ", ", last->machine);
        first = first ? first : &v[i];
        last = &v[i];
    }
    if (last)
        fprintf(out, "%s%s", first == last ? "" : " and ", last->machine);
    else
        fputs("none", out);
}

static void deadline_text(mpq_srcptr seconds, char *text, size_t size)
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

/* A trace says it, or not, for all machines. */
static bool knows_epoch(const struct report_verdict *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].result)
            return v[i].result->has_epoch;
    return false;
}

static void verdict(const struct report_verdict *v, size_t n, mpq_srcptr deadline, FILE *out)
{
    char under[96];
    bool any = false;

    for (size_t i = 0; i < n; i++)
        any = any || fits(&v[i]);
    if (!any) {
        fputs("none of the machines can hold it", out);
        return;
    }
    winners("cheapest", v, n, money_taken, NULL, out);
    fputs("; ", out);
    winners("fastest", v, n, time_taken, NULL, out);
    if (deadline) {
        deadline_text(deadline, under, sizeof under);
        fputs("; ", out);
        if (knows_epoch(v, n))
            winners(under, v, n, money_taken, deadline, out);
        else
            fprintf(out, "%s: unknown, the trace does not say how many samples an epoch has",
                    under);
    }
}

void report_compare_text(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out)
{
    unsigned width = (unsigned)strlen("machine");
    bool beyond = false;
    struct units u;

    for (size_t i = 0; i < n; i++) {
        unsigned length = (unsigned)strlen(v[i].machine);
        width = length > width ? length : width;
        beyond = beyond || (v[i].result && !v[i].result->fits);
    }
    fprintf(out, "%s: ", trace);
    verdict(v, n, deadline, out);
    units_init(&u, v, n);
    head(&u, width, out);
    for (size_t i = 0; i < n; i++)
        row(&v[i], &u, width, out);
    units_clear(&u);
    fputs("USD/M: of a million samples\n", out);
    if (beyond)
        fputs("Where the trace does not fit, times and costs are as if the memory were larger.\n",
              out);
}

static void json_decimal(const char *key, mpq_srcptr q, bool known, FILE *out)
{
    fprintf(out, "\"%s\": ", key);
    if (known)
        write_decimal(q, out);
    else
        fputs("null", out);
}

static void hours(mpq_t h, const struct run_result *r)
{
    mpq_set_ui(h, 1, 3600);
    mpq_mul(h, h, r->seconds_per_epoch);
}

static void json_row(const struct report_verdict *v, FILE *out)
{
    const struct run_result *r = v->result;

    fputs("{\"machine\": ", out);
    write_json_string(v->machine, out);
    fputs(", \"error\": ", out);
    if (!r) {
        write_json_string(v->error, out);
        fputs(", \"fits\": false}", out);
        return;
    }
    EXACT_Q(q);
    times_over(q, r);
    fprintf(
        out,
        "null, \"fits\": %s, \"peak_bytes_per_core\": %llu, \"capacity_bytes_per_core\": %llu, ",
        r->fits ? "true" : "false", (unsigned long long)r->peak_bytes_per_core,
        (unsigned long long)r->capacity_bytes_per_core);
    json_decimal("times_capacity", q, r->capacity_bytes_per_core != 0, out);
    fputs(", ", out);
    json_decimal("seconds_per_step", r->seconds_per_step, true, out);
    fputs(", ", out);
    json_decimal("samples_per_second", r->samples_per_second, true, out);
    fputs(", ", out);
    hours(q, r);
    json_decimal("hours_per_epoch", q, r->has_epoch, out);
    fputs(", \"usd_per_epoch\": {", out);
    json_decimal("on_demand", r->usd_per_epoch, r->has_epoch && r->has_price, out);
    fputs(", ", out);
    json_decimal("preemptible", r->usd_per_epoch_preemptible, r->has_epoch && r->has_preemptible,
                 out);
    fputs("}, \"usd_per_million_samples\": {", out);
    cost_million_samples(q, r, r->usd_per_hour);
    json_decimal("on_demand", q, r->has_price, out);
    fputs(", ", out);
    cost_million_samples(q, r, r->usd_per_hour_preemptible);
    json_decimal("preemptible", q, r->has_preemptible, out);
    fputs("}, ", out);
    mpq_mul(q, r->watts, r->seconds_per_epoch);
    json_decimal("joules_per_epoch", q, r->has_epoch && r->has_power, out);
    fprintf(out, ", \"bound_by\": \"%s\", \"limited_by\": \"%s\"}", report_cause_name[r->bound_by],
            report_limit_name(r));
}

/* Machines that share the smallest value, as a list. */
static void json_winners(const char *key, const struct report_verdict *v, size_t n, pick_fn *pick,
                         mpq_srcptr deadline, FILE *out)
{
    const char *separator = "";

    EXACT_Q(best);
    EXACT_Q(q);
    bool found = least(best, v, n, pick, deadline);
    fprintf(out, "\"%s\": [", key);
    for (size_t i = 0; found && i < n; i++) {
        if (!stands(&v[i], deadline) || !pick(q, v[i].result) || !mpq_equal(q, best))
            continue;
        fputs(separator, out);
        write_json_string(v[i].machine, out);
        separator = ", ";
    }
    putc(']', out);
}

void report_compare_json(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out)
{
    fputs("{\n  \"trace\": ", out);
    write_json_string(trace, out);
    fputs(",\n  ", out);
    json_winners("cheapest", v, n, money_taken, NULL, out);
    fputs(",\n  ", out);
    json_winners("fastest", v, n, time_taken, NULL, out);
    if (deadline) {
        fputs(",\n  ", out);
        json_decimal("deadline_seconds", deadline, true, out);
        fputs(",\n  ", out);
        json_winners("cheapest_in_time", v, n, money_taken, deadline, out);
    }
    fputs(",\n  \"machines\": [", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        json_row(&v[i], out);
    }
    fputs(n ? "\n  ]\n}\n" : "]\n}\n", out);
}
