/* Reading a store: points, counts, sources, the digest, and merging another store. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "sweep/store_impl.h"

#define MAX_RESULT ((size_t)1 << 30) /* bytes of a result; a pod's is a few million */

int store_count(struct store *s, struct store_count *c, struct err *err)
{
    sqlite3_stmt *st;

    *c = (struct store_count){ 0 };
    if (store_prepare(s, &st, "SELECT state, count(*) FROM point GROUP BY state", err) != 0)
        return -1;
    int step;
    while ((step = store_step(st)) == SQLITE_ROW) {
        int state = sqlite3_column_int(st, 0);
        uint64_t n = (uint64_t)sqlite3_column_int64(st, 1);
        c->all += n;
        c->done += state == STORE_DONE ? n : 0;
        c->failed += state == STORE_FAILED ? n : 0;
    }
    int rc = step == SQLITE_DONE ? 0 : store_failed(s, err);
    sqlite3_finalize(st);
    return rc;
}

int store_open_points(struct store *s, size_t **ids, size_t *n, struct err *err)
{
    struct store_count c;
    sqlite3_stmt *st;

    if (store_count(s, &c, err) != 0 ||
        store_prepare(s, &st, "SELECT id FROM point WHERE state = 0 ORDER BY id", err) != 0)
        return -1;
    size_t room = (size_t)(c.all - c.done - c.failed);
    *ids = memory_zeroed(room + 1, sizeof **ids);
    int step = SQLITE_DONE;
    for (*n = 0; *n < room && (step = store_step(st)) == SQLITE_ROW; (*n)++)
        (*ids)[*n] = (size_t)sqlite3_column_int64(st, 0);
    int rc = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : store_failed(s, err);
    sqlite3_finalize(st);
    if (rc != 0)
        free(*ids);
    return rc;
}

/* A text that may go to a terminal, allocated: bytes that may not become '?'. */
static char *copy_text(sqlite3_stmt *st, int column)
{
    const char *text = store_text_of(st, column);
    char *copy = memory_copy(text ? text : "");

    for (size_t bad; (bad = text_bad_byte(copy, false)) != SIZE_MAX;)
        copy[bad] = '?';
    return copy;
}

int store_sources(struct store *s, store_source *visit, void *self, struct err *err)
{
    sqlite3_stmt *st;
    int step;

    if (store_prepare(s, &st, "SELECT kind, name, checksum FROM source ORDER BY kind, name", err) !=
        0)
        return -1;
    while ((step = store_step(st)) == SQLITE_ROW) {
        char *text[3];
        for (int c = 0; c < 3; c++)
            text[c] = copy_text(st, c);
        visit(self, text[0], text[1], text[2]);
        for (int c = 0; c < 3; c++)
            free(text[c]);
    }
    int rc = step == SQLITE_DONE ? 0 : store_failed(s, err);
    sqlite3_finalize(st);
    return rc;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* The rows of other tables that belong to a point.  All are read in the order of points, side by
 * side. */
struct reader {
    sqlite3_stmt *point, *parameter, *figure, *result;
    int at_parameter, at_figure; /* SQLITE_ROW: a row was read and not used yet */
    const char **name, **value;
    struct point_figure *figures;
    size_t n_parameters, n_figures, room_parameters, room_figures;
};

static void drop_parameters(struct reader *r)
{
    for (size_t i = 0; i < r->n_parameters; i++) {
        free((void *)(uintptr_t)r->name[i]);
        free((void *)(uintptr_t)r->value[i]);
    }
    r->n_parameters = 0;
}

/* `step` is of a statement whose rows belong to points in order; the next row is of point `id` or
 * of a later one. */
static int check_step(struct store *s, sqlite3_stmt *st, int step, int64_t id, struct err *err)
{
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_failed(s, err);
    if (step == SQLITE_ROW && sqlite3_column_int64(st, 0) <= id)
        return err_set(err, ERR_FORMAT, "%s: values of point %" PRId64 ", which is not there",
                       s->path, (int64_t)sqlite3_column_int64(st, 0));
    return 0;
}

static int read_parameters(struct store *s, struct reader *r, int64_t id, struct err *err)
{
    drop_parameters(r);
    for (; r->at_parameter == SQLITE_ROW && sqlite3_column_int64(r->parameter, 0) == id;
         r->at_parameter = store_step(r->parameter)) {
        if (r->n_parameters == r->room_parameters) {
            r->room_parameters = 2 * r->room_parameters + 8;
            r->name = memory_resize(r->name, r->room_parameters, sizeof *r->name);
            r->value = memory_resize(r->value, r->room_parameters, sizeof *r->value);
        }
        r->name[r->n_parameters] = copy_text(r->parameter, 1);
        r->value[r->n_parameters++] = copy_text(r->parameter, 2);
    }
    return check_step(s, r->parameter, r->at_parameter, id, err);
}

static void drop_figures(struct reader *r)
{
    for (size_t i = 0; i < r->n_figures; i++)
        free(r->figures[i].name);
    r->n_figures = 0;
}

static int read_figures(struct store *s, struct reader *r, int64_t id, struct err *err)
{
    drop_figures(r);
    for (; r->at_figure == SQLITE_ROW && sqlite3_column_int64(r->figure, 0) == id;
         r->at_figure = store_step(r->figure)) {
        if (r->n_figures == r->room_figures) {
            r->room_figures = 2 * r->room_figures + 64;
            r->figures = memory_resize(r->figures, r->room_figures, sizeof *r->figures);
        }
        /* SQLite keeps no NAN */
        double value = sqlite3_column_type(r->figure, 2) == SQLITE_NULL
                           ? NAN
                           : sqlite3_column_double(r->figure, 2);
        r->figures[r->n_figures++] = (struct point_figure){ copy_text(r->figure, 1), value };
    }
    return check_step(s, r->figure, r->at_figure, id, err);
}

/* The text of a result, allocated; an error leaves *json as it was. */
static int unpack_result(struct store *s, const void *packed, size_t size, uint64_t sum,
                         char **json, struct err *err)
{
    unsigned long long room = ZSTD_getFrameContentSize(packed, size);

    if (room >= ZSTD_CONTENTSIZE_ERROR)
        return err_set(err, ERR_FORMAT, "%s: a result that is not packed by zstd", s->path);
    char *text = room <= MAX_RESULT ? memory_resize(NULL, (size_t)room + 1, 1) : NULL;
    size_t got = text ? ZSTD_decompress(text, (size_t)room, packed, size) : 0;
    if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        memory_end();
    if (!text || got != room) {
        free(text);
        return err_set(err, ERR_FORMAT, "%s: a result that is damaged", s->path);
    }
    text[room] = '\0';
    if (XXH64(text, (size_t)room, 0) != sum) {
        free(text);
        return err_set(err, ERR_FORMAT, "%s: a result that is damaged", s->path);
    }
    *json = text;
    return 0;
}

/* The result of a row, whose checksum must be that of the row. */
static int read_json(struct store *s, struct reader *r, const struct store_row *row, char **json,
                     struct err *err)
{
    int rc;

    store_bind_id(r->result, 1, row->id);
    int step = store_step(r->result);
    if (step == SQLITE_ROW)
        rc = unpack_result(s, sqlite3_column_blob(r->result, 0),
                           (size_t)sqlite3_column_bytes(r->result, 0), row->result_checksum, json,
                           err);
    else if (step == SQLITE_DONE)
        rc = err_set(err, ERR_FORMAT, "%s: point %zu is done, but has no result", s->path, row->id);
    else
        rc = store_failed(s, err);
    sqlite3_reset(r->result);
    return rc;
}

static int read_row(struct store *s, struct reader *r, bool with_json, store_visit *visit,
                    void *self, struct err *err)
{
    int64_t id = sqlite3_column_int64(r->point, 0);
    int state = sqlite3_column_int(r->point, 1);
    char *json = NULL;
    int rc = 0;

    if (state != STORE_OPEN && state != STORE_DONE && state != STORE_FAILED)
        return err_set(err, ERR_FORMAT, "%s: point %" PRId64 " has state %d: it is damaged",
                       s->path, id, state);
    if (read_parameters(s, r, id, err) != 0 || read_figures(s, r, id, err) != 0)
        return -1;
    struct store_row row = {
        .id = (size_t)id,
        .state = (enum store_state)state,
        .error = store_text_of(r->point, 2),
        .parameter = r->name,
        .value = r->value,
        .n_parameters = r->n_parameters,
        .figure = r->figures,
        .n_figures = r->n_figures,
        .trace_checksum = store_checksum_of(store_text_of(r->point, 3)),
        .machine_checksum = store_checksum_of(store_text_of(r->point, 4)),
        .result_checksum = store_checksum_of(store_text_of(r->point, 5)),
    };
    if (store_checksum_of(store_text_of(r->point, 6)) !=
        (row.state == STORE_OPEN ? 0 : store_row_checksum(&row)))
        return err_set(err, ERR_FORMAT, "%s: point %zu has not what was written: it is damaged",
                       s->path, row.id);
    if (with_json && row.state == STORE_DONE)
        rc = read_json(s, r, &row, &json, err);
    row.json = json;
    if (rc == 0)
        rc = visit(self, &row, err);
    free(json);
    return rc;
}

static int tell_missing(const struct store *s, uint64_t id, struct err *err)
{
    return err_set(err, ERR_FORMAT,
                   "%s: points of the plan are missing from %" PRIu64
                   " on, or are too many: it is damaged",
                   s->path, id);
}

static int read_rows(struct store *s, struct reader *r, bool with_json, store_visit *visit,
                     void *self, struct err *err)
{
    if (store_prepare(s, &r->point,
                      "SELECT id, state, error, trace_checksum, machine_checksum, result_checksum,"
                      " row_checksum FROM point ORDER BY id",
                      err) != 0 ||
        store_prepare(s, &r->parameter,
                      "SELECT point, name, value FROM parameter ORDER BY point, name", err) != 0 ||
        store_prepare(s, &r->figure, "SELECT point, name, value FROM figure ORDER BY point, name",
                      err) != 0 ||
        store_prepare(s, &r->result, "SELECT json FROM result WHERE point = ?", err) != 0)
        return -1;
    r->at_parameter = store_step(r->parameter);
    r->at_figure = store_step(r->figure);
    if (check_step(s, r->parameter, r->at_parameter, -1, err) != 0 ||
        check_step(s, r->figure, r->at_figure, -1, err) != 0)
        return -1;
    uint64_t id = s->shard.number - 1; /* of the next row */
    int step;
    while ((step = store_step(r->point)) == SQLITE_ROW) {
        if (sqlite3_column_int64(r->point, 0) != (int64_t)id || id >= s->n_points)
            return tell_missing(s, id, err);
        if (read_row(s, r, with_json, visit, self, err) != 0)
            return -1;
        id += s->shard.of;
    }
    if (step != SQLITE_DONE)
        return store_failed(s, err);
    if (id < s->n_points)
        return tell_missing(s, id, err);
    /* all rows of later points belong to none */
    return check_step(s, r->parameter, r->at_parameter, INT64_MAX, err) != 0 ||
                   check_step(s, r->figure, r->at_figure, INT64_MAX, err) != 0
               ? -1
               : 0;
}

int store_rows(struct store *s, bool with_json, store_visit *visit, void *self, struct err *err)
{
    struct reader r = { 0 };

    /* one transaction, so that all statements see the same state while another process adds */
    if (store_execute(s, "BEGIN", err) != 0)
        return -1;
    int rc = read_rows(s, &r, with_json, visit, self, err);
    drop_parameters(&r);
    drop_figures(&r);
    free(r.name);
    free(r.value);
    free(r.figures);
    sqlite3_finalize(r.point);
    sqlite3_finalize(r.parameter);
    sqlite3_finalize(r.figure);
    sqlite3_finalize(r.result);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

/* --- digest ---------------------------------------------------------------------------------- */

static void hash_text(XXH64_state_t *h, const char *text)
{
    XXH64_update(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

static int hash_row(void *self, const struct store_row *row, struct err *err)
{
    XXH64_state_t *h = self;
    char head[160];

    (void)err;
    snprintf(head, sizeof head, "%zu %d %" PRIx64 " %" PRIx64 " %" PRIx64, row->id, (int)row->state,
             row->trace_checksum, row->machine_checksum, row->result_checksum);
    hash_text(h, head);
    hash_text(h, row->error);
    for (size_t i = 0; i < row->n_parameters; i++) {
        hash_text(h, row->parameter[i]);
        hash_text(h, row->value[i]);
    }
    for (size_t i = 0; i < row->n_figures; i++) {
        hash_text(h, row->figure[i].name);
        XXH64_update(h, &row->figure[i].value, sizeof row->figure[i].value);
    }
    return 0;
}

static void hash_source(void *self, const char *kind, const char *name, const char *checksum)
{
    hash_text(self, kind);
    hash_text(self, name);
    hash_text(self, checksum);
}

int store_digest(struct store *s, uint64_t *digest, struct err *err)
{
    XXH64_state_t *h = XXH64_createState();

    if (!h)
        memory_end();
    XXH64_reset(h, 0);
    hash_text(h, s->plan);
    int rc = store_sources(s, hash_source, h, err);
    if (rc == 0)
        rc = store_rows(s, false, hash_row, h, err);
    *digest = XXH64_digest(h);
    XXH64_freeState(h);
    return rc;
}

/* --- merging --------------------------------------------------------------------------------- */

/* Fail if a query returns a row; `message` says why, followed by the first column. */
static int expect_none(struct store *s, const char *path, const char *sql, const char *message,
                       struct err *err)
{
    sqlite3_stmt *st;
    int rc = 0;

    if (store_prepare(s, &st, sql, err) != 0)
        return err_at(err, "%s", path);
    int step = store_step(st);
    if (step == SQLITE_ROW)
        rc = err_set(err, ERR_FIT, "%s: %s %s", path, message, store_text_of(st, 0));
    else if (step != SQLITE_DONE)
        rc = store_failed(s, err);
    sqlite3_finalize(st);
    return rc;
}

static int merge_tables(struct store *s, const char *path, struct err *err)
{
    static const char take[] =
        "CREATE TEMP TABLE taken AS SELECT o.id FROM other.point o JOIN main.point p USING (id)"
        " WHERE o.state != 0 AND p.state = 0;"
        "CREATE TEMP TABLE runs AS SELECT id AS old, id + (SELECT coalesce(max(id), 0) FROM "
        "main.run)"
        " AS new FROM other.run;"
        "INSERT INTO main.run SELECT r.new, o.started, o.host, o.program FROM other.run o"
        " JOIN runs r ON r.old = o.id;"
        "UPDATE main.point SET state = o.state, error = o.error, trace_checksum = o.trace_checksum,"
        " machine_checksum = o.machine_checksum, result_checksum = o.result_checksum,"
        " row_checksum = o.row_checksum,"
        " run = (SELECT new FROM runs WHERE old = o.run) FROM other.point o"
        " WHERE o.id = main.point.id AND o.id IN taken;"
        "INSERT INTO main.figure SELECT * FROM other.figure WHERE point IN taken;"
        "INSERT INTO main.result SELECT * FROM other.result WHERE point IN taken;"
        "DROP TABLE taken; DROP TABLE runs;";

    if (expect_none(s, path,
                    "SELECT key FROM main.sweep m JOIN other.sweep o USING (key)"
                    " WHERE m.value != o.value AND key NOT IN ('shard', 'checksum')",
                    "is of another sweep: differs in", err) != 0 ||
        expect_none(s, path,
                    "SELECT name FROM main.source m JOIN other.source o USING (kind, name)"
                    " WHERE m.checksum != o.checksum",
                    "was made from another", err) != 0 ||
        expect_none(s, path,
                    "SELECT host || ' at ' || started FROM other.run"
                    " WHERE program NOT IN (SELECT program FROM main.run)",
                    "holds results of another build of the program, begun on", err) != 0 ||
        expect_none(s, path,
                    "SELECT 'point ' || id FROM main.point m JOIN other.point o USING (id)"
                    " WHERE m.state != 0 AND o.state != 0 AND (m.state != o.state OR"
                    " m.result_checksum IS NOT o.result_checksum OR m.error IS NOT o.error)",
                    "has another result for", err) != 0)
        return -1;
    return store_execute(s, take, err);
}

static int pass_row(void *self, const struct store_row *row, struct err *err)
{
    (void)self;
    (void)row;
    (void)err;
    return 0;
}

int store_merge(struct store *s, const char *path, struct err *err)
{
    sqlite3_stmt *st;
    struct store *other;

    /* what is attached is trusted, so all of it is read before */
    if (store_read(&other, path, err) != 0)
        return -1;
    int good = store_rows(other, true, pass_row, NULL, err);
    store_close(other);
    if (good != 0)
        return -1;
    if (store_prepare(s, &st, "ATTACH ? AS other", err) != 0)
        return -1;
    store_bind_text(st, 1, path);
    int rc = store_finish(s, st, err);
    sqlite3_finalize(st);
    if (rc != 0)
        return -1;
    rc = store_execute(s, "BEGIN IMMEDIATE", err);
    if (rc == 0)
        rc = merge_tables(s, path, err);
    if (rc == 0)
        rc = store_execute(s, "COMMIT", err);
    if (rc != 0)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(s->db, "DETACH other", NULL, NULL, NULL);
    return rc;
}
