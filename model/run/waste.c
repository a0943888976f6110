#include "run/waste.h"

#include <string.h>

#include "base/exact.h"

/* Multiply-accumulates a matrix unit could do in a cycle, in the mode of `row`. */
static uint64_t slots_per_cycle(const struct job *j, const struct job_row *row)
{
    uint64_t size = j->spec->mxu.size;

    return size * size * j->spec->mxu.rows_per_cycle * row->rate;
}

/* From slots of all cores in all measured steps to slots of one core in one step. */
static void divide_by_core_steps(mpq_ptr q, const struct job *j, uint64_t steps)
{
    if (mpq_sgn(q) == 0)
        return;
    mpz_mul_ui(mpq_denref(q), mpq_denref(q), steps);
    mpz_mul_ui(mpq_denref(q), mpq_denref(q), spec_cores(j->spec));
    mpq_canonicalize(q);
}

static void add_product(mpq_ptr q, uint64_t n, uint64_t times)
{
    if (n == 0)
        return;
    EXACT_Z(product);
    exact_addmul(product, n, times);
    mpz_addmul(mpq_numref(q), product, mpq_denref(q)); /* keeps q in lowest terms */
}

static void add_part(struct amounts *p, unsigned i, uint64_t n, uint64_t times)
{
    if (n && times)
        add_product(amounts_at(p, i), n, times);
}

static void sum_up(mpq_t sum, const struct run_slots *s)
{
    EXACT_Q(waiting);
    run_slots_busy(sum, s);
    run_slots_waiting(waiting, s);
    exact_sum(sum, waiting);
}

/* A busy unit may have a clock that only ticks when rows are issued: `s` counts its ticks, and is
 * stretched to the `cycles` that went by in `ticks`. */
static void stretch_slots(struct run_slots *s, uint64_t cycles, uint64_t ticks)
{
    if (cycles == ticks)
        return;
    EXACT_Q(ratio);
    EXACT_Q(busy);
    exact_ratio(ratio, cycles, ticks);
    run_slots_busy(busy, s);
    mpq_mul(s->not_issued, busy, ratio);
    mpq_sub(s->not_issued, s->not_issued, busy);
    mpq_ptr q;
    for (int c = -1; (q = amounts_next(&s->wait, &c));)
        mpq_mul(q, q, ratio);
}

static void multiply_by(mpq_ptr q, uint64_t n)
{
    if (mpq_sgn(q) == 0)
        return;
    mpz_mul_ui(mpq_numref(q), mpq_numref(q), n);
    mpq_canonicalize(q);
}

static void multiply_slots(struct run_slots *s, uint64_t n)
{
    multiply_by(s->capacity, n);
    multiply_by(s->not_issued, n);
    mpq_ptr q;
    for (int u = -1; (q = amounts_next(&s->use, &u));)
        multiply_by(q, n);
    for (int c = -1; (q = amounts_next(&s->wait, &c));)
        multiply_by(q, n);
}

/* Add the book of `cores` cores, whose books are the same. */
static void add_cores(struct run_slots *s, const struct ledger_row *b, uint32_t cores,
                      const struct job *j, uint64_t each)
{
    struct run_slots core;

    run_slots_init(&core);
    add_product(core.capacity, b->cycles, each * spec_matrix_units(j->spec));
    for (int u = 0; u < N_USES; u++)
        add_part(&core.use, (unsigned)u, b->slots[u], 1);
    for (int c = 0; c < N_CAUSES; c++)
        add_part(&core.wait, (unsigned)c, b->idle[c], each);
    if (b->ticks != 0) {
        stretch_slots(&core, b->cycles, b->ticks);
    } else {
        /* less than a tick: no unit can have had a command */
        unsigned most = 0;
        for (unsigned c = 1; c < N_CAUSES; c++)
            most = b->time[c] > b->time[most] ? c : most;
        mpq_set(amounts_at(&core.wait, most), core.capacity);
    }
    EXACT_Q(sum);
    sum_up(sum, &core);
    BUG_ON(!mpq_equal(sum, core.capacity));
    if (cores > 1)
        multiply_slots(&core, cores);
    run_slots_add(s, &core);
    run_slots_clear(&core);
}

void waste_row(struct run_slots *s, const struct job *j, const struct machine *m,
               const struct job_step *st, uint32_t row, uint64_t steps)
{
    uint64_t each = slots_per_cycle(j, &st->row[row]);

    uint32_t built = machine_built_cores(m), alike = spec_cores(j->spec) / built;

    for (uint32_t core = 0, next; core < built; core = next) {
        const struct ledger_row *b = machine_built_book(m, &st->program, row, core);
        for (next = core + 1; next < built; next++)
            if (memcmp(b, machine_built_book(m, &st->program, row, next), sizeof *b) != 0)
                break;
        add_cores(s, b, (next - core) * alike, j, each);
    }
    divide_by_core_steps(s->capacity, j, steps);
    divide_by_core_steps(s->not_issued, j, steps);
    mpq_ptr q;
    for (int u = -1; (q = amounts_next(&s->use, &u));)
        divide_by_core_steps(q, j, steps);
    for (int c = -1; (q = amounts_next(&s->wait, &c));)
        divide_by_core_steps(q, j, steps);
}

/* --- the units' own counters -------------------------------------------------------------- */

struct counted {
    mpq_t capacity;
    mpq_t use[N_USES];
};

static void visit_table(void *self, const char *path, const struct stat_table *table,
                        const void *counters, uint64_t times)
{
    struct counted *n = self;

    (void)path;
    if (strcmp(table->section, "mxu") != 0)
        return;
    add_product(n->capacity, *stat_counter(table, counters, "capacity"), times);
    for (int u = 0; u < N_USES; u++)
        add_product(n->use[u], *stat_counter(table, counters, use_name[u]), times);
}

void waste_check(const struct run_slots *sum, const struct job *j, struct machine *m,
                 uint64_t steps)
{
    struct counted n;

    mpq_init(n.capacity);
    for (int u = 0; u < N_USES; u++)
        mpq_init(n.use[u]);
    machine_statistics(m, visit_table, &n);
    divide_by_core_steps(n.capacity, j, steps);
    BUG_ON(!mpq_equal(n.capacity, sum->capacity));
    mpq_clear(n.capacity);
    for (int u = 0; u < N_USES; u++) {
        divide_by_core_steps(n.use[u], j, steps);
        BUG_ON(!mpq_equal(n.use[u], amounts_get(&sum->use, (unsigned)u)));
        mpq_clear(n.use[u]);
    }
}
