/* lowered_op.h - one operation, as `cyclotron op` lowers it: its first task. */
#ifndef TESTS_TIMING_LOWERED_OP_H
#define TESTS_TIMING_LOWERED_OP_H

#include <criterion/criterion.h>

#include "base/err.h"
#include "study/op/op.h"

#define MAX_ARGS 5

static inline struct op_request make_request(const char *kind, const char *machine,
                                             const char *const *arg)
{
    struct op_request q = { .kind = kind, .arg = arg };

    while (q.n_args < MAX_ARGS && arg[q.n_args])
        q.n_args++;
    q.run.machine = machine;
    return q;
}

static inline void keep_program(void *self, const char *name, const struct task_program *p,
                                const struct cap *cap)
{
    (void)name;
    (void)cap;
    *(struct task *)self = p->task[0];
}

/* `arg`: of MAX_ARGS words, NULL after the last. */
static inline struct task lower_op(const char *kind, const char *machine, const char *const *arg)
{
    struct op_request q = make_request(kind, machine, arg);
    struct task t;
    struct err e;

    cr_assert_eq(op_lower(&q, keep_program, &t, &e), 0, "%s", e.msg);
    return t;
}

#endif
