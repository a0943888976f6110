/* profile.c - see profile.h. */
#include "profile/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "profile/profile_reader.h"

struct names {
    char **name;
    uint32_t n, cap;
};

static void add_name(struct names *list, const char *folder, const char *name)
{
    MEMORY_GROW(list->name, list->n + 1, list->cap);
    list->name[list->n++] = memory_format("%s/%s", folder, name);
}

static void free_names(struct names *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        free(list->name[i]);
    free(list->name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_capture(const char *name)
{
    static const char *const endings[] = { ".xplane.pb", ".xplane.pb.gz", ".xplane.pb.zst" };
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t e = strlen(endings[i]);
        if (n >= e && strcmp(name + n - e, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_folder(const char *name)
{
    return name[0] != '.';
}

/* List what `wanted` says of a folder, sorted.  A folder that is not there is empty. */
static int list_folder(struct names *list, const char *folder, bool wanted(const char *name),
                       struct err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    if (!dir && errno == ENOENT)
        return 0;
    if (!dir)
        return err_set(err, ERR_IO, "%.200s: %s", folder, strerror(errno));
    while ((entry = readdir(dir)))
        if (wanted(entry->d_name))
            add_name(list, folder, entry->d_name);
    closedir(dir);
    if (list->n > 0)
        qsort(list->name, list->n, sizeof *list->name, compare_names);
    return 0;
}

/* The files of one capture: those of a folder, or of the one capture in its plugins/profile, which
 * is where profilers put them. */
static int find_files(struct names *files, const char *folder, struct err *err)
{
    struct names captures = { 0 };
    char *deep = memory_format("%s/plugins/profile", folder);
    int rc = list_folder(files, folder, is_capture, err);

    if (rc == 0 && files->n == 0)
        rc = list_folder(&captures, deep, is_folder, err);
    if (rc == 0 && captures.n > 1)
        rc = err_set(err, ERR_FORMAT, "%.160s: %u captures in it; name one, as %.200s", folder,
                     captures.n, captures.name[captures.n - 1]);
    if (rc == 0 && captures.n == 1)
        rc = list_folder(files, captures.name[0], is_capture, err);
    if (rc == 0 && files->n == 0)
        rc = err_set(err, ERR_FORMAT, "%.200s: no file *.xplane.pb in this folder", folder);
    free_names(&captures);
    free(deep);
    return rc;
}

static int read_source(struct profile_build *b, struct profile_source *s, struct err *err)
{
    const struct profile_reader *reader = profile_reader_find(s, err);

    if (!reader)
        return -1;
    b->format = reader->format;
    return reader->read(b, s, err);
}

static int read_file(struct profile_build *b, const char *path, struct err *err)
{
    struct profile_source *s;

    if (profile_source_open(&s, path, err) != 0)
        return -1;
    int rc = read_source(b, s, err);
    profile_source_close(s);
    return rc;
}

static int read_path(struct profile_build *b, const char *path, struct err *err)
{
    struct names files = { 0 };
    struct stat st;
    int rc = 0;

    if (stat(path, &st) != 0)
        return err_set(err, ERR_IO, "%.200s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return read_file(b, path, err);
    rc = find_files(&files, path, err);
    for (uint32_t i = 0; i < files.n && rc == 0; i++)
        rc = read_file(b, files.name[i], err);
    free_names(&files);
    return rc;
}

/* Messages quote what a file holds, and have one line. */
static void clean_message(struct err *err)
{
    for (char *c = err->msg; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

static int end_reading(struct profile_build *b, int rc, struct profile **p, struct err *err)
{
    *p = rc == 0 ? profile_build_end(b) : NULL;
    if (rc != 0) {
        profile_build_free(b);
        clean_message(err);
    }
    return rc;
}

int profile_read(struct profile **p, const char *path, struct err *err)
{
    struct profile_build b;

    profile_build_begin(&b, path, "");
    return end_reading(&b, read_path(&b, path, err), p, err);
}

int profile_read_memory(struct profile **p, const char *name, const void *bytes, size_t n,
                        struct err *err)
{
    struct profile_build b;
    struct profile_source *s;

    profile_build_begin(&b, name, "");
    int rc = profile_source_memory(&s, name, bytes, n, err);
    if (rc == 0)
        rc = read_source(&b, s, err);
    profile_source_close(s);
    return end_reading(&b, rc, p, err);
}

/* Does an entry before this one stand for the same device? */
static bool is_second_core(const struct profile *p, size_t i)
{
    const struct profile_device *d = &p->device[i];

    for (size_t k = 0; k < i && d->megacore && d->chip > 0; k++)
        if (p->device[k].chip == d->chip && p->device[k].megacore &&
            strcmp(p->device[k].host, d->host) == 0)
            return true;
    return false;
}

size_t profile_devices(const struct profile *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_devices; i++)
        n += !is_second_core(p, i);
    return n;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_devices; i++) {
        free(p->device[i].name);
        free(p->device[i].type);
        free(p->device[i].host);
    }
    for (size_t i = 0; i < p->n_programs; i++) {
        free(p->program[i].name);
        free(p->program[i].hlo);
    }
    for (size_t i = 0; i < p->n_kernels; i++) {
        free(p->kernel[i].name);
        free(p->kernel[i].text);
        free(p->kernel[i].category);
        free(p->kernel[i].scope);
    }
    free(p->device);
    free(p->program);
    free(p->kernel);
    free(p->event);
    free(p->path);
    free(p);
}
