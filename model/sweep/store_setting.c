/* Settings of a store of results, and which points are of a shard. */
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "sweep/base_value.h"
#include "sweep/store_impl.h"

bool store_in_shard(struct store_shard s, size_t i)
{
    return i % s.of == s.number - 1;
}

char *store_setting(struct store *s, const char *key)
{
    sqlite3_stmt *st;
    struct err ignored;
    char *value = NULL;

    if (store_prepare(s, &st, "SELECT value FROM sweep WHERE key = ?", &ignored) != 0)
        return NULL;
    store_bind_text(st, 1, key);
    if (store_step(st) == SQLITE_ROW) {
        value = memory_copy(store_text_of(st, 0));
    }
    sqlite3_finalize(st);
    return value;
}

int store_set(struct store *s, const char *key, const char *value, struct err *err)
{
    sqlite3_stmt *st;

    if (store_prepare(s, &st, "INSERT OR REPLACE INTO sweep VALUES (?, ?)", err) != 0)
        return -1;
    store_bind_text(st, 1, key);
    store_bind_text(st, 2, value);
    int rc = store_finish(s, st, err);
    sqlite3_finalize(st);
    return rc;
}
