/* store_impl.h - the fields of a store and its helpers, for store*.c alone. */
#ifndef SWEEP_STORE_IMPL_H
#define SWEEP_STORE_IMPL_H

#include <sqlite3.h>

#include "sweep/store.h"

#define CHECKSUM 24 /* "0x0123456789abcdef" */

struct store {
    sqlite3 *db;
    char *path, *plan;
    struct store_shard shard;
    sqlite3_stmt *put_point, *put_figure, *put_result;
    int lock; /* -1: reading */
    int64_t run;
    struct store_change change;
};

/* Set `err` to the message of SQLite and return -1. */
int store_failed(const struct store *s, struct err *err);

/* Run statements that return no rows; prepare one; run a bound one and reset it.  Errors: ERR_IO.
 */
int store_execute(struct store *s, const char *sql, struct err *err);
int store_prepare(struct store *s, sqlite3_stmt **st, const char *sql, struct err *err);
int store_finish(struct store *s, sqlite3_stmt *st, struct err *err);
void store_bind_text(sqlite3_stmt *st, int at, const char *text);
void store_bind_id(sqlite3_stmt *st, int at, size_t id);
const char *store_text_of(sqlite3_stmt *st, int column);

/* A value of the table `sweep`, allocated; NULL with no error set: there is none.  Write one. */
char *store_setting(struct store *s, const char *key);
int store_set(struct store *s, const char *key, const char *value, struct err *err);

/* Write a plan into a database without points: its text, sources and points, all open. */
int store_insert_plan(struct store *s, const struct plan *p, struct err *err);

/* Put plan `p` in the place of the plan whose text is `old`: points that both have keep their
 * results, results that `p` has no point for are kept aside.
 * Errors: ERR_IO; ERR_FIT when the plans differ in more than points, or share none. */
int store_extend(struct store *s, const struct plan *p, const char *old, struct err *err);

/* Checksum of the content of a file.  Errors: ERR_IO. */
int store_file_checksum(const char *path, uint64_t *sum, struct err *err);

/* Note the machines and traces of a plan, or compare them with what was noted.
 * Errors: ERR_IO; ERR_FIT when one has changed. */
int store_note_sources(struct store *s, const struct plan *p, bool create, struct err *err);

/* A checksum as text with 16 hexadecimal digits, and back; a NULL text is 0. */
void store_checksum_text(char text[CHECKSUM], uint64_t sum);
uint64_t store_checksum_of(const char *text);

#endif
