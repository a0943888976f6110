/* ledger.h - the books of a core: every femtosecond of a step to an operation and a cause.
 *
 * A wait is booked when it ends, so the causes of a step add up to the step by themselves.  Beside
 * time stands what the matrix units did meanwhile: what they say of their commands, and for how
 * many of their ticks each had none, by what the core waited for. */
#ifndef HW_PROGRAM_LEDGER_H
#define HW_PROGRAM_LEDGER_H

#include "base/wide.h"
#include "des/des.h"
#include "hw/wires/msg_unit.h"
#include "task/cause.h"
#include "task/use.h"

/* Time and work booked to a row of a program on one core. */
struct ledger_row {
    des_time time[N_CAUSES]; /* fs */
    uint64_t cycles, ticks;  /* of the core's clock and of its matrix units' in that time */
    uint64_t slots[N_USES];  /* multiply-accumulates of its matrix units while they had a command */
    uint64_t idle[N_CAUSES]; /* ticks without one, of all matrix units together */
};

struct ledger {
    uint64_t core_hz, matrix_hz;
    struct wide_divisor core_divisor; /* core_hz */
    uint64_t *faster;                 /* a counter: cycles times `more_rows` are added */
    struct ledger_row *row; /* [row of the program]; owned by whoever loaded the program */
    struct ledger_row *at;  /* the row at hand */
    uint32_t more_rows;     /* of its products, as in struct array_mode */
    des_time since;         /* all before is booked */
    uint64_t cycle, tick;   /* all before are counted; ticks also in `idle` */
    uint32_t units_idle;    /* matrix units without a command */
    uint64_t idle;          /* their ticks since the last booking */
};

/* Books of a core of `core_hz` Hz with `matrix_units` units of `matrix_hz` Hz; `faster`: as in
 * struct ledger. */
void ledger_init(struct ledger *l, uint64_t core_hz, uint64_t matrix_hz, uint32_t matrix_units,
                 uint64_t *faster);
/* A step begins: what comes from now on is booked, to row 0 of `l->row` until told otherwise. */
void ledger_begin(struct ledger *l, des_time now);
/* From now on everything is booked to this row. */
void ledger_turn_to(struct ledger *l, uint32_t row, uint32_t more_rows);

/* des_edge() of the core's clock. */
static inline des_time ledger_edge(const struct ledger *l, uint64_t index)
{
    u128 at = (u128)index * DES_FS_PER_S + l->core_hz - 1;

    BUG_ON(!wide_fits(at, &l->core_divisor));
    return wide_divide(at, &l->core_divisor);
}

/* Everything from the last booking up to a moment was a wait for `cause`. */
void ledger_book(struct ledger *l, des_time until, enum cause cause);
/* ledger_book() up to an edge of the core's clock whose index, `cycle`, is known. */
void ledger_book_to_edge(struct ledger *l, des_time until, uint64_t cycle, enum cause cause);
/* ledger_book_to_edge() in two parts, where the matrix units tick with the core and nothing is
 * pending: the time of some waits, in which they had no command, on the whole, for `idle` ticks;
 * and the cycles of all of them. */
static inline void ledger_book_wait(struct ledger *l, des_time until, uint64_t idle,
                                    enum cause cause)
{
    l->at->time[cause] += until - l->since;
    l->at->idle[cause] += idle;
    l->since = until;
}
static inline void ledger_book_cycles(struct ledger *l, uint64_t cycle)
{
    uint64_t cycles = cycle - l->cycle;

    l->at->ticks += cycles;
    l->at->cycles += cycles;
    *l->faster += cycles * l->more_rows;
    l->cycle = l->tick = cycle;
}
/* Book up to a moment in the past, unless it is booked already: for a wait that had two causes. */
void ledger_book_until(struct ledger *l, des_time until, enum cause cause);

/* A matrix unit is given a command now; it is done with one at a moment `at`. */
static inline void ledger_unit_starts(struct ledger *l)
{
    l->units_idle--;
}
void ledger_unit_done(struct ledger *l, des_time at, const struct unit_done *d);

#endif
