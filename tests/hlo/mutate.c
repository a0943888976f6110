/* mutate.c - parse, import and lower N spoiled HLO modules:
 *
 *     mutate N [SEED [FIRST [FILE...]]]    those of the samples, or of files
 *     mutate show SEED I [FILE...]         the text of one
 *
 * Meant to run under ASan and UBSan.  Whatever goes wrong is named by its seed and number: a crash,
 * ten seconds of CPU or more, memory beyond the limits of import/import.h, an error without its
 * place, a text that a second import writes differently, a line that the reader of traces refuses.
 */
#include <inttypes.h>
#include <signal.h>
#include <sys/time.h>

#include "base/memory.h"
#include "import/import.h"
#include "import/open.h"
#include "run/result.h"
#include "tests/hlo/hlo_mutate.h"

#define LOWERED 5         /* one of so many is imported twice and lowered */
#define MOST_LOWERED 8192 /* bytes of its trace */

static uint64_t seed = 1, current;

static struct {
    struct hlo_mutate_counts text;
    uint64_t imported, refused, mistakes, lowered, not_lowered;
    double most; /* bytes of memory for each byte of a text */
} counts;

/* --- what the sanitizers call ------------------------------------------------------------- */

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
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

static void tell_current(void)
{
    fprintf(stderr, "mutation %" PRIu64 " of seed %" PRIu64 "\n", current, seed);
}

static void stop_late(int signal)
{
    (void)signal;
    tell_current();
    abort();
}

/* Seconds of this process's own work, whatever else runs on the machine; 0: no limit. */
static void limit_time(long seconds)
{
    const struct itimerval limit = { .it_value = { .tv_sec = seconds } };

    setitimer(ITIMER_PROF, &limit, NULL);
}

/* --- one module --------------------------------------------------------------------------- */

/* A machine with as many devices as the module is for, or NULL. */
static const char *choose_machine(const struct hlo_module *m)
{
    static const struct {
        uint64_t devices;
        const char *name;
    } machines[] = {
        { 1, "tpu-v4-2" }, { 4, "tpu-v4-8" }, { 8, "tpu-v3-8" }, { 16, "tpu-v5e-16" }
    };

    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (m->partitions <= 16 && m->partitions * m->replicas == machines[i].devices)
            return machines[i].name;
    return NULL;
}

/* Its errors are those of a trace. */
static void lower_text(const struct hlo_module *m, const char *text, size_t size)
{
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = size,
                             .machine = choose_machine(m),
                             .steps = 1,
                             .retile = true };
    struct run_memory memory;
    struct err err;

    if (q.machine == NULL)
        return;
    if (run_lower(&q, &memory, &err) == 0)
        counts.lowered++;
    else
        counts.not_lowered++;
}

static bool is_same_again(const struct hlo_module *m, const char *text, size_t size)
{
    struct err err;
    char *again;
    size_t again_size;

    if (import_hlo_text(m, NULL, &again, &again_size, NULL, &err) != 0)
        return false;
    bool same = size == again_size && memcmp(text, again, size) == 0;
    free(again);
    return same;
}

static bool import_module(const struct hlo_module *m)
{
    struct import_totals totals;
    struct err err;
    char *text;
    size_t size;

    if (import_hlo_text(m, NULL, &text, &size, &totals, &err) != 0) {
        bool mistake = strstr(err.msg, ": as a line of a trace: ") != NULL;
        counts.refused++;
        counts.mistakes += mistake;
        if (mistake)
            fprintf(stderr, "%" PRIu64 ": %s\n", current, err.msg);
        return hlo_mutate_is_error(&err);
    }
    counts.imported++;
    bool good = current % LOWERED || is_same_again(m, text, size);
    if (good && current % LOWERED == 0 && size <= MOST_LOWERED)
        lower_text(m, text, size);
    free(text);
    return good;
}

static bool import_text(const char *text, size_t size)
{
    struct hlo_piece *piece;
    uint32_t n = hlo_pieces(text, size, &piece);
    bool good = true;

    for (uint32_t i = 0; i < n && good; i++) {
        struct hlo_module *m;
        struct err err;
        if (hlo_parse_piece(&m, "t", &piece[i], &err) != 0)
            continue;
        good = import_module(m);
        hlo_free(m);
    }
    free(piece);
    return good;
}

static bool check_memory(size_t size, size_t before)
{
    double bytes = (double)(peak - before), per_byte = bytes / (double)(size ? size : 1);

    if (bytes > 1 << 20 && per_byte > counts.most)
        counts.most = per_byte;
    return bytes <= IMPORT_LEAST_ROOM + 2.0 * IMPORT_ROOM * (double)size;
}

static bool try_one(struct hlo_mutate *u)
{
    hlo_mutate_make(u, seed, current);
    char *exact = hlo_mutate_exact(u);
    size_t before = used;

    limit_time(10);
    peak = used;
    bool good = hlo_mutate_read(exact, u->size, &counts.text) && import_text(exact, u->size) &&
                check_memory(u->size, before);
    limit_time(0);
    free(exact);
    return good;
}

/* --- all ---------------------------------------------------------------------------------- */

static int run_all(struct hlo_mutate *u, uint64_t first, uint64_t n)
{
    bool good = true;

    signal(SIGPROF, stop_late);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_current);
    if (__sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
    for (current = first; current < first + n && good; current++) {
        good = try_one(u);
        if (!good)
            tell_current();
    }
    printf("hlo: %" PRIu64 " spoiled modules: %" PRIu64 " read (%" PRIu64 " instructions), %" PRIu64
           " refused\n",
           counts.text.read + counts.text.refused, counts.text.read, counts.text.instructions,
           counts.text.refused);
    printf("import: %" PRIu64 " imported, %" PRIu64 " refused (%" PRIu64
           " by the reader of traces); %" PRIu64 " lowered, %" PRIu64
           " not; at most %.1f bytes of memory for each byte of a text that takes 1 MiB or more\n",
           counts.imported, counts.refused, counts.mistakes, counts.lowered, counts.not_lowered,
           counts.most);
    return good ? 0 : 1;
}

static int show_one(struct hlo_mutate *u, uint64_t i)
{
    hlo_mutate_make(u, seed, i);
    fwrite(u->text, 1, u->size, stdout);
    return 0;
}

static char **read_files(char *const *path, int n)
{
    char **text = memory_zeroed((size_t)n, sizeof *text);

    for (int i = 0; i < n; i++) {
        struct err err;
        size_t size;
        if (import_read(&text[i], &size, path[i], &err) != 0) {
            fprintf(stderr, "%s\n", err.msg);
            exit(2);
        }
    }
    return text;
}

int main(int argc, char **argv)
{
    bool show = argc > 3 && strcmp(argv[1], "show") == 0;
    struct hlo_mutate u;

    if (argc < 2) {
        fprintf(stderr, "usage: mutate N [SEED [FIRST [FILE...]]], mutate show SEED I [FILE...]\n");
        return 2;
    }
    int n = argc > 4 ? argc - 4 : 0;
    char **text = read_files(argv + argc - n, n);
    hlo_mutate_begin(&u, n ? (const char *const *)text : NULL, (uint64_t)n);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 0);
    uint64_t number = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
    int rc = show ? show_one(&u, number) : run_all(&u, number, strtoull(argv[1], NULL, 0));
    for (int i = 0; i < n; i++)
        free(text[i]);
    free(text);
    hlo_mutate_end(&u);
    return rc;
}
