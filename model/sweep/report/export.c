#include "sweep/report/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/plain.h"
#include "base/text_write.h"
#include "sweep/report/sweep_table.h"

static const char *const state_name[] = { "open", "done", "failed" };

/* --- csv ------------------------------------------------------------------------------------- */

struct csv {
    FILE *out;
    const struct sweep_table *table; /* for its columns */
};

static void print_cell(const struct csv *c, const struct store_row *row, size_t column)
{
    const char *name = c->table->column[column].name;

    putc(',', c->out);
    if (column < c->table->n_parameters) {
        for (size_t i = 0; i < row->n_parameters; i++)
            if (strcmp(row->parameter[i], name) == 0)
                text_csv_field(row->value[i], c->out);
        return;
    }
    for (size_t i = 0; i < row->n_figures; i++)
        if (strcmp(row->figure[i].name, name) == 0)
            plain_print(c->out, "%.17g", row->figure[i].value);
}

/* True if the step does not fit the memory of its machine. */
static bool is_beyond(const struct store_row *row)
{
    for (size_t i = 0; i < row->n_figures; i++)
        if (strcmp(row->figure[i].name, "memory.fits") == 0)
            return row->figure[i].value == 0;
    return false;
}

static int print_csv_row(void *self, const struct store_row *row, struct err *err)
{
    const struct csv *c = self;
    const char *error = row->error ? row->error : is_beyond(row) ? "does not fit" : "";

    (void)err;
    fprintf(c->out, "%zu,%s,", row->id, state_name[row->state]);
    text_csv_field(error, c->out);
    for (size_t i = 0; i < c->table->n_columns; i++)
        print_cell(c, row, i);
    putc('\n', c->out);
    return 0;
}

int export_csv(struct store *s, FILE *out, struct err *err)
{
    struct sweep_table t;

    if (sweep_table_read(&t, s, err) != 0)
        return -1;
    struct csv c = { out, &t };
    fputs("point,state,error", out);
    for (size_t i = 0; i < t.n_columns; i++) {
        putc(',', out);
        text_csv_field(t.column[i].name, out);
    }
    putc('\n', out);
    int rc = store_rows(s, false, print_csv_row, &c, err);
    sweep_table_free(&t);
    return rc;
}

/* --- json ------------------------------------------------------------------------------------ */

/* Newlines stand between values only: in strings they are escaped. */
static void print_on_one_line(const char *json, FILE *out)
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

static int print_json_row(void *self, const struct store_row *row, struct err *err)
{
    FILE *out = self;

    struct json_write w;

    (void)err;
    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINE);
    json_write_integer(&w, "point", row->id);
    json_write_string(&w, "state", state_name[row->state]);
    json_write_string(&w, "error", row->error);
    json_write_object(&w, "parameters", JSON_LAYOUT_LINE);
    for (size_t i = 0; i < row->n_parameters; i++)
        json_write_string(&w, row->parameter[i], row->value[i]);
    json_write_close(&w);
    print_on_one_line(row->json ? row->json : "null", json_write_value(&w, "result"));
    json_write_close(&w);
    putc('\n', out);
    return 0;
}

int export_json(struct store *s, FILE *out, struct err *err)
{
    return store_rows(s, true, print_json_row, out, err);
}
