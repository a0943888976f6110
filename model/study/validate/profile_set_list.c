/* The programs and profiles of a folder, by the names of files. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "study/validate/profile_set_impl.h"

#define DEPTH_MAX 16
#define LOGS "plugins/profile" /* where profilers put captures, below a folder of logs */

/* clang-format off */
static const char *const program_endings[] = { ".hlo", ".hlo.txt", ".after_optimizations.txt", ".trace", NULL };
static const char *const profile_endings[] = {
    ".xplane.pb", ".hlo_stats.csv", ".hlo_stats.json", ".op_profile.json", ".trace.json", ".csv", NULL
};
static const char *const packed_endings[] = { ".gz", ".zst", NULL };
/* clang-format on */

/* Length of `name`, of which `n` letters count, without the longest of the endings; 0: it has none,
 * or is nothing else. */
static size_t cut_ending(const char *name, size_t n, const char *const *endings)
{
    size_t cut = 0;

    for (; *endings; endings++) {
        size_t e = strlen(*endings);
        if (n > e && memcmp(name + n - e, *endings, e) == 0 && (cut == 0 || n - e < cut))
            cut = n - e;
    }
    return cut;
}

static size_t cut_packing(const char *name)
{
    size_t n = strlen(name), plain = cut_ending(name, n, packed_endings);

    return plain ? plain : n;
}

void profile_set_add(struct profile_set_files *l, const char *folder, const char *below,
                     const char *name, bool program)
{
    MEMORY_ADD(l->file, l->n);
    l->file[l->n++] = (struct profile_set_file){ .path = memory_format("%s/%s", folder, below),
                                                 .below = memory_copy(below),
                                                 .name = memory_copy(name),
                                                 .program = program };
}

void profile_set_drop(struct profile_set_files *l, size_t i)
{
    free(l->file[i].path);
    free(l->file[i].below);
    free(l->file[i].name);
    free(l->file[i].log);
    l->n--;
    memmove(&l->file[i], &l->file[i + 1], (l->n - i) * sizeof *l->file);
}

void profile_set_forget(struct profile_set_files *l)
{
    while (l->n > 0)
        profile_set_drop(l, l->n - 1);
    free(l->file);
    l->file = NULL;
}

/* --- the walk ------------------------------------------------------------------------------- */

/* A folder on the way down. */
struct place {
    const struct place *up;
    const char *below; /* "": the first one */
    dev_t device;
    ino_t inode;
    unsigned depth;
};

struct walk {
    struct profile_set_files *list;
    const char *folder;
    char *real; /* without links */
    struct err *err;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder, sorted.  Errors: ERR_IO. */
static int read_names(const char *path, char ***names, size_t *n, struct err *err)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;

    *names = NULL;
    *n = 0;
    if (!dir)
        return err_set(err, ERR_IO, "%.200s: %s", path, strerror(errno));
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        MEMORY_ADD(*names, *n);
        (*names)[(*n)++] = memory_copy(entry->d_name);
    }
    closedir(dir);
    if (*n > 0)
        qsort(*names, *n, sizeof **names, compare_names);
    return 0;
}

static char *join_path(const char *below, const char *name)
{
    return *below ? memory_format("%s/%s", below, name) : memory_copy(name);
}

/* Where "/plugins/profile/DATE" begins in a path that ends so, or NULL. */
static const char *find_logs(const char *path)
{
    const char *date = strrchr(path, '/');
    size_t n = date ? (size_t)(date - path) : 0, logs = sizeof LOGS - 1;

    if (n < logs || memcmp(date - logs, LOGS, logs) != 0)
        return NULL;
    return n == logs ? path : date[-(ptrdiff_t)logs - 1] == '/' ? date - logs - 1 : NULL;
}

static bool has_capture(char *const *name, size_t n)
{
    static const char *const endings[] = { ".xplane.pb", NULL };

    for (size_t i = 0; i < n; i++)
        if (cut_ending(name[i], cut_packing(name[i]), endings) > 0)
            return true;
    return false;
}

/* The folder of a profiler as one profile, called by the folder of its logs. */
static void add_capture(struct walk *w, const char *below)
{
    const char *logs = find_logs(below), *slash = strrchr(*below ? below : w->real, '/');
    char *log = logs ? memory_copy_part(below, (size_t)(logs - below)) : NULL;

    if (log && *log)
        profile_set_add(w->list, w->folder, below, log, false);
    else if (log)
        profile_set_add(w->list, w->folder, below, strrchr(w->real, '/') + 1, false);
    else
        profile_set_add(w->list, w->folder, *below ? below : ".", slash ? slash + 1 : below, false);
    w->list->file[w->list->n - 1].log = log;
}

static void add_file(struct walk *w, const char *below)
{
    size_t n = cut_packing(below), stem = cut_ending(below, n, program_endings);
    bool program = stem > 0;

    if (!program)
        stem = cut_ending(below, n, profile_endings);
    if (stem == 0 || below[stem - 1] == '/')
        return;
    char *name = memory_copy_part(below, stem);
    profile_set_add(w->list, w->folder, below, name, program);
    free(name);
}

static int walk_folder(struct walk *w, const struct place *here);

/* A link may lead to a folder on the way down: there it ends. */
static bool is_above(const struct place *p, const struct stat *st)
{
    for (; p; p = p->up)
        if (p->device == st->st_dev && p->inode == st->st_ino)
            return true;
    return false;
}

static int walk_entry(struct walk *w, const struct place *here, const char *below)
{
    char *path = memory_format("%s/%s", w->folder, below);
    struct stat st;
    int rc = 0;

    bool known = stat(path, &st) == 0;
    free(path);
    if (known && S_ISDIR(st.st_mode) && here->depth < DEPTH_MAX && !is_above(here, &st)) {
        const struct place next = { here, below, st.st_dev, st.st_ino, here->depth + 1 };
        rc = walk_folder(w, &next);
    } else if (!known || S_ISREG(st.st_mode)) {
        add_file(w, below); /* a link to nothing too: whoever needs the file will tell */
    }
    return rc;
}

static int walk_folder(struct walk *w, const struct place *here)
{
    char *path =
        *here->below ? memory_format("%s/%s", w->folder, here->below) : memory_copy(w->folder);
    char *real = *here->below ? memory_format("%s/%s", w->real, here->below) : memory_copy(w->real);
    char **name;
    size_t n;
    int rc = read_names(path, &name, &n, w->err);

    if (rc == 0 && find_logs(real) && has_capture(name, n))
        add_capture(w, here->below);
    else
        for (size_t i = 0; i < n && rc == 0; i++) {
            char *below = join_path(here->below, name[i]);
            rc = walk_entry(w, here, below);
            free(below);
        }
    for (size_t i = 0; i < n; i++)
        free(name[i]);
    free(name);
    free(path);
    free(real);
    return rc;
}

static int compare_files(const void *a, const void *b)
{
    const struct profile_set_file *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : strcmp(x->below, y->below);
}

int profile_set_list(struct profile_set_files *l, const char *folder, struct err *err)
{
    struct walk w = { .list = l, .folder = folder, .err = err };
    struct stat st;

    *l = (struct profile_set_files){ 0 };
    if (stat(folder, &st) != 0 || !(w.real = realpath(folder, NULL)))
        return err_set(err, ERR_IO, "%.200s: %s", folder, strerror(errno));
    if (!S_ISDIR(st.st_mode)) {
        free(w.real);
        return err_set(err, ERR_IO, "%.200s: expected a folder of programs and profiles", folder);
    }
    const struct place first = { NULL, "", st.st_dev, st.st_ino, 0 };
    int rc = walk_folder(&w, &first);
    free(w.real);
    if (rc == 0 && l->n > 0)
        qsort(l->file, l->n, sizeof *l->file, compare_files);
    if (rc != 0)
        profile_set_forget(l);
    return rc;
}
