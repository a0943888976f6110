#include "hw/hbm/hbm_walked.h"

#include <string.h>
#include <xxhash.h>

uint64_t hbm_walked_part(const struct dram_params *one, uint32_t turn)
{
    uint64_t sum = turn;

    for (size_t i = 0; i < dram_param_table.n_rows; i++) {
        const struct param_desc *d = &dram_param_table.rows[i];
        if (d->kind == PARAM_TEXT) {
            const char *text = ((const struct param_string *)((const char *)one + d->offset))->text;
            sum = XXH64(text, strlen(text), sum);
        } else {
            uint64_t value = param_stored(d, one);
            sum = XXH64(&value, sizeof value, sum);
        }
    }
    return sum;
}

static int compare_rows(const struct hbm_walked *a, uint64_t part, uint64_t high, uint64_t low)
{
    if (a->part != part)
        return a->part < part ? -1 : 1;
    if (a->high != high)
        return a->high < high ? -1 : 1;
    return a->low < low ? -1 : a->low > low;
}

const struct hbm_walked *hbm_walked_find(uint64_t part, hbm_mix_key key)
{
    uint32_t from = 0, to = hbm_walked_n;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const struct hbm_walked *row = &hbm_walked_rows[middle];
        int order = compare_rows(row, part, (uint64_t)(key >> 64), (uint64_t)key);
        if (order == 0)
            return row;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}
