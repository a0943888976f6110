/* The points of a plan: axes, zips, samples, conditions. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/param.h"
#include "machine/spec/catalog_prices.h"
#include "sweep/base_value.h"
#include "sweep/sample.h"

#define ASKED_EACH 4096 /* combinations: some milliseconds */
#define MAX_NAMES (SPEC_N_TABLES * SPEC_MAX_ROWS + 64)

/* --- traces ---------------------------------------------------------------------------------- */

static const struct gen_workload *find_workload(const char *name, size_t length, struct err *err)
{
    const char *names[16];
    char word[64];
    unsigned n = 0;

    for (size_t i = 0; i < gen_n_workloads; i++) {
        BUG_ON(n == 16);
        names[n++] = gen_workloads[i]->name;
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return gen_workloads[i];
    }
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *near = err_nearest(word, names, n);
    err_set(err, ERR_UNKNOWN, "gen:%s: unknown workload%s%s%s", word,
            near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : " (`cyclotron trace gen --help` lists them)");
    return NULL;
}

/* "gen:3dgan batch=64 epoch=1000" */
static int add_trace(struct plan *p, const char *text, struct err *err)
{
    MEMORY_ADD(p->trace, p->n_traces);
    struct plan_trace *t = &p->trace[p->n_traces++];
    *t = (struct plan_trace){ .text = text };
    if (strcmp(text, "-") == 0)
        return err_set(err, ERR_FORMAT,
                       "standard input can be read once only: write the trace to a file");
    if (strncmp(text, "gen:", 4) != 0)
        return 0;
    const char *at = text + 4;
    size_t length = strcspn(at, " ");
    t->gen = find_workload(at, length, err);
    for (at += length; t->gen && *at; at += length) {
        at += strspn(at, " ");
        length = strcspn(at, " ");
        if (length)
            plan_words_add(&t->set, at, length);
    }
    return t->gen ? 0 : -1;
}

/* The workload whose parameters "gen." names: that of the first trace that is generated. */
static const struct gen_workload *find_generator(const struct plan *p)
{
    for (size_t i = 0; i < p->n_traces; i++)
        if (p->trace[i].gen)
            return p->trace[i].gen;
    return NULL;
}

/* --- axes ------------------------------------------------------------------------------------ */

static int add_axis(struct plan *p, const char *text, struct err *err)
{
    MEMORY_ADD(p->axis, p->n_axes);
    struct axis *a = &p->axis[p->n_axes++];
    if (axis_parse(a, text, find_generator(p), err) != 0)
        return err_at(err, "axis");
    for (size_t i = 0; i + 1 < p->n_axes; i++)
        if (strcmp(p->axis[i].name, a->name) == 0)
            return err_set(err, ERR_FORMAT, "axis %s is given twice", a->name);
    if (a->key.kind == KEY_TRACE)
        return err_set(err, ERR_FORMAT, "axis trace: name several traces instead");
    for (size_t i = 0; a->key.kind == KEY_GEN && i < p->n_traces; i++)
        if (p->trace[i].gen != find_generator(p))
            return err_set(err, ERR_FORMAT, "axis %s: %s has no such parameter", a->name,
                           p->trace[i].text);
    if (a->open && p->sampling == PLAN_GRID)
        return err_set(
            err, ERR_FORMAT,
            "axis %s: a range without steps needs --sample; write LOW:HIGH:STEP for a grid",
            a->name);
    return 0;
}

/* Several machines or traces are an axis. */
static void add_words_axis(struct plan *p, const char *name, const struct plan_words *w)
{
    if (w->n < 2)
        return;
    MEMORY_ADD(p->axis, p->n_axes);
    axis_words(&p->axis[p->n_axes++], name, (const char *const *)w->word, w->n);
}

static int find_axis(const struct plan *p, const char *name, size_t length, size_t *at,
                     struct err *err)
{
    char word[80];

    for (size_t i = 0; i < p->n_axes; i++)
        if (strlen(p->axis[i].name) == length && strncmp(p->axis[i].name, name, length) == 0) {
            *at = i;
            return 0;
        }
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    return err_set(err, ERR_UNKNOWN, "zip: no axis %s", word);
}

static int add_zip(struct plan *p, const char *text, struct err *err)
{
    size_t first = 0, at = 0;

    for (const char *c = text; c; c = strchr(c, ',')) {
        bool begin = c == text;
        c += !begin;
        c += strspn(c, " ");
        size_t length = strcspn(c, ", ");
        if (find_axis(p, c, length, &at, err) != 0)
            return -1;
        if (p->zip[at] != at)
            return err_set(err, ERR_FORMAT, "zip: %s is in two zips", p->axis[at].name);
        if (begin) {
            first = at;
            continue;
        }
        if (at == first)
            return err_set(err, ERR_FORMAT, "zip: %s goes along with itself", p->axis[at].name);
        if (p->axis[at].open != p->axis[first].open || p->axis[at].n != p->axis[first].n)
            return err_set(err, ERR_RANGE, "zip: %s has %zu values, %s has %zu",
                           p->axis[first].name, p->axis[first].n, p->axis[at].name, p->axis[at].n);
        p->zip[at] = first;
    }
    return 0;
}

/* All axes of a zip lead to its first one, so that it is met before the others. */
static void settle_zips(struct plan *p)
{
    for (size_t a = 0; a < p->n_axes; a++)
        while (p->zip[p->zip[a]] != p->zip[a])
            p->zip[a] = p->zip[p->zip[a]];
    for (size_t a = 0; a < p->n_axes; a++) {
        size_t old = p->zip[a];
        if (old <= a)
            continue;
        for (size_t b = a; b < p->n_axes; b++)
            if (p->zip[b] == old)
                p->zip[b] = a;
    }
}

/* --- conditions ------------------------------------------------------------------------------ */

struct names {
    char text[MAX_NAMES][80];
    const char *name[MAX_NAMES];
    struct key key[MAX_NAMES];
    struct expr_value value[MAX_NAMES]; /* at the point at hand */
    char words[MAX_NAMES][KEY_TEXT];    /* values that are texts */
    unsigned n;
    struct expr **condition;
    size_t n_conditions;
    unsigned *place;     /* [axis] of its name; 0: none, as of machine and trace */
    const char **shown;  /* [axis] the text whose value is there; NULL: that without the axis */
    const char *machine; /* whose values are in `value` */
    const struct plan_trace *trace;
};

static void add_name(struct names *n, const char *section, const char *key,
                     const struct gen_workload *w)
{
    struct err ignored;

    BUG_ON(n->n == MAX_NAMES);
    snprintf(n->text[n->n], sizeof n->text[0], "%s%s%s", section, key ? "." : "", key ? key : "");
    n->name[n->n] = n->text[n->n];
    BUG_ON(key_find(&n->key[n->n], n->name[n->n], w, &ignored) != 0);
    n->n++;
}

static int read_conditions(const struct plan *p, struct names *n, struct err *err)
{
    const struct gen_workload *w = find_generator(p);

    add_name(n, "machine", NULL, w);
    add_name(n, "trace", NULL, w);
    add_name(n, "shard", "data", w);
    add_name(n, "shard", "model", w);
    add_name(n, "shard", "edges", w);
    for (size_t t = 0; t < spec_n_tables; t++)
        for (size_t r = 0; r < spec_tables[t]->n_rows; r++)
            add_name(n, spec_tables[t]->section, spec_tables[t]->rows[r].name, w);
    for (size_t i = 0; w && i < w->n_params; i++)
        add_name(n, "gen", w->params[i].key, w);
    n->shown = memory_zeroed(p->n_axes + 1, sizeof *n->shown);
    n->place = memory_zeroed(p->n_axes + 1, sizeof *n->place);
    for (size_t a = 0; a < p->n_axes; a++)
        for (unsigned i = 2; i < n->n; i++)
            if (strcmp(n->name[i], p->axis[a].name) == 0)
                n->place[a] = i;
    n->condition = memory_zeroed(p->where.n + 1, sizeof *n->condition);
    for (size_t i = 0; i < p->where.n; i++) {
        if (expr_parse(&n->condition[i], p->where.word[i], n->name, n->n, err) != 0)
            return err_at(err, "where");
        n->n_conditions++;
    }
    return 0;
}

static void names_free(struct names *n)
{
    for (size_t i = 0; i < n->n_conditions; i++)
        expr_free(n->condition[i]);
    free(n->condition);
    free(n->place);
    free(n->shown);
    free(n);
}

static void put_value(struct names *n, unsigned i, const char *text)
{
    snprintf(n->words[i], sizeof n->words[i], "%s", text);
    n->value[i] = key_value(&n->key[i], n->words[i]);
}

/* Set the values that the machine and the generator have without the axes. */
static int put_base(const struct plan *p, struct names *n, const char *machine,
                    const struct plan_trace *trace, struct err *err)
{
    struct machine_spec *m;

    if (n->machine && strcmp(n->machine, machine) == 0 && n->trace == trace)
        return 0;
    n->machine = machine;
    n->trace = trace;
    memset(n->shown, 0, p->n_axes * sizeof *n->shown);
    for (unsigned i = 0; i < n->n; i++)
        n->value[i] = (struct expr_value){ NULL, NAN };
    if (spec_load(&m, machine, (const char *const *)p->set.word, p->set.n, err) != 0)
        /* one that is not sound as it stands may become so by the axes */
        return err->code == ERR_RANGE || err->code == ERR_FIT ? 0 : -1;
    for (unsigned i = 0; i < n->n; i++)
        n->value[i] = base_value(&n->key[i], m, trace, n->words[i]);
    spec_free(m);
    return 0;
}

/* True if every name of a condition has a value at this point. */
static bool knows_all(const struct names *n, const struct expr *e)
{
    for (unsigned i = 0; i < n->n; i++)
        if (expr_uses(e, i) && !n->value[i].text && isnan(n->value[i].number))
            return false;
    return true;
}

static int is_allowed(const struct plan *p, struct names *n, size_t point, bool *yes,
                      struct err *err)
{
    *yes = true;
    if (n->n_conditions == 0)
        return 0;
    if (put_base(p, n, plan_machine(p, point), plan_trace(p, point), err) != 0)
        return -1;
    n->value[0] = (struct expr_value){ plan_machine(p, point), NAN };
    n->value[1] = (struct expr_value){ plan_trace(p, point)->text, NAN };
    for (size_t a = 0; a < p->n_axes; a++)
        if (n->place[a] && n->shown[a] != p->point[point][a]) {
            put_value(n, n->place[a], p->point[point][a]);
            n->shown[a] = p->point[point][a];
        }
    /* what is unknown is left in: the point itself will say what is wrong */
    for (size_t i = 0; i < n->n_conditions && *yes; i++) {
        double v = expr_eval(n->condition[i], n->value);
        if (isnan(v) && knows_all(n, n->condition[i]))
            return err_set(err, ERR_FORMAT,
                           "where: %.128s: neither true nor false: it orders text, mixes it with "
                           "numbers or divides by 0",
                           p->where.word[i]);
        *yes = v != 0;
    }
    return 0;
}

/* --- points ---------------------------------------------------------------------------------- */

/* Place a point in the list unless a condition rules it out. */
static int keep_point(struct plan *p, struct names *names, char **values, struct err *err)
{
    bool yes;

    if (p->n_ruled_out >= PLAN_MAX_RULED_OUT)
        return err_set(err, ERR_RANGE,
                       "more than %d combinations are ruled out by --where: fewer values, or --zip",
                       PLAN_MAX_RULED_OUT);
    if (p->stop && (p->n_ruled_out + p->n_points) % ASKED_EACH == 0 && p->stop(p->stop_self))
        return err_set(err, ERR_STOPPED, "the making of points was stopped");
    if (p->n_points == PLAN_MAX_POINTS)
        return err_set(err, ERR_RANGE, "more than %d points: fewer values, --where or --sample",
                       PLAN_MAX_POINTS);
    MEMORY_ADD(p->point, p->n_points);
    char **copy = memory_zeroed(p->n_axes, sizeof *copy);
    memcpy(copy, values, p->n_axes * sizeof *copy);
    p->point[p->n_points] = copy;
    if (is_allowed(p, names, p->n_points, &yes, err) != 0) {
        free(copy);
        return -1;
    }
    if (yes) {
        p->n_points++;
    } else {
        free(copy);
        p->n_ruled_out++;
    }
    return 0;
}

/* All combinations; the last axis changes fastest. */
static int list_grid(struct plan *p, struct names *names, struct err *err)
{
    size_t *at = memory_zeroed(p->n_axes + 1, sizeof *at);
    char **values = memory_zeroed(p->n_axes + 1, sizeof *values);
    bool more = true;
    int rc = 0;

    while (more && rc == 0) {
        for (size_t a = 0; a < p->n_axes; a++)
            values[a] = p->axis[a].value[at[p->zip[a]]];
        rc = keep_point(p, names, values, err);
        more = false;
        for (size_t a = p->n_axes; a-- > 0 && !more;) {
            if (p->zip[a] != a)
                continue;
            more = ++at[a] < p->axis[a].n;
            at[a] = more ? at[a] : 0;
        }
    }
    free(at);
    free(values);
    return rc;
}

/* A sampled value is new text; a list's is that of the axis. */
static char *sample_value(struct plan *p, const struct axis *a, uint32_t u)
{
    char text[KEY_TEXT];

    if (!a->open)
        return a->value[(size_t)(((uint64_t)u * a->n) >> 32)];
    axis_at(a, u, text, sizeof text);
    plan_words_add(&p->pool, text, strlen(text));
    return p->pool.word[p->pool.n - 1];
}

static int list_samples(struct plan *p, struct names *names, struct err *err)
{
    size_t n = (size_t)p->samples, dims = 0;
    int rc = 0;

    for (size_t a = 0; a < p->n_axes; a++)
        dims += p->zip[a] == a;
    if (p->sampling == PLAN_SOBOL && dims > SOBOL_DIMS)
        return err_set(err, ERR_RANGE, "sobol: %zu axes; it has numbers for %d: take lhs", dims,
                       SOBOL_DIMS);
    uint32_t *u = memory_zeroed(n * (dims + 1), sizeof *u);
    size_t *dim = memory_zeroed(p->n_axes + 1, sizeof *dim);
    char **values = memory_zeroed(p->n_axes + 1, sizeof *values);
    if (p->sampling == PLAN_LHS)
        sample_lhs(u, n, dims, p->seed);
    else
        sample_sobol(u, n, dims, p->seed);
    for (size_t a = 0, next = 0; a < p->n_axes; a++)
        dim[a] = p->zip[a] == a ? next++ : dim[p->zip[a]];
    for (size_t i = 0; i < n && rc == 0; i++) {
        for (size_t a = 0; a < p->n_axes; a++)
            values[a] = sample_value(p, &p->axis[a], u[i * dims + dim[a]]);
        rc = keep_point(p, names, values, err);
    }
    free(u);
    free(dim);
    free(values);
    return rc;
}

/* Each point reads it anew: a pipe would be empty by then, and a device has no end. */
static int check_regular(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_IO, "%s: no regular file, and each point reads it anew", path);
    return 0;
}

/* Refuse a trace file that cannot be read, before any point runs. */
static int check_traces(const struct plan *p, struct err *err)
{
    for (size_t i = 0; i < p->n_traces; i++) {
        const char *path = p->trace[i].text;
        if (p->trace[i].gen)
            continue;
        if (check_regular(path, err) != 0)
            return -1;
        if (access(path, R_OK) != 0)
            return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    }
    return 0;
}

/* Each machine must be one without the axes, so that a wrong name is told of at once; a machine
 * that is not sound as it stands may become so by them. */
static int check_machines(const struct plan *p, struct err *err)
{
    const struct axis *machines = NULL;
    struct machine_spec *m;

    for (size_t a = 0; a < p->n_axes; a++)
        if (p->axis[a].key.kind == KEY_MACHINE)
            machines = &p->axis[a];
    size_t n = machines ? machines->n : p->machines.n;
    if (n == 0)
        return err_set(
            err, ERR_FORMAT,
            "no machine given: expected -m MACHINE, such as -m tpu-v3-8; `cyclotron machine "
            "list` lists them");
    for (size_t i = 0; i < n; i++) {
        const char *name = machines ? machines->value[i] : p->machines.word[i];
        if (strchr(name, '/') && check_regular(name, err) != 0)
            return -1;
        if (spec_load(&m, name, (const char *const *)p->set.word, p->set.n, err) == 0)
            spec_free(m);
        else if (err->code != ERR_RANGE && err->code != ERR_FIT)
            return -1;
    }
    return 0;
}

int plan_axes(struct plan *p, struct err *err)
{
    for (size_t i = 0; i < p->traces.n; i++)
        if (add_trace(p, p->traces.word[i], err) != 0)
            return -1;
    if (p->n_traces == 0)
        return err_set(err, ERR_FORMAT, "no trace given: a file, or gen:3dgan");
    add_words_axis(p, "trace", &p->traces);
    add_words_axis(p, "machine", &p->machines);
    for (size_t i = 0; i < p->axes.n; i++)
        if (add_axis(p, p->axes.word[i], err) != 0)
            return -1;
    p->zip = memory_zeroed(p->n_axes + 1, sizeof *p->zip);
    for (size_t a = 0; a < p->n_axes; a++)
        p->zip[a] = a;
    for (size_t i = 0; i < p->zips.n; i++)
        if (add_zip(p, p->zips.word[i], err) != 0)
            return -1;
    settle_zips(p);
    if (param_once((const char *const *)p->set.word, p->set.n, err) != 0 ||
        param_once((const char *const *)p->proxy.word, p->proxy.n, err) != 0)
        return -1;
    for (size_t i = 0; i < p->n_traces; i++)
        if (param_once((const char *const *)p->trace[i].set.word, p->trace[i].set.n, err) != 0)
            return err_at(err, "%s", p->trace[i].text);
    return 0;
}

int plan_finish(struct plan *p, struct err *err)
{
    struct names *names = memory_zeroed(1, sizeof *names);

    int rc = plan_axes(p, err);
    if (rc == 0 && p->prices)
        rc = catalog_prices_use(p->prices, err);
    if (rc == 0)
        rc = check_traces(p, err);
    if (rc == 0)
        rc = check_machines(p, err);
    if (rc == 0)
        rc = read_conditions(p, names, err);
    if (rc == 0)
        rc = p->sampling == PLAN_GRID ? list_grid(p, names, err) : list_samples(p, names, err);
    if (rc == 0 && p->n_points == 0)
        rc = err_set(err, ERR_RANGE, "no point is left: all %" PRIu64 " are ruled out by --where",
                     p->n_ruled_out);
    names_free(names);
    return rc;
}
