/* A trace in zstd frames with a seek table, and as a lone frame. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "tests/fuzz/fuzz.h"
#include "trace/file/container.h"
#include "trace/trace.h"

/* Pack text anew: what no change of a byte would come to, because of the checksums. */
static size_t pack_text(uint8_t *data, size_t room, const char *text, size_t n)
{
    struct memory_text packed;
    struct err err;
    FILE *in = n ? fmemopen((void *)(uintptr_t)text, n, "r") : NULL;

    if (!in)
        return 0;
    memory_text_begin(&packed);
    int rc = trace_pack(in, packed.out, &err);
    fclose(in);
    char *bytes = memory_text_end(&packed);
    size_t size = rc == 0 && packed.size <= room ? packed.size : 0;
    memcpy(data, bytes, size);
    free(bytes);
    return size;
}

/* Change the table at the end: an entry, a frame's size, the count. */
static void change_table(uint8_t *data, size_t size, uint64_t *state)
{
    size_t back = 4 * (1 + fuzz_draw(state, 8)) + 1;

    if (size > back + 4)
        container_put32(data + size - back - 4, fuzz_draw(state, 3)
                                                    ? container_get32(data + size - back - 4) +
                                                          (uint32_t)fuzz_draw(state, 3) - 1
                                                    : (uint32_t)fuzz_draw(state, UINT32_MAX));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t state = seed;
    static char text[1 << 16];

    switch (fuzz_draw(&state, 4)) {
    case 0: {
        size_t n = ZSTD_decompress(text, sizeof text, data, size);
        if (ZSTD_isError(n))
            break;
        n = fuzz_mutate_text((uint8_t *)text, n, sizeof text, state, NULL, 0);
        n = fuzz_draw(&state, 4) ? pack_text(data, room, text, n)
                                 : ZSTD_compress(data, room, text, n, 1);
        if (!ZSTD_isError(n) && n > 0)
            return n;
        break;
    }
    case 1: change_table(data, size, &state); return size;
    default: break;
    }
    return LLVMFuzzerMutate(data, size, room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { .code = ERR_NONE };
    struct trace_totals totals;
    struct trace *t;
    const struct trace_limits limits = { 8, 2000, 20000, 20000, 2000, 4 << 20 };

    if (trace_open_memory(&t, "t", data, size, true, &err) != 0) {
        fuzz_check_error(&err);
        return 0;
    }
    trace_limit(t, &limits);
    trace_totals_init(&totals);
    if (trace_sum(t, &totals, &err) == 0) {
        struct memory_text text;
        fuzz_accepted++;
        memory_text_begin(&text);
        FUZZ_CHECK(trace_unpack(t, text.out, &err) == 0);
        free(memory_text_end(&text));
        FUZZ_CHECK(trace_rewind(t, &err) == 0);
    } else {
        fuzz_check_error(&err);
    }
    trace_totals_clear(&totals);
    trace_close(t);
    return 0;
}
