/* Plans with conditions, whose points are made under a clock: what asks to stop is asked all the
 * time, is heard at once, and without it the work has a limit. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cyclotron.h"
#include "tests/fuzz/fuzz.h"

#define LONGEST_MS 200.0 /* of making points */
#define GAP_MS 1000.0    /* between two calls of the clock; of reading the plan before the first */

static const char *const words[] = {
    "[sweep]\n",
    "[axis]\n",
    "trace = gen:3dgan batch=8\n",
    "machine = tpu-v3-8\n",
    "machine = tpu-v2-8\n",
    "where = mxu.count <= 2\n",
    "where = mxu.count * mxu.size > 1e9\n",
    "where = hbm.efficiency > 2 || core.clock < 1 Hz\n",
    "where = min(mxu.count, mxu.size) == max(1, 2) && machine != 'tpu-v3-8'\n",
    "where = !(mxu.issue / 0 > 1)\n",
    "sample = lhs:1000\n",
    "sample = sobol:4096\n",
    "zip = hbm.efficiency,mxu.issue\n",
    "seed = 7\n",
    "hbm.efficiency = 0.3:0.9:0.0006\n",
    "mxu.issue = 0.3:0.9:0.003\n",
    "core.hand_wait = 0:1000:1\n",
    "core.clock = 500:1500:1 MHz\n",
    "hbm.bandwidth = 100:900:log500 GB/s\n",
    "mxu.count = 1:64:1\n",
    "gen.batch = 8,16,32\n",
    "shard.data = 1,2,4,8\n",
    "proxy.board = 1:10000:1\n",
    ":1000000:",
    "lin99999",
    "&& ",
    "|| ",
    "1e300",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

struct watch {
    double begun, asked;
    unsigned times;
    bool stopped;
};

static double read_clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int is_late(void *self)
{
    struct watch *w = self;
    double now = read_clock_ms();

    FUZZ_CHECK(!w->stopped); /* it was told already */
    FUZZ_CHECK(now - w->asked < GAP_MS);
    w->asked = now;
    w->times++;
    w->stopped = now - w->begun > LONGEST_MS;
    return w->stopped;
}

/* Lines that name files are no part of the input: they could lead anywhere. */
static bool names_files(const char *text)
{
    return strchr(text, '/') || strstr(text, ".ini") || strstr(text, ".trace");
}

/* The axes and values of the first points are there. */
static void read_points(const struct cyclotron_plan *p)
{
    size_t points = cyclotron_plan_points(p), axes = cyclotron_plan_axes(p);

    for (size_t a = 0; a < axes; a++) {
        FUZZ_CHECK(cyclotron_plan_axis(p, a));
        for (size_t i = 0; i < points && i < 10; i++)
            FUZZ_CHECK(cyclotron_plan_value(p, points - 1 - i, a));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    struct cyclotron_error e = { .code = CYCLOTRON_OK };
    struct watch w = { .begun = read_clock_ms() };

    w.asked = w.begun;
    if (!names_files(text)) {
        struct cyclotron_plan *p = cyclotron_plan_parse_until("plan", text, is_late, &w, &e);
        FUZZ_CHECK(p || (*e.message && !strchr(e.message, '\n')));
        FUZZ_CHECK((e.code == CYCLOTRON_STOPPED) == w.stopped);
        FUZZ_CHECK(read_clock_ms() - w.asked < GAP_MS);
        if (p)
            read_points(p);
        fuzz_accepted += p || w.stopped;
        cyclotron_plan_free(p);
    }
    free(text);
    return 0;
}
