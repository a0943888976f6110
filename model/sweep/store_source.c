/* Where the points of a store came from: checksums of machines and traces. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "machine/spec/spec.h"
#include "sweep/store_impl.h"

int store_file_checksum(const char *path, uint64_t *sum, struct err *err)
{
    char block[65536];
    FILE *f = fopen(path, "rb");
    XXH64_state_t *state = XXH64_createState();

    if (!state)
        memory_end();
    XXH64_reset(state, 0);
    if (f)
        for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
            XXH64_update(state, block, n);
    int rc = !f || ferror(f) ? err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) : 0;
    *sum = XXH64_digest(state);
    XXH64_freeState(state);
    if (f)
        fclose(f);
    return rc;
}

/* Note where something came from, or compare with the note. */
static int note_source(struct store *s, const char *kind, const char *name, uint64_t sum,
                       bool create, struct err *err)
{
    char text[CHECKSUM];
    sqlite3_stmt *st;
    int rc;

    store_checksum_text(text, sum);
    if (create) {
        if (store_prepare(s, &st, "INSERT OR IGNORE INTO source VALUES (?, ?, ?)", err) != 0)
            return -1;
        store_bind_text(st, 3, text);
    } else if (store_prepare(s, &st, "SELECT checksum FROM source WHERE kind = ? AND name = ?",
                             err) != 0) {
        return -1;
    }
    store_bind_text(st, 1, kind);
    store_bind_text(st, 2, name);
    if (create)
        rc = store_finish(s, st, err);
    else if (store_step(st) == SQLITE_ROW && store_checksum_of(store_text_of(st, 0)) == sum)
        rc = 0;
    else
        rc = err_set(err, ERR_FIT, "%s: %s %s has changed since the sweep began: take another --db",
                     s->path, kind, name);
    sqlite3_finalize(st);
    return rc;
}

static int machine_source(struct store *s, const struct plan *p, const char *name, bool create,
                          struct err *err)
{
    struct machine_spec *m;

    /* one that is sound only with the axes has no checksum of its own */
    if (spec_load(&m, name, (const char *const *)p->set.word, p->set.n, err) != 0)
        return err->code == ERR_RANGE || err->code == ERR_FIT ? 0 : -1;
    uint64_t sum = spec_checksum(m);
    spec_free(m);
    return note_source(s, "machine", name, sum, create, err);
}

size_t store_machines(const struct plan *p, const char *const **name)
{
    for (size_t a = 0; a < p->n_axes; a++)
        if (p->axis[a].key.kind == KEY_MACHINE) {
            *name = (const char *const *)p->axis[a].value;
            return p->axis[a].n;
        }
    *name = (const char *const *)p->machines.word;
    return p->machines.n;
}

int store_note_sources(struct store *s, const struct plan *p, bool create, struct err *err)
{
    const char *const *machine;
    size_t n = store_machines(p, &machine);
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = machine_source(s, p, machine[i], create, err);
    for (size_t i = 0; i < p->n_traces && rc == 0; i++) {
        uint64_t sum = 0;
        const char *path = p->trace[i].text;
        if (!p->trace[i].gen)
            rc = store_file_checksum(path, &sum, err);
        if (rc == 0 && !p->trace[i].gen)
            rc = note_source(s, "trace", path, sum, create, err);
    }
    return rc;
}
