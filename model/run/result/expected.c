#include "run/result/expected.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "run/result/evidence.h"

enum { KIND, WAY, OF, GENERATION, WORKLOAD, CASES, ERROR, N_FIELDS };

const char *const expected_of_name[] = {
    [EXPECTED_STEPS] = "steps",
    [EXPECTED_KERNELS] = "kernels",
    [EXPECTED_PAIRS] = "pairs",
};

const char *const expected_way_name[] = {
    [RUN_WAY_HAND] = "by hand",
    [RUN_WAY_COMPILED] = "compiled",
    [RUN_WAY_RECORDED] = "recorded",
    [RUN_WAY_CHAKRA] = "by Chakra",
};

const struct published_file *expected_table(void)
{
    for (size_t i = 0; i < published_n_files; i++)
        if (strcmp(published_files[i].stem, EXPECTED_STEM) == 0)
            return &published_files[i];
    return NULL;
}

/* --- the table ------------------------------------------------------------------------------- */

/* The place of a name in a list of `n`; n: it is not there. */
static unsigned find_name(const char *name, const char *const *list, unsigned n)
{
    unsigned i = 0;

    while (i < n && strcmp(list[i], name) != 0)
        i++;
    return i;
}

/* "7.2" in thousandths. */
static bool parse_permille(uint32_t *permille, const char *percent)
{
    EXACT_Q(q);
    EXACT_Q(ten);
    const char *rest = exact_parse(q, percent);
    uint64_t v;

    mpq_set_ui(ten, 10, 1);
    mpq_mul(q, q, ten);
    if (!rest || *rest || exact_to_u64(q, &v) != 0 || v > UINT32_MAX)
        return false;
    *permille = (uint32_t)v;
    return true;
}

static bool parse_line(struct expected_line *l, char f[N_FIELDS][PUBLISHED_FIELD])
{
    *l = (struct expected_line){ .way = find_name(f[WAY], expected_way_name, RUN_N_WAYS),
                                 .of = find_name(f[OF], expected_of_name, EXPECTED_N),
                                 .cases = strtoull(f[CASES], NULL, 10) };
    snprintf(l->kind, sizeof l->kind, "%.7s", f[KIND]);
    snprintf(l->generation, sizeof l->generation, "%.31s", f[GENERATION]);
    snprintf(l->workload, sizeof l->workload, "%.63s", f[WORKLOAD]);
    return l->way < RUN_N_WAYS && l->of < EXPECTED_N && l->cases > 0 &&
           parse_permille(&l->permille, f[ERROR]);
}

int expected_read(struct expected_line **line, size_t *n, const struct published_file *file,
                  struct err *err)
{
    char f[N_FIELDS][PUBLISHED_FIELD];
    struct published_reader t;
    size_t fields;

    *line = NULL;
    *n = 0;
    published_open(&t, file);
    while ((fields = published_next(&t, f, N_FIELDS)) > 0) {
        MEMORY_ADD(*line, *n);
        if (fields != N_FIELDS || !parse_line(&(*line)[(*n)++], f)) {
            free(*line);
            *line = NULL;
            return published_refuse(&t, err);
        }
    }
    return 0;
}

/* --- the nearest cases ----------------------------------------------------------------------- */

/* The lines that a level asks for: of the generation or of all; of the workload or of any. */
static const struct level {
    bool here, same;
} levels[RUN_EXPECTED_N_LEVELS] = {
    [RUN_EXPECTED_SAME] = { true, true },
    [RUN_EXPECTED_WORKLOAD] = { false, true },
    [RUN_EXPECTED_GENERATION] = { true, false },
    [RUN_EXPECTED_KIND] = { false, false },
};

static bool is_of_generation(const char *generation, const char *machine)
{
    size_t n = evidence_generation(machine);

    return n > 0 && strlen(generation) == n && strncmp(generation, machine, n) == 0;
}

static bool is_asked_for(const struct expected_line *l, const struct expected_key *key,
                         enum run_way way, enum expected_of of, const struct level *v)
{
    if (l->way != way || l->of != of || strcmp(l->kind, key->kind) != 0)
        return false;
    if (v->here ? !is_of_generation(l->generation, key->machine) : *l->generation != '\0')
        return false;
    return !v->same || strcmp(l->workload, key->workload) == 0;
}

/* Take in the lines of a level: the largest of their errors.  Returns their cases. */
static uint64_t take_level(struct run_expected *e, const struct expected_key *key, enum run_way way,
                           enum expected_of of, const struct level *v,
                           const struct expected_line *line, size_t n)
{
    uint64_t cases = 0;

    for (size_t i = 0; i < n; i++) {
        if (!is_asked_for(&line[i], key, way, of, v))
            continue;
        cases += line[i].cases;
        e->permille = line[i].permille > e->permille ? line[i].permille : e->permille;
    }
    return cases;
}

static void look_at_measured(struct run_expected *e, const struct expected_key *key,
                             enum run_way way, const struct expected_line *line, size_t n)
{
    enum expected_of of = key->lone ? EXPECTED_KERNELS : EXPECTED_STEPS;

    e->permille = 0;
    e->cases = 0;
    for (unsigned v = 0; v < RUN_EXPECTED_N_LEVELS && e->cases < EXPECTED_ENOUGH; v++) {
        uint64_t cases = take_level(e, key, way, of, &levels[v], line, n);
        e->cases = cases > e->cases ? cases : e->cases;
        e->level = cases ? v : e->level;
        e->near = e->near ? e->near : v == RUN_EXPECTED_SAME ? cases : 0;
    }
}

/* A step by hand that was not measured on its generation: how far such steps are from what the
 * compiler makes of them, times the error of compiled steps. */
static void look_at_pairs(struct run_expected *e, const struct expected_key *key,
                          const struct expected_line *line, size_t n)
{
    static const enum run_expected_level order[] = { RUN_EXPECTED_SAME, RUN_EXPECTED_GENERATION,
                                                     RUN_EXPECTED_KIND };
    struct run_expected pair = { 0 }, compiled = { 0 };

    for (size_t i = 0; i < sizeof order / sizeof *order && pair.cases == 0; i++)
        pair.cases =
            take_level(&pair, key, RUN_WAY_HAND, EXPECTED_PAIRS, &levels[order[i]], line, n);
    look_at_measured(&compiled, key, RUN_WAY_COMPILED, line, n);
    if (pair.cases == 0 || compiled.cases == 0)
        return;
    uint64_t both = (UINT64_C(1000) + pair.permille) * (1000 + compiled.permille);
    uint64_t permille = (both + 999) / 1000 - 1000;
    if (e->cases > 0 && permille < e->permille)
        return;
    e->permille = permille > UINT32_MAX ? UINT32_MAX : (uint32_t)permille;
    e->pairs = pair.cases;
    e->cases = compiled.cases;
    e->level = compiled.level;
}

void expected_look(struct run_expected *e, const struct expected_key *key,
                   const struct expected_line *line, size_t n)
{
    *e = (struct run_expected){ .way = key->way };
    look_at_measured(e, key, key->way, line, n);
    if (key->way == RUN_WAY_HAND && !key->lone && e->near == 0)
        look_at_pairs(e, key, line, n);
}

int expected_find_fitted(struct run_fitted *fitted, const struct expected_key *key,
                         const struct published_file *file, struct err *err)
{
    enum { CHIP, STATED, MACHINE, STEPS, LEAST, MOST, N };
    char f[N + 1][PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    *fitted = (struct run_fitted){ 0 };
    published_open(&t, file);
    while ((n = published_next(&t, f, N + 1)) > 0) {
        if (n != N || find_name(f[STATED], expected_way_name, RUN_N_WAYS) == RUN_N_WAYS)
            return published_refuse(&t, err);
        if (key->lone || strcmp(f[CHIP], key->kind) != 0 ||
            strcmp(f[STATED], expected_way_name[key->way]) != 0 ||
            !is_of_generation(f[MACHINE], key->machine))
            continue;
        fitted->steps = strtoull(f[STEPS], NULL, 10);
        fitted->least = (int)strtol(f[LEAST], NULL, 10);
        fitted->most = (int)strtol(f[MOST], NULL, 10);
    }
    return 0;
}

const char *expected_sort(const char *words)
{
    static const struct {
        const char *part, *sort;
    } sorts[] = {
        { "collective", "collectives" }, { "all-", "collectives" },  { "scatter", "collectives" },
        { "convert", "others" },         { "conv", "convolutions" }, { "product", "products" },
        { "matmul", "products" },        { "reduc", "reductions" },  { "norm", "reductions" },
        { "softmax", "reductions" },     { "sums", "reductions" },
    };

    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strstr(words, sorts[i].part))
            return sorts[i].sort;
    return "others";
}

/* Machines of files of one's own were never measured, whatever they are called. */
static bool is_own(const char *machine)
{
    size_t n = strlen(machine);

    return strchr(machine, '/') || (n > 4 && strcmp(machine + n - 4, ".ini") == 0);
}

static bool is_lone(const struct run_result *r)
{
    return strcmp(r->workload, "op") == 0;
}

static bool is_recorded(const struct run_result *r)
{
    return r->expected.way == RUN_WAY_RECORDED;
}

static const char *name_work(const struct run_result *r)
{
    if (is_recorded(r) && !is_lone(r))
        return EXPECTED_RECORDINGS;
    return !is_lone(r) ? r->workload : expected_sort(r->n_ops ? r->ops[0].kind : "");
}

int expected_find(struct run_result *r, const struct published_file *file, struct err *err)
{
    const struct expected_key key = { .kind = r->chip,
                                      .machine = r->machine,
                                      .workload = name_work(r),
                                      .way = r->expected.way,
                                      .lone = is_lone(r) };
    struct expected_line *line;
    size_t n;

    if (account_is_unknown(&r->account)) {
        r->expected = (struct run_expected){ .way = r->expected.way };
        return 0;
    }
    if (!file || is_own(r->machine))
        return 0;
    if (expected_read(&line, &n, file, err) != 0)
        return -1;
    expected_look(&r->expected, &key, line, n);
    free(line);
    file = published_find(EXPECTED_FITTED);
    return file ? expected_find_fitted(&r->expected.fitted, &key, file, err) : 0;
}

/* --- in words -------------------------------------------------------------------------------- */

static void write_cases(const struct run_result *r, FILE *out)
{
    const struct run_expected *e = &r->expected;
    const char *what = is_lone(r) ? "kernel" : "step";
    bool same = levels[e->level].same && !e->pairs && !is_recorded(r), lone = is_lone(r);

    fprintf(out, "%" PRIu64 " ", e->cases);
    if (lone && same)
        fputs(name_work(r), out);
    else
        fprintf(out, "%s%s", what, e->cases == 1 ? "" : "s");
    if (!lone && same)
        fprintf(out, " of %s", name_work(r));
    if (levels[e->level].here)
        fprintf(out, " on %.*s", (int)evidence_generation(r->machine), r->machine);
    else
        fprintf(out, " on %ss", r->chip);
    fprintf(out, ", %s", expected_way_name[e->pairs ? RUN_WAY_COMPILED : e->way]);
}

void expected_write(const struct run_result *r, FILE *out)
{
    const struct run_expected *e = &r->expected;

    if (account_is_unknown(&r->account)) {
        /* steps that were measured could be read: their error says nothing of work left out */
        account_write_unknown(&r->account, is_lone(r) ? "the kernel" : "the step", out);
        return;
    }
    if (e->cases == 0) {
        fprintf(out, "no %s %s%s was measured on %s", is_lone(r) ? "kernel" : "step",
                e->way == RUN_WAY_HAND ? "stated " : "", expected_way_name[e->way],
                is_own(r->machine) ? "a machine of one's own" : "its like");
        if (e->fitted.steps)
            fprintf(out,
                    " but what constants were fitted on: %" PRIu64 " steps on %.*s, %+d to %+d %%",
                    e->fitted.steps, (int)evidence_generation(r->machine), r->machine,
                    e->fitted.least, e->fitted.most);
        return;
    }
    write_cases(r, out);
    if (e->pairs)
        fprintf(out, "; %" PRIu64 " by hand beside %s", e->pairs,
                e->pairs == 1 ? "its program" : "their programs");
}

char *expected_percent(const struct run_expected *e, char text[static EXPECTED_TEXT])
{
    if (e->cases == 0)
        snprintf(text, EXPECTED_TEXT, "not known");
    else if (e->permille >= 100)
        snprintf(text, EXPECTED_TEXT, "%" PRIu32 " %%", (e->permille + 9) / 10);
    else
        snprintf(text, EXPECTED_TEXT, "%" PRIu32 ".%" PRIu32 " %%", e->permille / 10,
                 e->permille % 10);
    return text;
}
