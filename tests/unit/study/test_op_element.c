/* Operations on each element: what `cyclotron op` writes for each of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "study/op/op.h"

/* Operands, FLOPs of an element and function of each kind, for arrays of 7 elements. */
Test(op_element, each_operation_on_elements_has_its_operands_and_function)
{
    static const struct {
        const char *kind;
        unsigned operands, flops;
        const char *fn;
    } cases[] = {
        { "elementwise", 1, 1, NULL },
        { "add", 2, 1, NULL },
        { "subtract", 2, 1, NULL },
        { "multiply", 2, 1, NULL },
        { "divide", 2, 1, "divide" },
        { "maximum", 2, 1, NULL },
        { "power", 2, 1, "power" },
        { "compare", 2, 1, NULL },
        { "select", 3, 1, "select" },
        { "convert", 1, 1, "convert" },
        { "exponential", 1, 1, "exponential" },
        { "log", 1, 1, "log" },
        { "tanh", 1, 1, "tanh" },
        { "sqrt", 1, 1, "sqrt" },
        { "rsqrt", 1, 1, "rsqrt" },
        { "logistic", 1, 1, "logistic" },
        { "sine", 1, 1, "sine" },
        { "cosine", 1, 1, "cosine" },
        { "erf", 1, 1, "erf" },
        { "relu", 1, 1, NULL },
        { "gelu", 1, 5, "erf" },
        { "rng", 0, 0, NULL },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *arg[] = { "shape=7", NULL };
        char flops[32], fn[48];
        struct op_trace t;
        struct err err;
        cr_assert_eq(
            op_trace_init(&t, cases[i].kind, arg, 1, &(struct op_machine){ .cores = 8 }, &err), 0,
            "%s", err.msg);
        const char *text = t.text;
        const char *line = strstr(text, " = ");
        unsigned operands = 0;
        for (const char *p = line; *p; p++)
            operands += *p == '%';
        snprintf(flops, sizeof flops, " flops=%u\n", 7 * cases[i].flops);
        snprintf(fn, sizeof fn, " fn=%s ", cases[i].fn ? cases[i].fn : "");
        cr_expect_eq(operands, cases[i].operands, "%s", line);
        cr_expect(cases[i].flops ? strstr(line, flops) != NULL : !strstr(line, "flops"), "%s: %s",
                  cases[i].kind, line);
        cr_expect(cases[i].fn ? strstr(line, fn) != NULL : !strstr(line, "fn="), "%s: %s",
                  cases[i].kind, line);
        op_trace_free(&t);
    }
}
