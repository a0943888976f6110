#include "study/published.h"

#include <stdbool.h>
#include <string.h>

static void skip_line(struct table_reader *r)
{
    const char *end = strchr(r->at, '\n');

    r->at = end ? end + 1 : r->at + strlen(r->at);
    r->line++;
}

void table_open(struct table_reader *r, const struct table_file *file)
{
    *r = (struct table_reader){ .at = file->text, .line = 1 };
    while (*r->at == '#')
        skip_line(r);
    skip_line(r); /* the names of the columns */
}

/* One field; a comma after it is passed over too.  False: it was the last. */
static bool read_field(struct table_reader *r, char to[TABLE_FIELD])
{
    bool quoted = *r->at == '"';
    size_t n = 0;

    r->at += quoted;
    for (; *r->at && *r->at != '\n' && (quoted ? *r->at != '"' : *r->at != ','); r->at++)
        if (n + 1 < TABLE_FIELD)
            to[n++] = *r->at;
    to[n] = '\0';
    r->at += quoted && *r->at == '"';
    if (*r->at != ',')
        return false;
    r->at++;
    return true;
}

size_t table_next(struct table_reader *r, char field[][TABLE_FIELD], size_t max)
{
    char rest[TABLE_FIELD] = ""; /* fields past `max` */
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
