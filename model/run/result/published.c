#include "run/result/published.h"

#include <stdbool.h>
#include <string.h>

const struct published_file *published_find(const char *stem)
{
    for (size_t i = 0; i < published_n_files; i++)
        if (strcmp(published_files[i].stem, stem) == 0)
            return &published_files[i];
    return NULL;
}

static void skip_line(struct published_reader *r)
{
    const char *end = strchr(r->at, '\n');

    r->at = end ? end + 1 : r->at + strlen(r->at);
    r->line++;
}

void published_open(struct published_reader *r, const struct published_file *file)
{
    *r = (struct published_reader){ .file = file, .at = file->text, .line = 1 };
    while (*r->at == '#')
        skip_line(r);
    skip_line(r); /* the names of the columns */
}

/* Read one field and skip the comma behind it.  False: it was the last of its line. */
static bool read_field(struct published_reader *r, char to[PUBLISHED_FIELD])
{
    bool quoted = *r->at == '"';
    size_t n = 0;

    r->at += quoted;
    for (; *r->at && *r->at != '\n' && (quoted ? *r->at != '"' : *r->at != ','); r->at++)
        if (n + 1 < PUBLISHED_FIELD)
            to[n++] = *r->at;
    to[n] = '\0';
    r->at += quoted && *r->at == '"';
    if (*r->at != ',')
        return false;
    r->at++;
    return true;
}

size_t published_next(struct published_reader *r, char field[][PUBLISHED_FIELD], size_t max)
{
    char rest[PUBLISHED_FIELD] = ""; /* fields past `max` */
    size_t n = 0;
    bool more = true;

    while (*r->at == '#' || *r->at == '\n')
        skip_line(r);
    if (!*r->at)
        return 0;
    while (more) {
        more = read_field(r, n < max ? field[n] : rest);
        n += n < max;
    }
    skip_line(r);
    return n;
}

int published_refuse(const struct published_reader *r, struct err *err)
{
    return err_set(err, ERR_FORMAT, "%s:%u: not a row of this table", r->file->name, r->line - 1);
}
