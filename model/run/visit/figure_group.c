#include "run/visit/figure_group.h"

#include <string.h>

size_t figure_group_length(const char *column)
{
    const char *dot = strchr(column, '.');

    return dot ? (size_t)(dot - column) : 0;
}

bool figure_group_same(const char *a, const char *b)
{
    size_t length = figure_group_length(a);

    return length == figure_group_length(b) && strncmp(a, b, length) == 0;
}

bool figure_group_opens(const struct run_figure *figures, size_t i)
{
    size_t first = 0;

    while (!figure_group_same(figures[first].column, figures[i].column))
        first++;
    return first == i;
}
