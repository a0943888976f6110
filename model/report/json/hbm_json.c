/* Traffic on HBM as JSON. */
#include "base/exact.h"
#include "base/json_write.h"
#include "report/hbm_report.h"
#include "run/result/account.h"

/* num * times / den, null if den is 0; the product may not fit 64 bits. */
static void write_quotient(struct json_write *w, const char *key, uint64_t num, uint64_t times,
                           uint64_t den)
{
    EXACT_Q(q);
    EXACT_Q(factor);
    if (den) {
        exact_ratio(q, num, den);
        exact_ratio(factor, times, 1);
        mpq_mul(q, q, factor);
    }
    json_write_decimal(w, key, q, den > 0);
}

static void write_banks(struct json_write *w, const struct hbm_study_result *r)
{
    json_write_array(w, "banks", JSON_LAYOUT_LINES);
    for (uint32_t b = 0; b < r->pseudo_channels * r->groups * r->banks; b++) {
        json_write_object(w, NULL, JSON_LAYOUT_LINE);
        json_write_integer(w, "pseudo_channel", b / (r->groups * r->banks));
        json_write_integer(w, "group", b / r->banks % r->groups);
        json_write_integer(w, "bank", b % r->banks);
        json_write_integer(w, "accesses", r->bank[b].accesses);
        json_write_integer(w, "hits", r->bank[b].hits);
        json_write_integer(w, "conflicts", r->bank[b].conflicts);
        json_write_close(w);
    }
    json_write_close(w);
}

static void write_speed(struct json_write *w, const struct hbm_study_result *r)
{
    EXACT_Q(q);
    EXACT_Q(peak);

    json_write_integer(w, "cycles", r->cycles);
    json_write_ratio(w, "seconds", r->cycles, r->clock);
    json_write_integer(w, "bytes", r->bytes);
    write_quotient(w, "bytes_per_second", r->bytes, r->clock, r->cycles);
    json_write_integer(w, "peak_bytes_per_second", r->peak);
    bool known = r->cycles && r->peak;
    if (known) {
        exact_ratio(q, r->bytes, r->cycles);
        exact_ratio(peak, r->clock, r->peak);
        mpq_mul(q, q, peak);
    }
    json_write_decimal(w, "utilization", q, known);
}

void report_hbm_json(const struct hbm_study_result *r, FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "op", r->name);
    json_write_string(&w, "on", r->on);
    write_speed(&w, r);
    json_write_bool(&w, "statistical", r->statistical);
    json_write_string(&w, "rests_on", account_name[ACCOUNT_MODELS]);
    json_write_integer(&w, "values", r->values);
    json_write_integer(&w, "unverified", r->unverified);
    json_write_null(&w, "error");
    json_write_integer(&w, "accesses", r->accesses);
    json_write_integer(&w, "reads", r->reads);
    json_write_integer(&w, "writes", r->writes);
    json_write_ratio(&w, "hit_rate", r->hits, r->accesses);
    json_write_integer(&w, "hits", r->hits);
    json_write_integer(&w, "conflicts", r->conflicts);
    json_write_integer(&w, "activates", r->activates);
    json_write_integer(&w, "turnarounds", r->turnarounds);
    json_write_integer(&w, "refreshes", r->refreshes);
    json_write_ratio(&w, "refresh_share", r->refresh_cycles, r->bank_cycles);
    json_write_ratio(&w, "latency_cycles", r->latency, r->accesses);
    json_write_integer(&w, "channels", r->channels);
    write_banks(&w, r);
    json_write_close(&w);
    putc('\n', out);
}
