#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "base/err.h"

static const char *const names[] = { "mxu", "vpu", "hbm", "exposed", "shadow" };

Test(err, set_fills_code_and_message_and_returns_minus_one)
{
    struct err e;

    cr_assert_eq(err_set(&e, ERR_RANGE, "mxu.rows = %d", 4), -1);
    cr_assert_eq(e.code, ERR_RANGE);
    cr_assert_str_eq(e.msg, "mxu.rows = 4");
}

Test(err, at_puts_the_place_in_front_and_keeps_the_code)
{
    struct err e;

    err_set(&e, ERR_UNIT, "no unit");
    cr_assert_eq(err_at(&e, "%s:%d", "a.ini", 14), -1);
    cr_assert_eq(e.code, ERR_UNIT);
    cr_assert_str_eq(e.msg, "a.ini:14: no unit");
}

Test(err, a_message_too_long_is_cut_and_stays_a_string)
{
    struct err e;
    char longer[600];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    err_set(&e, ERR_IO, "%s", longer);
    cr_assert_eq(strlen(e.msg), sizeof e.msg - 1);
    err_at(&e, "%s", longer);
    cr_assert_eq(strlen(e.msg), sizeof e.msg - 1);
    cr_assert_eq(e.msg[254], 'x'); /* a place is cut at 255 letters */
    cr_assert_eq(memcmp(e.msg + 255, ": x", 3), 0);
}

Test(err, nearest_finds_a_typing_error)
{
    cr_assert_str_eq(err_nearest("exposd", names, 5), "exposed");
    cr_assert_str_eq(err_nearest("hbn", names, 5), "hbm");
    cr_assert_str_eq(err_nearest("mux", names, 5), "mxu"); /* two letters swapped */
}

Test(err, nearest_prefers_the_smaller_distance_then_the_first)
{
    static const char *const close[] = { "abcx", "abcd", "abce" };

    cr_assert_str_eq(err_nearest("abcd", close, 3), "abcd");
    cr_assert_str_eq(err_nearest("abcf", close, 3), "abcx");
}

Test(err, nearest_finds_nothing_for_another_word)
{
    cr_assert_null(err_nearest("keyboard", names, 5));
    cr_assert_null(err_nearest("mxu", names, 0));
}

Test(err, nearest_survives_a_very_long_name)
{
    char longer[5000];

    memset(longer, 'm', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    cr_assert_null(err_nearest(longer, names, 5));
}

Test(err, bug_on_aborts, .signal = SIGABRT)
{
    BUG_ON(1 + 1 == 2);
}
