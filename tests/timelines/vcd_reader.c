#include "vcd_reader.h"
#include "base/plain.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct vcd_file *f;
    const char *at;
    unsigned line;
    char (*code)[16];
    unsigned *code_bits;
    bool *code_event, *has_value;
    size_t cap_vars, cap_changes;
    char scope[64][64];
    int depth;
};

static bool fail_reading(struct reading *r, const char *fmt, ...)
{
    va_list ap;
    int n = snprintf(r->f->error, sizeof r->f->error, "line %u: ", r->line);

    va_start(ap, fmt);
    plain_text_list(r->f->error + n, sizeof r->f->error - (size_t)n, fmt, ap);
    va_end(ap);
    return false;
}

/* The next word between blanks; false at the end.  Words too long for `word` are cut, with their
 * length told in *length. */
static bool read_word(struct reading *r, char *out, size_t size, const char **begin, size_t *length)
{
    while (plain_is_blank(*r->at))
        r->line += *r->at++ == '\n';
    const char *start = r->at;
    while (*r->at && !plain_is_blank(*r->at))
        r->at++;
    size_t n = (size_t)(r->at - start);
    if (begin)
        *begin = start;
    if (length)
        *length = n;
    snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), start);
    return n > 0;
}

static bool skip_to_end(struct reading *r)
{
    char w[32];

    while (read_word(r, w, sizeof w, NULL, NULL))
        if (strcmp(w, "$end") == 0)
            return true;
    return fail_reading(r, "no $end");
}

static int find_code(const struct reading *r, const char *code)
{
    for (int i = 0; i < r->f->n_codes; i++)
        if (strcmp(r->code[i], code) == 0)
            return i;
    return -1;
}

static void grow_room(struct reading *r)
{
    struct vcd_file *f = r->f;

    if ((size_t)f->n_vars < r->cap_vars)
        return;
    r->cap_vars = r->cap_vars ? 2 * r->cap_vars : 64;
    f->var = realloc(f->var, r->cap_vars * sizeof *f->var);
    r->code = realloc(r->code, r->cap_vars * sizeof *r->code);
    r->code_bits = realloc(r->code_bits, r->cap_vars * sizeof *r->code_bits);
    r->code_event = realloc(r->code_event, r->cap_vars * sizeof *r->code_event);
    r->has_value = realloc(r->has_value, r->cap_vars * sizeof *r->has_value);
}

static bool is_identifier(const char *name)
{
    if (!plain_is_letter(*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!plain_is_word(*name) && *name != '_' && *name != '$')
            return false;
    return true;
}

static bool is_kind(const char *kind)
{
    static const char *const kinds[] = { "event",   "integer", "parameter", "real", "reg",
                                         "supply0", "supply1", "time",      "tri",  "triand",
                                         "trior",   "trireg",  "tri0",      "tri1", "wand",
                                         "wire",    "wor" };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

/* $var kind bits code name [msb:lsb] $end */
static bool read_var(struct reading *r)
{
    char kind[16], bits[16], code[16], name[80], next[32], path[160] = "";
    unsigned width, msb, lsb;
    size_t n;

    if (!read_word(r, kind, sizeof kind, NULL, NULL) ||
        !read_word(r, bits, sizeof bits, NULL, NULL) ||
        !read_word(r, code, sizeof code, NULL, &n) ||
        !read_word(r, name, sizeof name, NULL, NULL) ||
        !read_word(r, next, sizeof next, NULL, NULL))
        return fail_reading(r, "a $var is cut short");
    if (!is_kind(kind))
        return fail_reading(r, "no kind of variable: %s", kind);
    char *end;
    width = (unsigned)strtoul(bits, &end, 10);
    if (*end || width == 0)
        return fail_reading(r, "no width: %s", bits);
    if (n >= sizeof code)
        return fail_reading(r, "a code of %zu characters", n);
    for (const char *c = code; *c; c++)
        if (*c < '!' || *c > '~')
            return fail_reading(r, "a code that does not print");
    if (!is_identifier(name))
        return fail_reading(r, "no identifier: %s", name);
    if (sscanf(next, "[%u:%u]", &msb, &lsb) == 2) {
        if (msb - lsb + 1 != width)
            return fail_reading(r, "%s is not %u bits", next, width);
        if (!read_word(r, next, sizeof next, NULL, NULL))
            return fail_reading(r, "a $var is cut short");
    }
    if (strcmp(next, "$end") != 0)
        return fail_reading(r, "$end expected, not %s", next);
    for (int i = 0; i < r->depth; i++)
        snprintf(path + strlen(path), sizeof path - strlen(path), "%s.", r->scope[i]);
    snprintf(path + strlen(path), sizeof path - strlen(path), "%s", name);
    if (vcd_file_code(r->f, path) >= 0)
        return fail_reading(r, "declared twice: %s", path);
    grow_room(r);
    int c = find_code(r, code);
    if (c < 0) {
        c = r->f->n_codes++;
        snprintf(r->code[c], sizeof r->code[c], "%s", code);
        r->code_bits[c] = width;
        r->code_event[c] = strcmp(kind, "event") == 0;
        r->has_value[c] = false;
    } else if (r->code_bits[c] != width) {
        return fail_reading(r, "code %s has two widths", code);
    }
    struct vcd_file_var *v = &r->f->var[r->f->n_vars++];
    snprintf(v->path, sizeof v->path, "%s", path);
    v->bits = width;
    v->code = c;
    return true;
}

static bool read_scope(struct reading *r)
{
    char kind[16], name[64], end[8];

    if (!read_word(r, kind, sizeof kind, NULL, NULL) ||
        !read_word(r, name, sizeof name, NULL, NULL) ||
        !read_word(r, end, sizeof end, NULL, NULL) || strcmp(end, "$end") != 0)
        return fail_reading(r, "a $scope is cut short");
    if (strcmp(kind, "module") != 0 && strcmp(kind, "begin") != 0 && strcmp(kind, "task") != 0 &&
        strcmp(kind, "fork") != 0 && strcmp(kind, "function") != 0)
        return fail_reading(r, "no kind of scope: %s", kind);
    if (!is_identifier(name))
        return fail_reading(r, "no identifier: %s", name);
    if (r->depth == 64)
        return fail_reading(r, "64 scopes deep");
    snprintf(r->scope[r->depth++], sizeof r->scope[0], "%s", name);
    return true;
}

static bool read_timescale(struct reading *r)
{
    char text[64] = "", w[16], unit[8];
    unsigned n;

    while (read_word(r, w, sizeof w, NULL, NULL) && strcmp(w, "$end") != 0)
        strncat(text, w, sizeof text - strlen(text) - 1);
    if (sscanf(text, "%u%7s", &n, unit) != 2 || (n != 1 && n != 10 && n != 100))
        return fail_reading(r, "no timescale: %s", text);
    static const char *const units[] = { "s", "ms", "us", "ns", "ps", "fs" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return fail_reading(r, "no unit of time: %s", unit);
}

static bool read_declarations(struct reading *r)
{
    char w[32];
    bool timescale = false;

    while (read_word(r, w, sizeof w, NULL, NULL)) {
        if (strcmp(w, "$var") == 0) {
            if (!read_var(r))
                return false;
        } else if (strcmp(w, "$scope") == 0) {
            if (!read_scope(r))
                return false;
        } else if (strcmp(w, "$upscope") == 0) {
            if (r->depth-- == 0)
                return fail_reading(r, "more scopes closed than opened");
            if (!skip_to_end(r))
                return false;
        } else if (strcmp(w, "$timescale") == 0) {
            timescale = true;
            if (!read_timescale(r))
                return false;
        } else if (strcmp(w, "$enddefinitions") == 0) {
            if (r->depth)
                return fail_reading(r, "a scope is left open");
            if (!timescale)
                return fail_reading(r, "no $timescale");
            return skip_to_end(r);
        } else if (strcmp(w, "$comment") == 0 || strcmp(w, "$date") == 0 ||
                   strcmp(w, "$version") == 0) {
            if (!skip_to_end(r))
                return false;
        } else {
            return fail_reading(r, "unknown: %s", w);
        }
    }
    return fail_reading(r, "no $enddefinitions");
}

static bool add_change(struct reading *r, const char *code, const char *digits, size_t n)
{
    struct vcd_file *f = r->f;
    int c = find_code(r, code);
    uint64_t value = 0;

    if (c < 0)
        return fail_reading(r, "no variable has code %s", code);
    if (n > r->code_bits[c])
        return fail_reading(r, "%zu digits for %u bits", n, r->code_bits[c]);
    for (size_t i = 0; i < n; i++) {
        if (!strchr("01xXzZ", digits[i]))
            return fail_reading(r, "no digit: %c", digits[i]);
        value = value << 1 | (digits[i] == '1');
    }
    if (f->n_changes == r->cap_changes) {
        r->cap_changes = r->cap_changes ? 2 * r->cap_changes : 4096;
        f->change = realloc(f->change, r->cap_changes * sizeof *f->change);
    }
    r->has_value[c] = true;
    f->change[f->n_changes++] = (struct vcd_file_change){ f->end, c, value, digits, (unsigned)n };
    return true;
}

static bool read_value(struct reading *r, const char *start, size_t n)
{
    char code[16];
    size_t length;

    if (*start != 'b' && *start != 'B') {
        snprintf(code, sizeof code, "%.*s", (int)(n - 1), start + 1);
        return add_change(r, code, start, 1) &&
               (r->code_bits[find_code(r, code)] == 1 || fail_reading(r, "a bit for a vector"));
    }
    if (!read_word(r, code, sizeof code, NULL, &length) || length >= sizeof code)
        return fail_reading(r, "a vector without a code");
    if (n < 2)
        return fail_reading(r, "a vector without a digit");
    return add_change(r, code, start + 1, n - 1);
}

static bool read_changes(struct reading *r)
{
    struct vcd_file *f = r->f;
    char w[32];
    const char *start;
    size_t n;
    bool timed = false, dumping = false;

    while (read_word(r, w, sizeof w, &start, &n)) {
        if (*w == '#') {
            char *end;
            uint64_t time = strtoull(w + 1, &end, 10);
            if (*end || !plain_is_digit(w[1]))
                return fail_reading(r, "no time: %s", w);
            if (timed && time <= f->end)
                return fail_reading(r, "time goes back to %s", w);
            if (!timed)
                f->begin = time;
            timed = true;
            f->end = time;
        } else if (strcmp(w, "$dumpvars") == 0) {
            if (dumping || f->n_changes)
                return fail_reading(r, "$dumpvars after values");
            dumping = true;
        } else if (strcmp(w, "$end") == 0) {
            if (!dumping)
                return fail_reading(r, "$end of nothing");
            dumping = false;
            f->n_first = f->n_changes;
            for (int c = 0; c < f->n_codes; c++)
                if (!r->has_value[c] && !r->code_event[c])
                    return fail_reading(r, "no first value for code %s", r->code[c]);
        } else if (strcmp(w, "$comment") == 0) {
            if (!skip_to_end(r))
                return false;
        } else if (*w == '$') {
            return fail_reading(r, "unknown: %s", w);
        } else if (!timed) {
            return fail_reading(r, "a value before the first time");
        } else if (!read_value(r, start, n)) {
            return false;
        }
    }
    return !dumping || fail_reading(r, "$dumpvars is left open");
}

bool vcd_file_read(struct vcd_file *f, const char *text)
{
    struct reading r = { .f = f, .at = text, .line = 1 };

    *f = (struct vcd_file){ 0 };
    bool ok = read_declarations(&r) && read_changes(&r);
    free(r.code);
    free(r.code_bits);
    free(r.code_event);
    free(r.has_value);
    return ok;
}

void vcd_file_free(struct vcd_file *f)
{
    free(f->var);
    free(f->change);
}

int vcd_file_code(const struct vcd_file *f, const char *path)
{
    for (int i = 0; i < f->n_vars; i++)
        if (strcmp(f->var[i].path, path) == 0)
            return f->var[i].code;
    return -1;
}

/* Rising edges of a clock before each change are counted as one goes along; an edge at the time of
 * a change is not before it, wherever it stands in the file. */
uint64_t vcd_file_time(const struct vcd_file *f, int code, uint64_t value, int clock)
{
    uint64_t sum = 0, since = f->begin, edges = 0, edges_since = 0, edge_at = 0;
    bool in = false;

    for (size_t i = 0; i <= f->n_changes; i++) {
        const struct vcd_file_change *c = i < f->n_changes ? &f->change[i] : NULL;
        if (c && c->code == clock && i >= f->n_first && c->value) {
            edges++;
            edge_at = c->time;
        }
        if (c && c->code != code)
            continue;
        uint64_t now = c ? c->time : f->end, before = edges - (edges && edge_at == now);
        if (in)
            sum += clock < 0 ? now - since : before - edges_since;
        in = c && c->value == value;
        since = now;
        edges_since = before;
    }
    return sum;
}

uint64_t vcd_file_last(const struct vcd_file *f, int code)
{
    uint64_t value = 0;

    for (size_t i = 0; i < f->n_changes; i++)
        if (f->change[i].code == code)
            value = f->change[i].value;
    return value;
}
