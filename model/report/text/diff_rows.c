#include "report/text/diff_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/job/layer_group.h"

/* An operation by its name and kind.  group[side] of a run that has no such name is NULL, or that
 * of names like it. */
struct named {
    const char *name, *kind, *group[2];
    bool there[2];
    double seconds[2];
};

/* An order in which NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_names(const void *x, const void *y)
{
    const struct named *a = x, *b = y;
    int order = strcmp(a->name, b->name);

    return order ? order : strcmp(a->kind, b->kind);
}

static int compare_groups(const struct named *a, const struct named *b)
{
    int order = strcmp(a->kind, b->kind);

    order = order ? order : compare_texts(a->group[0], b->group[0]);
    return order ? order : compare_texts(a->group[1], b->group[1]);
}

static int compare_named(const void *x, const void *y)
{
    int order = compare_groups(x, y);

    return order ? order : compare_names(x, y);
}

static const char *read_text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* Every row of both runs, in any order; *n of them. */
static struct named *list_rows(json_t *const run[2], bool ungroup, size_t *n)
{
    size_t all = json_array_size(json_object_get(run[0], "ops")) +
                 json_array_size(json_object_get(run[1], "ops"));
    struct named *list = memory_zeroed(all, sizeof *list);

    *n = 0;
    for (int side = 0; side < 2; side++) {
        const json_t *row;
        size_t i;
        json_array_foreach(json_object_get(run[side], "ops"), i, row)
        {
            struct named *x = &list[(*n)++];
            x->name = read_text(row, "name");
            x->kind = read_text(row, "kind");
            x->there[side] = true;
            x->group[side] = ungroup ? x->name : read_text(row, "group");
            x->seconds[side] = json_number_value(json_object_get(row, "seconds"));
        }
    }
    return list;
}

/* Add up rows of one name and kind, which stand together; returns how many are left. */
static size_t merge_names(struct named *list, size_t n)
{
    size_t left = 0;

    for (size_t i = 0; i < n; i++) {
        if (left == 0 || compare_names(&list[left - 1], &list[i]) != 0) {
            list[left++] = list[i];
            continue;
        }
        struct named *sum = &list[left - 1];
        for (int side = 0; side < 2; side++) {
            sum->seconds[side] += list[i].seconds[side];
            sum->there[side] |= list[i].there[side];
            sum->group[side] = sum->group[side] ? sum->group[side] : list[i].group[side];
        }
    }
    return left;
}

/* One name of each kind and pair of groups that both runs have: in the order of the kind,
 * of the group on one side and of that on the other. */
struct both {
    const struct named **name;
    size_t n;
    int side; /* whose group comes first */
};

static int compare_kind_group(const struct named *a, const struct named *b, int side)
{
    int order = strcmp(a->kind, b->kind);

    return order ? order : strcmp(a->group[side], b->group[side]);
}

static int compare_both(const void *x, const void *y, void *arg)
{
    const struct named *a = *(const struct named *const *)x, *b = *(const struct named *const *)y;
    int side = *(const int *)arg, order = compare_kind_group(a, b, side);

    return order ? order : strcmp(a->group[!side], b->group[!side]);
}

static void both_begin(struct both *both, const struct named *list, size_t n, int side)
{
    size_t left = 0;

    *both = (struct both){ .name = memory_zeroed(n, sizeof *both->name), .side = side };
    for (size_t i = 0; i < n; i++)
        if (list[i].there[0] && list[i].there[1])
            both->name[both->n++] = &list[i];
    qsort_r(both->name, both->n, sizeof *both->name, compare_both, &side);
    for (size_t i = 0; i < both->n; i++)
        if (left == 0 || compare_both(&both->name[left - 1], &both->name[i], &side) != 0)
            both->name[left++] = both->name[i];
    both->n = left;
}

/* Place i if it has the kind and the group of x, or NULL. */
static const struct named *take_place(const struct both *both, size_t i, const struct named *x)
{
    if (i >= both->n || compare_kind_group(both->name[i], x, both->side) != 0)
        return NULL;
    return both->name[i];
}

/* The first place that does not come before the kind and group of x and the group `other`. */
static size_t find_place(const struct both *both, const struct named *x, const char *other)
{
    size_t low = 0, high = both->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct named *m = both->name[middle];
        int order = compare_kind_group(m, x, both->side);
        order = order ? order : compare_texts(m->group[!both->side], other);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The group that x would be in on the other side: that of names which both runs have and which
 * share x's group.  Of several, the one with that label; NULL: none, or none is meant. */
static const char *find_partner(const struct both *both, const struct named *x)
{
    const char *own = x->group[both->side];
    const struct named *same = take_place(both, find_place(both, x, own), x);
    size_t first = find_place(both, x, NULL);

    if (same && strcmp(same->group[!both->side], own) == 0)
        return own;
    if (!take_place(both, first, x) || take_place(both, first + 1, x))
        return NULL;
    return both->name[first]->group[!both->side];
}

/* Put names that one run alone has beside the others of their group. */
static void adopt_names(struct named *list, size_t n)
{
    for (int side = 0; side < 2; side++) {
        struct both both;
        both_begin(&both, list, n, side);
        for (size_t i = 0; i < n; i++)
            if (!list[i].there[!side])
                list[i].group[!side] = find_partner(&both, &list[i]);
        free(both.name);
    }
}

static char *label_rows(const struct named *list, size_t n)
{
    const char **name = memory_zeroed(n, sizeof *name);

    for (size_t i = 0; i < n; i++)
        name[i] = list[i].name;
    char *label = layer_group_label(name, n);
    free(name);
    return label;
}

struct diff_row *diff_rows(json_t *const run[2], bool ungroup, size_t *n)
{
    size_t n_list;
    struct named *list = list_rows(run, ungroup, &n_list);

    qsort(list, n_list, sizeof *list, compare_names);
    n_list = merge_names(list, n_list);
    adopt_names(list, n_list);
    qsort(list, n_list, sizeof *list, compare_named);
    struct diff_row *rows = memory_zeroed(n_list, sizeof *rows);
    *n = 0;
    for (size_t i = 0, first = 0; i < n_list; i++) {
        if (i == 0 || compare_groups(&list[i - 1], &list[i]) != 0) {
            first = i;
            rows[(*n)++].kind = list[i].kind;
        }
        struct diff_row *row = &rows[*n - 1];
        for (int side = 0; side < 2; side++) {
            row->names[side] += list[i].there[side];
            row->seconds[side] += list[i].seconds[side];
        }
        if (i + 1 == n_list || compare_groups(&list[i], &list[i + 1]) != 0)
            row->label = label_rows(&list[first], i - first + 1);
    }
    free(list);
    return rows;
}

void diff_rows_free(struct diff_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(rows[i].label);
    free(rows);
}
