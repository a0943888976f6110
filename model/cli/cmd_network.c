/* `cyclotron network`: synthetic traffic or messages on routers. */
#include <errno.h>
#include <string.h>

#include "base/param.h"
#include "base/quantity.h"
#include "cli/cmd.h"
#include "cli/options/cli_complete.h"
#include "cli/options/machine_options.h"
#include "cli/options/timeline_options.h"
#include "report/traffic_report.h"

struct request {
    struct machine_options one;
    struct cli_list words; /* k=v */
    bool saturate;
    struct traffic_limits limits;
    struct cli_list allowed;
    struct timeline timeline;
};

#define ENDINGS ".txt .json .vcd[.zst]"

enum { NETWORK_ALLOW = 0x200 };

/* clang-format off */
static const struct argp_option options[] = {
    { "machine", 'm', "MACHINE", 0, "Use the chips and links of a machine instead of a grid of your own", 0 },
    { "set", 's', "KEY=VALUE", CLI_REPEATED, "Change a parameter of the machine: fault.slow_times=4; may be repeated", 0 },
    { "saturate", 'S', 0, 0, "Find the rate at which the network saturates", 0 },
    { "allow", NETWORK_ALLOW, "NAME=N", CLI_REPEATED, "Let a run take N flit-hops or N of memory: hops=1e9, memory=1GB (these)", 0 },
    { "exact", 'x', 0, 0, "Simulate also messages that meet no other: the same result, slower", 0 },
    { "format", 'f', "text|json", 0, "How to write the result (text)", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    TIMELINE_WAVES, TIMELINE_WINDOW("the first cycle"),
    CLI_PROGRESS_OPTION, CLI_HELP_OPTION, { 0 }
};
/* clang-format on */

/* True if the command runs, false if it lists the keys. */
static bool is_run(const struct request *q)
{
    return q->words.n > 0 || q->one.machine;
}

static const char *list_endings(const struct request *q)
{
    return is_run(q) ? ENDINGS : ".txt";
}

/* "memory=4GB": one limit of a run. */
static error_t parse_limit(struct request *q, const char *text)
{
    bool memory = strncmp(text, "memory=", 7) == 0;
    struct err err;
    mpq_t value;

    mpq_init(value);
    bool good = (memory || strncmp(text, "hops=", 5) == 0) &&
                quantity_parse(value, strchr(text, '=') + 1, memory ? "B" : "", &err) == 0 &&
                mpq_cmp_ui(value, 1, 1) >= 0 && mpq_cmp_ui(value, 1000000000000000000, 1) <= 0;
    if (!good)
        cli_usage(q->one.name, "--allow %.60s: expected hops=N or memory=SIZE, such as memory=4GB",
                  text);
    else
        *(memory ? &q->limits.bytes : &q->limits.hops) = (uint64_t)mpq_get_d(value);
    cli_list_add(&q->allowed, text);
    if (good && param_once(q->allowed.word, q->allowed.n, &err) != 0) {
        cli_usage(q->one.name, "--allow: %s", err.msg);
        good = false;
    }
    mpq_clear(value);
    return good ? 0 : EINVAL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'S': q->saturate = true; return 0;
    case NETWORK_ALLOW: return parse_limit(q, arg);
    case ARGP_KEY_ARG: cli_list_add(&q->words, arg); return 0;
    case ARGP_KEY_END:
        if (!q->one.machine && q->one.set.n)
            cli_usage(q->one.name, "--set needs -m MACHINE");
        else if (timeline_settle(&q->timeline, q->one.name, list_endings(q), &q->one.output,
                                 &q->one.format) != 0)
            ;
        else if (q->timeline.vcd && q->saturate)
            cli_usage(q->one.name, "--saturate tries many rates and writes no waves");
        else if (q->timeline.vcd && !is_run(q))
            cli_usage(q->one.name, "--vcd needs a run: expected keys or -m MACHINE");
        else
            return 0;
        return EINVAL;
    default: return timeline_parse_run(&q->timeline, &q->one, key, arg);
    }
}

const struct argp cmd_network_argp = {
    options,
    parse_option,
    "KEY=VALUE...",
    "Simulate a network of routers under synthetic traffic, flit by flit: its latency, its "
    "throughput and its busiest link.\v"
    "Times are in cycles; a link moves one flit per cycle.  `cyclotron network` without keys lists "
    "all keys.\n\n"
    "Examples:\n"
    "  cyclotron network radix=8x8 rate=0.3\n"
    "  cyclotron network radix=4x4x4 pattern=tornado routing=adaptive --saturate\n"
    "  cyclotron network topology=twisted radix=4x4x8 rate=0.2 -f json\n"
    "  cyclotron network topology=mesh radix=4x4 dead=1-2 slow=5-6:4\n"
    "  cyclotron network radix=8x8 flits=16 send=0-27:400,3-7:64,1-2:64@500\n"
    "  cyclotron network radix=8x8 rate=0.3 --trace 'node0.*' --from 3us --to 4us \\\n"
    "      -o network.vcd\n"
    "  cyclotron network -m tpu-v3-32 rate=0.3 flits=16 \\\n"
    "      -s fault.dead_from=1 -s fault.dead_to=2\n",
    NULL,
    NULL,
    NULL
};

static void list_keys(FILE *out)
{
    fputs("keys of a network, with default and range\n"
          "  radix      4x4       nodes along one to three axes\n"
          "  dead                 missing links, each by its two nodes: 0-1,5-6\n"
          "  slow                 links that take several cycles per flit: 0-1:4\n"
          "  send                 messages instead of traffic: nodes, flits, start cycle (0):\n"
          "                       0-5:64,3-7:8@100; flits= is the size of a packet\n",
          out);
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < traffic_tables[t]->n_rows; i++) {
            const struct param_desc *d = &traffic_tables[t]->rows[i];
            fprintf(out, "  %-10s %-9s %s", d->name, d->def, d->doc);
            if (d->kind == PARAM_ENUM)
                fprintf(out, "; %s", d->unit);
            else
                fprintf(out, "; %s to %s", d->min, d->max);
            putc('\n', out);
        }
}

void cmd_network_words(const char *const *word, size_t n, struct cli_offer *o)
{
    (void)word;
    (void)n;
    cli_offer_key(o, "radix", "4x4", "nodes along one to three axes");
    cli_offer_key(o, "dead", NULL, "missing links: 0-1,5-6");
    cli_offer_key(o, "slow", NULL, "links that take several cycles per flit: 0-1:4");
    cli_offer_key(o, "send", NULL, "messages instead of traffic: 0-5:64,3-7:8@100");
    for (size_t t = 0; t < 2; t++)
        cli_offer_table(o, "", traffic_tables[t]);
}

static int run_request(struct request *q, FILE *out, struct err *err)
{
    struct traffic_request request = { .arg = q->words.word,
                                       .n_args = q->words.n,
                                       .saturate = q->saturate,
                                       .limits = &q->limits,
                                       .machine = q->one.machine,
                                       .set = q->one.set.word,
                                       .n_set = q->one.set.n };
    struct traffic_result result;
    struct transfer_result sent = { .message = NULL };
    bool sends = transfer_asked(&request);
    struct cli_progress progress;

    cli_progress_init(&progress, q->one.progress);
    request.progress = cli_progress;
    request.progress_self = &progress;
    if (timeline_open(&q->timeline, err) != 0)
        return -1;
    request.observer = q->timeline.observer;
    request.n_observers = q->timeline.n_observers;
    int rc = sends ? transfer_run(&request, q->one.exact, &sent, err)
                   : traffic_run(&request, &result, err);
    cli_progress_end(&progress);
    if (timeline_close(&q->timeline, rc == 0, NULL, err) != 0)
        rc = -1;
    if (rc == 0 && sends)
        (q->one.format == CLI_JSON ? report_transfer_json : report_transfer_text)(&sent, out);
    else if (rc == 0)
        (q->one.format == CLI_JSON ? report_traffic_json : report_traffic_text)(&result,
                                                                                q->saturate, out);
    transfer_result_free(&sent);
    return rc;
}

static int write_answer(void *self, FILE *out, struct err *err)
{
    struct request *q = self;

    if (is_run(q))
        return run_request(q, out, err);
    list_keys(out);
    return 0;
}

int cmd_network(int argc, char **argv)
{
    struct request q = { .one.name = argv[0],
                         .limits = traffic_limits_usual,
                         .timeline = { .only_waves = true } };
    int code;

    if (cli_parse(&cmd_network_argp, argc, argv, &q, &code))
        code = machine_options_write(&q.one, write_answer, &q);
    cli_list_free(&q.words);
    cli_list_free(&q.allowed);
    cli_list_free(&q.one.set);
    timeline_free(&q.timeline);
    return code;
}
