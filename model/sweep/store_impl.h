/* store_impl.h - the fields of a store and its helpers, for store*.c alone. */
#ifndef SWEEP_STORE_IMPL_H
#define SWEEP_STORE_IMPL_H

#include <sqlite3.h>

#include "sweep/store.h"

#define CHECKSUM 24 /* "0x0123456789abcdef" */

struct store_watched; /* store_watch.c */

struct store {
    sqlite3 *db;
    char *path, *plan, *baseline; /* baseline: of store_read */
    uint64_t n_points;            /* of all shards */
    uint64_t work, most_work;     /* turns of SQLite's progress handler; most_work 0: no limit */
    struct store_shard shard;
    sqlite3_stmt *put_point, *put_figure, *put_result;
    int lock;    /* -1: reading */
    int checked; /* of a reader, to ask whether there are locks; -1: not open */
    int64_t run;
    struct store_change change;
    struct store_watched *watched; /* files that points are read from */
    size_t n_watched;
};

/* Set `err` to the message of SQLite and return -1. */
int store_failed(const struct store *s, struct err *err);

/* Run statements that return no rows; prepare one; run a bound one and reset it.  Errors: ERR_IO.
 */
int store_execute(struct store *s, const char *sql, struct err *err);
int store_prepare(struct store *s, sqlite3_stmt **st, const char *sql, struct err *err);
int store_finish(struct store *s, sqlite3_stmt *st, struct err *err);
/* sqlite3_step, sqlite3_bind_* and sqlite3_column_text, but want of memory ends the program.  The
 * text is NULL where the column is NULL. */
int store_step(sqlite3_stmt *st);
void store_bind_text(sqlite3_stmt *st, int at, const char *text);
void store_bind_id(sqlite3_stmt *st, int at, size_t id);
void store_bind_bytes(sqlite3_stmt *st, int at, const void *bytes, size_t n);
const char *store_text_of(sqlite3_stmt *st, int column);

/* --- files (store_file.c) --- */

/* Lock the file of a store that is added to.  Errors: ERR_IO; ERR_FIT: another process adds to it.
 */
int store_lock(struct store *s, struct err *err);
/* Open the database with the flags of SQLite; `name` is the path, or a URI.  Errors: ERR_IO. */
int store_open_file(struct store *s, const char *name, int flags, struct err *err);
/* Open a database to read it and begin a transaction.  Errors: ERR_IO. */
int store_begin_reading(struct store *s, struct err *err);
/* Put all of a database into its one file, if nobody reads it. */
void store_leave_log(struct store *s);

/* --- what is let in (store_guard.c) --- */

#define STORE_SCHEMA "2"
extern const char store_tables[];       /* SQL that makes them */
extern const char store_aside_tables[]; /* those of results aside */

/* Refuse what is no regular file; `create`: it may be missing.  Errors: ERR_IO. */
int store_check_file(const char *path, bool create, struct err *err);
/* Let nothing in the database's own text run: no views, no triggers, no functions. */
int store_trust_nothing(struct store *s, struct err *err);
/* End statements that take more work than a file of this size can need.  Errors: ERR_IO. */
int store_limit_work(struct store *s, struct err *err);
int store_is_empty(struct store *s, bool *empty, struct err *err);
/* Compare all that the database declares with what this program declares.  Errors: ERR_FORMAT. */
int store_check_schema(struct store *s, struct err *err);

/* --- checksums (store_check.c) --- */

/* Write the checksum of settings, sources and parameters; compare it.  O(parameters). */
int store_stamp_plan(struct store *s, struct err *err);
int store_check_plan(struct store *s, struct err *err);
/* XXH64 of state, error, checksums and figures, in whichever order these stand. */
uint64_t store_row_checksum(const struct store_row *r);

/* A value of the table `sweep`, allocated; NULL with no error set: there is none.  Write one
 * (store_setting.c). */
char *store_setting(struct store *s, const char *key);
int store_set(struct store *s, const char *key, const char *value, struct err *err);

/* Write a plan into a database without points: its text, sources and points, all open
 * (store_points.c). */
int store_insert_plan(struct store *s, const struct plan *p, struct err *err);

/* Put plan `p` in the place of the plan whose text is `old`: points that both have keep their
 * results, results that `p` has no point for are kept aside (store_extend.c).
 * Errors: ERR_IO; ERR_FIT when the plans differ in more than points, or share none. */
int store_extend(struct store *s, const struct plan *p, const char *old, struct err *err);

/* Checksum of the content of a file (store_source.c).  Errors: ERR_IO. */
int store_file_checksum(const char *path, uint64_t *sum, struct err *err);

/* Note the machines and traces of a plan, or compare them with what was noted.
 * Errors: ERR_IO; ERR_FIT when one has changed. */
int store_note_sources(struct store *s, const struct plan *p, bool create, struct err *err);
/* The machines of a plan: those of its axis, or the only one.  Returns how many. */
size_t store_machines(const struct plan *p, const char *const **name);

/* --- files that may not change (store_watch.c) --- */

/* Note how the files of traces and machines look, before they are read.  Errors: ERR_IO. */
int store_watch(struct store *s, const struct plan *p, struct err *err);
void store_watch_free(struct store *s);

/* A checksum as text with 16 hexadecimal digits, and back; a NULL text is 0 (store_sql.c). */
void store_checksum_text(char text[CHECKSUM], uint64_t sum);
uint64_t store_checksum_of(const char *text);

#endif
