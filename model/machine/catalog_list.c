/* Names of machines and memory parts: the lists of those that are built in, what a name stands for,
 * and what is said of an unknown one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "machine/embedded.h"
#include "machine/sizes.h"
#include "machine/spec.h"

#define MOST_NAMES 256

bool catalog_next(struct catalog_machine *m)
{
    for (const char *generation; (generation = sizes_generation(m->generation)); m->generation++) {
        struct sizes_slice s, next;
        bool any = sizes_after(generation, m->number, &s);
        /* blocks are doubled, and the largest slice is the last */
        while (any && s.blocks & (s.blocks - 1) && sizes_after(generation, s.number, &next))
            s = next;
        m->number = any ? s.number : 0;
        if (!any)
            continue;
        memcpy(m->name, s.name, sizeof m->name);
        return true;
    }
    return false;
}

const char *catalog_box(size_t i)
{
    for (size_t f = 0; f < machine_n_files; f++) {
        const char *text = machine_files[f].text;
        bool machine = strstr(text, "\nkind = ") || strstr(text, "\nbase = ");
        bool library = strstr(text, "\n[product_f32]\n");
        if (machine && !library && !sizes_has_rule(machine_files[f].stem) && i-- == 0)
            return machine_files[f].stem;
    }
    return NULL;
}

char *catalog_summary(const char *name)
{
    struct machine_spec *m;
    struct err err;

    BUG_ON(spec_load(&m, name, NULL, 0, &err) != 0);
    char *summary = memory_copy(m->summary);
    spec_free(m);
    return summary;
}

char *catalog_range(size_t generation)
{
    const char *name = sizes_generation(generation);
    struct sizes_slice s, block = { 0 }, last = { 0 };
    struct memory_text text;

    memory_text_begin(&text);
    char *pattern = sizes_pattern(name);
    fprintf(text.out, "%s: ", pattern);
    free(pattern);
    for (uint32_t n = 0; sizes_after(name, n, &s); n = s.number) {
        if (s.blocks == 1)
            fprintf(text.out, "%s%" PRIu32, n ? ", " : "", s.number);
        block = s.blocks == 2 ? s : block;
        last = s;
    }
    if (last.blocks > 1)
        fprintf(text.out, " and multiples of %" PRIu32 " up to %" PRIu32, block.number / 2,
                last.number);
    return memory_text_end(&text);
}

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
