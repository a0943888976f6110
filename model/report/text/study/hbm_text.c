/* Traffic on HBM as text. */
#include "base/exact.h"
#include "base/text_write.h"
#include "base/units.h"
#include "report/hbm_report.h"

/* num / den, exact; products because 64 bits may not hold them. */
static void divide_products(mpq_t q, uint64_t num, uint64_t times, uint64_t den, uint64_t over)
{
    EXACT_Z(a);
    EXACT_Z(b);
    exact_addmul(a, num, times);
    exact_addmul(b, den, over);
    mpq_set_num(q, a);
    mpq_set_den(q, b);
    mpq_canonicalize(q);
}

/* num * times / (den * over), with `places` digits. */
static void print_quotient(uint64_t num, uint64_t times, uint64_t den, uint64_t over,
                           unsigned places, int width, FILE *out)
{
    if (!den || !over) {
        fprintf(out, "%*s", width, "-");
        return;
    }
    EXACT_Q(q);
    EXACT_Q(one);
    mpq_set_ui(one, 1, 1);
    divide_products(q, num, times, den, over);
    text_fixed(q, one, places, width, out);
}

static void print_percent(const char *name, uint64_t num, uint64_t den, const char *of, FILE *out)
{
    fprintf(out, "  %-12s ", name);
    print_quotient(num, 100, den, 1, 2, 10, out);
    fprintf(out, " %%     %s\n", of);
}

void report_hbm_text(const struct hbm_study_result *r, FILE *out)
{
    fprintf(out, "%s on %s%s\n\n", r->name, r->on,
            r->statistical ? " (a statistical estimate, within 1 %)" : "");
    fprintf(out, "  %-12s ", "time");
    print_quotient(r->cycles, US_PER_S, r->clock, 1, 3, 10, out);
    fprintf(out, " us    %llu cycles of ", (unsigned long long)r->cycles);
    print_quotient(r->clock, 1, HZ_PER_MHZ, 1, 3, 1, out);
    fputs(" MHz\n", out);
    fprintf(out, "  %-12s ", "bandwidth");
    print_quotient(r->bytes, r->clock, r->cycles, BYTES_PER_GB, 2, 10, out);
    fputs(" GB/s  ", out);
    print_quotient(r->bytes, r->clock, r->cycles, r->peak / 100 ? r->peak / 100 : 1, 1, 1, out);
    fputs(" % of ", out);
    print_quotient(r->peak, 1, BYTES_PER_GB, 1, 1, 1, out);
    fprintf(out, " GB/s of %u channels\n", r->channels);
    fprintf(out, "  %-12s ", "latency");
    print_quotient(r->latency, NS_PER_S, r->accesses, r->clock, 1, 10, out);
    fputs(" ns    on average, from the queue to the end of the data\n", out);
    print_percent("row hits", r->hits, r->accesses, "of accesses", out);
    print_percent("conflicts", r->conflicts, r->accesses, "of accesses closed another row", out);
    print_percent("turnarounds", r->turnarounds, r->accesses, "of accesses changed direction", out);
    print_percent("refresh", r->refresh_cycles, r->bank_cycles, "of the time of a bank", out);
    fprintf(out, "  %-12s models without a measurement", "rests on");
    if (r->values)
        fprintf(out, "; %u of %u values of its memory are unverified", r->unverified, r->values);
    fprintf(out, "\n  %-12s an error that nobody knows: no memory was measured by itself\n",
            "expect");
    fprintf(out, "\n  %-15s %14s %14s %14s %8s\n", "bank, summed", "accesses", "row hits",
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
        print_quotient(k->hits, 100, k->accesses, 1, 1, 8, out);
        putc('\n', out);
    }
}
