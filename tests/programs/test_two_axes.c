/* Steps on meshes of two axes (two_axes.py), as the compiler divides them: collectives of one axis,
 * collectives that kernels carry, rings in loops.
 *
 * The compiler says FLOPs, with loop bodies once, and a peak: the arguments, and what is alive at
 * most besides them in one memory, HBM or that on chip, whichever holds more. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import.h"
#include "import/open.h"
#include "run/result/result.h"

struct expected {
    const char *name, *machine;
    double flops, arguments, peak; /* of the compiler */
    struct {
        const char *part; /* of lines, */
        unsigned times;
    } line[3];
};

/* Groups are those of the mesh: model has 4 neighbours, data every 4th device. */
static const struct expected programs[] = {
    { "fsdp",
      "tpu-v5e-8",
      190709760,
      393216,
      1445376,
      { { " = all-gather-start(%convert_element_type.2", 3 },
        { " = all-gather-done(%async-collective-start", 3 },
        { " group=2 group-stride=4", 7 } } },
    { "fsdp",
      "tpu-v7-8",
      188612608,
      393216,
      1311776,
      { { " = all-gather-start(", 4 },
        { " = all-reduce-start(", 3 },
        { " = reduce-scatter-start(", 4 } } },
    { "ring",
      "tpu-v5p-16",
      103177992,
      163840,
      2931744,
      { { " = collective-permute-start(", 4 }, { " group=4 shift=3", 2 }, { "repeat 4 {", 2 } } },
    { "experts",
      "tpu-v4-16",
      141632800,
      329728,
      1118208,
      { { " = all-to-all(", 3 }, { " group=2 group-stride=4", 1 }, { " = all-reduce(", 3 } } },
    { "experts",
      "tpu-v6e-8",
      141640992,
      329728,
      1117728,
      { { " = all-to-all(", 3 }, { " group=2 group-stride=4", 1 }, { " = all-reduce(", 3 } } },
};
#define N (sizeof programs / sizeof *programs)

static char *read_program(const struct expected *e, size_t *size)
{
    char path[256], *text;
    struct err err;

    snprintf(path, sizeof path, "tests/programs/%s.%s.hlo.zst", e->name, e->machine);
    cr_assert_eq(import_read(&text, size, path, &err), 0, "%s", err.msg);
    return text;
}

static unsigned count_part(const char *text, const char *part)
{
    unsigned n = 0;

    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        n++;
    }
    return n;
}

static void check_trace(const struct expected *e, const char *hlo, size_t size)
{
    struct import_totals totals;
    struct hlo_module *m;
    struct err err;
    size_t length;
    char *text;

    cr_assert_eq(hlo_parse(&m, e->name, hlo, size, &err), 0, "%s", err.msg);
    cr_assert_eq(import_hlo_text(m, NULL, &text, &length, &totals, &err), 0, "%s", err.msg);
    cr_expect_float_eq((double)totals.flops_once / e->flops, 1, 0.01, "%s: %g of %g FLOPs", e->name,
                       (double)totals.flops_once, e->flops);
    cr_expect_eq(totals.unmodelled_instructions, 0);
    for (size_t i = 0; i < sizeof e->line / sizeof *e->line; i++)
        cr_expect_eq(count_part(text, e->line[i].part), e->line[i].times, "%s.%s: %u of '%s'",
                     e->name, e->machine, count_part(text, e->line[i].part), e->line[i].part);
    free(text);
    hlo_free(m);
}

static void check_replay(const struct expected *e)
{
    char path[256];
    struct run_request q = { .trace = path, .machine = e->machine, .steps = 1 };
    struct run_result r;
    struct err err;
    double live, most = 0;

    snprintf(path, sizeof path, "tests/programs/%s.%s.hlo.zst", e->name, e->machine);
    cr_assert_eq(run_replay(&q, &r, &err), 0, "%s", err.msg);
    live = (double)r.peak_bytes_per_core - e->arguments;
    most = live > most ? live : most;
    for (int s = 0; s < TRACE_N_SPACES; s++)
        most = (double)r.memory.elsewhere[s] > most ? (double)r.memory.elsewhere[s] : most;
    cr_expect_float_eq((e->arguments + most) / e->peak, 1, 0.005, "%s: %g of %g B at the peak",
                       e->name, e->arguments + most, e->peak);
    cr_expect_eq(r.account.count[ACCOUNT_BOUNDS], 0);
    run_result_free(&r);
}

Test(two_axes, come_out_as_their_compiler_described_them)
{
    for (size_t i = 0; i < N; i++) {
        size_t size;
        char *hlo = read_program(&programs[i], &size);
        check_trace(&programs[i], hlo, size);
        free(hlo);
        check_replay(&programs[i]);
    }
}
