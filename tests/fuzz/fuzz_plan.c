/* Plans of sweeps: read, finished where they are small, printed and read again. */
#include <stdlib.h>
#include <string.h>

#include "machine/spec/spec.h"
#include "sweep/plan.h"
#include "tests/fuzz/fuzz.h"

#define MOST_POINTS 3000

static const char *const words[] = {
    "[sweep]\n",
    "[axis]\n",
    "trace = gen:3dgan batch=8\n",
    "machine = tpu-v3-8\n",
    "machine = v100\n",
    "set = mxu.issue=0.9\n",
    "where = mxu.count <= 2\n",
    "sample = lhs:10\n",
    "sample = sobol:8\n",
    "seed = 1\n",
    "steps = 2\n",
    "exact = yes\n",
    "allow = steps=5\n",
    "mxu.count = 1,2,4\n",
    "hbm.rate = 600..900 GB/s by 100\n",
    "zip = mxu.count,mxu.size\n",
    "x",
    "log",
    "..",
    ",",
    "*",
    "gen.batch = 8,16\n",
    "proxy = board=800\n",
    "mxu.size = 64..256 x2\n",
    "machine",
    "=",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

static bool is_small(const struct plan *p)
{
    double points = 1;

    for (size_t i = 0; i < p->n_axes; i++)
        if (p->zip[i] == i)
            points *= (double)p->axis[i].n;
    return points <= MOST_POINTS && p->samples <= MOST_POINTS;
}

/* Does it have machines or traces that are files?  Those are no part of the input. */
static bool has_files(const struct plan *p)
{
    for (size_t i = 0; i < p->traces.n; i++)
        if (strncmp(p->traces.word[i], "gen:", 4) != 0)
            return true;
    for (size_t i = 0; i < p->machines.n; i++)
        if (catalog_is_path(p->machines.word[i]))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { .code = ERR_NONE };
    struct plan p, again;
    char *text = fuzz_string(data, size);

    plan_init(&p);
    if (plan_read_text(&p, "plan", text, &err) != 0) {
        fuzz_check_error(&err);
        goto out;
    }
    char *printed = plan_text(&p);
    plan_init(&again);
    if (plan_read_text(&again, "plan", printed, &err) != 0)
        fuzz_fail(__FILE__, __LINE__, err.msg);
    char *printed_again = plan_text(&again);
    FUZZ_CHECK(strcmp(printed, printed_again) == 0);
    if (plan_axes(&again, &err) != 0)
        fuzz_check_error(&err);
    else if (!has_files(&again) && is_small(&again)) {
        if (plan_finish(&p, &err) != 0)
            fuzz_check_error(&err);
        else
            fuzz_accepted++;
    }
    free(printed_again);
    free(printed);
    plan_free(&again);
out:
    plan_free(&p);
    free(text);
    return 0;
}
