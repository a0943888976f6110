/* A network under traffic, and messages through it, as JSON. */
#include "base/json_write.h"
#include "base/units.h"
#include "report/traffic_report.h"

static void write_network(struct json_write *w, const struct traffic_result *r)
{
    if (r->machine[0]) {
        json_write_string(w, "machine", r->machine);
        json_write_ratio(w, "seconds_per_cycle", 1, r->hz);
    }
    json_write_string(w, "topology", r->topology);
    json_write_string(w, "radix", r->radix);
    json_write_string(w, "pattern", r->pattern);
    json_write_string(w, "routing", r->routing);
    json_write_integer(w, "nodes", r->nodes);
    json_write_integer(w, "links", r->links);
    json_write_integer(w, "vcs", r->vcs);
    json_write_integer(w, "depth", r->depth);
    json_write_integer(w, "flits", r->flits);
    json_write_integer(w, "seed", r->seed);
}

static void write_latency(struct json_write *w, const struct traffic_result *r)
{
    json_write_object(w, "latency", JSON_LAYOUT_LINE);
    json_write_ratio(w, "mean", r->latency, r->packets);
    json_write_integer(w, "least", r->least);
    json_write_integer(w, "median", r->half);
    json_write_integer(w, "percent_99", r->most_of);
    json_write_integer(w, "most", r->longest);
    json_write_ratio(w, "waiting", r->wait, r->packets);
    json_write_close(w);
}

static void write_links(struct json_write *w, const struct traffic_result *r)
{
    json_write_object(w, "hottest_link", JSON_LAYOUT_LINE);
    json_write_string(w, "from", r->hottest_from);
    json_write_string(w, "to", r->hottest_to);
    json_write_ratio(w, "utilization", r->hottest, r->cycles);
    json_write_close(w);
    json_write_ratio(w, "link_utilization", r->carried, r->cycles * r->links);
}

/* Rates that it carries and that it does not; none that it does not carry: null. */
static void write_saturation(struct json_write *w, const struct traffic_result *r)
{
    json_write_object(w, "saturation", JSON_LAYOUT_LINE);
    json_write_ratio(w, "carries", r->carries, PPB_PER_ONE);
    json_write_ratio(w, "fails", r->fails, r->fails > PPB_PER_ONE ? 0 : PPB_PER_ONE);
    json_write_close(w);
}

void report_traffic_json(const struct traffic_result *r, bool searched, FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    write_network(&w, r);
    json_write_ratio(&w, "rate", r->rate, PPB_PER_ONE);
    json_write_bool(&w, "saturated", r->saturated);
    write_latency(&w, r);
    json_write_ratio(&w, "hops", r->hops, r->packets);
    json_write_integer(&w, "packets", r->packets);
    json_write_ratio(&w, "offered", r->offered, r->nodes * r->measured);
    json_write_ratio(&w, "accepted", r->accepted, r->nodes * r->measured);
    write_links(&w, r);
    json_write_integer(&w, "cycles", r->cycles);
    json_write_integer(&w, "flit_hops", r->flit_hops);
    if (searched)
        write_saturation(&w, r);
    json_write_close(&w);
    putc('\n', out);
}

static void write_message(struct json_write *w, const struct transfer_result *r,
                          const struct transfer *t)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_integer(w, "from", t->from);
    json_write_integer(w, "to", t->to);
    json_write_integer(w, "flits", t->flits);
    json_write_integer(w, "start", t->start);
    json_write_integer(w, "done", t->done);
    json_write_ratio(w, "seconds", t->done - t->start, r->hz);
    json_write_close(w);
}

void report_transfer_json(const struct transfer_result *r, FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    if (r->machine[0])
        json_write_string(&w, "machine", r->machine);
    json_write_integer(&w, "packet_flits", r->packet);
    json_write_array(&w, "messages", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < r->n; i++)
        write_message(&w, r, &r->message[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
