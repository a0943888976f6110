/* The period of a stream, and walks over streams and random chunks. */
#include "hw/hbm/hbm_traffic.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wide.h"

#define MAX_PERIOD (UINT64_C(1) << 22) /* accesses; 32 MiB */

const char *const hbm_pattern_name[HBM_N_PATTERNS] = {
    "seq", "copy", "triad", "random", "strided",
};

static uint64_t find_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int check_whole(const struct hbm_map *map, const char *key, uint64_t bytes, struct err *err)
{
    if (bytes == 0 || bytes % map->access)
        return err_set(err, ERR_RANGE, "%s=%llu: expected a multiple of %llu B, one access", key,
                       (unsigned long long)bytes, (unsigned long long)map->access);
    return 0;
}

/* Access `i` of the period: chunk by chunk, arrays in turn. */
static struct hbm_access access_of_index(const struct hbm_traffic *w, uint64_t i, uint64_t stride)
{
    static const bool written[HBM_N_PATTERNS][3] = {
        [HBM_COPY] = { false, true }, [HBM_TRIAD] = { false, false, true }
    };
    uint64_t chunk = i / w->per_chunk, array = chunk % w->arrays;
    uint64_t n =
        array * (w->load.apart / w->map->access) + chunk / w->arrays * stride + i % w->per_chunk;
    struct hbm_place p = hbm_map_place(w->map, n);
    bool write = w->load.write || written[w->load.pattern][array];

    return (struct hbm_access){ (uint32_t)p.row, (uint16_t)p.channel, (uint8_t)p.bank, write };
}

static int work_out_period(struct hbm_traffic *w, struct err *err)
{
    uint64_t step = w->load.pattern == HBM_STRIDED ? w->load.stride : w->load.size;
    uint64_t stride = step / w->map->access, period = w->map->period;
    uint64_t steps = period / find_gcd(period, stride);

    if (steps > MAX_PERIOD / ((uint64_t)w->arrays * w->per_chunk))
        return err_set(err, ERR_RANGE,
                       "size=%llu: so large a chunk at such a stride recurs only after more than "
                       "%llu accesses",
                       (unsigned long long)w->load.size, (unsigned long long)MAX_PERIOD);
    w->n_period = steps * w->arrays * w->per_chunk;
    w->row_step = (uint64_t)((u128)steps * stride / period);
    w->period = memory_zeroed(w->n_period, sizeof *w->period);
    w->of = memory_zeroed(w->n_period, sizeof *w->of);
    w->first = memory_zeroed(w->channels + 1, sizeof *w->first);
    for (uint64_t i = 0; i < w->n_period; i++) {
        w->period[i] = access_of_index(w, i, stride);
        w->first[w->period[i].channel + 1]++;
    }
    for (uint32_t c = 0; c < w->channels; c++)
        w->first[c + 1] += w->first[c];
    uint32_t *next = memory_zeroed(w->channels, sizeof *next);
    for (uint64_t i = 0; i < w->n_period; i++) {
        uint32_t c = w->period[i].channel;
        w->of[w->first[c] + next[c]++] = (uint32_t)i;
    }
    free(next);
    return 0;
}

int hbm_traffic_init(struct hbm_traffic *w, const struct hbm_load *load, const struct hbm_map *map,
                     const struct dram_params *par, struct err *err)
{
    *w = (struct hbm_traffic){ .load = *load, .map = map, .channels = dram_channels(par) };
    w->arrays = load->pattern == HBM_COPY ? 2 : load->pattern == HBM_TRIAD ? 3 : 1;
    if (check_whole(map, "size", load->size, err) != 0 ||
        (load->pattern == HBM_STRIDED && check_whole(map, "stride", load->stride, err) != 0) ||
        (w->arrays > 1 && check_whole(map, "apart", load->apart, err) != 0))
        return -1;
    if (load->size > dram_bytes(par) || load->size / map->access > MAX_PERIOD)
        return err_set(
            err, ERR_RANGE,
            "size=%llu: a chunk holds at most %llu accesses, and no more than the memory's "
            "%llu B",
            (unsigned long long)load->size, (unsigned long long)MAX_PERIOD,
            (unsigned long long)dram_bytes(par));
    uint64_t round = load->size * w->arrays;
    w->per_chunk = (uint32_t)(load->size / map->access);
    w->accesses = (load->bytes / round + (load->bytes % round != 0)) * w->arrays * w->per_chunk;
    w->places = dram_bytes(par) / load->size;
    return load->pattern == HBM_RANDOM ? 0 : work_out_period(w, err);
}

void hbm_traffic_free(struct hbm_traffic *w)
{
    free(w->period);
    free(w->of);
    free(w->first);
}

/* --- walking ------------------------------------------------------------------------------ */

#define ALL UINT32_MAX

/* splitmix64 */
static uint64_t draw_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void take_stream_access(struct hbm_walk *k)
{
    const struct hbm_traffic *w = k->w;

    k->cur = w->period[k->of ? k->of[k->at] : k->at];
    k->cur.row += (uint32_t)(k->periods * w->row_step);
}

/* The next access of the chunk at hand, or of a new one.  A walk of one channel takes the accesses
 * that lie in the channel of the chunk's first access, as if that were its own channel. */
static void take_random_access(struct hbm_walk *k)
{
    const struct hbm_traffic *w = k->w;
    struct hbm_place p;

    for (;;) {
        bool fresh = k->in_chunk == w->per_chunk;
        if (fresh) {
            k->place = (uint64_t)((u128)draw_number(&k->state) * w->places >> 64) * w->per_chunk;
            k->in_chunk = 0;
        }
        p = hbm_map_place(w->map, k->place + k->in_chunk++);
        if (fresh && k->channel != ALL)
            k->n = p.channel;
        if (k->channel == ALL || k->n == p.channel)
            break;
    }
    k->cur = (struct hbm_access){ (uint32_t)p.row,
                                  (uint16_t)(k->channel == ALL ? p.channel : k->channel),
                                  (uint8_t)p.bank, w->load.write };
}

static void load_access(struct hbm_walk *k)
{
    if (!k->left)
        return;
    if (k->w->load.pattern == HBM_RANDOM)
        take_random_access(k);
    else
        take_stream_access(k);
}

void hbm_walk_all(struct hbm_walk *k, const struct hbm_traffic *w)
{
    *k = (struct hbm_walk){ .w = w,
                            .left = w->accesses,
                            .n = w->n_period,
                            .state = w->load.seed,
                            .in_chunk = w->per_chunk,
                            .channel = ALL };
    load_access(k);
}

void hbm_walk_channel(struct hbm_walk *k, const struct hbm_traffic *w, uint32_t channel)
{
    *k = (struct hbm_walk){ .w = w, .in_chunk = w->per_chunk, .channel = channel };
    if (w->load.pattern == HBM_RANDOM) {
        k->state = w->load.seed + channel;
        draw_number(&k->state);
        k->left = w->accesses / w->channels + (channel < w->accesses % w->channels);
    } else {
        uint64_t rest = w->accesses % w->n_period;
        k->of = w->of + w->first[channel];
        k->n = w->first[channel + 1] - w->first[channel];
        k->left = w->accesses / w->n_period * k->n;
        for (uint64_t i = 0; i < k->n && k->of[i] < rest; i++)
            k->left++;
    }
    load_access(k);
}

void hbm_walk_next(struct hbm_walk *k)
{
    if (--k->left == 0)
        return;
    if (k->w->load.pattern == HBM_RANDOM) {
        take_random_access(k);
        return;
    }
    if (++k->at == k->n) {
        k->at = 0;
        k->periods++;
    }
    take_stream_access(k);
}

void hbm_walk_skip(struct hbm_walk *k, uint64_t periods)
{
    BUG_ON(k->w->load.pattern == HBM_RANDOM || k->left / k->n < periods);
    k->left -= periods * k->n;
    k->periods += periods;
    load_access(k);
}
