/* JSON of profilers: how it is recognised, and numbers that some of them write as text. */
#include <criterion/criterion.h>
#include <string.h>

#include "profile/source/profile_json.h"

static bool knows_head(const char *head)
{
    static const char *const words[] = { "\"ph\"", "\"ts\"", NULL };

    return profile_json_knows((const unsigned char *)head, strlen(head), words);
}

Test(profile_json, all_words_in_an_object_or_a_list)
{
    cr_expect(knows_head("{\"ph\": \"X\", \"ts\": 1}"));
    cr_expect(knows_head("[{\"ts\": 1, \"ph\": \"X\"}]"));
    cr_expect(knows_head(" \n\t{\"ph\"\"ts\""));
    cr_expect_not(knows_head("{\"ph\": \"X\"}"));
    cr_expect_not(knows_head("{\"ts\": 1}"));
    cr_expect_not(knows_head("\"ph\" \"ts\" {"));
    cr_expect_not(knows_head("   "));
    cr_expect_not(knows_head(""));
}

Test(profile_json, a_byte_order_mark_may_stand_in_front)
{
    cr_expect(knows_head("\xef\xbb\xbf{\"ph\"\"ts\""));
    cr_expect(knows_head("\xef\xbb\xbf [\"ph\"\"ts\""));
    cr_expect_not(knows_head("\xef\xbb\xbf"));
    cr_expect_not(knows_head("\xef\xbb{\"ph\"\"ts\""));
}

Test(profile_json, numbers_may_be_text)
{
    json_t *o = json_loads("{\"a\": \"12\", \"b\": \"12x\", \"c\": \"1.5\", \"d\": 2.5, \"e\": 7, "
                           "\"f\": \"\", \"g\": \"1.5 \", \"h\": \"18446744073709551615\"}",
                           0, NULL);
    double x = 99;

    cr_assert(o);
    cr_expect_eq(profile_json_id(o, "a"), 12);
    cr_expect_eq(profile_json_id(o, "b"), 0);
    cr_expect_eq(profile_json_id(o, "none"), 0);
    cr_expect_eq(profile_json_id(o, "h"), UINT64_MAX);
    cr_expect(profile_json_real(o, "c", &x) && x == 1.5);
    cr_expect(profile_json_real(o, "a", &x) && x == 12);
    cr_expect(profile_json_real(o, "d", &x) && x == 2.5);
    cr_expect_not(profile_json_real(o, "e", &x), "an integer is no real number");
    cr_expect_not(profile_json_real(o, "f", &x));
    cr_expect_not(profile_json_real(o, "g", &x));
    cr_expect_not(profile_json_real(o, "none", &x));
    json_decref(o);
}
