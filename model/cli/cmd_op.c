/* `cyclotron op`: one operation, or traffic on HBM; without arguments the list of operations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options/cli_complete.h"
#include "cli/options/cli_pass.h"
#include "cli/options/machine_options.h"
#include "cli/options/run_options.h"
#include "cli/options/timeline_options.h"
#include "report/hbm_report.h"
#include "report/op_report.h"
#include "study/op/op.h"
#include "study/op/op_kind.h"

struct request {
    struct machine_options one;
    struct cli_list words; /* the kind, then k=v */
    const char *dump;      /* "tasks", or a pass; NULL: run it */
    struct timeline timeline;
    struct allow allow;
};

#define ENDINGS ".txt .json .html .pftrace[.zst] .vcd[.zst]"
#define HBM_ENDINGS ".txt .json .vcd[.zst]"

/* clang-format off */
static const struct argp_option options[] = {
    { "machine", 'm', "MACHINE", 0, "The machine: a name of `machine list`, or an .ini file", 0 },
    { "set", 's', "KEY=VALUE", CLI_REPEATED, "Change a parameter: mxu.count=4; may be repeated", 0 },
    { "exact", 'x', 0, 0, "Simulate every cycle, without shortcuts: the same result, slower", 0 },
    { "format", 'f', "text|json", 0, "How to write the result (text)", 0 },
    { "dump", 'd', "tasks|PASS", 0,
      "Print the lowered loop nest instead of running it, or the step after a pass: load, join, narrow, "
      "placement, liveness, footprint", 0 },
    { "allow", CLI_ALLOW_KEY, "NAME=N", CLI_REPEATED, "Raise a limit: grid-steps=N (100000000)", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    TIMELINE_FILES, TIMELINE_WINDOW("the beginning of the operation"),
    CLI_PROGRESS_OPTION, CLI_HELP_OPTION, { 0 }
};
/* clang-format on */

/* True for traffic on HBM alone, which is no operation of a core. */
static bool is_hbm(const struct request *q)
{
    return q->words.n > 0 && strcmp(q->words.word[0], "hbm") == 0;
}

/* True if part= names a memory part, which is used instead of a machine. */
static bool names_part(const struct request *q)
{
    for (size_t i = 1; is_hbm(q) && i < q->words.n; i++)
        if (strncmp(q->words.word[i], "part=", 5) == 0)
            return true;
    return false;
}

static const char *list_endings(const struct request *q)
{
    if (q->words.n == 0 || (q->dump && strcmp(q->dump, "tasks") == 0))
        return ".txt";
    return q->dump ? ".txt .trace" : is_hbm(q) ? HBM_ENDINGS : ENDINGS;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'd':
        q->dump = arg;
        return strcmp(arg, "tasks") == 0 ? 0 : cli_pass(q->one.name, arg, PASSES_PREPARE, "tasks");
    case CLI_ALLOW_KEY: return cli_allow(q->one.name, arg, CLI_ALLOW_STEP, &q->allow);
    case ARGP_KEY_ARG: cli_list_add(&q->words, arg); return 0;
    case ARGP_KEY_END:
        q->timeline.only_waves = is_hbm(q);
        if (q->words.n > 0 && !q->one.machine && !names_part(q))
            cli_usage(q->one.name, "no machine given: expected -m MACHINE, such as "
                                   "-m tpu-v3-1; `cyclotron machine list` lists them");
        else if (q->one.machine && names_part(q))
            cli_usage(q->one.name,
                      "part= names a part instead of a machine: give it or -m, not both");
        else if (q->dump && q->one.format == CLI_JSON)
            cli_usage(q->one.name, "--dump=%.40s writes text: --format json does not apply",
                      q->dump);
        else if (q->dump && is_hbm(q))
            cli_usage(q->one.name, "hbm is traffic without tasks: --dump does not apply");
        else if (timeline_settle(&q->timeline, q->one.name, list_endings(q), &q->one.output,
                                 &q->one.format) != 0)
            ;
        else if ((q->timeline.vcd || q->timeline.perfetto || q->timeline.html) &&
                 (q->dump || q->words.n == 0))
            cli_usage(q->one.name, "%s needs a run: expected an operation, and no --dump",
                      q->timeline.vcd        ? "--vcd"
                      : q->timeline.perfetto ? "--perfetto"
                                             : "--html");
        else if (is_hbm(q) && (q->timeline.perfetto || q->timeline.html))
            cli_usage(q->one.name, "hbm has no operations to draw: its banks are in waves (--vcd)");
        else
            return 0;
        return EINVAL;
    default: return timeline_parse_run(&q->timeline, &q->one, key, arg);
    }
}

const struct argp cmd_op_argp = {
    options,
    parse_option,
    "KIND KEY=VALUE...",
    "Run one operation on a model of a machine and say how long it takes and why.\v"
    "Every core of the machine runs the operation alone, once to warm up and once to be measured.  "
    "`cyclotron op` without KIND lists all operations and their keys.\n\n"
    "Examples:\n"
    "  cyclotron op matmul m=4096 n=4096 k=4096 -m tpu-v3-1\n"
    "  cyclotron op matmul m=1024 n=1024 k=1024 dtype=f32 resident=rhs -m tpu-v2-1\n"
    "  cyclotron op matmul m=512 n=512 k=512 dtype=f32 precision=high -m tpu-v2-1\n"
    "  cyclotron op conv in=32x64x56x56 filter=64x64x3x3 window=pad=1_1x1_1 \\\n"
    "    -m tpu-v3-1 --dump=tasks\n"
    "  cyclotron op reduce shape=8x128x512 dims=2 -m tpu-v3-1 \\\n"
    "    -s xlu.cycles_per_register=6\n"
    "  cyclotron op transpose shape=8x128x512 perm=0,2,1 -m tpu-v3-1 --exact\n"
    "  cyclotron op gather rows=65536 cols=64 table=100000 -m tpu-v3-1 -f json\n"
    "  cyclotron op matmul m=2048 n=2048 k=2048 -m tpu-v4-8 -o op.pftrace\n"
    "  cyclotron op all-reduce bytes=4MiB dtype=f32 -m tpu-v3-8\n"
    "  cyclotron op hbm pattern=copy bytes=1GiB -m tpu-v3-8\n"
    "  cyclotron op hbm pattern=random size=1KiB part=hbm2-dramsim3 --exact\n"
    "  cyclotron op hbm pattern=triad -m tpu-v3-8 --trace 'channel0.*' --to 20us \\\n"
    "    -o hbm.vcd\n",
    NULL,
    NULL,
    NULL
};

/* --- the list of operations --------------------------------------------------------------- */

#define KEYS_WIDTH 28

/* "m= n= k= [batch= ta= tb=]", without what all of them take. */
static void print_kind(const struct op_kind *k, FILE *out)
{
    uint64_t optional = k->optional & ~(OP_BIT(RESIDENT) | OP_BIT(FLOPS));
    char text[160] = "";
    size_t n = 0;

    for (unsigned i = 0; i < OP_N_KEYS; i++)
        if (k->required >> i & 1)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=", n ? " " : "", op_keys[i].key);
    const char *before = " [";
    for (unsigned i = 0; i < OP_N_KEYS; i++)
        if (optional >> i & 1) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=", before, op_keys[i].key);
            before = " ";
        }
    snprintf(text + n, sizeof text - n, "%s", optional ? "]" : "");
    fprintf(out, "  %-20s %-*s", k->name, KEYS_WIDTH, text);
    if (strlen(text) > KEYS_WIDTH)
        fprintf(out, "\n  %-20s %-*s", "", KEYS_WIDTH, "");
    fprintf(out, " %s\n", k->doc);
}

static void print_range(const struct op_key_desc *d, FILE *out)
{
    bool number = d->type == OP_COUNT || d->type == OP_LIST;

    if (number && d->max != OP_MOST)
        fprintf(out, "; %llu to %llu", (unsigned long long)d->min, (unsigned long long)d->max);
}

static void list_kinds(FILE *out)
{
    for (size_t g = 0; g < op_n_groups; g++) {
        fprintf(out, "%s%s\n", g ? "\n" : "", op_groups[g]->title);
        for (size_t i = 0; i < op_groups[g]->n; i++)
            print_kind(&op_groups[g]->kind[i], out);
    }
    fputs("\nkeys, with defaults in parentheses; all operations take dtype=, single kernels\n"
          "resident=, and those that are no matrix products flops=\n",
          out);
    for (unsigned i = 0; i < OP_N_KEYS; i++) {
        char example[40];
        snprintf(example, sizeof example, "%s=%s", op_keys[i].key, op_keys[i].example);
        fprintf(out, "  %-22s %s", example, op_keys[i].doc);
        print_range(&op_keys[i], out);
        putc('\n', out);
    }
}

/* Traffic on HBM has keys of its own. */
static void list_hbm(FILE *out)
{
    fputs("\ntraffic on memory alone: hbm, with these keys; part= names a memory part instead of "
          "-m\n",
          out);
    for (size_t i = 0; i < hbm_study_keys.n_rows; i++) {
        const struct param_desc *d = &hbm_study_keys.rows[i];
        char example[64];
        snprintf(example, sizeof example, "%s=%s", d->name,
                 d->kind == PARAM_ENUM ? d->unit : d->def);
        fprintf(out, "  %-22s%s%s\n", example,
                strlen(example) > 22 ? "\n                         " : " ", d->doc);
    }
}

/* --- completion --------------------------------------------------------------------------- */

static void offer_kinds(struct cli_offer *o)
{
    for (size_t g = 0; g < op_n_groups; g++)
        for (size_t i = 0; i < op_groups[g]->n; i++)
            cli_offer_word(o, op_groups[g]->kind[i].name, op_groups[g]->kind[i].doc);
    cli_offer_word(o, "hbm", "traffic on memory alone");
}

void cmd_op_words(const char *const *word, size_t n, struct cli_offer *o)
{
    struct err ignored;

    if (n == 0)
        offer_kinds(o);
    else if (strcmp(word[0], "hbm") == 0)
        cli_offer_table(o, "", &hbm_study_keys);
    const struct op_kind *k = n > 0 ? op_kind_find(word[0], &ignored) : NULL;
    for (unsigned i = 0; k && i < OP_N_KEYS; i++)
        if ((k->required | k->optional) >> i & 1)
            cli_offer_key(o, op_keys[i].key, op_keys[i].example, op_keys[i].doc);
    if (k)
        cli_offer_choice(o, "dtype", trace_dtype_name, TRACE_N_DTYPES, "of the operands");
}

/* --- running ------------------------------------------------------------------------------ */

static void print_tasks(void *self, const char *name, const struct task_program *p,
                        const struct cap *cap)
{
    report_tasks(name, p, cap, self);
}

static int run_request(struct request *q, FILE *out, struct err *err)
{
    struct cli_progress progress;
    struct run_result result;

    cli_progress_init(&progress, q->one.progress);
    struct op_request request = { .kind = q->words.word[0],
                                  .arg = q->words.word + 1,
                                  .n_args = q->words.n - 1,
                                  .run = { .machine = q->one.machine,
                                           .set = q->one.set.word,
                                           .n_set = q->one.set.n,
                                           .exact = q->one.exact,
                                           .allow = q->allow,
                                           .progress = cli_progress,
                                           .progress_self = &progress } };
    if (timeline_open(&q->timeline, err) != 0)
        return -1;
    request.run.observer = q->timeline.observer;
    request.run.n_observers = q->timeline.n_observers;
    int rc = !q->dump                        ? op_run(&request, &result, err)
             : strcmp(q->dump, "tasks") == 0 ? op_lower(&request, print_tasks, out, err)
                                             : op_dump(&request, q->dump, out, err);
    cli_progress_end(&progress);
    if (timeline_close(&q->timeline, rc == 0, &result, err) != 0 && rc == 0) {
        run_result_free(&result);
        rc = -1;
    }
    if (rc != 0 || q->dump)
        return rc;
    if (q->one.format == CLI_JSON)
        report_op_json(&result, out);
    else
        report_op_text(&result, out);
    run_result_free(&result);
    return 0;
}

static int run_memory(struct request *q, FILE *out, struct err *err)
{
    struct hbm_study_request request = { .machine = q->one.machine,
                                         .set = q->one.set.word,
                                         .n_set = q->one.set.n,
                                         .arg = q->words.word + 1,
                                         .n_args = q->words.n - 1,
                                         .exact = q->one.exact };
    struct cli_progress progress;
    struct hbm_study_result result;

    cli_progress_init(&progress, q->one.progress);
    request.progress = cli_progress;
    request.progress_self = &progress;
    if (timeline_open(&q->timeline, err) != 0)
        return -1;
    request.observer = q->timeline.observer;
    request.n_observers = q->timeline.n_observers;
    int rc = hbm_study_run(&request, &result, err);
    cli_progress_end(&progress);
    if (timeline_close(&q->timeline, rc == 0, NULL, err) != 0 && rc == 0) {
        hbm_study_free(&result);
        rc = -1;
    }
    if (rc != 0)
        return rc;
    if (q->one.format == CLI_JSON)
        report_hbm_json(&result, out);
    else
        report_hbm_text(&result, out);
    hbm_study_free(&result);
    return 0;
}

static int write_answer(void *self, FILE *out, struct err *err)
{
    struct request *q = self;

    if (q->words.n > 0)
        return (is_hbm(q) ? run_memory : run_request)(q, out, err);
    list_kinds(out);
    list_hbm(out);
    return 0;
}

int cmd_op(int argc, char **argv)
{
    struct request q = { .one.name = argv[0] };
    int code;

    if (cli_parse(&cmd_op_argp, argc, argv, &q, &code))
        code = machine_options_write(&q.one, write_answer, &q);
    cli_list_free(&q.words);
    cli_list_free(&q.one.set);
    timeline_free(&q.timeline);
    return code;
}
