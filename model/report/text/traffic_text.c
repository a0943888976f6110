#include "report/traffic_report.h"

#include "base/exact.h"
#include "report/json/json_part.h"
#include "report/text/text_part.h"
#include "report/write.h"

/* --- JSON --------------------------------------------------------------------------------- */

static void ratio(const char *name, uint64_t num, uint64_t den, FILE *out)
{
    EXACT_Q(q);
    if (den > 0)
        exact_ratio(q, num, den);
    part_decimal(name, q, den > 0, out);
}

static void next(FILE *out)
{
    fputs(",\n  ", out);
}

/* Several of them, with what stands between two. */
struct integer {
    const char *name;
    uint64_t value;
};

static void integers(const struct integer *part, size_t n, const char *between, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? between : "", out);
        part_integer(part[i].name, part[i].value, out);
    }
}

static void latency_json(const struct traffic_result *r, FILE *out)
{
    const struct integer part[] = { { "least", r->least },
                                    { "median", r->half },
                                    { "percent_99", r->most_of },
                                    { "most", r->longest } };

    part_key("latency", out);
    putc('{', out);
    ratio("mean", r->latency, r->packets, out);
    fputs(", ", out);
    integers(part, sizeof part / sizeof *part, ", ", out);
    fputs(", ", out);
    ratio("waiting", r->wait, r->packets, out);
    putc('}', out);
}

static void links_json(const struct traffic_result *r, FILE *out)
{
    part_key("hottest_link", out);
    putc('{', out);
    part_string("from", r->hottest_from, out);
    fputs(", ", out);
    part_string("to", r->hottest_to, out);
    fputs(", ", out);
    ratio("utilization", r->hottest, r->cycles, out);
    putc('}', out);
    next(out);
    ratio("link_utilization", r->carried, r->cycles * r->links, out);
}

static void network_json(const struct traffic_result *r, FILE *out)
{
    const char *const text[][2] = { { "topology", r->topology },
                                    { "radix", r->radix },
                                    { "pattern", r->pattern },
                                    { "routing", r->routing } };
    const struct integer part[] = { { "nodes", r->nodes }, { "links", r->links },
                                    { "vcs", r->vcs },     { "depth", r->depth },
                                    { "flits", r->flits }, { "seed", r->seed } };

    if (r->machine[0]) {
        part_string("machine", r->machine, out);
        next(out);
        ratio("seconds_per_cycle", 1, r->hz, out);
        next(out);
    }
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        part_string(text[i][0], text[i][1], out);
        next(out);
    }
    integers(part, sizeof part / sizeof *part, ",\n  ", out);
}

void report_traffic_json(const struct traffic_result *r, bool searched, FILE *out)
{
    const struct integer work[] = { { "cycles", r->cycles }, { "flit_hops", r->flit_hops } };

    fputs("{\n  ", out);
    network_json(r, out);
    next(out);
    ratio("rate", r->rate, 1000000000, out);
    next(out);
    part_key("saturated", out);
    fputs(r->saturated ? "true" : "false", out);
    next(out);
    latency_json(r, out);
    next(out);
    ratio("hops", r->hops, r->packets, out);
    next(out);
    part_integer("packets", r->packets, out);
    next(out);
    ratio("offered", r->offered, r->nodes * r->measured, out);
    next(out);
    ratio("accepted", r->accepted, r->nodes * r->measured, out);
    next(out);
    links_json(r, out);
    next(out);
    integers(work, sizeof work / sizeof *work, ",\n  ", out);
    if (searched) {
        next(out);
        part_key("saturation", out);
        putc('{', out);
        ratio("carries", r->carries, 1000000000, out);
        fputs(", ", out);
        ratio("fails", r->fails, r->fails > 1000000000 ? 0 : 1000000000, out);
        putc('}', out);
    }
    fputs("\n}\n", out);
}

/* --- text --------------------------------------------------------------------------------- */

static void fixed(uint64_t num, uint64_t den, unsigned places, FILE *out)
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
    if (r->fails > 1000000000) {
        fputs("nowhere: it carries 1 flit a node and cycle\n", out);
        return;
    }
    fputs("between ", out);
    fixed(r->carries, 1000000000, 4, out);
    fputs(" and ", out);
    fixed(r->fails, 1000000000, 4, out);
    fputs(" flits a node and cycle; what follows is at ", out);
    fixed(r->rate, 1000000000, 4, out);
    putc('\n', out);
}

void report_traffic_text(const struct traffic_result *r, bool searched, FILE *out)
{
    if (r->machine[0])
        fprintf(out, "%s: ", r->machine);
    fprintf(out, "%s %s, %s traffic, ", r->topology, r->radix, r->pattern);
    fixed(r->rate, 1000000000, 4, out);
    fprintf(out, " flits a node and cycle: %s\n",
            r->saturated ? "SATURATED, packets pile up" : "carried");
    fprintf(out, "  network     %u nodes, %u links, %s routing, %u channels of %u flits a link\n",
            r->nodes, r->links, r->routing, r->vcs, r->depth);
    if (searched)
        saturation_text(r, out);
    fputs("  latency     ", out);
    fixed(r->latency, r->packets, 2, out);
    fprintf(out, " cycles in the mean, median %llu, 99 %% within %llu, %llu to %llu\n",
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
        fputs(", a cycle being ", out);
        mpq_inv(rate, rate);
        text_quantity(rate, "s", out);
        fputs(", a flit of a link\n", out);
    }
    fputs("  waiting     ", out);
    fixed(r->wait, r->packets, 2, out);
    fputs(" cycles of it, for others; ", out);
    fixed(r->hops, r->packets, 2, out);
    fputs(" links a packet\n  accepted    ", out);
    fixed(r->accepted, r->nodes * r->measured, 4, out);
    fputs(" flits a node and cycle of ", out);
    fixed(r->offered, r->nodes * r->measured, 4, out);
    fprintf(out, " offered; %llu packets of %u flit%s measured\n", (unsigned long long)r->packets,
            r->flits, r->flits == 1 ? "" : "s");
    fprintf(out, "  hottest     %s -> %s, ", r->hottest_from, r->hottest_to);
    fixed(r->hottest * 100, r->cycles, 1, out);
    fputs(" % busy; all links ", out);
    fixed(r->carried * 100, r->cycles * r->links, 1, out);
    fputs(" %\n", out);
}

/* --- messages ----------------------------------------------------------------------------- */

static void message_json(const struct transfer_result *r, const struct transfer *t, FILE *out)
{
    putc('{', out);
    part_integer("from", t->from, out);
    fputs(", ", out);
    part_integer("to", t->to, out);
    fputs(", ", out);
    part_integer("flits", t->flits, out);
    fputs(", ", out);
    part_integer("start", t->start, out);
    fputs(", ", out);
    part_integer("done", t->done, out);
    fputs(", ", out);
    ratio("seconds", t->done - t->start, r->hz, out);
    putc('}', out);
}

void report_transfer_json(const struct transfer_result *r, FILE *out)
{
    fputs("{\n  ", out);
    if (r->machine[0]) {
        part_string("machine", r->machine, out);
        next(out);
    }
    part_integer("packet_flits", r->packet, out);
    next(out);
    part_key("messages", out);
    for (size_t i = 0; i < r->n; i++) {
        fputs(i ? ",\n    " : "[\n    ", out);
        message_json(r, &r->message[i], out);
    }
    fputs("\n  ]\n}\n", out);
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
