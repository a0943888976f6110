/* HLO text of TPU and GPU programs: parsed, asked about each instruction, imported, lowered.
 *
 * Under sanitizers the memory that an import takes is held against the limits of
 * import/hlo/import.h.
 */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import.h"
#include "import/import_reader.h"
#include "run/result/result.h"
#include "tests/fuzz/fuzz.h"
#include "tests/hlo/hlo_mutate.h"

#define LOWERED 5         /* one of so many is imported twice and lowered */
#define MOST_LOWERED 8192 /* bytes of its trace */

/* --- what the sanitizers call ------------------------------------------------------------- */

int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *))
    __attribute__((weak));
size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

static size_t used, peak;

static void count_malloc(const volatile void *at, size_t size)
{
    (void)at;
    used += size;
    peak = used > peak ? used : peak;
}

static void count_free(const volatile void *at)
{
    size_t size = at ? __sanitizer_get_allocated_size(at) : 0;

    used = used > size ? used - size : 0;
}

/* --- mutation ----------------------------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static struct hlo_mutate u;

    if (!u.text)
        hlo_mutate_begin(&u, NULL, 0);
    if (seed % 16 == 0 || size > u.room)
        return LLVMFuzzerMutate(data, size, room);
    u.state = seed;
    u.size = size;
    memcpy(u.text, data, size);
    for (uint64_t n = 1 + hlo_mutate_draw(&u, 3); n > 0; n--)
        (seed % 2 ? hlo_mutate_softly : hlo_mutate_once)(&u);
    size = u.size < room ? u.size : room;
    memcpy(data, u.text, size);
    return size;
}

/* --- one module --------------------------------------------------------------------------- */

/* A machine with as many devices as the module is for, or NULL. */
static const char *choose_machine(const struct hlo_module *m, bool gpu)
{
    static const struct {
        uint64_t devices;
        const char *tpu, *gpu;
    } machines[] = { { 1, "tpu-v4-2", "v100" },
                     { 4, "tpu-v4-8", "v100x4" },
                     { 8, "tpu-v3-8", "v100x8" },
                     { 16, "tpu-v5e-16", "a100x16" } };

    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (m->partitions <= 16 && m->partitions * m->replicas == machines[i].devices)
            return gpu ? machines[i].gpu : machines[i].tpu;
    return NULL;
}

/* Its errors are those of a trace. */
static void lower_text(const struct hlo_module *m, const char *text, size_t size)
{
    bool gpu = strstr(text, "\nprogram ") && strstr(text, " gpu=1");
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = size,
                             .machine = choose_machine(m, gpu),
                             .steps = 1,
                             .retile = true };
    struct run_memory memory;
    struct err err = { .code = ERR_NONE };

    if (q.machine && run_lower(&q, &memory, &err) != 0)
        fuzz_check_error(&err);
}

static void check_same_again(const struct hlo_module *m, const char *text, size_t size)
{
    struct err err;
    char *again;
    size_t again_size;

    FUZZ_CHECK(import_hlo_text(m, NULL, &again, &again_size, NULL, &err) == 0);
    FUZZ_CHECK(size == again_size && memcmp(text, again, size) == 0);
    free(again);
}

static void import_module(const struct hlo_module *m, size_t number)
{
    struct import_totals totals;
    struct err err;
    char *text;
    size_t size;

    if (import_hlo_text(m, NULL, &text, &size, &totals, &err) != 0) {
        FUZZ_CHECK(hlo_mutate_is_error(&err));
        return;
    }
    fuzz_accepted++;
    if (number % LOWERED == 0) {
        check_same_again(m, text, size);
        if (size <= MOST_LOWERED)
            lower_text(m, text, size);
    }
    free(text);
}

static void import_pieces(const char *text, size_t size)
{
    struct hlo_piece *piece;
    uint32_t n = hlo_pieces(text, size, &piece);
    struct hlo_module *m;
    struct err err;

    for (uint32_t i = 0; i < n; i++)
        if (hlo_parse_piece(&m, "t", &piece[i], &err) == 0) {
            import_module(m, size + i);
            hlo_free(m);
        }
    free(piece);
}

/* By the way of the commands: with our own passes where no compiler has seen it. */
static void read_file(const char *text, size_t size)
{
    struct import_request q = { .name = "t", .data = text, .size = size };
    struct import_result result = { 0 };
    struct err err = { .code = ERR_NONE };
    const struct import_reader *r = import_reader_of(text, size);
    char *out;
    size_t n;
    FILE *f = open_memstream(&out, &n);

    if (r && r->read(&q, &result, f, &err) != 0)
        fuzz_check_error(&err);
    fclose(f);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool hooked;
    struct hlo_mutate_counts counts = { 0, 0, 0 };
    const char *text = (const char *)data;
    size_t before = used;

    if (!hooked && __sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
    hooked = true;
    peak = used;
    FUZZ_CHECK(hlo_mutate_read(text, size, &counts));
    import_pieces(text, size);
    if (size % 4 == 0)
        read_file(text, size);
    FUZZ_CHECK((double)(peak - before) <=
               (double)IMPORT_LEAST_ROOM + 2.0 * IMPORT_ROOM * (double)size);
    return 0;
}
