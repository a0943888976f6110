/* Serialised programs (HloProto): as text, which the reader of HLO reads or refuses. */
#include <stdlib.h>

#include "hlo/hlo_module.h"
#include "hlo/proto/hlo_proto.h"
#include "tests/fuzz/fuzz.h"
#include "tests/profiles/profile_mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, room)
                         : profile_mutate_bytes(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile_mutate_counts counts = { 0, 0 };
    struct err err = { .code = ERR_NONE };
    struct hlo_module *m;
    char *text;
    size_t n;

    FUZZ_CHECK(profile_mutate_check(data, size, true, &counts));
    fuzz_accepted += counts.read;
    if (counts.read == 0 || hlo_proto_text(&text, &n, "t", data, size, &err) != 0)
        return 0;
    if (hlo_parse(&m, "t", text, n, &err) == 0)
        hlo_free(m);
    else
        fuzz_check_error(&err);
    free(text);
    return 0;
}
