/* A database that is let in: a regular file with the tables that this program makes, and no text of
 * its own that runs.
 *
 * A stranger's file can hold a view without end in the place of a table, or functions in its
 * indices. Nothing of it is asked before all that it declares has been compared. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/store_impl.h"

const char store_tables[] =
    "CREATE TABLE sweep (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE source (kind TEXT, name TEXT, checksum TEXT NOT NULL, PRIMARY KEY (kind, name))"
    " WITHOUT ROWID;"
    "CREATE TABLE run (id INTEGER PRIMARY KEY, started TEXT NOT NULL, host TEXT NOT NULL,"
    " program TEXT NOT NULL);"
    "CREATE TABLE point (id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, error TEXT,"
    " trace_checksum TEXT, machine_checksum TEXT, result_checksum TEXT,"
    " run INTEGER REFERENCES run, row_checksum TEXT);"
    "CREATE INDEX point_state ON point (state, id);"
    "CREATE TABLE parameter (point INTEGER REFERENCES point, name TEXT, value TEXT NOT NULL,"
    " PRIMARY KEY (point, name)) WITHOUT ROWID;"
    "CREATE TABLE figure (point INTEGER REFERENCES point, name TEXT, value REAL,"
    " PRIMARY KEY (point, name)) WITHOUT ROWID;"
    "CREATE TABLE result (point INTEGER PRIMARY KEY REFERENCES point, json BLOB NOT NULL);";

/* Results without a point.  `words` is what `signature` of store_extend.c makes of the point that a
 * result had. */
const char store_aside_tables[] =
    "CREATE TABLE IF NOT EXISTS aside (id INTEGER PRIMARY KEY, words TEXT UNIQUE NOT NULL,"
    " point INTEGER, state INTEGER NOT NULL, error TEXT, trace_checksum TEXT,"
    " machine_checksum TEXT, result_checksum TEXT, run INTEGER REFERENCES run, row_checksum TEXT);"
    "CREATE TABLE IF NOT EXISTS aside_figure (aside INTEGER REFERENCES aside, name TEXT,"
    " value REAL, PRIMARY KEY (aside, name)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS aside_result (aside INTEGER PRIMARY KEY REFERENCES aside,"
    " json BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS aside_source (kind TEXT, name TEXT, checksum TEXT NOT NULL,"
    " PRIMARY KEY (kind, name)) WITHOUT ROWID;";

int store_check_file(const char *path, bool create, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return create && errno == ENOENT ? 0
                                         : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_IO, "%s: no regular file", path);
    /* the log of a sweep that was killed stands beside one of the names alone */
    if (create && st.st_nlink > 1)
        return err_set(err, ERR_FIT, "%s: a file of %lu names (hard links): copy it instead", path,
                       (unsigned long)st.st_nlink);
    return 0;
}

int store_trust_nothing(struct store *s, struct err *err)
{
    static const struct {
        int what, value;
    } settings[] = {
        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
    };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (sqlite3_db_config(s->db, settings[i].what, settings[i].value, NULL) != SQLITE_OK)
            return store_failed(s, err);
    return store_execute(s, "PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0", err);
}

/* --- work ------------------------------------------------------------------------------------ */

#define TURN 100000                 /* instructions of SQLite between two calls */
#define FIRST_WORK 2000             /* turns that a file of any size may take: some seconds */
#define BYTES_OF_TURN UINT64_C(500) /* of the file, for each further one */

static int count_work(void *self)
{
    struct store *s = self;

    return ++s->work > s->most_work;
}

int store_limit_work(struct store *s, struct err *err)
{
    struct stat st;

    if (stat(s->path, &st) != 0)
        return err_set(err, ERR_IO, "%s: %s", s->path, strerror(errno));
    s->most_work = FIRST_WORK + (uint64_t)st.st_size / BYTES_OF_TURN;
    sqlite3_progress_handler(s->db, TURN, count_work, s);
    return 0;
}

/* --- tables ---------------------------------------------------------------------------------- */

int store_is_empty(struct store *s, bool *empty, struct err *err)
{
    sqlite3_stmt *st;

    if (store_prepare(s, &st, "SELECT 1 FROM sqlite_master", err) != 0)
        return -1;
    int step = store_step(st);
    *empty = step == SQLITE_DONE;
    int rc = step == SQLITE_ROW || *empty ? 0 : store_failed(s, err);
    sqlite3_finalize(st);
    return rc;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char declared[] =
    "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name";

static int tell_table(const struct store *s, sqlite3_stmt *row, const char *what, struct err *err)
{
    const char *type = store_text_of(row, 0), *name = store_text_of(row, 1);

    return err_set(err, ERR_FORMAT, "%s: %.20s %.60s %s: it is damaged or was changed", s->path,
                   type ? type : "?", name ? name : "?", what);
}

/* Walk what the file declares beside what it should declare; both are in order. */
static int compare_tables(struct store *s, sqlite3_stmt *own, sqlite3_stmt *there, struct err *err)
{
    int step = store_step(there);
    bool more = store_step(own) == SQLITE_ROW;

    while (more && step == SQLITE_ROW) {
        for (int c = 0; c < 4; c++) {
            const char *a = store_text_of(own, c), *b = store_text_of(there, c);
            if (a && b && c < 2 && strcmp(a, b) < 0)
                return tell_table(s, own, "is missing", err);
            if (!same_text(a, b))
                return tell_table(s, there, "is not one that this program makes", err);
        }
        more = store_step(own) == SQLITE_ROW;
        step = store_step(there);
    }
    if (step == SQLITE_ROW)
        return tell_table(s, there, "is not one that this program makes", err);
    if (step != SQLITE_DONE)
        return store_failed(s, err);
    return more ? tell_table(s, own, "is missing", err) : 0;
}

int store_check_schema(struct store *s, struct err *err)
{
    struct store model = { .path = s->path };
    sqlite3_stmt *own = NULL, *there = NULL, *aside = NULL;
    int rc = store_prepare(s, &aside, "SELECT 1 FROM sqlite_master WHERE name GLOB 'aside*'", err);

    if (rc == 0) {
        bool has_aside = store_step(aside) == SQLITE_ROW;
        sqlite3_finalize(aside);
        rc = sqlite3_open(":memory:", &model.db) == SQLITE_OK ? 0 : store_failed(&model, err);
        if (rc == 0)
            rc = store_execute(&model, store_tables, err);
        if (rc == 0 && has_aside)
            rc = store_execute(&model, store_aside_tables, err);
    }
    if (rc == 0)
        rc = store_prepare(&model, &own, declared, err);
    if (rc == 0)
        rc = store_prepare(s, &there, declared, err);
    if (rc == 0)
        rc = compare_tables(s, own, there, err);
    sqlite3_finalize(own);
    sqlite3_finalize(there);
    sqlite3_close(model.db);
    return rc;
}
