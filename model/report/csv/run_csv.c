/* The operations of a replay as CSV: the values of a row (run/visit/result_visit.h) but for those
 * that follow from others, and the first advice. */
#include <stdio.h> /* first: gmp.h declares mpz_out_str only if it knows FILE */

#include <string.h>

#include "base/text_write.h"
#include "report/run_report.h"
#include "run/visit/result_visit.h"

#define DIGITS 17 /* of a decimal: as many as tell all doubles apart */

struct csv_line {
    FILE *out;
    bool begun;
};

/* `every` is not shown; shares of the ledger follow from its slots; what an operation rests on
 * stands behind the others, in every line. */
static bool is_column(const char *path)
{
    static const char waste[] = RUN_LEDGER_KEY "_waste.";
    static const char *const others[] = { "every", "rests_on", "why" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(path, others[i]) == 0)
            return false;
    return strncmp(path, waste, sizeof waste - 1) != 0;
}

static void separate_fields(struct csv_line *l)
{
    if (l->begun)
        putc(',', l->out);
    l->begun = true;
}

static void write_name(void *self, const char *path, const struct result_value *v)
{
    struct csv_line *l = self;

    (void)v;
    if (!is_column(path))
        return;
    separate_fields(l);
    fputs(path, l->out);
}

static void write_field(void *self, const char *path, const struct result_value *v)
{
    struct csv_line *l = self;

    if (!is_column(path))
        return;
    separate_fields(l);
    if (!v->known)
        return;
    switch (v->kind) {
    case RESULT_TEXT: text_csv_field(v->text, l->out); break;
    case RESULT_INTEGER: fprintf(l->out, "%llu", (unsigned long long)v->integer); break;
    case RESULT_WHOLE: mpz_out_str(l->out, 10, v->whole); break;
    case RESULT_DECIMAL: text_decimal(v->decimal, DIGITS, l->out); break;
    default: BUG_ON(true);
    }
}

void report_csv(const struct run_result *r, FILE *out)
{
    struct csv_line head = { .out = out };
    struct run_row none;

    run_row_init(&none, r->causes, "", "", "");
    if (r->n_ops && r->ops[0].padding) /* all of them have the columns, or none */
        none.padding = "";
    none.compiled = r->n_ops && r->ops[0].compiled;
    result_visit_row_paths(&none, write_name, &head);
    run_row_clear(&none);
    fputs(",rests_on,why,assumed_seconds,advice\n", out);
    for (size_t i = 0; i < r->n_ops; i++) {
        const struct run_row *op = &r->ops[i];
        struct csv_line line = { .out = out };
        result_visit_row_paths(op, write_field, &line);
        fprintf(out, ",%s,", account_name[op->rests]);
        text_csv_field(op->why, out);
        putc(',', out);
        text_decimal(op->assumed, DIGITS, out);
        putc(',', out);
        text_csv_field(op->n_advice ? op->advice[0] : "", out);
        putc('\n', out);
    }
}
