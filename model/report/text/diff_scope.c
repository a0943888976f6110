#include "report/text/diff_scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/result/layer_name.h"

static const char *read_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static bool is_compiled(const json_t *run)
{
    const json_t *ops = json_object_get(run, "ops"), *row;
    size_t i;

    json_array_foreach(ops, i, row) if (*read_text(row, "scope")) return true;
    return false;
}

static const char *find_checksum(const json_t *run)
{
    return read_text(json_object_get(run, "provenance"), "trace_checksum");
}

/* "copy-done" of "copy-done.12:0", to be freed. */
static char *drop_number(const char *name)
{
    size_t n = strlen(name);

    for (;;) {
        size_t before = n;
        while (before > 0 && strchr("0123456789", name[before - 1]))
            before--;
        if (before == n || before < 2 || !strchr(".:", name[before - 1]))
            return memory_copy_part(name, n);
        n = before - 1;
    }
}

static void rename_rows(json_t *run)
{
    json_t *row;
    size_t i;

    json_array_foreach(json_object_get(run, "ops"), i, row)
    {
        const char *scope = read_text(row, "scope"), *kind = read_text(row, "kind");
        char *name = !*scope                       ? drop_number(read_text(row, "name"))
                     : strcmp(kind, "kernel") == 0 ? memory_copy(scope)
                                                   : memory_format("%s %s", scope, kind);
        char *label = layer_label(name);
        json_object_set_new(row, "name", json_string(name));
        json_object_set_new(row, "group", json_string(label));
        free(name);
        free(label);
    }
}

bool diff_scope_names(json_t *const run[2])
{
    if (!is_compiled(run[0]) || !is_compiled(run[1]) ||
        strcmp(find_checksum(run[0]), find_checksum(run[1])) == 0)
        return false;
    rename_rows(run[0]);
    rename_rows(run[1]);
    return true;
}
