/* Conditions of sweeps: what they mean, and what is said about those that mean nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sweep/expr.h"

static const char *const names[] = { "mxu.count", "mxu.size", "machine", "unknown" };
static const struct expr_value values[] = {
    { NULL, 4 }, { NULL, 128 }, { "tpu-v3-8", NAN }, { NULL, NAN }
};

static double evaluate_text(const char *text)
{
    struct expr *e;
    struct err err;

    cr_assert_eq(expr_parse(&e, text, names, 4, &err), 0, "%s: %s", text, err.msg);
    double v = expr_eval(e, values);
    expr_free(e);
    return v;
}

Test(expr, arithmetic_follows_its_precedence)
{
    cr_assert_eq(evaluate_text("2 + 3 * 4"), 14);
    cr_assert_eq(evaluate_text("(2 + 3) * 4"), 20);
    cr_assert_eq(evaluate_text("2 - 3 - 4"), -5);
    cr_assert_eq(evaluate_text("64 / 4 / 2"), 8);
    cr_assert_eq(evaluate_text("-2 * -3"), 6);
    cr_assert_eq(evaluate_text("mxu.count*mxu.size"), 512);
    cr_assert_eq(evaluate_text("min(mxu.count, 3) + max(2, 7)"), 10);
    cr_assert_eq(evaluate_text("1.5e2"), 150);
}

Test(expr, comparisons_and_logic_give_one_or_zero)
{
    cr_assert_eq(evaluate_text("mxu.count * mxu.size <= 512"), 1);
    cr_assert_eq(evaluate_text("mxu.count * mxu.size < 512"), 0);
    cr_assert_eq(evaluate_text("mxu.count >= 5 || mxu.size == 128"), 1);
    cr_assert_eq(evaluate_text("mxu.count >= 5 && mxu.size == 128"), 0);
    cr_assert_eq(evaluate_text("1 || 0 && 0"), 1); /* && binds more tightly */
    cr_assert_eq(evaluate_text("!(mxu.count > 3)"), 0);
    cr_assert_eq(evaluate_text("1 + 1 == 2"), 1);
    cr_assert_eq(evaluate_text("3 != 4"), 1);
}

Test(expr, units_count_in_the_base_unit)
{
    cr_assert_eq(evaluate_text("600 GB/s"), 6e11);
    cr_assert_eq(evaluate_text("16 MiB"), 16777216);
    cr_assert_eq(evaluate_text("940 MHz"), 9.4e8);
    cr_assert_eq(evaluate_text("86 %"), 0.86);
    cr_assert_eq(evaluate_text("1.5us * 2"), 3e-6);
    cr_assert_eq(evaluate_text("8 B/2"), 4); /* no unit begins with a digit */
}

Test(expr, text_is_compared_with_text_alone)
{
    cr_assert_eq(evaluate_text("machine == 'tpu-v3-8'"), 1);
    cr_assert_eq(evaluate_text("machine != \"tpu-v3-8\""), 0);
    cr_assert(isnan(evaluate_text("machine == 3")));
    cr_assert(isnan(evaluate_text("machine < 'x'")));
}

Test(expr, what_is_unknown_stays_so_unless_the_other_side_decides)
{
    cr_assert(isnan(evaluate_text("unknown < 3")));
    cr_assert(isnan(evaluate_text("unknown < 3 && mxu.count == 4")));
    cr_assert_eq(evaluate_text("unknown < 3 && mxu.count == 5"), 0);
    cr_assert_eq(evaluate_text("unknown < 3 || mxu.count == 4"), 1);
    cr_assert(isnan(evaluate_text("1 / 0")));
}

Test(expr, tells_which_names_it_uses)
{
    struct expr *e;
    struct err err;

    cr_assert_eq(expr_parse(&e, "mxu.size > 3", names, 4, &err), 0);
    cr_assert(expr_uses(e, 1));
    cr_assert_not(expr_uses(e, 0));
    expr_free(e);
}

static void expect_refusal(const char *text, const char *message)
{
    struct expr *e;
    struct err err;

    cr_assert_eq(expr_parse(&e, text, names, 4, &err), -1, "%s", text);
    cr_assert_str_eq(err.msg, message);
}

Test(expr, errors_say_where_and_what)
{
    expect_refusal("mxu.cout < 3", "column 1: unknown name 'mxu.cout'; did you mean 'mxu.count'?");
    expect_refusal("mxu.count = 3", "column 11: \"=\" compares nothing: write ==");
    expect_refusal("mxu.count <", "column 12: the condition ends too early");
    expect_refusal("", "column 1: the condition ends too early");
    expect_refusal("(mxu.count", "column 11: expected \")\"");
    expect_refusal("mxu.count 3", "column 11: expected an operator, such as <= or &&");
    expect_refusal("3 parsecs", "column 3: no unit that is known, such as GB/s, MHz, MiB, us or %");
    expect_refusal("machine == 'x", "column 12: a quote that is never closed");
    expect_refusal("1 < 2 < 3", "column 3: a chain of comparisons: join two with &&");
    expect_refusal("min(1)", "column 6: expected \",\": min and max take two values");
    expect_refusal("3 + $", "column 5: expected a name, a number, a text in quotes or \"(\"");
}

Test(expr, nesting_has_an_end)
{
    char deep[4096];
    struct expr *e;
    struct err err;

    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    cr_assert_eq(expr_parse(&e, deep, names, 4, &err), -1);
    cr_assert_eq(err.code, ERR_RANGE);
    memset(deep, '!', sizeof deep - 1);
    cr_assert_eq(expr_parse(&e, deep, names, 4, &err), -1);
    cr_assert_eq(err.code, ERR_RANGE);
    for (size_t i = 0; i + 2 < sizeof deep; i += 2)
        memcpy(deep + i, "1-", 2); /* no operand of these waits for more than one other */
    deep[sizeof deep - 3] = '\0';  /* it ends in a number */
    cr_assert_eq(expr_parse(&e, deep, names, 4, &err), 0, "%s", err.msg);
    cr_assert_eq(expr_eval(e, values), 1 - 2046);
    expr_free(e);
}
