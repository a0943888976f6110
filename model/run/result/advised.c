#include "run/result/advised.h"

#include <stdlib.h>

#include "base/exact.h"
#include "base/memory.h"

struct place {
    const struct run_row *row;
    mpq_t worth;
};

void advised_wasted(mpq_t q, const struct run_slots *s)
{
    mpq_sub(q, s->capacity, amounts_get(&s->use, USE_USEFUL));
}

/* Most first; of equals the earlier one. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = mpq_cmp(y->worth, x->worth);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

const struct run_row **advised_order(const struct run_row *rows, size_t n, bool ledger)
{
    const struct run_row **order = memory_zeroed(n + 1, sizeof *order);
    struct place *place = memory_zeroed(n + 1, sizeof *place);

    for (size_t i = 0; i < n; i++) {
        place[i].row = &rows[i];
        mpq_init(place[i].worth);
        if (ledger)
            advised_wasted(place[i].worth, &rows[i].slots);
        else
            mpq_set(place[i].worth, rows[i].seconds);
    }
    qsort(place, n, sizeof *place, compare_places);
    for (size_t i = 0; i < n; i++) {
        order[i] = place[i].row;
        mpq_clear(place[i].worth);
    }
    free(place);
    return order;
}

bool advised_is_worth(const struct run_row *row, const struct run_result *r)
{
    EXACT_Q(least);
    EXACT_Q(worth);
    exact_ratio(least, 1, 100);
    mpq_mul(least, least, r->mxus ? r->slots.capacity : r->seconds_per_step);
    if (r->mxus)
        advised_wasted(worth, &row->slots);
    else
        mpq_set(worth, row->seconds);
    return row->n_advice > 0 && mpq_cmp(worth, least) >= 0;
}
