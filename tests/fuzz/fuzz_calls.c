/* Calls of the library in any order: two threads, each with objects of its own and two that they
 * share; callbacks that stop.
 *
 * A thread's bytes are sequences: how many calls, then two bytes for each.  A sequence begins with
 * a plan that no call has changed, and with nothing else.  What takes long is drawn seldom, so that
 * a million sequences take an hour under sanitizers; "accepted" counts sequences. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/cyclotron.h"
#include "base/memory.h"
#include "tests/fuzz/fuzz.h"

enum { SLOTS = 2, MOST_CALLS = 5, MOST_BYTES = 1000 };

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
/* Texts of plans; TRACE stands for the path of the first trace above. */
static const char *const plans[] = {
    "[sweep]\ntrace = TRACE\nmachine = tpu-v3-1\n[axis]\nhbm.efficiency = 0.5,0.7\n",
    "[sweep]\ntrace = TRACE\nmachine = tpu-v3-1\nwhere = mxu.count < 2\n[axis]\nmxu.count = 1,2\n",
    "[axis]\nno.such = 1\n",
    "[sweep]\ntrace = TRACE\nmachine = tpu-v3-1\nwhere = mxu.count > 2\n[axis]\nmxu.count = 1,2\n"
    "core.clock = 500:600:1 MHz\n",
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

static struct cyclotron_machine *shared_machine;
static struct cyclotron_program *shared_program;
static double shared_seconds;

static char *plan[N(plans)];

struct calls {
    const uint8_t *data;
    size_t size;
    struct objects o;
    struct cyclotron_plan *kept;
    uint64_t sequences;
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
    bool ours = !c->o.program[slot] && !c->o.machine[slot];

    o.steps = by % 4; /* 0 is out of range */
    o.exact = by / 4 % 2;
    o.lanes = by / 8 % 2;
    o.stop = stop_after;
    o.stop_self = c;
    o.progress = by & 16 ? hear_progress : NULL;
    c->asked = 0;
    c->stops_after = by / 32;
    cyclotron_result_free(c->o.result[slot]);
    c->o.result[slot] =
        cyclotron_replay(c->o.program[slot] ? c->o.program[slot] : shared_program,
                         c->o.machine[slot] ? c->o.machine[slot] : shared_machine, &o, &e);
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
    const char *text = plan[by % N(plan)];

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
    const struct cyclotron_plan *p = c->o.plan ? c->o.plan : c->kept;
    size_t points = cyclotron_plan_points(p), axes = cyclotron_plan_axes(p);

    FUZZ_CHECK((cyclotron_plan_axis(p, slot) != NULL) == (slot < axes));
    FUZZ_CHECK((cyclotron_plan_value(p, by % 4, slot) != NULL) == (by % 4 < points && slot < axes));
}

static void run_point(struct calls *c, unsigned slot, unsigned by)
{
    struct cyclotron_error e = { CYCLOTRON_OK, "as before" };
    double number;
    size_t n = 0;

    (void)slot;
    cyclotron_point_free(c->o.point);
    c->o.point = cyclotron_plan_run(c->o.plan ? c->o.plan : c->kept, by % 3, &e);
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
/* Slow calls take milliseconds: one in 32 calls is slow.  Cheap ones stand several times. */
static call *const slow[] = { load_machine, parse_plan, run_point, load_machine };
static call *const quick[] = { parse_program, replay_program, read_result,     write_report,
                               parse_program, read_plan,      drop_some,       write_report,
                               read_plan,     drop_some,      describe_machine };

static void drop_all(struct objects *o)
{
    for (int i = 0; i < SLOTS; i++) {
        cyclotron_machine_free(o->machine[i]);
        cyclotron_program_free(o->program[i]);
        cyclotron_result_free(o->result[i]);
    }
    cyclotron_plan_free(o->plan);
    cyclotron_point_free(o->point);
    *o = (struct objects){ 0 };
}

static void *make_calls(void *self)
{
    struct calls *c = self;

    c->kept = cyclotron_plan_parse("kept", plan[0], NULL);
    FUZZ_CHECK(c->kept);
    for (size_t at = 0; at + 2 < c->size; c->sequences++) {
        for (unsigned n = 1 + c->data[at++] % MOST_CALLS; n > 0 && at + 1 < c->size; n--, at += 2) {
            unsigned which = c->data[at], slot = which % SLOTS;
            call *f = which % 32 == 31 ? slow[which / 32 % N(slow)] : quick[which / 2 % N(quick)];
            f(c, slot, c->data[at + 1]);
        }
        drop_all(&c->o);
    }
    cyclotron_plan_free(c->kept);
    return NULL;
}

static void make_plans(void)
{
    char path[FUZZ_PATH];

    fuzz_write("one.trace", texts[0], strlen(texts[0]));
    fuzz_path(path, "one.trace");
    for (size_t i = 0; i < N(plans); i++) {
        const char *at = strstr(plans[i], "TRACE");
        plan[i] = at ? memory_format("%.*s%s%s", (int)(at - plans[i]), plans[i], path,
                                     at + strlen("TRACE"))
                     : memory_copy(plans[i]);
    }
}

static void drop_shared(void)
{
    cyclotron_machine_free(shared_machine);
    cyclotron_program_free(shared_program);
    for (size_t i = 0; i < N(plan); i++)
        free(plan[i]);
}

static void share_objects(void)
{
    struct cyclotron_error e;

    if (shared_machine)
        return;
    make_plans();
    shared_machine = cyclotron_machine_load(machines[0], NULL, 0, &e);
    shared_program = cyclotron_program_parse("shared", texts[0], strlen(texts[0]), 0, &e);
    struct cyclotron_result *r = cyclotron_replay(shared_program, shared_machine, NULL, &e);
    FUZZ_CHECK(r && cyclotron_result_number(r, paths[0], &shared_seconds, NULL) == 0);
    cyclotron_result_free(r);
    atexit(drop_shared);
}

/* The first byte says how large a part of the others are the calls of the second thread. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pthread_t other;

    share_objects();
    if (size < 3)
        return 0;
    size_t second = (size - 1) * data[0] / 256;
    struct calls a = { .data = data + 1, .size = size - 1 - second };
    struct calls b = { .data = data + size - second, .size = second };
    bool both = second > 1;
    FUZZ_CHECK(!both || pthread_create(&other, NULL, make_calls, &b) == 0);
    make_calls(&a);
    FUZZ_CHECK(!both || pthread_join(other, NULL) == 0);
    fuzz_accepted += a.sequences + b.sequences;
    return 0;
}

/* Bytes drawn anew: no input is better than another. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t state = seed;

    if (seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, room);
    size = 3 + fuzz_draw(&state, 2 * MOST_BYTES);
    for (size_t i = 0; i < size && i < room; i++)
        data[i] = (uint8_t)fuzz_draw(&state, 256);
    return size < room ? size : room;
}
