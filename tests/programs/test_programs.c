/* Do the shipped programs come out as their compiler described them?
 *
 * The first line of each holds what the compiler said of it: FLOPs and peak memory of a device. The
 * rules by which we count them are ours (model/import, model/passes/liveness.h). */
#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "import/open.h"
#include "run/result/result.h"

#define PROGRAMS "traces/programs/*.hlo.zst"

/* The line of JSON at the head of a program. */
static json_t *read_comment(const char *path)
{
    static const char mark[] = "// cyclotron: ";
    struct err err;
    char *text;
    size_t size;

    cr_assert_eq(import_read(&text, &size, path, &err), 0, "%s", err.msg);
    cr_assert_eq(strncmp(text, mark, sizeof mark - 1), 0, "%s: no comment", path);
    *strchr(text, '\n') = '\0';
    json_error_t why;
    json_t *comment = json_loads(text + sizeof mark - 1, 0, &why);
    cr_assert_not_null(comment, "%s: %s", path, why.text);
    free(text);
    return comment;
}

static void replay_program(const char *path, const json_t *comment, struct run_result *r)
{
    const char *machine = json_string_value(json_object_get(comment, "machine"));
    struct run_request q = { .trace = path, .machine = machine, .steps = 1 };
    struct err err;

    cr_assert_not_null(machine, "%s names no machine", path);
    cr_assert_eq(run_replay(&q, r, &err), 0, "%s: %s", path, err.msg);
}

static double sum_flops(const struct run_result *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->n_ops; i++)
        sum += mpz_get_d(r->ops[i].flops);
    return sum;
}

static void for_each_program(void check(const char *path))
{
    glob_t found;

    cr_assert_eq(glob(PROGRAMS, 0, NULL, &found), 0, "no " PROGRAMS);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check(found.gl_pathv[i]);
    globfree(&found);
}

static void check_totals(const char *path)
{
    json_t *comment = read_comment(path);
    struct run_result r;

    replay_program(path, comment, &r);
    double flops = json_number_value(json_object_get(comment, "flops"));
    double peak = json_number_value(json_object_get(json_object_get(comment, "memory"), "peak"));
    cr_expect_float_eq(sum_flops(&r) / flops, 1, 0.01, "%s: %g of %g FLOPs", path, sum_flops(&r),
                       flops);
    cr_expect_float_eq((double)r.peak_bytes_per_core / peak, 1, 0.005, "%s: %g of %g B at the peak",
                       path, (double)r.peak_bytes_per_core, peak);
    cr_expect_eq(r.account.count[ACCOUNT_BOUNDS], 0);
    run_result_free(&r);
    json_decref(comment);
}

/* The trace has the compiler's peak; values between kernels fit the memories that they lie in. */
static void check_memory(const char *path)
{
    json_t *comment = read_comment(path);
    struct run_result r;
    uint64_t owned = 0;

    replay_program(path, comment, &r);
    cr_expect_gt(r.compiler_peak.stated, 0, "%s", path);
    cr_expect(r.compiler_peak.agrees, "%s", path);
    cr_expect_leq(r.vmem.peak, r.vmem.capacity, "%s: VMEM", path);
    cr_expect_leq(r.cmem.peak, r.cmem.capacity, "%s: CMEM", path);
    for (size_t i = 0; i < r.owners.n_sources; i++)
        owned += r.owners.source[i].bytes;
    cr_expect_eq(owned, r.peak_bytes_per_core, "%s: by source line", path);
    run_result_free(&r);
    json_decref(comment);
}

Test(programs, memory_is_that_of_the_compiler_and_fits_on_chip)
{
    for_each_program(check_memory);
}

Test(programs, flops_and_peak_are_those_of_the_compiler)
{
    for_each_program(check_totals);
}
