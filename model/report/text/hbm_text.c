#include "report/hbm_report.h"

#include "base/exact.h"
#include "report/json/json_part.h"
#include "report/write.h"

/* num / den, exact; products because 64 bits may not hold them. */
static void divide(mpq_t q, uint64_t num, uint64_t times, uint64_t den, uint64_t over)
{
    EXACT_Z(a);
    EXACT_Z(b);
    exact_addmul(a, num, times);
    exact_addmul(b, den, over);
    mpq_set_num(q, a);
    mpq_set_den(q, b);
    mpq_canonicalize(q);
}

/* --- JSON --------------------------------------------------------------------------------- */

static void quotient(const char *name, uint64_t num, uint64_t times, uint64_t den, uint64_t over,
                     FILE *out)
{
    EXACT_Q(q);
    if (den && over)
        divide(q, num, times, den, over);
    part_decimal(name, q, den && over, out);
}

static void next(FILE *out)
{
    fputs(",\n  ", out);
}

static void count(const char *name, uint64_t n, FILE *out)
{
    next(out);
    part_integer(name, n, out);
}

static void banks_json(const struct hbm_study_result *r, FILE *out)
{
    next(out);
    part_key("banks", out);
    putc('[', out);
    for (uint32_t b = 0; b < r->pseudo_channels * r->groups * r->banks; b++) {
        fprintf(out, "%s\n    {", b ? "," : "");
        part_integer("pseudo_channel", b / (r->groups * r->banks), out);
        fputs(", ", out);
        part_integer("group", b / r->banks % r->groups, out);
        fputs(", ", out);
        part_integer("bank", b % r->banks, out);
        fputs(", ", out);
        part_integer("accesses", r->bank[b].accesses, out);
        fputs(", ", out);
        part_integer("hits", r->bank[b].hits, out);
        fputs(", ", out);
        part_integer("conflicts", r->bank[b].conflicts, out);
        putc('}', out);
    }
    fputs("\n  ]", out);
}

void report_hbm_json(const struct hbm_study_result *r, FILE *out)
{
    fputs("{\n  ", out);
    part_string("op", r->name, out);
    next(out);
    part_string("on", r->on, out);
    count("cycles", r->cycles, out);
    next(out);
    quotient("seconds", r->cycles, 1, r->clock, 1, out);
    count("bytes", r->bytes, out);
    next(out);
    quotient("bytes_per_second", r->bytes, r->clock, r->cycles, 1, out);
    count("peak_bytes_per_second", r->peak, out);
    next(out);
    quotient("utilization", r->bytes, r->clock, r->cycles, r->peak, out);
    next(out);
    part_key("statistical", out);
    fputs(r->statistical ? "true" : "false", out);
    count("accesses", r->accesses, out);
    count("reads", r->reads, out);
    count("writes", r->writes, out);
    next(out);
    quotient("hit_rate", r->hits, 1, r->accesses, 1, out);
    count("hits", r->hits, out);
    count("conflicts", r->conflicts, out);
    count("activates", r->activates, out);
    count("turnarounds", r->turnarounds, out);
    count("refreshes", r->refreshes, out);
    next(out);
    quotient("refresh_share", r->refresh_cycles, 1, r->bank_cycles, 1, out);
    next(out);
    quotient("latency_cycles", r->latency, 1, r->accesses, 1, out);
    count("channels", r->channels, out);
    banks_json(r, out);
    fputs("\n}\n", out);
}

/* --- text --------------------------------------------------------------------------------- */

/* num * times / (den * over), with `places` digits. */
static void fixed(uint64_t num, uint64_t times, uint64_t den, uint64_t over, unsigned places,
                  int width, FILE *out)
{
    if (!den || !over) {
        fprintf(out, "%*s", width, "-");
        return;
    }
    EXACT_Q(q);
    EXACT_Q(one);
    mpq_set_ui(one, 1, 1);
    divide(q, num, times, den, over);
    write_fixed(q, one, places, width, out);
}

static void percent(const char *name, uint64_t num, uint64_t den, const char *of, FILE *out)
{
    fprintf(out, "  %-12s ", name);
    fixed(num, 100, den, 1, 2, 10, out);
    fprintf(out, " %%     %s\n", of);
}

void report_hbm_text(const struct hbm_study_result *r, FILE *out)
{
    fprintf(out, "%s on %s%s\n\n", r->name, r->on,
            r->statistical ? " (an expectation: within 1 %)" : "");
    fprintf(out, "  %-12s ", "time");
    fixed(r->cycles, 1000000, r->clock, 1, 3, 10, out);
    fprintf(out, " us    %llu cycles of ", (unsigned long long)r->cycles);
    fixed(r->clock, 1, 1000000, 1, 3, 1, out);
    fputs(" MHz\n", out);
    fprintf(out, "  %-12s ", "bandwidth");
    fixed(r->bytes, r->clock, r->cycles, 1000000000, 2, 10, out);
    fputs(" GB/s  ", out);
    fixed(r->bytes, r->clock, r->cycles, r->peak / 100 ? r->peak / 100 : 1, 1, 1, out);
    fputs(" % of ", out);
    fixed(r->peak, 1, 1000000000, 1, 1, 1, out);
    fprintf(out, " GB/s of %u channels\n", r->channels);
    fprintf(out, "  %-12s ", "latency");
    fixed(r->latency, 1000000000, r->accesses, r->clock, 1, 10, out);
    fputs(" ns    from the queue to the end of the data, mean\n", out);
    percent("row hits", r->hits, r->accesses, "of accesses", out);
    percent("conflicts", r->conflicts, r->accesses, "of accesses closed another row", out);
    percent("turnarounds", r->turnarounds, r->accesses, "of accesses changed direction", out);
    percent("refresh", r->refresh_cycles, r->bank_cycles, "of the time of a bank", out);
    fprintf(out, "\n  %-15s %14s %14s %14s %8s\n", "bank of all", "accesses", "row hits",
            "conflicts", "hits %");
    for (uint32_t b = 0; b < r->pseudo_channels * r->groups * r->banks; b++) {
        const struct hbm_study_bank *k = &r->bank[b];
        char name[40];
        if (r->pseudo_channels > 1)
            snprintf(name, sizeof name, "pc%u bg%u ba%u", b / (r->groups * r->banks),
                     b / r->banks % r->groups, b % r->banks);
        else
            snprintf(name, sizeof name, "bg%u ba%u", b / r->banks % r->groups, b % r->banks);
        fprintf(out, "  %-15s %14llu %14llu %14llu ", name, (unsigned long long)k->accesses,
                (unsigned long long)k->hits, (unsigned long long)k->conflicts);
        fixed(k->hits, 100, k->accesses, 1, 1, 8, out);
        putc('\n', out);
    }
}
