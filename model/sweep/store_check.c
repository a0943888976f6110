/* Checksums of what a database holds, so that damage is told of and not reported as a result. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "sweep/store_impl.h"

/* Feed the rows of a query to `h`, each column with its end. */
static int hash_query(struct store *s, XXH64_state_t *h, const char *sql, struct err *err)
{
    sqlite3_stmt *st;
    int step;

    if (store_prepare(s, &st, sql, err) != 0)
        return -1;
    int n = sqlite3_column_count(st);
    while ((step = store_step(st)) == SQLITE_ROW)
        for (int c = 0; c < n; c++) {
            const char *text = store_text_of(st, c);
            XXH64_update(h, text ? text : "", (size_t)sqlite3_column_bytes(st, c) + (text != NULL));
        }
    int rc = step == SQLITE_DONE ? 0 : store_failed(s, err);
    sqlite3_finalize(st);
    return rc;
}

static int sum_plan(struct store *s, uint64_t *sum, struct err *err)
{
    static const char *const queries[] = {
        "SELECT key, value FROM sweep WHERE key != 'checksum' ORDER BY key",
        "SELECT kind, name, checksum FROM source ORDER BY kind, name",
        "SELECT point, name, value FROM parameter ORDER BY point, name",
    };
    XXH64_state_t *h = XXH64_createState();
    int rc = 0;

    if (!h)
        memory_end();
    XXH64_reset(h, 0);
    for (size_t i = 0; i < sizeof queries / sizeof *queries && rc == 0; i++)
        rc = hash_query(s, h, queries[i], err);
    *sum = XXH64_digest(h);
    XXH64_freeState(h);
    return rc;
}

int store_stamp_plan(struct store *s, struct err *err)
{
    char text[CHECKSUM];
    uint64_t sum;

    if (sum_plan(s, &sum, err) != 0)
        return -1;
    store_checksum_text(text, sum);
    return store_set(s, "checksum", text, err);
}

int store_check_plan(struct store *s, struct err *err)
{
    char text[CHECKSUM];
    uint64_t sum;

    if (sum_plan(s, &sum, err) != 0)
        return -1;
    store_checksum_text(text, sum);
    char *there = store_setting(s, "checksum");
    int rc =
        there && strcmp(there, text) == 0
            ? 0
            : err_set(err, ERR_FORMAT,
                      "%s: plan, sources or parameters are not what was written: it is damaged "
                      "(checksum %.20s there, %s of what it holds)",
                      s->path, there ? there : "none", text);
    free(there);
    return rc;
}

uint64_t store_row_checksum(const struct store_row *r)
{
    char head[128];
    uint64_t figures = 0;

    for (size_t i = 0; i < r->n_figures; i++) {
        const struct point_figure *f = &r->figure[i];
        /* SQLite has one zero and no NAN */
        double value = f->value == 0 ? 0 : f->value;
        uint64_t bits = 0;
        if (!isnan(value))
            memcpy(&bits, &value, sizeof bits);
        else
            bits = UINT64_MAX;
        figures += XXH64(&bits, sizeof bits, XXH64(f->name, strlen(f->name), 0));
    }
    int n = snprintf(head, sizeof head, "%d %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %zu",
                     (int)r->state, r->trace_checksum, r->machine_checksum, r->result_checksum,
                     figures, r->n_figures);
    uint64_t sum = XXH64(head, (size_t)n, 0);
    return r->error ? XXH64(r->error, strlen(r->error), sum) : sum;
}
