/* Where the modules of one text begin and end. */
#include "tests/unit/hlo/hlo_helper.h"

#define ADD " { p = f32[2] parameter(0) ROOT r = f32[2] add(p, p) }\n"

/* The start of each piece, one line each. */
static void expect_pieces(const char *text, uint32_t n, const char *const *start,
                          const char *const *name)
{
    struct hlo_piece *piece;
    uint32_t found = hlo_pieces(text, strlen(text), &piece);

    cr_assert_eq(found, n, "%u pieces of %s", found, text);
    for (uint32_t i = 0; i < n; i++) {
        size_t end = i + 1 < n ? piece[i + 1].begin : strlen(text);
        cr_expect_eq(piece[i].end, end, "piece %u ends at %zu, not at %zu", i, piece[i].end, end);
        cr_expect(strncmp(text + piece[i].begin, start[i], strlen(start[i])) == 0,
                  "piece %u begins '%.20s'", i, text + piece[i].begin);
        EXPECT_TEXT(piece[i].name, name[i]);
    }
    free(piece);
}

Test(hlo_pieces, one_module_is_one_piece)
{
    expect_pieces("HloModule a\nENTRY e" ADD, 1, (const char *[]){ "HloModule a" },
                  (const char *[]){ "a" });
    expect_pieces("\xef\xbb\xbf HloModule a, is_scheduled=true", 1,
                  (const char *[]){ "\xef\xbb\xbf" }, (const char *[]){ "a" });
}

Test(hlo_pieces, a_text_without_a_module_is_one_piece)
{
    expect_pieces("", 1, (const char *[]){ "" }, (const char *[]){ "" });
    expect_pieces("r = f32[2] parameter(0)\n", 1, (const char *[]){ "r" }, (const char *[]){ "" });
    expect_pieces("HloModuleX\nMyHloModule m\n", 1, (const char *[]){ "" }, (const char *[]){ "" });
}

Test(hlo_pieces, modules_follow_each_other_with_the_comments_before_them)
{
    expect_pieces("HloModule a\nENTRY e" ADD
                  "\n// -----\n# two\n\n  HloModule %b.1, x=1\nENTRY e" ADD
                  "HloModule c\nENTRY e" ADD,
                  3, (const char *[]){ "HloModule a", "// -----\n# two", "HloModule c" },
                  (const char *[]){ "a", "b.1", "c" });
}

Test(hlo_pieces, the_word_inside_comments_and_strings_begins_nothing)
{
    expect_pieces("// HloModule no\nHloModule a\n/*\nHloModule no\n*/\nENTRY e" ADD, 1,
                  (const char *[]){ "// HloModule no" }, (const char *[]){ "a" });
    expect_pieces("HloModule a, x=\"\nHloModule no \\\"\nHloModule no\"\n// \"\nHloModule b\n", 2,
                  (const char *[]){ "HloModule a", "// \"" }, (const char *[]){ "a", "b" });
}

Test(hlo_pieces, a_piece_is_parsed_with_the_lines_of_the_text)
{
    const char *text =
        "HloModule a\nENTRY e" ADD "// cyclotron: {\"samples\":3}\nHloModule b\nENTRY "
        "e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] negate(p)\n}\n"
        "HloModule c\nENTRY e {\n  ROOT r = f32[4] negate(q)\n}\n";
    struct hlo_piece *piece;
    struct hlo_module *m;
    struct err err;

    cr_assert_eq(hlo_pieces(text, strlen(text), &piece), 3);
    cr_assert_eq(hlo_parse_piece(&m, "t", &piece[1], &err), 0, "%s", err.msg);
    EXPECT_TEXT(m->name, "b");
    EXPECT_TEXT(m->comment, "{\"samples\":3}");
    cr_expect_eq(find_hlo(m, "r")->line, 7);
    hlo_error(m, find_hlo(m, "r"), &err, "so");
    cr_expect_str_eq(err.msg, "t:7:8: so\n  ROOT r = f32[4] negate(p)\n       ^");
    hlo_free(m);
    cr_assert_eq(hlo_parse_piece(&m, "t", &piece[2], &err), -1);
    cr_expect(strncmp(err.msg, "t:11:26: unknown operand 'q'", 28) == 0, "%s", err.msg);
    free(piece);
}
