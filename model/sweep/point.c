#include "sweep/point.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/param.h"
#include "cost/proxy.h"
#include "passes/shard/shard.h"
#include "run/job/input.h"
#include "run/result/price.h"
#include "run/visit/result_visit.h"

static void add_figure(struct point_outcome *o, const char *name, double value)
{
    MEMORY_GROW(o->figure, o->n_figures + 1, o->cap_figures);
    o->figure[o->n_figures++] = (struct point_figure){ memory_copy(name), value };
}

/* Each number of the result that is known, outside its lists. */
static void add_number(void *self, const char *path, const struct result_value *v)
{
    if (v->known && v->kind != RESULT_TEXT && v->kind != RESULT_CHECKSUM)
        add_figure(self, path, result_double(v));
}

static void print_result(struct point_outcome *o, const struct run_result *r, point_print *print)
{
    struct memory_text t;

    memory_text_begin(&t);
    print(r, t.out);
    o->json = memory_text_end(&t);
    o->json_size = t.size;
}

/* The settings of a point, of one kind: those that the plan gives, then the values of the axes.  An
 * axis replaces what the plan gives of its parameter, which is the value of the baseline. */
static char **list_settings(const struct plan *p, size_t i, enum key_kind kind,
                            const struct plan_words *given, size_t *n)
{
    char **set = memory_zeroed(given->n + p->n_axes, sizeof *set), **of_axis = set + given->n;
    size_t n_axes = 0;

    for (size_t a = 0; a < p->n_axes; a++) {
        const struct axis *x = &p->axis[a];
        if (x->key.kind != kind)
            continue;
        const char *name = kind == KEY_GEN ? x->key.gen->key : x->name;
        of_axis[n_axes++] = memory_format("%s=%s", name, p->point[i][a]);
    }
    *n = 0;
    for (size_t k = 0; k < given->n; k++) {
        size_t a = 0;
        while (a < n_axes && !param_same_key(of_axis[a], given->word[k]))
            a++;
        if (a == n_axes)
            set[(*n)++] = memory_copy(given->word[k]);
    }
    for (size_t a = 0; a < n_axes; a++)
        set[(*n)++] = of_axis[a];
    return set;
}

static void free_settings(char **set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(set[i]);
    free(set);
}

static int read_proxy_params(const struct plan *p, size_t i, struct proxy_params *params,
                             struct err *err)
{
    size_t n;
    char **set = list_settings(p, i, KEY_PROXY, &p->proxy, &n);
    int rc = 0;

    param_defaults(&proxy_param_table, params);
    for (size_t k = 0; k < n && rc == 0; k++)
        rc = proxy_set(params, set[k], err);
    free_settings(set, n);
    return rc;
}

static void drop_machine(struct point_kept *k)
{
    spec_free(k->as_is);
    free(k->machine);
    k->as_is = NULL;
    k->machine = NULL;
}

/* The machine of that name as it stands, NULL if it is not sound; a file is read anew. */
static const struct machine_spec *keep_machine(struct point_kept *k, const char *name)
{
    struct err ignored;

    if (k->machine && !catalog_is_path(name) && strcmp(k->machine, name) == 0)
        return k->as_is;
    drop_machine(k);
    k->machine = memory_copy(name);
    if (spec_load(&k->as_is, name, NULL, 0, &ignored) != 0)
        k->as_is = NULL;
    return k->as_is;
}

/* Add the estimated cost of a machine of TensorCores, and of a step on it. */
static void add_proxies(struct point_outcome *o, const struct machine_spec *m, const char *machine,
                        const struct proxy_params *params, struct point_kept *k)
{
    const struct run_result *r = &k->result;
    struct proxy x;

    if (!proxy_knows(m))
        return;
    proxy_of(params, m, keep_machine(k, machine), &x);
    add_figure(o, "proxy.die_mm2", x.die_mm2);
    add_figure(o, "proxy.over_reticle", x.over_reticle);
    add_figure(o, "proxy.hardware_usd", x.hardware_usd);
    if (x.has_rent) {
        double second = x.usd_per_hour / 3600;
        add_figure(o, "proxy.usd_per_hour", x.usd_per_hour);
        add_figure(o, "proxy.usd_per_step", second * mpq_get_d(r->seconds_per_step));
        if (!r->samples_unknown)
            add_figure(o, "proxy.samples_per_usd", mpq_get_d(r->samples_per_second) / second);
        if (r->has_epoch)
            add_figure(o, "proxy.usd_per_epoch", second * mpq_get_d(r->seconds_per_epoch));
    }
}

/* The text of a generated trace, and what to call it: "gen:3dgan batch=64". */
static int generate_trace(const struct plan *p, size_t i, const struct plan_trace *t,
                          struct run_request *q, char **name, char **text, struct err *err)
{
    size_t n;
    char **set = list_settings(p, i, KEY_GEN, &t->set, &n);
    struct memory_text m;

    memory_text_begin(&m);
    fprintf(m.out, "gen:%s", t->gen->name);
    for (size_t k = 0; k < n; k++)
        fprintf(m.out, " %s", set[k]);
    *name = memory_text_end(&m);
    memory_text_begin(&m);
    int rc = gen_write(t->gen->name, (const char *const *)set, n, m.out, err);
    *text = memory_text_end(&m);
    q->text_size = m.size;
    free_settings(set, n);
    q->trace = *name;
    q->text = *text;
    return rc;
}

#define MAX_PARTS 65536 /* of a step; no slice has more cores */

/* Read how the point cuts its step; all 1: it does not. */
static int read_shard_plan(const struct plan *p, size_t i, struct shard_plan *s, struct err *err)
{
    uint64_t *const part[] = { &s->data, &s->model, &s->edges };

    *s = (struct shard_plan){ .data = 1, .model = 1, .edges = 1 };
    for (size_t a = 0; a < p->n_axes; a++) {
        const struct key *k = &p->axis[a].key;
        if (k->kind != KEY_SHARD)
            continue;
        double n = key_value(k, p->point[i][a]).number;
        if (!(n >= 1 && n <= MAX_PARTS))
            return err_set(err, ERR_RANGE, "%s = %s: outside [1, %d]", p->axis[a].name,
                           p->point[i][a], MAX_PARTS);
        *part[k->shard] = (uint64_t)n;
    }
    if (s->model > 1 && s->edges > 1)
        return err_set(err, ERR_RANGE, "shard.model and shard.edges: one of them must be 1");
    return 0;
}

/* True if an axis says for how many cores a workload is generated. */
static bool has_cores_axis(const struct plan *p)
{
    for (size_t a = 0; a < p->n_axes; a++)
        if (p->axis[a].key.kind == KEY_GEN && strcmp(p->axis[a].key.gen->key, "cores") == 0)
            return true;
    return false;
}

/* Cut the step of `q` over cores; its text takes the place of the file's or of *text. */
static int cut_step(const struct plan *p, size_t i, struct run_request *q, char **text,
                    struct err *err)
{
    struct shard_plan s;
    struct memory_text m;
    struct trace *t;

    if (read_shard_plan(p, i, &s, err) != 0)
        return -1;
    if (s.data * s.model * s.edges == 1)
        return 0;
    if (input_trace(&t, q, err) != 0)
        return -1;
    memory_text_begin(&m);
    int rc = shard_write(t, &s, m.out, err);
    trace_close(t);
    free(*text);
    *text = memory_text_end(&m);
    q->text = *text;
    q->text_size = m.size;
    return rc;
}

bool point_is_timed(const struct axis *x)
{
    return x->key.kind != KEY_PROXY &&
           !(x->key.kind == KEY_PARAM && price_decides(x->key.table->section));
}

char *point_replay(const struct plan *p, size_t i)
{
    struct memory_text t;

    memory_text_begin(&t);
    for (size_t a = 0; a < p->n_axes; a++)
        if (point_is_timed(&p->axis[a]))
            fprintf(t.out, "%s=%s\n", p->axis[a].name, p->point[i][a]);
    return memory_text_end(&t);
}

static void drop_replay(struct point_kept *k)
{
    if (k->replay)
        run_result_free(&k->result);
    free(k->replay);
    k->replay = NULL;
}

void point_kept_free(struct point_kept *k)
{
    drop_replay(k);
    drop_machine(k);
}

/* Replay point `i` on its machine `m`, `brief` as in its request; `k` keeps the result in place of
 * what it has. */
static int replay_point(const struct plan *p, size_t i, const struct machine_spec *m, bool brief,
                        struct point_kept *k, struct err *err)
{
    const struct plan_trace *t = plan_trace(p, i);
    struct run_request q = { .trace = t->text,
                             .machine = plan_machine(p, i),
                             .spec = m,
                             .steps = p->steps,
                             .exact = p->exact,
                             .allow_unknown = p->allow_unknown,
                             .retile = p->retile,
                             .brief = brief,
                             .allow = p->allow,
                             .as_written = has_cores_axis(p) };
    char *name = NULL, *text = NULL;
    int rc = 0;

    drop_replay(k);
    if (t->gen)
        rc = generate_trace(p, i, t, &q, &name, &text, err);
    if (rc == 0)
        rc = cut_step(p, i, &q, &text, err);
    if (rc == 0)
        rc = run_replay(&q, &k->result, err);
    if (rc == 0)
        k->replay = point_replay(p, i);
    free(name);
    free(text);
    return rc;
}

/* True if `k` has the result of the replay that point `i` needs. */
static bool is_kept(const struct plan *p, size_t i, const struct point_kept *k)
{
    char *replay = point_replay(p, i);
    bool kept = k->replay && strcmp(k->replay, replay) == 0;

    free(replay);
    return kept;
}

void point_run(const struct plan *p, size_t i, point_print *print, struct point_kept *k,
               struct point_outcome *o)
{
    struct machine_spec *m = NULL;
    struct proxy_params proxy;
    struct err err;
    size_t n_set;
    char **set = list_settings(p, i, KEY_PARAM, &p->set, &n_set);

    *o = (struct point_outcome){ 0 };
    int rc = read_proxy_params(p, i, &proxy, &err);
    if (rc == 0)
        rc = spec_load(&m, plan_machine(p, i), (const char *const *)set, n_set, &err);
    if (rc == 0)
        rc = is_kept(p, i, k) ? price_again(m, &k->result, &err)
                              : replay_point(p, i, m, false, k, &err);
    o->done = rc == 0;
    if (o->done) {
        o->trace_checksum = k->result.trace_checksum;
        o->machine_checksum = k->result.machine_checksum;
        print_result(o, &k->result, print);
        result_visit_paths(&k->result, add_number, o);
        add_proxies(o, m, plan_machine(p, i), &proxy, k);
    } else {
        o->error = memory_copy(err.msg);
        o->code = err.code;
    }
    spec_free(m);
    free_settings(set, n_set);
}

double point_seconds(const struct plan *p, size_t i)
{
    struct point_kept k = { 0 };
    struct machine_spec *m = NULL;
    struct err ignored;
    double seconds = NAN;
    size_t n_set;
    char **set = list_settings(p, i, KEY_PARAM, &p->set, &n_set);

    if (spec_load(&m, plan_machine(p, i), (const char *const *)set, n_set, &ignored) == 0 &&
        replay_point(p, i, m, true, &k, &ignored) == 0)
        seconds = mpq_get_d(k.result.seconds_per_step);
    point_kept_free(&k);
    spec_free(m);
    free_settings(set, n_set);
    return seconds;
}

void point_outcome_free(struct point_outcome *o)
{
    for (size_t i = 0; i < o->n_figures; i++)
        free(o->figure[i].name);
    free(o->figure);
    free(o->json);
    free(o->error);
    *o = (struct point_outcome){ 0 };
}
