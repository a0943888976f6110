#include "study/validate/packed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

#define MARK "// "
#define MOST_BYTES (UINT64_C(1) << 28) /* of an unpacked file */

static int compare_names(const void *a, const void *b)
{
    const struct packed_module *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* The next line at or after `at` that names a module, or NULL. */
static char *find_mark(char *at)
{
    while (at && strncmp(at, MARK, strlen(MARK)) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* Cut the text into modules; the line breaks behind their names become NULs. */
static int list_modules(struct packed *p, const struct packed_file *file, struct err *err)
{
    if (strncmp(p->text, MARK, strlen(MARK)) != 0)
        return err_set(err, ERR_FORMAT, "%s: does not begin with a line \"// NAME\"", file->name);
    for (char *at = p->text, *next; at; at = next) {
        char *end = strchr(at, '\n');
        if (!end)
            return err_set(err, ERR_FORMAT, "%s: nothing follows the name of a module", file->name);
        *end = '\0';
        next = find_mark(end + 1);
        size_t size = next ? (size_t)(next - end - 1) : strlen(end + 1);
        MEMORY_ADD(p->module, p->n);
        p->module[p->n++] = (struct packed_module){ at + strlen(MARK), end + 1, size };
    }
    qsort(p->module, p->n, sizeof *p->module, compare_names);
    for (size_t i = 1; i < p->n; i++)
        if (strcmp(p->module[i - 1].name, p->module[i].name) == 0)
            return err_set(err, ERR_FORMAT, "%s: module %s is there twice", file->name,
                           p->module[i].name);
    return 0;
}

int packed_read(struct packed *p, const struct packed_file *file, struct err *err)
{
    unsigned long long size = ZSTD_getFrameContentSize(file->text, file->size);

    *p = (struct packed){ 0 };
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > MOST_BYTES)
        return err_set(err, ERR_FORMAT, "%s: no zstd frame that says its size", file->name);
    p->text = memory_zeroed(size + 1, 1);
    size_t got = ZSTD_decompress(p->text, size, file->text, file->size);
    int rc = 0;
    if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        memory_end();
    if (ZSTD_isError(got) || got != size)
        rc = err_set(err, ERR_FORMAT, "%s: damaged: %s", file->name,
                     ZSTD_isError(got) ? ZSTD_getErrorName(got) : "it is too short");
    if (rc == 0)
        rc = list_modules(p, file, err);
    if (rc != 0)
        packed_close(p);
    return rc;
}

int packed_open(struct packed *p, const char *stem, struct err *err)
{
    for (size_t i = 0; i < packed_n_files; i++)
        if (strcmp(packed_files[i].stem, stem) == 0)
            return packed_read(p, &packed_files[i], err);
    *p = (struct packed){ 0 };
    return err_set(err, ERR_UNKNOWN, "no compiled programs %s", stem);
}

void packed_close(struct packed *p)
{
    free(p->text);
    free(p->module);
    *p = (struct packed){ 0 };
}

const struct packed_module *packed_find(const struct packed *p, const char *name)
{
    return p->n ? bsearch(&(struct packed_module){ .name = name }, p->module, p->n,
                          sizeof *p->module, compare_names)
                : NULL;
}
