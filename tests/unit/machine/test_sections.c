/* The list of sections: names, tables and the fields of struct machine_spec agree. */
#include <criterion/criterion.h>
#include <string.h>

#include "machine/spec/spec.h"

static const char *const names[] = {
#define NAME(section, component, kinds) #section,
    SECTIONS(NAME)
#undef NAME
};

Test(sections, have_the_name_of_their_table_and_no_other_has_it)
{
    cr_assert_eq(spec_n_tables, sizeof names / sizeof *names);
    for (size_t i = 0; i < spec_n_tables; i++) {
        cr_expect_str_eq(spec_tables[i]->section, names[i]);
        cr_expect_eq(spec_table(names[i]), (int)i, "%s stands twice", names[i]);
    }
    cr_expect_eq(spec_table("machine"), -1);
}

Test(sections, have_an_object_of_their_own_in_a_machine)
{
    static struct machine_spec m;
    size_t after = offsetof(struct machine_spec, kind) + sizeof m.kind;

    for (size_t i = 0; i < spec_n_tables; i++) {
        size_t at = (size_t)((char *)spec_object(&m, i) - (char *)&m);
        cr_expect_geq(at, after, "%s begins in the section before it", names[i]);
        after = at + spec_tables[i]->size;
        cr_expect_leq(spec_tables[i]->n_rows, SPEC_MAX_ROWS, "%s", names[i]);
    }
    cr_expect_leq(after, offsetof(struct machine_spec, source));
    cr_expect_eq(spec_object(&m, (size_t)spec_table("ici")), &m.ici);
    cr_expect_eq(spec_object(&m, (size_t)spec_table("power")), &m.power);
}

Test(sections, hold_the_defaults_of_their_rows)
{
    struct machine_spec *m;
    struct err err;

    cr_assert_eq(spec_load(&m, "tpu-v2-1", NULL, 0, &err), 0, "%s", err.msg);
    cr_expect_eq(m->smem.capacity, 16 << 10);
    cr_expect_eq(m->slice.chips_per_host, 4);
    spec_free(m);
}
