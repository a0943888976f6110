/* nsys.c - see nsys.h. */
#include "profile/nsys.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_NS (PROFILE_BUILD_PS_MAX / 2000)

static const char magic[] = "SQLite format 3";

bool nsys_knows(const unsigned char *head, size_t n)
{
    return n >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

struct reader {
    sqlite3 *db;
    const char *name;
    struct profile_build *b;
    struct err *err;
    uint32_t device; /* of the profile; its number in the file */
    int64_t number;
    uint64_t events;
    int64_t origin;
};

static int report_database(const struct reader *r)
{
    return err_set(r->err, ERR_FORMAT, "%.160s: %.160s", r->name, sqlite3_errmsg(r->db));
}

/* True if the table has the column. */
static bool has_column(const struct reader *r, const char *table, const char *column)
{
    char *sql = sqlite3_mprintf("SELECT %s FROM %s LIMIT 0", column, table);
    sqlite3_stmt *q = NULL;
    bool has = sql && sqlite3_prepare_v2(r->db, sql, -1, &q, NULL) == SQLITE_OK;

    sqlite3_finalize(q);
    sqlite3_free(sql);
    return has;
}

/* Rows: begin, end, device, name, node. */
static int take_row(struct reader *r, sqlite3_stmt *q)
{
    int64_t begin = sqlite3_column_int64(q, 0), end = sqlite3_column_int64(q, 1);
    const char *text = (const char *)sqlite3_column_text(q, 3);
    int64_t device = sqlite3_column_int64(q, 2), node = sqlite3_column_int64(q, 4);

    if (r->events++ == 0) {
        r->origin = begin;
        r->number = device;
    }
    if (device != r->number || end < begin) /* other GPUs run the same */
        return 0;
    if (begin - r->origin > MOST_NS || r->origin - begin > MOST_NS || end - begin > MOST_NS)
        return err_set(r->err, ERR_RANGE, "%.160s: a kernel begins at %" PRId64 " ns", r->name,
                       begin);
    struct profile_op own = {
        .name = node ? memory_format("%s #%" PRIu64 ".%" PRIu64, text ? text : "?",
                                     (uint64_t)node >> 32, (uint64_t)node & UINT32_MAX)
                     : memory_copy(text ? text : "?"),
        .text = memory_copy(""),
        .category = memory_copy(""),
        .scope = memory_copy(""),
    };
    int64_t at = (begin - r->origin) * 1000;
    uint64_t length = (uint64_t)(end - begin) * 1000;
    const struct profile_build_times times = { at, at, length, length };
    profile_build_event(r->b, r->device, profile_build_op(r->b, &own), false, &times);
    return 0;
}

static int read_rows(struct reader *r, const char *sql)
{
    sqlite3_stmt *q;
    int rc = 0, step = SQLITE_DONE;

    if (sqlite3_prepare_v2(r->db, sql, -1, &q, NULL) != SQLITE_OK)
        return report_database(r);
    while (rc == 0 && (step = sqlite3_step(q)) == SQLITE_ROW)
        rc = take_row(r, q);
    if (rc == 0 && step != SQLITE_DONE)
        rc = report_database(r);
    sqlite3_finalize(q);
    return rc;
}

/* Kernels, copies and fills in the order in which they began. */
static int read_database(struct reader *r)
{
    static const char kernels[] = "CUPTI_ACTIVITY_KIND_KERNEL";
    static const char copies[] = "CUPTI_ACTIVITY_KIND_MEMCPY";
    static const char fills[] = "CUPTI_ACTIVITY_KIND_MEMSET";

    if (!has_column(r, kernels, "start, end, deviceId, shortName") ||
        !has_column(r, "StringIds", "id, value"))
        return err_set(
            r->err, ERR_FORMAT,
            "%.160s: a database without kernels of a GPU: expected one that `nsys export "
            "--type sqlite` wrote",
            r->name);
    bool nodes = has_column(r, kernels, "graphNodeId");
    char *sql = sqlite3_mprintf(
        "SELECT k.start, k.end, k.deviceId, s.value, %s FROM %s k LEFT JOIN StringIds s ON s.id = "
        "k.shortName%s%s%s%s ORDER BY 1, 2",
        nodes ? "ifnull(k.graphNodeId, 0)" : "0", kernels,
        has_column(r, copies, "start, end, deviceId")
            ? " UNION ALL SELECT start, end, deviceId, 'memcpy', 0 FROM "
            : "",
        has_column(r, copies, "start, end, deviceId") ? copies : "",
        has_column(r, fills, "start, end, deviceId")
            ? " UNION ALL SELECT start, end, deviceId, 'memset', 0 FROM "
            : "",
        has_column(r, fills, "start, end, deviceId") ? fills : "");
    if (!sql)
        memory_end();
    r->device = profile_build_device(r->b, "GPU 0");
    int rc = 0;
    profile_build_runs_known(r->b);
    rc = read_rows(r, sql);
    sqlite3_free(sql);
    profile_build_flush(r->b, r->device);
    if (rc == 0 && r->events == 0)
        rc = err_set(r->err, ERR_FORMAT, "%.160s: no kernel of a GPU ran while it was captured",
                     r->name);
    return rc;
}

int nsys_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    struct reader r = { .name = profile_source_name(s), .b = b, .err = err };
    const unsigned char *bytes;
    size_t n;

    if (profile_source_peek(s, PROFILE_SOURCE_PIECE, &bytes, &n, err) != 0)
        return -1;
    if (sqlite3_open_v2(":memory:", &r.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL) !=
        SQLITE_OK)
        memory_end();
    int rc = sqlite3_deserialize(r.db, "main", (unsigned char *)(uintptr_t)bytes, (sqlite3_int64)n,
                                 (sqlite3_int64)n, SQLITE_DESERIALIZE_READONLY) == SQLITE_OK
                 ? read_database(&r)
                 : report_database(&r);
    sqlite3_close(r.db);
    return rc;
}
