/* The pairs of a folder: files of one name, and what pairs.ini says. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "study/validate/profile_set_impl.h"

/* --- pairs.ini ------------------------------------------------------------------------------ */

/* Take a path that pairs.ini names: of all files of the pair it alone remains. */
static void claim_file(struct profile_set_files *l, const char *folder, const char *name,
                       const char *below, bool program)
{
    size_t n = strlen(below);

    while (n > 1 && below[n - 1] == '/')
        n--;
    char *plain = memory_copy_part(below, n);
    for (size_t i = l->n; i-- > 0;) {
        const struct profile_set_file *f = &l->file[i];
        if (!f->claimed && f->program == program &&
            (strcmp(f->name, name) == 0 || strcmp(f->below, plain) == 0))
            profile_set_drop(l, i);
    }
    profile_set_add(l, folder, plain, name, program);
    struct profile_set_file *f = &l->file[l->n - 1];
    f->claimed = true;
    if (*plain == '/') { /* a path of its own */
        free(f->path);
        f->path = memory_copy(plain);
    }
    free(plain);
}

static void claim_files(struct profile_set_files *l, const char *folder,
                        const struct profile_set_ini *ini)
{
    for (size_t i = 0; i < ini->n; i++) {
        const struct profile_set_said *s = &ini->said[i];
        if (s->program)
            claim_file(l, folder, s->name, s->program, true);
        if (s->profile)
            claim_file(l, folder, s->name, s->profile, false);
    }
}

/* --- captures ------------------------------------------------------------------------------- */

static size_t count_files(const struct profile_set_files *l, const char *name, bool program)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += l->file[i].program == program && strcmp(l->file[i].name, name) == 0;
    return n;
}

/* Is the file in this folder, not in one below? */
static bool is_in(const struct profile_set_file *f, const char *folder)
{
    const char *slash = strrchr(f->below, '/');
    size_t n = slash ? (size_t)(slash - f->below) : 0;

    return strlen(folder) == n && memcmp(f->below, folder, n) == 0;
}

/* Give a capture that has no program of its name the only one beside its folder `plugins`. */
static void find_beside(struct profile_set_files *l, const struct profile_set_file *capture)
{
    struct profile_set_file *found = NULL;
    size_t n = 0;

    if (!capture->log || count_files(l, capture->name, true) > 0)
        return;
    for (size_t i = 0; i < l->n; i++)
        if (&l->file[i] != capture && l->file[i].program && is_in(&l->file[i], capture->log) &&
            count_files(l, l->file[i].name, false) == 0) {
            found = &l->file[i];
            n++;
        }
    if (n != 1)
        return;
    free(found->name);
    found->name = memory_copy(capture->name);
}

/* --- pairs ---------------------------------------------------------------------------------- */

static struct profile_set_pair *find_pair(struct profile_set *s, const char *name)
{
    for (size_t i = 0; i < s->n_pairs; i++)
        if (strcmp(s->pair[i].name, name) == 0)
            return &s->pair[i];
    MEMORY_ADD(s->pair, s->n_pairs);
    struct profile_set_pair *p = &s->pair[s->n_pairs++];
    *p = (struct profile_set_pair){ .name = memory_copy(name) };
    mpq_inits(p->step.predicted, p->step.measured, p->error, p->paired_share, NULL);
    return p;
}

static void put_file(struct profile_set_pair *p, const struct profile_set_file *f)
{
    char **slot = f->program ? &p->program : &p->profile;

    if (!*slot) {
        *slot = memory_copy(f->path);
        return;
    }
    if (p->reason)
        return;
    const char *slash = strrchr(f->below, '/');
    const char *what = f->program ? "program" : "profile";
    p->reason =
        memory_format("more than one %s of this name, %s and %s: say " PROFILE_SET_INI
                      " which one, `%s = ...` in [%s]",
                      what, strrchr(*slot, '/') + 1, slash ? slash + 1 : f->below, what, p->name);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct profile_set_pair *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Errors: ERR_UNKNOWN a section of pairs.ini that is no pair. */
static int apply_said(struct profile_set *s, const char *folder, const struct profile_set_ini *ini,
                      const struct profile_set_said *said, struct err *err)
{
    const char **names = memory_zeroed(s->n_pairs, sizeof *names);
    struct profile_set_pair *p = NULL;

    for (size_t i = 0; i < s->n_pairs; i++) {
        names[i] = s->pair[i].name;
        if (strcmp(names[i], said->name) == 0)
            p = &s->pair[i];
    }
    const char *near = p ? NULL : err_nearest(said->name, names, (unsigned)s->n_pairs);
    free(names);
    if (!p)
        return err_set(err, ERR_UNKNOWN, "%.160s:%d: no pair [%.80s] in the folder%s%.80s%s",
                       ini->path, said->line, said->name, near ? "; did you mean [" : "",
                       near ? near : "", near ? "]?" : "");
    size_t n = said->machine ? strlen(said->machine) : 0;
    bool file = n > 4 && strcmp(said->machine + n - 4, ".ini") == 0 && *said->machine != '/';
    if (said->machine)
        p->asked =
            file ? memory_format("%s/%s", folder, said->machine) : memory_copy(said->machine);
    p->module = memory_copy(said->module);
    if (said->use && strcmp(said->use, "fitted") == 0)
        p->use = PROFILE_SET_FITTED;
    return 0;
}

static void check_pair(struct profile_set_pair *p)
{
    if (!p->reason && !p->profile)
        p->reason = memory_copy("no profile of this name: expected one in .xplane.pb, "
                                ".hlo_stats.csv, .hlo_stats.json, .op_profile.json, .trace.json or "
                                ".csv, or a folder of a profiler");
}

int profile_set_find(struct profile_set *s, const char *folder, struct err *err)
{
    struct profile_set_files l;
    struct profile_set_ini ini = { 0 };

    if (profile_set_list(&l, folder, err) != 0)
        return -1;
    int rc = profile_set_ini_read(&ini, folder, err);
    if (rc == 0) {
        claim_files(&l, folder, &ini);
        for (size_t i = 0; i < l.n; i++)
            find_beside(&l, &l.file[i]);
        for (size_t i = 0; i < l.n; i++)
            put_file(find_pair(s, l.file[i].name), &l.file[i]);
    }
    for (size_t i = 0; i < ini.n && rc == 0; i++)
        rc = apply_said(s, folder, &ini, &ini.said[i], err);
    for (size_t i = 0; i < s->n_pairs; i++)
        check_pair(&s->pair[i]);
    if (s->n_pairs > 0)
        qsort(s->pair, s->n_pairs, sizeof *s->pair, compare_pairs);
    if (rc == 0 && s->n_pairs == 0)
        rc = err_set(
            err, ERR_FORMAT,
            "%.200s: no program and no profile in it: expected NAME.hlo beside "
            "NAME.xplane.pb, NAME.hlo_stats.csv or others that docs/guide/profiles.md names",
            folder);
    profile_set_ini_free(&ini);
    profile_set_forget(&l);
    return rc;
}
