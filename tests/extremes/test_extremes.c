/* test_extremes.c - does every value of every range run, or is it refused?
 *
 * For a machine of each kind and generation every parameter is set to both ends of its range, and
 * to the least value above 0 where 0 is one of them, every choice to each of its words, then
 * EXTREMES_PAIRS=50 pairs of such settings by chance.  A few small programs are replayed on each
 * of these machines.  A replay has to give a positive, finite time or an error that says what was
 * wrong; one that has not ended after LONGEST seconds of CPU is stopped, and one that does not let
 * itself be stopped fails. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/cyclotron.h"
#include "machine/spec/spec.h"
#include "tests/physics/dice.h"

#define LONGEST 2       /* seconds of CPU of a replay, before it is stopped */
#define STUCK 40        /* of one setting, before it counts as one that does not end */
#define MOST_WORDS 4096 /* settings of a machine */
#define MOST_FAILURES 12
#define PROGRAMS 5 /* at most, of a kind */

struct row {
    char machine[24];
};

/* [kind] programs of that kind of machine */
static const char *const programs[CHIP_N_KINDS][PROGRAMS] = {
    [CHIP_TPU] = { "traces/tiny/tiny.trace", "tests/extremes/wide.trace",
                   "tests/fuzz/corpus/hlo/compiled.hlo", "tests/fuzz/corpus/hlo/operations.hlo",
                   "tests/fuzz/corpus/hlo/by_hand.hlo" },
    [CHIP_GPU] = { "traces/tiny/tiny.trace", "tests/extremes/wide.trace",
                   "tests/fuzz/corpus/hlo/gpu.hlo", "tests/fuzz/corpus/hlo/operations.hlo",
                   "tests/fuzz/corpus/hlo/calls.hlo" },
    [CHIP_CPU] = { "traces/tiny/tiny.trace", "tests/extremes/wide.trace" },
};

struct words {
    char *word[MOST_WORDS];
    size_t n;
    struct cyclotron_program *program[PROGRAMS];
};

/* Words of the child that runs the settings. */
struct told {
    size_t at; /* the setting that it runs */
    char what[1024];
    uint64_t replays, refused, stopped;
};

static void add_word(struct words *w, const char *section, const struct param_desc *d,
                     const char *value, size_t n)
{
    bool number = d->kind != PARAM_ENUM, unit = number && *d->unit && strcmp(d->unit, "ratio") != 0;
    char text[256];

    /* "1 MHz" has its unit, "1" not */
    if (unit && value[strspn(value, "0123456789.e+-")] != '\0')
        unit = false;
    snprintf(text, sizeof text, "%s.%s=%.*s%s%s", section, d->name, (int)n, value, unit ? " " : "",
             unit ? d->unit : "");
    cr_assert_lt(w->n, (size_t)MOST_WORDS);
    w->word[w->n++] = strdup(text);
}

static void add_words(struct words *w, const struct param_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct param_desc *d = &t->rows[i];
        if (d->kind == PARAM_ENUM) {
            for (const char *c = d->unit; *c; c += strcspn(c, "|"), c += *c == '|')
                add_word(w, t->section, d, c, strcspn(c, "|"));
        } else if (d->kind != PARAM_TEXT) {
            add_word(w, t->section, d, d->min, strlen(d->min));
            add_word(w, t->section, d, d->max, strlen(d->max));
            const char *least = d->kind == PARAM_PPB  ? "0.000000001"
                                : d->kind == PARAM_FS ? "1 fs"
                                                      : "1";
            if (strtod(d->min, NULL) == 0) /* often in place of "none" */
                add_word(w, t->section, d, least, strlen(least));
        }
    }
}

static enum chip_kind kind_of(const char *name)
{
    struct machine_spec *m;
    struct err err;

    cr_assert(spec_load(&m, name, NULL, 0, &err) == 0, "%s", err.msg);
    enum chip_kind kind = m->kind;
    spec_free(m);
    return kind;
}

static struct words *make_words(const char *machine)
{
    enum chip_kind kind = kind_of(machine);
    struct words *w = calloc(1, sizeof *w);
    struct cyclotron_error e;

    for (size_t t = 0; t < SPEC_N_TABLES; t++)
        if (spec_has(kind, t))
            add_words(w, spec_tables[t]);
    for (size_t p = 0; p < PROGRAMS && programs[kind][p]; p++) {
        w->program[p] = cyclotron_program_load(programs[kind][p], 1, &e);
        cr_assert(w->program[p] != NULL, "%s", e.message);
    }
    return w;
}

/* --- one setting ------------------------------------------------------------------------------ */

static double seconds_of_cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_late(void *self)
{
    return seconds_of_cpu() > *(double *)self;
}

static void say_failure(struct told *told, const char *what)
{
    size_t n = strlen(told->what);

    snprintf(told->what + n, sizeof told->what - n, "; %.200s", what);
}

static void replay_on(const struct cyclotron_machine *m, const struct cyclotron_program *p,
                      bool shown, struct told *told)
{
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    struct cyclotron_error e;
    double late = seconds_of_cpu() + LONGEST, seconds;

    o.stop = is_late;
    o.stop_self = &late;
    struct cyclotron_result *r = cyclotron_replay(p, m, &o, &e);
    told->replays++;
    if (!r) {
        told->refused += e.code != CYCLOTRON_STOPPED;
        told->stopped += e.code == CYCLOTRON_STOPPED;
        if (e.code == CYCLOTRON_OK || !*e.message)
            say_failure(told, "refused without a word");
        return;
    }
    if (cyclotron_result_number(r, "seconds_per_step", &seconds, NULL) != 0 || !(seconds > 0) ||
        !isfinite(seconds))
        say_failure(told, "a step that takes no time");
    for (int i = CYCLOTRON_TEXT; shown && i <= CYCLOTRON_HTML; i++)
        cyclotron_free(cyclotron_result_report(r, (enum cyclotron_report)i));
    cyclotron_result_free(r);
}

/* Setting `at`: one word alone, or a pair that `at` alone decides. */
static size_t pick_words(const struct words *w, size_t at, const char *set[2])
{
    uint64_t seed = at;

    if (at < w->n) {
        set[0] = w->word[at];
        return 1;
    }
    set[0] = w->word[dice_below(&seed, (uint32_t)w->n)];
    do
        set[1] = w->word[dice_below(&seed, (uint32_t)w->n)];
    while (strcspn(set[0], "=") == strcspn(set[1], "=") &&
           strncmp(set[0], set[1], strcspn(set[0], "=")) == 0);
    return 2;
}

static void run_setting(const char *machine, const struct words *w, size_t at, struct told *told)
{
    struct cyclotron_error e;
    struct rlimit stuck = { (rlim_t)seconds_of_cpu() + STUCK, RLIM_INFINITY };
    const char *set[2];
    size_t n = pick_words(w, at, set);

    setrlimit(RLIMIT_CPU, &stuck); /* SIGXCPU */
    struct cyclotron_machine *m = cyclotron_machine_load(machine, set, n, &e);
    if (!m) {
        told->refused++;
        if (e.code == CYCLOTRON_OK || !*e.message)
            say_failure(told, "refused without a word");
        return;
    }
    /* two extremes meet in the trace alone: most of what they do happens there */
    for (size_t p = 0; p < (n == 1 ? PROGRAMS : 1) && w->program[p]; p++)
        replay_on(m, w->program[p], p == 0 && n == 1, told);
    cyclotron_machine_free(m);
}

/* --- all settings of a machine -----------------------------------------------------------------
 */

static void run_from(const char *machine, const struct words *w, size_t from, size_t n,
                     struct told *told)
{
    signal(SIGFPE, SIG_DFL);
    for (size_t at = from; at < n && !*told->what; at++) {
        told->at = at;
        run_setting(machine, w, at, told);
    }
    _exit(0);
}

static void print_failure(const struct row *r, const struct words *w, const struct told *told,
                          int status)
{
    const char *set[2] = { "", "" };

    pick_words(w, told->at, set);
    fprintf(stderr, "%s --set \"%s\" --set \"%s\": %s%s\n", r->machine, set[0], set[1],
            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "", told->what);
}

static struct row rows[] = {
    { "tpu-v2-8" },  { "tpu-v3-8" },  { "tpu-v4-8" },  { "tpu-v5e-4" },  { "tpu-v5p-8" },
    { "tpu-v6e-4" }, { "tpu-v7-8" },  { "v100x4" },    { "a100x4" },     { "h100x8" },
    { "b200x8" },    { "xeon-6148" }, { "tpu-v8t-8" }, { "tpu-v8i-64" },
};

ParameterizedTestParameters(extremes, every_setting_runs_or_is_refused)
{
    return cr_make_param_array(struct row, rows, sizeof rows / sizeof *rows);
}

ParameterizedTest(struct row *r, extremes, every_setting_runs_or_is_refused)
{
    const char *pairs = getenv("EXTREMES_PAIRS");
    struct words *w = make_words(r->machine);
    size_t n = w->n + (pairs ? (size_t)atol(pairs) : 50), failures = 0;
    struct told *told =
        mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    cr_assert(told != MAP_FAILED);
    for (size_t from = 0; from < n && failures < MOST_FAILURES; from = told->at + 1) {
        int status;
        told->at = from;
        told->what[0] = '\0';
        pid_t child = fork();
        if (child == 0)
            run_from(r->machine, w, from, n, told);
        cr_assert_eq(waitpid(child, &status, 0), child);
        if (status == 0 && !*told->what)
            break;
        failures++;
        print_failure(r, w, told, status);
    }
    cr_expect_eq(failures, 0, "%s: %zu settings of %zu failed", r->machine, failures, n);
    if (getenv("EXTREMES_COUNTS"))
        fprintf(stderr, "%s: %zu settings, %llu replays, %llu refused, %llu stopped\n", r->machine,
                n, (unsigned long long)told->replays, (unsigned long long)told->refused,
                (unsigned long long)told->stopped);
}
