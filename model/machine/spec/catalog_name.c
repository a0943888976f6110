/* Names of machines, parts and libraries, and what is no such name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "machine/spec/catalog_impl.h"
#include "machine/spec/embedded.h"
#include "machine/spec/sizes.h"

#define MOST_NAMES 256

bool catalog_is_path(const char *name)
{
    size_t n = strlen(name);

    if (strchr(name, '/'))
        return true;
    if (embedded_find(name) || sizes_knows(name))
        return false;
    return access(name, F_OK) == 0 || (n > 4 && strcmp(name + n - 4, ".ini") == 0);
}

static int refuse_machine(const char *name, struct err *err)
{
    struct catalog_machine m = { 0 };
    char *names[MOST_NAMES], *file = memory_format("%s.ini", name), *full;
    bool beside = access(file, F_OK) == 0;
    struct sizes_slice slice;
    unsigned n = 0;
    size_t n_boxes = 0;

    free(file);
    if (beside)
        return err_set(err, ERR_UNKNOWN, "unknown machine '%s'; did you mean the file %s.ini?",
                       name, name);
    if (sizes_topology(&slice, name))
        return err_set(err, ERR_UNKNOWN, "unknown machine '%s'; the machine of that topology is %s",
                       name, slice.name);
    while (n < MOST_NAMES && catalog_next(&m))
        names[n++] = memory_copy(m.name);
    for (const char *box; n < MOST_NAMES && (box = catalog_box(n_boxes)); n_boxes++)
        names[n++] = memory_copy(box);
    full = memory_format("%s%s", plain_same_start(name, "tpu", 3) ? "" : "tpu-", name);
    const char *near = err_nearest(name, (const char *const *)names, n);
    if (!near)
        near = err_nearest(full, (const char *const *)names, n);
    free(full);
    err_set(err, ERR_UNKNOWN, "unknown machine '%s'%s%s%s (`cyclotron machine list` names all)",
            name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    while (n > 0)
        free(names[--n]);
    return -1;
}

int catalog_slice(struct sizes_slice *s, const char *name, struct err *err)
{
    return sizes_knows(name) ? sizes_find(s, name, err) : refuse_machine(name, err);
}

int catalog_rename(char *own, size_t room, const char *name, struct err *err)
{
    struct sizes_slice s;

    if (strlen(name) >= room)
        return err_set(err, ERR_RANGE, "%s: a name of at most %zu letters", name, room - 1);
    const struct machine_file *f = catalog_is_path(name) ? NULL : embedded_find(name);
    if (!f && !catalog_is_path(name) && sizes_knows(name)) {
        if (sizes_find(&s, name, err) != 0)
            return -1;
        name = s.name;
    }
    memmove(own, f ? f->stem : name, strlen(f ? f->stem : name) + 1);
    return 0;
}

/* Refuse what is no built-in file with that section, or with another one; list those that are. */
static int refuse_piece(const char *what, const char *with, const char *without, const char *name,
                        struct err *err)
{
    const char *names[64];
    char all[512] = "";
    unsigned n = 0;

    for (size_t i = 0; i < machine_n_files && n < 64; i++) {
        const struct machine_file *f = &machine_files[i];
        if (!strstr(f->text, with) || strstr(f->text, without))
            continue;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", f->stem);
        names[n++] = f->stem;
    }
    const char *near = err_nearest(name, names, n);
    return err_set(err, ERR_UNKNOWN, "unknown %s '%s'; %s%s%s", what, name,
                   near ? "did you mean '" : "there are ", near ? near : all, near ? "'?" : "");
}

int spec_no_part(const char *name, struct err *err)
{
    return refuse_piece("part", "\n[dram]\n", "\n[hbm]\n", name, err);
}

int spec_no_library(const char *name, struct err *err)
{
    return refuse_piece("library", "\n[product_f32]\n", "\n[sm]\n", name, err);
}

int catalog_beside(char base[CATALOG_BASE], const char *file)
{
    const char *slash = strrchr(file, '/');
    char path[CATALOG_BASE];

    if (embedded_find(base) || sizes_knows(base) || base[0] == '/' || !slash)
        return 0;
    const char *name = strncmp(base, "./", 2) == 0 ? base + 2 : base;
    int length = snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - file), file, name);
    if (length >= CATALOG_BASE)
        return -1;
    memcpy(base, path, sizeof path);
    return 0;
}
