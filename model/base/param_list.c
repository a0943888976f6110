/* Lines of a section that have names of their own: see param.h. */
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "base/param.h"

static char *line_at(const struct param_table *t, void *obj, uint32_t i)
{
    return (char *)obj + t->list->lines + i * t->list->columns->size;
}

static uint32_t *number_of(const struct param_table *t, void *obj)
{
    return (uint32_t *)(void *)((char *)obj + t->list->number);
}

static const char *name_of(const void *line)
{
    return ((const struct param_string *)line)->text;
}

void *param_line(const struct param_table *t, void *obj, const char *name, uint32_t *place)
{
    uint32_t n = *number_of(t, obj);

    for (uint32_t i = 0; i < n; i++)
        if (strcmp(name_of(line_at(t, obj, i)), name) == 0) {
            *place = i;
            return line_at(t, obj, i);
        }
    *place = n;
    return NULL;
}

/* Set the columns of a line from "0.93, 20, 4", which is cut. */
static int set_columns(const struct param_table *columns, void *line, char *text, struct err *err)
{
    size_t i = 0;

    for (char *next = text; next; i++) {
        char *value = next, *comma = strchr(next, ',');
        next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        if (i == columns->n_rows)
            return err_set(err, ERR_FORMAT, "more than %zu values", columns->n_rows);
        if (param_set(columns, &columns->rows[i], line, line_trim(value), err) != 0)
            return -1;
    }
    for (; i < columns->n_rows; i++)
        if (strcmp(columns->rows[i].def, "-") == 0)
            return err_set(err, ERR_FORMAT, "no value for %s, which must be given",
                           columns->rows[i].name);
    return 0;
}

/* Make a line of that name and text. */
static int make_line(const struct param_list *l, void *line, const char *name, const char *text,
                     struct err *err)
{
    struct param_string *own = line;

    param_defaults(l->columns, line);
    if (strlen(name) >= sizeof own->text)
        return err_set(err, ERR_RANGE, "a name of more than %zu letters", sizeof own->text - 1);
    memcpy(own->text, name, strlen(name) + 1);
    if (l->name(line, err) != 0)
        return -1;
    char *copy = memory_copy(text);
    int rc = set_columns(l->columns, line, copy, err);
    free(copy);
    return rc;
}

static void remove_line(const struct param_table *t, void *obj, uint32_t place)
{
    size_t size = t->list->columns->size;
    uint32_t *n = number_of(t, obj);

    memmove(line_at(t, obj, place), line_at(t, obj, place + 1), (*n - place - 1) * size);
    (*n)--;
    memset(line_at(t, obj, *n), 0, size);
}

static int set_line(const struct param_table *t, void *obj, const char *name, const char *text,
                    struct err *err)
{
    const struct param_list *l = t->list;
    uint32_t place, *n = number_of(t, obj);
    void *old = param_line(t, obj, name, &place), *line;

    if (strcmp(text, "none") == 0) {
        if (!old)
            return err_set(err, ERR_UNKNOWN, "there is no such %s", l->columns->section);
        remove_line(t, obj, place);
        return 0;
    }
    line = memory_zeroed(1, l->columns->size);
    int rc = make_line(l, line, name, text, err); /* a wrong name is wrong in a full list too */
    if (rc == 0 && place == l->most)
        rc = err_set(err, ERR_RANGE, "more than %u lines", (unsigned)l->most);
    if (rc == 0) {
        memcpy(line_at(t, obj, place), line, l->columns->size);
        *n += !old;
    }
    free(line);
    return rc;
}

int param_set_line(const struct param_table *t, void *obj, const char *name, const char *text,
                   struct err *err)
{
    return set_line(t, obj, name, text, err) == 0
               ? 0
               : err_at(err, "%s.%.64s = %.80s", t->section, name, text);
}

char *param_line_text(const struct param_list *l, const void *line, char *buf, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < l->columns->n_rows; i++) {
        char value[64];
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
                                 param_text(&l->columns->rows[i], line, value, sizeof value));
        BUG_ON(used >= size);
    }
    return buf;
}
