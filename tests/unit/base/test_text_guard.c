/* test_text_guard.c - what a terminal must not get, whatever pieces it is written in. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_guard.h"
#include "base/text_write.h"

/* Written in pieces of `piece` bytes, each passed on at once. */
static char *pass_text(const char *text, size_t size, size_t piece)
{
    struct text_guard own;
    struct memory_text t;

    memory_text_begin(&t);
    FILE *guard = text_guard_open(&own, t.out);
    for (size_t i = 0; i < size; i += piece) {
        fwrite(text + i, 1, i + piece < size ? piece : size - i, guard);
        fflush(guard);
    }
    cr_expect_eq(fclose(guard), 0);
    return memory_text_end(&t);
}

#define ARRIVES(written, want)                                                                     \
    for (size_t piece = 1; piece < 6; piece++) {                                                   \
        char *got = pass_text(written, sizeof written - 1, piece);                                 \
        cr_expect_str_eq(got, want, "pieces of %zu bytes: %s", piece, got);                        \
        free(got);                                                                                 \
    }

Test(text_guard, plain_text_arrives_as_it_is)
{
    ARRIVES("a\tb\nc ~\n", "a\tb\nc ~\n");
    ARRIVES("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0",
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0");
}

Test(text_guard, control_characters_are_question_marks)
{
    ARRIVES("a\033[31mb\r\a\x7f", "a?[31mb???");
    ARRIVES("a\0b", "a?b");
    ARRIVES("\xc2\x9b"
            "31m \xc2\x80",
            "?31m ?"); /* of Latin-1, two bytes each */
}

Test(text_guard, each_byte_that_is_no_utf8_is_a_question_mark)
{
    ARRIVES("\xff\x80x", "??x");
    ARRIVES("\xe2\x82", "??"); /* its end is missing */
    ARRIVES("\xe2\x82x\xc3", "??x?");
    ARRIVES("\xed\xa0\x80\xc0\xaf", "?????"); /* a surrogate; / in a form too long */
    ARRIVES("\xf0\x9f\x1b[", "???[");
    ARRIVES("\xff\x98\x98\x98\xf0\x9f\x98", "???????"); /* no byte from before */
}

Test(text_guard, a_failed_write_is_told)
{
    struct text_guard own;
    FILE *full = fopen("/dev/full", "w");

    cr_assert(full != NULL);
    FILE *guard = text_guard_open(&own, full);
    fputs("text", guard);
    cr_expect_neq(fflush(guard), 0);
    cr_expect(ferror(guard));
    fclose(guard);
    fclose(full);
}

Test(text_guard, a_name_ends_no_line)
{
    struct memory_text t;

    memory_text_begin(&t);
    text_shown_format(t.out, "%s: %d", "a\nb\xc2\x9b", 5);
    text_column("|\xc2\x9b"
                "c",
                4, t.out);
    char *got = memory_text_end(&t);
    cr_expect_str_eq(got, "a?b?: 5|?c ");
    free(got);
    cr_expect(text_has_control("a\n") && text_has_control("a\xc2\x85") &&
              !text_has_control("caf\xe9 \xc3\xa9"));
}
