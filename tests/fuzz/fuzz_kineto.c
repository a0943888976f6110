/* Recordings of PyTorch's profiler: what is imported, the reader of traces reads. */
#include <stdlib.h>

#include "base/memory.h"
#include "import/kineto/kineto_import.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kineto_import x = { .samples = size % 2 };
    struct err err = { .code = ERR_NONE };
    struct memory_text out;

    (void)kineto_import_likes(data, size);
    memory_text_begin(&out);
    int rc = kineto_import("t", data, size, &x, out.out, &err);
    char *text = memory_text_end(&out);
    if (rc == 0)
        fuzz_read_import(text, out.size, true);
    else
        fuzz_check_error(&err);
    free(text);
    return 0;
}
