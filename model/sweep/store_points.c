/* The points of a plan as a store of results keeps them. */
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "sweep/base_value.h"
#include "sweep/store_impl.h"

static int insert_points(struct store *s, const struct plan *p, struct err *err)
{
    sqlite3_stmt *point = NULL, *parameter = NULL;
    int rc = store_prepare(s, &point, "INSERT INTO point (id) VALUES (?)", err);

    if (rc == 0)
        rc = store_prepare(s, &parameter, "INSERT INTO parameter VALUES (?, ?, ?)", err);
    for (size_t i = 0; i < p->n_points && rc == 0; i++) {
        if (!store_in_shard(s->shard, i))
            continue;
        store_bind_id(point, 1, i);
        rc = store_finish(s, point, err);
        for (size_t a = 0; a < p->n_axes && rc == 0; a++) {
            store_bind_id(parameter, 1, i);
            store_bind_text(parameter, 2, p->axis[a].name);
            store_bind_text(parameter, 3, p->point[i][a]);
            rc = store_finish(s, parameter, err);
        }
    }
    sqlite3_finalize(point);
    sqlite3_finalize(parameter);
    return rc;
}

int store_insert_plan(struct store *s, const struct plan *p, struct err *err)
{
    char points[32], baseline[32] = "";
    size_t at;

    snprintf(points, sizeof points, "%zu", p->n_points);
    if (base_value_point(p, &at))
        snprintf(baseline, sizeof baseline, "%zu", at);
    if (store_set(s, "plan", s->plan, err) != 0 || store_set(s, "points", points, err) != 0 ||
        store_set(s, "baseline", baseline, err) != 0 || store_note_sources(s, p, true, err) != 0 ||
        insert_points(s, p, err) != 0)
        return -1;
    return store_stamp_plan(s, err);
}
