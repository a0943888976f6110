/* machine_turns.c - steps of which only some turns of loops are run.
 *
 *     x = x1 + times * (x2 - x1)     x1, x2: of the program with fewer and with more turns
 *
 * of every counter and of every sum of books.  What happens once in a step differs between both
 * runs by where refreshes of HBM meet it. */
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "base/wide.h"
#include "machine/machine_impl.h"

/* A counter that fewer turns make larger is as large as it is. */
static uint64_t extend_value(uint64_t x1, uint64_t x2, uint64_t times)
{
    u128 x = x2 > x1 ? x1 + (u128)times * (x2 - x1) : x2;

    return x > UINT64_MAX ? UINT64_MAX : (uint64_t)x;
}

/* --- books ---------------------------------------------------------------------------------- */

#define FIELDS (sizeof(struct ledger_row) / sizeof(uint64_t))
#define TIMES (offsetof(struct ledger_row, time) / sizeof(uint64_t))
#define COUNTS (offsetof(struct ledger_row, cycles) / sizeof(uint64_t))
#define IDLES (offsetof(struct ledger_row, idle) / sizeof(uint64_t))
_Static_assert(sizeof(struct ledger_row) % sizeof(uint64_t) == 0, "a row is counters alone");

/* The books of a row on one core. */
struct row {
    uint64_t x1[FIELDS], x2[FIELDS];
};

static struct row read_row(struct machine *m, const struct machine_turns *t, uint32_t core,
                           uint32_t row)
{
    size_t at = (size_t)core * t->all->n_rows + row;
    struct row r;

    memcpy(r.x1, &machine_load(m, t->once)->book[at], sizeof r.x1);
    memcpy(r.x2, &machine_load(m, t->twice)->book[at], sizeof r.x2);
    return r;
}

static i128 extend_field(const struct row *r, size_t f, uint64_t times)
{
    return (i128)r->x1[f] + (i128)times * ((i128)r->x2[f] - (i128)r->x1[f]);
}

static i128 sum_fields(const uint64_t *x, size_t from)
{
    i128 sum = 0;

    for (size_t f = from; f < from + N_CAUSES; f++)
        sum += (i128)x[f];
    return sum;
}

/* True if more turns took more of everything: no field of the whole is below 0 but causes that can
 * take from each other. */
static bool takes_more(const struct row *r)
{
    bool more = sum_fields(r->x2, TIMES) >= sum_fields(r->x1, TIMES) &&
                sum_fields(r->x2, IDLES) >= sum_fields(r->x1, IDLES);

    for (size_t f = COUNTS; f < IDLES; f++)
        more &= r->x2[f] >= r->x1[f];
    return more;
}

/* Causes below 0 take from the largest; false: their sum is below 0. */
static bool settle_causes(i128 *x)
{
    for (size_t i = 0; i < N_CAUSES; i++)
        while (x[i] < 0) {
            size_t most = 0;
            for (size_t j = 1; j < N_CAUSES; j++)
                most = x[j] > x[most] ? j : most;
            if (x[most] <= 0)
                return false;
            i128 take = -x[i] < x[most] ? -x[i] : x[most];
            x[most] -= take;
            x[i] += take;
        }
    return true;
}

/* Add a row of the whole program to its book, if there is one; false: there is too little or too
 * much of it. */
static bool put_row(struct ledger_row *book, i128 *x)
{
    uint64_t fields[FIELDS];

    if (!settle_causes(x + TIMES) || !settle_causes(x + IDLES))
        return false;
    for (size_t f = 0; f < FIELDS; f++)
        if (x[f] < 0 || x[f] > (i128)UINT64_MAX)
            return false;
    if (!book)
        return true;
    memcpy(fields, book, sizeof fields);
    for (size_t f = 0; f < FIELDS; f++)
        fields[f] += (uint64_t)x[f];
    memcpy(book, fields, sizeof *book);
    return true;
}

/* The row in a loop that takes longest of those with such products, which has what the others of
 * them leave; n_rows: there is none. */
static uint32_t find_longest(struct machine *m, const struct machine_turns *t, uint32_t core,
                             uint32_t more_rows)
{
    uint32_t longest = t->all->n_rows;
    i128 most = 0;

    for (uint32_t r = 0; r < t->all->n_rows; r++) {
        if (!t->turned[r] || t->more_rows[r] != more_rows)
            continue;
        struct row x = read_row(m, t, core, r);
        if (!takes_more(&x) || sum_fields(x.x2, TIMES) <= most)
            continue;
        longest = r;
        most = sum_fields(x.x2, TIMES);
    }
    return longest;
}

/* fill_books() for the rows with such products: a cycle of theirs has other slots than one of other
 * rows.  Adds to *time. */
static bool fill_alike(struct machine *m, const struct machine_turns *t, uint32_t core,
                       uint32_t more_rows, struct ledger_row *book, i128 *time)
{
    uint32_t n = t->all->n_rows, longest = find_longest(m, t, core, more_rows);
    i128 rest[FIELDS] = { 0 }, x[FIELDS];

    for (uint32_t r = 0; r < n; r++) {
        if (t->more_rows[r] != more_rows)
            continue;
        struct row row = read_row(m, t, core, r);
        bool extends = longest == n || (t->turned[r] && takes_more(&row));
        for (size_t f = 0; f < FIELDS; f++) {
            i128 all = extend_field(&row, f, t->times);
            x[f] = extends ? all : (i128)row.x2[f];
            rest[f] += all - x[f];
            *time += f - TIMES < N_CAUSES ? all : 0;
        }
        if (r != longest && !put_row(book ? &book[r] : NULL, x))
            return false;
    }
    if (longest == n)
        return true;
    struct row row = read_row(m, t, core, longest);
    for (size_t f = 0; f < FIELDS; f++)
        x[f] = extend_field(&row, f, t->times) + rest[f];
    return put_row(book ? &book[longest] : NULL, x);
}

/* The least number of more rows above `than` (-1: any) that products of the program have; -1: there
 * is none. */
static int64_t next_mode(const struct machine_turns *t, int64_t than)
{
    int64_t next = -1;

    for (uint32_t r = 0; r < t->all->n_rows; r++)
        if (t->more_rows[r] > than && (next < 0 || t->more_rows[r] < next))
            next = t->more_rows[r];
    return next;
}

/* Add to the books of the whole program on one core, [n_rows], or see whether that can be done if
 * `book` is NULL; *fs: the time of the step.  Rows outside of loops keep what the second run
 * booked; the difference to what would be extended goes to the longest row of all with such
 * products, so that every sum over rows is that of the formula. */
static bool fill_books(struct machine *m, const struct machine_turns *t, uint32_t core,
                       struct ledger_row *book, uint64_t *fs)
{
    i128 time = 0;

    for (int64_t mode = next_mode(t, -1); mode >= 0; mode = next_mode(t, mode))
        if (!fill_alike(m, t, core, (uint32_t)mode, book, &time))
            return false;
    *fs = time > INT64_MAX ? INT64_MAX : (uint64_t)time;
    return true;
}

/* Add to the books of all cores, which end together.  False: nothing is added. */
static bool add_books(struct machine *m, const struct machine_turns *t, uint64_t *fs)
{
    bool ok = true;

    for (uint32_t c = 0; c < m->cores && ok; c++)
        ok = fill_books(m, t, c, NULL, fs);
    for (uint32_t c = 0; c < m->cores && ok; c++)
        ok = fill_books(m, t, c, machine_load(m, t->all)->book + (size_t)c * t->all->n_rows, fs);
    return ok;
}

static void clear_books(struct machine *m, const struct task_program *p)
{
    struct loaded *l = machine_load(m, p);

    memset(l->book, 0, (size_t)m->cores * p->n_rows * sizeof *l->book);
}

/* --- steps ---------------------------------------------------------------------------------- */

/* Run a program once, and note its counters. */
static int run_program(struct machine *m, const struct task_program *p, int run, struct err *err)
{
    for (uint32_t i = 0; i < m->cells.n; i++)
        slice_reset(&m->cells.at[i].slice);
    m->since = m->slow_since = machine_time(m);
    if (machine_step(m, p, NULL, err) != 0)
        return -1;
    machine_sums_note(m, run);
    return 0;
}

static int run_whole(struct machine *m, const struct task_program *p, struct err *err)
{
    struct machine_sums *s = m->sums;

    if (run_program(m, p, 0, err) != 0)
        return -1;
    for (size_t i = 0; i < s->n; i++)
        s->sum[i] += s->run[0][i];
    return 0;
}

int machine_step_turns(struct machine *m, const struct machine_turns *t, struct err *err)
{
    struct machine_sums *s = m->sums ? m->sums : (m->sums = machine_sums_new(m));
    uint64_t began = machine_time(m), fs;

    if (!t->once)
        return run_whole(m, t->all, err);
    machine_load(m, t->all);
    clear_books(m, t->once);
    clear_books(m, t->twice);
    if (run_program(m, t->once, 0, err) != 0 || run_program(m, t->twice, 1, err) != 0)
        return -1;
    if (!add_books(m, t, &fs)) { /* turns are too unlike each other */
        m->skew -= (int64_t)(machine_time(m) - began);
        return run_whole(m, t->all, err);
    }
    for (size_t i = 0; i < s->n; i++)
        s->sum[i] += extend_value(s->run[0][i], s->run[1][i], t->times);
    if (fs > MACHINE_LIMIT_FS)
        return err_set(err, ERR_RANGE, "%s: a step takes more than %llu s: is a repeat wrong?",
                       m->slice->spec->name, (unsigned long long)(MACHINE_LIMIT_FS / FS_PER_S));
    m->skew += (int64_t)fs - (int64_t)(machine_time(m) - began);
    return 0;
}
