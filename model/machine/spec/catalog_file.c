/* Reading one machine file.  libinih splits lines into section, key and value; the line reader
 * refuses what libinih would accept: continuation lines, inline comments, long lines, duplicates,
 * unknown sections without a value. */
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text_write.h"
#include "machine/spec/catalog_impl.h"
#include "machine/spec/embedded.h"
#include "machine/spec/sizes.h"

#define NAME_ROOM 60 /* of a key or a section: libinih sees so much of a line at least */

static int fail_at_line(struct catalog_loader *l)
{
    l->failed = true;
    err_at(l->err, "%s:%d", l->file, l->lineno);
    return 0;
}

/* Refuse lines that libinih would accept. */
static int check_line(char *line, struct err *err)
{
    size_t blanks = strspn(line, " \t");

    if (line[blanks] == '\0')
        *line = '\0';
    if (strchr(";#", *line)) /* or empty */
        return 0;
    if (blanks)
        return err_set(err, ERR_FORMAT, "a line begins with a blank; values do not continue");
    if (*line == '[') {
        const char *end = strchr(line, ']');
        return end && !end[1] && strlen(line) <= NAME_ROOM
                   ? 0
                   : err_set(err, ERR_FORMAT, "expected [section] alone on its line");
    }
    const char *eq = strchr(line, '=');
    if (!eq || eq - line > NAME_ROOM)
        return err_set(err, ERR_FORMAT, "expected key = value [source]");
    if (strstr(eq, " ;") || strstr(eq, " #"))
        return err_set(err, ERR_FORMAT, "no comment may follow a value on its line");
    return 0;
}

static int refuse_unknown(struct catalog_loader *l, const char *what, const char *name,
                          const char *const *names, unsigned n)
{
    const char *near = err_nearest(name, names, n);

    return err_set(l->err, ERR_UNKNOWN, "unknown %s '%s'%s%s%s", what, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Cut "940 MHz [norrie-2021]" into value and source; -1 when there is no source. */
static int cut_source(char *text, char **source)
{
    char *open = strchr(text, '[');

    if (!open || open == text || text[strlen(text) - 1] != ']' || strlen(open) < 3)
        return -1;
    *source = memory_copy(open);
    *open = '\0';
    line_trim(text);
    return 0;
}

static int find_section(struct catalog_loader *l, const char *section, int *t)
{
    const char *names[SPEC_N_TABLES + 1];
    unsigned n = 0;

    *t = spec_table(section);
    if (*t < 0) {
        for (size_t i = 0; i < spec_n_tables; i++)
            names[n++] = spec_tables[i]->section;
        names[n++] = "machine";
        return refuse_unknown(l, "section", section, names, n);
    }
    if (l->m && !spec_has(l->m->kind, (size_t)*t))
        return err_set(l->err, ERR_UNKNOWN, "a %s has no [%s]", spec_kind_name[l->m->kind],
                       section);
    return 0;
}

/* "128x64" or "128x64.share": a line of the list of a section, or a column of one. */
static int find_line(struct catalog_loader *l, const struct param_list *list, char *key,
                     struct catalog_key *k)
{
    char *dot = strchr(key, '.');

    k->line = key;
    if (!dot)
        return 0;
    *dot = '\0';
    const char *names[SPEC_MAX_ROWS];
    unsigned n = 0;
    for (size_t i = 0; i < list->columns->n_rows; i++)
        names[n++] = list->columns->rows[i].name;
    k->column = param_find(list->columns, dot + 1);
    return k->column ? 0 : refuse_unknown(l, "column", dot + 1, names, n);
}

int catalog_find(struct catalog_loader *l, const char *section, char *key, struct catalog_key *k)
{
    const char *names[SPEC_MAX_ROWS];
    unsigned n = 0;

    *k = (struct catalog_key){ 0 };
    if (!*section)
        return err_set(l->err, ERR_FORMAT, "%s stands before the first [section]", key);
    if (find_section(l, section, &k->table) != 0)
        return -1;
    const struct param_table *t = spec_tables[k->table];
    k->row = param_find(t, key);
    if (k->row)
        return 0;
    if (t->list && t->list->like(key))
        return find_line(l, t->list, key, k);
    for (size_t i = 0; i < t->n_rows; i++)
        names[n++] = t->rows[i].name;
    char whole[128];
    snprintf(whole, sizeof whole, "parameter of [%s]", section);
    return refuse_unknown(l, whole, key, names, n);
}

/* Refuse a [section] that nobody has: without a value, libinih does not tell of it. */
static int check_section(struct catalog_loader *l, const char *line)
{
    char section[NAME_ROOM + 1];
    int t;

    if (*line != '[' || l->price_section || !l->m)
        return 0;
    snprintf(section, sizeof section, "%.*s", (int)strlen(line) - 2, line + 1);
    if (strcmp(section, "machine") == 0 || (l->built_in && sizes_is_rule(section)))
        return 0;
    return find_section(l, section, &t);
}

/* libinih's fgets.  Hands over at most the beginning of a long line: the value is taken from
 * l->line by the handler, the key and the section fit. */
static char *read_line(char *buf, int size, void *stream)
{
    struct catalog_loader *l = stream;
    int more = l->failed ? 0 : line_next(l->in, l->line, l->err);

    if (more == 0)
        return NULL;
    l->lineno++;
    if (more < 0 || check_line(l->line, l->err) != 0 || check_section(l, l->line) != 0) {
        fail_at_line(l);
        return NULL;
    }
    const char *line = strchr(";#", *l->line) ? ";" : l->line;
    size_t n = strnlen(line, (size_t)size - 1);
    memcpy(buf, line, n);
    buf[n] = '\0';
    return buf;
}

static int set_kind(struct catalog_loader *l, const char *value)
{
    for (unsigned k = 0; k < CHIP_N_KINDS; k++)
        if (plain_same(value, spec_kind_name[k])) {
            l->m->kind = (enum chip_kind)k;
            return 0;
        }
    return refuse_unknown(l, "machine.kind", value, spec_kind_name, CHIP_N_KINDS);
}

static int set_machine_key(struct catalog_loader *l, const char *key, const char *value)
{
    if (strcmp(key, "part") == 0) {
        if (l->seen_part)
            return err_set(l->err, ERR_FORMAT, "machine.part is given twice");
        l->seen_part = true;
        return l->m ? catalog_part(l, value) : 0;
    }
    if (strcmp(key, "library") == 0) {
        if (l->seen_library)
            return err_set(l->err, ERR_FORMAT, "machine.library is given twice");
        l->seen_library = true;
        return l->m ? catalog_library(l, value) : 0;
    }
    if (strcmp(key, "base") == 0) {
        if (l->seen_base)
            return err_set(l->err, ERR_FORMAT, "machine.base is given twice");
        l->seen_base = true;
        if (strlen(value) >= sizeof l->base)
            return err_set(l->err, ERR_RANGE, "machine.base: a name of at most %d letters",
                           CATALOG_BASE - 1);
        snprintf(l->base, sizeof l->base, "%s", value);
        return 0;
    }
    if (strcmp(key, "kind") == 0)
        return l->m ? set_kind(l, value) : 0;
    if (strcmp(key, "summary") == 0) {
        if (l->seen_summary)
            return err_set(l->err, ERR_FORMAT, "machine.summary is given twice");
        if (*value == '#' || *value == ';') /* printed after a blank, it would be a comment */
            return err_set(l->err, ERR_FORMAT, "machine.summary begins with '%c'", *value);
        l->seen_summary = true;
        if (l->m) {
            free(l->m->summary);
            l->m->summary = memory_copy(value);
        }
        return 0;
    }
    const char *names[] = { "base", "kind", "library", "part", "summary" };
    return refuse_unknown(l, "parameter of [machine]", key, names, 5);
}

/* Set what `key` of a section stands for, once in a file. */
static int set_value(struct catalog_loader *l, const char *section, char *key, char *value)
{
    struct catalog_key k;
    char *source = NULL, whole[128];
    int rc = -1;

    snprintf(whole, sizeof whole, "%s.%s", section, key);
    if (catalog_find(l, section, key, &k) != 0)
        return -1;
    size_t slot = catalog_slot(l->m, &k), before = spec_lines(l->m, (size_t)k.table);
    bool seen = slot < SPEC_MAX_ROWS && l->seen[k.table][slot];
    if (seen && !k.column)
        err_set(l->err, ERR_FORMAT, "%s is given twice", whole);
    else if (cut_source(value, &source) != 0)
        err_set(l->err, ERR_FORMAT, "%s = %s: expected a [source] tag after the value", whole,
                value);
    else
        rc = catalog_set(l->m, &k, value, source, l->err);
    if (rc == 0 && spec_lines(l->m, (size_t)k.table) < before) /* those behind it moved up */
        memmove(&l->seen[k.table][slot], &l->seen[k.table][slot + 1], SPEC_MAX_ROWS - slot - 1);
    else if (slot < SPEC_MAX_ROWS)
        l->seen[k.table][slot] = 1;
    free(source);
    return rc;
}

static int handle_value(void *user, const char *section, const char *name, const char *cut)
{
    struct catalog_loader *l = user;

    (void)cut;
    if (l->failed)
        return 0;
    char *value = line_trim(strchr(l->line, '=') + 1);
    if (!l->price_section && strcmp(section, "machine") == 0)
        return set_machine_key(l, name, value) == 0 ? 1 : l->failed ? 0 : fail_at_line(l);
    if (!l->m)
        return 1; /* first pass: only the base is wanted */
    if (l->built_in && sizes_is_rule(section))
        return 1; /* the rule of sizes.h */
    if (l->price_section) {
        if (strcmp(section, l->price_section) != 0)
            return 1;
        section = "price";
    }
    char *key = memory_copy(name);
    int rc = set_value(l, section, key, value);
    free(key);
    return rc == 0 ? 1 : fail_at_line(l);
}

int catalog_read(struct catalog_loader *l, const char *name, struct err *err)
{
    const struct machine_file *f = catalog_is_path(name) ? NULL : embedded_find(name);
    char *made = NULL; /* the text of a slice by rule */
    int bad = 0;

    /* it is a word of plans and of machine files, in which it could not be read again */
    if (text_has_control(name))
        return err_set(err, ERR_FORMAT, "%.80s: a control character in the name of a machine",
                       name);
    l->err = err;
    l->file = f ? f->name : name;
    l->built_in = f;
    if (f) {
        l->in = fmemopen((void *)(uintptr_t)f->text, f->size, "r");
    } else if (catalog_is_path(name)) {
        l->in = fopen(name, "r");
        if (l->m) {
            MEMORY_GROW(l->m->file, l->m->n_files + 1, l->m->files_room);
            l->m->file[l->m->n_files++] = memory_copy(name);
            l->m->own |= !l->price_section;
        }
    } else {
        struct sizes_slice slice;
        if (catalog_slice(&slice, name, err) != 0)
            return -1;
        made = sizes_text(&slice);
        l->in = fmemopen(made, strlen(made), "r");
    }
    if (!l->in)
        return err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    l->line = memory_resize(NULL, LINE_ROOM, 1);
    bad = ini_parse_stream(read_line, l, handle_value, l);
    if (!l->failed && ferror(l->in)) {
        l->failed = true;
        err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    }
    if (!l->failed && bad) {
        l->lineno = bad;
        err_set(err, ERR_FORMAT, "expected [section] or key = value [source]");
        fail_at_line(l);
    }
    fclose(l->in);
    free(made);
    free(l->line);
    l->line = NULL;
    return l->failed ? -1 : 0;
}

/* Refuse what is no part or library, with the nearest name or all names. */
static int refuse_piece(const char *word, const char *name, struct err *err)
{
    return strcmp(word, "part") == 0 ? spec_no_part(name, err) : spec_no_library(name, err);
}

/* Refuse a part or library that is being read.  One that is named as a base has no line at hand. */
static int refuse_circle(struct catalog_loader *l, const char *word, const char *path)
{
    for (const struct catalog_loader *a = l; a; a = a->above) {
        if (!a->file || strcmp(a->file, path) != 0)
            continue;
        l->failed = !l->line;
        return l->line
                   ? err_set(l->err, ERR_FORMAT, "machine.%s = %s leads back to itself", word, path)
                   : err_set(l->err, ERR_FORMAT, "%s: machine.base = %s leads back to itself",
                             l->file, path);
    }
    return 0;
}

/* Values of a part or library, which `word` says, replace those given before it in the file that
 * names it.  Both are looked up as a base is. */
static int read_piece(struct catalog_loader *l, const char *word, const char *name)
{
    struct catalog_loader part = { .m = l->m, .depth = l->depth + 1, .above = l };
    char path[CATALOG_BASE];

    if (part.depth > CATALOG_MAX_BASES)
        return err_set(l->err, ERR_FORMAT, "machine.%s: more than %d files in one another", word,
                       CATALOG_MAX_BASES);
    if (strlen(name) >= sizeof path)
        return err_set(l->err, ERR_RANGE, "machine.%s: a name of at most %d letters", word,
                       CATALOG_BASE - 1);
    memcpy(path, name, strlen(name) + 1);
    if (catalog_beside(path, l->file) != 0)
        return err_set(l->err, ERR_RANGE, "machine.%s: a path of at most %d letters", word,
                       CATALOG_BASE - 1);
    if (!catalog_is_path(path) && !embedded_find(path))
        return refuse_piece(word, path, l->err);
    if (refuse_circle(l, word, path) != 0)
        return -1;
    struct catalog_loader base = { 0 };
    bool good = catalog_read(&base, path, l->err) == 0;
    if (!good)
        part.lineno = base.lineno;
    if (good && *base.base) { /* another one, below this one */
        part.err = l->err;
        part.file = path;
        good = read_piece(&part, word, base.base) == 0;
        part.lineno = part.failed;
        if (!good && !part.failed && part.depth == 1)
            err_at(l->err, "%s: machine.base", path);
    }
    if (good && catalog_read(&part, path, l->err) == 0)
        return 0;
    l->failed = part.lineno > 0; /* then the error names its own file and line */
    return -1;
}

int catalog_part(struct catalog_loader *l, const char *name)
{
    return read_piece(l, "part", name);
}

int catalog_library(struct catalog_loader *l, const char *name)
{
    if (l->m->kind != CHIP_GPU)
        return err_set(l->err, ERR_FORMAT,
                       "machine.library = %s: a %s has none; machines of `kind = gpu` do", name,
                       spec_kind_name[l->m->kind]);
    catalog_drop_library(l->m);
    return read_piece(l, "library", name);
}
