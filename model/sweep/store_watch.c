/* The files that points are read from, which nobody may change while a sweep runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "machine/spec/spec.h"
#include "sweep/store_impl.h"

struct store_watched {
    char *path;
    struct stat st; /* as it was when it was last read and compared */
};

static void add_file(struct store *s, const char *path)
{
    for (size_t i = 0; i < s->n_watched; i++)
        if (strcmp(s->watched[i].path, path) == 0)
            return;
    MEMORY_ADD(s->watched, s->n_watched);
    s->watched[s->n_watched++] = (struct store_watched){ .path = memory_copy(path) };
}

static void add_machine(struct store *s, const struct plan *p, const char *name)
{
    struct machine_spec *m;
    struct err ignored;

    /* a machine that cannot be read without the values of the axes has its own file at least */
    if (catalog_is_path(name))
        add_file(s, name);
    if (spec_load(&m, name, (const char *const *)p->set.word, p->set.n, &ignored) != 0)
        return;
    for (size_t i = 0; i < m->n_files; i++)
        add_file(s, m->file[i]);
    spec_free(m);
}

static int look_at(const struct store_watched *w, struct stat *st, struct err *err)
{
    if (stat(w->path, st) == 0)
        return 0;
    return err_set(err, ERR_IO,
                   "%s: %s; the sweep stops: what is done stays, and the same command goes on",
                   w->path, strerror(errno));
}

/* A file that is changed, replaced or renamed differs in one of these. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int store_watch(struct store *s, const struct plan *p, struct err *err)
{
    const char *const *machine;
    size_t n = store_machines(p, &machine);

    for (size_t i = 0; i < n; i++)
        add_machine(s, p, machine[i]);
    for (size_t i = 0; i < p->n_traces; i++)
        if (!p->trace[i].gen)
            add_file(s, p->trace[i].text);
    for (size_t i = 0; i < s->n_watched; i++)
        if (look_at(&s->watched[i], &s->watched[i].st, err) != 0)
            return -1;
    return 0;
}

int store_compare_files(struct store *s, const struct plan *p, bool *touched, struct err *err)
{
    struct stat now;

    *touched = false;
    for (size_t i = 0; i < s->n_watched; i++) {
        struct store_watched *w = &s->watched[i];
        if (look_at(w, &now, err) != 0)
            return -1;
        *touched |= !is_same(&now, &w->st);
        w->st = now;
    }
    return *touched ? store_note_sources(s, p, false, err) : 0;
}

void store_watch_free(struct store *s)
{
    for (size_t i = 0; i < s->n_watched; i++)
        free(s->watched[i].path);
    free(s->watched);
}
