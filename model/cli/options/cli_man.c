#include "cli/options/cli_man.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/version.h"
#include "cli/options/cli_help.h"

#define MAX_PAGES 64
#define LINE_WIDTH 72 /* of the source, before dashes are escaped */

/* A page: the program itself, a command, or a verb of one. */
struct page {
    char *name, *words;                /* "cyclotron-trace-gen", "cyclotron trace gen" */
    const struct cli_command *command; /* NULL: the program */
    const struct cli_group *group;     /* its commands; NULL: none */
};

struct pages {
    struct page page[MAX_PAGES];
    size_t n;
};

static void add_page(struct pages *p, const char *name, const char *words,
                     const struct cli_command *c, const struct cli_group *g)
{
    BUG_ON(p->n == MAX_PAGES);
    p->page[p->n++] = (struct page){ memory_copy(name), memory_copy(words), c, g };
}

/* The page of a group, then those of its commands. */
static void collect_pages(struct pages *p, const struct cli_group *g, const char *name,
                          const char *words)
{
    for (size_t i = 0; g && i < g->n; i++) {
        const struct cli_command *c = &g->command[i];
        char *page = memory_format("%s-%s", name, c->name);
        char *line = memory_format("%s %s", words, c->name);
        add_page(p, page, line, c, c->verbs);
        collect_pages(p, c->verbs, page, line);
        free(page);
        free(line);
    }
}

static void free_pages(struct pages *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->page[i].name);
        free(p->page[i].words);
    }
}

/* --- text ----------------------------------------------------------------------------------- */

/* Write `n` bytes as they are to be read: roff takes some characters for its own. */
static void write_text(const char *text, size_t n, FILE *out)
{
    if (n > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < n; i++) {
        switch (text[i]) {
        case '\\': fputs("\\e", out); break;
        case '-': fputs("\\-", out); break;
        case '\'': fputs("\\(aq", out); break;
        case '`': fputs("\\(ga", out); break;
        case '^': fputs("\\(ha", out); break;
        case '~': fputs("\\(ti", out); break;
        default: putc(text[i], out);
        }
    }
}

/* Write text that roff fills anyway in lines of its own, broken at blanks. */
static void write_filled(const char *text, size_t n, FILE *out)
{
    size_t column = 0;

    for (size_t i = 0; i < n;) {
        size_t blanks = strspn(text + i, " "), length = strcspn(text + i + blanks, " \n");
        if (i + blanks + length > n)
            length = n - i - blanks;
        if (column > 0 && column + blanks + length > LINE_WIDTH) {
            putc('\n', out);
            column = 0;
        } else if (column > 0) {
            putc(' ', out);
        }
        write_text(text + i + blanks, length, out);
        column += blanks + length;
        i += blanks + length;
        if (i < n && text[i] == '\n')
            i++;
    }
    putc('\n', out);
}

static void write_line(const char *text, FILE *out)
{
    write_filled(text, strlen(text), out);
}

/* Write lines of help: those that begin with blanks stay as they are, an empty one ends a
 * paragraph.  `part` says which lines: 'e' those of the examples, which begin a section, 'd' the
 * others. */
static void write_paragraphs(const char *text, char part, FILE *out)
{
    bool literal = false, open = false, example = false;

    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");
        bool blank = n == 0, indented = p[0] == ' ';
        bool title = n == 9 && strncmp(p, "Examples:", 9) == 0;
        if (literal && !indented)
            fputs(".fi\n", out);
        literal = literal && indented;
        if (title)
            example = open = true; /* a section needs no .PP at its beginning */
        else if (example && blank)
            example = open = false;
        else if (blank)
            open = false;
        else if (example == (part == 'e')) {
            if (!open && !literal)
                fputs(".PP\n", out);
            if (indented && !literal)
                fputs(".nf\n", out);
            literal = indented;
            open = true;
            if (literal)
                write_text(p, n, out);
            if (literal)
                putc('\n', out);
            else
                write_filled(p, n, out);
        }
        p += n + (p[n] == '\n');
    }
    if (literal)
        fputs(".fi\n", out);
}

/* --- sections --------------------------------------------------------------------------------- */

static void write_option(const struct argp_option *o, FILE *out)
{
    fputs(".TP\n", out);
    if (o->key > ' ' && o->key < 0x7f)
        fprintf(out, "\\fB\\-%c\\fR%s", o->key, o->name ? ", " : "");
    if (o->name) {
        fputs("\\fB\\-\\-", out);
        write_text(o->name, strlen(o->name), out);
        fputs("\\fR", out);
    }
    if (o->arg) {
        fputs("=\\fI", out);
        write_text(o->arg, strlen(o->arg), out);
        fputs("\\fR", out);
    }
    putc('\n', out);
    write_line(o->doc, out);
}

/* The options in the order of help: by group, the last of which is -1. */
static void write_options(const struct argp *argp, FILE *out)
{
    static const int groups[] = { 0, 1, 2, 3, -1 };

    fputs(".SH OPTIONS\n", out);
    if (cli_help_has_defaults(argp))
        write_line(CLI_HELP_DEFAULTS, out);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const struct argp_option *o = argp->options; o->name || o->key; o++)
            if (o->group == groups[g])
                write_option(o, out);
}

static void write_command(const struct page *p, FILE *out)
{
    const struct argp *argp = p->command->argp;
    char *help = cli_help_after(argp);
    size_t before = strcspn(argp->doc, "\v");

    fputs(".SH SYNOPSIS\n.B ", out);
    write_line(p->words, out);
    fputs("[\\fIOPTION\\fR]...\n", out);
    if (argp->args_doc)
        write_line(argp->args_doc, out);
    fputs(".SH DESCRIPTION\n", out);
    char *first = memory_copy_part(argp->doc, before);
    write_line(first, out);
    write_paragraphs(help, 'd', out);
    write_options(argp, out);
    fputs(".SH EXAMPLES\n", out);
    write_paragraphs(help, 'e', out);
    free(first);
    free(help);
}

static void write_commands(const struct cli_group *g, FILE *out)
{
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < g->n; i++) {
        fputs(".TP\n.B ", out);
        write_line(g->command[i].name, out);
        write_line(g->command[i].doc, out);
    }
}

static void write_group(const struct page *p, FILE *out)
{
    fputs(".SH SYNOPSIS\n.B ", out);
    write_line(p->words, out);
    fputs("\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.br\n.B ", out);
    write_line(p->words, out);
    fputs("\\fICOMMAND\\fR \\fB\\-\\-help\\fR\n.SH DESCRIPTION\n", out);
    write_line(p->group->intro, out);
    write_commands(p->group, out);
    fputs(".SH EXAMPLES\n.nf\n", out);
    for (const char *e = p->group->examples; *e;) {
        size_t n = strcspn(e, "\n");
        write_text(e, n, out);
        putc('\n', out);
        e += n + (e[n] == '\n');
    }
    fputs(".fi\n", out);
}

/* The pages one level above and below, and of the same level. */
static void write_see_also(const struct pages *all, const struct page *p, FILE *out)
{
    const char *dash = strrchr(p->name, '-');
    size_t parent = dash ? (size_t)(dash - p->name) : 0, n = strlen(p->name), written = 0;

    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; i < all->n; i++) {
        const char *other = all->page[i].name, *end = strrchr(other, '-');
        size_t above = end ? (size_t)(end - other) : 0;
        bool child = above == n && strncmp(other, p->name, n) == 0;
        bool mother = parent > 0 && strlen(other) == parent && strncmp(other, p->name, parent) == 0;
        bool sister = parent > 0 && above == parent && strncmp(other, p->name, parent) == 0;
        if ((!child && !mother && !sister) || strcmp(other, p->name) == 0)
            continue;
        fputs(written++ ? ",\n.BR " : ".BR ", out);
        write_text(other, strlen(other), out);
        fputs(" (1)", out);
    }
    putc('\n', out);
}

static void write_page(const struct pages *all, const struct page *p, FILE *out)
{
    fputs(".TH ", out);
    for (const char *c = p->name; *c; c++)
        putc(plain_upper(*c), out);
    fprintf(out, " 1 \"\" \"cyclotron %s\" \"User Commands\"\n.SH NAME\n", CYCLOTRON_VERSION);
    write_text(p->name, strlen(p->name), out);
    fputs(" \\- ", out);
    write_line(p->command ? p->command->doc : "replay training steps on models of TPU slices", out);
    if (p->command && p->command->argp)
        write_command(p, out);
    else
        write_group(p, out);
    if (p->command && p->command->argp && p->group)
        write_commands(p->group, out);
    fputs(".SH EXIT STATUS\n"
          "0 after success, 1 if a file, a machine or a value is wrong,\n2 if the command "
          "line is, 70 after a bug of the program.\n",
          out);
    write_see_also(all, p, out);
}

void cli_man_list(const struct cli_group *program, const char *name, FILE *out)
{
    struct pages all = { .n = 0 };

    add_page(&all, name, name, NULL, program);
    collect_pages(&all, program, name, name);
    for (size_t i = 0; i < all.n; i++)
        fprintf(out, "%s\n", all.page[i].name);
    free_pages(&all);
}

int cli_man(const struct cli_group *program, const char *name, const char *page, FILE *out)
{
    struct pages all = { .n = 0 };
    const char *names[MAX_PAGES];
    int code = CLI_DONE;
    size_t i = 0;

    add_page(&all, name, name, NULL, program);
    collect_pages(&all, program, name, name);
    for (size_t k = 0; k < all.n; k++)
        names[k] = all.page[k].name;
    while (i < all.n && strcmp(page, names[i]) != 0)
        i++;
    if (i < all.n)
        write_page(&all, &all.page[i], out);
    else
        code = cli_unknown(name, "page", page, names, (unsigned)all.n);
    free_pages(&all);
    return code;
}
