#include "sweep/report/goal.h"

#include <math.h>
#include <string.h>

int goal_parse(const struct sweep_table *t, const char *text, struct goal *g, struct err *err)
{
    g->most = strncmp(text, "max:", 4) == 0;
    bool least = strncmp(text, "min:", 4) == 0;
    return sweep_table_column(t, text + (g->most || least ? 4 : 0), &g->column, err);
}

bool goal_better(const struct goal *g, double a, double b)
{
    if (isnan(a) || isnan(b))
        return !isnan(a);
    return g->most ? a > b : a < b;
}
