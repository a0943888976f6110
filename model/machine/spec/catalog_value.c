/* Values of a machine by the key that names them, and where their sources stand. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/spec/catalog_impl.h"

void catalog_drop_prices(struct machine_spec *m, ptrdiff_t first, ptrdiff_t n)
{
    for (char **source = &m->source[spec_table("price")][first]; n-- > 0; source++) {
        free(*source);
        *source = NULL;
    }
}

static void *object_of(struct machine_spec *m, const struct catalog_key *k)
{
    return spec_object(m, (size_t)k->table);
}

size_t catalog_slot(struct machine_spec *m, const struct catalog_key *k)
{
    const struct param_table *t = spec_tables[k->table];
    uint32_t place;

    if (k->row)
        return (size_t)(k->row - t->rows);
    param_line(t, object_of(m, k), k->line, &place);
    return t->n_rows + place;
}

static void set_source(struct machine_spec *m, int table, size_t slot, const char *source)
{
    char **at = &m->source[table][slot];

    BUG_ON(slot >= SPEC_MAX_ROWS);
    free(*at);
    *at = memory_copy(source);
}

/* The line in `slot` is gone: sources of those behind it move up. */
static void drop_source(struct machine_spec *m, int table, size_t slot)
{
    char **at = m->source[table];

    free(at[slot]);
    memmove(&at[slot], &at[slot + 1], (SPEC_MAX_ROWS - slot - 1) * sizeof *at);
    at[SPEC_MAX_ROWS - 1] = NULL;
}

static int set_column(struct machine_spec *m, const struct catalog_key *k, const char *text,
                      struct err *err)
{
    const struct param_table *t = spec_tables[k->table], *columns = t->list->columns;
    uint32_t place;
    void *line = param_line(t, object_of(m, k), k->line, &place);

    if (!line)
        return err_set(err, ERR_UNKNOWN, "[%s] has no %s %.64s", t->section, columns->section,
                       k->line);
    return param_set(columns, k->column, line, text, err) == 0
               ? 0
               : err_at(err, "%s.%.64s", t->section, k->line);
}

static int set_line(struct machine_spec *m, const struct catalog_key *k, const char *text,
                    const char *source, struct err *err)
{
    size_t slot = catalog_slot(m, k), before = spec_lines(m, (size_t)k->table);

    if (k->column ? set_column(m, k, text, err) != 0
                  : param_set_line(spec_tables[k->table], object_of(m, k), k->line, text, err) != 0)
        return -1;
    if (spec_lines(m, (size_t)k->table) < before)
        drop_source(m, k->table, slot);
    else
        set_source(m, k->table, slot, source);
    return 0;
}

int catalog_set(struct machine_spec *m, const struct catalog_key *k, const char *text,
                const char *source, struct err *err)
{
    if (!k->row)
        return set_line(m, k, text, source, err);
    if (param_set(spec_tables[k->table], k->row, object_of(m, k), text, err) != 0)
        return -1;
    ptrdiff_t row = k->row - spec_tables[k->table]->rows;
    if (k->table == spec_table("slice"))
        catalog_drop_prices(
            m, 0, CATALOG_PRICES_OF_SLICE); /* another slice has none until it is given one */
    else if (k->table ==
             spec_table("price")) /* the last price given counts, of a slice or a chip */
        catalog_drop_prices(m, (row + CATALOG_PRICES_OF_SLICE) % (2 * CATALOG_PRICES_OF_SLICE), 1);
    set_source(m, k->table, (size_t)row, source);
    return 0;
}

char *catalog_text(struct machine_spec *m, const struct catalog_key *k, char *buf, size_t size)
{
    const struct param_table *t = spec_tables[k->table];
    uint32_t place;

    if (k->row)
        return param_text(k->row, object_of(m, k), buf, size);
    const void *line = param_line(t, object_of(m, k), k->line, &place);
    if (!line)
        return strcpy(buf, "none");
    return k->column ? param_text(k->column, line, buf, size)
                     : param_line_text(t->list, line, buf, size);
}

/* Another library: nothing of the one before it stays. */
void catalog_drop_library(struct machine_spec *m)
{
    for (size_t t = 0; t < spec_n_tables; t++) {
        if (!spec_in_library(t))
            continue;
        param_defaults(spec_tables[t], spec_object(m, t));
        for (size_t r = 0; r < SPEC_MAX_ROWS; r++) {
            free(m->source[t][r]);
            m->source[t][r] = NULL;
        }
    }
}
