#include "cli/options/run_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/open.h"
#include "machine/spec/catalog_prices.h"
#include "machine/spec/sizes.h"
#include "run/job/program.h"
#include "trace/trace.h"

#define MAX_STEPS UINT64_C(1000000000)
#define RUN_OPTIONS_MAX_JOBS 1024

static int say_no_machine(const struct run_options *j)
{
    return cli_usage(j->name, "no machine given: expected -m MACHINE, such as -m tpu-v3-8; "
                              "`cyclotron machine list` lists them");
}

/* Standard input can be read only once. */
static int open_trace(struct trace **t, struct run_options *j, const char *trace, struct err *err)
{
    if (strcmp(trace, "-") != 0)
        return import_open(t, trace, j->allow_unknown, err);
    if (import_read(&j->text, &j->text_size, trace, err) != 0)
        return -1;
    return import_open_memory(t, "<stdin>", j->text, j->text_size, j->allow_unknown, err);
}

#define SLICES "dcn.slices="

/* The user says how many slices there are. */
static bool sets_slices(const struct run_options *j)
{
    for (size_t i = 0; i < j->set.n; i++)
        if (strncmp(j->set.word[i], SLICES, strlen(SLICES)) == 0)
            return true;
    return false;
}

int run_options_own_machine(struct run_options *j, const char *trace, bool alone)
{
    char machine[SIZES_NAME];
    struct trace *t;
    struct err err;

    if (open_trace(&t, j, trace, &err) != 0)
        return cli_error(&err);
    bool known = program_machine(machine, sizeof machine, trace_head(t));
    if (known)
        cli_list_add(&j->machines, machine);
    if (known && alone && trace_head(t)->program.slices > 1 && !sets_slices(j)) {
        char set[40];
        snprintf(set, sizeof set, SLICES "%" PRIu64, trace_head(t)->program.slices);
        cli_set_add(&j->set, j->name, set);
    }
    /* GPUs read a program in a way of their own */
    if (known && alone && !trace_head(t)->program.gpu)
        j->read = trace_close_text(t, &j->read_size);
    else
        trace_close(t);
    return known ? CLI_DONE : say_no_machine(j);
}

static error_t add_host(struct run_options *j, const char *text)
{
    struct err err;

    if (host_loop_add(&j->host, text, &err) == 0)
        return 0;
    cli_usage(j->name, "--host %s", err.msg);
    return EINVAL;
}

error_t run_options_parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *j = state->input;

    switch (key) {
    case 'm': cli_list_add(&j->machines, arg); return 0;
    case 's': return cli_set_add(&j->set, j->name, arg) ? 0 : EINVAL;
    case 'n': return cli_option_count(j->name, "steps", arg, MAX_STEPS, &j->steps);
    case 'e': return cli_option_count(j->name, "epochs", arg, MAX_STEPS, &j->epochs);
    case 'j': return cli_option_count(j->name, "jobs", arg, RUN_OPTIONS_MAX_JOBS, &j->jobs);
    case CLI_PROGRESS_KEY: j->progress = true; return 0;
    case 'x': j->exact = true; return 0;
    case 'u': j->allow_unknown = true; return 0;
    case CLI_ALLOW_KEY: return cli_allow(j->name, arg, CLI_ALLOW_TRACE | CLI_ALLOW_STEP, &j->allow);
    case RUN_OPTIONS_RETILE: j->retile = true; return 0;
    case CLI_PRICES_KEY: j->prices = arg; return 0;
    case RUN_OPTIONS_HOST: return add_host(j, arg);
    case 'f': return cli_format_parse(j->name, j->formats, arg, &j->format);
    case 'o': j->output = arg; return 0;
    case ARGP_KEY_ARG:
        if (!j->trace) {
            j->trace = arg;
            return 0;
        }
        if (strchr(arg, '='))
            cli_usage(j->name,
                      "unexpected argument \"%.80s\": --set changes the machine; the batch, the "
                      "shapes and the precision of a compiled program change where it is compiled: "
                      "scripts/compile FILE %.80s --topology SLICE",
                      arg, arg);
        else
            cli_usage(j->name, "unexpected argument \"%.80s\": expected one trace", arg);
        return EINVAL;
    case ARGP_KEY_END:
        if (j->trace)
            return 0;
        cli_usage(j->name, "no trace given");
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int run_options_prices(const struct run_options *j)
{
    struct err err;

    return catalog_prices_use(j->prices, &err) == 0 ? CLI_DONE : cli_error(&err);
}

struct run_request run_options_request(const struct run_options *j, size_t i,
                                       struct cli_progress *p)
{
    return (struct run_request){
        .trace = j->text ? "<stdin>" : j->trace,
        .text = j->read ? j->read : j->text,
        .text_size = j->read ? j->read_size : j->text_size,
        .machine = j->machines.word[i],
        .set = j->set.word,
        .n_set = j->set.n,
        .steps = j->steps,
        .epochs = j->epochs,
        .exact = j->exact,
        .threads = cli_jobs(j->jobs),
        .allow_unknown = j->allow_unknown,
        .retile = j->retile,
        .allow = j->allow,
        .host = j->host,
        .progress = cli_progress,
        .progress_self = p,
    };
}

void run_options_free(struct run_options *j)
{
    cli_list_free(&j->machines);
    cli_list_free(&j->set);
    free(j->text);
    free(j->read);
}
