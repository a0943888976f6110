/* `cyclotron sweep TRACE... -m MACHINE --axis ...`: plan, run, report. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "base/version.h"
#include "cli/cmd_sweep.h"
#include "cli/options/cli_allow.h"
#include "cli/options/cli_format.h"
#include "import/open.h"
#include "machine/spec/sizes.h"
#include "report/run_report.h"
#include "run/job/program.h"
#include "sweep/plan_name.h"
#include "sweep/pool.h"
#include "sweep/ranks/ranks.h"
#include "sweep/report/sweep_page.h"
#include "sweep/report/sweep_text.h"
#include "trace/trace.h"

#define ENDINGS ".txt .html"

struct request {
    const char *name, *plan_file, *db, *output;
    struct plan plan;
    struct store_shard shard;
    uint64_t jobs;
    enum cli_format format;
    bool progress, no_trials;
    struct err err;
    bool all_failed; /* every point of the shard */
    bool bad;        /* err says what is wrong with a statement */
};

/* clang-format off */
static const struct argp_option options[] = {
    { "machine", 'm', "MACHINE", CLI_REPEATED, "A machine to start from (that of a compiled program); several make an axis", 0 },
    { "axis", 'a', "NAME=VALUES", CLI_REPEATED, "Vary a parameter: mxu.count=1,2,4 or core.clock=500:1000:100 MHz; may be repeated", 0 },
    { "zip", 'z', "NAME,NAME", CLI_REPEATED, "Vary these axes together, value by value", 0 },
    { "where", 'w', "CONDITION", CLI_REPEATED, "Run only points where this holds: mxu.count * mxu.size <= 512", 0 },
    { "sample", 'r', "lhs:N|sobol:N", 0, "Run N points spread over the axes, not all combinations", 0 },
    { "seed", 'S', "N", 0, "Seed of the sample (0)", 0 },
    { "set", 's', "KEY=VALUE", CLI_REPEATED, "Change a parameter of all points: mxu.issue=0.9; of an axis, the value of the baseline; may be repeated", 0 },
    { "steps", 'n', "N", 0, "Measure N steps, after one step to warm up (1)", 0 },
    { "exact", 'x', 0, 0, "Simulate every cycle, without shortcuts: the same result, slower", 0 },
    { "allow-unknown", 'u', 0, 0, "Cost operations of unknown kind as memory traffic", 0 },
    { "retile", 'R', 0, 0, "Cut the kernels of a compiled program for each machine, as those of other traces are: all points by the same hand", 0 },
    { "no-trials", 'N', 0, 0, "Report without replays: of the baseline by both cuts of kernels, of neighbours of the best point", 0 },
    CLI_ALLOW_OPTION,
    CLI_PRICES_OPTION,
    { "plan", 'p', "FILE", 0, "Read the sweep from a plan, an .ini file with the same words", 0 },
    { "db", 'd', "FILE", 0, "The database of results (named after the plan)", 0 },
    { "jobs", 'j', "N", 0, "Run N processes (one per processor)", 0 },
    { "shard", 'i', "I/N", 0, "Run only the I-th of N parts, into a database of its own", 0 },
    CLI_OUTPUT_OPTION(ENDINGS),
    CLI_PROGRESS_OPTION, CLI_HELP_OPTION, { 0 }
};
/* clang-format on */

static error_t add_statement(struct request *q, const char *key, const char *value)
{
    if (plan_add(&q->plan, key, value, &q->err) == 0)
        return 0;
    cli_usage(q->name, "%s", q->err.msg);
    return EINVAL;
}

/* "batch=64" after a generated trace belongs to it; several values are an axis. */
static error_t add_word(struct request *q, const char *word)
{
    struct plan_words *t = &q->plan.traces;
    const char *eq = strchr(word, '=');
    char *text;

    if (!eq || t->n == 0 || strncmp(t->word[t->n - 1], "gen:", 4) != 0 || strchr(word, '/'))
        return add_statement(q, "trace", word);
    if (strpbrk(eq, ",:")) {
        text = memory_format("gen.%s", word);
        error_t rc = add_statement(q, "axis", text);
        free(text);
        return rc;
    }
    text = memory_format("%s %s", t->word[t->n - 1], word);
    free(t->word[t->n - 1]);
    t->word[t->n - 1] = text;
    return 0;
}

static error_t parse_shard(struct request *q, const char *text)
{
    const char *slash = strchr(text, '/');
    char *first = memory_copy_part(text, slash ? (size_t)(slash - text) : 0);
    uint64_t number, of;
    bool good = slash && cli_count(slash + 1, 1, 1000000, &of) && cli_count(first, 1, of, &number);

    free(first);
    if (!good) {
        cli_usage(q->name, "--shard %.40s: expected I/N with I from 1 to N, such as 1/4", text);
        return EINVAL;
    }
    q->shard = (struct store_shard){ (uint32_t)number, (uint32_t)of };
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;

    switch (key) {
    case 'm': return add_statement(q, "machine", arg);
    case 'a': return add_statement(q, "axis", arg);
    case 'z': return add_statement(q, "zip", arg);
    case 'w': return add_statement(q, "where", arg);
    case 'r': return add_statement(q, "sample", arg);
    case 'S': return add_statement(q, "seed", arg);
    case 's': return add_statement(q, "set", arg);
    case 'n': return add_statement(q, "steps", arg);
    case 'x': return add_statement(q, "exact", "yes");
    case 'u': return add_statement(q, "allow-unknown", "yes");
    case 'R': return add_statement(q, "retile", "yes");
    case 'N': q->no_trials = true; return 0;
    case CLI_ALLOW_KEY: return add_statement(q, "allow", arg);
    case CLI_PRICES_KEY: return add_statement(q, "prices", arg);
    case 'd': q->db = arg; return 0;
    case CLI_PROGRESS_KEY: q->progress = true; return 0;
    case 'o': q->output = arg; return 0;
    case 'p':
        q->plan_file = arg;
        if (plan_read(&q->plan, arg, &q->err) == 0)
            return 0;
        q->bad = true;
        cli_error(&q->err);
        return EINVAL;
    case 'j': return cli_option_count(q->name, "jobs", arg, POOL_MAX_WORKERS, &q->jobs);
    case 'i': return parse_shard(q, arg);
    case ARGP_KEY_ARG: return add_word(q, arg);
    case ARGP_KEY_END:
        if (q->plan.traces.n == 0) {
            cli_usage(q->name, "no trace given: a file, gen:3dgan, or --plan FILE");
            return EINVAL;
        }
        if (cli_format_check(q->name, "--db", ".db", q->db) != 0)
            return EINVAL;
        return cli_format_settle(q->name, ENDINGS, q->output, &q->format);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_sweep_argp = {
    options,
    parse_option,
    "TRACE... [KEY=VALUE]...",
    "Replay a training step on many machines and say which are worth building.\v"
    "TRACE is a file, or gen:WORKLOAD followed by its parameters; several values of one make an "
    "axis.  "
    "Each point is written to the database as soon as it is done, so the same command continues an "
    "interrupted sweep.  docs/guide/sweeps.md explains axes, conditions, plans and the "
    "database.\n\n"
    "Examples:\n"
    "  cyclotron sweep traces/3dgan.trace.zst -m tpu-v3-8 --axis mxu.count=1,2,4 \\\n"
    "      --axis \"hbm.bandwidth=600:1200:300 GB/s\"\n"
    "  cyclotron sweep gen:3dgan batch=64,128,256 -m tpu-v3-8 -m tpu-v3-32\n"
    "  cyclotron sweep gen:mlpf -m tpu-v3-8 --axis mxu.count=1:8 \\\n"
    "      --axis \"core.clock=500:1500 MHz\" --sample sobol:64\n"
    "  cyclotron sweep --plan night.ini -j 8\n"
    "  cyclotron sweep report night.db\n",
    NULL,
    NULL,
    NULL
};

/* Named after the plan file; without one in the words of the plan, so that a command finds its
 * database again, also with one value more. */
static char *name_database(const struct request *q)
{
    if (q->db)
        return memory_copy(q->db);
    const char *file = q->plan_file, *slash = file ? strrchr(file, '/') : NULL;
    if (slash)
        file = slash + 1;
    char *stem = file ? memory_copy_part(file, strcspn(file, ". ")) : plan_name(&q->plan);
    char *name = memory_format("%s.db", stem);
    free(stem);
    return name;
}

/* Each shard has a database of its own, which holds one plan and no other. */
static char *name_shard(const struct request *q, struct store_shard shard)
{
    char *whole = name_database(q), sum[16] = "";

    if (shard.of == 1)
        return whole;
    size_t n = strlen(whole);
    bool ending = n > 3 && strcmp(whole + n - 3, ".db") == 0;
    if (!q->db && !q->plan_file)
        snprintf(sum, sizeof sum, ".%08" PRIx64, plan_checksum(&q->plan) & UINT64_C(0xffffffff));
    char *name = memory_format("%.*s%s.%u-of-%u%s", (int)(ending ? n - 3 : n), whole, sum,
                               shard.number, shard.of, ending ? ".db" : "");
    free(whole);
    return name;
}

static volatile sig_atomic_t interrupted; /* the number of the signal that asks to stop */

static void note_signal(int number)
{
    interrupted = number;
}

static bool show_progress(void *self, size_t done, size_t failed, size_t n)
{
    (void)failed;
    cli_progress_count(self, "points", done, n);
    return !interrupted;
}

/* Say what a sweep that was interrupted has, and how to go on. */
static int tell_interruption(const struct request *q, struct store *s, struct err *err)
{
    struct store_count c;

    if (store_count(s, &c, err) != 0)
        return -1;
    fprintf(stderr, "%s: interrupted; %" PRIu64 " of %" PRIu64 " points are done and stay in ",
            q->name, c.done + c.failed, c.all);
    text_shown(store_path(s), stderr);
    fputs("\n  to go on, run the same command again; to see what is there: cyclotron sweep report ",
          stderr);
    text_shown(store_path(s), stderr);
    putc('\n', stderr);
    return 0;
}

/* Points whose processes the machine ended are not the fault of the points. */
static int tell_left(const struct request *q, const struct store *s, size_t left, struct err *err)
{
    return err_set(err, ERR_IO,
                   "%s: no result of %zu point%s: a process ran out of memory or was killed, or a "
                   "file could not be read, twice; the same command tries again%s",
                   store_path(s), left, left == 1 ? "" : "s",
                   q->jobs == 1 ? "" : " (-j 1 needs less memory)");
}

/* A sweep in which no point could run has no answer. */
static int tell_failures(struct request *q, struct store *s, struct err *err)
{
    struct store_count c;

    if (store_count(s, &c, err) != 0)
        return -1;
    q->all_failed = c.all > 0 && c.failed == c.all;
    return 0;
}

static int run_points(struct request *q, struct store *s, struct err *err)
{
    struct cli_progress progress;
    size_t *ids, n;

    if (store_open_points(s, &ids, &n, err) != 0)
        return -1;
    cli_progress_init(&progress, q->progress);
    /* a second one ends the program at once */
    struct sigaction stop = { .sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    size_t left = 0;
    int rc = pool_run(&q->plan, s, ids, n, cli_jobs(q->jobs), report_json, show_progress, &progress,
                      &left, err);
    cli_progress_end(&progress);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    free(ids);
    if (rc != 0 || interrupted)
        return rc == 0 ? tell_interruption(q, s, err) : rc;
    return left ? tell_left(q, s, left, err) : tell_failures(q, s, err);
}

static int print_answer(const struct ask_answer *a, const char *db, struct err *err)
{
    struct cli_out out;

    if (cli_out_open(&out, NULL, CLI_TEXT, err) != 0)
        return -1;
    sweep_text(a, db, out.file);
    return cli_out_close(&out, err);
}

/* Write the report of a database to `out`, and close it if all went well; a page leaves the text to
 * standard output. */
static int report_sweep(const char *db, const struct request *q, struct cli_out *out,
                        struct err *err)
{
    struct ask ask = { .top = ASK_TOP, .hands = NAN };
    struct ask_answer a;
    struct store *s;
    struct sweep_table t;

    if (store_read(&s, db, err) != 0)
        return -1;
    int rc = sweep_table_read(&t, s, err);
    if (rc == 0) {
        rc = cmd_sweep_answer(&a, &t, s, &ask, q->no_trials, err);
        if (rc == 0) {
            if (q->format == CLI_HTML)
                sweep_page(&a, db, store_plan(s), out->file);
            else
                sweep_text(&a, db, out->file);
            rc = cli_out_close(out, err);
            /* the page first: text that is printed promises that it is there */
            if (rc == 0 && q->format == CLI_HTML)
                rc = print_answer(&a, db, err);
            ask_free(&a);
        }
        sweep_table_free(&t);
    }
    store_close(s);
    return rc;
}

/* Say what became of the results of the plan that the database held before. */
static void tell_change(const struct request *q, const struct store *s)
{
    struct store_change c = store_change(s);

    if (!c.extended)
        return;
    text_shown_format(stderr,
                      "%s: the plan of %s has changed: %" PRIu64 " of %zu points have their result "
                      "from before; kept aside for points that left the plan: %" PRIu64,
                      q->name, store_path(s), c.reused, q->plan.n_points, c.aside);
    putc('\n', stderr);
}

/* Run a shard into its database, whose name goes to *db. */
static int run_shard(struct request *q, struct store_shard shard, char **db, struct err *err)
{
    struct store *s;

    *db = name_shard(q, shard);
    if (store_open(&s, *db, &q->plan, shard, CYCLOTRON_VERSION, err) != 0)
        return -1;
    tell_change(q, s);
    int rc = run_points(q, s, err);
    store_close(s);
    return rc;
}

/* The shards of all ranks go into one database. */
static int merge_ranks(const struct request *q, struct ranks ranks, char **db, struct err *err)
{
    static const struct store_shard whole = { 1, 1 };
    struct store *s;

    free(*db);
    *db = name_shard(q, whole);
    if (store_open(&s, *db, &q->plan, whole, CYCLOTRON_VERSION, err) != 0)
        return -1;
    int rc = 0;
    for (uint32_t i = 1; i <= ranks.of && rc == 0; i++) {
        char *part = name_shard(q, (struct store_shard){ i, ranks.of });
        rc = store_merge(s, part, err);
        free(part);
    }
    store_close(s);
    return rc;
}

/* True if the plan starts from a machine; one that cannot be read tells of it itself. */
static bool has_machine(const struct plan *p)
{
    bool found = p->machines.n > 0;

    for (size_t i = 0; i < p->axes.n; i++) {
        const char *name = p->axes.word[i] + strspn(p->axes.word[i], " \t");
        found = found || (strncmp(name, "machine", 7) == 0 && strchr(" \t=", name[7]));
    }
    return found;
}

/* True of a regular file that can be read: a pipe would be empty for the points. */
static bool is_file(const char *trace)
{
    struct stat st;

    return strncmp(trace, "gen:", 4) != 0 && stat(trace, &st) == 0 && S_ISREG(st.st_mode) &&
           access(trace, R_OK) == 0;
}

/* One program for several slices runs on as many, unless the user says how many. */
static int add_slices(struct plan *p, uint64_t slices, struct err *err)
{
    char set[40];

    if (p->traces.n > 1 || slices < 2)
        return 0;
    for (size_t i = 0; i < p->set.n; i++)
        if (strncmp(p->set.word[i], "dcn.slices=", 11) == 0)
            return 0;
    snprintf(set, sizeof set, "dcn.slices=%" PRIu64, slices);
    return plan_add(p, "set", set, err);
}

/* Without a machine the plan starts from the one that its programs were compiled for. */
static int add_own_machine(struct plan *p, struct err *err)
{
    char own[SIZES_NAME] = "", next[SIZES_NAME];
    uint64_t slices = 0;

    if (has_machine(p))
        return 0;
    for (size_t i = 0; i < p->traces.n; i++) {
        struct trace *t;
        if (!is_file(p->traces.word[i]))
            return 0; /* plan_finish says what is missing */
        if (import_open(&t, p->traces.word[i], p->allow_unknown, err) != 0)
            return -1;
        bool known = program_machine(next, sizeof next, trace_head(t));
        slices = trace_head(t)->program.slices;
        trace_close(t);
        if (!known)
            return 0;
        if (*own && strcmp(own, next) != 0)
            return err_set(err, ERR_FORMAT,
                           "no machine given, and programs for two: %s and %s; expected -m MACHINE",
                           own, next);
        snprintf(own, sizeof own, "%s", next);
    }
    return plan_add(p, "machine", own, err) == 0 ? add_slices(p, slices, err) : -1;
}

static int run_sweep(struct request *q)
{
    struct err err = { ERR_NONE, "" };
    struct cli_out out = { 0 };
    char *db = NULL;
    struct ranks ranks = ranks_begin();
    struct store_shard shard =
        ranks.of > 1 ? (struct store_shard){ ranks.number, ranks.of } : q->shard;
    int rc = 0;

    if (ranks.of > 1 && q->shard.of > 1)
        rc = err_set(&err, ERR_FORMAT, "--shard and several MPI processes exclude each other");
    if (ranks.of > 1 && !q->jobs)
        q->jobs = 1; /* the others are on this machine too, it may be */
    if (rc == 0)
        rc = add_own_machine(&q->plan, &err);
    if (rc == 0)
        rc = plan_finish(&q->plan, &err);
    /* a file that cannot be written is known before the work, not after it */
    if (rc == 0 && ranks.number == 1)
        rc = cli_out_open(&out, q->output, q->format, &err);
    if (rc == 0)
        rc = run_shard(q, shard, &db, &err);
    bool all_well = ranks_agree(rc == 0 && !interrupted);
    if (all_well && ranks.number == 1) {
        if (ranks.of > 1)
            rc = merge_ranks(q, ranks, &db, &err);
        if (rc == 0)
            rc = report_sweep(db, q, &out, &err);
    }
    cli_out_abandon(&out);
    free(db);
    ranks_end();
    if (rc != 0)
        return cli_error(&err);
    if (interrupted)
        raise(interrupted); /* whoever started this learns what ended it */
    return all_well && !q->all_failed ? CLI_DONE
                                      : CLI_BAD_INPUT; /* the rank with the error has told of it */
}

int cmd_sweep_run(int argc, char **argv)
{
    struct request q = { .name = argv[0], .shard = { 1, 1 } };
    int code;

    plan_init(&q.plan);
    if (cli_parse(&cmd_sweep_argp, argc, argv, &q, &code))
        code = run_sweep(&q);
    else if (q.bad)
        code = CLI_BAD_INPUT;
    plan_free(&q.plan);
    return code;
}
