#include <criterion/criterion.h>

#include "base/proto.h"

/* The examples of the published description of the encoding: field 1 = 150 is 08 96 01, field 2 =
 * "testing" is 12 07 and the text, a message in field 3 of the first is 1a 03 08 96 01. */
Test(proto, writes_the_published_examples)
{
    static const unsigned char expected[] = { 0x08, 0x96, 0x01, 0x12, 0x07, 't',  'e',  's',  't',
                                              'i',  'n',  'g',  0x1a, 0x03, 0x08, 0x96, 0x01, 0x09,
                                              0,    0,    0,    0,    0,    0,    0xf0, 0x3f };
    struct proto p = { 0 };

    proto_uint(&p, 1, 150);
    proto_text(&p, 2, "testing");
    proto_begin(&p, 3);
    proto_uint(&p, 1, 150);
    proto_end(&p);
    proto_double(&p, 1, 1.0);
    cr_assert_eq(p.n, sizeof expected);
    cr_assert_arr_eq(p.bytes, expected, sizeof expected);
    proto_free(&p);
}

/* A length of 128 takes two bytes, and what is in the message moves. */
Test(proto, a_long_message_has_a_long_length)
{
    struct proto p = { 0 };
    char text[127];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = 'x';
    text[126] = '\0'; /* tag, length and 126 characters: 128 bytes */
    proto_begin(&p, 16);
    proto_text(&p, 1, text);
    proto_end(&p);
    static const unsigned char head[] = { 0x82, 0x01, 0x80, 0x01, 0x0a, 126, 'x' };
    cr_assert_eq(p.n, 2 + 2 + 128);
    cr_assert_arr_eq(p.bytes, head, sizeof head);
    cr_assert_eq(p.bytes[p.n - 1], 'x');
    proto_clear(&p);
    cr_assert_eq(p.n, 0);
    proto_free(&p);
}
