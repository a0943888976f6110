#include "base/amounts.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/memory.h"

static const mp_limb_t one = 1;
static const __mpq_struct zero = { { ._mp_size = 0, ._mp_d = (mp_limb_t *)&one },
                                   { ._mp_size = 1, ._mp_d = (mp_limb_t *)&one } };

/* Where number `i` stands, or would. */
static unsigned find_place(const struct amounts *p, unsigned i)
{
    return (unsigned)__builtin_popcountll(p->made & ((UINT64_C(1) << i) - 1));
}

mpq_srcptr amounts_get(const struct amounts *p, unsigned i)
{
    return p->made >> i & 1 ? p->amount[find_place(p, i)] : &zero;
}

mpq_ptr amounts_at(struct amounts *p, unsigned i)
{
    BUG_ON(i >= AMOUNTS_MOST);
    unsigned at = find_place(p, i), n = (unsigned)__builtin_popcountll(p->made);

    if (!(p->made >> i & 1)) {
        p->amount = memory_resize(p->amount, n + 1, sizeof *p->amount);
        for (unsigned k = n; k > at; k--)
            *p->amount[k] = *p->amount[k - 1];
        mpq_init(p->amount[at]);
        p->made |= UINT64_C(1) << i;
    }
    return p->amount[at];
}

mpq_ptr amounts_next(const struct amounts *p, int *i)
{
    unsigned from = (unsigned)(*i + 1);
    uint64_t left = from < AMOUNTS_MOST ? p->made >> from << from : 0;

    if (!left)
        return NULL;
    *i = __builtin_ctzll(left);
    return p->amount[find_place(p, (unsigned)*i)];
}

void amounts_add(struct amounts *sum, const struct amounts *p)
{
    mpq_srcptr q;

    for (int i = -1; (q = amounts_next(p, &i));)
        if (mpq_sgn(q))
            exact_sum(amounts_at(sum, (unsigned)i), q);
}

void amounts_sum(mpq_ptr q, const struct amounts *p)
{
    mpq_srcptr amount;

    for (int i = -1; (amount = amounts_next(p, &i));)
        exact_sum(q, amount);
}

unsigned amounts_largest(const struct amounts *p, uint64_t among)
{
    BUG_ON(!among);
    unsigned best = (unsigned)__builtin_ctzll(among);

    for (unsigned i = best + 1; i < AMOUNTS_MOST; i++)
        if (among >> i & 1 && mpq_cmp(amounts_get(p, i), amounts_get(p, best)) > 0)
            best = i;
    return best;
}

void amounts_clear(struct amounts *p)
{
    mpq_ptr q;

    for (int i = -1; (q = amounts_next(p, &i));)
        mpq_clear(q);
    free(p->amount);
    *p = (struct amounts){ 0 };
}
