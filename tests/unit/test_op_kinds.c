/* Every kind of operation is complete: it has a row in `cyclotron op` and one in the documents, or
 * is known to need none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/op_kind.h"
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
                                             TRACE_COMPILE, TRACE_RESTART, TRACE_UNKNOWN };

    for (enum trace_kind k = 0; k < TRACE_N_KINDS; k++) {
        bool part = false;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            part = part || parts[i] == k;
        cr_expect_neq(part && k != TRACE_UNKNOWN, is_op(k),
                      "%s: a row of model/study/op_*.c, or of this list", trace_kind_name[k]);
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
    FILE *file = fopen("docs/trace-format.md", "r");
    char row[64];

    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    cr_assert(feof(file));
    fclose(file);
    for (enum trace_kind k = 0; k < TRACE_UNKNOWN; k++) {
        /* a send is only ever a start and a done */
        snprintf(row, sizeof row, "`%s%s`", trace_kind_name[k], k == TRACE_SEND ? "-start" : "");
        cr_expect(strstr(text, row), "docs/trace-format.md has no %s", row);
    }
}
