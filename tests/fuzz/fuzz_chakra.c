/* Chakra execution traces: what is imported, the reader of traces reads. */
#include <stdlib.h>

#include "base/memory.h"
#include "import/chakra/chakra_import.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chakra_import x = { .allow_unknown = size % 2, .ranks = size % 3 ? 0 : 4 };
    struct err err = { .code = ERR_NONE };
    struct memory_text out;

    (void)chakra_import_likes(data, size);
    memory_text_begin(&out);
    int rc = chakra_import("t", data, size, &x, out.out, &err);
    char *text = memory_text_end(&out);
    if (rc == 0)
        fuzz_read_import(text, out.size, true);
    else
        fuzz_check_error(&err);
    free(text);
    return 0;
}
