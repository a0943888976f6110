/* Topology files of SCALE-Sim: what is imported, the reader of traces reads. */
#include <stdlib.h>

#include "base/memory.h"
#include "import/scalesim/scalesim.h"
#include "tests/fuzz/fuzz.h"

static const char *const words[] = {
    "Layer name, ",
    "IFMAP Height, ",
    "Filter Width, ",
    "Channels, ",
    "Num Filter, ",
    "Strides, ",
    "Batch Size, ",
    "Stride height, ",
    "Sparsity, ",
    "M, ",
    "N, ",
    "K, ",
    ",",
    "#",
    "\r\n",
    "DP",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { .code = ERR_NONE };
    struct memory_text out;
    struct scalesim_notes notes;

    (void)scalesim_likes(data, size);
    memory_text_begin(&out);
    int rc = scalesim_import("t", data, size, size % 3, out.out, &notes, &err);
    char *text = memory_text_end(&out);
    if (rc == 0)
        fuzz_read_import(text, out.size, false);
    else
        fuzz_check_error(&err);
    free(text);
    return 0;
}
