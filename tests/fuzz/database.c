/* See database.h. */
#include "tests/fuzz/database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/report/ask.h"
#include "sweep/report/export.h"
#include "sweep/report/sweep_text.h"
#include "tests/fuzz/fuzz.h"

static const char plan_words[] =
    "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\n[axis]\nmxu.count = 1,2\n";

static void put_points(struct store *s)
{
    static char name[] = "seconds_per_step";
    struct err err;

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
        FUZZ_CHECK(store_put(s, i, &o, &new, &err) == 0);
    }
}

void database_make(const char *path)
{
    struct store_shard whole = { 1, 1 };
    struct store *s;
    struct plan p;
    struct err err;
    sqlite3 *db;

    plan_init(&p);
    FUZZ_CHECK(plan_read_text(&p, "plan", plan_words, &err) == 0);
    FUZZ_CHECK(plan_finish(&p, &err) == 0);
    FUZZ_CHECK(store_open(&s, path, &p, whole, "1", &err) == 0);
    put_points(s);
    store_close(s);
    plan_free(&p);
    FUZZ_CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    FUZZ_CHECK(sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static int write_report(struct store *s, FILE *out, struct err *err)
{
    struct ask ask = { .top = ASK_TOP, .times = 1 };
    struct ask_answer a;
    struct sweep_table t;

    if (sweep_table_read(&t, s, err) != 0)
        return -1;
    int rc = ask_answer(&a, &t, &ask, err);
    if (rc == 0) {
        sweep_text(&a, "db", out);
        ask_free(&a);
    }
    sweep_table_free(&t);
    return rc;
}

bool database_read(const char *path, struct err *err)
{
    static FILE *nowhere;
    struct store_count count;
    struct store *s;
    uint64_t digest;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (store_read(&s, path, err) != 0)
        return false;
    bool good = store_count(s, &count, err) == 0 && store_digest(s, &digest, err) == 0 &&
                export_json(s, nowhere, err) == 0 && export_csv(s, nowhere, err) == 0 &&
                write_report(s, nowhere, err) == 0;
    store_close(s);
    return good;
}
