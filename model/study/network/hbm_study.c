#include "study/network/hbm_study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "hw/hbm/hbm_memory.h"
#include "hw/hbm/hbm_watch.h"
#include "machine/folds.h"
#include "machine/spec/catalog.h"
#include "machine/spec/spec.h"
#include "study/network/observers.h"

/* clang-format off */
#define LOAD_PARAMS(P)                                                                             \
    P(ENUM, pattern, "seq|copy|triad|random|strided", "seq", "", "",                               \
      "one array; copy to another; two into a third; chunks at random places; chunks at a stride")    \
    P(U64,  bytes,  "B", "64 MiB", "1 B", "1000000 TB", "total of all arrays, in whole chunks") \
    P(U64,  size,   "B", "0 B",    "0 B", "1 TB",       "of a chunk, after which the next array has its turn; 0: one access") \
    P(U64,  stride, "B", "4096 B", "1 B", "1 TB",       "strided: distance between chunks")            \
    P(U64,  apart,  "B", "1 GiB",  "0 B", "1000 TB",    "copy, triad: distance between arrays")        \
    P(ENUM, write,  "no|yes", "no", "", "",             "seq, random, strided: write instead of read")   \
    P(U64,  seed,   "",  "1",      "0",   "1000000000", "of random places")
/* clang-format on */

struct load_params {
    LOAD_PARAMS(PARAM_FIELD)
};
#define ROW(...) PARAM_DESC(struct load_params, __VA_ARGS__)
static const struct param_desc rows[] = { LOAD_PARAMS(ROW) };
#undef ROW
const struct param_table hbm_study_keys = { "hbm", rows, sizeof rows / sizeof *rows,
                                            sizeof(struct load_params), NULL };

static int set_key(struct load_params *load, const char **part, const char *arg, struct err *err)
{
    const char *names[sizeof rows / sizeof *rows + 1], *eq = strchr(arg, '=');
    char key[32], value[96];
    unsigned n = 0;

    if (!eq || eq == arg || (size_t)(eq - arg) >= sizeof key)
        return err_set(err, ERR_FORMAT, "hbm: '%.64s': expected key=value, such as pattern=copy",
                       arg);
    snprintf(key, sizeof key, "%.*s", (int)(eq - arg), arg);
    if (strcmp(key, "part") == 0) {
        *part = eq + 1;
        return 0;
    }
    const struct param_desc *d = param_find(&hbm_study_keys, key);
    if (d) {
        bool bytes = strcmp(d->unit, "B") == 0;
        bool bare = bytes && strspn(eq + 1, "0123456789") == strlen(eq + 1);
        if (bytes && (eq[1] < '0' || eq[1] > '9'))
            return err_set(err, ERR_FORMAT, "hbm: %s = '%.64s': expected bytes, such as %s=64KiB",
                           key, eq + 1, key);
        snprintf(value, sizeof value, "%.90s%s", eq + 1, bare ? " B" : "");
        return param_set(&hbm_study_keys, d, load, value, err);
    }
    for (size_t i = 0; i < hbm_study_keys.n_rows; i++)
        names[n++] = rows[i].name;
    names[n++] = "part";
    const char *near = err_nearest(key, names, n);
    return err_set(err, ERR_UNKNOWN, "hbm: unknown key '%s'; %s%s%s", key,
                   near ? "did you mean '" : "`cyclotron op` lists them", near ? near : "",
                   near ? "'?" : "");
}

/* "hbm pattern=seq bytes=67108864 ...": the load with every key spelled out. */
static char *print_name(const struct load_params *load)
{
    struct memory_text name;
    char value[64];

    memory_text_begin(&name);
    fputs("hbm", name.out);
    for (size_t i = 0; i < hbm_study_keys.n_rows; i++) {
        bool bytes = strcmp(rows[i].unit, "B") == 0;
        if (bytes)
            fprintf(name.out, " %s=%llu", rows[i].name,
                    (unsigned long long)*(const uint64_t *)((const char *)load + rows[i].offset));
        else
            fprintf(name.out, " %s=%s", rows[i].name,
                    param_text(&rows[i], load, value, sizeof value));
    }
    return memory_text_end(&name);
}

static void collect_counts(struct hbm_study_result *r, const struct hbm_memory *m)
{
    const struct dram_params *par = &m->par;

    r->channels = m->n_channels;
    r->pseudo_channels = par->pseudo_channels;
    r->groups = par->groups;
    r->banks = par->banks;
    r->bank = memory_zeroed(m->t.banks, sizeof *r->bank);
    r->bank_cycles = r->cycles * m->n_channels * m->t.banks;
    for (uint32_t c = 0; c < m->n_channels; c++) {
        const struct hbm_counts *st = &m->channel[c].st;
        r->reads += st->reads;
        r->writes += st->writes;
        r->hits += st->hits;
        r->conflicts += st->conflicts;
        r->activates += st->activates;
        r->turnarounds += st->turnarounds;
        r->refreshes += st->refreshes;
        r->refresh_cycles += st->refresh_cycles;
        r->latency += st->latency;
        for (uint32_t b = 0; b < m->t.banks; b++) {
            r->bank[b].accesses += m->channel[c].bank_st[b].accesses;
            r->bank[b].hits += m->channel[c].bank_st[b].hits;
            r->bank[b].conflicts += m->channel[c].bank_st[b].conflicts;
        }
    }
    r->accesses = r->reads + r->writes;
}

/* --- observers ---------------------------------------------------------------------------- */

/* Serve the traffic in front of the observers.  With `out` NULL only the part that they look at is
 * served. */
static int serve_shown(struct hbm_memory *m, const struct hbm_traffic *w,
                       const struct hbm_study_request *q, uint64_t step_fs, struct hbm_outcome *out,
                       struct err *err)
{
    struct des *sim = des_new();
    struct hbm_watch *v = hbm_watch_new(sim, m, w);
    int rc = observers_begin(q->observer, q->n_observers, sim, step_fs, err);

    if (rc == 0)
        hbm_watch_run(v, machine_folds(q->exact).memory_skip);
    observers_end(q->observer, q->n_observers, sim);
    if (rc == 0 && out)
        hbm_watch_finish(v, out);
    hbm_watch_free(v);
    des_free(sim);
    return rc;
}

/* Serve what the observers look at a second time, on a memory of its own: the run itself was
 * folded. */
static int show_window(const struct dram_params *par, const struct hbm_traffic *w,
                       const struct hbm_study_request *q, uint64_t step_fs, struct err *err)
{
    struct hbm_memory m;
    int rc = hbm_memory_init(&m, par, err);

    if (rc == 0)
        rc = serve_shown(&m, w, q, step_fs, NULL, err);
    hbm_memory_free(&m);
    return rc;
}

/* --- progress ----------------------------------------------------------------------------- */

struct progress {
    const struct hbm_study_request *q;
    uint64_t all;
};

static void show_progress(void *self, uint64_t served)
{
    struct progress *t = self;

    t->q->progress(t->q->progress_self, "access", served, t->all);
}

/* --- serving ------------------------------------------------------------------------------ */

static int serve_load(struct hbm_memory *m, const struct hbm_traffic *w,
                      const struct hbm_study_request *q, struct hbm_outcome *out, struct err *err)
{
    hbm_fold_fn *fold = machine_folds(q->exact).memory;

    if (fold) {
        fold(m, w, out);
        return q->n_observers
                   ? show_window(&m->par, w, q, observers_time(out->cycles, m->par.clock), err)
                   : 0;
    }
    if (q->n_observers) { /* the time is not known yet: at least what the pins take at their peak */
        u128 least = (u128)w->accesses * m->par.access * m->par.clock / dram_bytes_per_s(&m->par);
        return serve_shown(m, w, q, observers_time((uint64_t)least, m->par.clock), out, err);
    }
    struct progress t = { q, w->accesses };
    hbm_memory_walk_told(m, w, out, q->progress ? show_progress : NULL, &t);
    return 0;
}

static int measure_load(const struct dram_params *par, const struct hbm_load *load,
                        const struct hbm_study_request *q, struct hbm_study_result *r,
                        struct err *err)
{
    struct hbm_memory m;
    struct hbm_traffic w = { 0 };
    struct hbm_outcome out;
    int rc = hbm_memory_init(&m, par, err);

    if (rc == 0)
        rc = hbm_traffic_init(&w, load, &m.map, par, err);
    if (rc != 0)
        err_at(err, "hbm");
    else if ((rc = serve_load(&m, &w, q, &out, err)) == 0) {
        r->clock = par->clock;
        r->cycles = out.cycles;
        r->statistical = out.statistical;
        r->walked = out.walked;
        r->bytes = w.accesses * par->access;
        r->peak = dram_bytes_per_s(par);
        collect_counts(r, &m);
    }
    hbm_traffic_free(&w);
    hbm_memory_free(&m);
    return rc;
}

static int count_values(struct hbm_study_result *r, const struct hbm_study_request *q,
                        struct err *err)
{
    size_t table = (size_t)spec_table("dram");
    struct machine_spec *m;

    if (spec_load(&m, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    for (size_t row = 0; row < spec_tables[table]->n_rows; row++) {
        r->values++;
        r->unverified += spec_is_unverified(m, table, row);
    }
    spec_free(m);
    return 0;
}

int hbm_study_run(const struct hbm_study_request *q, struct hbm_study_result *r, struct err *err)
{
    struct load_params load;
    struct dram_params par;
    const char *part = NULL;

    *r = (struct hbm_study_result){ 0 };
    param_defaults(&hbm_study_keys, &load);
    if (param_once(q->arg, q->n_args, err) != 0)
        return err_at(err, "hbm");
    for (size_t i = 0; i < q->n_args; i++)
        if (set_key(&load, &part, q->arg[i], err) != 0)
            return -1;
    if (spec_dram(&par, part ? part : q->machine, part != NULL, q->set, q->n_set, err) != 0)
        return -1;
    if (!load.size)
        load.size = par.access;
    struct hbm_load l = { .pattern = (enum hbm_pattern)load.pattern,
                          .write = load.write == 1,
                          .bytes = load.bytes,
                          .size = load.size,
                          .stride = load.stride,
                          .apart = load.apart,
                          .seed = load.seed };
    if (l.write && (l.pattern == HBM_COPY || l.pattern == HBM_TRIAD))
        return err_set(err, ERR_FIT, "hbm: pattern=%s both reads and writes: write= does not apply",
                       hbm_pattern_name[l.pattern]);
    if ((!part && count_values(r, q, err) != 0) || measure_load(&par, &l, q, r, err) != 0)
        return -1;
    r->name = print_name(&load);
    r->on = memory_copy(part ? part : q->machine);
    return 0;
}

void hbm_study_free(struct hbm_study_result *r)
{
    free(r->name);
    free(r->on);
    free(r->bank);
    *r = (struct hbm_study_result){ 0 };
}
