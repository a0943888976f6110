/* Costs of mixes, walked on the exact model of a channel when they first occur. */
#include "hw/hbm/hbm_part.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wide.h"
#include "hw/hbm/hbm_learnt.h"

/* A walk counts at least this many accesses, after one turn of each stream. */
#define ACCESSES 8192
/* Longest turn that is walked, in accesses: there a change of direction costs less than 1 %. */
#define LONGEST 4096
/* Accesses of a channel after which a stream goes on elsewhere: 1 MiB on 32 channels of 64 B. */
#define SPAN 512
/* Any number; fixed, so that runs repeat. */
#define SEED 20

/* A channel of the part as mixes are walked on it. */
static struct dram_params channel_of(const struct dram_params *par)
{
    struct dram_params one = *par;

    one.stacks = one.channels = 1;
    if (one.refresh == HBM_REFRESH_ALL)
        one.refresh = HBM_REFRESH_NONE;
    return one;
}

/* A clock is stated to a millionth: what is within that is the same peak. */
#define SAME_PEAK 1000

static uint64_t find_faster(const struct dram_params *par, uint64_t bytes_per_s)
{
    uint64_t own = dram_bytes_per_s(par);

    BUG_ON(bytes_per_s == 0);
    return own > bytes_per_s + bytes_per_s / SAME_PEAK
               ? (uint64_t)((u128)own * HBM_FINE / bytes_per_s)
               : HBM_FINE;
}

void hbm_part_init(struct hbm_part *p, const struct dram_params *par, uint64_t turn_bytes,
                   uint64_t bytes_per_s)
{
    struct err err;
    uint64_t turn = turn_bytes / (dram_channels(par) * par->access);

    *p = (struct hbm_part){ .par = *par, .faster = find_faster(par, bytes_per_s) };
    BUG_ON(hbm_timing_init(&p->t, par, &err) != 0);
    BUG_ON(hbm_map_init(&p->map, par, &err) != 0);
    p->turn = turn > LONGEST ? LONGEST : turn ? (uint32_t)turn : 1;
    struct dram_params one = channel_of(par);
    p->walked = hbm_walked_part(&one, p->turn);
}

void hbm_part_free(struct hbm_part *p)
{
    for (uint32_t i = 0; i < p->n_mixtures; i++)
        free(p->mixture[i].seen);
    free(p->mixture);
    p->mixture = NULL;
    p->n_mixtures = p->room = 0;
}

static struct hbm_mix mix_of_key(hbm_mix_key key)
{
    struct hbm_mix mix = { 0 };

    /* readers take their turns first, as in hbm.c */
    for (uint32_t i = 0; i < HBM_KINDS; i++) {
        uint32_t kind = i < HBM_KINDS / 2 ? 2 * i : 2 * i + 1 - HBM_KINDS;
        for (uint32_t n = (uint32_t)(key >> 5 * kind) & 31; n; n--) {
            BUG_ON(mix.n == HBM_MIX_MAX);
            mix.kind[mix.n++] = (uint8_t)kind;
        }
    }
    return mix;
}

static struct hbm_mix_course course_of(const struct hbm_part *p, const struct hbm_mix *mix)
{
    struct hbm_mix_course c = { .turn = p->turn,
                                .span = p->turn > SPAN ? p->turn : SPAN,
                                .skip = (uint64_t)mix->n * p->turn,
                                .seed = SEED };

    c.accesses = (ACCESSES + c.skip - 1) / c.skip * c.skip;
    return c;
}

void hbm_part_walk(const struct hbm_part *p, hbm_mix_key key, struct hbm_mixed *out)
{
    struct hbm_mix mix = mix_of_key(key);
    struct hbm_mix_course course = course_of(p, &mix);
    struct dram_params one = channel_of(&p->par);

    hbm_mix_walk(&one, &mix, &course, out);
}

const struct hbm_mixture *hbm_part_seen(struct hbm_part *p, uint32_t mixture)
{
    struct hbm_mixture *m = &p->mixture[mixture];

    if (m->seen)
        return m;
    const struct hbm_walked *before = hbm_walked_find(p->walked, m->key);
    struct hbm_walked learnt;
    struct hbm_mix mix = mix_of_key(m->key);
    m->seen = memory_zeroed(1, sizeof *m->seen);
    if (!before && hbm_learnt_find(p->walked, m->key, &learnt))
        before = &learnt;
    if (before) {
        *m->seen = (struct hbm_mixed){ .cycles = before->cycles, .st = before->st };
    } else {
        hbm_part_walk(p, m->key, m->seen);
        learnt = (struct hbm_walked){ p->walked, (uint64_t)(m->key >> 64), (uint64_t)m->key,
                                      m->seen->cycles, m->seen->st };
        hbm_learnt_add(&learnt);
    }
    m->accesses = course_of(p, &mix).accesses;
    return m;
}

static uint32_t find_mixture(const struct hbm_part *p, hbm_mix_key key)
{
    uint32_t i = 0;

    while (i < p->n_mixtures && p->mixture[i].key != key)
        i++;
    return i;
}

static uint32_t add_mixture(struct hbm_part *p, hbm_mix_key key)
{
    MEMORY_GROW(p->mixture, p->n_mixtures + 1, p->room);
    p->mixture[p->n_mixtures] = (struct hbm_mixture){ .key = key };
    return p->n_mixtures++;
}

/* The ratio r of hbm_part.h for mixture `i`, in 1 / HBM_FINE; at least HBM_FINE. */
static uint64_t cost_ratio(struct hbm_part *p, uint32_t i, bool writes)
{
    uint32_t alone = hbm_part_mix(p, hbm_mix_one(writes));
    u128 lone = (u128)hbm_part_seen(p, alone)->seen->cycles * hbm_part_seen(p, i)->accesses;
    u128 here = (u128)p->mixture[i].seen->cycles * p->mixture[alone].accesses;
    uint64_t r = (uint64_t)((here * HBM_FINE + lone / 2) / lone);

    r = p->faster > HBM_FINE ? (uint64_t)((u128)r * HBM_FINE / p->faster) : r;
    return r > HBM_FINE ? r : HBM_FINE;
}

/* Share the cost of a round of bursts among the streams of a mix, as hbm_part.h says. */
static void share_round(struct hbm_part *p, uint32_t i, const struct hbm_mix *mix)
{
    uint64_t alone[HBM_MIX_MAX], sum = 0, base = (uint64_t)mix->n * HBM_FINE;
    bool writes = true;

    for (uint32_t s = 0; s < mix->n; s++) {
        uint32_t kind = mix->kind[s];
        uint32_t one = hbm_part_mix(p, hbm_mix_one(kind)); /* may reallocate p->mixture */
        alone[s] = p->mixture[one].cost[kind];
        sum += alone[s];
        writes &= hbm_kind_writes(kind);
    }
    uint64_t round = mix->n * cost_ratio(p, i, writes);
    for (uint32_t s = 0; s < mix->n; s++)
        p->mixture[i].cost[mix->kind[s]] =
            (uint32_t)(round >= sum
                           ? (alone[s] * round + sum / 2) / sum
                           : HBM_FINE + ((alone[s] - HBM_FINE) * (round - base)) / (sum - base));
}

uint32_t hbm_part_mix_other(struct hbm_part *p, hbm_mix_key key)
{
    uint32_t i = p->recent[hbm_part_place(key)] = find_mixture(p, key);

    if (i < p->n_mixtures)
        return i;
    i = add_mixture(p, key);
    struct hbm_mix mix = mix_of_key(key);
    uint32_t kind = mix.kind[0];
    if (mix.n > 1) {
        share_round(p, i, &mix);
    } else {
        uint64_t cost = hbm_kind_is_rows(kind) ? cost_ratio(p, i, hbm_kind_writes(kind)) : HBM_FINE;
        p->mixture[i].cost[kind] = (uint32_t)cost;
    }
    return i;
}

/* Accesses of a row that lie in the channel of its first access. */
static uint64_t count_in_channel(const struct hbm_part *p, uint64_t row_bytes)
{
    uint64_t n = (row_bytes + p->par.access - 1) / p->par.access, all = 0;
    uint32_t first = hbm_map_place(&p->map, 0).channel;

    /* a whole period of the map loads all channels equally */
    if (n >= p->map.period)
        return n / dram_channels(&p->par);
    for (uint64_t i = 0; i < n; i++)
        all += hbm_map_place(&p->map, i).channel == first;
    return all;
}

uint32_t hbm_part_rows(struct hbm_part *p, uint64_t row_bytes, bool write)
{
    if (p->row_bytes != row_bytes) {
        uint64_t n = count_in_channel(p, row_bytes);
        uint32_t s = 0;
        while (n >> 1 >> s)
            s++;
        p->row_bytes = row_bytes;
        p->row_kind = s < HBM_MIX_ROWS ? 2 * (1 + s) : 0;
    }
    return p->row_kind + write;
}
