/* Profiles of all formats, plain and packed: read, and looked at whether all holds together. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/profiles/profile_mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, room);
    if (seed % 4 == 1 && size > 0 && data[0] < 0x80 && data[0] >= ' ') /* JSON, CSV */
        return fuzz_mutate_text(data, size, room, seed, NULL, 0);
    return profile_mutate_bytes(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile_mutate_counts counts = { 0, 0 };

    FUZZ_CHECK(profile_mutate_check(data, size, false, &counts));
    fuzz_accepted += counts.read;
    return 0;
}
