/* The books of a core: time by cause, cycles and ticks, idle matrix units. */
#include <criterion/criterion.h>

#include "hw/program/ledger.h"

enum { NS = 1000000 }; /* fs */

/* A core at 1 GHz with two matrix units at 2 GHz, in a step that begins at 10 ns. */
static void begin_at_10_ns(struct ledger *l, struct ledger_row *rows, uint64_t *faster)
{
    ledger_init(l, 1000000000, 2000000000, 2, faster);
    l->row = rows;
    ledger_begin(l, 10 * NS);
}

Test(ledger, books_every_femtosecond_once)
{
    struct ledger_row rows[2] = { 0 };
    struct ledger l;
    uint64_t faster = 0;

    begin_at_10_ns(&l, rows, &faster);
    ledger_turn_to(&l, 1, 0);
    ledger_book(&l, 13 * NS, CAUSE_LAUNCH);
    ledger_book_until(&l, 12 * NS, CAUSE_SYNC); /* booked already */
    ledger_book_until(&l, 15 * NS, CAUSE_SYNC);
    ledger_book(&l, 16 * NS, CAUSE_ICI);
    cr_expect_eq(rows[1].time[CAUSE_LAUNCH], 3 * NS);
    cr_expect_eq(rows[1].time[CAUSE_SYNC], 2 * NS);
    cr_expect_eq(rows[1].time[CAUSE_ICI], 1 * NS);
    cr_expect_eq(rows[1].cycles, 6);
    cr_expect_eq(rows[1].ticks, 12);
    cr_expect_eq(rows[0].cycles, 0);
    cr_expect_eq(faster, 0);
}

Test(ledger, counts_idle_ticks_by_cause_and_slots_by_use)
{
    struct ledger_row rows[1] = { 0 };
    const struct unit_done done = { .slots = { [USE_USEFUL] = 70, [USE_PAD_M] = 30 } };
    struct ledger l;
    uint64_t faster = 0;

    begin_at_10_ns(&l, rows, &faster);
    ledger_book(&l, 12 * NS, CAUSE_HBM); /* both idle: 2 x 4 ticks */
    ledger_unit_starts(&l);
    ledger_unit_done(&l, 15 * NS, &done);
    ledger_book(&l, 16 * NS, CAUSE_MXU); /* one idle for 6 ticks, both for 2 */
    cr_expect_eq(rows[0].idle[CAUSE_HBM], 8);
    cr_expect_eq(rows[0].idle[CAUSE_MXU], 10);
    cr_expect_eq(rows[0].slots[USE_USEFUL], 70);
    cr_expect_eq(rows[0].slots[USE_PAD_M], 30);
    cr_expect_eq(rows[0].ticks, 12);
}

Test(ledger, counts_cycles_of_faster_products)
{
    struct ledger_row rows[2] = { 0 };
    struct ledger l;
    uint64_t faster = 0;

    begin_at_10_ns(&l, rows, &faster);
    ledger_turn_to(&l, 0, 1); /* int8: twice the rows of bf16 */
    ledger_book(&l, 14 * NS, CAUSE_MXU);
    ledger_turn_to(&l, 1, 0);
    ledger_book(&l, 19 * NS, CAUSE_MXU);
    cr_expect_eq(faster, 4);
    cr_expect_eq(rows[0].cycles, 4);
    cr_expect_eq(rows[1].cycles, 5);
}
