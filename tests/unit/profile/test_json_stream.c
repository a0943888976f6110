/* JSON value by value: what is inside, and where it is none. */
#include <criterion/criterion.h>
#include <string.h>

#include "profile/source/json_stream.h"

struct bench {
    struct profile_source *source;
    struct json_stream json;
    struct err err;
};

static void begin_bench(struct bench *b, const char *text)
{
    cr_assert_eq(profile_source_memory(&b->source, "t", text, strlen(text), &b->err), 0);
    json_stream_begin(&b->json, b->source);
}

static void end_bench(struct bench *b)
{
    json_stream_end(&b->json);
    profile_source_close(b->source);
}

Test(json_stream, an_object_gives_its_keys_and_values)
{
    struct bench b;
    enum json_kind kind;
    uint64_t n = 0;

    begin_bench(&b, " {\"a\" : \"x\\n\\u00e4\", \"b\":-1.5e3,\"c\":true }\n");
    cr_assert_eq(json_stream_value(&b.json, &kind, &b.err), 0);
    cr_expect_eq(kind, JSON_OBJECT_KIND);
    cr_assert_eq(json_stream_member(&b.json, &n, &b.err), 1);
    cr_expect_str_eq(b.json.text, "a");
    cr_assert_eq(json_stream_value(&b.json, &kind, &b.err), 0);
    cr_expect_eq(kind, JSON_TEXT);
    cr_expect_str_eq(b.json.text, "x\n\xc3\xa4");
    cr_assert_eq(json_stream_member(&b.json, &n, &b.err), 1);
    cr_assert_eq(json_stream_value(&b.json, &kind, &b.err), 0);
    cr_expect_eq(kind, JSON_NUMBER);
    cr_expect_str_eq(b.json.text, "-1.5e3");
    cr_assert_eq(json_stream_member(&b.json, &n, &b.err), 1);
    cr_assert_eq(json_stream_value(&b.json, &kind, &b.err), 0);
    cr_expect_eq(kind, JSON_WORD);
    cr_expect_eq(json_stream_member(&b.json, &n, &b.err), 0);
    cr_expect_eq(json_stream_finish(&b.json, &b.err), 0);
    end_bench(&b);
}

Test(json_stream, a_raw_value_is_kept_without_blanks)
{
    struct bench b;

    begin_bench(&b, "[ [1, 2] , {\"a b\": \"] \\\" x\"} ]");
    cr_assert_eq(json_stream_raw(&b.json, &b.err), 0, "%s", b.err.msg);
    cr_expect_str_eq(b.json.text, "[[1,2],{\"a b\":\"] \\\" x\"}]");
    end_bench(&b);
}

/* A text across the blocks in which a source is read. */
Test(json_stream, a_text_may_cross_blocks)
{
    static char text[200002];
    struct bench b;
    enum json_kind kind;

    memset(text, 'x', 200001);
    text[0] = text[200000] = '"';
    text[200001] = '\0';
    begin_bench(&b, text);
    cr_assert_eq(json_stream_value(&b.json, &kind, &b.err), 0, "%s", b.err.msg);
    cr_expect_eq(b.json.n, 199999);
    end_bench(&b);
}

Test(json_stream, damage_is_told_with_its_byte)
{
    static const struct {
        const char *text, *why;
    } row[] = {
        { "", "t: byte 0: the JSON ends too early: the file is cut" },
        { "[1, 2", "t: byte 5: the JSON ends too early: the file is cut" },
        { "{\"a\": \"b", "t: byte 8: the JSON ends inside a text: the file is cut" },
        { "{\"a\" 1}", "t: byte 5: no JSON: ':' expected behind a key" },
        { "[1 2]", "t: byte 3: no JSON: ',' or ']' expected" },
        { "{a: 1}", "t: byte 1: no JSON: a key in quotes expected" },
        { "[}", "t: byte 1: no JSON: a value expected" },
        { "<html>", "t: byte 0: no JSON: a value expected" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bench b;
        enum json_kind kind;
        uint64_t n = 0;
        begin_bench(&b, row[i].text);
        int rc = json_stream_value(&b.json, &kind, &b.err);
        for (int turn = 0; rc >= 0 && turn < 4; turn++) {
            rc = kind == JSON_OBJECT_KIND ? json_stream_member(&b.json, &n, &b.err)
                                          : json_stream_element(&b.json, &n, &b.err);
            rc = rc > 0 ? json_stream_skip(&b.json, &b.err) : rc;
        }
        cr_expect_eq(rc, -1, "%s", row[i].text);
        cr_expect_str_eq(b.err.msg, row[i].why);
        end_bench(&b);
    }
}

Test(json_stream, brackets_inside_each_other_have_an_end)
{
    static char text[1001];
    struct bench b;

    memset(text, '[', 1000);
    begin_bench(&b, text);
    cr_expect_eq(json_stream_skip(&b.json, &b.err), -1);
    cr_expect_str_eq(b.err.msg, "t: byte 256: more than 256 values inside each other");
    end_bench(&b);
}
