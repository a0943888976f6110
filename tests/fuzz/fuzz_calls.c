/* Calls of the library in any order: two threads, each with objects of its own and two that they
 * share; callbacks that stop. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/cyclotron.h"
#include "tests/fuzz/fuzz.h"

enum { SLOTS = 3, MOST_CALLS = 24 };

static const char *const machines[] = { "tpu-v3-1", "tpu-v2-8", "v100", "xeon-6148", "tpu-v9-1" };
static const char *const settings[] = { "hbm.efficiency=0.5", "mxu.count=1", "mxu.count=0",
                                        "no.such=1", "core.clock=1 GHz" };
static const char *const texts[] = {
    "cyclotron-trace 1\nworkload \"one\"\nsamples step=8 epoch=80\ndtype tensors=f32 matmul=bf16 "
    "activations=narrow\ntensor %a f32[8,8] input\nstep {\n  %x f32[8,8] = elementwise(%a) "
    "flops=64\n}\n",
    "cyclotron-trace 1\ntensor %a f32[16,8] input\ntensor %w f32[8,128] weight\nstep {\n"
    "  phase forward\n  %x f32[16,128] = matmul(%a, %w)\n  phase backward\n"
    "  %y f32[16,128] = elementwise(%x)\n}\n",
    "HloModule m\nENTRY e {\n  a = f32[64,64] parameter(0)\n  ROOT b = f32[64,64] add(a, a)\n}\n",
    "cyclotron-trace 1\nstep {\n  %x f32[8] = elementwise(%none)\n}\n",
    "no trace at all",
    "",
};
static const char *const plans[] = {
    "[sweep]\ntrace = gen:3dgan batch=2\nmachine = tpu-v3-1\n[axis]\nhbm.efficiency = 0.5,0.7\n",
    "[sweep]\ntrace = gen:3dgan batch=2\nmachine = tpu-v3-1\nwhere = mxu.count < 2\n[axis]\n"
    "mxu.count = 1,2\n",
    "[axis]\nno.such = 1\n",
    "",
};
static const char *const paths[] = { "seconds_per_step", "memory.fits", "machine",
                                     "utilization.mxu",  "no.such",     "" };
#define N(array) (sizeof(array) / sizeof *(array))

struct objects {
    struct cyclotron_machine *machine[SLOTS];
    struct cyclotron_program *program[SLOTS];
    struct cyclotron_result *result[SLOTS];
    struct cyclotron_plan *plan;
    struct cyclotron_point *point;
};

/* Nobody frees them. */
static struct cyclotron_machine *shared_machine;
static struct cyclotron_program *shared_program;
static double shared_seconds;

struct calls {
    const uint8_t *data;
    size_t size;
    struct objects o;
    unsigned asked, stops_after; /* 0: never */
};

/* A call that failed says why; one that did not leaves the error alone. */
static void check_answer(const struct cyclotron_error *e, bool good)
{
    if (good)
        FUZZ_CHECK(e->code == CYCLOTRON_OK && strcmp(e->message, "as before") == 0);
    else
        FUZZ_CHECK(e->code != CYCLOTRON_OK && *e->message && !strchr(e->message, '\n'));
}

static int stop_after(void *self)
{
    struct calls *c = self;

    return c->stops_after && ++c->asked >= c->stops_after;
}

static void count_values(void *self, const struct cyclotron_value *v)
{
    size_t *n = self;

    FUZZ_CHECK(v->unit && (v->kind != CYCLOTRON_STRING || v->text));
    ++*n;
}

static void hear_progress(void *self, const char *what, uint64_t done, uint64_t all)
{
    (void)self;
    FUZZ_CHECK(*what && (all == 0 || done <= all));
}

/* --- calls: `slot` below SLOTS, `by` any byte ------------------------------------------------- */

static void load_machine(struct calls *c, unsigned slot, unsigned by)
{
    struct cyclotron_error e = { CYCLOTRON_OK, "as before" };
    const char *set = settings[by % N(settings)];

    cyclotron_machine_free(c->o.machine[slot]);
    c->o.machine[slot] =
        cyclotron_machine_load(machines[by / 8 % N(machines)], &set, by % 8 < N(settings), &e);
    check_answer(&e, c->o.machine[slot]);
}

static void describe_machine(struct calls *c, unsigned slot, unsigned by)
{
    const struct cyclotron_machine *m = c->o.machine[slot];

    if (!m)
        m = shared_machine;
    char *text = by % 2 ? cyclotron_machine_summary(m) : cyclotron_machine_text(m);
    FUZZ_CHECK(text && *text);
    cyclotron_free(text);
}

static void parse_program(struct calls *c, unsigned slot, unsigned by)
{
    struct cyclotron_error e = { CYCLOTRON_OK, "as before" };
    const char *text = texts[by % N(texts)];

    cyclotron_program_free(c->o.program[slot]);
    c->o.program[slot] = cyclotron_program_parse("mine", text, strlen(text), by / 128 % 2, &e);
    check_answer(&e, c->o.program[slot]);
    if (c->o.program[slot])
        FUZZ_CHECK(cyclotron_program_machine(c->o.program[slot]) != NULL);
}

static void replay_program(struct calls *c, unsigned slot, unsigned by)
{
    struct cyclotron_error e = { CYCLOTRON_OK, "as before" };
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    bool ours = !c->o.program[slot] || !c->o.machine[slot];

    o.steps = by % 4; /* 0 is out of range */
    o.exact = by / 4 % 2;
    o.lanes = by / 8 % 2;
    o.stop = stop_after;
    o.stop_self = c;
    o.progress = by & 16 ? hear_progress : NULL;
    c->asked = 0;
    c->stops_after = by / 32;
    cyclotron_result_free(c->o.result[slot]);
    c->o.result[slot] = cyclotron_replay(ours ? shared_program : c->o.program[slot],
                                         ours ? shared_machine : c->o.machine[slot], &o, &e);
    check_answer(&e, c->o.result[slot]);
    if (c->o.result[slot] && ours && o.steps == 1) {
        double seconds = 0;
        FUZZ_CHECK(cyclotron_result_number(c->o.result[slot], paths[0], &seconds, NULL) == 0);
        FUZZ_CHECK(seconds == shared_seconds); /* whatever the other thread does */
    }
    FUZZ_CHECK(e.code != CYCLOTRON_STOPPED || c->asked >= c->stops_after);
}

static void read_result(struct calls *c, unsigned slot, unsigned by)
{
    const struct cyclotron_result *r = c->o.result[slot];
    const char *path = paths[by % N(paths)], *unit = NULL;
    double number;
    size_t n = 0;

    if (!r)
        return;
    if (cyclotron_result_number(r, path, &number, &unit) == 0)
        FUZZ_CHECK(unit != NULL);
    cyclotron_free(cyclotron_result_string(r, path));
    cyclotron_result_visit(r, count_values, &n);
    FUZZ_CHECK(n > 0);
    for (int rows = CYCLOTRON_PHASES; rows <= CYCLOTRON_SOURCES; rows++) {
        size_t all = cyclotron_result_rows(r, (enum cyclotron_rows)rows), i = by / 8;
        int rc = cyclotron_result_visit_row(r, (enum cyclotron_rows)rows, i, count_values, &n);
        FUZZ_CHECK(rc == (i < all ? 0 : -1));
    }
}

static void write_report(struct calls *c, unsigned slot, unsigned by)
{
    unsigned kind = by % 5;

    if (!c->o.result[slot])
        return;
    char *text = cyclotron_result_report(c->o.result[slot], (enum cyclotron_report)kind);
    FUZZ_CHECK(kind > CYCLOTRON_HTML ? !text : text && *text);
    cyclotron_free(text);
}

static void parse_plan(struct calls *c, unsigned slot, unsigned by)
{
    struct cyclotron_error e = { CYCLOTRON_OK, "as before" };
    const char *text = plans[by % N(plans)];

    (void)slot;
    c->asked = 0;
    c->stops_after = by / 64;
    cyclotron_plan_free(c->o.plan);
    c->o.plan = by & 16 ? cyclotron_plan_parse("mine", text, &e)
                        : cyclotron_plan_parse_until("mine", text, stop_after, c, &e);
    check_answer(&e, c->o.plan);
}

static void read_plan(struct calls *c, unsigned slot, unsigned by)
{
    if (!c->o.plan)
        return;
    size_t points = cyclotron_plan_points(c->o.plan), axes = cyclotron_plan_axes(c->o.plan);
    FUZZ_CHECK((cyclotron_plan_axis(c->o.plan, slot) != NULL) == (slot < axes));
    FUZZ_CHECK((cyclotron_plan_value(c->o.plan, by % 4, slot) != NULL) ==
               (by % 4 < points && slot < axes));
}

static void run_point(struct calls *c, unsigned slot, unsigned by)
{
    struct cyclotron_error e = { CYCLOTRON_OK, "as before" };
    double number;
    size_t n = 0;

    (void)slot;
    cyclotron_point_free(c->o.point);
    c->o.point = NULL;
    if (!c->o.plan)
        return;
    c->o.point = cyclotron_plan_run(c->o.plan, by % 3, &e);
    check_answer(&e, c->o.point);
    if (!c->o.point)
        return;
    FUZZ_CHECK(cyclotron_point_number(c->o.point, paths[0], &number) == 0 && number > 0);
    cyclotron_point_visit(c->o.point, count_values, &n);
    FUZZ_CHECK(n > 0 && *cyclotron_point_json(c->o.point) == '{');
}

static void drop_some(struct calls *c, unsigned slot, unsigned by)
{
    if (by & 1) {
        cyclotron_machine_free(c->o.machine[slot]);
        c->o.machine[slot] = NULL;
    }
    if (by & 2) {
        cyclotron_program_free(c->o.program[slot]);
        c->o.program[slot] = NULL;
    }
    if (by & 4) {
        cyclotron_plan_free(c->o.plan); /* before its point */
        c->o.plan = NULL;
    }
}

typedef void call(struct calls *c, unsigned slot, unsigned by);
static call *const each[] = { load_machine, parse_program, replay_program,  replay_program,
                              read_result,  write_report,  parse_plan,      read_plan,
                              run_point,    drop_some,     describe_machine };

static void *make_calls(void *self)
{
    struct calls *c = self;

    for (size_t i = 0; i + 1 < c->size && i < 2 * MOST_CALLS; i += 2)
        each[c->data[i] % N(each)](c, c->data[i] / N(each) % SLOTS, c->data[i + 1]);
    for (int i = 0; i < SLOTS; i++) {
        cyclotron_machine_free(c->o.machine[i]);
        cyclotron_program_free(c->o.program[i]);
        cyclotron_result_free(c->o.result[i]);
    }
    cyclotron_plan_free(c->o.plan);
    cyclotron_point_free(c->o.point);
    return NULL;
}

static void share_objects(void)
{
    struct cyclotron_error e;

    if (shared_machine)
        return;
    shared_machine = cyclotron_machine_load(machines[0], NULL, 0, &e);
    shared_program = cyclotron_program_parse("shared", texts[0], strlen(texts[0]), 0, &e);
    struct cyclotron_result *r = cyclotron_replay(shared_program, shared_machine, NULL, &e);
    FUZZ_CHECK(r && cyclotron_result_number(r, paths[0], &shared_seconds, NULL) == 0);
    cyclotron_result_free(r);
}

/* The first byte says how many of the others are the calls of the second thread. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pthread_t other;

    share_objects();
    if (size < 3)
        return 0;
    size_t second = data[0] % (size - 1);
    struct calls a = { .data = data + 1, .size = size - 1 - second };
    struct calls b = { .data = data + size - second, .size = second };
    bool both = second > 1;
    FUZZ_CHECK(!both || pthread_create(&other, NULL, make_calls, &b) == 0);
    make_calls(&a);
    FUZZ_CHECK(!both || pthread_join(other, NULL) == 0);
    fuzz_accepted++;
    return 0;
}

/* Bytes drawn anew: no input is better than another. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t state = seed;

    if (seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, room);
    size = 3 + fuzz_draw(&state, 2 * 2 * MOST_CALLS);
    for (size_t i = 0; i < size && i < room; i++)
        data[i] = (uint8_t)fuzz_draw(&state, 256);
    return size < room ? size : room;
}
