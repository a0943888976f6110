#include "sweep/key.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/quantity.h"
#include "cost/proxy.h"
#include "machine/spec/spec.h"

#define MAX_NAMES (SPEC_N_TABLES * SPEC_MAX_ROWS + 64)

static const char *const shard_names[] = { "shard.data", "shard.model", "shard.edges" };

static int refuse_name(const char *name, const struct gen_workload *w, struct err *err)
{
    static const char *const fixed[] = { "machine", "trace", "shard.data", "shard.model",
                                         "shard.edges" };
    char text[MAX_NAMES][64];
    const char *names[MAX_NAMES];
    unsigned n = 0;

    for (; n < sizeof fixed / sizeof *fixed; n++)
        names[n] = fixed[n];
    for (size_t t = 0; t <= spec_n_tables; t++) {
        const struct param_table *table = t < spec_n_tables ? spec_tables[t] : &proxy_param_table;
        for (size_t r = 0; r < table->n_rows; r++, n++) {
            BUG_ON(n == MAX_NAMES);
            snprintf(text[n], sizeof text[n], "%s.%s", table->section, table->rows[r].name);
            names[n] = text[n];
        }
    }
    for (size_t i = 0; w && i < w->n_params; i++, n++) {
        BUG_ON(n == MAX_NAMES);
        snprintf(text[n], sizeof text[n], "gen.%s", w->params[i].key);
        names[n] = text[n];
    }
    const char *near = err_nearest(name, names, n);
    if (!w && strncmp(name, "gen.", 4) == 0)
        return err_set(err, ERR_UNKNOWN,
                       "%s: the trace is a file; gen:WORKLOAD in its place has parameters", name);
    return err_set(err, ERR_UNKNOWN, "unknown parameter '%.60s'%s%s%s", name,
                   near ? "; did you mean '" : " (`cyclotron params` lists all)", near ? near : "",
                   near ? "'?" : "");
}

/* The parameter, or the column of a line of a list: "128x64.share". */
static const struct param_desc *find_row(const struct param_table *t, const char *name)
{
    const char *dot = strchr(name, '.');

    return dot && t->list ? param_find(t->list->columns, dot + 1) : param_find(t, name);
}

int key_find(struct key *k, const char *name, const struct gen_workload *w, struct err *err)
{
    const char *dot = strchr(name, '.');

    *k = (struct key){ .kind = KEY_PARAM };
    if (strcmp(name, "machine") == 0 || strcmp(name, "trace") == 0) {
        k->kind = *name == 'm' ? KEY_MACHINE : KEY_TRACE;
        return 0;
    }
    if (w && strncmp(name, "gen.", 4) == 0) {
        k->kind = KEY_GEN;
        for (size_t i = 0; i < w->n_params; i++)
            if (strcmp(w->params[i].key, name + 4) == 0)
                k->gen = &w->params[i];
        return k->gen ? 0 : refuse_name(name, w, err);
    }
    for (unsigned i = KEY_DATA; i <= KEY_EDGES; i++) {
        if (strcmp(name, shard_names[i]) == 0) {
            k->kind = KEY_SHARD;
            k->shard = i;
            return 0;
        }
    }
    for (size_t t = 0; dot && t <= spec_n_tables; t++) {
        const struct param_table *table = t < spec_n_tables ? spec_tables[t] : &proxy_param_table;
        const char *section = table->section;
        if (strlen(section) == (size_t)(dot - name) &&
            strncmp(section, name, strlen(section)) == 0) {
            k->kind = table == &proxy_param_table ? KEY_PROXY : KEY_PARAM;
            k->table = table;
            k->desc = find_row(k->table, dot + 1);
        }
    }
    return k->desc ? 0 : refuse_name(name, w, err);
}

const char *key_unit(const struct key *k)
{
    if (k->kind == KEY_SHARD)
        return "";
    if (k->kind == KEY_GEN)
        return k->gen->choice ? NULL : "";
    if (k->desc)
        return k->desc->kind == PARAM_ENUM ? NULL : k->desc->unit;
    return NULL;
}

bool key_whole(const struct key *k)
{
    return k->kind == KEY_GEN || k->kind == KEY_SHARD || k->desc->kind == PARAM_U32 ||
           k->desc->kind == PARAM_U64;
}

int key_read(const struct key *k, const char *text, mpq_t q, struct err *err)
{
    return quantity_parse(q, text, key_unit(k), err);
}

static int check_choice(const struct gen_param *p, const char *text, struct err *err)
{
    unsigned n = 0;

    for (; p->choice[n]; n++)
        if (strcmp(p->choice[n], text) == 0)
            return 0;
    const char *near = err_nearest(text, p->choice, n);
    return err_set(err, ERR_UNKNOWN, "unknown choice '%.60s'%s%s%s", text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int key_check(const struct key *k, const char *text, struct err *err)
{
    uint64_t room[2] = { 0 };

    if (!*text)
        return err_set(err, ERR_FORMAT, "a value is missing between commas");
    if (k->kind == KEY_GEN && k->gen->choice)
        return check_choice(k->gen, text, err);
    if (k->kind == KEY_GEN || k->kind == KEY_SHARD) {
        EXACT_Q(q);
        int rc = quantity_parse(q, text, "", err);
        if (rc == 0 && mpz_cmp_ui(mpq_denref(q), 1) != 0)
            rc = err_set(err, ERR_FORMAT, "%s: not a whole number", text);
        return rc;
    }
    if (!k->desc)
        return 0;
    /* one parameter alone, at the beginning of an object that has nothing else */
    struct param_desc alone = *k->desc;
    alone.offset = 0;
    int rc = param_set(k->table, &alone, room, text, err);
    return rc == 0 || err->code == ERR_RANGE ? 0 : rc;
}

void key_write(const struct key *k, const mpq_t q, char *buf, size_t size)
{
    struct err ignored;

    EXACT_Q(v);
    EXACT_Q(probe);
    mpq_set(v, q);
    if (key_whole(k)) {
        EXACT_Z(whole);
        exact_round(whole, q);
        mpq_set_z(v, whole);
    }
    /* counts and ratios need no unit */
    if (quantity_parse(probe, "1", key_unit(k), &ignored) == 0)
        exact_decimal(buf, size, v, 17);
    else
        quantity_exact(buf, size, v, key_unit(k));
}

void key_about(const struct key *k, const mpq_t q, char *buf, size_t size)
{
    const char *unit = key_unit(k);
    char text[KEY_TEXT];

    BUG_ON(!unit);
    EXACT_Q(rounded);
    exact_parse(rounded, exact_decimal(text, sizeof text, q, 4));
    /* a count between two whole ones says more than either */
    if (strcmp(unit, "") == 0)
        exact_decimal(buf, size, rounded, 4);
    else
        key_write(k, rounded, buf, size);
}

struct expr_value key_value(const struct key *k, const char *text)
{
    struct err ignored;
    double number = NAN;

    if (!key_unit(k))
        return (struct expr_value){ text, NAN };
    EXACT_Q(q);
    if (key_read(k, text, q, &ignored) == 0)
        number = expr_number(q);
    return (struct expr_value){ NULL, number };
}
