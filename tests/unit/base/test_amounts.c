#include <criterion/criterion.h>

#include "base/amounts.h"

/* 3/4 as number 40, 1/2 as number 2, 0 as number 7 */
static struct amounts make_some(void)
{
    struct amounts a = { 0 };

    mpq_set_ui(amounts_at(&a, 40), 3, 4);
    mpq_set_ui(amounts_at(&a, 2), 1, 2);
    amounts_at(&a, 7);
    return a;
}

Test(amounts, an_amount_is_found_by_its_number_in_whatever_order_they_came)
{
    struct amounts a = make_some();

    cr_expect_eq(mpq_cmp_ui(amounts_get(&a, 2), 1, 2), 0);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&a, 40), 3, 4), 0);
    cr_expect_eq(mpq_sgn(amounts_get(&a, 7)), 0);
    mpq_set_ui(amounts_at(&a, 40), 5, 1); /* the same amount once more */
    cr_expect_eq(mpq_cmp_ui(amounts_get(&a, 40), 5, 1), 0);
    amounts_clear(&a);
}

Test(amounts, what_was_never_made_is_0_and_takes_no_storage)
{
    struct amounts a = { 0 };

    for (unsigned i = 0; i < AMOUNTS_MOST; i++)
        cr_expect_eq(mpq_cmp_ui(amounts_get(&a, i), 0, 1), 0);
    cr_expect_null(a.amount);
}

Test(amounts, they_come_lowest_number_first)
{
    struct amounts a = make_some();
    int i = -1, numbers[4], n = 0;

    mpq_set_ui(amounts_at(&a, AMOUNTS_MOST - 1), 1, 1);
    while (n < 4 && amounts_next(&a, &i))
        numbers[n++] = i;
    cr_expect_eq(n, 4);
    cr_expect_arr_eq(numbers, ((int[]){ 2, 7, 40, 63 }), sizeof numbers);
    cr_expect_null(amounts_next(&a, &i));
    amounts_clear(&a);
}

/* 1/2 + 1 and 3/4 of one list, 1/3 that only the other has; zeros are not made. */
Test(amounts, a_sum_is_of_each_number_and_makes_no_zeros)
{
    struct amounts a = make_some(), sum = { 0 };
    mpq_t all;

    mpq_init(all);
    mpq_set_ui(amounts_at(&sum, 2), 1, 1);
    mpq_set_ui(amounts_at(&sum, 0), 1, 3);
    amounts_add(&sum, &a);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&sum, 0), 1, 3), 0);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&sum, 2), 3, 2), 0);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&sum, 40), 3, 4), 0);
    cr_expect_eq(sum.made, 1 | 1 << 2 | UINT64_C(1) << 40);
    mpq_set_ui(all, 1, 1);
    amounts_sum(all, &sum); /* 1 + 1/3 + 3/2 + 3/4 */
    cr_expect_eq(mpq_cmp_ui(all, 43, 12), 0);
    mpq_clear(all);
    amounts_clear(&a);
    amounts_clear(&sum);
}

Test(amounts, the_largest_is_the_lowest_of_equals_among_those_asked_for)
{
    struct amounts a = make_some();

    cr_expect_eq(amounts_largest(&a, UINT64_MAX), 40);
    cr_expect_eq(amounts_largest(&a, 1 << 2 | 1 << 7), 2);
    cr_expect_eq(amounts_largest(&a, 1 << 5 | 1 << 7), 5, "all are 0");
    mpq_set_ui(amounts_at(&a, 50), 3, 4);
    cr_expect_eq(amounts_largest(&a, UINT64_MAX), 40);
    amounts_clear(&a);
    cr_expect_eq(a.made, 0);
}
