/* A network under traffic, and messages through it, as text. */
#include "base/exact.h"
#include "base/text_write.h"
#include "base/units.h"
#include "report/traffic_report.h"

static void print_ratio(uint64_t num, uint64_t den, unsigned places, FILE *out)
{
    char buf[64];

    if (den == 0) {
        putc('-', out);
        return;
    }
    EXACT_Q(q);
    exact_ratio(q, num, den);
    fputs(exact_fixed(buf, sizeof buf, q, places), out);
}

static void saturation_text(const struct traffic_result *r, FILE *out)
{
    fputs("  saturates   ", out);
    if (r->fails > PPB_PER_ONE) {
        fputs("nowhere: it carries 1 flit a node and cycle\n", out);
        return;
    }
    fputs("between ", out);
    print_ratio(r->carries, PPB_PER_ONE, 4, out);
    fputs(" and ", out);
    print_ratio(r->fails, PPB_PER_ONE, 4, out);
    fputs(" flits a node and cycle; what follows is at ", out);
    print_ratio(r->rate, PPB_PER_ONE, 4, out);
    putc('\n', out);
}

void report_traffic_text(const struct traffic_result *r, bool searched, FILE *out)
{
    if (r->machine[0])
        fprintf(out, "%s: ", r->machine);
    fprintf(out, "%s %s, %s traffic, ", r->topology, r->radix, r->pattern);
    print_ratio(r->rate, PPB_PER_ONE, 4, out);
    fprintf(out, " flits a node and cycle: %s\n",
            r->saturated ? "SATURATED, packets pile up" : "carried");
    fprintf(out, "  network     %u nodes, %u links, %s routing, %u channels of %u flits a link\n",
            r->nodes, r->links, r->routing, r->vcs, r->depth);
    if (searched)
        saturation_text(r, out);
    fputs("  latency     ", out);
    print_ratio(r->latency, r->packets, 2, out);
    fprintf(out, " cycles on average, median %llu, 99th percentile %llu, from %llu to %llu\n",
            (unsigned long long)r->half, (unsigned long long)r->most_of,
            (unsigned long long)r->least, (unsigned long long)r->longest);
    if (r->hz && r->packets) {
        EXACT_Q(mean);
        EXACT_Q(rate);
        exact_ratio(mean, r->latency, r->packets);
        exact_ratio(rate, r->hz, 1);
        mpq_div(mean, mean, rate);
        fputs("  that is     ", out);
        text_quantity(mean, "s", out);
        fputs(", as a cycle is ", out);
        mpq_inv(rate, rate);
        text_quantity(rate, "s", out);
        fputs(", the time of a flit on a link\n", out);
    }
    fputs("  waiting     ", out);
    print_ratio(r->wait, r->packets, 2, out);
    fputs(" of these cycles for other packets; ", out);
    print_ratio(r->hops, r->packets, 2, out);
    fputs(" links a packet\n  accepted    ", out);
    print_ratio(r->accepted, r->nodes * r->measured, 4, out);
    fputs(" flits a node and cycle of ", out);
    print_ratio(r->offered, r->nodes * r->measured, 4, out);
    fprintf(out, " offered; %llu packets of %u flit%s measured\n", (unsigned long long)r->packets,
            r->flits, r->flits == 1 ? "" : "s");
    fprintf(out, "  hottest     %s -> %s, ", r->hottest_from, r->hottest_to);
    print_ratio(r->hottest * 100, r->cycles, 1, out);
    fputs(" % busy; all links ", out);
    print_ratio(r->carried * 100, r->cycles * r->links, 1, out);
    fputs(" %\n", out);
}

void report_transfer_text(const struct transfer_result *r, FILE *out)
{
    EXACT_Q(q);
    fprintf(out, "%8s %8s %10s %10s %10s %10s\n", "from", "to", "flits", "start", "done", "cycles");
    for (size_t i = 0; i < r->n; i++) {
        const struct transfer *t = &r->message[i];
        fprintf(out, "%8u %8u %10u %10llu %10llu %10llu", t->from, t->to, t->flits,
                (unsigned long long)t->start, (unsigned long long)t->done,
                (unsigned long long)(t->done - t->start));
        if (r->hz) {
            exact_ratio(q, t->done - t->start, r->hz);
            fputs("  ", out);
            text_quantity(q, "s", out);
        }
        putc('\n', out);
    }
}
