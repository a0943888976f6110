/* hlo_stats.c - see hlo_stats.h. */
#include "profile/hlo_stats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "profile/source/profile_json.h"
#include "profile/source/profile_table.h"

#define COLUMN_NONE UINT32_MAX
#define US_TO_PS 6 /* decimal digits */

enum column {
    PROGRAM_ID,
    CATEGORY,
    NAME,
    TEXT,
    OCCURRENCES,
    TOTAL,
    FLOP_RATE,
    BANDWIDTH,
    SCOPE,
    CORE,
    PARENT,
    COLUMNS
};

static const struct {
    const char *id, *label;
} columns[COLUMNS] = {
    [PROGRAM_ID] = { "program_id", "Program id" },
    [CATEGORY] = { "category", "HLO op category" },
    [NAME] = { "hlo_op_name", "HLO op name" },
    [SCOPE] = { "tf_op_name", "Framework op name" },
    [TEXT] = { "hlo_op_expression", "HLO op text" },
    [OCCURRENCES] = { "occurrences", "#Occurrences" },
    [TOTAL] = { "total_time", "Total time (us)" },
    [FLOP_RATE] = { "model_flop_rate", "Model GFLOP/s" },
    [BANDWIDTH] = { "measured_memory_bw", "Measured memory BW (GiB/s)" },
    [CORE] = { "core_type", "TPU core type" },
    [PARENT] = { "parent_op_name", "Parent op name" },
};

/* A row as text, and where it stands. */
struct row {
    const char *cell[COLUMNS];
    const char *file, *unit; /* "line" or "row" */
    uint32_t number;
};

static int __attribute__((format(printf, 4, 5)))
report_row(const struct row *r, struct err *err, enum column c, const char *expected, ...)
{
    bool line = strcmp(r->unit, "line") == 0;
    char text[192];
    va_list args;

    va_start(args, expected);
    plain_text_list(text, sizeof text, expected, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%.160s:%s%u: %s = %.40s: %s", r->file, line ? "" : " row ",
                   r->number, columns[c].label, r->cell[c], text);
}

/* Spreadsheets put commas between thousands. */
static bool read_number(const char *text, int shift, uint64_t *value)
{
    char plain[64];
    size_t n = 0;

    for (; *text && n + 1 < sizeof plain; text++)
        if (*text != ',')
            plain[n++] = *text;
    plain[n] = '\0';
    return *text == '\0' && profile_table_number(plain, shift, value);
}

/* A rate per second times the time of an occurrence; 0 if the file does not say. */
static uint64_t find_amount(const char *rate, double unit, uint64_t total, uint64_t count)
{
    double amount = plain_read(rate, NULL) * unit * (double)total / (double)count * 1e-12;

    return amount > 0 && amount < 1e18 ? (uint64_t)(amount + 0.5) : 0;
}

static void set_text(char **to, const char *text)
{
    if ((*to)[0] != '\0' || text[0] == '\0')
        return;
    free(*to);
    *to = memory_copy(text);
}

/* SparseCores run beside the core, and idle time is no kernel. */
static bool is_foreign(const struct row *r)
{
    return plain_same(r->cell[CATEGORY], "idle") || r->cell[PARENT][0] != '\0' ||
           plain_same(r->cell[CORE], "sparsecore");
}

static int take_row(struct profile_build *b, const struct row *r, struct err *err)
{
    const char *name = r->cell[NAME] + (r->cell[NAME][0] == '%');
    uint64_t total, count;

    if (is_foreign(r))
        return 0;
    if (name[0] == '\0')
        return report_row(r, err, NAME, "a kernel without a name");
    if (!read_number(r->cell[TOTAL], US_TO_PS, &total) || total > (uint64_t)PROFILE_BUILD_PS_MAX)
        return report_row(r, err, TOTAL, "no number in [0, %" PRId64 "] us", PROFILE_BUILD_US_MAX);
    if (!read_number(r->cell[OCCURRENCES], 0, &count) || count == 0 ||
        count > PROFILE_BUILD_COUNT_MAX)
        return report_row(r, err, OCCURRENCES, "no whole number in [1, %" PRIu64 "]",
                          PROFILE_BUILD_COUNT_MAX);
    uint32_t program = profile_build_program(b, "", 0, strtoull(r->cell[PROGRAM_ID], NULL, 10));
    uint32_t i = profile_build_kernel(b, program, name, strlen(name), false);
    struct profile_kernel *k = &b->kernel[i];
    set_text(&k->category, r->cell[CATEGORY]);
    set_text(&k->scope, r->cell[SCOPE]);
    if (r->cell[TEXT][0] == '%')
        set_text(&k->text, r->cell[TEXT]);
    k->container = profile_build_holds(k->name, k->text, k->category) == PROFILE_HOLDS_ALL;
    if (!profile_build_add(k, count, total))
        return report_row(r, err, TOTAL,
                          "with this row %.80s has more than %" PRIu64 " occurrences or %" PRId64
                          " us",
                          name, PROFILE_BUILD_COUNT_MAX, PROFILE_BUILD_US_MAX);
    k->flops = find_amount(r->cell[FLOP_RATE], 1e9, total, count);
    k->bytes = find_amount(r->cell[BANDWIDTH], 1073741824.0, total, count);
    return 0;
}

/* The one of our columns that has this name. */
static enum column find_column(const char *name)
{
    for (int c = 0; c < COLUMNS; c++)
        if (plain_same(name, columns[c].id) || plain_same(name, columns[c].label))
            return (enum column)c;
    return COLUMNS;
}

static int check_columns(const uint32_t *at, const char *file, struct err *err)
{
    static const enum column needed[] = { NAME, OCCURRENCES, TOTAL };

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (at[needed[i]] == COLUMN_NONE)
            return err_set(err, ERR_FORMAT, "%.160s:1: no column \"%s\" (%s)", file,
                           columns[needed[i]].label, columns[needed[i]].id);
    return 0;
}

static bool match_word(const unsigned char *head, size_t n, enum column c)
{
    return memmem(head, n, columns[c].id, strlen(columns[c].id)) ||
           memmem(head, n, columns[c].label, strlen(columns[c].label));
}

bool hlo_stats_json_knows(const unsigned char *head, size_t n)
{
    static const char *const words[] = { "\"cols\"", "hlo_op_name", NULL };

    return profile_json_knows(head, n, words);
}

bool hlo_stats_csv_knows(const unsigned char *head, size_t n)
{
    const unsigned char *end = memchr(head, '\n', n);
    size_t line = end ? (size_t)(end - head) : n;

    for (size_t i = 0; i < line; i++)
        if (head[i] < 0x20 && head[i] != '\r' && head[i] != '\t')
            return false;
    return n > 0 && head[0] != '{' && head[0] != '[' && match_word(head, line, NAME) &&
           match_word(head, line, TOTAL);
}

static int read_csv(struct profile_build *b, struct profile_table *t, struct err *err)
{
    uint32_t at[COLUMNS];
    struct row r = { .file = profile_source_name(t->source), .unit = "line" };
    int rc = profile_table_next(t, err);

    if (rc < 0)
        return -1;
    memset(at, 0xff, sizeof at);
    for (uint32_t i = 0; i < t->n_cells; i++) {
        enum column c = find_column(profile_table_cell(t, i));
        if (c != COLUMNS)
            at[c] = i;
    }
    if (check_columns(at, r.file, err) != 0)
        return -1;
    while ((rc = profile_table_next(t, err)) > 0) {
        r.number = t->row_line;
        for (int c = 0; c < COLUMNS; c++)
            r.cell[c] = at[c] == COLUMN_NONE ? "" : profile_table_cell(t, at[c]);
        if (take_row(b, &r, err) != 0)
            return -1;
    }
    if (rc == 0 && b->n_kernels == 0)
        return profile_table_wrong(t, err, "no kernel in it");
    return rc;
}

int hlo_stats_csv_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    struct profile_table t;

    profile_table_begin(&t, s);
    int rc = read_csv(b, &t, err);
    profile_table_end(&t);
    return rc;
}

/* A cell of a table as text; a number is written with all of its digits. */
static const char *show_cell(const json_t *row, uint32_t at, char room[32])
{
    const json_t *cell = json_array_get(json_object_get(row, "c"), at);
    const json_t *v = json_object_get(cell, "v");

    if (json_is_real(v)) {
        plain_text(room, 32, "%.17g", json_real_value(v));
        return room;
    }
    return json_is_string(v) ? json_string_value(v) : "";
}

static int read_table(struct profile_build *b, const json_t *table, const char *file,
                      struct err *err)
{
    const json_t *cols = json_object_get(table, "cols"), *rows = json_object_get(table, "rows");
    struct row r = { .file = file, .unit = "row" };
    char room[COLUMNS][32];
    uint32_t at[COLUMNS];

    memset(at, 0xff, sizeof at);
    for (uint32_t i = 0; i < json_array_size(cols); i++) {
        enum column c = find_column(profile_json_text(json_array_get(cols, i), "id"));
        if (c != COLUMNS)
            at[c] = i;
    }
    if (check_columns(at, file, err) != 0)
        return -1;
    for (uint32_t i = 0; i < json_array_size(rows); i++) {
        r.number = i + 1;
        for (int c = 0; c < COLUMNS; c++)
            r.cell[c] =
                at[c] == COLUMN_NONE ? "" : show_cell(json_array_get(rows, i), at[c], room[c]);
        if (take_row(b, &r, err) != 0)
            return -1;
    }
    return b->n_kernels > 0 ? 0 : err_set(err, ERR_FORMAT, "%.160s:1: no kernel in it", file);
}

int hlo_stats_json_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    json_t *tree = profile_json_read(s, err);

    if (!tree)
        return -1;
    /* some versions put the table into a list */
    int rc = read_table(b, json_is_array(tree) ? json_array_get(tree, 0) : tree,
                        profile_source_name(s), err);
    json_decref(tree);
    return rc;
}
