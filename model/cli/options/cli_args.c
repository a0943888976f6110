/* Command lines: options, commands and counts, and the usage errors about them (cli.h). */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/param.h"
#include "base/plain.h"
#include "cli/options/cli.h"
#include "cli/options/cli_help.h"

#define MAX_NAMES 64 /* of options or commands; the tables here are far smaller */

/* One line of `size` bytes, whatever bytes a file name or a message brings along. */
static void print_part(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        putc((unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i], stderr);
    putc('\n', stderr);
}

static void print_line(const char *text)
{
    print_part(text, strlen(text));
}

/* The end of `text` that is a line of a file and a caret below a place in it; the end if none is.
 */
static const char *find_caret_lines(const char *text)
{
    const char *end = text + strlen(text), *caret = strrchr(text, '\n'), *shown;

    if (!caret || caret + 1 + strspn(caret + 1, " ") + 1 != end || end[-1] != '^')
        return end;
    for (shown = caret; shown > text && shown[-1] != '\n';)
        shown--;
    return shown > text ? shown - 1 : end;
}

int cli_usage(const char *name, const char *fmt, ...)
{
    char message[512], line[768];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(message, sizeof message, fmt, ap);
    va_end(ap);
    snprintf(line, sizeof line, "%s: %s (see %s --help)", name, message, name);
    print_line(line);
    return CLI_USAGE;
}

int cli_unknown(const char *name, const char *what, const char *given, const char *const *names,
                unsigned n)
{
    const char *nearest = err_nearest(given, names, n);
    char all[512] = "";

    if (nearest)
        return cli_usage(name, "unknown %s \"%.80s\": did you mean %s?", what, given, nearest);
    for (unsigned i = 0; i < n; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    return cli_usage(name, "unknown %s \"%.80s\": expected one of %s", what, given, all);
}

int cli_error(const struct err *err)
{
    const char *shown = find_caret_lines(err->msg);

    if (err->msg[0] != '\0') /* a closed pipe is an error without a message */
        print_part(err->msg, (size_t)(shown - err->msg));
    while (*shown) { /* a line break, a line */
        size_t size = strcspn(shown + 1, "\n");
        print_part(shown + 1, size);
        shown += 1 + size;
    }
    return CLI_BAD_INPUT;
}

bool cli_count(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
        return false;
    errno = 0;
    unsigned long long v = strtoull(text, NULL, 10);
    if (errno != 0 || v < min || v > max)
        return false;
    *value = v;
    return true;
}

unsigned cli_jobs(uint64_t asked)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return asked ? (unsigned)asked : processors > 0 ? (unsigned)processors : 1;
}

error_t cli_option_count(const char *name, const char *option, const char *text, uint64_t max,
                         uint64_t *value)
{
    if (cli_count(text, 1, max, value))
        return 0;
    cli_usage(name, "--%s %.40s: expected a count from 1 to %llu", option, text,
              (unsigned long long)max);
    return EINVAL;
}

void cli_list_add(struct cli_list *list, const char *word)
{
    MEMORY_ADD(list->word, list->n);
    list->word[list->n++] = memory_copy(word);
}

void cli_list_drop_repeated(struct cli_list *list)
{
    for (size_t i = 0; i + 1 < list->n; i++)
        if (strcmp(list->word[i], list->word[list->n - 1]) == 0) {
            free((void *)(uintptr_t)list->word[--list->n]);
            return;
        }
}

void cli_list_free(struct cli_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((void *)(uintptr_t)list->word[i]);
    free(list->word);
}

bool cli_set_add(struct cli_list *set, const char *name, const char *word)
{
    const char *key = word + strspn(word, " ");
    struct err err;

    if (strncmp(key, "proxy.", 6) == 0) {
        cli_usage(
            name,
            "--set %.80s: proxies belong to sweeps (cyclotron sweep --set), no machine has them",
            word);
        return false;
    }
    if (set->n == CLI_MOST_SETS) {
        cli_usage(name, "more than %d --set", CLI_MOST_SETS);
        return false;
    }
    cli_list_add(set, word);
    if (param_once(set->word, set->n, &err) != 0) {
        cli_usage(name, "--set: %s", err.msg);
        return false;
    }
    return true;
}

/* The option called `name` (or the only one that starts with it), or NULL. */
static const struct argp_option *find_long(const struct argp_option *options, const char *name,
                                           size_t length)
{
    const struct argp_option *found = NULL;
    unsigned candidates = 0;

    for (const struct argp_option *o = options; o->name || o->key; o++) {
        if (!o->name || strncmp(o->name, name, length) != 0)
            continue;
        if (o->name[length] == '\0')
            return o;
        found = o;
        candidates++;
    }
    return candidates == 1 && length > 0 ? found : NULL;
}

static const struct argp_option *find_short(const struct argp_option *options, int key)
{
    for (const struct argp_option *o = options; o->name || o->key; o++) {
        if (o->key == key && key > ' ' && key < 0x7f)
            return o;
    }
    return NULL;
}

static int unknown_option(const struct argp_option *options, const char *name, const char *given,
                          size_t length)
{
    static const char dashes[] = "--";
    char word[80], texts[MAX_NAMES][40];
    const char *names[MAX_NAMES];
    unsigned n = 0;

    for (const struct argp_option *o = options; o->name || o->key; o++) {
        if (!o->name)
            continue;
        BUG_ON(n == MAX_NAMES);
        snprintf(texts[n], sizeof texts[n], "%s%s", dashes, o->name);
        names[n] = texts[n];
        n++;
    }
    snprintf(word, sizeof word, "%.*s", length < 78 ? (int)length : 78, given);
    return cli_unknown(name, "option", word, names, n);
}

/* The values of options on a line, in the order of the table: the last one would win in silence. */
struct given {
    const char *value[MAX_NAMES];
};

static int note_value(struct given *g, const struct argp_option *options,
                      const struct argp_option *o, const char *value, const char *name)
{
    size_t i = (size_t)(o - options);

    BUG_ON(i >= MAX_NAMES);
    if (g->value[i] && !(o->flags & CLI_REPEATED))
        return cli_usage(name, "option --%s is given twice: %.80s and %.80s", o->name, g->value[i],
                         value);
    g->value[i] = value;
    return CLI_DONE;
}

/* argp words its errors in two lines and guesses no names, so what it would refuse is refused
 * here, by the same table of options, and what is given twice.  Returns 0 or CLI_USAGE; sets *help.
 */
static int check_words(const struct argp_option *options, int argc, char **argv, bool *help)
{
    const char *name = argv[0];
    struct given given = { { NULL } };

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *arg = argv[i];
        if (arg[0] != '-' || arg[1] == '\0')
            continue;
        if (arg[1] == '-') {
            size_t length = strcspn(arg + 2, "=");
            const struct argp_option *o = find_long(options, arg + 2, length);
            if (!o)
                return unknown_option(options, name, arg, length + 2);
            if (arg[length + 2] == '=' && !o->arg)
                return cli_usage(name, "option --%s takes no value", o->name);
            bool joined = arg[length + 2] == '=', alone = o->flags & OPTION_ARG_OPTIONAL;
            if (!joined && o->arg && !alone && ++i == argc)
                return cli_usage(name, "option --%s needs a value: %s", o->name, o->arg);
            const char *value = joined ? arg + length + 3 : alone ? "no value" : argv[i];
            if (o->arg && note_value(&given, options, o, value, name) != CLI_DONE)
                return CLI_USAGE;
            *help = *help || o->key == 'h';
            continue;
        }
        for (const char *c = arg + 1; *c; c++) {
            const struct argp_option *o = find_short(options, *c);
            if (!o)
                return cli_usage(name, "unknown option -%c", *c);
            *help = *help || o->key == 'h';
            if (!o->arg)
                continue;
            if (c[1] == '\0' && ++i == argc)
                return cli_usage(name, "option -%c needs a value: %s", *c, o->arg);
            if (note_value(&given, options, o, c[1] ? c + 1 : argv[i], name) != CLI_DONE)
                return CLI_USAGE;
            break; /* the rest of the word is the value */
        }
    }
    return CLI_DONE;
}

bool cli_parse(const struct argp *argp, int argc, char **argv, void *input, int *code)
{
    bool help = false;

    *code = check_words(argp->options, argc, argv, &help);
    if (*code != CLI_DONE)
        return false;
    if (help) {
        cli_help_print(argp, argv[0]);
        return false;
    }
    unsigned flags = ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP;
    error_t wrong = argp_parse(argp, argc, argv, flags, NULL, input);
    if (wrong == ENOMEM)
        memory_end();
    if (wrong != 0) {
        *code = CLI_USAGE;
        return false;
    }
    return true;
}

static int list_commands(const struct cli_group *g, const char *name)
{
    printf("%s\n\n", g->intro);
    for (size_t i = 0; i < g->n; i++) {
        const struct cli_command *c = &g->command[i];
        printf("  %s %s%s%s\n      %s\n", name, c->name, c->arguments[0] ? " " : "", c->arguments,
               c->doc);
    }
    printf("\nExamples:\n%s\n%s COMMAND --help tells more about a command.\n", g->examples, name);
    return CLI_DONE;
}

const struct cli_command *cli_find(const struct cli_group *group, const char *name)
{
    for (size_t i = 0; i < group->n; i++)
        if (strcmp(group->command[i].name, name) == 0)
            return &group->command[i];
    return NULL;
}

int cli_dispatch(const struct cli_group *group, int argc, char **argv)
{
    const char *names[MAX_NAMES + 2];
    char help_option[] = "--help", name[64];
    unsigned n = 0;

    if (argc < 2)
        return cli_usage(argv[0], "no command given");
    bool help = strcmp(argv[1], "help") == 0;
    if ((help && argc == 2) || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return list_commands(group, argv[0]);
    if (help) { /* help COMMAND is COMMAND --help */
        argv[1] = argv[2];
        argv[2] = help_option;
        argc = 3;
    }

    const struct cli_command *command = cli_find(group, argv[1]);
    if (command) {
        snprintf(name, sizeof name, "%s %s", argv[0], command->name);
        argv[1] = name;
        return command->run(argc - 1, argv + 1);
    }
    bool option = argv[1][0] == '-' && argv[1][1] != '\0';
    if (option) {
        names[n++] = "--help";
        names[n++] = "--version";
    }
    BUG_ON(group->n > MAX_NAMES);
    for (size_t i = 0; i < group->n && !option; i++)
        names[n++] = group->command[i].name;
    return cli_unknown(argv[0], option ? "option" : "command", argv[1], names, n);
}
