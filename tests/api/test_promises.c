/* test_promises.c - does the library keep what docs/guide/library.md promises of threads, forks,
 * signals, the locale, allocators and versions?  The suite runs in a process with a decimal comma
 * too. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <fenv.h>
#include <gmp.h>
#include <jansson.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cyclotron.h"
#include "base/memory.h"
#include "base/version.h"

#define TINY "traces/tiny/tiny.trace"

static struct cyclotron_result *replay_tiny(void)
{
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    struct cyclotron_error e;
    struct cyclotron_machine *m = cyclotron_machine_load("tpu-v3-8", NULL, 0, &e);
    struct cyclotron_program *p = cyclotron_program_load(TINY, 0, &e);

    o.lanes = 1;
    cr_assert(m && p, "%s", e.message);
    struct cyclotron_result *r = cyclotron_replay(p, m, &o, &e);
    cr_assert(r != NULL, "%s", e.message);
    cyclotron_machine_free(m);
    cyclotron_program_free(p);
    return r;
}

/* 1.707 ms as the command prints it: 0 or 1 where the reader takes the point for the end */
Test(promises, numbers_have_a_point_in_any_locale)
{
    struct cyclotron_result *r = replay_tiny();
    double seconds = 0;

    cr_expect_eq(cyclotron_result_number(r, "seconds_per_step", &seconds, NULL), 0);
    cr_expect(seconds > 0.0017065 && seconds < 0.0017075, "%.9f", seconds);
    char *json = cyclotron_result_report(r, CYCLOTRON_JSON);
    cr_expect(strstr(json, "\"seconds_per_step\": 0.00170") != NULL);
    cyclotron_free(json);
    cyclotron_result_free(r);
}

/* The first object of a page's script: what it draws. */
Test(promises, a_page_holds_json_in_any_locale)
{
    struct cyclotron_result *r = replay_tiny();
    char *page = cyclotron_result_report(r, CYCLOTRON_HTML);
    const char *begin = strstr(page, "application/json");

    cr_assert(begin != NULL);
    for (; begin; begin = strstr(begin, "application/json")) {
        begin = strchr(begin, '>') + 1;
        const char *end = strstr(begin, "</script>");
        json_error_t why;
        json_t *all = json_loadb(begin, (size_t)(end - begin), 0, &why);
        cr_expect(all != NULL, "%d: %s", why.line, why.text);
        json_decref(all);
    }
    cyclotron_free(page);
    cyclotron_result_free(r);
}

Test(promises, conditions_of_a_plan_mean_the_same_in_any_locale)
{
    struct cyclotron_error e;
    struct cyclotron_plan *p = cyclotron_plan_parse(
        "mine",
        "[sweep]\ntrace = " TINY "\nmachine = tpu-v3-8\nwhere = hbm.efficiency >= 0.6\n"
        "[axis]\nhbm.efficiency = 0.5,0.625,0.75\n",
        &e);

    cr_assert(p != NULL, "%s", e.message);
    cr_assert_eq(cyclotron_plan_points(p), 2);
    cr_expect_str_eq(cyclotron_plan_value(p, 0, 0), "0.625");
    cr_expect_str_eq(cyclotron_plan_value(p, 1, 0), "0.75");
    cyclotron_plan_free(p);
}

/* The locale of the thread, and so that of what it prints, is as before. */
Test(promises, a_call_leaves_the_locale_of_the_thread)
{
    locale_t before = uselocale((locale_t)0);

    cyclotron_result_free(replay_tiny());
    cr_expect_eq(uselocale((locale_t)0), before);
}

/* --- threads, forks, signals -------------------------------------------------------------------
 */

static double seconds_of(struct cyclotron_result *r)
{
    double seconds = 0;

    cr_assert_eq(cyclotron_result_number(r, "seconds_per_step", &seconds, NULL), 0);
    cyclotron_result_free(r);
    return seconds;
}

struct shared {
    struct cyclotron_machine *machine;
    struct cyclotron_program *program;
    double seconds[8];
};

static void *replay_shared(void *self)
{
    struct shared *s = self;
    double *seconds = malloc(sizeof s->seconds);

    for (int i = 0; i < 8; i++)
        seconds[i] = seconds_of(cyclotron_replay(s->program, s->machine, NULL, NULL));
    return seconds;
}

Test(promises, threads_share_machines_and_programs)
{
    struct shared s = { cyclotron_machine_load("tpu-v3-8", NULL, 0, NULL),
                        cyclotron_program_load(TINY, 0, NULL),
                        { 0 } };
    pthread_t thread[4];
    double *alone = replay_shared(&s), *got;

    for (int t = 0; t < 4; t++)
        cr_assert_eq(pthread_create(&thread[t], NULL, replay_shared, &s), 0);
    for (int t = 0; t < 4; t++) {
        pthread_join(thread[t], (void **)&got);
        for (int i = 0; i < 8; i++)
            cr_expect_eq(got[i], alone[0], "thread %d, replay %d", t, i);
        free(got);
    }
    free(alone);
    cyclotron_machine_free(s.machine);
    cyclotron_program_free(s.program);
}

Test(promises, a_forked_process_goes_on_with_objects_of_its_parent)
{
    struct shared s = { cyclotron_machine_load("tpu-v3-8", NULL, 0, NULL),
                        cyclotron_program_load(TINY, 0, NULL),
                        { 0 } };
    double want = seconds_of(cyclotron_replay(s.program, s.machine, NULL, NULL));
    int status;

    pid_t child = fork();
    if (child == 0)
        _exit(seconds_of(cyclotron_replay(s.program, s.machine, NULL, NULL)) == want ? 7 : 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%d", status);
    cyclotron_machine_free(s.machine);
    cyclotron_program_free(s.program);
}

static volatile sig_atomic_t heard;

static void count_signal(int number)
{
    (void)number;
    heard++;
}

/* A handler without SA_RESTART, every 200 us, in reading and replaying. */
Test(promises, signals_change_nothing)
{
    struct itimerval each = { { 0, 200 }, { 0, 200 } };
    struct sigaction action = { .sa_handler = count_signal };
    double want = seconds_of(replay_tiny());

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    for (int i = 0; i < 20 || (heard < 20 && i < 1000); i++)
        cr_expect_eq(seconds_of(replay_tiny()), want);
    each = (struct itimerval){ 0 };
    setitimer(ITIMER_REAL, &each, NULL);
    cr_expect(heard >= 20, "%d signals", (int)heard);
}

static unsigned count_open_files(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Handlers, masks, open files, the working folder, the mask of new files, the environment and the
 * rounding are those of the process. */
Test(promises, a_call_leaves_the_process_as_it_was)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGALRM, SIGCHLD, SIGHUP };
    struct sigaction before[sizeof numbers / sizeof *numbers], after;
    char folder[4096], now[4096];
    sigset_t mask, mask_now;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], NULL, &before[i]);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    mode_t files = umask(027);
    cr_assert(getcwd(folder, sizeof folder) != NULL);
    int rounding = fegetround();
    char *path = strdup(getenv("PATH"));
    seconds_of(replay_tiny()); /* what is made once is made */
    unsigned open_files = count_open_files();

    struct cyclotron_plan *p = cyclotron_plan_parse(
        "mine", "[sweep]\ntrace = " TINY "\nmachine = tpu-v3-8\n[axis]\nmxu.count = 1\n", NULL);
    cyclotron_point_free(cyclotron_plan_run(p, 0, NULL));
    cyclotron_plan_free(p);
    cr_expect_null(cyclotron_program_load("no such file", 0, NULL));
    seconds_of(replay_tiny());

    cr_expect_eq(count_open_files(), open_files);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], NULL, &after);
        cr_expect_eq(after.sa_handler, before[i].sa_handler, "signal %d", numbers[i]);
    }
    sigprocmask(SIG_SETMASK, NULL, &mask_now);
    cr_expect(memcmp(&mask, &mask_now, sizeof mask) == 0);
    cr_expect_eq(umask(files), 027);
    cr_expect_str_eq(getcwd(now, sizeof now), folder);
    cr_expect_eq(fegetround(), rounding);
    cr_expect_str_eq(getenv("PATH"), path);
    free(path);
}

/* --- allocators, versions, stops ---------------------------------------------------------------
 */

static void *take_other(size_t size)
{
    return malloc(size);
}

Test(promises, allocators_of_the_process_stay)
{
    void *(*take)(size_t);
    json_malloc_t json_take;
    json_free_t json_give;

    mp_get_memory_functions(&take, NULL, NULL);
    cr_expect_eq(take, memory_take); /* as the library was loaded */
    json_get_alloc_funcs(&json_take, &json_give);
    cr_expect_eq(json_take, memory_take);
    mp_set_memory_functions(take_other, NULL, NULL);
    json_set_alloc_funcs(take_other, free);
    memory_supply();
    mp_get_memory_functions(&take, NULL, NULL);
    cr_expect_eq(take, take_other);
    json_get_alloc_funcs(&json_take, &json_give);
    cr_expect_eq(json_take, take_other);
}

/* GMP alone would abort.  The address sanitizer ends a process that wants so much by itself. */
#ifndef __SANITIZE_ADDRESS__
Test(promises, want_of_memory_in_gmp_ends_with_71)
{
    const struct rlimit little = { (rlim_t)4 << 30, (rlim_t)4 << 30 };
    int status;

    pid_t child = fork();
    if (child == 0) {
        mpz_t z;
        setrlimit(RLIMIT_AS, &little);
        mpz_init2(z, (mp_bitcnt_t)1 << 36); /* 8 GiB */
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_EXIT, "%d", status);
}
#endif

Test(promises, the_version_is_that_of_the_headers)
{
    cr_expect_str_eq(cyclotron_version(), CYCLOTRON_VERSION);
}

static int stop_third(void *self)
{
    return ++*(int *)self == 3;
}

/* 200 cubed combinations, none of which is a point. */
Test(promises, the_making_of_points_can_be_stopped)
{
    static const char text[] = "[sweep]\ntrace = " TINY "\nmachine = tpu-v3-8\n"
                               "where = mxu.count > 1000\n[axis]\nmxu.issue = 0.3:0.9:0.003\n"
                               "hbm.efficiency = 0.3:0.9:0.003\ncore.hand_wait = 0:200:1\n";
    struct cyclotron_error e;
    int asked = 0;

    cr_expect_null(cyclotron_plan_parse_until("mine", text, stop_third, &asked, &e));
    cr_expect_eq(e.code, CYCLOTRON_STOPPED, "%s", e.message);
    cr_expect_eq(asked, 3);
}

/* Three axes of 1,000 values: 10^9 combinations would take an hour. */
Test(promises, a_plan_has_a_limit_of_work)
{
    static const char text[] = "[sweep]\ntrace = " TINY "\nmachine = tpu-v3-8\n"
                               "where = mxu.count > 1000\n[axis]\nmxu.issue = 0.3:0.9:0.0006\n"
                               "hbm.efficiency = 0.3:0.9:0.0006\ncore.hand_wait = 0:1000:1\n";
    struct cyclotron_error e;

    cr_expect_null(cyclotron_plan_parse("mine", text, &e));
    cr_expect_eq(e.code, CYCLOTRON_RANGE);
    cr_expect(strstr(e.message, "more than 10000000 combinations are ruled out") != NULL, "%s",
              e.message);
}
