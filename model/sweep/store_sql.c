/* Helpers of the store to prepare, bind and run statements of SQLite. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sweep/store_impl.h"

int store_failed(const struct store *s, struct err *err)
{
    if (sqlite3_errcode(s->db) == SQLITE_NOMEM)
        memory_end();
    return err_set(err, ERR_IO, "%s: %s", s->path, sqlite3_errmsg(s->db));
}

int store_execute(struct store *s, const char *sql, struct err *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_failed(s, err);
}

int store_prepare(struct store *s, sqlite3_stmt **st, const char *sql, struct err *err)
{
    return sqlite3_prepare_v2(s->db, sql, -1, st, NULL) == SQLITE_OK ? 0 : store_failed(s, err);
}

void store_bind_text(sqlite3_stmt *st, int at, const char *text)
{
    BUG_ON(sqlite3_bind_text(st, at, text, -1, SQLITE_TRANSIENT) != SQLITE_OK);
}

void store_bind_id(sqlite3_stmt *st, int at, size_t id)
{
    BUG_ON(sqlite3_bind_int64(st, at, (int64_t)id) != SQLITE_OK);
}

/* Run a statement that returns no rows, and reset it. */
int store_finish(struct store *s, sqlite3_stmt *st, struct err *err)
{
    int rc = sqlite3_step(st) == SQLITE_DONE ? 0 : store_failed(s, err);

    sqlite3_reset(st);
    return rc;
}

const char *store_text_of(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

void store_checksum_text(char text[CHECKSUM], uint64_t sum)
{
    snprintf(text, CHECKSUM, "0x%016" PRIx64, sum);
}

uint64_t store_checksum_of(const char *text)
{
    return text ? strtoull(text, NULL, 16) : 0;
}
