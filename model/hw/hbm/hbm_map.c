/* Reading an address map, and splitting addresses by it. */
#include "hw/hbm/hbm_map.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[HBM_N_FIELDS] = { "ch", "pc", "bg", "ba", "co", "ro" };

static int refuse_map(const struct dram_params *par, struct err *err, const char *what,
                      const char *name)
{
    return err_set(err, ERR_FORMAT, "dram.map = %s: %s '%.2s'", par->map.text, what, name);
}

static int field_of_name(const char *name)
{
    for (int f = 0; f < HBM_N_FIELDS; f++)
        if (strncmp(names[f], name, 2) == 0)
            return f;
    return -1;
}

/* Read the text of a map from the top: fields and their bits, 0 where none are given.  Returns the
 * number of fields, or -1. */
static int split_fields(const struct dram_params *par, enum hbm_field field[], uint32_t bits[],
                        struct err *err)
{
    int n = 0;

    for (const char *at = par->map.text; *at;) {
        if (*at == ' ') {
            at++;
            continue;
        }
        int f = strlen(at) < 2 ? -1 : field_of_name(at);
        if (f < 0) {
            const char *near = err_nearest(at, names, HBM_N_FIELDS);
            err_set(err, ERR_FORMAT, "dram.map = %s: unknown field '%.2s'%s%s%s", par->map.text, at,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
            return -1;
        }
        if (n == HBM_MAP_DIGITS)
            return err_set(err, ERR_FORMAT, "dram.map = %s: more than %d fields", par->map.text,
                           HBM_MAP_DIGITS);
        char *end;
        unsigned long b = strtoul(at + 2, &end, 10);
        if (at[2] < '0' || at[2] > '9') {
            b = 0;
            end = (char *)(uintptr_t)(at + 2);
        } else if (b == 0 || b > 24) {
            return refuse_map(par, err, "expected 1 to 24 bits of", at);
        }
        field[n] = (enum hbm_field)f;
        bits[n++] = (uint32_t)b;
        at = end;
    }
    return n;
}

int hbm_map_init(struct hbm_map *m, const struct dram_params *par, struct err *err)
{
    enum hbm_field field[HBM_MAP_DIGITS];
    uint32_t bits[HBM_MAP_DIGITS];
    uint64_t left[HBM_N_FIELDS] = {
        [HBM_CH] = dram_channels(par),
        [HBM_PC] = par->pseudo_channels,
        [HBM_BG] = par->groups,
        [HBM_BA] = par->banks,
        [HBM_CO] = par->row_bytes / par->access,
        [HBM_RO] = 1,
    };
    uint32_t weight[HBM_N_FIELDS] = { 1, 1, 1, 1, 1, 1 };
    bool whole[HBM_N_FIELDS] = { false };
    int n = split_fields(par, field, bits, err);

    if (n < 0)
        return -1;
    uint64_t spare[HBM_N_FIELDS]; /* what is left for fields without bits */
    memcpy(spare, left, sizeof spare);
    for (int i = 0; i < n; i++)
        spare[field[i]] /= bits[i] ? UINT64_C(1) << bits[i] : 1;
    *m = (struct hbm_map){
        .groups = par->groups, .banks = par->banks, .access = par->access, .period = 1
    };
    for (int i = n; i-- > 0;) {
        enum hbm_field f = field[i];
        uint64_t base = bits[i] ? UINT64_C(1) << bits[i] : spare[f];
        if (base == 0 || left[f] % base || (!bits[i] && whole[f]))
            return refuse_map(par, err, "too many bits of", names[f]);
        if (f == HBM_RO && (i != 0 || bits[i]))
            return refuse_map(par, err, "expected at the top, without bits, the field", names[f]);
        whole[f] |= !bits[i];
        left[f] /= base;
        if (f != HBM_RO && base == 1)
            continue;
        m->digit[m->n_digits++] = (struct hbm_digit){ f, (uint32_t)base, weight[f] };
        weight[f] *= (uint32_t)base;
        m->period *= f == HBM_RO ? 1 : base;
    }
    for (int f = 0; f < HBM_N_FIELDS; f++)
        if (left[f] > 1 || (f == HBM_RO && !whole[f]))
            return refuse_map(par, err, "lacks bits of", names[f]);
    return 0;
}

struct hbm_place hbm_map_place(const struct hbm_map *m, uint64_t n)
{
    uint32_t value[HBM_N_FIELDS] = { 0 };

    for (uint32_t i = 0; i + 1 < m->n_digits; i++) {
        const struct hbm_digit *d = &m->digit[i];
        uint64_t rest = n / d->base;
        value[d->field] += (uint32_t)(n - rest * d->base) * d->weight;
        n = rest;
    }
    return (struct hbm_place){ value[HBM_CH],
                               (value[HBM_PC] * m->groups + value[HBM_BG]) * m->banks +
                                   value[HBM_BA],
                               value[HBM_CO], n };
}
