/* Databases of sweeps that were damaged, or made by a stranger: each is refused in one line. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/report/ask.h"
#include "sweep/report/export.h"
#include "sweep/store_impl.h"

static struct err err;
static const struct store_shard whole = { 1, 1 };
static const char plan_words[] =
    "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\n[axis]\nmxu.count = 1,2\n";

/* A database of two points, which took 3 and 4 seconds; its path is to be given to remove_made. */
static char *make_database(void)
{
    static char name[] = "seconds_per_step";
    char *path = strdup("/tmp/hostile.XXXXXX");
    struct store *s;
    struct plan p;
    int fd = mkstemp(path);

    cr_assert(fd >= 0);
    close(fd);
    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", plan_words, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    for (size_t i = 0; i < 2; i++) {
        char json[32];
        bool new;
        struct point_figure f = { name, 3.0 + (double)i };
        snprintf(json, sizeof json, "{\"seconds_per_step\": %zu}", 3 + i);
        struct point_outcome o = { .done = true,
                                   .json = json,
                                   .json_size = strlen(json),
                                   .trace_checksum = 1,
                                   .machine_checksum = 2,
                                   .figure = &f,
                                   .n_figures = 1 };
        cr_assert_eq(store_put(s, i, &o, &new, &err), 0, "%s", err.msg);
    }
    store_close(s);
    plan_free(&p);
    return path;
}

static void remove_made(char *path)
{
    static const char *const tails[] = { "", "-wal", "-shm" };

    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", path, tails[i]);
        unlink(name);
    }
    free(path);
}

/* Run SQL on the file, as one may who has it. */
static void tamper_with(const char *path, const char *sql)
{
    sqlite3 *db;

    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* Read all there is in every way a command does.  Returns 0, or -1 with `err`. */
static int read_all(const char *path)
{
    struct ask ask = { .top = ASK_TOP, .times = 1 };
    struct ask_answer a;
    struct sweep_table t;
    struct store *s;
    uint64_t digest;
    FILE *nowhere = fopen("/dev/null", "w");

    int rc = store_read(&s, path, &err);
    if (rc == 0) {
        rc = store_digest(s, &digest, &err);
        if (rc == 0)
            rc = export_json(s, nowhere, &err);
        if (rc == 0)
            rc = export_csv(s, nowhere, &err);
        if (rc == 0)
            rc = sweep_table_read(&t, s, &err);
        if (rc == 0) {
            rc = ask_answer(&a, &t, &ask, &err);
            if (rc == 0)
                ask_free(&a);
            sweep_table_free(&t);
        }
        store_close(s);
    }
    fclose(nowhere);
    return rc;
}

/* Read a database that was tampered with; it must fail, and the message have `why`. */
static void expect_refusal(const char *path, const char *how, const char *why)
{
    cr_expect_eq(read_all(path), -1, "%s is read", how);
    cr_expect_not_null(strstr(err.msg, why), "%s: %s", how, err.msg);
    cr_expect_not_null(strstr(err.msg, path), "%s: %s", how, err.msg);
}

static void refuse_database(const char *sql, const char *why)
{
    char *path = make_database();

    cr_assert_eq(read_all(path), 0, "%s", err.msg);
    tamper_with(path, sql);
    expect_refusal(path, sql, why);
    remove_made(path);
}

/* Give the database the checksum of what it holds, as one can who changes it on purpose. */
static void stamp_plan(const char *path)
{
    char sql[128];
    const char *sum;

    cr_assert_eq(read_all(path), -1);
    sum = strstr(err.msg, "there, 0x");
    cr_assert_not_null(sum, "%s", err.msg);
    snprintf(sql, sizeof sql, "UPDATE sweep SET value = '%.18s' WHERE key = 'checksum'", sum + 7);
    tamper_with(path, sql);
}

static void refuse_stamped(const char *sql, const char *why)
{
    char *path = make_database();

    tamper_with(path, sql);
    stamp_plan(path);
    expect_refusal(path, sql, why);
    remove_made(path);
}

Test(hostile_sweep, a_value_that_is_not_on_its_axis_is_refused)
{
    refuse_stamped("UPDATE parameter SET value = '7' WHERE point = 0",
                   "point 0 has mxu.count = 7, which the plan has not: it is damaged");
}

Test(hostile_sweep, a_state_that_no_point_has_is_refused)
{
    refuse_database("UPDATE point SET state = 7 WHERE id = 1",
                    "point 1 has state 7: it is damaged");
    refuse_database("UPDATE point SET state = -1 WHERE id = 1",
                    "point 1 has state -1: it is damaged");
}

Test(hostile_sweep, settings_that_are_missing_or_no_numbers_are_refused)
{
    refuse_stamped("DELETE FROM sweep WHERE key = 'plan'", "a database, but of no sweep");
    refuse_stamped("DELETE FROM sweep WHERE key = 'shard'", "a database, but of no sweep");
    refuse_stamped("UPDATE sweep SET value = '0/0' WHERE key = 'shard'",
                   "a database, but of no sweep");
    refuse_stamped("UPDATE sweep SET value = '3/2' WHERE key = 'shard'",
                   "a database, but of no sweep");
    refuse_stamped("UPDATE sweep SET value = '' WHERE key = 'plan'", "no trace given");
    refuse_database("DELETE FROM sweep WHERE key = 'schema'", "a database, but of no sweep");
    refuse_database("UPDATE sweep SET value = '1' WHERE key = 'schema'", "tables of schema 1");
}

Test(hostile_sweep, what_was_changed_is_refused)
{
    refuse_database("UPDATE parameter SET value = '2' WHERE point = 0",
                    "parameters are not what was written");
    refuse_database("UPDATE source SET checksum = '0x1'", "sources or parameters are not");
    refuse_database("UPDATE sweep SET value = '0' WHERE key = 'baseline'", "are not what was");
    refuse_database("UPDATE figure SET value = 9 WHERE point = 1",
                    "point 1 has not what was written: it is damaged");
    refuse_database("UPDATE figure SET value = NULL WHERE point = 1", "point 1 has not what was");
    refuse_database("UPDATE figure SET name = 'seconds' WHERE point = 0",
                    "point 0 has not what was written");
    refuse_database("DELETE FROM figure WHERE point = 0", "point 0 has not what was written");
    refuse_database("UPDATE point SET state = 2 WHERE id = 0", "point 0 has not what was written");
    refuse_database("UPDATE point SET state = 0 WHERE id = 0", "point 0 has not what was written");
    refuse_database("UPDATE point SET trace_checksum = '0x5' WHERE id = 0", "point 0 has not");
    refuse_database("UPDATE point SET row_checksum = NULL WHERE id = 0", "point 0 has not");
    refuse_database("UPDATE result SET json = (SELECT json FROM result WHERE point = 1)",
                    "a result that is damaged");
}

Test(hostile_sweep, points_that_are_missing_or_too_many_are_refused)
{
    refuse_database("DELETE FROM point WHERE id = 1", "points of the plan are missing from 1 on");
    refuse_database("DELETE FROM point WHERE id = 0", "points of the plan are missing from 0 on");
    refuse_database("INSERT INTO point (id) VALUES (2)", "or are too many");
    refuse_database("INSERT INTO figure VALUES (5, 'x', 1)", "values of point 5, which is not");
    refuse_database("INSERT INTO figure VALUES (-5, 'x', 1)", "values of point -5, which is not");
}

Test(hostile_sweep, tables_of_another_are_refused)
{
    alarm(20); /* a hang fails */
    refuse_database("DROP TABLE figure; CREATE VIEW figure (point, name, value) AS WITH RECURSIVE "
                    "n (i) AS (SELECT 0 UNION ALL SELECT i FROM n) SELECT i, 'x', 1.0 FROM n",
                    "table figure is missing");
    refuse_database("DROP TABLE sweep; CREATE VIEW sweep (key, value) AS WITH RECURSIVE n (i) AS "
                    "(SELECT 0 UNION ALL SELECT i FROM n) SELECT 'k', 'v' FROM n WHERE i > 0",
                    "");
    refuse_database("ALTER TABLE sweep RENAME TO old; CREATE TABLE sweep (key, value);"
                    "INSERT INTO sweep SELECT key, iif(key = 'plan', NULL, value) FROM old;"
                    "DROP TABLE old",
                    "table sweep is not one that this program makes");
    refuse_database("CREATE TRIGGER t AFTER UPDATE ON point BEGIN DELETE FROM result; END",
                    "trigger t is not one that this program makes");
    refuse_database("CREATE TABLE more (x)", "table more is not one that this program makes");
    refuse_database("DROP INDEX point_state", "index point_state is missing");
}

Test(hostile_sweep, only_a_regular_file_is_opened)
{
    struct store *s;

    alarm(20); /* a hang fails */
    cr_expect_eq(store_read(&s, "/dev/zero", &err), -1);
    cr_expect_str_eq(err.msg, "/dev/zero: no regular file");
    cr_expect_eq(store_read(&s, "/tmp", &err), -1);
    cr_expect_str_eq(err.msg, "/tmp: no regular file");
}

Test(hostile_sweep, nothing_for_a_terminal_comes_through)
{
    refuse_stamped("UPDATE sweep SET value = value || char(27) || '[2J' WHERE key = 'plan'",
                   "the plan is no UTF-8 or has control characters");
    refuse_stamped("UPDATE parameter SET value = char(27) || 'c' WHERE point = 0",
                   "point 0 has mxu.count = ?c, which the plan has not");
}

static void expect_source(void *self, const char *kind, const char *name, const char *checksum)
{
    unsigned *n = self;

    cr_expect_str_eq(kind, "machine");
    cr_expect_str_eq(name, "tpu?[2J");
    cr_expect_eq(strlen(checksum), 18);
    ++*n;
}

Test(hostile_sweep, names_of_sources_are_for_a_terminal)
{
    char *path = make_database();
    struct store *s;
    unsigned n = 0;

    tamper_with(path, "UPDATE source SET name = 'tpu' || char(27) || '[2J'");
    stamp_plan(path);
    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    cr_expect_eq(store_sources(s, expect_source, &n, &err), 0);
    cr_expect_eq(n, 1);
    store_close(s);
    remove_made(path);
}

/* Any byte that is changed is told of or changes nothing that is read. */
Test(hostile_sweep, a_changed_byte_changes_no_figure)
{
    char *path = make_database();
    struct store *s;
    uint64_t sound, now;
    unsigned told = 0, same = 0;

    alarm(120); /* a hang fails */
    tamper_with(path, "PRAGMA journal_mode = DELETE");
    FILE *f = fopen(path, "rb");
    static char whole_file[1 << 17], changed[1 << 17];
    size_t n = fread(whole_file, 1, sizeof whole_file, f);
    fclose(f);
    cr_assert(n > 4096 && n < sizeof whole_file);
    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    cr_assert_eq(store_digest(s, &sound, &err), 0);
    store_close(s);
    for (size_t at = 100; at < n; at += 61) {
        memcpy(changed, whole_file, n);
        changed[at] ^= 0x41;
        f = fopen(path, "wb");
        cr_assert_eq(fwrite(changed, 1, n, f), n);
        fclose(f);
        if (read_all(path) != 0) {
            told++;
            continue;
        }
        same++;
        cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
        cr_assert_eq(store_digest(s, &now, &err), 0);
        cr_expect_eq(now, sound, "byte %zu", at);
        store_close(s);
    }
    cr_expect(told > 20 && same > 20, "%u told of, %u without effect", told, same);
    remove_made(path);
}

/* A shard is read whole before anything of it is taken. */
Test(hostile_sweep, a_damaged_shard_is_not_merged)
{
    char *from = make_database(), *to = make_database();
    struct store_count c;
    struct store *s;
    struct plan p;

    tamper_with(to, "UPDATE point SET state = 0, row_checksum = NULL, error = NULL,"
                    " trace_checksum = NULL, machine_checksum = NULL, result_checksum = NULL;"
                    "DELETE FROM figure; DELETE FROM result");
    tamper_with(from, "UPDATE point SET state = 7 WHERE id = 1");
    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", plan_words, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(store_open(&s, to, &p, whole, "1", &err), 0, "%s", err.msg);
    cr_expect_eq(store_merge(s, from, &err), -1);
    cr_expect_not_null(strstr(err.msg, "point 1 has state 7"), "%s", err.msg);
    cr_expect_eq(store_count(s, &c, &err), 0);
    cr_expect_eq(c.done, 0);
    tamper_with(from, "UPDATE point SET state = 1 WHERE id = 1");
    cr_expect_eq(store_merge(s, from, &err), 0, "%s", err.msg);
    cr_expect_eq(store_count(s, &c, &err), 0);
    cr_expect_eq(c.done, 2);
    store_close(s);
    plan_free(&p);
    remove_made(from);
    remove_made(to);
}

/* Views, which could hold such a statement, are refused before: here it is run as the store runs
 * its own. */
Test(sweep_hostile, a_statement_without_end_is_ended)
{
    char *path = make_database();
    struct store *s;

    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    /* 2000 turns of 100,000 instructions, and one for each 500 bytes of the file */
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_expect_eq(s->most_work, 2000 + (uint64_t)st.st_size / 500);
    s->most_work = s->work + 3;
    cr_expect_eq(store_execute(s,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                               "SELECT count(*) FROM n",
                               &err),
                 -1);
    cr_expect_eq(err.code, ERR_IO);
    cr_expect_eq(s->work, s->most_work + 1);
    store_close(s);
    remove_made(path);
}
