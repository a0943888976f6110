/* Open, lock, create and write a store. */
#include "sweep/store_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "base/text_write.h"

#define LEVEL 3

/* --- opening --------------------------------------------------------------------------------- */

static struct store *new_store(const char *path)
{
    struct store *s = memory_zeroed(1, sizeof *s);

    s->lock = s->checked = -1;
    s->path = memory_copy(path);
    return s;
}

/* --- creating and resuming ------------------------------------------------------------------- */

static int create_tables(struct store *s, const struct plan *p, const char *shard,
                         const char *version, struct err *err)
{
    if (store_execute(s, store_tables, err) != 0 ||
        store_set(s, "schema", STORE_SCHEMA, err) != 0 ||
        store_set(s, "version", version, err) != 0 || store_set(s, "shard", shard, err) != 0)
        return -1;
    return store_insert_plan(s, p, err);
}

static int compare_setting(struct store *s, const char *key, const char *value, struct err *err)
{
    char *old = store_setting(s, key);
    int rc = 0;

    if (old && strcmp(key, "schema") == 0 && strcmp(old, value) != 0)
        rc =
            err_set(err, ERR_FIT,
                    "%s: tables of schema %.20s; this program has schema %s: take the program that "
                    "made it",
                    s->path, old, value);
    else if (!old)
        rc = err_set(err, ERR_FORMAT, "%s: a database, but of no sweep", s->path);
    else if (strcmp(key, "plan") == 0 && strcmp(old, value) != 0)
        rc = err_set(
            err, ERR_FIT,
            "%s: holds another plan (cyclotron sweep status %s shows it): take another --db",
            s->path, s->path);
    else if (strcmp(old, value) != 0)
        rc = err_set(err, ERR_FIT, "%s: %s %s there, %s here: take another --db", s->path, key, old,
                     value);
    free(old);
    return rc;
}

/* Note that results from now on come from this program on this host. */
static int begin_run(struct store *s, struct err *err)
{
    char host[256] = "", text[CHECKSUM];
    sqlite3_stmt *st;
    uint64_t program;

    if (store_file_checksum("/proc/self/exe", &program, err) != 0)
        return -1;
    store_checksum_text(text, program);
    gethostname(host, sizeof host - 1);
    if (store_prepare(s, &st, "SELECT program FROM run WHERE program != ?", err) != 0)
        return -1;
    store_bind_text(st, 1, text);
    int row = store_step(st);
    if (row != SQLITE_ROW && row != SQLITE_DONE)
        store_failed(s, err);
    sqlite3_finalize(st);
    if (row != SQLITE_ROW && row != SQLITE_DONE)
        return -1;
    if (row == SQLITE_ROW)
        return err_set(err, ERR_FIT,
                       "%s: was begun by another build of the program, whose results may differ: "
                       "take another --db",
                       s->path);
    if (store_prepare(s, &st,
                      "INSERT INTO run (started, host, program) "
                      "VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?)",
                      err) != 0)
        return -1;
    store_bind_text(st, 1, host);
    store_bind_text(st, 2, text);
    int rc = store_finish(s, st, err);
    sqlite3_finalize(st);
    s->run = sqlite3_last_insert_rowid(s->db);
    return rc;
}

static int prepare_put(struct store *s, struct err *err)
{
    if (store_prepare(s, &s->put_point,
                      "UPDATE point SET state = ?2, error = ?3, trace_checksum = ?4,"
                      " machine_checksum = ?5, result_checksum = ?6, run = ?7, row_checksum = ?8"
                      " WHERE id = ?1 AND state = 0",
                      err) != 0 ||
        store_prepare(s, &s->put_figure, "INSERT INTO figure VALUES (?, ?, ?)", err) != 0)
        return -1;
    return store_prepare(s, &s->put_result, "INSERT INTO result VALUES (?, ?)", err);
}

/* Go on with the plan that the database has, or with another one that shares points with it. */
static int begin_plan(struct store *s, const struct plan *p, struct err *err)
{
    char points[32], *old = store_setting(s, "plan");
    int rc;

    if (old && strcmp(old, s->plan) != 0 && s->shard.of == 1) {
        rc = store_extend(s, p, old, err);
    } else {
        snprintf(points, sizeof points, "%zu", p->n_points);
        rc = compare_setting(s, "plan", s->plan, err);
        if (rc == 0)
            rc = compare_setting(s, "points", points, err);
        if (rc == 0)
            rc = store_note_sources(s, p, false, err);
    }
    free(old);
    return rc;
}

/* The file must be a database as this program makes them, and whole. */
static int check_tables(struct store *s, struct err *err)
{
    if (compare_setting(s, "schema", STORE_SCHEMA, err) != 0 || store_check_schema(s, err) != 0)
        return -1;
    return store_check_plan(s, err);
}

static int open_to_add(struct store *s, const struct plan *p, const char *version, struct err *err)
{
    char shard[32];

    if (store_check_file(s->path, true, err) != 0 || store_lock(s, err) != 0 ||
        store_watch(s, p, err) != 0 ||
        store_open_file(s, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) != 0)
        return -1;
    snprintf(shard, sizeof shard, "%u/%u", s->shard.number, s->shard.of);
    if (store_execute(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE",
                      err) != 0)
        return -1;
    bool empty;
    int rc = store_is_empty(s, &empty, err);
    if (rc == 0 && empty)
        rc = create_tables(s, p, shard, version, err);
    else if (rc == 0 &&
             (check_tables(s, err) != 0 || compare_setting(s, "version", version, err) != 0 ||
              compare_setting(s, "shard", shard, err) != 0 || begin_plan(s, p, err) != 0))
        rc = -1;
    if (rc == 0)
        rc = begin_run(s, err);
    if (rc == 0)
        rc = store_execute(s, "COMMIT", err);
    return rc == 0 ? prepare_put(s, err) : -1;
}

int store_open(struct store **out, const char *path, const struct plan *p, struct store_shard shard,
               const char *version, struct err *err)
{
    struct store *s = new_store(path);

    s->shard = shard;
    s->n_points = p->n_points;
    s->plan = plan_text(p);
    if (open_to_add(s, p, version, err) != 0) {
        store_close(s);
        return -1;
    }
    *out = s;
    return 0;
}

/* The settings that readers need, as they stand in a database that is whole. */
static int read_settings(struct store *s, struct err *err)
{
    char *shard = store_setting(s, "shard"), *points = store_setting(s, "points");
    char rest;
    int rc = 0;

    s->plan = store_setting(s, "plan");
    s->baseline = store_setting(s, "baseline");
    if (!shard || !points || !s->plan || !s->baseline ||
        sscanf(shard, "%9u/%9u%c", &s->shard.number, &s->shard.of, &rest) != 2 ||
        s->shard.number < 1 || s->shard.number > s->shard.of)
        rc = err_set(err, ERR_FORMAT, "%s: a database, but of no sweep", s->path);
    else if (text_bad_byte(s->plan, true) != SIZE_MAX)
        rc =
            err_set(err, ERR_FORMAT, "%s: the plan is no UTF-8 or has control characters", s->path);
    else
        s->n_points = strtoull(points, NULL, 10);
    free(shard);
    free(points);
    return rc;
}

int store_read(struct store **out, const char *path, struct err *err)
{
    struct store *s = new_store(path);
    int rc = store_check_file(path, false, err);

    if (rc == 0)
        rc = store_begin_reading(s, err);
    if (rc == 0)
        rc = store_limit_work(s, err);
    if (rc == 0)
        rc = check_tables(s, err);
    if (rc == 0)
        rc = read_settings(s, err);
    if (rc == 0)
        rc = store_execute(s, "COMMIT", err);
    if (rc != 0) {
        store_close(s);
        return -1;
    }
    *out = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_finalize(s->put_point);
    sqlite3_finalize(s->put_figure);
    sqlite3_finalize(s->put_result);
    if (s->lock >= 0 && s->db)
        store_leave_log(s);
    sqlite3_close(s->db);
    /* only now: a process that closes a file loses SQLite's locks on it */
    if (s->lock >= 0)
        close(s->lock);
    if (s->checked >= 0)
        close(s->checked);
    free(s->path);
    free(s->plan);
    free(s->baseline);
    store_watch_free(s);
    free(s);
}

const char *store_path(const struct store *s)
{
    return s->path;
}

const char *store_plan(const struct store *s)
{
    return s->plan;
}

struct store_shard store_shard(const struct store *s)
{
    return s->shard;
}

struct store_change store_change(const struct store *s)
{
    return s->change;
}

bool store_baseline(const struct store *s, size_t *id)
{
    bool there = s->baseline && *s->baseline;

    if (there)
        *id = strtoull(s->baseline, NULL, 10);
    return there;
}

/* --- writing --------------------------------------------------------------------------------- */

static int put_result(struct store *s, size_t id, const struct point_outcome *o, struct err *err)
{
    size_t room = ZSTD_compressBound(o->json_size);
    void *packed = memory_resize(NULL, room, 1);
    int rc = 0;

    size_t size = ZSTD_compress(packed, room, o->json, o->json_size, LEVEL);
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
        memory_end();
    BUG_ON(ZSTD_isError(size));
    store_bind_id(s->put_result, 1, id);
    store_bind_bytes(s->put_result, 2, packed, size);
    rc = store_finish(s, s->put_result, err);
    free(packed);
    for (size_t i = 0; i < o->n_figures && rc == 0; i++) {
        store_bind_id(s->put_figure, 1, id);
        store_bind_text(s->put_figure, 2, o->figure[i].name);
        BUG_ON(sqlite3_bind_double(s->put_figure, 3, o->figure[i].value) != SQLITE_OK);
        rc = store_finish(s, s->put_figure, err);
    }
    return rc;
}

static int put_outcome(struct store *s, size_t id, const struct point_outcome *o, bool *new,
                       struct err *err)
{
    char trace[CHECKSUM], machine[CHECKSUM], result[CHECKSUM], row[CHECKSUM];
    sqlite3_stmt *st = s->put_point;
    struct store_row as_read = { .state = o->done ? STORE_DONE : STORE_FAILED,
                                 .error = o->done ? NULL : o->error,
                                 .figure = o->figure,
                                 .n_figures = o->done ? o->n_figures : 0 };

    sqlite3_clear_bindings(st);
    store_bind_id(st, 1, id);
    BUG_ON(sqlite3_bind_int(st, 2, (int)as_read.state) != SQLITE_OK);
    BUG_ON(sqlite3_bind_int64(st, 7, s->run) != SQLITE_OK);
    if (o->done) {
        as_read.trace_checksum = o->trace_checksum;
        as_read.machine_checksum = o->machine_checksum;
        as_read.result_checksum = XXH64(o->json, o->json_size, 0);
        store_checksum_text(trace, as_read.trace_checksum);
        store_checksum_text(machine, as_read.machine_checksum);
        store_checksum_text(result, as_read.result_checksum);
        store_bind_text(st, 4, trace);
        store_bind_text(st, 5, machine);
        store_bind_text(st, 6, result);
    } else {
        store_bind_text(st, 3, o->error);
    }
    store_checksum_text(row, store_row_checksum(&as_read));
    store_bind_text(st, 8, row);
    if (store_finish(s, st, err) != 0)
        return -1;
    *new = sqlite3_changes(s->db) == 1;
    return *new && o->done ? put_result(s, id, o, err) : 0;
}

int store_put(struct store *s, size_t id, const struct point_outcome *o, bool *new, struct err *err)
{
    if (store_execute(s, "BEGIN IMMEDIATE", err) != 0)
        return -1;
    int rc = put_outcome(s, id, o, new, err);
    if (rc == 0)
        rc = store_execute(s, "COMMIT", err);
    if (rc != 0)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
