#include "cli/options/cli_format.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/options/cli.h"

static const struct ending {
    const char *text;
    enum cli_format format;
} endings[] = {
    { ".txt", CLI_TEXT },         { ".log", CLI_TEXT },
    { ".md", CLI_MARKDOWN },      { ".json", CLI_JSON },
    { ".csv", CLI_CSV },          { ".html", CLI_HTML },
    { ".htm", CLI_HTML },         { ".pftrace", CLI_PFTRACE },
    { ".vcd", CLI_VCD },          { ".pftrace.zst", CLI_PFTRACE },
    { ".vcd.zst", CLI_VCD },      { ".ini", CLI_INI },
    { ".trace", CLI_TRACE },      { ".zst", CLI_PACKED },
    { ".trace.zst", CLI_PACKED }, { ".db", CLI_DATABASE },
    { ".et", CLI_CHAKRA },        { ".hepscore.json", CLI_HEPSCORE },
    { ".xplane.pb", CLI_XPLANE },
};

#define N_ENDINGS (sizeof endings / sizeof *endings)

#define FORMAT_WORD(name, word) word,
static const char *const words[] = { "", CLI_FORMATS(FORMAT_WORD) };

/* The last part of a path from its last dot on, or NULL; the dot of ".name" begins no ending. */
static const char *find_dot(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');

    return dot && dot != base && strcmp(base, "..") != 0 ? dot : NULL;
}

/* The longest ending of the table that `path` has, or NULL; reports are not packed, so .json.zst
 * is an ending of no format. */
static const struct ending *find_ending(const char *path)
{
    static const struct ending packed_report = { ".zst", CLI_FORMAT_NONE };
    const struct ending *found = NULL;
    size_t n = strlen(path);

    for (size_t i = 0; i < N_ENDINGS; i++) {
        size_t m = strlen(endings[i].text);
        if (n > m && strcmp(path + n - m, endings[i].text) == 0 &&
            (!found || m > strlen(found->text)))
            found = &endings[i];
    }
    if (found && strcmp(found->text, ".zst") == 0)
        for (size_t i = 0; i < N_ENDINGS; i++) {
            size_t m = strlen(endings[i].text) + 4;
            if (n > m && strncmp(path + n - m, endings[i].text, m - 4) == 0)
                return &packed_report;
        }
    return found;
}

/* The formats of a text of endings, a bit each; *first is that of the first. */
static uint32_t read_endings(const char *can, enum cli_format *first)
{
    uint32_t bits = 0;

    for (const char *p = can + strspn(can, " "); *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " "), stem = strcspn(p, " [");
        for (size_t i = 0; i < N_ENDINGS; i++) {
            if (strlen(endings[i].text) != stem || strncmp(p, endings[i].text, stem) != 0)
                continue;
            if (bits == 0)
                *first = endings[i].format;
            bits |= UINT32_C(1) << endings[i].format;
        }
        p += length;
    }
    BUG_ON(bits == 0);
    return bits;
}

static bool has_format(uint32_t bits, enum cli_format format)
{
    return bits >> format & 1;
}

/* True if the format is read as text, so that .txt is no contradiction. */
static bool is_text(enum cli_format format)
{
    return format == CLI_MARKDOWN || format == CLI_INI || format == CLI_TRACE;
}

/* Write ".txt, .json or .csv" for ".txt .json .csv", the text of endings `can`. */
static void join_endings(char *buf, size_t size, const char *can)
{
    size_t used = 0;

    buf[0] = '\0';
    for (const char *p = can; *p && used < size;) {
        size_t length = strcspn(p, " ");
        const char *next = p + length + strspn(p + length, " ");
        bool last = next[strcspn(next, " ")] == '\0';
        used += (size_t)snprintf(buf + used, size - used, "%.*s%s", (int)length, p,
                                 *next == '\0' ? ""
                                 : last        ? " or "
                                               : ", ");
        p = next;
    }
}

static error_t refuse_ending(const char *name, const char *path, const char *can)
{
    char list[160];

    join_endings(list, sizeof list, can);
    cli_usage(name,
              "-o %.80s: cannot write %.20s here: expected a name in %s, or without an ending",
              path, find_dot(path), list);
    return EINVAL;
}

static error_t refuse_format(const char *name, enum cli_format given, uint32_t bits)
{
    char list[160] = "";

    for (unsigned f = CLI_TEXT; f < CLI_N_FORMATS; f++) {
        size_t used = strlen(list);
        if (has_format(bits, (enum cli_format)f) && !strchr(words[f], ' '))
            snprintf(list + used, sizeof list - used, "%s%s", used ? " or " : "", words[f]);
    }
    cli_usage(name, "--format %s does not apply here: expected %s", words[given], list);
    return EINVAL;
}

error_t cli_format_parse(const char *name, const char *formats, const char *text,
                         enum cli_format *format)
{
    const char *known[CLI_N_FORMATS];
    unsigned n = 0;

    for (unsigned f = CLI_TEXT; f < CLI_N_FORMATS; f++) {
        const char *p = strstr(formats, words[f]);
        if (!p || strchr(words[f], ' '))
            continue;
        if (strcmp(words[f], text) == 0) {
            *format = (enum cli_format)f;
            return 0;
        }
        known[n++] = words[f];
    }
    cli_unknown(name, "format", text, known, n);
    return EINVAL;
}

error_t cli_format_settle(const char *name, const char *can, const char *path,
                          enum cli_format *format)
{
    enum cli_format first = CLI_TEXT, given = *format;
    uint32_t bits = read_endings(can, &first);
    bool file = path && strcmp(path, "-") != 0;
    const struct ending *e = file ? find_ending(path) : NULL;

    if (given != CLI_FORMAT_NONE && !has_format(bits, given))
        return refuse_format(name, given, bits);
    *format = given != CLI_FORMAT_NONE ? given : first;
    if (!file || !find_dot(path))
        return 0;
    if (!e) /* --format says what an ending of somebody else's choice means */
        return given != CLI_FORMAT_NONE ? 0 : refuse_ending(name, path, can);
    enum cli_format asked = e->format;
    if (asked == CLI_MARKDOWN && !has_format(bits, asked))
        asked = CLI_TEXT;
    if (!has_format(bits, asked))
        return refuse_ending(name, path, can);
    if (asked == CLI_TEXT && is_text(given))
        asked = given;
    if (given != CLI_FORMAT_NONE && given != asked) {
        cli_usage(name, "-o %.80s asks for %s, an option for %s: leave one of them out", path,
                  words[asked], words[given]);
        return EINVAL;
    }
    *format = asked;
    return 0;
}

error_t cli_format_check(const char *name, const char *option, const char *can, const char *path)
{
    enum cli_format first = CLI_TEXT;
    uint32_t bits = read_endings(can, &first);
    const struct ending *e = path && find_dot(path) ? find_ending(path) : NULL;

    if (!e || has_format(bits, e->format))
        return 0;
    char list[160];
    join_endings(list, sizeof list, can);
    cli_usage(name, "%s %.80s writes %s: expected a name in %s", option, path, words[first], list);
    return EINVAL;
}

bool cli_format_packed(const char *path)
{
    size_t n = path ? strlen(path) : 0;

    return n > 4 && strcmp(path + n - 4, ".zst") == 0;
}
