/* The rows of a database of a sweep: a sound one, cells of which are changed.
 *
 * Four bytes are a change: the table and column, the row, the kind of value, the value.  With the
 * first bit of the input set, the checksum of plan and sources is mended, as one can who changes a
 * database on purpose. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/database.h"
#include "tests/fuzz/fuzz.h"

static const struct {
    const char *table, *key, *column;
} cells[] = {
    { "sweep", "key", "key" },
    { "sweep", "key", "value" },
    { "source", "kind, name", "kind" },
    { "source", "kind, name", "name" },
    { "source", "kind, name", "checksum" },
    { "run", "id", "started" },
    { "point", "id", "id" },
    { "point", "id", "state" },
    { "point", "id", "error" },
    { "point", "id", "trace_checksum" },
    { "point", "id", "machine_checksum" },
    { "point", "id", "result_checksum" },
    { "point", "id", "row_checksum" },
    { "parameter", "point, name", "point" },
    { "parameter", "point, name", "name" },
    { "parameter", "point, name", "value" },
    { "figure", "point, name", "point" },
    { "figure", "point, name", "name" },
    { "figure", "point, name", "value" },
    { "result", "point", "point" },
    { "result", "point", "json" },
};

static void bind_value(sqlite3_stmt *q, uint8_t kind, uint8_t value)
{
    static const char *const texts[] = { "",     "0",         "1",       "plan",    "shard",
                                         "1/1",  "0/0",       "2/3",     "schema",  "4",
                                         "0x1",  "trace",     "machine", "\x1b[2J", "mxu.count",
                                         "7",    "[sweep]\n", "seconds", "{",       "\xff",
                                         "=1+1", "baseline",  "version" };
    static const sqlite3_int64 numbers[] = { 0, 1, 2, -1, 3, INT64_MAX, INT64_MIN, 1000000 };
    static char many[5000];

    switch (kind % 6) {
    case 0: sqlite3_bind_null(q, 1); break;
    case 1: sqlite3_bind_int64(q, 1, numbers[value % 8]); break;
    case 2: sqlite3_bind_double(q, 1, (double)value * 1e300 * (double)value * 1e10); break;
    case 3:
        sqlite3_bind_text(q, 1, texts[value % (sizeof texts / sizeof *texts)], -1, SQLITE_STATIC);
        break;
    case 4: sqlite3_bind_blob(q, 1, many, value % 5, SQLITE_STATIC); break;
    default:
        memset(many, 'a' + value % 26, sizeof many);
        sqlite3_bind_text(q, 1, many, (int)sizeof many, SQLITE_STATIC);
    }
}

static void change_cell(sqlite3 *db, const uint8_t change[4])
{
    size_t i = change[0] % (sizeof cells / sizeof *cells);
    const char *table = cells[i].table, *key = cells[i].key;
    sqlite3_stmt *q;
    char sql[200], set[80] = "";

    if (change[2] % 16 != 15)
        snprintf(set, sizeof set, " SET %s = ?1", cells[i].column);
    snprintf(sql, sizeof sql, "%s %s%s WHERE (%s) IN (SELECT %s FROM %s LIMIT 1 OFFSET %d)",
             *set ? "UPDATE" : "DELETE FROM", table, set, key, key, table, change[1] % 8);
    FUZZ_CHECK(sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK);
    if (*set)
        bind_value(q, change[2], change[3]);
    sqlite3_step(q);
    sqlite3_finalize(q);
}

static void mend_checksum(const char *path, const char *message)
{
    const char *sum = strstr(message, "there, 0x");
    char sql[128];
    sqlite3 *db;

    if (!sum || sqlite3_open(path, &db) != SQLITE_OK)
        return;
    snprintf(sql, sizeof sql, "UPDATE sweep SET value = '%.18s' WHERE key = 'checksum'", sum + 7);
    sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
}

static void copy_sound(void)
{
    static uint8_t sound[1 << 17];
    static size_t n;
    char path[FUZZ_PATH];

    if (n == 0) {
        fuzz_path(path, "s.db");
        database_make(path);
        FILE *f = fopen(path, "rb");
        FUZZ_CHECK(f);
        n = fread(sound, 1, sizeof sound, f);
        fclose(f);
        FUZZ_CHECK(n > 4096 && n < sizeof sound);
    }
    fuzz_clear();
    fuzz_write("s.db", sound, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { .code = ERR_NONE };
    char path[FUZZ_PATH];
    sqlite3 *db;

    if (size == 0 || size > 200)
        return 0;
    copy_sound();
    fuzz_path(path, "s.db");
    FUZZ_CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN", NULL, NULL,
                 NULL);
    for (size_t at = 1; at + 4 <= size; at += 4)
        change_cell(db, data + at);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    bool good = database_read(path, &err);
    if (!good && (data[0] & 1)) {
        fuzz_check_error(&err);
        mend_checksum(path, err.msg);
        good = database_read(path, &err);
    }
    if (good)
        fuzz_accepted++;
    else
        fuzz_check_error(&err);
    return 0;
}
