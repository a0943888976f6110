/* sweep_table.h - the results of a sweep as a table: a row a point, a column a parameter or figure.
 */
#ifndef SWEEP_REPORT_SWEEP_TABLE_H
#define SWEEP_REPORT_SWEEP_TABLE_H

#include "sweep/store.h"

#define SWEEP_NO_ROW SIZE_MAX /* an index of no row */

struct column {
    char *name;            /* "mxu.count", "usd_per_epoch.on_demand" */
    const struct key *key; /* of a parameter; NULL: a figure */
};

/* A point that could not run, and the line that says why. */
struct failure {
    size_t id;
    char *error;
};

struct sweep_table {
    struct plan plan;      /* its axes, no points */
    struct column *column; /* parameters in the order of the axes, then figures by name */
    size_t n_columns, n_parameters;
    size_t n_rows;
    size_t *id;              /* of the point of each row */
    size_t baseline;         /* row of the machine and workload as they stand; SWEEP_NO_ROW: none */
    struct expr_value **row; /* row[i][c]; numbers in base units, NAN: unknown */
    char ***text;            /* text[i][c] of parameters, as in the plan */
    size_t **place; /* place[i][c]: where that text stands on its axis; 0 on one without values */
    struct failure *failure;
    size_t n_failures;
    struct store_count count;
};

/* Read all points that are done into rows, all that failed into failures.
 * Errors: of the store and of its plan; ERR_FORMAT for a point with a value that its axis has not.
 * O(points * (columns + axes * log values)). */
int sweep_table_read(struct sweep_table *t, struct store *s, struct err *err);
void sweep_table_free(struct sweep_table *t);

/* Set *c to the index of the column called `name`; false: there is none. */
bool sweep_table_find(const struct sweep_table *t, const char *name, size_t *c);
/* Index of the column called `name`.  Errors: ERR_UNKNOWN with the nearest. */
int sweep_table_column(const struct sweep_table *t, const char *name, size_t *c, struct err *err);

/* A condition over the columns.  Errors: of expr_parse. */
int sweep_table_condition(const struct sweep_table *t, const char *text, struct expr **e,
                          struct err *err);

/* False if the step does not fit the memory of its machine. */
bool sweep_table_fits(const struct sweep_table *t, size_t row);

/* Names of all columns, for messages; free the array, not the names. */
const char **sweep_table_names(const struct sweep_table *t);

#endif
