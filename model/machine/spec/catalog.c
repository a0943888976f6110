/* Machines and memory parts: bases, parts, prices, overrides. */
#include "machine/spec/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/memory.h"
#include "machine/spec/catalog_impl.h"
#include "machine/spec/catalog_prices.h"
#include "machine/spec/embedded.h"
#include "machine/spec/sizes.h"

static int apply_file(struct machine_spec *m, const char *name, struct err *err)
{
    struct catalog_loader l = { .m = m };

    return catalog_read(&l, name, err);
}

/* Apply a machine and what it is made of, the base of all first. */
static int apply_each(struct machine_spec *m, char (*chain)[CATALOG_BASE], int n, struct err *err)
{
    int own = 0; /* the first built-in one */

    while (own < n - 1 && catalog_is_path(chain[own]))
        own++;
    for (int k = n - 1; k >= 0; k--) {
        bool generation = sizes_has_rule(chain[k]);
        if (generation)
            catalog_drop_prices(m, 0,
                                2 * CATALOG_PRICES_OF_SLICE); /* another generation has its own */
        if (apply_file(m, chain[k], err) != 0)
            return -1;
        /* a chip that another one is made of has a price of its own */
        if ((k == own || generation || sizes_knows(chain[k])) &&
            catalog_prices_apply(m, chain[k], err) != 0)
            return -1;
        if (k == own && catalog_prices_apply_own(m, chain, own, n, err) != 0)
            return -1;
        if (!catalog_is_path(chain[k]) && sizes_knows(chain[k])) {
            char *summary = spec_summary(m, chain[k]);
            free(m->summary);
            m->summary = summary;
        }
    }
    return 0;
}

static int apply_chain(struct machine_spec *m, const char *name, struct err *err)
{
    char chain[CATALOG_MAX_BASES][CATALOG_BASE];
    int n;

    memcpy(chain[0], name, strlen(name) + 1);
    for (n = 1; n <= CATALOG_MAX_BASES; n++) {
        struct catalog_loader l = { 0 };
        if (catalog_read(&l, chain[n - 1], err) != 0)
            return n > 1 ? err_at(err, "%s: machine.base", chain[n - 2]) : -1;
        if (!l.base[0])
            break;
        if (catalog_beside(l.base, chain[n - 1]) != 0)
            return err_set(err, ERR_RANGE, "%s: machine.base: a path of at most %d letters",
                           chain[n - 1], CATALOG_BASE - 1);
        if (catalog_rename(l.base, sizeof l.base, l.base, err) != 0)
            return err_at(err, "%s: machine.base", chain[n - 1]);
        for (int i = 0; i < n; i++)
            if (strcmp(chain[i], l.base) == 0)
                return err_set(err, ERR_FORMAT, "%s: machine.base = %s leads back to itself",
                               l.file, l.base);
        if (n < CATALOG_MAX_BASES)
            memcpy(chain[n], l.base, sizeof chain[n]);
    }
    if (n > CATALOG_MAX_BASES)
        return err_set(err, ERR_FORMAT, "%s: a chain of more than %d bases", name,
                       CATALOG_MAX_BASES);
    return apply_each(m, chain, n, err);
}

/* Apply "section.key=value"; `text` is cut into those three. */
static int apply_cut_override(struct machine_spec *m, char *text, struct err *err)
{
    struct catalog_loader l = { .m = m, .err = err };
    struct catalog_key k;
    char *dot = strchr(text, '.'), *eq = strchr(text, '=');
    char before[256], value[256], name[160], whole[768];
    uint64_t from = 0, to = 0;

    if (!dot || !eq || dot > eq || dot == text)
        return err_set(err, ERR_FORMAT, "expected section.key=value");
    *dot = *eq = '\0';
    const char *section = line_trim(text);
    char *key = line_trim(dot + 1);
    if (strcmp(section, "machine") == 0)
        return err_set(err, ERR_UNKNOWN,
                       "[machine] says what a machine is made of: write a file with it");
    snprintf(name, sizeof name, "%s.%s", section, key);
    if (catalog_find(&l, section, key, &k) != 0)
        return -1;
    catalog_text(m, &k, before, sizeof before);
    bool ordered = k.row && param_amount(k.row, spec_object(m, (size_t)k.table), &from);
    if (catalog_set(m, &k, line_trim(eq + 1), "[--set]", err) != 0)
        return -1;
    catalog_text(m, &k, value, sizeof value);
    if (ordered)
        param_amount(k.row, spec_object(m, (size_t)k.table), &to);
    if (strcmp(before, value) == 0)
        snprintf(whole, sizeof whole, "%s = %s, as it was", name, value);
    else
        snprintf(whole, sizeof whole, "%s = %s, %s %s", name, value,
                 !ordered    ? "instead of"
                 : to > from ? "raised from"
                             : "lowered from",
                 before);
    MEMORY_GROW(m->changed, m->n_changed + 1, m->changed_room);
    m->changed[m->n_changed++] = memory_copy(whole);
    m->retimed |= strcmp(before, value) != 0 && !spec_is_untimed((size_t)k.table);
    return 0;
}

static int apply_override(struct machine_spec *m, const char *text, struct err *err)
{
    char *copy = memory_copy(text);
    int rc = apply_cut_override(m, copy, err) == 0 ? 0 : err_at(err, "--set %s", text);

    free(copy);
    return rc;
}

static struct machine_spec *new_spec(const char *name)
{
    struct machine_spec *m = memory_zeroed(1, sizeof *m);

    m->name = memory_copy(name);
    for (size_t t = 0; t < spec_n_tables; t++) {
        const struct param_list *list = spec_tables[t]->list;
        BUG_ON(spec_tables[t]->n_rows + (list ? list->most : 0) > SPEC_MAX_ROWS);
        param_defaults(spec_tables[t], spec_object(m, t));
    }
    return m;
}

/* Read and check a whole machine or, without `whole`, a memory part. */
static int load_spec(struct machine_spec **out, const char *name, bool whole,
                     const char *const *set, size_t n_set, struct err *err)
{
    char own[CATALOG_BASE];

    if (catalog_rename(own, sizeof own, name, err) != 0)
        return -1;
    struct machine_spec *m = new_spec(own);
    int rc = apply_chain(m, own, err);

    for (size_t i = 0; rc == 0 && i < n_set; i++)
        rc = apply_override(m, set[i], err);
    if (rc == 0)
        rc = whole ? spec_check(m, err) : spec_check_dram(&m->dram, err);
    if (rc != 0) {
        spec_free(m);
        return -1;
    }
    *out = m;
    return 0;
}

int spec_load(struct machine_spec **out, const char *name, const char *const *set, size_t n_set,
              struct err *err)
{
    return load_spec(out, name, true, set, n_set, err);
}

int spec_dram(struct dram_params *out, const char *name, bool part, const char *const *set,
              size_t n_set, struct err *err)
{
    struct machine_spec *m;

    if (part && !catalog_is_path(name) && !embedded_find(name))
        return spec_no_part(name, err);
    if (load_spec(&m, name, !part, set, n_set, err) != 0)
        return -1;
    *out = m->dram;
    spec_free(m);
    return 0;
}

void spec_free(struct machine_spec *m)
{
    if (!m)
        return;
    for (size_t t = 0; t < SPEC_N_TABLES; t++)
        for (size_t r = 0; r < SPEC_MAX_ROWS; r++)
            free(m->source[t][r]);
    for (size_t i = 0; i < m->n_changed; i++)
        free(m->changed[i]);
    free(m->changed);
    for (size_t i = 0; i < m->n_files; i++)
        free(m->file[i]);
    free(m->file);
    free(m->summary);
    free(m->name);
    free(m);
}
