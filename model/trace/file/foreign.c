/* foreign.c - see foreign.h. */
#include "trace/file/foreign.h"

#include <string.h>

#include "base/plain.h"

#define STABLEHLO                                                                                  \
    "StableHLO, a program before it is compiled, which `scripts/compile FILE.mlir -t v5e:2x2` "    \
    "does, or for another slice or GPU"

struct signature {
    const char *head;
    size_t n;
    const char *what;
    const char *reader; /* the program that prints it as text; NULL: none */
};

/* clang-format off */
static const struct signature signatures[] = {
    { "\x1f\x8b", 2,          "gzip data",                           "zcat" },
    { "\xfd" "7zXZ", 5,       "xz data",                             "xzcat" },
    { "BZh", 3,               "bzip2 data",                          "bzcat" },
    { "\x04\x22\x4d\x18", 4,  "lz4 data",                            "lz4 -dc" },
    { "PK\003\004", 4,        "a zip archive",                       "unzip -p" },
    { "\xff\xfe", 2,          "UTF-16 text",                         "iconv -f UTF-16 -t UTF-8" },
    { "\xfe\xff", 2,          "UTF-16 text",                         "iconv -f UTF-16 -t UTF-8" },
    { "c\0y", 3,              "UTF-16 text without a mark",          "iconv -f UTF-16LE -t UTF-8" },
    { "\0c\0", 3,             "UTF-16 text without a mark",          "iconv -f UTF-16BE -t UTF-8" },
    { "ML\xef" "R", 4,        STABLEHLO,                             NULL },
    { "SQLite format 3", 15,
      "a database: `cyclotron profile` reads one of Nsight Systems, `cyclotron sweep report` one "
      "of `sweep --db`", NULL },
};
/* clang-format on */

int foreign_refuse(const char *name, const void *head, size_t n, struct err *err)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *s = &signatures[i];
        if (n < s->n || memcmp(head, s->head, s->n) != 0)
            continue;
        if (!s->reader)
            return err_set(err, ERR_FORMAT, "%.100s: %s; expected a trace", name, s->what);
        if (strstr(name, ".xplane.pb"))
            return err_set(
                err, ERR_FORMAT,
                "%.100s: by its name a profile of XProf, which `cyclotron profile` reads", name);
        if (name[0] == '<')
            return err_set(err, ERR_FORMAT,
                           "%.100s: %s, expected UTF-8 text or zstd; send it through `%s` first",
                           name, s->what, s->reader);
        return err_set(err, ERR_FORMAT,
                       "%.100s: %s, expected UTF-8 text or zstd; `%s %.100s | cyclotron trace "
                       "check -` reads it, as other commands do with - for the trace",
                       name, s->what, s->reader, name);
    }
    return 0;
}

static bool begins_with(const char *line, size_t n, const char *head)
{
    size_t length = strlen(head);

    return n >= length && plain_same_start(line, head, length);
}

/* "key = value", as machine files and plans have it. */
static bool has_assignment(const char *line, size_t n)
{
    size_t i = 0;

    while (i < n && (plain_is_word(line[i]) || strchr("_.", line[i])))
        i++;
    size_t word = i;
    while (i < n && line[i] == ' ')
        i++;
    return word > 0 && i < n && line[i] == '=';
}

static bool is_mlir(const char *line, size_t n)
{
    static const char *const heads[] = {
        "module @",  "module {", "module attributes", "builtin.module", "\"builtin.module",
        "func.func", "#loc",     "// -----// IR",     "stablehlo.",     "\"stablehlo.",
    };
    bool found = false;

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        found |= begins_with(line, n, heads[i]);
    return found;
}

/* Lines of MLIR before its module: comments, names of places and of maps. */
static bool may_precede(const char *line, size_t n)
{
    return n == 0 || *line == '#' || begins_with(line, n, "//") || *line == '\r';
}

/* Fields of a message in the wire format of protocol buffers, from its first byte on. */
struct wire {
    const unsigned char *at, *end;
};

/* True if the next field has number `field` and a length; `*size` is that. */
static bool read_length(struct wire *w, unsigned field, uint64_t *size)
{
    *size = 0;
    if (w->at == w->end || *w->at != (field << 3 | 2))
        return false;
    w->at++;
    for (unsigned shift = 0; w->at < w->end && shift < 63; shift += 7) {
        unsigned char byte = *w->at++;
        *size |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* True if the next field is a text of at least one character. */
static bool read_text(struct wire *w, unsigned field)
{
    uint64_t size;

    if (!read_length(w, field, &size) || size == 0 || size > (uint64_t)(w->end - w->at))
        return false;
    for (uint64_t i = 0; i < size; i++)
        if (w->at[i] < 0x20 || w->at[i] == 0x7f)
            return false;
    w->at += size;
    return true;
}

/* A module has a name, the name of its entry and computations. */
static bool is_module(struct wire w)
{
    uint64_t size;

    return read_text(&w, 1) && read_text(&w, 2) && read_length(&w, 3, &size);
}

/* A plane of a profile begins with its number or its name, /host:CPU. */
static bool is_plane(struct wire w)
{
    uint64_t size;

    if (w.end - w.at > 2 && *w.at == 0x08 && w.at[1] < 0x80)
        w.at += 2;
    return read_length(&w, 2, &size) && size > 1 && w.at < w.end && *w.at == '/';
}

/* Fail if the bytes are those of a message of XLA's. */
static int refuse_message(const char *name, const void *data, size_t n, struct err *err)
{
    struct wire outer = { data, (const unsigned char *)data + n }, inner = outer;
    uint64_t size;

    if (is_module(outer))
        return err_set(err, ERR_FORMAT,
                       "%.200s: this looks like a serialised HloModuleProto: `scripts/compile "
                       "FILE.pb -t v5e:2x2` compiles one that is not optimised yet; of a compiled "
                       "one its text is read, as XLA dumps it (--xla_dump_hlo_as_text)",
                       name);
    if (read_length(&inner, 1, &size) && is_module(inner))
        return err_set(err, ERR_FORMAT,
                       "%.200s: this looks like a serialised HloProto, as XLA dumps it beside the "
                       "text of the same module, which is read (--xla_dump_hlo_as_text)",
                       name);
    inner = outer;
    if (read_length(&inner, 1, &size) && is_plane(inner))
        return err_set(
            err, ERR_FORMAT,
            "%.200s: this looks like a profile of XProf, which `cyclotron profile` reads", name);
    return 0;
}

int foreign_refuse_program(const char *name, const char *text, size_t n, struct err *err)
{
    const char *end = text + n;

    if (n > 0 && *text == '\n' && refuse_message(name, text, n, err) != 0)
        return -1;
    while (text < end) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((next ? next : end) - text);
        if (is_mlir(text, length))
            return err_set(err, ERR_FORMAT, "%.200s: this looks like " STABLEHLO, name);
        if (!may_precede(text, length))
            break;
        text += length + 1;
    }
    return 0;
}

const char *foreign_text(const char *line, size_t n)
{
    while (n > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        n--;
    }
    if (is_mlir(line, n))
        return "this looks like " STABLEHLO;
    if (begins_with(line, n, "HloModule"))
        return "this looks like a program of XLA, which is not read: write its operations as "
               "docs/reference/trace-format.md says";
    if (begins_with(line, n, "Rank,Program id,"))
        return "this looks like a table of XProf, which `cyclotron profile` reads";
    if (begins_with(line, n, "<!doctype") || begins_with(line, n, "<html"))
        return "this looks like a page of HTML";
    if (n > 1 && line[0] == '[' && plain_is_letter(line[1]))
        return "this looks like a machine file, which -m takes";
    if (has_assignment(line, n))
        return "this looks like a machine file or a plan, which -m and `cyclotron sweep` take";
    if (n > 0 && (line[0] == '{' || line[0] == '['))
        return "this looks like JSON, such as the result of a run";
    return NULL;
}
