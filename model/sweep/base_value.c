#include "sweep/base_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost/proxy.h"

/* "64" of "batch=64" in the words after "gen:WORKLOAD"; NULL: not given. */
static const char *find_given(const struct plan_trace *t, const char *key)
{
    size_t length = strlen(key);

    for (size_t i = 0; i < t->set.n; i++)
        if (strncmp(t->set.word[i], key, length) == 0 && t->set.word[i][length] == '=')
            return t->set.word[i] + length + 1;
    return NULL;
}

static struct expr_value find_generated(const struct key *k, const struct plan_trace *t)
{
    const char *given = find_given(t, k->gen->key);

    if (given)
        return key_value(k, given);
    if (k->gen->choice)
        return key_value(k, k->gen->choice[k->gen->def]);
    return (struct expr_value){ NULL, (double)k->gen->def };
}

struct expr_value base_value(const struct key *k, const struct machine_spec *m,
                             const struct plan_trace *t, char *room)
{
    struct proxy_params proxy;

    switch (k->kind) {
    case KEY_PARAM:
        param_text(k->desc, spec_object(m, (size_t)spec_table(k->table->section)), room, KEY_TEXT);
        return key_value(k, room);
    case KEY_PROXY:
        param_defaults(&proxy_param_table, &proxy);
        param_text(k->desc, &proxy, room, KEY_TEXT);
        return key_value(k, room);
    case KEY_SHARD: return (struct expr_value){ NULL, 1 };
    case KEY_GEN: return find_generated(k, t);
    default: return (struct expr_value){ NULL, NAN };
    }
}

/* True if a value of an axis is the one that stands without it. */
static bool is_base(const struct plan *p, const struct axis *a, const char *value,
                    const struct machine_spec *m)
{
    char room[KEY_TEXT];

    if (a->key.kind == KEY_MACHINE || a->key.kind == KEY_TRACE)
        return strcmp(value, a->value[0]) == 0;
    struct expr_value base = base_value(&a->key, m, &p->trace[0], room),
                      here = key_value(&a->key, value);
    return base.text && here.text ? strcmp(base.text, here.text) == 0 : base.number == here.number;
}

bool base_value_point(const struct plan *p, size_t *point)
{
    const char *machine = p->machines.n ? p->machines.word[0] : NULL;
    struct machine_spec *m;
    struct err ignored;

    for (size_t a = 0; a < p->n_axes; a++)
        if (p->axis[a].key.kind == KEY_MACHINE)
            machine = p->axis[a].value[0];
    if (!machine ||
        spec_load(&m, machine, (const char *const *)p->set.word, p->set.n, &ignored) != 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < p->n_points && !found; i++) {
        found = true;
        for (size_t a = 0; a < p->n_axes && found; a++)
            found = is_base(p, &p->axis[a], p->point[i][a], m);
        *point = i;
    }
    spec_free(m);
    return found;
}
