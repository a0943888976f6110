/* outside.c - see outside.h. */
#include "run/result/outside.h"

#include <string.h>

#include "base/exact.h"

static const struct {
    const char *column;
    enum cause cause;
} units[] = {
    { "utilization.host", CAUSE_HOST },           { "utilization.client", CAUSE_HOST },
    { "utilization.server_receive", CAUSE_HOST }, { "utilization.server_update", CAUSE_HOST },
    { "utilization.server_send", CAUSE_HOST },    { "utilization.storage", CAUSE_STORAGE },
    { "utilization.pcie", CAUSE_PCIE },           { "utilization.launch", CAUSE_LAUNCH },
};

enum cause outside_busiest(mpq_t q, const struct run_result *r, enum cause but)
{
    enum cause cause = N_CAUSES;

    mpq_set_ui(q, 0, 1);
    for (size_t i = 0; i < r->n_figures; i++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            if (units[u].cause != but && r->figures[i].known &&
                strcmp(r->figures[i].column, units[u].column) == 0 &&
                mpq_cmp(r->figures[i].value, q) > 0) {
                mpq_set(q, r->figures[i].value);
                cause = units[u].cause;
            }
    return cause;
}

enum cause outside_pace(const struct run_result *r)
{
    EXACT_Q(q);
    enum cause cause = outside_busiest(q, r, N_CAUSES);

    return mpq_cmp_ui(q, OUTSIDE_PACE, 100) >= 0 ? cause : N_CAUSES;
}
