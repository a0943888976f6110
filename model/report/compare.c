#include <string.h>

#include "base/exact.h"
#include "base/unit.h"
#include "report/report.h"
#include "report/write.h"

#define WIDTH 11 /* of a column of numbers */

static bool fits(const struct report_verdict *v)
{
    return v->result && v->result->fits;
}

/* The first machine that fits and for which the value picked is smallest, or NULL. */
static const struct report_verdict *best(const struct report_verdict *v, size_t n,
                                         mpq_srcptr pick(const struct run_result *r))
{
    const struct report_verdict *least = NULL;

    for (size_t i = 0; i < n; i++) {
        if (!fits(&v[i]) || !pick(v[i].result))
            continue;
        if (!least || mpq_cmp(pick(v[i].result), pick(least->result)) < 0)
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
    fprintf(out, "%s of %s per core", peak, capacity);
    if (!r->fits) {
        times_over(q, r);
        fprintf(out, ", %s times", exact_decimal(peak, sizeof peak, q, 2));
    }
    mpq_clear(q);
}

static void hours(mpq_t h, const struct run_result *r)
{
    mpq_set_ui(h, 1, 3600);
    mpq_mul(h, h, r->seconds_per_epoch);
}

static void row(const struct report_verdict *v, unsigned width, FILE *out)
{
    const struct run_result *r = v->result;
    mpq_t h;

    write_column(v->machine, width, out);
    if (!r) {
        fprintf(out, "  no   cannot run it: %s\n", v->error);
        return;
    }
    fputs(r->fits ? "  yes" : "  no ", out);
    mpq_init(h);
    hours(h, r);
    number(r->seconds_per_step, true, out);
    number(r->samples_per_second, true, out);
    number(h, r->has_epoch, out);
    number(r->usd_per_epoch, r->has_epoch && r->has_price, out);
    fprintf(out, "  %-8s  %s", report_cause_name[r->bound_by], r->fits ? "" : "needs ");
    memory(r, out);
    putc('\n', out);
    mpq_clear(h);
}

static void winner(const char *what, const struct report_verdict *v, FILE *out)
{
    fprintf(out, "%s%s", what, v->machine);
}

void report_compare_text(const char *trace, const struct report_verdict *v, size_t n, FILE *out)
{
    const struct report_verdict *fastest = best(v, n, epoch_seconds);
    const struct report_verdict *cheapest = best(v, n, epoch_usd);
    unsigned width = (unsigned)strlen("machine");
    bool beyond = false;

    if (!fastest)
        fastest = best(v, n, step_seconds);
    for (size_t i = 0; i < n; i++) {
        unsigned length = (unsigned)strlen(v[i].machine);
        width = length > width ? length : width;
        beyond = beyond || (v[i].result && !v[i].result->fits);
    }
    fprintf(out, "%s: ", trace);
    if (!fastest) {
        fputs("none of the machines can hold it", out);
    } else {
        winner(fastest->result->has_epoch ? "fastest epoch on " : "fastest step on ", fastest, out);
        if (cheapest)
            winner(", cheapest on ", cheapest, out);
    }
    fprintf(out, "\n\n%-*s %s%*s%*s%*s%*s  %-8s  %s\n", (int)width, "machine", "fits", WIDTH,
            "s/step", WIDTH, "samples/s", WIDTH, "h/epoch", WIDTH, "USD/epoch", "bound by",
            "memory");
    for (size_t i = 0; i < n; i++)
        row(&v[i], width, out);
    if (beyond)
        fputs("\nTimes of a machine that it does not fit are as if it did.\n", out);
}

static void json_decimal(const char *key, const mpq_t q, bool known, FILE *out)
{
    fprintf(out, "\"%s\": ", key);
    if (known)
        write_decimal(q, out);
    else
        fputs("null", out);
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
