/* Another plan in the place of a database's: one more value of an axis runs only what is new.
 *
 * A point is known by its machine, its trace and the values of the other axes.  All results go
 * aside under these words; the points of the new plan are inserted, and take theirs back. */
#include <stdlib.h>
#include <string.h>

#include "sweep/store_impl.h"

#define SAME_NAME " AND name NOT IN ('machine', 'trace')"

/* The words of all points.  ?1 and ?2 are machine and trace of a plan that has one of them. */
static const char signature[] =
    "CREATE TEMP TABLE words AS SELECT p.id AS point,"
    " coalesce((SELECT value FROM parameter WHERE point = p.id AND name = 'machine'), ?1)"
    " || char(10) ||"
    " coalesce((SELECT value FROM parameter WHERE point = p.id AND name = 'trace'), ?2)"
    " || coalesce((SELECT group_concat(char(10) || name || '=' || value, '') FROM"
    " (SELECT name, value FROM parameter WHERE point = p.id" SAME_NAME " ORDER BY name)), '')"
    " AS words FROM point p";

static const char lay_aside[] =
    "UPDATE aside SET point = NULL;"
    "INSERT INTO aside (words, point, state, error, trace_checksum, machine_checksum,"
    " result_checksum, run, row_checksum) SELECT w.words, p.id, p.state, p.error, p.trace_checksum,"
    " p.machine_checksum, p.result_checksum, p.run, p.row_checksum FROM point p JOIN words w ON "
    "w.point = p.id"
    " WHERE p.state != 0;"
    "INSERT INTO aside_figure SELECT a.id, f.name, f.value FROM figure f JOIN aside a USING "
    "(point);"
    "INSERT INTO aside_result SELECT a.id, r.json FROM result r JOIN aside a USING (point);"
    "INSERT OR REPLACE INTO aside_source SELECT kind, name, checksum FROM source;"
    "DELETE FROM figure; DELETE FROM result; DELETE FROM parameter; DELETE FROM point;"
    "DELETE FROM source; DROP TABLE words;";

static const char take_back[] =
    "CREATE INDEX temp.words_words ON words (words);"
    "UPDATE aside SET point = (SELECT w.point FROM words w WHERE w.words = aside.words);"
    "UPDATE point SET state = a.state, error = a.error, trace_checksum = a.trace_checksum,"
    " machine_checksum = a.machine_checksum, result_checksum = a.result_checksum, run = a.run,"
    " row_checksum = a.row_checksum"
    " FROM aside a WHERE a.point = point.id;"
    "INSERT INTO figure SELECT a.point, f.name, f.value FROM aside_figure f"
    " JOIN aside a ON a.id = f.aside WHERE a.point IS NOT NULL;"
    "INSERT INTO result SELECT a.point, r.json FROM aside_result r"
    " JOIN aside a ON a.id = r.aside WHERE a.point IS NOT NULL;"
    "DELETE FROM aside_figure WHERE aside IN (SELECT id FROM aside WHERE point IS NOT NULL);"
    "DELETE FROM aside_result WHERE aside IN (SELECT id FROM aside WHERE point IS NOT NULL);"
    "DELETE FROM aside WHERE point IS NOT NULL; DROP TABLE words;";

/* The plan without machines, traces, axes and conditions: settings that all points share.  Free
 * it. */
static char *print_frame(const struct plan *p)
{
    struct plan frame = *p;

    frame.traces = frame.machines = frame.where = frame.axes = frame.zips =
        (struct plan_words){ 0 };
    frame.sampling = PLAN_GRID;
    return plan_text(&frame);
}

static int check_frame(const struct store *s, const struct plan *old, const struct plan *p,
                       struct err *err)
{
    char *a = print_frame(old), *b = print_frame(p);
    int rc = strcmp(a, b) == 0
                 ? 0
                 : err_set(err, ERR_FIT,
                           "%s: holds another plan, which differs in more than its points "
                           "(cyclotron sweep status %s shows it): take another --db",
                           s->path, s->path);

    free(a);
    free(b);
    return rc;
}

static int write_words(struct store *s, const struct plan *p, struct err *err)
{
    sqlite3_stmt *st;

    if (store_prepare(s, &st, signature, err) != 0)
        return -1;
    store_bind_text(st, 1, p->machines.n == 1 ? p->machines.word[0] : "");
    store_bind_text(st, 2, p->traces.n == 1 ? p->traces.word[0] : "");
    int rc = store_finish(s, st, err);
    sqlite3_finalize(st);
    return rc;
}

static int read_count(struct store *s, const char *sql, uint64_t *n, struct err *err)
{
    sqlite3_stmt *st;

    if (store_prepare(s, &st, sql, err) != 0)
        return -1;
    int rc = store_step(st) == SQLITE_ROW ? 0 : store_failed(s, err);
    *n = rc == 0 ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
    sqlite3_finalize(st);
    return rc;
}

/* A machine or trace that results aside came from must be what it was. */
static int check_sources(struct store *s, struct err *err)
{
    sqlite3_stmt *st;
    int rc = 0;

    if (store_prepare(s, &st,
                      "SELECT n.kind || ' ' || n.name FROM source n JOIN aside_source o"
                      " USING (kind, name) WHERE n.checksum != o.checksum",
                      err) != 0)
        return -1;
    int step = store_step(st);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        rc = store_failed(s, err);
    if (step == SQLITE_ROW)
        rc = err_set(err, ERR_FIT, "%s: %s has changed since the sweep began: take another --db",
                     s->path, store_text_of(st, 0));
    sqlite3_finalize(st);
    return rc;
}

static int replace_plan(struct store *s, const struct plan *p, const struct plan *old,
                        struct err *err)
{
    struct store_change *c = &s->change;
    uint64_t before;

    if (check_frame(s, old, p, err) != 0 || store_execute(s, store_aside_tables, err) != 0 ||
        write_words(s, old, err) != 0 || store_execute(s, lay_aside, err) != 0 ||
        read_count(s, "SELECT count(*) FROM aside", &before, err) != 0 ||
        store_insert_plan(s, p, err) != 0 || check_sources(s, err) != 0 ||
        write_words(s, p, err) != 0 || store_execute(s, take_back, err) != 0 ||
        read_count(s, "SELECT count(*) FROM aside", &c->aside, err) != 0)
        return -1;
    c->extended = true;
    c->reused = before - c->aside;
    if (c->reused > 0 || before == 0)
        return 0;
    return err_set(err, ERR_FIT,
                   "%s: holds another plan, and no point with a result is in both "
                   "(cyclotron sweep status %s shows it): take another --db",
                   s->path, s->path);
}

int store_extend(struct store *s, const struct plan *p, const char *text, struct err *err)
{
    struct plan old;

    plan_init(&old);
    int rc = plan_read_text(&old, s->path, text, err);
    if (rc == 0)
        rc = replace_plan(s, p, &old, err);
    plan_free(&old);
    return rc;
}
