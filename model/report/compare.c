#include <string.h>

#include "base/exact.h"
#include "base/unit.h"
#include "report/report.h"
#include "report/scale.h"
#include "report/write.h"

#define WIDTH 11 /* of a column of numbers */

static bool fits(const struct report_verdict *v)
{
    return v->result && v->result->fits;
}

/* The value picked of a machine that fits, or NULL. */
typedef mpq_srcptr pick_fn(const struct run_result *r);

static mpq_srcptr value(const struct report_verdict *v, pick_fn *pick)
{
    return fits(v) ? pick(v->result) : NULL;
}

/* The first machine for which the value picked is smallest, or NULL. */
static const struct report_verdict *best(const struct report_verdict *v, size_t n, pick_fn *pick)
{
    const struct report_verdict *least = NULL;

    for (size_t i = 0; i < n; i++) {
        mpq_srcptr q = value(&v[i], pick);
        if (q && (!least || mpq_cmp(q, value(least, pick)) < 0))
            least = &v[i];
    }
    return least;
}

/* Samples a second differ from steps a second when the slices differ in size: an epoch decides. */
static mpq_srcptr epoch_seconds(const struct run_result *r)
{
    return r->has_epoch ? r->seconds_per_epoch : NULL;
}

static mpq_srcptr step_seconds(const struct run_result *r)
{
    return r->seconds_per_step;
}

static mpq_srcptr epoch_usd(const struct run_result *r)
{
    return r->has_epoch && r->has_price ? r->usd_per_epoch : NULL;
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
    mpq_t q;

    mpq_init(q);
    exact_ratio(q, r->peak_bytes_per_core, 1);
    unit_format(peak, sizeof peak, q, "B", 3);
    exact_ratio(q, r->capacity_bytes_per_core, 1);
    unit_format(capacity, sizeof capacity, q, "B", 3);
    fprintf(out, "%s of %s", peak, capacity);
    if (!r->fits) {
        times_over(q, r);
        fprintf(out, ", %s times", exact_decimal(peak, sizeof peak, q, 2));
    }
    mpq_clear(q);
}

/* The units of a step and of an epoch: what the longest is at least one of. */
struct units {
    struct scale step, epoch;
};

static void units_init(struct units *u, const struct report_verdict *v, size_t n)
{
    mpq_t step, epoch;

    mpq_inits(step, epoch, NULL);
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
    mpq_clears(step, epoch, NULL);
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
    fprintf(out, "\n\n%-*s %s%*s%*s%*s%*s  %-8s  %s\n", (int)width, "machine", "fits", WIDTH, step,
            WIDTH, "samples/s", WIDTH, epoch, WIDTH, "USD/epoch", "bound by", "memory of a core");
}

static void row(const struct report_verdict *v, const struct units *u, unsigned width, FILE *out)
{
    const struct run_result *r = v->result;
    mpq_t q;

    write_column(v->machine, width, out);
    if (!r) {
        fprintf(out, "  no   cannot run it: %s\n", v->error);
        return;
    }
    fputs(r->fits ? "  yes" : "  no ", out);
    mpq_init(q);
    mpq_mul(q, r->seconds_per_step, u->step.factor);
    number(q, true, out);
    number(r->samples_per_second, true, out);
    mpq_mul(q, r->seconds_per_epoch, u->epoch.factor);
    number(q, r->has_epoch, out);
    number(r->usd_per_epoch, r->has_epoch && r->has_price, out);
    fprintf(out, "  %-8s  ", report_cause_name[r->bound_by]);
    memory(r, out);
    putc('\n', out);
    mpq_clear(q);
}

/* All machines that share the smallest value: "a, b and c". */
static void winners(const char *what, const struct report_verdict *v, size_t n, pick_fn *pick,
                    FILE *out)
{
    mpq_srcptr least = value(best(v, n, pick), pick);
    const struct report_verdict *last = NULL;
    const char *separator = what;

    for (size_t i = 0; i < n; i++) {
        mpq_srcptr q = value(&v[i], pick);
        if (!q || !mpq_equal(q, least))
            continue;
        if (last) {
            fprintf(out, "%s%s", separator, last->machine);
            separator = ", ";
        }
        last = &v[i];
    }
    fprintf(out, "%s%s", separator == what ? what : " and ", last->machine);
}

void report_compare_text(const char *trace, const struct report_verdict *v, size_t n, FILE *out)
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
    if (best(v, n, epoch_seconds))
        winners("fastest epoch on ", v, n, epoch_seconds, out);
    else if (best(v, n, step_seconds))
        winners("fastest step on ", v, n, step_seconds, out);
    else
        fputs("none of the machines can hold it", out);
    if (best(v, n, epoch_usd))
        winners("; cheapest on ", v, n, epoch_usd, out);
    units_init(&u, v, n);
    head(&u, width, out);
    for (size_t i = 0; i < n; i++)
        row(&v[i], &u, width, out);
    units_clear(&u);
    if (beyond)
        fputs("\nWhere the trace does not fit, times and costs are as if the memory were larger.\n",
              out);
}

static void json_decimal(const char *key, const mpq_t q, bool known, FILE *out)
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
    mpq_t q;

    fputs("{\"machine\": ", out);
    write_json_string(v->machine, out);
    fputs(", \"error\": ", out);
    if (!r) {
        write_json_string(v->error, out);
        fputs(", \"fits\": false}", out);
        return;
    }
    mpq_init(q);
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
    fprintf(out, "}, \"bound_by\": \"%s\"}", report_cause_name[r->bound_by]);
    mpq_clear(q);
}

void report_compare_json(const char *trace, const struct report_verdict *v, size_t n, FILE *out)
{
    fputs("{\n  \"trace\": ", out);
    write_json_string(trace, out);
    fputs(",\n  \"machines\": [", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        json_row(&v[i], out);
    }
    fputs(n ? "\n  ]\n}\n" : "]\n}\n", out);
}
