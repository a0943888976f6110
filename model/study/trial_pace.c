#include "study/trial_pace.h"

#include <string.h>

#include "base/exact.h"
#include "base/param.h"
#include "machine/spec/spec.h"
#include "study/trial.h"

#define PART 20 /* a value is changed by a twentieth */
#define SECTION 32

/* The value "section.key" of a machine. */
struct place {
    const struct param_table *table;
    const struct param_desc *d;
    void *obj;
};

static struct place find_value(const struct machine_spec *m, const char *name)
{
    const char *dot = strchr(name, '.');
    char section[SECTION];

    BUG_ON(!dot || dot - name >= SECTION);
    memcpy(section, name, (size_t)(dot - name));
    section[dot - name] = '\0';
    int t = spec_table(section);
    BUG_ON(t < 0);
    struct place at = { spec_tables[t], param_find(spec_tables[t], dot + 1),
                        spec_object(m, (size_t)t) };
    BUG_ON(!at.d);
    return at;
}

/* Change the value up or down; false: it has no other.  *now: what it is then. */
static bool change_value(const struct place *at, uint64_t was, uint64_t *now)
{
    uint64_t by = was / PART ? was / PART : 1;
    struct err ignored;

    *now = was + by;
    if (param_set_amount(at->table, at->d, at->obj, *now, &ignored) == 0)
        return true;
    *now = was - by;
    return *now > 0 && param_set_amount(at->table, at->d, at->obj, *now, &ignored) == 0;
}

/* seconds = those of the step that the value moves; false: nobody can tell. */
static bool find_moved(mpq_t seconds, struct run_request q, struct machine_spec *m,
                       const char *name, struct run_result *r)
{
    struct place at = find_value(m, name);
    struct run_result other;
    uint64_t was, now;
    struct err ignored;

    if (!param_amount(at.d, at.obj, &was) || was == 0 || !change_value(&at, was, &now))
        return false;
    q.spec = m;
    q.brief = true;
    bool ran = trial_replay(q, r, &other);
    BUG_ON(param_set_amount(at.table, at.d, at.obj, was, &ignored) != 0);
    if (!ran)
        return false;
    EXACT_Q(change);
    exact_ratio(change, now > was ? now - was : was - now, was);
    mpq_sub(seconds, other.seconds_per_step, r->seconds_per_step);
    mpq_abs(seconds, seconds);
    mpq_div(seconds, seconds, change);
    run_result_free(&other);
    return true;
}

void trial_pace(const struct run_request *q, struct run_result *r)
{
    struct account *a = &r->account;
    struct machine_spec *m;
    struct err ignored;

    EXACT_Q(seconds);
    if (!account_is_open(a) || mpq_sgn(a->seconds[ACCOUNT_ASSUMPTIONS]) == 0 ||
        strcmp(q->trace, "-") == 0 || spec_load(&m, q->machine, q->set, q->n_set, &ignored) != 0)
        return;
    for (size_t i = 0; i < a->n_reasons; i++)
        if (a->reason[i].class == ACCOUNT_ASSUMPTIONS &&
            find_moved(seconds, *q, m, a->reason[i].why, r))
            account_move(a, a->reason[i].why, seconds);
    account_sort(a);
    spec_free(m);
}
