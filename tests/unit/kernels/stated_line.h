/* stated_line.h - one kernel of a compiled program as a task, on the machine of lower_bench.h. */
#ifndef UNIT_KERNELS_STATED_LINE_H
#define UNIT_KERNELS_STATED_LINE_H

#include "lower_bench.h"

#define PLACES                                                                                     \
    "tensor %x f32[1024,1024]{1,0:T(8,128)} input\ntensor %w f32[1024,1024]{1,0:T(8,128)} "        \
    "weight\n"

/* The first task of one line with the tensors x and w. */
static inline struct task lower_line(const char *line, const struct cap *c)
{
    struct bench b = { 0 };
    char body[1024];

    snprintf(body, sizeof body, "  %s\n", line);
    cr_assert_eq(lower_text(&b, PLACES, body, c, false), 0, "%s", b.err.msg);
    struct task t = b.p.task[0];
    take_down(&b);
    return t;
}

#endif
