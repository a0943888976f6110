/* Open addressing.  A slot goes from EMPTY to WRITING to READY and stays; one whose writer was
 * killed stays WRITING, and is passed over. */
#include "hw/hbm/hbm_learnt.h"

#include <stdatomic.h>
#include <sys/mman.h>

#define PROBES 16

enum { EMPTY, WRITING, READY };

struct slot {
    atomic_uint state;
    struct hbm_walked row;
};

static struct slot own[HBM_LEARNT_MOST];
static struct slot *_Atomic shared; /* NULL: own */

static struct slot *find_table(void)
{
    struct slot *s = atomic_load_explicit(&shared, memory_order_acquire);

    return s ? s : own;
}

static uint32_t hash_row(uint64_t part, uint64_t high, uint64_t low)
{
    uint64_t x = (part ^ high * UINT64_C(0xff51afd7ed558ccd) ^ low) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(x >> 32);
}

static bool is_row(struct slot *s, uint64_t part, uint64_t high, uint64_t low)
{
    return atomic_load_explicit(&s->state, memory_order_acquire) == READY && s->row.part == part &&
           s->row.high == high && s->row.low == low;
}

bool hbm_learnt_find(uint64_t part, hbm_mix_key key, struct hbm_walked *row)
{
    uint64_t high = (uint64_t)(key >> 64), low = (uint64_t)key;
    uint32_t at = hash_row(part, high, low);
    struct slot *all = find_table();

    for (uint32_t i = 0; i < PROBES; i++) {
        struct slot *s = &all[(at + i) % HBM_LEARNT_MOST];
        if (is_row(s, part, high, low)) {
            *row = s->row;
            return true;
        }
    }
    return false;
}

void hbm_learnt_add(const struct hbm_walked *row)
{
    uint32_t at = hash_row(row->part, row->high, row->low);
    struct slot *all = find_table();

    for (uint32_t i = 0; i < PROBES; i++) {
        struct slot *s = &all[(at + i) % HBM_LEARNT_MOST];
        unsigned empty = EMPTY;
        if (is_row(s, row->part, row->high, row->low))
            return;
        if (!atomic_compare_exchange_strong(&s->state, &empty, WRITING))
            continue;
        s->row = *row;
        atomic_store_explicit(&s->state, READY, memory_order_release);
        return;
    }
}

void hbm_learnt_share(void)
{
    if (atomic_load(&shared))
        return;
    struct slot *s =
        mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return;
    for (uint32_t i = 0; i < HBM_LEARNT_MOST; i++)
        if (atomic_load_explicit(&own[i].state, memory_order_acquire) == READY) {
            s[i].row = own[i].row;
            atomic_store_explicit(&s[i].state, READY, memory_order_relaxed);
        }
    struct slot *none = NULL;
    if (!atomic_compare_exchange_strong(&shared, &none, s))
        munmap(s, sizeof own);
}
