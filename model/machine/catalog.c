/* Reading machine files.  libinih splits lines into section, key and value; the line reader refuses
 * what libinih would accept: continuation lines, inline comments, long lines, duplicates. */
#include "machine/catalog.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "machine/embedded.h"
#include "machine/sizes.h"
#include "machine/spec.h"

#define MAX_BASES 16
#define BASE_NAME 256
#define NAME_ROOM 60 /* of a key or a section: libinih sees so much of a line at least */
#define PRICES "prices.ini"
#define PRICES_OF_SLICE 2 /* rows of [price]: first those of a slice, then those of a chip */

struct loader {
    struct machine_spec *m;
    struct err *err;
    const char *file;
    FILE *in;
    char *line; /* the whole line at hand; libinih may see only its beginning */
    int lineno;
    bool failed, built_in;
    const char *price_section; /* reading prices: the section to take, else NULL */
    char base[BASE_NAME];
    char seen[SPEC_N_TABLES][SPEC_MAX_ROWS]; /* given in this very file */
    bool seen_base, seen_part, seen_summary;
    uint32_t depth; /* of parts in parts */
};

static int fail_at_line(struct loader *l)
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

/* libinih's fgets.  Hands over at most the beginning of a long line: the value is taken from
 * l->line by the handler, the key and the section fit. */
static char *read_line(char *buf, int size, void *stream)
{
    struct loader *l = stream;
    int more = l->failed ? 0 : line_next(l->in, l->line, l->err);

    if (more == 0)
        return NULL;
    l->lineno++;
    if (more < 0 || check_line(l->line, l->err) != 0) {
        fail_at_line(l);
        return NULL;
    }
    snprintf(buf, (size_t)size, "%.*s", size - 1, strchr(";#", *l->line) ? ";" : l->line);
    return buf;
}

static int refuse_unknown(struct loader *l, const char *what, const char *name,
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

static void drop_prices(struct machine_spec *m, ptrdiff_t first, ptrdiff_t n)
{
    for (char **source = &m->source[spec_table("price")][first]; n-- > 0; source++) {
        free(*source);
        *source = NULL;
    }
}

static int set_value(struct machine_spec *m, int t, const struct param_desc *d, const char *text,
                     const char *source, struct err *err)
{
    if (param_set(spec_tables[t], d, spec_object(m, (size_t)t), text, err) != 0)
        return -1;
    ptrdiff_t row = d - spec_tables[t]->rows;
    if (t == spec_table("slice"))
        drop_prices(m, 0, PRICES_OF_SLICE); /* another slice has none until it is given one */
    else if (t == spec_table("price")) /* the last price given counts, of a slice or of a chip */
        drop_prices(m, (row + PRICES_OF_SLICE) % (2 * PRICES_OF_SLICE), 1);
    char **slot = &m->source[t][row];
    free(*slot);
    *slot = memory_copy(source);
    return 0;
}

static int find_param(struct loader *l, const char *section, const char *key, int *t,
                      const struct param_desc **d)
{
    const char *names[SPEC_N_TABLES > SPEC_MAX_ROWS ? SPEC_N_TABLES + 1 : SPEC_MAX_ROWS];
    unsigned n = 0;

    *t = spec_table(section);
    if (!*section)
        return err_set(l->err, ERR_FORMAT, "%s stands before the first [section]", key);
    if (*t < 0) {
        for (size_t i = 0; i < spec_n_tables; i++)
            names[n++] = spec_tables[i]->section;
        names[n++] = "machine";
        return refuse_unknown(l, "section", section, names, n);
    }
    if (l->m && !spec_has(l->m->kind, (size_t)*t))
        return err_set(l->err, ERR_UNKNOWN, "a %s has no [%s]", spec_kind_name[l->m->kind],
                       section);
    *d = param_find(spec_tables[*t], key);
    if (*d)
        return 0;
    for (size_t i = 0; i < spec_tables[*t]->n_rows; i++)
        names[n++] = spec_tables[*t]->rows[i].name;
    char whole[128];
    snprintf(whole, sizeof whole, "parameter of [%s]", section);
    return refuse_unknown(l, whole, key, names, n);
}

static int apply_part(struct loader *l, const char *name);

static int set_kind(struct loader *l, const char *value)
{
    for (unsigned k = 0; k < CHIP_N_KINDS; k++)
        if (strcasecmp(value, spec_kind_name[k]) == 0) {
            l->m->kind = (enum chip_kind)k;
            return 0;
        }
    return refuse_unknown(l, "machine.kind", value, spec_kind_name, CHIP_N_KINDS);
}

static int set_machine_key(struct loader *l, const char *key, const char *value)
{
    if (strcmp(key, "part") == 0) {
        if (l->seen_part)
            return err_set(l->err, ERR_FORMAT, "machine.part is given twice");
        l->seen_part = true;
        return l->m ? apply_part(l, value) : 0;
    }
    if (strcmp(key, "base") == 0) {
        if (l->seen_base)
            return err_set(l->err, ERR_FORMAT, "machine.base is given twice");
        l->seen_base = true;
        if (strlen(value) >= sizeof l->base)
            return err_set(l->err, ERR_RANGE, "machine.base: a name of at most %d letters",
                           BASE_NAME - 1);
        snprintf(l->base, sizeof l->base, "%s", value);
        return 0;
    }
    if (strcmp(key, "kind") == 0)
        return l->m ? set_kind(l, value) : 0;
    if (strcmp(key, "summary") == 0) {
        if (l->seen_summary)
            return err_set(l->err, ERR_FORMAT, "machine.summary is given twice");
        l->seen_summary = true;
        if (l->m) {
            free(l->m->summary);
            l->m->summary = memory_copy(value);
        }
        return 0;
    }
    const char *names[] = { "base", "kind", "part", "summary" };
    return refuse_unknown(l, "parameter of [machine]", key, names, 4);
}

static int handle_value(void *user, const char *section, const char *key, const char *cut)
{
    struct loader *l = user;
    const struct param_desc *d;
    char *source = NULL;
    int t, rc = -1;

    (void)cut;
    if (l->failed)
        return 0;
    char *value = line_trim(strchr(l->line, '=') + 1);
    if (!l->price_section && strcmp(section, "machine") == 0)
        return set_machine_key(l, key, value) == 0 ? 1 : l->failed ? 0 : fail_at_line(l);
    if (!l->m)
        return 1; /* first pass: only the base is wanted */
    if (l->built_in && sizes_is_rule(section))
        return 1; /* the rule of sizes.h */
    if (l->price_section) {
        if (strcmp(section, l->price_section) != 0)
            return 1;
        section = "price";
    }
    if (find_param(l, section, key, &t, &d) != 0)
        return fail_at_line(l);
    char *seen = &l->seen[t][d - spec_tables[t]->rows];
    if (*seen)
        err_set(l->err, ERR_FORMAT, "%s.%s is given twice", section, key);
    else if (cut_source(value, &source) != 0)
        err_set(l->err, ERR_FORMAT, "%s.%s = %s: expected a [source] tag after the value", section,
                key, value);
    else
        rc = set_value(l->m, t, d, value, source, l->err);
    *seen = 1;
    free(source);
    return rc == 0 ? 1 : fail_at_line(l);
}

/* Read one file into l->m, or with l->m NULL only find its base. */
static int read_file(struct loader *l, const char *name, struct err *err)
{
    const struct machine_file *f = catalog_is_path(name) ? NULL : embedded_find(name);
    char *made = NULL; /* the text of a slice by rule */
    int bad = 0;

    l->err = err;
    l->file = f ? f->name : name;
    l->built_in = f;
    if (f) {
        l->in = fmemopen((void *)(uintptr_t)f->text, f->size, "r");
    } else if (catalog_is_path(name)) {
        l->in = fopen(name, "r");
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

static int apply_file(struct machine_spec *m, const char *name, struct err *err)
{
    struct loader l = { .m = m };

    return read_file(&l, name, err);
}

/* Take the prices of that machine from the list of prices, which is long: most have none there. */
static int apply_prices(struct machine_spec *m, const char *machine, struct err *err)
{
    struct loader l = { .m = m, .price_section = machine };
    const struct machine_file *f = embedded_find(PRICES);
    char header[BASE_NAME + 4];

    snprintf(header, sizeof header, "\n[%s]\n", machine);
    return f && strstr(f->text, header) ? read_file(&l, PRICES, err) : 0;
}

/* Replace a base that is a file by its path beside the file that names it; -1: too long. */
static int resolve_beside(char base[BASE_NAME], const char *file)
{
    const char *slash = strrchr(file, '/');
    char path[BASE_NAME];

    if (embedded_find(base) || sizes_knows(base) || base[0] == '/' || !slash)
        return 0;
    const char *name = strncmp(base, "./", 2) == 0 ? base + 2 : base;
    int length = snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - file), file, name);
    if (length >= BASE_NAME)
        return -1;
    memcpy(base, path, sizeof path);
    return 0;
}

/* Values of a part replace those given before it in the file that names it.  A part is looked up as
 * a base is. */
static int apply_part(struct loader *l, const char *name)
{
    struct loader part = { .m = l->m, .depth = l->depth + 1 };
    char path[BASE_NAME];

    if (part.depth > MAX_BASES)
        return err_set(l->err, ERR_FORMAT, "machine.part: more than %d parts in parts", MAX_BASES);
    if (strlen(name) >= sizeof path)
        return err_set(l->err, ERR_RANGE, "machine.part: a name of at most %d letters",
                       BASE_NAME - 1);
    memcpy(path, name, strlen(name) + 1);
    if (resolve_beside(path, l->file) != 0)
        return err_set(l->err, ERR_RANGE, "machine.part: a path of at most %d letters",
                       BASE_NAME - 1);
    if (!catalog_is_path(path) && !embedded_find(path))
        return spec_no_part(path, l->err);
    if (read_file(&part, path, l->err) == 0)
        return 0;
    l->failed = part.lineno > 0; /* then the error names its own file and line */
    return -1;
}

static int apply_chain(struct machine_spec *m, const char *name, struct err *err)
{
    char chain[MAX_BASES][BASE_NAME];
    int n;

    memcpy(chain[0], name, strlen(name) + 1);
    for (n = 1; n <= MAX_BASES; n++) {
        struct loader l = { 0 };
        if (read_file(&l, chain[n - 1], err) != 0)
            return n > 1 ? err_at(err, "%s: machine.base", chain[n - 2]) : -1;
        if (!l.base[0])
            break;
        if (resolve_beside(l.base, chain[n - 1]) != 0)
            return err_set(err, ERR_RANGE, "%s: machine.base: a path of at most %d letters",
                           chain[n - 1], BASE_NAME - 1);
        if (catalog_rename(l.base, sizeof l.base, l.base, err) != 0)
            return err_at(err, "%s: machine.base", chain[n - 1]);
        for (int i = 0; i < n; i++)
            if (strcmp(chain[i], l.base) == 0)
                return err_set(err, ERR_FORMAT, "%s: machine.base = %s leads back to itself",
                               l.file, l.base);
        if (n < MAX_BASES)
            memcpy(chain[n], l.base, sizeof chain[n]);
    }
    if (n > MAX_BASES)
        return err_set(err, ERR_FORMAT, "%s: a chain of more than %d bases", name, MAX_BASES);
    while (n-- > 0) {
        if (sizes_has_rule(chain[n]))
            drop_prices(m, 0, 2 * PRICES_OF_SLICE); /* another generation has its own */
        if (apply_file(m, chain[n], err) != 0)
            return -1;
        if (apply_prices(m, chain[n], err) != 0)
            return -1;
        if (!catalog_is_path(chain[n]) && sizes_knows(chain[n])) {
            char *summary = spec_summary(m, chain[n]);
            free(m->summary);
            m->summary = summary;
        }
    }
    return 0;
}

/* Apply "section.key=value"; `text` is cut into those three. */
static int apply_cut_override(struct machine_spec *m, char *text, struct err *err)
{
    struct loader l = { .m = m, .err = err };
    const struct param_desc *d;
    char *dot = strchr(text, '.'), *eq = strchr(text, '=');
    char before[128], value[128], whole[512];
    uint64_t from, to;
    int t;

    if (!dot || !eq || dot > eq || dot == text)
        return err_set(err, ERR_FORMAT, "expected section.key=value");
    *dot = *eq = '\0';
    const char *section = line_trim(text), *key = line_trim(dot + 1);
    if (strcmp(section, "machine") == 0)
        return err_set(err, ERR_UNKNOWN,
                       "[machine] says what a machine is made of: write a file with it");
    if (find_param(&l, section, key, &t, &d) != 0)
        return -1;
    param_text(d, spec_object(m, (size_t)t), before, sizeof before);
    bool ordered = param_amount(d, spec_object(m, (size_t)t), &from);
    if (set_value(m, t, d, line_trim(eq + 1), "[--set]", err) != 0)
        return -1;
    param_text(d, spec_object(m, (size_t)t), value, sizeof value);
    param_amount(d, spec_object(m, (size_t)t), &to);
    if (strcmp(before, value) == 0)
        snprintf(whole, sizeof whole, "%s.%s = %s, as it was", section, key, value);
    else
        snprintf(whole, sizeof whole, "%s.%s = %s, %s %s", section, key, value,
                 !ordered    ? "instead of"
                 : to > from ? "raised from"
                             : "lowered from",
                 before);
    MEMORY_GROW(m->changed, m->n_changed + 1, m->changed_room);
    m->changed[m->n_changed++] = memory_copy(whole);
    return 0;
}

static int apply_override(struct machine_spec *m, const char *text, struct err *err)
{
    char *copy = memory_copy(text);
    int rc = apply_cut_override(m, copy, err) == 0 ? 0 : err_at(err, "--set %s", text);

    free(copy);
    return rc;
}

static struct machine_spec *new_spec(const char *name)
{
    struct machine_spec *m = memory_zeroed(1, sizeof *m);

    m->name = memory_copy(name);
    for (size_t t = 0; t < spec_n_tables; t++) {
        BUG_ON(spec_tables[t]->n_rows > SPEC_MAX_ROWS);
        param_defaults(spec_tables[t], spec_object(m, t));
    }
    return m;
}

/* Read and check a whole machine or, without `whole`, a memory part. */
static int load_spec(struct machine_spec **out, const char *name, bool whole,
                     const char *const *set, size_t n_set, struct err *err)
{
    char own[BASE_NAME];

    if (catalog_rename(own, sizeof own, name, err) != 0)
        return -1;
    struct machine_spec *m = new_spec(own);
    int rc = apply_chain(m, own, err);

    for (size_t i = 0; rc == 0 && i < n_set; i++)
        rc = apply_override(m, set[i], err);
    if (rc == 0)
        rc = whole ? spec_check(m, err) : spec_check_dram(&m->dram, err);
    if (rc != 0) {
        spec_free(m);
        return -1;
    }
    *out = m;
    return 0;
}

int spec_load(struct machine_spec **out, const char *name, const char *const *set, size_t n_set,
              struct err *err)
{
    return load_spec(out, name, true, set, n_set, err);
}

int spec_dram(struct dram_params *out, const char *name, bool part, const char *const *set,
              size_t n_set, struct err *err)
{
    struct machine_spec *m;

    if (part && !catalog_is_path(name) && !embedded_find(name))
        return spec_no_part(name, err);
    if (load_spec(&m, name, !part, set, n_set, err) != 0)
        return -1;
    *out = m->dram;
    spec_free(m);
    return 0;
}

void spec_free(struct machine_spec *m)
{
    if (!m)
        return;
    for (size_t t = 0; t < SPEC_N_TABLES; t++)
        for (size_t r = 0; r < SPEC_MAX_ROWS; r++)
            free(m->source[t][r]);
    for (size_t i = 0; i < m->n_changed; i++)
        free(m->changed[i]);
    free(m->changed);
    free(m->summary);
    free(m->name);
    free(m);
}
