/* Better hardware does not make a step slower: twice a bandwidth, clock, count or capacity, and
 * half a time or a cost, take at most 1 % longer.  One parameter at a time, on machines of all
 * generations.
 *
 * The short form replays fc everywhere and one or two other workloads where that is quick.
 * `make test-monotonic` replays all of them on all machines: CYCLOTRON_MONOTONIC=full. */
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>

#include "machine/spec/spec.h"
#include "tests/physics/directions.h"
#include "tests/physics/replay_bench.h"

/* A workload, and whether the short form replays it on the machine at hand. */
struct workload {
    const char *name, *set[2]; /* settings of its generator */
    bool quick;
};

/* Cases that are slower by more than 1 %, and by how much at most: docs/program/architecture.md
 * says why.
 */
static const struct {
    const char *machine, *workload, *key;
    double most;
} misses[] = {
    { "tpu-v3-8", "exatrkx", "core.clock", 1.013 },
    { "tpu-v8i-8", "exatrkx", "xla.lane_reduce_time", 1.015 },
    { "tpu-v8t-8", "exatrkx", "*", 1.016 },
    { "tpu-v7-8", "traces/programs/exatrkx.tpu-v7-8.hlo.zst", "mxu.count", 1.03 },
    { "tpu-v7-8", "traces/programs/exatrkx.tpu-v7-8.hlo.zst", "mxu.size", 1.02 },
    { "tpu-v7-8", "traces/programs/exatrkx.tpu-v7-8.hlo.zst", "mxu.rows_per_cycle", 1.035 },
    { "tpu-v7-8", "traces/programs/exatrkx.tpu-v7-8.hlo.zst", "mxu.turned_rows_per_cycle", 1.02 },
    { "tpu-v7-8", "traces/programs/exatrkx.tpu-v7-8.hlo.zst", "dram.clock", 1.04 },
};

struct bench {
    const char *machine, *workload;
    const char *text;
    size_t size;
    double seconds; /* of a step of the machine as it is */
    uint32_t tried;
};

static const struct direction_of *find_direction(const char *key)
{
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        if (fnmatch(directions[i].pattern, key, 0) == 0)
            return &directions[i];
    return NULL;
}

/* Seconds of a step; 0 when the machine would not go together. */
static double replay_seconds(const struct bench *b, const char *const *set, size_t n)
{
    struct run_request q = { .trace = b->workload,
                             .text = b->size ? b->text : NULL,
                             .text_size = b->size,
                             .machine = b->machine,
                             .set = set,
                             .n_set = n,
                             .steps = 1 };
    struct run_result r;
    struct err e;

    if (run_replay(&q, &r, &e) != 0) {
        cr_assert(e.code == ERR_RANGE || e.code == ERR_FIT, "%s: %s", b->machine, e.msg);
        return 0;
    }
    double seconds = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return seconds;
}

/* "key=value" with `num` / `den` of the value of `m`; false: it is 0, not whole or out of range. */
static bool scale_value(char out[128], const struct machine_spec *m, size_t table, size_t row,
                        uint64_t num, uint64_t den)
{
    const struct param_table *t = spec_tables[table];
    const struct param_desc *d = &t->rows[row];
    const char *at = (const char *)spec_object(m, table) + d->offset;
    bool small = d->kind == PARAM_U32;
    uint64_t v = small ? *(const uint32_t *)(const void *)at : *(const uint64_t *)(const void *)at;
    char value[64];
    struct err e;

    if (v == 0 || v * num % den)
        return false;
    v = v * num / den;
    if (d->kind == PARAM_PPB)
        snprintf(value, sizeof value, "%" PRIu64 ".%09" PRIu64, v / 1000000000, v % 1000000000);
    else
        snprintf(value, sizeof value, "%" PRIu64 "%s%s", v, d->unit[0] ? " " : "",
                 d->kind == PARAM_FS ? "fs" : d->unit);
    void *copy = memory_zeroed(1, t->size);
    memcpy(copy, spec_object(m, table), t->size);
    bool fits = param_set(t, d, copy, value, &e) == 0;
    cr_expect(fits || e.code == ERR_RANGE, "%s", e.msg);
    free(copy);
    snprintf(out, 128, "%s.%s=%s", t->section, d->name, value);
    return fits;
}

static double most_allowed(const struct bench *b, const char *key)
{
    for (size_t i = 0; i < sizeof misses / sizeof *misses; i++)
        if (strcmp(b->machine, misses[i].machine) == 0 &&
            strcmp(b->workload, misses[i].workload) == 0 && fnmatch(misses[i].key, key, 0) == 0)
            return misses[i].most;
    return 1.01;
}

static void expect_no_slower(struct bench *b, const char *key, const char *set)
{
    double seconds = replay_seconds(b, &set, 1);

    b->tried += seconds > 0;
    cr_expect_leq(seconds, b->seconds * most_allowed(b, key),
                  "%s on %s with %s takes %.6g s, without %.6g s: %+.2f %%", b->workload,
                  b->machine, set, seconds, b->seconds, 100 * (seconds / b->seconds - 1));
}

/* Try each parameter on one workload. */
static void try_parameters(struct bench *b, const struct machine_spec *m)
{
    char key[64], set[128];

    b->seconds = replay_seconds(b, NULL, 0);
    cr_assert_gt(b->seconds, 0);
    for (size_t t = 0; t < SPEC_N_TABLES; t++)
        for (size_t i = 0; spec_has(m->kind, t) && i < spec_tables[t]->n_rows; i++) {
            snprintf(key, sizeof key, "%s.%s", spec_tables[t]->section,
                     spec_tables[t]->rows[i].name);
            enum direction way = find_direction(key)->way;
            if (way != NEITHER &&
                scale_value(set, m, t, i, way == MORE ? 2 : 1, way == MORE ? 1 : 2))
                expect_no_slower(b, key, set);
        }
}

static void try_machine(const char *machine, const struct workload *w, size_t n)
{
    const char *full = getenv("CYCLOTRON_MONOTONIC");
    struct machine_spec *m;
    struct err e;

    cr_assert_eq(spec_load(&m, machine, NULL, 0, &e), 0, "%s", e.msg);
    for (size_t i = 0; i < n; i++) {
        if (!w[i].quick && !(full && strcmp(full, "full") == 0))
            continue;
        struct memory_text text;
        memory_text_begin(&text);
        size_t n_set = 0;
        while (n_set < 2 && w[i].set[n_set])
            n_set++;
        cr_assert_eq(gen_write(w[i].name, w[i].set, n_set, text.out, &e), 0, "%s", e.msg);
        char *bytes = memory_text_end(&text);
        struct bench b = { machine, w[i].name, bytes, text.size, 0, 0 };
        try_parameters(&b, m);
        cr_expect_geq(b.tried, 40, "%s: only %" PRIu32 " parameters were tried", machine, b.tried);
        free(bytes);
    }
    spec_free(m);
}

/* Each parameter on a compiled program that is there. */
static void try_program(const char *machine, const char *program)
{
    struct bench b = { machine, program, NULL, 0, 0, 0 };
    struct machine_spec *m;
    struct err e;

    cr_assert_eq(spec_load(&m, machine, NULL, 0, &e), 0, "%s", e.msg);
    try_parameters(&b, m);
    cr_expect_geq(b.tried, 40, "%s: only %" PRIu32 " parameters were tried", machine, b.tried);
    spec_free(m);
}

/* Files of traces/programs are named PROGRAM.MACHINE.hlo.zst. */
Test(monotonic, compiled_programs)
{
    const char *full = getenv("CYCLOTRON_MONOTONIC");
    glob_t found;

    cr_assert_eq(glob("traces/programs/*.tpu-*.hlo.zst", 0, NULL, &found), 0);
    for (size_t i = 0; full && strcmp(full, "full") == 0 && i < found.gl_pathc; i++) {
        char machine[32];
        cr_assert_eq(sscanf(strchr(found.gl_pathv[i], '.'), ".%31[^.]", machine), 1);
        try_program(machine, found.gl_pathv[i]);
    }
    globfree(&found);
}

/* A register that holds several tiles of an array, and an array that holds several of those that
 * windows were chosen for, do what the smaller ones do. */
Test(monotonic, larger_arrays_and_registers_than_programs_were_compiled_for)
{
    static const struct {
        const char *machine, *program, *set;
    } cases[] = {
        { "tpu-v4-8", "traces/programs/exatrkx.tpu-v4-8.hlo.zst", "mxu.size=256" },
        { "tpu-v5e-4", "traces/programs/mlpf.tpu-v5e-4.hlo.zst", "mxu.size=256" },
        { "tpu-v3-8", "traces/programs/gan3d.tpu-v3-8.hlo.zst", "vpu.sublanes=16" },
        { "tpu-v6e-4", "traces/programs/gan3d.tpu-v6e-4.hlo.zst", "vpu.lanes=256" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { cases[i].machine, cases[i].program, NULL, 0, 0, 0 };
        b.seconds = replay_seconds(&b, NULL, 0);
        expect_no_slower(&b, "", cases[i].set);
    }
}

/* A region of an event has the shapes of the layers of Exa-TrkX, and takes a tenth of the time;
 * MLPF with one graph layer in place of three has all its kernels. */
#define TRY(machine, mlpf, gan, exatrkx)                                                           \
    try_machine(machine,                                                                           \
                (const struct workload[]){ { "fc", { NULL }, true },                               \
                                           { "mlpf", { "common=1", "energy=1" }, mlpf },           \
                                           { "mlpf", { NULL }, false },                            \
                                           { "3dgan", { NULL }, gan },                             \
                                           { "3dgan", { "loop=host" }, false },                    \
                                           { "exatrkx", { "graph=region" }, exatrkx } },           \
                6)

Test(monotonic, tpu_v2)
{
    TRY("tpu-v2-8", false, false, false);
}

Test(monotonic, tpu_v3)
{
    TRY("tpu-v3-8", true, false, false);
}

Test(monotonic, tpu_v4)
{
    TRY("tpu-v4-8", false, true, false);
}

Test(monotonic, tpu_v5e)
{
    TRY("tpu-v5e-8", false, false, false);
}

Test(monotonic, tpu_v6e)
{
    TRY("tpu-v6e-8", true, false, false);
}

Test(monotonic, tpu_v7)
{
    TRY("tpu-v7-8", false, false, false);
}

Test(monotonic, tpu_v8i)
{
    TRY("tpu-v8i-8", true, false, false);
}

Test(monotonic, tpu_v8t)
{
    TRY("tpu-v8t-8", true, false, false);
}

Test(monotonic, v100)
{
    TRY("v100x4", false, false, false);
}

Test(monotonic, xeon)
{
    TRY("xeon-6148", true, false, false);
}

Test(monotonic, a100)
{
    TRY("a100x4", true, false, false);
}

Test(monotonic, h100)
{
    TRY("h100x8", true, false, false);
}

Test(monotonic, nodes_of_v100)
{
    TRY("v100x16", false, false, false);
}

Test(monotonic, every_parameter_has_a_direction)
{
    for (size_t t = 0; t < SPEC_N_TABLES; t++)
        for (size_t i = 0; i < spec_tables[t]->n_rows; i++) {
            const struct param_desc *d = &spec_tables[t]->rows[i];
            char key[64];
            snprintf(key, sizeof key, "%s.%s", spec_tables[t]->section, d->name);
            const struct direction_of *way = find_direction(key);
            cr_assert_not_null(way, "%s: in no row of directions.h", key);
            cr_expect_eq(way->way == NEITHER, way->why != NULL, "%s", key);
            if (d->kind == PARAM_ENUM || d->kind == PARAM_TEXT)
                cr_expect_eq(way->way, NEITHER, "%s", key);
        }
}

/* A clock from 700 MHz to 1.88 GHz in steps, with twice the matrix units. */
Test(monotonic, mlpf_on_a_v3_gains_from_its_clock)
{
    static const char *const clock[] = { "700",  "800",  "900",  "940", "1000",
                                         "1100", "1250", "1500", "1880" };
    struct memory_text text;
    struct err e;
    double least = 1e9;

    memory_text_begin(&text);
    cr_assert_eq(gen_write("mlpf", NULL, 0, text.out, &e), 0, "%s", e.msg);
    char *bytes = memory_text_end(&text);
    struct bench b = { "tpu-v3-8", "mlpf", bytes, text.size, 0, 0 };
    for (size_t i = 0; i < sizeof clock / sizeof *clock; i++) {
        char set[32];
        snprintf(set, sizeof set, "core.clock=%s MHz", clock[i]);
        double seconds = replay_seconds(&b, (const char *[]){ set, "mxu.count=4" }, 2);
        cr_expect_leq(seconds, 1.01 * least, "%s: %.6g s after %.6g s", set, seconds, least);
        least = seconds < least ? seconds : least;
    }
    free(bytes);
}

/* HBM that is twice as fast is a part with twice the clock. */
Test(monotonic, twice_the_hbm_with_its_part_is_no_slower)
{
    static const char *const machine[] = { "tpu-v3-8", "tpu-v4-8" };
    struct memory_text text;
    struct err e;

    memory_text_begin(&text);
    cr_assert_eq(gen_write("mlpf", NULL, 0, text.out, &e), 0, "%s", e.msg);
    char *bytes = memory_text_end(&text);
    for (int i = 0; i < 2; i++) {
        struct bench b = { machine[i], "mlpf", bytes, text.size, 0, 0 };
        struct machine_spec *m;
        char hbm[64], dram[64];
        cr_assert_eq(spec_load(&m, machine[i], NULL, 0, &e), 0, "%s", e.msg);
        snprintf(hbm, sizeof hbm, "hbm.bandwidth=%" PRIu64 " B/s", 2 * m->hbm.bandwidth);
        snprintf(dram, sizeof dram, "dram.clock=%" PRIu64 " Hz", 2 * m->dram.clock);
        spec_free(m);
        double seconds = replay_seconds(&b, (const char *[]){ hbm, dram }, 2);
        cr_expect_gt(seconds, 0);
        cr_expect_lt(seconds, replay_seconds(&b, NULL, 0), "%s", machine[i]);
    }
    free(bytes);
}
