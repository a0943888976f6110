#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"

static FILE *open_text(const char *bytes, size_t size)
{
    FILE *f = tmpfile();

    cr_assert_eq(fwrite(bytes, 1, size, f), size);
    rewind(f);
    return f;
}

static char room[LINE_ROOM];

Test(line, ends_are_cut_and_the_last_one_may_miss)
{
    struct err err;
    FILE *f = open_text("a b \r\n\n\r\nlast", 13);

    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "a b ");
    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "");
    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "");
    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "last");
    cr_assert_eq(line_next(f, room, &err), 0);
    fclose(f);
}

Test(line, a_byte_order_mark_is_left_out)
{
    struct err err;
    FILE *f = open_text("\xef\xbb\xbf[a]\r\nb\n\xef\xbb\xbf", 13);

    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "[a]");
    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "b");
    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_str_eq(room, "");
    fclose(f);
}

Test(line, a_nul_byte_is_no_text)
{
    struct err err;
    FILE *f = open_text("a\0b\n", 4);

    cr_assert_eq(line_next(f, room, &err), -1);
    cr_assert_eq(err.code, ERR_FORMAT);
    cr_assert_str_eq(err.msg, "a NUL byte in a text file");
    fclose(f);
}

Test(line, a_line_is_1048575_bytes_with_its_end_at_most)
{
    struct err err;
    char *longest = malloc(1048576);

    memset(longest, 'x', 1048576);
    longest[1048574] = '\n';
    FILE *f = open_text(longest, 1048575);
    cr_assert_eq(line_next(f, room, &err), 1);
    cr_assert_eq(strlen(room), 1048574);
    fclose(f);
    longest[1048574] = 'x';
    f = open_text(longest, 1048576);
    cr_assert_eq(line_next(f, room, &err), -1);
    cr_assert_str_eq(err.msg, "a line of more than 1048575 bytes");
    fclose(f);
    free(longest);
}

Test(line, trimming_leaves_what_stands_inside)
{
    char blank[] = " \t\r\n", words[] = "\t two  words \r\n";

    cr_assert_str_eq(line_trim(blank), "");
    cr_assert_str_eq(line_trim(words), "two  words");
}
