/* Every way in which HLO text can be wrong has its message and its code. */
#include "tests/hlo/hlo_samples.h"
#include "tests/unit/hlo/hlo_helper.h"

#define M "HloModule m\n"                                        /* the next line is 2 */
#define E "HloModule m\nENTRY e {\n p = f32[8,2] parameter(0)\n" /* the next line is 4 */
#define C "c { x = f32[] parameter(0) }\n"

struct wrong {
    const char *text, *msg; /* the first line of the message */
};

/* clang-format off */
static const struct wrong wrongs[] = {
    /* module and header */
    { "", "t:1:1: expected a computation, found the end of the text" },
    { "// nothing\n", "t:2:1: expected a computation, found the end of the text" },
    { "HloModule", "t:1:10: expected the name of the module, found the end of the text" },
    { M, "t:2:1: expected a computation, found the end of the text" },
    { "hlo_module {\n", "t:1:1: a module as text of protobuf, expected HLO text, as as_text() prints it" },
    { "module @m {}", "t:1:1: a module of MLIR, expected HLO text, as compile().as_text() prints it" },
    { "\xff", "t:1:1: expected ENTRY or the name of a computation, found byte 0xff" },
    { "HloModule m, {", "t:1:14: expected the name of an attribute, found '{'" },
    { "HloModule m, a b", "t:1:16: expected '=' after the name of an attribute, found 'b'" },
    { "HloModule m, a=\n", "t:2:1: expected a value, found the end of the text" },
    { "HloModule m, a=, b=1\n", "t:1:16: expected a value, found ','" },
    { "HloModule m, a={(}\n", "t:1:18: expected ')', found '}'" },
    { "HloModule m, a={(\n", "t:1:16: '{' is never closed" },
    { "HloModule m, a=\"x\n", "t:1:16: string without its closing quote" },
    { "HloModule m, num_partitions=0\n" C, "t:1:29: num_partitions = 0: outside [1, 4294967295]" },
    { "HloModule m, replica_count=x\n" C, "t:1:28: replica_count = x: outside [1, 4294967295]" },
    { "HloModule m, input_output_alias={ {0 : (0, {}) }\n", "t:1:33: '{' is never closed" },
    { "HloModule m, input_output_alias={ {a}: (0, {}) }\n", "t:1:36: expected an index in a tuple, found 'a'" },
    { "HloModule m, input_output_alias={ {0}: (x, {}) }\n", "t:1:41: expected the number of a parameter, found 'x'" },
    { "HloModule m, input_output_alias={ {0} (0, {}) }\n", "t:1:39: expected ':' between result and parameter, found '('" },
    { "HloModule m, input_output_alias={ {0}: 0 {1}: 1 }\n", "t:1:42: expected ',' or '}' between aliases, found '{'" },
    { "HloModule m, input_output_alias={ {0,0,0,0,0}: 0 }\n", "t:1:43: an alias more than 4 tuples deep" },
    { M "FileNames\n1 2\n", "t:3:3: expected a name in quotes or '{', found '2'" },
    { M C "HloModule n\n" C, "t:3:1: a second module, expected one in a text" },
    { M C "/* no end", "t:3:1: comment without its end" },
    /* computations */
    { M "c [", "t:2:3: expected '{' before instructions, found '['" },
    { M "c (x: f32[]) - f32[] {", "t:2:16: expected '->', found 'f32'" },
    { M "c {}", "t:2:4: a computation without instructions" },
    { M "c { x = f32[] parameter(0)\n", "t:3:1: expected an instruction or '}', found the end of the text" },
    { M C C, "t:3:1: a second computation 'c'" },
    { M "ENTRY e { x = f32[] parameter(0) }\nENTRY f { x = f32[] parameter(0) }\n", "t:3:1: a second ENTRY" },
    { M "c { x = f32[] parameter(0) }, execution_thread", "t:2:47: expected '=' after the name of an attribute, found the end of the text" },
    { M "c { x = f32[] parameter(1) }", "t:2:5: parameter(1) in a computation of 1 parameters" },
    { M "c { x = f32[] parameter(0)\n y = f32[] parameter(0) }", "t:3:2: parameter(0) is given twice, first in line 2" },
    { M "c { ROOT x = f32[] parameter(0)\n ROOT y = f32[] parameter(1) }", "t:3:2: a second ROOT, first in line 2" },
    /* instructions */
    { E " x f32[] add(p)\n}", "t:4:4: expected '=' after the name of an instruction, found 'f32'" },
    { E " x = {", "t:4:6: expected a shape or an opcode, found '{'" },
    { E " x = f32[] {", "t:4:12: expected an opcode, found '{'" },
    { E " x = f32[] add{", "t:4:15: expected '(' after the opcode, found '{'" },
    { E " x = f32[] add(p p)\n}", "t:4:18: expected ',' or ')' after an operand, found 'p'" },
    { E " x = f32[] add(p,)\n}", "t:4:18: expected an operand, found ')'" },
    { E " x = f32[] parameter(a)\n}", "t:4:22: expected the number of a parameter, found 'a'" },
    { E " x = f32[] constant\n}", "t:5:1: expected '(' after 'constant', found '}'" },
    { E " p = f32[] constant(1)\n}", "t:4:12: the name 'p' is given twice, first in line 3" },
    { E " x = f32[] copy(q)\n}", "t:4:17: unknown operand 'q'; did you mean 'p'?" },
    { E " x = f32[] copy(something)\n}", "t:4:17: unknown operand 'something'" },
    { E " x = f32[] copy(%y)\n %y = f32[] constant(1)\n}", "t:4:18: operand 'y' is used before it is defined in line 5" },
    { E " x = f32[] copy(x)\n}", "t:4:17: unknown operand 'x'; did you mean 'p'?" },
    { E " x = f32[] get-tuple-element(p)\n}", "t:4:12: get-tuple-element without index=" },
    { E " x = f32[] get-tuple-element(p, p), index=0\n}", "t:4:12: get-tuple-element of other than one operand" },
    { E " x = f32[] get-tuple-element(p), index=a\n}", "t:4:40: expected the number of a part" },
    { E " x = f32[] negate(p#a)\n}", "t:4:21: expected the number of a part, found 'a'" },
    { E " x = negate(p#0)\n}", "t:4:13: the shape of 'get-tuple-element' is left out and does not follow from operands" },
    { E " t = (f32[]) tuple(p)\n x = transpose(t), dimensions={}\n}", "t:5:2: the shape of 'transpose' is left out and does not follow from operands" },
    { E " t = (f32[]) tuple(p)\n x = dot(t, p)\n}", "t:5:2: the shape of 'dot' is left out and does not follow from operands" },
    { E " t = (f32[]) tuple(p)\n x = reduce(t, p), dimensions={}\n}", "t:5:2: the shape of 'reduce' is left out and does not follow from operands" },
    { E " x = frobnicate(p)\n}", "t:4:2: the shape of 'frobnicate' is left out and does not follow from operands" },
    { E " x = f32[] negate(p), %s\n}", "t:4:23: expected the name of an attribute, found '%'" },
    { E " x = f32[] negate(p), a=]\n}", "t:4:25: expected a value, found ']'" },
    /* calls */
    { E " x = f32[] call(p), to_apply=m\n}\nmn { y = f32[] parameter(0) }", "t:4:30: unknown computation 'm'; did you mean 'e'?" },
    { E " x = f32[] call(p), to_apply=somewhere\n}", "t:4:30: unknown computation 'somewhere'" },
    { E " x = f32[] call(p), to_apply=e\n}", "t:4:30: computation 'e' calls itself" },
    { E " x = f32[] call(p), to_apply=f\n}\nf { y = f32[] parameter(0)\n z = f32[] call(y), to_apply=e }",
      "t:7:30: computation 'e' calls itself by way of 'f'" },
    { E " x = f32[] call(p), to_apply=}\n}", "t:4:30: expected a value, found '}'" },
    { E " x = f32[] custom-call(p), called_computations={e f}\n}", "t:4:51: expected ',' or '}' after the name of a computation, found 'f'" },
    /* shapes */
    { E " x = g32[] negate(p)\n}", "t:4:6: unknown dtype 'g32'; did you mean 's32'?" },
    { E " x = quaternion[] negate(p)\n}", "t:4:6: unknown dtype 'quaternion'" },
    { E " x = f32[8 8] negate(p)\n}", "t:4:12: expected ',' or ']' in a shape, found '8'" },
    { E " x = f32[-1] negate(p)\n}", "t:4:10: expected a dimension, found '-1'" },
    { E " x = f32[<8] negate(p)\n}", "t:4:11: expected '<=' before the bound of a dimension, found '8'" },
    { E " x = f32[9223372036854775808] negate(p)\n}", "t:4:10: a dimension of more than 63 bits" },
    { E " x = (f32[] f32[]) tuple(p)\n}", "t:4:13: expected ',' or ')' in a tuple of shapes, found 'f32'" },
    { E " x = b(f32[], f32[]) f(p)\n}", "t:4:6: a buffer of 2 shapes, expected one" },
    { E " x = f32[8,2]{1} negate(p)\n}", "t:4:14: a layout of 1 dimensions for a shape of rank 2" },
    { E " x = f32[8,2]{1,2} negate(p)\n}", "t:4:17: dimension 2 in the layout of a shape of rank 2" },
    { E " x = f32[8,2]{1,1} negate(p)\n}", "t:4:17: dimension 1 is twice in the layout" },
    { E " x = f32[8,2]{1 0} negate(p)\n}", "t:4:17: expected ',', ':' or '}' in a layout, found '0'" },
    { E " x = f32[8,2]{1,0:T(8,0)} negate(p)\n}", "t:4:23: a tile of size 0" },
    { E " x = f32[8,2]{1,0:T(1,1,1,1,1)} negate(p)\n}", "t:4:28: a tile of more than 4 dimensions" },
    { E " x = f32[8,2]{1,0:T(1)(1)(1)(1)(1)} negate(p)\n}", "t:4:32: a layout with more than 4 tiles" },
    { E " x = f32[8,2]{1,0:T(8)S(1)T(8)} negate(p)\n}", "t:4:28: T is given twice in a layout" },
    { E " x = f32[8,2]{1,0:S(256)} negate(p)\n}", "t:4:21: memory space = 256: outside [0, 255]" },
    { E " x = f32[8,2]{1,0:q(1)} negate(p)\n}", "t:4:19: expected T(..), S(..), another property of a layout or '}', found 'q'" },
    { E " x = f32[8,2]{1,0:T 8} negate(p)\n}", "t:4:19: expected T(..), S(..), another property of a layout or '}', found 'T'" },
};
/* clang-format on */

Test(hlo_wrong, each_message)
{
    for (unsigned k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        struct hlo_module *m = (struct hlo_module *)1;
        struct err err;
        cr_assert_eq(hlo_parse(&m, "t", wrongs[k].text, strlen(wrongs[k].text), &err), -1, "%s",
                     wrongs[k].text);
        cr_expect_null(m);
        size_t first = strcspn(err.msg, "\n");
        cr_expect(first == strlen(wrongs[k].msg) && memcmp(err.msg, wrongs[k].msg, first) == 0,
                  "%.*s\nexpected\n%s", (int)first, err.msg, wrongs[k].msg);
    }
}

static enum err_code code_of(const char *text, char *msg)
{
    struct hlo_module *m;
    struct err err;

    cr_assert_eq(hlo_parse(&m, "t", text, strlen(text), &err), -1, "%s", text);
    if (msg)
        strcpy(msg, err.msg);
    return err.code;
}

Test(hlo_wrong, codes)
{
    cr_expect_eq(code_of(E " x = f32[] copy(q)\n}", NULL), ERR_UNKNOWN);
    cr_expect_eq(code_of(E " x = g32[] copy(p)\n}", NULL), ERR_UNKNOWN);
    cr_expect_eq(code_of(E " x = f32[] call(p), to_apply=f\n}", NULL), ERR_UNKNOWN);
    cr_expect_eq(code_of(E " x = f32[8]{1} copy(p)\n}", NULL), ERR_RANGE);
    cr_expect_eq(code_of(E " x = f32[8 copy(p)\n}", NULL), ERR_FORMAT);
}

Test(hlo_wrong, the_line_and_a_caret)
{
    char msg[512];

    code_of(E "\tx = f32[] copy(q) \x01\xc3\xa9\r\n}", msg);
    cr_expect_str_eq(msg, "t:4:17: unknown operand 'q'; did you mean 'p'?\n"
                          " x = f32[] copy(q) ???\n"
                          "                ^");
}

/* A long line: about a hundred columns around the place. */
Test(hlo_wrong, a_window_of_a_long_line)
{
    char text[1024], msg[512];

    sprintf(text, E " x = f32[] add(%0200d, z), a={%0300d}\n}", 1, 2);
    memcpy(strstr(text, "add(0") + 4, "p, p", 4); /* p, p000...01: unknown, 198 letters long */
    code_of(text, msg);
    const char *line = strchr(msg, '\n') + 1, *caret = strchr(line, '\n') + 1;
    cr_expect_eq(caret - line, 101);
    cr_expect_eq(strspn(caret, " "), 18);
    cr_expect_str_eq(caret + 18, "^");
    cr_expect_eq(strncmp(line, " x = f32[] add(p, p00000", 24), 0);
}

/* Deep nests are refused, not followed until the stack is full. */
static void expect_deep(const char *before, const char *open, int n, const char *after,
                        const char *msg)
{
    size_t size = strlen(open);
    char *text = malloc(strlen(before) + size * (size_t)n + strlen(after) + 1), *t = text, got[512];

    t = stpcpy(t, before);
    for (int i = 0; i < n; i++)
        t = stpcpy(t, open);
    stpcpy(t, after);
    code_of(text, got);
    cr_expect(strstr(got, msg) != NULL, "%s\nexpected\n%s", got, msg);
    free(text);
}

Test(hlo_wrong, nests)
{
    expect_deep(E " x = f32[] constant(", "{", 100000, "", "brackets are nested deeper than 250");
    expect_deep(E " x = f32[] f(p), a=", "{[(", 100000, "", "brackets are nested deeper than 250");
    expect_deep(E " x = ", "(", 100, "f32[]", "'(' is never closed");
    expect_deep(E " x = ", "(", 65, /* closed as often as opened */
                ")))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))",
                "tuples are nested deeper than 64");
    expect_deep(E " x = ", "f(", 100000, "p", "instructions are nested deeper than 64");
    expect_deep(E " x = f32[1", ",1", 100, "] f(p)", "a shape of more than 64 dimensions");
}

/* Shapes that double with each line, and computations that call one another. */
Test(hlo_wrong, what_a_short_text_makes_large)
{
    char text[20000], msg[512], *t = stpcpy(text, E " t0 = tuple(p)\n");

    for (int i = 1; i < 20; i++)
        t += sprintf(t, " t%d = tuple(t%d, t%d)\n", i, i - 1, i - 1);
    stpcpy(t, "}");
    code_of(text, msg);
    cr_expect(strstr(msg, "a tuple of more than 262144 arrays, or deeper than 64\n"
                          " t19 = tuple(t18, t18)"),
              "%s", msg);
    t = stpcpy(text, E " t0 = tuple(p)\n");
    for (int i = 1; i < 70; i++)
        t += sprintf(t, " t%d = tuple(t%d)\n", i, i - 1);
    stpcpy(t, "}");
    code_of(text, msg);
    cr_expect(strstr(msg, "deeper than 64\n t64 = tuple(t63)"), "%s", msg);
    t = stpcpy(text, "HloModule m\nc0 { p = f32[] parameter(0) }\n");
    for (int i = 1; i < 202; i++)
        t += sprintf(t, "c%d { p = f32[] parameter(0) r = f32[] call(p), to_apply=c%d }\n", i,
                     i - 1);
    code_of(text, msg);
    cr_expect(strstr(msg, "t:203:31: computations call each other deeper than 200\nc201 {"), "%s",
              msg);
}
