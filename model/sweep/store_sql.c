/* Helpers of the store to prepare, bind and run statements of SQLite. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sweep/store_impl.h"

/* SQLite tells of want of memory like of any error, and readers may take the row that is not there
 * for the end of a table: it ends the program wherever it is told. */
static int end_without_memory(int rc)
{
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM)
        memory_end();
    return rc;
}

int store_step(sqlite3_stmt *st)
{
    return end_without_memory(sqlite3_step(st));
}

int store_failed(const struct store *s, struct err *err)
{
    end_without_memory(sqlite3_extended_errcode(s->db));
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
    BUG_ON(end_without_memory(sqlite3_bind_text(st, at, text, -1, SQLITE_TRANSIENT)) != SQLITE_OK);
}

void store_bind_id(sqlite3_stmt *st, int at, size_t id)
{
    BUG_ON(sqlite3_bind_int64(st, at, (int64_t)id) != SQLITE_OK);
}

void store_bind_bytes(sqlite3_stmt *st, int at, const void *bytes, size_t n)
{
    BUG_ON(end_without_memory(sqlite3_bind_blob64(st, at, bytes, n, SQLITE_TRANSIENT)) !=
           SQLITE_OK);
}

/* Run a statement that returns no rows, and reset it. */
int store_finish(struct store *s, sqlite3_stmt *st, struct err *err)
{
    int rc = store_step(st) == SQLITE_DONE ? 0 : store_failed(s, err);

    sqlite3_reset(st);
    return rc;
}

const char *store_text_of(sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);

    if (!text)
        end_without_memory(sqlite3_extended_errcode(sqlite3_db_handle(st)));
    return text;
}

void store_checksum_text(char text[CHECKSUM], uint64_t sum)
{
    snprintf(text, CHECKSUM, "0x%016" PRIx64, sum);
}

uint64_t store_checksum_of(const char *text)
{
    return text ? strtoull(text, NULL, 16) : 0;
}
