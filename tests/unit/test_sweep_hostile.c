/* Databases of sweeps that were damaged, or made by a stranger: each is refused in one line. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/ask.h"
#include "analysis/export.h"

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

/* Change a sound database by `sql`; reading it must fail, and the message have `why`. */
static void refuse_database(const char *sql, const char *why)
{
    char *path = make_database();

    cr_assert_eq(read_all(path), 0, "%s", err.msg);
    tamper_with(path, sql);
    cr_expect_eq(read_all(path), -1, "%s is read", sql);
    cr_expect_not_null(strstr(err.msg, why), "%s: %s", sql, err.msg);
    cr_expect_not_null(strstr(err.msg, path), "%s: %s", sql, err.msg);
    remove_made(path);
}

Test(hostile_sweep, a_value_that_is_not_on_its_axis_is_refused)
{
    refuse_database("UPDATE parameter SET value = '7' WHERE point = 0",
                    "point 0 has mxu.count = 7, which the plan has not: it is damaged");
}

Test(hostile_sweep, a_state_that_no_point_has_is_refused)
{
    refuse_database("UPDATE point SET state = 7 WHERE id = 1",
                    "point 1 has state 7: it is damaged");
    refuse_database("UPDATE point SET state = -1 WHERE id = 1",
                    "point 1 has state -1: it is damaged");
}

Test(hostile_sweep, a_plan_that_is_no_text_is_refused)
{
    refuse_database(
        "ALTER TABLE sweep RENAME TO old; CREATE TABLE sweep (key, value);"
        "INSERT INTO sweep SELECT key, nullif(value, '" /* the plan */
        "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\nsteps = 1\n\n[axis]\nmxu.count = 1,2\n"
        "') FROM old; DROP TABLE old",
        "");
}
