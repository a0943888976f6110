/* cli_format.h - the format that a command writes: by --format, or by the ending of its output.
 *
 * One table of endings serves all commands.  A command says which it can write as a text of
 * endings, ".txt .json .vcd[.zst]", which its help prints as well: CLI_OUTPUT_OPTION.  A name
 * without an ending says nothing. */
#ifndef CLI_OPTIONS_CLI_FORMAT_H
#define CLI_OPTIONS_CLI_FORMAT_H

#include <argp.h>
#include <stdbool.h>

/* Formats and what messages and --format call them. */
#define CLI_FORMATS(X)                                                                             \
    X(TEXT, "text")                                                                                \
    X(JSON, "json")                                                                                \
    X(CSV, "csv")                                                                                  \
    X(HEPSCORE, "hepscore")                                                                        \
    X(HTML, "html")                                                                                \
    X(PFTRACE, "a Perfetto trace")                                                                 \
    X(XPLANE, "an XPlane file")                                                                    \
    X(VCD, "waves")                                                                                \
    X(MARKDOWN, "markdown")                                                                        \
    X(INI, "ini")                                                                                  \
    X(TRACE, "a trace")                                                                            \
    X(PACKED, "a packed trace")                                                                    \
    X(CHAKRA, "a Chakra trace")                                                                    \
    X(DATABASE, "a database")

/* CLI_FORMAT_NONE: as the command does without --format. */
#define CLI_FORMAT_ROW(name, word) CLI_##name,
enum cli_format { CLI_FORMAT_NONE, CLI_FORMATS(CLI_FORMAT_ROW) CLI_N_FORMATS };
#undef CLI_FORMAT_ROW

/* clang-format off */
/* The row of --output in an argp table; `endings` as above. */
#define CLI_OUTPUT_OPTION(endings)                                                                 \
    { "output", 'o', "FILE", 0, "Write to FILE, whole or not at all; the ending of its name chooses the format: " endings " (standard output)", 0 }
/* clang-format on */

/* Read the value of --format, one of `formats`: "text|json".  0, or EINVAL after a usage error of
 * command `name`. */
error_t cli_format_parse(const char *name, const char *formats, const char *text,
                         enum cli_format *format);

/* Settle what is written to `path` (NULL or "-": standard output).  `can` lists the endings of all
 * that the command can write here, the first of which holds where nothing else is said; *format is
 * what --format said, or CLI_FORMAT_NONE, and what is to be written afterwards.  .md and .log are
 * text, unless `can` lists them.  An ending that is not in the table is refused, unless --format
 * was given; so is one that contradicts --format.  0, or EINVAL after a usage error. */
error_t cli_format_settle(const char *name, const char *can, const char *path,
                          enum cli_format *format);

/* Check the file of an option that has one format, as --vcd: its name must not end as another
 * format does.  0, or EINVAL after a usage error. */
error_t cli_format_check(const char *name, const char *option, const char *can, const char *path);

/* True if a path ends in .zst, which packs traces and timelines. */
bool cli_format_packed(const char *path);

#endif
