#include "analysis/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep_table.h"
#include "report/write.h"

static const char *const state_name[] = { "open", "done", "failed" };

/* --- csv ------------------------------------------------------------------------------------- */

struct csv {
    FILE *out;
    const struct table *table; /* for its columns */
};

static void cell(const struct csv *c, const struct store_row *row, size_t column)
{
    const char *name = c->table->column[column].name;

    putc(',', c->out);
    if (column < c->table->n_parameters) {
        for (size_t i = 0; i < row->n_parameters; i++)
            if (strcmp(row->parameter[i], name) == 0)
                write_csv_string(row->value[i], c->out);
        return;
    }
    for (size_t i = 0; i < row->n_figures; i++)
        if (strcmp(row->figure[i].name, name) == 0)
            fprintf(c->out, "%.17g", row->figure[i].value);
}

static int csv_row(void *self, const struct store_row *row, struct err *err)
{
    const struct csv *c = self;

    (void)err;
    fprintf(c->out, "%zu,%s,", row->id, state_name[row->state]);
    write_csv_string(row->error ? row->error : "", c->out);
    for (size_t i = 0; i < c->table->n_columns; i++)
        cell(c, row, i);
    putc('\n', c->out);
    return 0;
}

int export_csv(struct store *s, FILE *out, struct err *err)
{
    struct table t;

    if (table_read(&t, s, err) != 0)
        return -1;
    struct csv c = { out, &t };
    fputs("point,state,error", out);
    for (size_t i = 0; i < t.n_columns; i++) {
        putc(',', out);
        write_csv_string(t.column[i].name, out);
    }
    putc('\n', out);
    int rc = store_rows(s, false, csv_row, &c, err);
    table_free(&t);
    return rc;
}

/* --- json ------------------------------------------------------------------------------------ */

/* Newlines stand between values only: in strings they are escaped. */
static void one_line(const char *json, FILE *out)
{
    for (; *json; json++) {
        if (*json != '\n') {
            putc(*json, out);
            continue;
        }
        while (json[1] == ' ')
            json++;
    }
}

static int json_row(void *self, const struct store_row *row, struct err *err)
{
    FILE *out = self;

    (void)err;
    fprintf(out, "{\"point\": %zu, \"state\": \"%s\", \"error\": ", row->id,
            state_name[row->state]);
    if (row->error)
        write_json_string(row->error, out);
    else
        fputs("null", out);
    fputs(", \"parameters\": {", out);
    for (size_t i = 0; i < row->n_parameters; i++) {
        fputs(i ? ", " : "", out);
        write_json_string(row->parameter[i], out);
        fputs(": ", out);
        write_json_string(row->value[i], out);
    }
    fputs("}, \"result\": ", out);
    one_line(row->json ? row->json : "null", out);
    fputs("}\n", out);
    return 0;
}

int export_json(struct store *s, FILE *out, struct err *err)
{
    return store_rows(s, true, json_row, out, err);
}
