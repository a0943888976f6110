/* Every kind of operation is complete: it has a row in `cyclotron op` and one in the documents, or
 * is known to need none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/op/op_kind.h"
#include "trace/kind/other_name.h"
#include "trace/trace.h"

static bool is_op(enum trace_kind kind)
{
    for (size_t g = 0; g < op_n_groups; g++)
        for (size_t i = 0; i < op_groups[g]->n; i++)
            if (strcmp(op_groups[g]->kind[i].trace, trace_kind_name[kind]) == 0)
                return true;
    return false;
}

Test(op_kinds, every_kind_of_a_trace_can_be_run_alone_or_belongs_to_a_step)
{
    /* these exist only between other operations of a step, or on the host around it */
    static const enum trace_kind parts[] = { TRACE_SEND,    TRACE_LAUNCH,  TRACE_LOAD,
                                             TRACE_COMPILE, TRACE_RESTART, TRACE_KERNEL,
                                             TRACE_RETURN,  TRACE_UNKNOWN };

    for (enum trace_kind k = 0; k < TRACE_N_KINDS; k++) {
        bool part = false;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            part = part || parts[i] == k;
        cr_expect_neq(part && k != TRACE_UNKNOWN, is_op(k),
                      "%s: a row of model/study/op/op_*.c, or of this list", trace_kind_name[k]);
    }
}

Test(op_kinds, every_row_is_a_kind_of_a_trace)
{
    for (size_t g = 0; g < op_n_groups; g++)
        for (size_t i = 0; i < op_groups[g]->n; i++) {
            const struct op_kind *kind = &op_groups[g]->kind[i];
            enum trace_kind k = 0;
            while (k < TRACE_N_KINDS && strcmp(kind->trace, trace_kind_name[k]) != 0)
                k++;
            cr_expect_lt(k, TRACE_N_KINDS, "%s is '%s' in a trace", kind->name, kind->trace);
        }
}

Test(op_kinds, every_kind_is_in_the_document_of_the_format)
{
    static char text[200000];
    FILE *file = fopen("docs/reference/trace-format.md", "r");
    char row[64];

    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    cr_assert(feof(file));
    fclose(file);
    for (enum trace_kind k = 0; k < TRACE_UNKNOWN; k++) {
        /* a send is only ever a start and a done */
        snprintf(row, sizeof row, "`%s%s`", trace_kind_name[k], k == TRACE_SEND ? "-start" : "");
        cr_expect(strstr(text, row), "docs/reference/trace-format.md has no %s", row);
    }
}

static bool is_kind(const char *name)
{
    for (enum trace_kind k = 0; k < TRACE_N_KINDS; k++)
        if (strcmp(trace_kind_name[k], name) == 0)
            return true;
    return false;
}

Test(op_kinds, every_operation_that_runs_alone_is_a_kind_or_is_explained)
{
    for (size_t g = 0; g < op_n_groups; g++)
        for (size_t i = 0; i < op_groups[g]->n; i++) {
            const char *name = op_groups[g]->kind[i].name;
            cr_expect_neq(is_kind(name), other_name_find(name) != NULL,
                          "%s: a kind, or a row of model/trace/kind/other_name.c", name);
        }
    /* and every function of element-wise operations but `add`, `select` and `convert` runs alone */
    for (enum trace_fn f = TRACE_FN_DIVIDE; f < TRACE_N_FNS; f++) {
        struct err err;
        cr_expect_not_null(op_kind_find(trace_fn_name[f], &err), "%s", trace_fn_name[f]);
    }
}

Test(op_kinds, no_name_is_explained_twice)
{
    const char *names, *write;
    char name[64];

    for (unsigned i = 0; other_name_row(i, &names, &write); i++)
        for (const char *at = names; *at; at += strlen(name) + (at[strlen(name)] == ' ')) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
            cr_expect_str_eq(other_name_find(name), write, "%s", name);
        }
}

/* "| `a` `b` | text |": each name of the table finds the text. */
static void check_names(char *line)
{
    char *text = strstr(line, " | ") + 3, *end = strstr(text, " |");

    *end = text[-3] = '\0';
    for (char *name = strtok(line, "`| "); name; name = strtok(NULL, "`| ")) {
        const char *write = other_name_find(name);
        cr_expect(write && strcmp(write, text) == 0, "%s: %s", name, text);
    }
}

/* The document has the most frequent ones, each as the program has it. */
Test(op_kinds, what_the_document_explains_is_what_the_program_says)
{
    FILE *file = fopen("docs/reference/trace-format.md", "r");
    char line[1024];
    unsigned rows = 0;
    bool on = false;

    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        on = line[0] == '#' ? strcmp(line, "## Other names\n") == 0 : on;
        if (!on || strncmp(line, "| `", 3) != 0)
            continue;
        check_names(line);
        rows++;
    }
    fclose(file);
    cr_expect_eq(rows, 5);
}
