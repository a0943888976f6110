/* The account of a result, for result_visit.h. */
#include "base/exact.h"
#include "run/visit/result_visit.h"
#include "run/visit/visit_value.h"

static void visit_lines(const struct result_visitor *v, const char *name,
                        const struct account_line *line, size_t n)
{
    v->open(v->self, name, RESULT_ROWS);
    for (size_t i = 0; i < n; i++) {
        visit_group(v, NULL);
        if (*line[i].what)
            visit_text(v, "name", line[i].what);
        visit_text(v, "class", account_name[line[i].class]);
        if (*line[i].why)
            visit_text(v, "why", line[i].why);
        visit_integer(v, "count", "", line[i].count);
        visit_decimal(v, "seconds", "s", line[i].seconds, true);
        if (line[i].class == ACCOUNT_ASSUMPTIONS)
            visit_flag(v, "moved", line[i].moved);
        v->close(v->self);
    }
    v->close(v->self);
}

static void visit_sums(const struct result_visitor *v, const struct account *a)
{
    EXACT_Q(known);
    bool or_more = account_known(known, a);
    visit_decimal(v, "known", "ratio", known, true);
    account_modelled(known, a);
    visit_decimal(v, "modelled", "ratio", known, true);
    visit_flag(v, "at_least", a->at_least);
    visit_flag(v, "known_or_more", or_more);
    visit_decimal(v, "unread_of_recorded", "ratio", a->unread, true);
    visit_integer(v, "operations_of_any_time", "", a->could_count);
    visit_group(v, "seconds");
    for (int c = 0; c < N_ACCOUNT; c++)
        visit_decimal(v, account_name[c], "s", a->seconds[c], true);
    v->close(v->self);
    visit_group(v, "operations");
    for (int c = 0; c < N_ACCOUNT; c++)
        if (c != ACCOUNT_ASSUMPTIONS) /* it has seconds of those of others */
            visit_integer(v, account_name[c], "", a->count[c]);
    v->close(v->self);
}

void result_visit_account_sums(const struct result_visitor *v, const struct account *a)
{
    visit_group(v, "account");
    visit_sums(v, a);
    v->close(v->self);
}

void result_visit_account(const struct result_visitor *v, const struct account *a)
{
    visit_group(v, "account");
    visit_sums(v, a);
    visit_lines(v, "kinds", a->kind, a->n_kinds);
    visit_lines(v, "reasons", a->reason, a->n_reasons);
    visit_lines(v, "largest", a->largest, a->n_largest);
    v->close(v->self);
}
