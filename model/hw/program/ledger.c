#include "hw/program/ledger.h"

void ledger_init(struct ledger *l, uint64_t core_hz, uint64_t matrix_hz, uint32_t matrix_units,
                 uint64_t *faster)
{
    *l = (struct ledger){ .core_hz = core_hz,
                          .matrix_hz = matrix_hz,
                          .core_divisor = wide_divisor(core_hz),
                          .units_idle = matrix_units,
                          .faster = faster };
}

void ledger_begin(struct ledger *l, des_time now)
{
    l->at = l->row;
    l->since = now;
    l->cycle = des_edge_index(now, l->core_hz);
    l->tick = des_edge_index(now, l->matrix_hz);
}

void ledger_turn_to(struct ledger *l, uint32_t row, uint32_t more_rows)
{
    l->at = &l->row[row];
    l->more_rows = more_rows;
}

/* Count the ticks up to one, with the matrix units that had no command in them. */
static void count_ticks(struct ledger *l, uint64_t tick)
{
    l->at->ticks += tick - l->tick;
    l->idle += (tick - l->tick) * l->units_idle;
    l->tick = tick;
}

void ledger_book_to_edge(struct ledger *l, des_time until, uint64_t cycle, enum cause cause)
{
    count_ticks(l, l->matrix_hz == l->core_hz ? cycle : des_edge_index(until, l->matrix_hz));
    l->at->cycles += cycle - l->cycle;
    *l->faster += (cycle - l->cycle) * l->more_rows;
    l->at->time[cause] += until - l->since;
    l->at->idle[cause] += l->idle;
    l->cycle = cycle;
    l->since = until;
    l->idle = 0;
}

void ledger_book(struct ledger *l, des_time until, enum cause cause)
{
    ledger_book_to_edge(l, until, des_edge_index(until, l->core_hz), cause);
}

void ledger_book_until(struct ledger *l, des_time until, enum cause cause)
{
    if (until > l->since)
        ledger_book(l, until, cause);
}

void ledger_unit_done(struct ledger *l, des_time at, const struct unit_done *d)
{
    count_ticks(l, des_edge_index(at, l->matrix_hz));
    for (int use = 0; use < N_USES; use++)
        l->at->slots[use] += d->slots[use];
    l->units_idle++;
}
