/* One trial: a replay of a request that differs, and its gain. */
#include <string.h>

#include "base/exact.h"
#include "study/trial.h"
#include "traces/gen.h"

bool trial_replay(struct run_request q, struct run_result *r, struct run_result *other)
{
    struct err ignored;

    q.observer = NULL;
    q.n_observers = 0;
    q.progress = NULL;
    q.epochs = 0;
    if (run_replay(&q, other, &ignored) != 0)
        return false;
    r->trials.replays++;
    r->trials.events += other->events;
    return true;
}

int32_t trial_permille(const mpq_t x, const mpq_t y)
{
    EXACT_Q(q);
    EXACT_Q(thousand);
    EXACT_Z(z);

    mpq_set_ui(thousand, 1000, 1);
    mpq_div(q, x, y);
    mpq_mul(q, q, thousand);
    mpq_sub(q, q, thousand);
    mpz_tdiv_q(z, mpq_numref(q), mpq_denref(q));
    return mpz_cmpabs_ui(z, 1000000) > 0 ? 1000000 : (int32_t)mpz_get_si(z);
}
