/* Does the library give the figures of the program, and errors as values? */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "api/cyclotron.h"

static void count_names(void *self, const char *name)
{
    size_t *n = self;

    n[0]++;
    n[1] += strcmp(name, "tpu-v3-8") == 0;
    n[2] += strcmp(name, "xeon-6148") == 0;
}

Test(api, names_each_machine_once)
{
    size_t n[3] = { 0 };

    cyclotron_machine_names(count_names, n);
    cr_expect(n[0] > 50);
    cr_expect_eq(n[1], 1);
    cr_expect_eq(n[2], 1);
}

Test(api, says_what_is_wrong_with_a_machine)
{
    static const char *const wrong[] = { "mxu.count=0" };
    struct cyclotron_error e;

    cr_expect_null(cyclotron_machine_load("tpu-v3-9", NULL, 0, &e));
    cr_expect_eq(e.code, CYCLOTRON_UNKNOWN);
    cr_expect(strstr(e.message, "tpu-v3-8") != NULL, "%s", e.message);
    cr_expect_null(cyclotron_machine_load("tpu-v3-8", wrong, 1, &e));
    cr_expect_eq(e.code, CYCLOTRON_RANGE);
    cr_expect_null(cyclotron_machine_load("tpu-v3-9", NULL, 0, NULL));
}

Test(api, describes_a_machine_with_its_changes)
{
    static const char *const set[] = { "mxu.count=4" };
    struct cyclotron_machine *m = cyclotron_machine_load("tpu-v3-8", set, 1, NULL);
    char *summary = cyclotron_machine_summary(m), *text = cyclotron_machine_text(m);

    cr_expect(strstr(summary, "4 chips") != NULL, "%s", summary);
    cr_expect(strstr(text, "count = 4") != NULL);
    cyclotron_free(summary);
    cyclotron_free(text);
    cyclotron_machine_free(m);
}

Test(api, says_what_is_wrong_with_a_program)
{
    struct cyclotron_error e;

    cr_expect_null(cyclotron_program_load("/nowhere/step.trace", 0, &e));
    cr_expect_eq(e.code, CYCLOTRON_IO);
    cr_expect_null(cyclotron_program_load("-", 0, &e));
    cr_expect_eq(e.code, CYCLOTRON_IO);
    cr_expect_null(cyclotron_program_parse("mine", "nonsense", 8, 0, &e));
    cr_expect_eq(e.code, CYCLOTRON_FORMAT);
    cr_expect(strstr(e.message, "mine") != NULL, "%s", e.message);
}

/* The step of 3DGAN that README.md shows. */
struct fixture {
    struct cyclotron_machine *machine;
    struct cyclotron_program *program;
};

static struct fixture open_fixture(void)
{
    struct fixture f = { cyclotron_machine_load("tpu-v3-8", NULL, 0, NULL),
                         cyclotron_program_load("traces/3dgan.trace.zst", 0, NULL) };

    cr_assert(f.machine && f.program);
    return f;
}

static void close_fixture(struct fixture f)
{
    cyclotron_machine_free(f.machine);
    cyclotron_program_free(f.program);
}

static void count_values(void *self, const struct cyclotron_value *v)
{
    size_t *n = self;

    n[v->kind]++;
}

static void find_name(void *self, const struct cyclotron_value *v)
{
    if (strcmp(v->path, "name") == 0)
        snprintf(self, 64, "%s", v->text);
}

Test(api, replays_a_step)
{
    struct fixture f = open_fixture();
    struct cyclotron_result *r = cyclotron_replay(f.program, f.machine, NULL, NULL);
    const char *unit;
    double x = 0;

    /* 3125060080 cycles of 940 MHz, as the report prints them */
    cr_expect_eq(cyclotron_result_number(r, "cycles_per_step", &x, &unit), 0);
    cr_expect_eq(x, 3125060080.0);
    cr_expect_eq(cyclotron_result_number(r, "seconds_per_step", &x, &unit), 0);
    cr_expect(x > 3.3244 && x < 3.3246, "%.17g", x);
    cr_expect_str_eq(unit, "s");
    /* 3.5 % on the 4 measured steps of 3DGAN on TPUs: model/measured/expected.csv */
    cr_expect_eq(cyclotron_result_number(r, "evidence.expected.error", &x, &unit), 0);
    cr_expect_eq(x, 0.035, "%.17g", x);
    cr_expect_eq(cyclotron_result_number(r, "account.known", &x, &unit), 0);
    cr_expect_eq(x, 1);
    cr_expect_eq(cyclotron_result_number(r, "no.such", &x, &unit), -1);
    cr_expect_null(cyclotron_result_string(r, "seconds_per_step"));
    char *machine = cyclotron_result_string(r, "machine");
    cr_expect_str_eq(machine, "tpu-v3-8");
    cyclotron_free(machine);

    size_t n[4] = { 0 };
    cyclotron_result_visit(r, count_values, n);
    cr_expect(n[CYCLOTRON_NUMBER] > 50 && n[CYCLOTRON_STRING] > 3 && n[CYCLOTRON_FLAG] > 0);
    cyclotron_result_free(r);
    close_fixture(f);
}

Test(api, lists_rows_and_writes_reports)
{
    struct fixture f = open_fixture();
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    o.lanes = 1;
    struct cyclotron_result *r = cyclotron_replay(f.program, f.machine, &o, NULL);
    char name[64] = "";

    cr_expect(cyclotron_result_rows(r, CYCLOTRON_OPERATIONS) > 20);
    cr_expect_eq(cyclotron_result_rows(r, CYCLOTRON_SOURCES), 0);
    cr_expect_eq(cyclotron_result_visit_row(r, CYCLOTRON_PHASES, 0, find_name, name), 0);
    cr_expect_str_neq(name, "");
    cr_expect_eq(cyclotron_result_visit_row(r, CYCLOTRON_SOURCES, 0, find_name, name), -1);

    static const char *const begins[] = { "tpu-v3-8 takes 3.325 s", "{", "", "<!" };
    for (int i = CYCLOTRON_TEXT; i <= CYCLOTRON_HTML; i++) {
        char *text = cyclotron_result_report(r, (enum cyclotron_report)i);
        cr_expect(text && strlen(text) > 1000 && strncmp(text, begins[i], strlen(begins[i])) == 0,
                  "report %d", i);
        if (i == CYCLOTRON_HTML)
            cr_expect(strstr(text, "bin_seconds") != NULL);
        cyclotron_free(text);
    }
    cr_expect_null(cyclotron_result_report(r, (enum cyclotron_report)4));
    cyclotron_result_free(r);
    close_fixture(f);
}

Test(api, takes_options_of_older_and_newer_headers)
{
    struct fixture f = open_fixture();
    struct cyclotron_error e;
    struct {
        struct cyclotron_options known;
        uint64_t later;
    } newer = { CYCLOTRON_OPTIONS, 0 };
    struct cyclotron_options older = CYCLOTRON_OPTIONS, none = CYCLOTRON_OPTIONS;

    newer.known.size = sizeof newer;
    struct cyclotron_result *r = cyclotron_replay(f.program, f.machine, &newer.known, &e);
    cr_expect_not_null(r);
    cyclotron_result_free(r);
    newer.later = 1; /* something that this library cannot do */
    cr_expect_null(cyclotron_replay(f.program, f.machine, &newer.known, &e));
    cr_expect_eq(e.code, CYCLOTRON_RANGE);

    older.size = offsetof(struct cyclotron_options, epochs);
    older.epochs = UINT64_MAX; /* not looked at */
    r = cyclotron_replay(f.program, f.machine, &older, &e);
    cr_expect_not_null(r);
    cyclotron_result_free(r);

    none.steps = 0;
    cr_expect_null(cyclotron_replay(f.program, f.machine, &none, &e));
    cr_expect(strstr(e.message, "steps = 0") != NULL, "%s", e.message);
    none.size = 0;
    cr_expect_null(cyclotron_replay(f.program, f.machine, &none, &e));
    close_fixture(f);
}

static int stop_at(void *self)
{
    int *left = self;

    return --*left == 0;
}

Test(api, stops_a_replay_when_asked_to)
{
    struct fixture f = open_fixture();
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    struct cyclotron_error e;
    double cycles;
    int asked = 1000000, left = 1;

    o.stop = stop_at;
    o.stop_self = &asked;
    struct cyclotron_result *r = cyclotron_replay(f.program, f.machine, &o, &e);
    cr_assert(r);
    cr_expect_eq(cyclotron_result_number(r, "cycles_per_step", &cycles, NULL), 0);
    cr_expect_eq(cycles, 3125060080.0);
    cyclotron_result_free(r);
    asked = 1000000 - asked;
    cr_expect_geq(asked, 3, "asked %d times, of 2 steps", asked);

    /* before the first step, within it, the last time */
    for (int i = 0; i < 3; i++) {
        o.stop_self = &left;
        left = i == 0 ? 1 : i == 1 ? 2 : asked;
        o.lanes = i == 1;
        cr_expect_null(cyclotron_replay(f.program, f.machine, &o, &e));
        cr_expect_eq(e.code, CYCLOTRON_STOPPED);
        cr_expect_str_eq(e.message, "tpu-v3-8: the replay was stopped");
        cr_expect_eq(left, 0);
    }
    close_fixture(f);
}

Test(api, runs_points_of_a_plan)
{
    struct cyclotron_error e;
    struct cyclotron_plan *p = cyclotron_plan_parse("mine",
                                                    "[sweep]\ntrace = traces/3dgan.trace.zst\n"
                                                    "machine = tpu-v3-8\n[axis]\nmxu.count = 2,4\n"
                                                    "price.on_demand = 8 USD/h,16 USD/h\n",
                                                    &e);
    double two = 0, four = 0, usd[2] = { 0 };

    cr_assert(p != NULL, "%s", e.message);
    cr_expect_eq(cyclotron_plan_points(p), 4);
    cr_expect_eq(cyclotron_plan_axes(p), 2);
    cr_expect_str_eq(cyclotron_plan_axis(p, 0), "mxu.count");
    cr_expect_null(cyclotron_plan_axis(p, 2));
    cr_expect_str_eq(cyclotron_plan_value(p, 2, 0), "4");
    cr_expect_null(cyclotron_plan_value(p, 4, 0));
    for (size_t i = 0; i < 4; i++) {
        struct cyclotron_point *point = cyclotron_plan_run(p, i, &e);
        cr_assert(point != NULL, "%s", e.message);
        cyclotron_point_number(point, "seconds_per_step", i < 2 ? &two : &four);
        if (i < 2)
            cr_expect_eq(cyclotron_point_number(point, "usd_per_epoch.on_demand", &usd[i]), 0);
        cr_expect(cyclotron_point_json(point)[0] == '{');
        cyclotron_point_free(point);
    }
    cr_expect(two > 3.3244 && two < 3.3246, "%.17g", two);
    cr_expect(four < two);
    cr_expect_eq(usd[1], 2 * usd[0]);
    cr_expect_null(cyclotron_plan_run(p, 4, &e));
    cr_expect_eq(e.code, CYCLOTRON_RANGE);
    cyclotron_plan_free(p);
    cr_expect_null(cyclotron_plan_parse("mine", "[sweep]\nfoo = 1\n", &e));
    cr_expect(strstr(e.message, "mine:2") != NULL, "%s", e.message);
}
