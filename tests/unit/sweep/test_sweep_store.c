/* The database of a sweep: nothing lost, nothing doubled, nothing mixed up. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/report/sweep_table.h"

static struct err err;
static const struct store_shard whole = { 1, 1 };

static void make_plan(struct plan *p, const char *counts)
{
    char text[256];

    plan_init(p);
    snprintf(text, sizeof text,
             "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\n[axis]\nmxu.count = %s\n", counts);
    cr_assert_eq(plan_read_text(p, "plan", text, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(p, &err), 0, "%s", err.msg);
}

static char *new_path(void)
{
    char *path = strdup("/tmp/store.XXXXXX");
    int fd = mkstemp(path);

    cr_assert(fd >= 0);
    close(fd);
    unlink(path);
    return path;
}

static void remove_path(char *path)
{
    char name[64];

    unlink(path);
    snprintf(name, sizeof name, "%s-wal", path);
    unlink(name);
    snprintf(name, sizeof name, "%s-shm", path);
    unlink(name);
    free(path);
}

/* An outcome with a result of its own for each number. */
static struct point_outcome make_outcome(int number)
{
    static char json[2][32];
    static char name[] = "seconds_per_step";
    static struct point_figure f[2];
    int i = number & 1;

    snprintf(json[i], sizeof json[i], "{\"seconds_per_step\": %d}", number);
    f[i] = (struct point_figure){ name, number };
    return (struct point_outcome){ .done = true,
                                   .json = json[i],
                                   .json_size = strlen(json[i]),
                                   .trace_checksum = 1,
                                   .machine_checksum = 2,
                                   .figure = &f[i],
                                   .n_figures = 1 };
}

static void put_row(struct store *s, size_t id, int number, bool expect_new)
{
    struct point_outcome o = make_outcome(number);
    bool new;

    cr_assert_eq(store_put(s, id, &o, &new, &err), 0, "%s", err.msg);
    cr_assert_eq(new, expect_new);
}

static void open_points(struct store *s, size_t n, const size_t *expected)
{
    size_t *ids, count;

    cr_assert_eq(store_open_points(s, &ids, &count, &err), 0);
    cr_assert_eq(count, n);
    cr_assert_eq(memcmp(ids, expected, n * sizeof *ids), 0);
    free(ids);
}

static uint64_t read_digest(struct store *s)
{
    uint64_t d;

    cr_assert_eq(store_digest(s, &d, &err), 0);
    return d;
}

Test(store, a_result_is_written_once_and_found_again)
{
    struct plan p;
    struct store *s;
    struct store_count c;
    char *path = new_path();

    make_plan(&p, "1,2,4");
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    open_points(s, 3, (size_t[]){ 0, 1, 2 });
    put_row(s, 1, 5, true);
    put_row(s, 1, 6, false); /* stays as it was */
    store_close(s);

    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    open_points(s, 2, (size_t[]){ 0, 2 });
    cr_assert_eq(store_count(s, &c, &err), 0);
    cr_assert_eq(c.all, 3);
    cr_assert_eq(c.done, 1);
    cr_assert_eq(c.failed, 0);
    struct point_outcome bad = { .error = (char[]){ "no" } };
    bool new;
    cr_assert_eq(store_put(s, 0, &bad, &new, &err), 0);
    cr_assert_eq(store_count(s, &c, &err), 0);
    cr_assert_eq(c.failed, 1);
    open_points(s, 1, (size_t[]){ 2 });
    store_close(s);
    plan_free(&p);
    remove_path(path);
}

static int check_row(void *self, const struct store_row *row, struct err *e)
{
    unsigned *seen = self;

    (void)e;
    cr_assert_eq(row->id, *seen);
    cr_assert_eq(row->n_parameters, 1);
    cr_assert_str_eq(row->parameter[0], "mxu.count");
    cr_assert_str_eq(row->value[0], row->id == 0 ? "1" : "2");
    if (row->id == 0) {
        cr_assert_eq(row->state, STORE_DONE);
        cr_assert_str_eq(row->json, "{\"seconds_per_step\": 7}");
        cr_assert_eq(row->n_figures, 1);
        cr_assert_eq(row->figure[0].value, 7);
        cr_assert_eq(row->machine_checksum, 2);
    } else {
        cr_assert_eq(row->state, STORE_OPEN);
        cr_assert_null(row->json);
        cr_assert_eq(row->n_figures, 0);
    }
    ++*seen;
    return 0;
}

Test(store, rows_come_back_in_order_with_all_they_have)
{
    struct plan p;
    struct store *s;
    unsigned seen = 0;
    char *path = new_path();

    make_plan(&p, "1,2");
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    put_row(s, 0, 7, true);
    store_close(s);
    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    cr_assert_eq(store_rows(s, true, check_row, &seen, &err), 0, "%s", err.msg);
    cr_assert_eq(seen, 2);
    store_close(s);
    plan_free(&p);
    remove_path(path);
}

static void expect_refusal(const char *path, const struct plan *p, struct store_shard shard,
                           const char *version, const char *part)
{
    struct store *s;

    cr_assert_eq(store_open(&s, path, p, shard, version, &err), -1);
    cr_assert_not_null(strstr(err.msg, part), "%s", err.msg);
}

Test(store, nothing_else_gets_into_it)
{
    struct plan p, other;
    struct store *s, *second;
    char *path = new_path();

    make_plan(&p, "1,2");
    make_plan(&other, "1,4");
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    put_row(s, 1, 7, true); /* of mxu.count 2, which the other plan has not */
    store_close(s);
    expect_refusal(path, &other, whole, "1", "no point with a result is in both");
    expect_refusal(path, &p, whole, "2", "version 1 there, 2 here");
    expect_refusal(path, &p, (struct store_shard){ 1, 2 }, "1", "shard 1/1 there, 1/2 here");
    FILE *f = fopen(path, "wb");
    fputs("this is no database, but long enough to look like something else entirely", f);
    fclose(f);
    expect_refusal(path, &p, whole, "1", "not a database");
    cr_assert_eq(store_read(&second, path, &err), -1);
    cr_assert_eq(store_read(&second, "/nowhere/x.db", &err), -1);
    plan_free(&p);
    plan_free(&other);
    remove_path(path);
}

/* Open the database with another list of values; `reused` and `aside` as store_change says. */
static struct store *change_plan(const char *path, struct plan *p, const char *counts,
                                 uint64_t reused, uint64_t aside)
{
    struct store *s;

    make_plan(p, counts);
    cr_assert_eq(store_open(&s, path, p, whole, "1", &err), 0, "%s", err.msg);
    cr_assert(store_change(s).extended);
    cr_assert_eq(store_change(s).reused, reused);
    cr_assert_eq(store_change(s).aside, aside);
    return s;
}

Test(store, another_plan_keeps_the_results_of_points_that_stay)
{
    struct plan p;
    struct store *s, *fresh;
    char *path = new_path(), *path_fresh = new_path();

    make_plan(&p, "1,2");
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    cr_assert_not(store_change(s).extended);
    put_row(s, 0, 5, true);
    put_row(s, 1, 6, true);
    store_close(s);
    plan_free(&p);
    /* 4 comes in front, 1 leaves: point 1 is mxu.count 2 as before, point 0 is open */
    s = change_plan(path, &p, "4,2", 1, 1);
    open_points(s, 1, (const size_t[]){ 0 });
    put_row(s, 1, 9, false);
    put_row(s, 0, 8, true);
    /* nothing of the plan before is left in what counts */
    cr_assert_eq(store_open(&fresh, path_fresh, &p, whole, "1", &err), 0, "%s", err.msg);
    put_row(fresh, 0, 8, true);
    put_row(fresh, 1, 6, true);
    cr_assert_eq(read_digest(s), read_digest(fresh));
    store_close(fresh);
    store_close(s);
    plan_free(&p);
    /* what left comes back with its result */
    s = change_plan(path, &p, "1,2,4", 3, 0);
    open_points(s, 0, (const size_t[]){ 0 });
    store_close(s);
    plan_free(&p);
    remove_path(path);
    remove_path(path_fresh);
}

Test(store, shards_divide_the_points_and_merge_to_the_whole)
{
    struct plan p;
    struct store *s, *all;
    char *path[3] = { new_path(), new_path(), new_path() };

    make_plan(&p, "1,2,3,4,5");
    cr_assert_eq(store_open(&all, path[2], &p, whole, "1", &err), 0, "%s", err.msg);
    for (size_t i = 0; i < 5; i++)
        put_row(all, i, (int)i, true);
    uint64_t expected = read_digest(all);
    store_close(all);
    unlink(path[2]);
    for (uint32_t k = 0; k < 2; k++) {
        cr_assert_eq(store_open(&s, path[k], &p, (struct store_shard){ k + 1, 2 }, "1", &err), 0);
        if (k == 0)
            open_points(s, 3, (size_t[]){ 0, 2, 4 });
        else
            open_points(s, 2, (size_t[]){ 1, 3 });
        for (size_t i = k; i < 5; i += 2)
            put_row(s, i, (int)i, true);
        store_close(s);
    }
    cr_assert_eq(store_open(&all, path[2], &p, whole, "1", &err), 0);
    cr_assert_eq(store_merge(all, path[0], &err), 0, "%s", err.msg);
    cr_assert_neq(read_digest(all), expected);
    cr_assert_eq(store_merge(all, path[1], &err), 0, "%s", err.msg);
    cr_assert_eq(read_digest(all), expected);
    cr_assert_eq(store_merge(all, path[1], &err), 0, "%s", err.msg); /* again changes nothing */
    cr_assert_eq(read_digest(all), expected);
    store_close(all);
    plan_free(&p);
    for (int k = 0; k < 3; k++)
        remove_path(path[k]);
}

Test(store, two_results_for_one_point_do_not_merge)
{
    struct plan p;
    struct store *a, *b;
    char *path[2] = { new_path(), new_path() };

    make_plan(&p, "1,2");
    cr_assert_eq(store_open(&a, path[0], &p, whole, "1", &err), 0);
    cr_assert_eq(store_open(&b, path[1], &p, whole, "1", &err), 0);
    put_row(a, 1, 3, true);
    put_row(b, 1, 4, true);
    store_close(b);
    cr_assert_eq(store_merge(a, path[1], &err), -1);
    cr_assert_not_null(strstr(err.msg, "has another result for point 1"), "%s", err.msg);
    store_close(a);
    plan_free(&p);
    remove_path(path[0]);
    remove_path(path[1]);
}

static int ignore_row(void *self, const struct store_row *row, struct err *e)
{
    (void)self;
    (void)row;
    (void)e;
    return 0;
}

/* Run SQL on the file of a store, as damage or a stranger would. */
static void tamper_with(const char *path, const char *sql)
{
    sqlite3 *db;

    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void refuse_rows(const char *path, const char *why)
{
    char message[128];
    struct store *s;

    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    cr_assert_eq(store_rows(s, true, ignore_row, NULL, &err), -1);
    snprintf(message, sizeof message, "%s: %s", path, why);
    cr_assert_str_eq(err.msg, message);
    store_close(s);
}

Test(store, damaged_results_are_told_of)
{
    char *path = new_path();
    struct store *s;
    struct plan p;

    make_plan(&p, "1");
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    put_row(s, 0, 0, true);
    store_close(s);
    tamper_with(path, "UPDATE result SET json = x'00010203'");
    refuse_rows(path, "a result that is not packed by zstd");
    /* frames of a block without content: of 1 byte, and of 2^62 */
    tamper_with(path, "UPDATE result SET json = x'28b52ffd2001010000'");
    refuse_rows(path, "a result that is damaged");
    tamper_with(path, "UPDATE result SET json = x'28b52ffde00000000000000040010000'");
    refuse_rows(path, "a result that is damaged");
    tamper_with(path, "DELETE FROM result");
    refuse_rows(path, "point 0 is done, but has no result");
    plan_free(&p);
    remove_path(path);
}

Test(store, a_point_without_its_parameter_is_told_of)
{
    char *path = new_path(), message[256];
    struct store *s;
    struct plan p;

    make_plan(&p, "1,2");
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    put_row(s, 1, 0, true);
    store_close(s);
    tamper_with(path, "DELETE FROM parameter WHERE point = 1");
    cr_assert_eq(store_read(&s, path, &err), -1);
    snprintf(message, sizeof message,
             "%s: plan, sources or parameters are not what was written: it is damaged", path);
    cr_assert_eq(strncmp(err.msg, message, strlen(message)), 0, "%s", err.msg);
    plan_free(&p);
    remove_path(path);
}
