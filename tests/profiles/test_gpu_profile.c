/* A step that XLA:GPU compiled beside profiles of it on an H100: an XPlane file, in which kernels
 * of command buffers have the names of kernels, and the same as a database in the form of Nsight
 * Systems. */
#include <criterion/criterion.h>
#include <gmp.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/profiled/profiled.h"

#define PROGRAM "tests/profiles/h100_dlrm.hlo.zst"
#define XPLANE "tests/profiles/h100_dlrm.xplane.pb.gz"

static void expect_paired(const char *profile, const char *format)
{
    struct profiled p;
    struct err err;
    const struct profiled_request q = { .run = { .trace = PROGRAM, .machine = "h100x1" },
                                        .profile = profile };

    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    cr_expect_str_eq(p.profile->format, format);
    cr_expect_eq(p.steps, 2);
    cr_expect_gt(mpq_get_d(p.paired_share), 0.995);
    cr_expect_lt(mpq_get_d(p.error), 0.15);
    cr_expect_float_eq(mpq_get_d(p.in_kernels.measured), 2.877e-3, 2e-6);
    profiled_free(&p);
}

Test(gpu_profile, kernels_of_command_buffers_find_their_instructions)
{
    expect_paired(XPLANE, "xplane");
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, &why), SQLITE_OK, "%s", why);
}

/* Write the kernels of a profile, each as often as it ran, one after the other. */
static void write_database(const struct profile *f, const char *path)
{
    sqlite3 *db;
    int64_t at = 1000;

    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "CREATE TABLE StringIds (id INTEGER, value TEXT);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId "
                "INTEGER, streamId INTEGER, correlationId INTEGER, shortName INTEGER, graphNodeId "
                "INTEGER)");
    for (size_t i = 0; i < f->n_kernels; i++) {
        const struct profile_kernel *k = &f->kernel[i];
        uint64_t graph = 0, node = 0;
        const char *behind = strstr(k->name, " #");
        int n = behind ? (int)(behind - k->name) : (int)strlen(k->name);
        if (behind)
            sscanf(behind, " #%" SCNu64 ".%" SCNu64, &graph, &node);
        char *sql =
            sqlite3_mprintf("INSERT INTO StringIds VALUES (%d, '%.*q')", (int)i, n, k->name);
        run_sql(db, sql);
        sqlite3_free(sql);
        for (uint64_t run = 0; run < k->count; run++) {
            int64_t length = (int64_t)(k->total / k->count / 1000);
            sql =
                sqlite3_mprintf("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%lld, %lld, 0, 7, "
                                "%d, %d, %lld)",
                                (long long)at, (long long)(at + length), (int)i, (int)i,
                                (long long)(graph << 32 | node));
            run_sql(db, sql);
            sqlite3_free(sql);
            at += length + 1000;
        }
    }
    sqlite3_close(db);
}

Test(gpu_profile, a_database_of_nsight_systems)
{
    char path[] = "/tmp/nsys.XXXXXX";
    struct profile *f;
    struct err err;

    cr_assert_eq(profile_read(&f, XPLANE, &err), 0, "%s", err.msg);
    close(mkstemp(path));
    write_database(f, path);
    expect_paired(path, "nsys");
    profile_free(f);
    remove(path);
}

/* A kernel of a graph is told from others of its name by the graph, the upper half, and its place.
 */
Test(gpu_profile, a_kernel_of_a_graph_has_its_place_in_its_name)
{
    char path[] = "/tmp/graph.XXXXXX";
    struct profile_kernel kernel[] = {
        { .name = "gemm", .count = 1, .total = 7000000 },
        { .name = "gemm #5.9", .count = 2, .total = 8000000 },
    };
    const struct profile written = { .kernel = kernel, .n_kernels = 2 };
    struct profile *f;
    struct err err;

    close(mkstemp(path));
    write_database(&written, path);
    cr_assert_eq(profile_read(&f, path, &err), 0, "%s", err.msg);
    cr_assert_eq(f->n_kernels, 2);
    for (size_t i = 0; i < 2; i++) {
        bool first = strcmp(f->kernel[i].name, "gemm") == 0;
        cr_expect_str_eq(f->kernel[i].name, kernel[!first].name);
        cr_expect_eq(f->kernel[i].count, kernel[!first].count);
        cr_expect_eq(f->kernel[i].total, kernel[!first].total);
    }
    profile_free(f);
    remove(path);
}

/* Another database than one of Nsight Systems is one line. */
Test(gpu_profile, another_database)
{
    char path[] = "/tmp/other.XXXXXX";
    struct profile *f;
    struct err err;
    sqlite3 *db;

    close(mkstemp(path));
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "CREATE TABLE t (x INTEGER)");
    sqlite3_close(db);
    cr_expect_eq(profile_read(&f, path, &err), -1);
    cr_expect(strstr(err.msg, ": a database without kernels of a GPU: expected one that `nsys "
                              "export --type sqlite` wrote"),
              "%s", err.msg);
    remove(path);
}
