/* Results of runs as JSON, which `diff` reads: one beside a sound one, as text and as a page. */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "tests/fuzz/fuzz.h"

static const char *const words[] = {
    "null",
    "true",
    "{}",
    "[]",
    "\"x\"",
    "-1",
    "1e308",
    "\"operations\"",
    "\"seconds_per_step\"",
    "\"name\"",
    ",",
    ":",
    "[",
    "]",
    "{",
    "}",
    "0",
    "\"\\u0000\"",
    "\"\\u001b\"",
    "\"<script>\"",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *sound; /* the first input that is accepted */
    static size_t n_sound;
    static char diff[] = "cyclotron diff", html[] = "--html", o[] = "-o", null[] = "/dev/null",
                page[FUZZ_PATH];
    char a[FUZZ_PATH], b[FUZZ_PATH];

    fuzz_clear();
    fuzz_path(a, "a.json");
    fuzz_path(b, "b.json");
    fuzz_path(page, "page.html");
    fuzz_write("a.json", data, size);
    if (sound)
        fuzz_write("b.json", sound, n_sound);
    else
        fuzz_write("b.json", data, size);
    char *text[] = { diff, a, b, o, null, NULL }, *as_page[] = { diff, a, b, html, o, page, NULL };
    int code = cmd_diff(5, text);
    FUZZ_CHECK(code == 0 || code == 1);
    FUZZ_CHECK(cmd_diff(6, as_page) == code);
    if (code == 0) {
        fuzz_accepted++;
        if (!sound) {
            sound = (uint8_t *)fuzz_string(data, size);
            n_sound = size;
        }
    }
    return 0;
}
