/* diff_rows.h - the operations of two runs, paired by name and put together in groups.
 *
 * Two names are in one group if they are in one group in both runs.  Names that one run alone has
 * go with the others of their group: of 12 and of 24 layers l*.ffn the row is "l*.ffn x12 and x24".
 */
#ifndef REPORT_TEXT_DIFF_ROWS_H
#define REPORT_TEXT_DIFF_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diff_row {
    char *label;       /* a name, or the label of a group (run/job/layer_group.h) */
    const char *kind;  /* borrowed from the run */
    uint64_t names[2]; /* how many of them each run has */
    double seconds[2];
};

/* The rows of two runs that diff_check() has checked, over all phases, in the order of their kinds
 * and labels; *n of them.  With `ungroup` each name is a row.  Free them with diff_rows_free.
 * Cost: O(n log n). */
struct diff_row *diff_rows(json_t *const run[2], bool ungroup, size_t *n);
void diff_rows_free(struct diff_row *rows, size_t n);

#endif
