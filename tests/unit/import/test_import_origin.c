/* Scope and source line of instructions that the compiler made without, and names of programs. */
#include "tests/unit/import/import_helper.h"

#define V "f32[2048]{0:T(1024)}"
#define NEAR "f32[2048]{0:T(1024)S(1)}"
#define AT(name, line)                                                                             \
    ", metadata={op_name=\"" name "\" source_file=\"m.py\" source_line=" line "}\n"

/* %copy has two users, the first of them a tuple's element away; %last has none with metadata. */
static const char *const program =
    "HloModule m, is_scheduled=true\n"
    "%inside (p: f32[2048]) -> f32[2048] {\n"
    "  %p = " V " parameter(0)\n"
    "  %n = " V " negate(%p)" AT(
        "body",
        "3") "  ROOT %r = " V " add(%n, %n)\n}\n"
             "ENTRY %e (x: f32[2048], z: f32[2048]) -> (f32[2048], f32[2048]) {\n"
             "  %x = " V " parameter(0), metadata={op_name=\"x\"}\n"
             "  %z = " V " parameter(1), metadata={op_name=\"z\"}\n"
             "  %s = (" NEAR ", " V ", u32[]{:S(2)}) copy-start(%x)\n"
             "  %copy = " V " copy(%z)\n"
             "  %fusion = " V " fusion(%z), kind=kLoop, calls=%inside\n"
             "  %d = " NEAR " copy-done(%s)\n"
             "  %late = " V " tanh(%z)" AT("late", "9") "  %user = " V " multiply(%copy, %d)" AT(
                 "user", "5") "  %other = " V
                              " add(%copy, %late)" AT("other", "6") "  %last = " V
                                                                    " subtract(%other, %user)\n"
                                                                    "  ROOT %t = (" V ", " V
                                                                    ") tuple(%last, %fusion)\n}\n";

Test(import_origin, users_come_first_and_then_operands)
{
    char *s = import_text(program, NULL, NULL);

    EXPECT_PART(s, "%user", " scope=\"user\" source=\"m.py:5\"\n");
    EXPECT_PART(s, "%copy ", " scope=\"user\" source=\"m.py:5\"\n");
    EXPECT_PART(s, "%s:0", " scope=\"user\" source=\"m.py:5\"\n");
    EXPECT_PART(s, "%d ", " scope=\"user\" source=\"m.py:5\"\n");
    EXPECT_PART(s, "%late", " scope=\"late\" source=\"m.py:9\"\n");
    EXPECT_PART(s, "%fusion", " scope=\"body\" source=\"m.py:3\"\n");
    EXPECT_PART(s, "%last", " scope=\"other\" source=\"m.py:6\"\n");
    cr_expect_null(strstr(s, "scope=\"x\""), "an argument has its name, and no scope");
    free(s);
}

Test(import_origin, what_is_near_nothing_has_no_scope)
{
    char *s = import_text("HloModule m, is_scheduled=true\nENTRY %e (x: f32[2048]) -> f32[2048] {\n"
                          "  %x = " V " parameter(0), metadata={op_name=\"x\"}\n"
                          "  ROOT %y = " V " copy(%x)\n}\n",
                          NULL, NULL);

    cr_expect_null(strstr(s, "scope="));
    free(s);
}

#define BODY                                                                                       \
    ", is_scheduled=true\nENTRY %e (x: f32[2048]) -> f32[2048] {\n  %x = " V " parameter(0)\n"     \
    "  ROOT %y = " V " copy(%x)\n}\n"

Test(import_origin, a_program_is_named_after_its_source_or_its_file)
{
    static const struct {
        const char *hlo, *name;
    } rows[] = {
        { "// cyclotron: {\"workload\": \"gan\", \"source\": \"runs/a.py:step\"}\nHloModule "
          "jit_step" BODY,
          "gan" },
        { "// cyclotron: {\"workload\": null, \"source\": \"runs/a.py:step\"}\nHloModule "
          "jit_step" BODY,
          "a" },
        { "HloModule jit_step" BODY, "t" }, /* the helper calls its file t.hlo */
        { "HloModule SyncTensorsGraph.123" BODY, "t" },
        { "HloModule resnet" BODY, "resnet" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[64], *s = import_text(rows[i].hlo, NULL, NULL);
        snprintf(expected, sizeof expected, "workload \"%s\"\n", rows[i].name);
        cr_expect_not_null(strstr(s, expected), "%s", rows[i].hlo);
        free(s);
    }
}

/* A kernel by hand is called by all that its framework knows of it, and a profile has the same. */
Test(import_origin, long_names_and_scopes_are_whole)
{
    char hlo[3000], name[601], scope[901], line[700], want[1000];

    memset(name, 'n', 600);
    memset(scope, 's', 900);
    name[600] = scope[900] = '\0';
    snprintf(hlo, sizeof hlo,
             "HloModule t, is_scheduled=true\n"
             "ENTRY main {\n"
             "  x = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
             "  ROOT %s.7 = f32[8,128]{1,0:T(8,128)} negate(x), metadata={op_name=\"%s\"}\n"
             "}\n",
             name, scope);
    char *text = import_text(hlo, NULL, NULL);
    snprintf(line, sizeof line, "%%%s.7 ", name);
    snprintf(want, sizeof want, "scope=\"%s\"", scope);
    cr_expect(strstr(text, line), "%s", text);
    cr_expect(strstr(text, want), "%s", text);
    free(text);
}

/* XLA writes UTF-8 byte by byte, as C does; half a character is none, \\ is a backslash. */
Test(import_origin, names_of_scopes_and_files_are_utf8)
{
    static const struct {
        const char *op_name, *file, *expected;
    } rows[] = {
        { "caf\\303\\251", "caf\\303\\251.py",
          "scope=\"caf\xc3\xa9\" source=\"caf\xc3\xa9.py:7\"" },
        { "\\342\\206\\222\\360\\237\\230\\200", "a.py",
          "scope=\"\xe2\x86\x92\xf0\x9f\x98\x80\" source=\"a.py:7\"" },
        { "a\\303/\\251b\\377", "a.py", "scope=\"a?/?b?\" source=\"a.py:7\"" },
        { "w[\\'a\\']\\n\\001", "a.py", "scope=\"w['a']??\" source=\"a.py:7\"" },
        { "a\\\\303", "C:\\\\303.py", "scope=\"a\\\\303\" source=\"C:303.py:7\"" },
        { "a\\303\\25", "\\3", "scope=\"a?25\" source=\"3:7\"" },
        { "\\300\\200\\355\\240\\200", "a", "scope=\"??\" source=\"a:7\"" }, /* no shortest forms */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *hlo = memory_format("HloModule t, is_scheduled=true\n"
                                  "ENTRY main {\n"
                                  "  x = f32[8]{0} parameter(0)\n"
                                  "  ROOT y = f32[8]{0} negate(x), metadata={op_name=\"%s\" "
                                  "source_file=\"%s\" source_line=7}\n"
                                  "}\n",
                                  rows[i].op_name, rows[i].file);
        char *text = import_text(hlo, NULL, NULL);
        cr_expect(strstr(text, rows[i].expected) != NULL, "no %s in\n%s", rows[i].expected, text);
        free(text);
        free(hlo);
    }
}
