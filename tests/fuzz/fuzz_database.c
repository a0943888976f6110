/* The bytes of a database of a sweep: whatever they are, it is read or refused. */
#include "tests/fuzz/database.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { .code = ERR_NONE };
    char path[FUZZ_PATH];

    fuzz_clear();
    fuzz_write("s.db", data, size);
    fuzz_path(path, "s.db");
    if (database_read(path, &err))
        fuzz_accepted++;
    else
        fuzz_check_error(&err);
    return 0;
}
