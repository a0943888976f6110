/* pairs.ini: what the names of files do not say.  libinih splits lines into section, key and value;
 * values are taken from the whole line, of which libinih sees the beginning alone. */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "study/validate/profile_set_impl.h"

#define NAME_ROOM 120 /* bytes of a section or a key: libinih sees so much of a line at least */

static const char *const keys[] = { "program", "profile", "machine", "module", "use" };
#define N_KEYS (sizeof keys / sizeof *keys)

struct reader {
    struct profile_set_ini *ini;
    FILE *in;
    char *line;
    int number;
    bool failed;
    struct err *err;
};

static void fail_line(struct reader *r)
{
    r->failed = true;
    err_at(r->err, "%.200s:%d", r->ini->path, r->number);
}

/* libinih's fgets. */
static char *read_line(char *buf, int size, void *stream)
{
    struct reader *r = stream;
    int more = r->failed ? 0 : line_next(r->in, r->line, r->err);

    if (more == 0)
        return NULL;
    r->number++;
    if (more < 0) {
        fail_line(r);
        return NULL;
    }
    char *text = line_trim(r->line); /* no line goes on in the next one */
    if (!strchr(";#", *text) && strcspn(text, *text == '[' ? "]" : "=") > NAME_ROOM) {
        err_set(r->err, ERR_FORMAT, "a name of more than %d bytes", NAME_ROOM);
        fail_line(r);
        return NULL;
    }
    snprintf(buf, (size_t)size, "%.*s", size - 2, strchr(";#", *text) ? ";" : text);
    return buf;
}

static struct profile_set_said *find_section(struct reader *r, const char *name)
{
    struct profile_set_ini *ini = r->ini;

    for (size_t i = 0; i < ini->n; i++)
        if (strcmp(ini->said[i].name, name) == 0)
            return &ini->said[i];
    MEMORY_ADD(ini->said, ini->n);
    ini->said[ini->n] = (struct profile_set_said){ .name = memory_copy(name), .line = r->number };
    return &ini->said[ini->n++];
}

static char **find_slot(struct profile_set_said *s, const char *key)
{
    char **slot[N_KEYS] = { &s->program, &s->profile, &s->machine, &s->module, &s->use };

    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(keys[i], key) == 0)
            return slot[i];
    return NULL;
}

static int take_value(struct reader *r, const char *section, const char *key, const char *value)
{
    if (*section == '\0')
        return err_set(r->err, ERR_FORMAT, "%s stands before the first [pair]", key);
    char **slot = find_slot(find_section(r, section), key);
    if (!slot) {
        const char *near = err_nearest(key, keys, N_KEYS);
        return err_set(r->err, ERR_UNKNOWN, "unknown key '%s'%s%s%s", key,
                       near ? "; did you mean '"
                            : ": expected program, profile, machine, module or use",
                       near ? near : "", near ? "'?" : "");
    }
    if (*slot)
        return err_set(r->err, ERR_FORMAT, "%s of [%s] is given twice", key, section);
    if (*value == '\0')
        return err_set(r->err, ERR_FORMAT, "%s = : expected a value", key);
    if (strcmp(key, "use") == 0 && strcmp(value, "fitted") != 0 && strcmp(value, "unseen") != 0)
        return err_set(r->err, ERR_UNKNOWN, "use = %.80s: expected fitted or unseen", value);
    *slot = memory_copy(value);
    return 0;
}

static int handle_value(void *user, const char *section, const char *key, const char *cut)
{
    struct reader *r = user;
    const char *equals = strchr(r->line, '=');

    (void)cut;
    if (r->failed)
        return 0;
    char *value = equals ? memory_copy(equals + 1) : memory_copy("");
    int rc = equals ? take_value(r, section, key, line_trim(value))
                    : err_set(r->err, ERR_FORMAT, "expected [pair] or key = value");
    free(value);
    if (rc != 0)
        fail_line(r);
    return rc == 0;
}

int profile_set_ini_read(struct profile_set_ini *ini, const char *folder, struct err *err)
{
    struct reader r = { .ini = ini, .err = err };

    *ini = (struct profile_set_ini){ .path = memory_format("%s/" PROFILE_SET_INI, folder) };
    r.in = fopen(ini->path, "r");
    if (!r.in && errno == ENOENT)
        return 0;
    if (!r.in)
        return err_set(err, ERR_IO, "%.200s: %s", ini->path, strerror(errno));
    r.line = memory_resize(NULL, LINE_ROOM, 1);
    int bad = ini_parse_stream(read_line, &r, handle_value, &r);
    if (!r.failed && ferror(r.in)) {
        r.failed = true;
        err_set(err, ERR_IO, "%.200s: %s", ini->path, strerror(errno));
    }
    if (!r.failed && bad) {
        r.number = bad;
        err_set(err, ERR_FORMAT, "expected [pair] or key = value");
        fail_line(&r);
    }
    fclose(r.in);
    free(r.line);
    return r.failed ? -1 : 0;
}

void profile_set_ini_free(struct profile_set_ini *ini)
{
    for (size_t i = 0; i < ini->n; i++) {
        free(ini->said[i].name);
        free(ini->said[i].program);
        free(ini->said[i].profile);
        free(ini->said[i].machine);
        free(ini->said[i].module);
        free(ini->said[i].use);
    }
    free(ini->said);
    free(ini->path);
    *ini = (struct profile_set_ini){ 0 };
}
