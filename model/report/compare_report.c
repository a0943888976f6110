#include "report/compare_report.h"

#include <string.h>

#include "base/exact.h"
#include "run/epoch.h"

bool report_compare_fits(const struct report_verdict *v)
{
    return v->result && v->result->fits;
}

bool report_compare_any_fits(const struct report_comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (report_compare_fits(&c->verdict[i]))
            return true;
    return false;
}

bool report_compare_any_ran(const struct report_comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->verdict[i].result)
            return true;
    return false;
}

const struct run_slice *report_compare_smallest_of_all(const struct report_comparison *c)
{
    const struct run_slice *least = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct run_result *r = c->verdict[i].result;
        if (!r || r->fits || !*r->smallest.machine)
            continue;
        const struct run_slice *s = &r->smallest;
        if (!least || s->chips < least->chips ||
            (s->chips == least->chips && s->capacity < least->capacity))
            least = s;
    }
    return least;
}

void report_compare_times_capacity(mpq_t q, const struct run_result *r)
{
    /* a machine that was built has memory; results of tests may have none */
    exact_ratio(q, r->peak_bytes_per_core,
                r->capacity_bytes_per_core ? r->capacity_bytes_per_core : 1);
}

bool report_compare_time(mpq_t q, const struct run_result *r)
{
    mpq_inv(q, r->samples_per_second);
    return true;
}

bool report_compare_cost(mpq_t q, const struct run_result *r)
{
    epoch_million_samples(q, r, r->usd_per_hour);
    return r->has_price;
}

bool report_compare_size(mpq_t q, const struct run_result *r)
{
    exact_ratio(q, r->capacity_bytes_per_core, 1);
    mpq_div_2exp(q, q, 64); /* less than a chip */
    EXACT_Q(chips);
    exact_ratio(chips, r->chips, 1);
    exact_sum(q, chips);
    return true;
}

bool report_compare_proportion(mpq_t times, uint64_t *samples, const struct run_result *r)
{
    uint64_t stay = r->memory.persistent;

    *samples = 0;
    if (r->memory.total <= stay || r->capacity_bytes_per_core <= stay)
        return false;
    exact_ratio(times, r->capacity_bytes_per_core - stay, r->memory.total - stay);
    EXACT_Q(core);
    EXACT_Z(whole);
    mpq_set_z(core, r->samples_per_step);
    mpz_set_ui(mpq_denref(core), r->cores);
    mpq_canonicalize(core);
    mpq_mul(core, core, times);
    mpz_fdiv_q(whole, mpq_numref(core), mpq_denref(core));
    if (!r->samples_unknown && mpz_fits_ulong_p(whole))
        *samples = mpz_get_ui(whole);
    return true;
}

const char *report_compare_label(const struct report_verdict *v)
{
    return v->label ? v->label : v->machine;
}

bool report_compare_by_step(const struct report_comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->verdict[i].result && c->verdict[i].result->samples_unknown)
            return true;
    return false;
}

/* True if FLOPs of a sample differ by more than REPORT_SAME_WORK; where FLOPs or samples are not
 * known, the names decide. */
static bool is_other_work(const struct run_result *a, const struct run_result *b)
{
    bool named_alike = strcmp(a->workload, b->workload) == 0;

    EXACT_Q(x);
    EXACT_Q(y);
    EXACT_Q(most);
    mpq_set_z(x, a->samples_per_step);
    mpq_set_z(y, b->samples_per_step);
    if (a->samples_unknown || b->samples_unknown || mpq_sgn(x) == 0 || mpq_sgn(y) == 0 ||
        mpq_sgn(a->model_flops) == 0 || mpq_sgn(b->model_flops) == 0)
        return !named_alike;
    mpq_div(x, a->model_flops, x);
    mpq_div(y, b->model_flops, y);
    mpq_div(y, y, x);
    if (mpq_cmp_ui(y, 1, 1) < 0)
        mpq_inv(y, y);
    mpq_set_ui(most, 100 + (named_alike ? REPORT_SAME_WORK_NAMED : REPORT_SAME_WORK), 100);
    mpq_canonicalize(most);
    return mpq_cmp(y, most) > 0;
}

bool report_compare_other_work(const struct report_comparison *c)
{
    const struct report_verdict *first = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        if (!v->result || !v->trace)
            continue;
        if (first && strcmp(first->trace, v->trace) != 0 && is_other_work(first->result, v->result))
            return true;
        first = first ? first : v;
    }
    return false;
}

bool report_compare_unequal(const struct report_comparison *c)
{
    const struct run_result *first = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct run_result *r = c->verdict[i].result;
        if (r && first && mpz_cmp(r->samples_per_step, first->samples_per_step) != 0)
            return true;
        first = r ? r : first;
    }
    return false;
}

static bool is_candidate(const struct report_comparison *c, const struct report_verdict *v,
                         const struct report_choice *choice)
{
    const struct run_result *r = v->result;

    return report_compare_fits(v) && (!choice->verified || r->price_verified) &&
           (!choice->in_time || (r->has_epoch && mpq_cmp(r->seconds_per_epoch, c->deadline) <= 0));
}

static bool find_figure(mpq_t q, const struct report_comparison *c,
                        const struct report_choice *choice, const struct run_result *r)
{
    if (!report_compare_by_step(c) || choice->figure == report_compare_size)
        return choice->figure(q, r);
    if (choice->figure == report_compare_time)
        mpq_set(q, r->seconds_per_step);
    else
        cost_usd(q, r->usd_per_hour, r->seconds_per_step);
    return choice->figure == report_compare_time || r->has_price;
}

/* sum += the square of the error to expect. */
static void add_square(mpq_t sum, const struct run_result *r)
{
    EXACT_Q(error);
    exact_ratio(error, r->expected.permille, 1000);
    mpq_mul(error, error, error);
    exact_sum(sum, error);
}

/* Is figure `other` of r as near to figure `best` of w as their errors to expect, or is too much of
 * either step not known? */
static bool is_open(const mpq_t best, const struct run_result *w, const mpq_t other,
                    const struct run_result *r)
{
    EXACT_Q(room);
    EXACT_Q(off);
    EXACT_Q(one);

    if (mpq_sgn(best) <= 0) /* free of charge, which no error changes */
        return false;
    if (account_is_unknown(&w->account) || account_is_unknown(&r->account))
        return true;
    mpq_div(off, other, best);
    if (w->expected.cases == 0 || r->expected.cases == 0)
        return mpq_cmp_ui(off, REPORT_COMPARE_APART, 1) <= 0;
    add_square(room, w);
    add_square(room, r);
    mpq_set_ui(one, 1, 1);
    mpq_sub(off, off, one);
    mpq_mul(off, off, off);
    return mpq_cmp(off, room) <= 0;
}

size_t report_compare_open(bool *open, const bool *win, const struct report_comparison *c,
                           const struct report_choice *choice)
{
    const struct run_result *winner = NULL;
    size_t n = 0;

    EXACT_Q(best);
    EXACT_Q(q);
    for (size_t i = 0; i < c->n; i++) {
        open[i] = false;
        if (win[i] && find_figure(best, c, choice, c->verdict[i].result))
            winner = c->verdict[i].result;
    }
    for (size_t i = 0; i < c->n && winner && choice->figure != report_compare_size; i++) {
        const struct report_verdict *v = &c->verdict[i];
        if (win[i] || !is_candidate(c, v, choice) || !find_figure(q, c, choice, v->result))
            continue;
        open[i] = is_open(best, winner, q, v->result);
        n += open[i];
    }
    return n;
}

const char *report_compare_decides(const struct run_result *r)
{
    static const char *const words[RUN_N_WAYS] = {
        [RUN_WAY_HAND] = "the compiled program, a profile or a timed step",
        [RUN_WAY_COMPILED] = "a profile of the program or a timed step",
        [RUN_WAY_RECORDED] = "a step recorded or timed on these machines",
        [RUN_WAY_CHAKRA] = "a step recorded or timed on these machines",
    };

    return words[r->expected.way];
}

size_t report_compare_best(bool *win, const struct report_comparison *c,
                           const struct report_choice *choice)
{
    size_t n = 0;
    bool none = choice->figure != report_compare_size && report_compare_other_work(c);

    EXACT_Q(best);
    EXACT_Q(q);
    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        win[i] = !none && is_candidate(c, v, choice) && find_figure(q, c, choice, v->result);
        if (!win[i] || (n > 0 && mpq_cmp(q, best) > 0)) {
            win[i] = false;
            continue;
        }
        if (n > 0 && mpq_cmp(q, best) < 0) {
            for (size_t k = 0; k < i; k++)
                win[k] = false;
            n = 0;
        }
        mpq_set(best, q);
        n++;
    }
    return n;
}

size_t report_compare_in_time(bool *win, const struct report_comparison *c)
{
    const struct report_choice any = { .in_time = true };
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += win[i] = is_candidate(c, &c->verdict[i], &any);
    return n;
}
