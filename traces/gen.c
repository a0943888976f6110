#include "gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "workloads.h"

const struct gen_workload *const gen_workloads[] = { &gan3d_workload, &exatrkx_workload,
                                                     &mlpf_workload, &fc_workload };
const size_t gen_n_workloads = sizeof gen_workloads / sizeof *gen_workloads;

static int fail_unknown(struct err *err, const char *what, const char *name,
                        const char *const *names, size_t n)
{
    const char *near = err_nearest(name, names, (unsigned)n);
    char all[256] = "";

    if (near)
        return err_set(err, ERR_UNKNOWN, "unknown %s '%.64s'; did you mean '%s'?", what, name,
                       near);
    for (size_t i = 0, at = 0; i < n && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", names[i]);
    return err_set(err, ERR_UNKNOWN, "unknown %s '%.64s'; there are %s", what, name, all);
}

const struct gen_workload *gen_find(const char *name)
{
    for (size_t i = 0; i < gen_n_workloads; i++)
        if (strcmp(name, gen_workloads[i]->name) == 0)
            return gen_workloads[i];
    return NULL;
}

size_t gen_param_index(const struct gen_workload *w, const char *key)
{
    size_t i = 0;

    while (i < w->n_params && strcmp(key, w->params[i].key) != 0)
        i++;
    return i;
}

static int fail_workload(const char *name, struct err *err)
{
    const char *names[sizeof gen_workloads / sizeof *gen_workloads];

    for (size_t i = 0; i < gen_n_workloads; i++)
        names[i] = gen_workloads[i]->name;
    return fail_unknown(err, "workload", name, names, gen_n_workloads);
}

static int set_choice(const struct gen_param *p, const char *text, uint64_t *value, struct err *err)
{
    size_t n = 0;

    for (; p->choice[n]; n++)
        if (strcmp(text, p->choice[n]) == 0) {
            *value = n;
            return 0;
        }
    return fail_unknown(err, p->key, text, p->choice, n);
}

int gen_set(const struct gen_workload *w, const char *set, uint64_t *value, struct err *err)
{
    const char *names[GEN_MAX_PARAMS], *eq = strchr(set, '=');
    char key[64];
    size_t i;

    if (!eq || eq == set || (size_t)(eq - set) >= sizeof key)
        return err_set(err, ERR_FORMAT, "%s: '%.64s': expected key=value, such as %s=%" PRIu64,
                       w->name, set, w->params[0].key, w->params[0].def);
    memcpy(key, set, (size_t)(eq - set));
    key[eq - set] = '\0';
    i = gen_param_index(w, key);
    if (i == w->n_params) {
        for (i = 0; i < w->n_params; i++)
            names[i] = w->params[i].key;
        fail_unknown(err, "parameter", key, names, w->n_params);
        return err_at(err, "%s", w->name);
    }

    const struct gen_param *p = &w->params[i];
    const char *text = eq + 1;
    if (p->choice)
        return set_choice(p, text, &value[i], err) == 0 ? 0 : err_at(err, "%s", w->name);
    if (!*text || text[strspn(text, "0123456789")] != '\0')
        return err_set(err, ERR_FORMAT, "%s: %s = '%.64s': expected a whole number", w->name, key,
                       text);
    errno = 0;
    unsigned long long v = strtoull(text, NULL, 10);
    if (errno != 0 || v < p->min || v > p->max)
        return err_set(err, ERR_RANGE, "%s: %s = %.64s: outside [%" PRIu64 ", %" PRIu64 "]",
                       w->name, key, text, p->min, p->max);
    value[i] = v;
    return 0;
}

int gen_write(const char *name, const char *const *set, size_t n_set, FILE *out, struct err *err)
{
    const struct gen_workload *w = gen_find(name);
    uint64_t value[GEN_MAX_PARAMS];

    if (!w)
        return fail_workload(name, err);
    BUG_ON(w->n_params > GEN_MAX_PARAMS);
    for (size_t i = 0; i < w->n_params; i++)
        value[i] = w->params[i].def;
    if (param_once(set, n_set, err) != 0)
        return err_at(err, "%s", w->name);
    for (size_t i = 0; i < n_set; i++)
        if (gen_set(w, set[i], value, err) != 0)
            return -1;
    if (w->check && w->check(value, err) != 0)
        return -1;
    w->write(value, out);
    if (fflush(out) != 0 || ferror(out))
        return err_set(err, ERR_IO, "%s: cannot write the trace: %s", name, strerror(errno));
    return 0;
}
