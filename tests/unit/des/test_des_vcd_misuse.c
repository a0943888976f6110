/* Dumps that cannot be written, and misuse. */
#include "tests/unit/des/vcd_dump.h"

/* --- errors and misuse -------------------------------------------------------------------- */

Test(des_vcd, a_file_that_cannot_be_written)
{
    struct des *sim = des_new();
    struct err err;

    cr_assert_null(des_vcd_open(sim, "/nowhere/run.vcd", &err));
    cr_assert_eq(err.code, ERR_IO);
    cr_assert_str_eq(err.msg, "/nowhere/run.vcd: cannot write: No such file or directory");
    /* the rest of the model need not know */
    des_vcd_add(NULL, des_event_new(sim, ROOT, "e"), 1);
    cr_assert_eq(des_vcd_close(NULL, &err), 0);
    des_free(sim);
}

/* A short dump, of which nothing is written before it is closed, and a long one. */
static void fill_the_disk(uint64_t changes)
{
    struct dump d = { .sim = des_new() };
    struct pulse p = { .last = changes, .delay = 1 };
    struct err err;

    d.vcd = des_vcd_open(d.sim, "/dev/full", &err);
    cr_assert_not_null(d.vcd);
    add_pulse(&d, &p, ROOT, "s", 64);
    elaborate_model(d.sim);
    cr_assert_not(des_run(d.sim, DES_NEVER));
    cr_assert_eq(p.n, changes, "the run goes on");
    cr_assert_eq(des_vcd_close(d.vcd, &err), -1);
    cr_assert_eq(err.code, ERR_IO);
    cr_assert_str_eq(err.msg, "/dev/full: cannot write: No space left on device");
    des_free(d.sim);
}

Test(des_vcd, a_full_disk_is_noticed)
{
    fill_the_disk(1);
    fill_the_disk(100000);
}

static void add_one(unsigned bits)
{
    struct dump d = open_dump();
    struct des_signal s = des_signal_new(d.sim, ROOT, "s", 0);

    unlink(d.path);
    des_vcd_add(d.vcd, s, bits);
    exit(0);
}

Test(des_vcd, no_bits_are_misuse, .signal = SIGABRT)
{
    add_one(0);
}

Test(des_vcd, more_than_64_bits_are_misuse, .signal = SIGABRT)
{
    add_one(65);
}

Test(des_vcd, an_event_of_no_bits_is_misuse, .signal = SIGABRT)
{
    struct dump d = open_dump();

    unlink(d.path);
    des_vcd_add(d.vcd, des_event_new(d.sim, ROOT, "e"), 0);
}

Test(des_vcd, to_add_after_elaboration_is_misuse, .signal = SIGABRT)
{
    struct dump d = open_dump();
    struct des_signal s = des_signal_new(d.sim, ROOT, "s", 0);

    unlink(d.path);
    elaborate_model(d.sim);
    des_vcd_add(d.vcd, s, 1);
}

Test(des_vcd, to_add_a_module_is_misuse, .signal = SIGABRT)
{
    struct dump d = open_dump();

    unlink(d.path);
    des_vcd_add(d.vcd, des_module_new(d.sim, ROOT, "m"), 1);
}
