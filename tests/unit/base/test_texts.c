#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/texts.h"

Test(texts, equal_texts_are_one_and_stay_as_the_table_grows)
{
    struct texts t = { 0 };
    const char *kept[1000];
    char text[32];

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            snprintf(text, sizeof text, "name %d", i);
            const char *found = texts_keep(&t, text);
            cr_assert_str_eq(found, text);
            cr_assert(round == 0 || found == kept[i]);
            kept[i] = found;
        }
    cr_expect_eq(t.n, 1000);
    texts_free(&t);
    cr_expect_eq(t.n, 0);
}

Test(texts, a_text_longer_than_a_block_none_and_the_empty_one)
{
    struct texts t = { 0 };
    char *large = memory_zeroed(100001, 1);

    memset(large, 'x', 100000);
    const char *kept = texts_take(&t, large); /* frees it */
    cr_expect_eq(strlen(kept), 100000);
    cr_expect_str_eq(texts_keep(&t, ""), "");
    cr_expect_null(texts_keep(&t, NULL));
    cr_expect_eq(strlen(kept), 100000);
    cr_expect_eq(t.n, 2);
    texts_free(&t);
}
