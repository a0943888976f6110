/* Twisted tori in machines: every collective ends, walked and folded alike, with a dead link too; a
 * twist is worth what it is for; flits of `network` go over the same links. */
#include <criterion/criterion.h>

#include "kernels/net/collective.h"
#include "machine/machine.h"

#define MOST 12

static struct machine_spec *make_slice(const char *twisted, const char *a, const char *b)
{
    const char *set[MOST] = { "slice.cores=54",
                              "slice.mesh_x=3",
                              "slice.mesh_y=3",
                              "slice.mesh_z=6",
                              "slice.wrap_least=3",
                              "slice.chips_per_host=2",
                              twisted,
                              a,
                              b };
    struct machine_spec *s;
    struct err e;

    cr_assert_eq(spec_load(&s, "tpu-v4-8", set, a ? 9 : 7, &e), 0, "%s", e.msg);
    return s;
}

static des_time run_case(const struct machine_spec *s, enum schedule_kind kind,
                         enum schedule_algorithm algorithm, uint64_t bytes, bool exact)
{
    struct collective c = {
        .kind = kind, .algorithm = algorithm, .bytes = bytes, .element = 4, .shift = 5
    };
    struct task_call call;
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1 };
    struct cap cap;
    struct err e;

    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &c, &cap, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0, "%s", e.msg);
    des_time end = machine_now(m);
    machine_free(m);
    return end;
}

Test(twist, every_collective_ends_with_a_dead_link_too)
{
    struct machine_spec *whole = make_slice("slice.twisted=yes", NULL, NULL);
    /* the link over the end of x: chip (2,0,0) to (0,0,3) */
    struct machine_spec *cut =
        make_slice("slice.twisted=yes", "fault.dead_from=2", "fault.dead_to=27");

    for (int i = 0; i < SCHEDULE_N_KINDS; i++) {
        enum schedule_kind kind = (enum schedule_kind)i;
        uint64_t bytes = kind == SCHEDULE_BARRIER ? 0 : 20000;
        des_time a = run_case(whole, kind, SCHEDULE_AUTO, bytes, false);
        des_time b = run_case(cut, kind, SCHEDULE_AUTO, bytes, false);
        cr_expect_eq(a, run_case(whole, kind, SCHEDULE_AUTO, bytes, true), "kind %d", kind);
        cr_expect_eq(b, run_case(cut, kind, SCHEDULE_AUTO, bytes, true), "kind %d", kind);
        if (kind <= SCHEDULE_ALL_GATHER) /* others may find that ways around meet fewer */
            cr_expect_geq(b, a, "kind %d is no faster without a link", kind);
    }
    spec_free(whole);
    spec_free(cut);
}

/* The rings of all three colours are equally long: of 3 x 3 x 6 chips 5/6 of the bytes go at the
 * full rate of all links, where two colours of a plain torus wait for the third. */
Test(twist, an_all_reduce_over_all_links_is_faster)
{
    struct machine_spec *twisted = make_slice("slice.twisted=yes", NULL, NULL);
    struct machine_spec *plain = make_slice("slice.twisted=no", NULL, NULL);

    cr_expect_lt(run_case(twisted, SCHEDULE_ALL_REDUCE, SCHEDULE_TORUS, 10000000, false),
                 run_case(plain, SCHEDULE_ALL_REDUCE, SCHEDULE_TORUS, 10000000, false));
    spec_free(twisted);
    spec_free(plain);
}
