#include "cli/options/cli_complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/spec/catalog.h"

/* --- offers --------------------------------------------------------------------------------- */

static bool begins_as(const char *word, const char *typed)
{
    return strncmp(word, typed, strlen(typed)) == 0;
}

void cli_offer_word(struct cli_offer *o, const char *word, const char *doc)
{
    if (begins_as(word, o->typed))
        fprintf(o->out, "%s\t%s\n", word, doc ? doc : "");
}

/* Offer head + each word of "a|b|c"; `doc` NULL: none. */
static void offer_values(struct cli_offer *o, const char *head, const char *values, const char *doc)
{
    for (const char *p = values; *p; p += strspn(p, "|")) {
        size_t length = strcspn(p, "|");
        char *word = memory_format("%s%.*s", head, (int)length, p);
        cli_offer_word(o, word, doc);
        free(word);
        p += length;
    }
}

void cli_offer_key(struct cli_offer *o, const char *key, const char *values, const char *doc)
{
    char *head = memory_format("%s=", key);

    if (!begins_as(o->typed, head))
        cli_offer_word(o, head, doc);
    else if (values)
        offer_values(o, head, values, doc);
    free(head);
}

void cli_offer_choice(struct cli_offer *o, const char *key, const char *const *value, size_t n,
                      const char *doc)
{
    struct memory_text text;

    memory_text_begin(&text);
    for (size_t i = 0; i < n; i++)
        fprintf(text.out, "%s%s", i ? "|" : "", value[i]);
    char *values = memory_text_end(&text);
    cli_offer_key(o, key, values, doc);
    free(values);
}

/* The default as one word, "700MHz"; NULL if there is none. */
static char *copy_default(const struct param_desc *d)
{
    char *word = strcmp(d->def, "-") == 0 ? NULL : memory_copy(d->def), *to = word;

    for (const char *from = word; from && (*to = *from) != '\0'; from++)
        to += *from != ' ';
    return word;
}

void cli_offer_table(struct cli_offer *o, const char *head, const struct param_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct param_desc *d = &t->rows[i];
        char *key = memory_format("%s%s", head, d->name), *def = copy_default(d);
        cli_offer_key(o, key, d->kind == PARAM_ENUM ? d->unit : def, d->doc);
        free(key);
        free(def);
    }
}

void cli_offer_files(struct cli_offer *o, const char *endings)
{
    fprintf(o->out, "\t%s\n", endings);
}

/* --- values of options, and words by the name that help gives them ---------------------------- */

static void offer_machines(struct cli_offer *o)
{
    for (struct catalog_machine m = { 0 }; catalog_next(&m);) {
        char *doc = catalog_summary(m.name);
        cli_offer_word(o, m.name, doc);
        free(doc);
    }
    const char *box;
    for (size_t i = 0; (box = catalog_box(i)); i++) {
        char *doc = catalog_summary(box);
        cli_offer_word(o, box, doc);
        free(doc);
    }
    cli_offer_files(o, ".ini");
}

/* "section.name=" of every parameter. */
static void offer_params(struct cli_offer *o)
{
    for (size_t i = 0; i < spec_n_tables; i++) {
        char *head = memory_format("%s.", spec_tables[i]->section);
        cli_offer_table(o, head, spec_tables[i]);
        free(head);
    }
}

static bool is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncmp(name, wanted, length) == 0;
}

/* Offer the words of "text|json"; of one with a place to fill in, "lhs:N", what stands before it.
 */
static void offer_literal(struct cli_offer *o, const char *name, size_t length)
{
    for (const char *p = name; p < name + length; p++) {
        size_t fixed = 0;
        while (p + fixed < name + length && p[fixed] != '|' &&
               !(p[fixed] >= 'A' && p[fixed] <= 'Z'))
            fixed++;
        char *word = memory_copy_part(p, fixed);
        if (fixed > 0)
            cli_offer_word(o, word, NULL);
        free(word);
        while (p < name + length && *p != '|')
            p++;
    }
}

/* Offer what `name`, such as MACHINE, "text|json" or "A.json", stands for. */
static void offer_named(struct cli_offer *o, const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);

    if (is_name(name, length, "MACHINE")) {
        offer_machines(o);
    } else if (is_name(name, length, "KEY=VALUE") || is_name(name, length, "NAME=VALUES")) {
        offer_params(o);
    } else if (is_name(name, length, "TRACE")) {
        cli_offer_files(o, ".trace .zst");
    } else if (is_name(name, length, "DB")) {
        cli_offer_files(o, ".db");
    } else if (is_name(name, length, "FILE")) {
        cli_offer_files(o, "");
    } else if (dot) {
        char *ending = memory_copy_part(dot, length - (size_t)(dot - name));
        cli_offer_files(o, ending);
        free(ending);
    } else {
        offer_literal(o, name, length);
    }
}

/* The words that help lists last: "the step after a pass: load, narrow". */
static void offer_listed(struct cli_offer *o, const char *doc)
{
    const char *colon = strrchr(doc, ':');

    for (const char *p = colon ? colon + 1 : ""; *p;) {
        p += strspn(p, ", ");
        size_t length = strcspn(p, ",");
        char *word = memory_copy_part(p, length);
        cli_offer_word(o, word, NULL);
        free(word);
        p += length;
    }
}

/* The value of an option as it is typed, which may follow "--format=". */
static void offer_value(struct cli_offer *o, const struct argp_option *option, const char *head)
{
    struct cli_offer inner = { NULL, o->typed + strlen(head) };
    struct memory_text text;

    memory_text_begin(&text);
    inner.out = text.out;
    offer_named(&inner, option->arg, strlen(option->arg));
    if (strstr(option->arg, "PASS"))
        offer_listed(&inner, option->doc);
    char *lines = memory_text_end(&text);
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(o->out, "%s%s\n", *line == '\t' ? "" : head, line);
    free(lines);
}

/* The word after `n` others, by args_doc: "TRACE AXIS=N...", "csv|json|plan DB"; the last stands
 * for all that follow if it ends in dots. */
static void offer_by_doc(struct cli_offer *o, const char *doc, size_t n)
{
    while (doc && *doc) {
        doc += strspn(doc, " [");
        size_t length = strcspn(doc, " ]."), rest = strcspn(doc, " ");
        if (doc[length] == '.' && (doc[length + 1] >= 'a' && doc[length + 1] <= 'z'))
            length = strcspn(doc, " ]"); /* an ending, A.json */
        if (n == 0 || strncmp(doc + length, "...", 3) == 0) {
            offer_named(o, doc, length);
            return;
        }
        n--;
        doc += rest;
    }
}

/* --- command lines ---------------------------------------------------------------------------- */

static const struct argp_option *find_option(const struct argp *argp, const char *word,
                                             size_t length)
{
    for (const struct argp_option *o = argp->options; o->name || o->key; o++) {
        if (o->name && strlen(o->name) == length - 2 && strncmp(word, "--", 2) == 0 &&
            strncmp(word + 2, o->name, length - 2) == 0)
            return o;
        if (length == 2 && word[0] == '-' && word[1] == o->key)
            return o;
    }
    return NULL;
}

static void offer_options(struct cli_offer *o, const struct argp *argp)
{
    for (const struct argp_option *p = argp->options; p->name || p->key; p++) {
        char *word = memory_format("--%s", p->name ? p->name : "");
        if (p->name)
            cli_offer_word(o, word, p->doc);
        free(word);
    }
}

static void offer_commands(struct cli_offer *o, const struct cli_group *g)
{
    BUG_ON(!g);
    for (size_t i = 0; i < g->n; i++)
        cli_offer_word(o, g->command[i].name, g->command[i].doc);
}

/* Read the words of a command and offer for the last of them. */
static void complete_command(struct cli_offer *o, const struct cli_command *c,
                             const char *const *word, size_t n)
{
    struct cli_list plain = { 0 };
    const struct argp_option *open = NULL; /* its value comes next */
    const char *eq = strchr(o->typed, '=');

    for (size_t i = 0; i + 1 < n; i++) {
        if (open) {
            open = NULL;
        } else if (word[i][0] == '-' && word[i][1]) {
            open = find_option(c->argp, word[i], strlen(word[i]));
            open = open && open->arg ? open : NULL;
        } else {
            cli_list_add(&plain, word[i]);
        }
    }
    const struct argp_option *inside =
        eq && o->typed[0] == '-' ? find_option(c->argp, o->typed, (size_t)(eq - o->typed)) : NULL;
    if (open) {
        offer_value(o, open, "");
    } else if (inside && inside->arg) {
        char *head = memory_copy_part(o->typed, (size_t)(eq - o->typed) + 1);
        offer_value(o, inside, head);
        free(head);
    } else if (o->typed[0] == '-') {
        offer_options(o, c->argp);
    } else {
        if (c->words)
            c->words(plain.word, plain.n, o);
        else
            offer_by_doc(o, c->argp->args_doc, plain.n);
        if (plain.n == 0 && c->verbs)
            offer_commands(o, c->verbs);
    }
    cli_list_free(&plain);
}

void cli_complete(const struct cli_group *program, const char *const *word, size_t n, FILE *out)
{
    struct cli_offer o = { out, n > 0 ? word[n - 1] : "" };
    const struct cli_group *g = program;
    const struct cli_command *c = NULL;

    while (g && n > 1) {
        const struct cli_command *next = cli_find(g, word[0]);
        if (!next)
            break;
        c = next;
        g = c->verbs;
        word++;
        n--;
    }
    if (c && c->argp) {
        complete_command(&o, c, word, n);
        return;
    }
    if (n > 1 && !(n == 2 && strcmp(word[0], "help") == 0))
        return; /* no such command */
    offer_commands(&o, g);
    cli_offer_word(&o, "help", "the list of commands, or what one of them takes");
    cli_offer_word(&o, "--help", "the list of commands");
    if (g == program)
        cli_offer_word(&o, "--version", "the version of the program");
}
