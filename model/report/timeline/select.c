#include "report/timeline/select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NAME_MAX_ 512
#define NEAREST_OF 20000 /* names that are weighed for a message */

struct walk {
    const struct timeline_choice *choice;
    timeline_visit *visit;
    void *self;
    bool *hit; /* [glob] */
};

static bool is_text(const struct des *sim, struct des_object x)
{
    return x.kind == DES_PROBE &&
           des_probe_row(sim, (struct des_probe){ x.id })->kind == DES_PROBE_TEXT;
}

/* True if some pattern matches the name, which marks all that do. */
static bool matches_any(struct walk *w, const char *name)
{
    bool any = false;

    for (size_t i = 0; i < w->choice->n_globs; i++)
        if (fnmatch(w->choice->glob[i], name, 0) == 0)
            any = w->hit[i] = true;
    return any;
}

static void offer_object(struct des *sim, void *self, struct des_object x)
{
    struct walk *w = self;
    const struct timeline_choice *c = w->choice;
    char name[NAME_MAX_];
    bool wanted = c->n_globs == 0 || matches_any(w, des_path(sim, x, name, sizeof name));
    bool text = is_text(sim, x);

    if (text && c->n_globs) {
        size_t n = strlen(name);
        snprintf(name + n, sizeof name - n, "_text");
        text = matches_any(w, name);
    }
    if (wanted || text)
        w->visit(sim, w->self, x, !wanted);
}

struct names {
    const char **name;
    unsigned n;
};

static void collect_name(struct des *sim, void *self, struct des_object x)
{
    struct names *l = self;
    char name[NAME_MAX_];

    if (l->n + 2 > NEAREST_OF)
        return;
    l->name[l->n] = memory_copy(des_path(sim, x, name, sizeof name));
    l->n++;
    if (is_text(sim, x))
        l->name[l->n++] = memory_format("%s_text", name);
}

static int no_such(struct des *sim, const char *glob, struct err *err)
{
    struct names l = { memory_zeroed(NEAREST_OF, sizeof *l.name), 0 };

    des_each(sim, collect_name, &l);
    const char *nearest = err_nearest(glob, l.name, l.n);
    err_set(err, ERR_UNKNOWN, "%.120s: nothing has such a name%s%s", glob,
            nearest ? ": did you mean "
            : l.n   ? "; the machine has names like "
                    : "",
            nearest ? nearest
            : l.n   ? l.name[0]
                    : "");
    for (unsigned i = 0; i < l.n; i++)
        free((char *)(uintptr_t)l.name[i]);
    free(l.name);
    return -1;
}

int timeline_each(const struct timeline_choice *c, struct des *sim, timeline_visit *visit,
                  void *self, struct err *err)
{
    struct walk w = { c, visit, self, memory_zeroed(c->n_globs + 1, sizeof *w.hit) };
    int rc = 0;

    des_each(sim, offer_object, &w);
    for (size_t i = 0; i < c->n_globs && rc == 0; i++)
        if (!w.hit[i])
            rc = c->lenient ? 0 : no_such(sim, c->glob[i], err);
    free(w.hit);
    return rc;
}
