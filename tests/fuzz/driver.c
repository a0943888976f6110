/* driver.c - a fuzz target without libFuzzer:
 *
 *     TARGET [-n MUTATIONS] [-s SEED] [-i FIRST] [-t SECONDS] FILE|FOLDER...
 *     TARGET -w I [-s SEED] FILE|FOLDER...    write the bytes of mutation I to standard output
 *
 * Runs each file, then mutations FIRST, FIRST + 1, ... of them until there are MUTATIONS or the
 * time is over.  Mutation I of a seed and of the same files is always the same bytes.  An input
 * that takes ten seconds of CPU is a failure; what fails is named by its file or number, and its
 * bytes are left in crash-TARGET. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define ROOM (UINT32_C(1) << 20) /* bytes of an input */

struct input {
    char *name;
    uint8_t *data;
    size_t size;
};

static struct driver {
    const char *name;
    struct input *input;
    size_t n_inputs, n_all;
    uint64_t seed, state, current;
    const struct input *file; /* the one at hand; NULL: mutation number `current` */
    const uint8_t *data;
    size_t size;
    int out, err; /* where the driver writes, whatever the target does to its streams */
} d = { .seed = 1 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
    __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static void tell_input(void)
{
    char path[80];

    if (d.file)
        dprintf(d.err, "%s: %s\n", d.name, d.file->name);
    else
        dprintf(d.err, "%s: mutation %" PRIu64 " of seed %" PRIu64 "\n", d.name, d.current, d.seed);
    snprintf(path, sizeof path, "crash-%s", d.name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && write(fd, d.data, d.size) == (ssize_t)d.size)
        dprintf(d.err, "%s: %zu bytes in %s\n", d.name, d.size, path);
}

static void stop_bad(int number)
{
    dprintf(d.err, "%s: %s\n", d.name,
            number == SIGPROF ? "ten seconds of CPU" : strsignal(number));
    tell_input();
    signal(number, SIG_DFL);
    _exit(1);
}

/* The bytes lie in memory of just their size, so that no read past their end is missed. */
static void run_bytes(const uint8_t *data, size_t size)
{
    const struct itimerval limit = { .it_value = { .tv_sec = 10 } }, none = { 0 };
    uint8_t *exact = malloc(size ? size : 1);

    if (!exact)
        exit(71);
    memcpy(exact, data, size);
    d.data = exact;
    d.size = size;
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(exact, size);
    setitimer(ITIMER_PROF, &none, NULL);
    free(exact);
}

/* A change of bytes: one of them, a bit, some cut, some doubled, a long number. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    static const uint8_t telling[] = { 0, 1, 2, 8, 0x0a, 0x12, 0x20, 0x7f, 0x80, 0xff };
    uint64_t *s = &d.state;
    size_t at = size ? fuzz_draw(s, size) : 0, n;

    if (size == 0)
        return 0;
    switch (fuzz_draw(s, 7)) {
    case 0: data[at] ^= (uint8_t)(1u << fuzz_draw(s, 8)); break;
    case 1: data[at] = telling[fuzz_draw(s, sizeof telling)]; break;
    case 2: data[at] = (uint8_t)fuzz_draw(s, 256); break;
    case 3: return fuzz_draw(s, 4) ? size : at;
    case 4: /* bytes out */
        n = fuzz_draw(s, size - at < 32 ? size - at : 32);
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    case 5: /* bytes twice */
        n = fuzz_draw(s, size - at < 64 ? size - at : 64);
        if (size + n > room)
            return size;
        memmove(data + at + n, data + at, size - at);
        return size + n;
    default:
        for (n = fuzz_draw(s, 10); n > 0 && at < size; n--)
            data[at++] = 0xff;
    }
    return size;
}

static size_t make_mutation(uint8_t *data, uint64_t i)
{
    d.state = d.seed * 0xd1342543de82ef95u + i * 0x9e3779b97f4a7c15u;
    const struct input *from = &d.input[fuzz_draw(&d.state, d.n_inputs)];
    size_t size = from->size;

    memcpy(data, from->data, size);
    if (LLVMFuzzerCustomMutator)
        return LLVMFuzzerCustomMutator(data, size, ROOM, (unsigned)fuzz_draw(&d.state, UINT32_MAX));
    for (uint64_t n = 1 + fuzz_draw(&d.state, 4); n > 0; n--)
        size = LLVMFuzzerMutate(data, size, ROOM);
    return size;
}

static void read_input(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct input in = { strdup(path), malloc(ROOM), 0 };

    if (!f || !in.data || !in.name) {
        dprintf(d.err, "%s: cannot be read\n", path);
        exit(2);
    }
    in.size = fread(in.data, 1, ROOM, f);
    fclose(f);
    d.input = realloc(d.input, (d.n_inputs + 1) * sizeof *d.input);
    if (!d.input)
        exit(71);
    d.input[d.n_inputs++] = in;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct input *)a)->name, ((const struct input *)b)->name);
}

static void read_inputs(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *one;
    char name[512];

    if (!folder) {
        read_input(path);
        return;
    }
    while ((one = readdir(folder)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", path, one->d_name);
        if (one->d_name[0] != '.')
            read_input(name);
    }
    closedir(folder);
    qsort(d.input, d.n_inputs, sizeof *d.input, compare_names);
}

static double read_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run_all(uint64_t first, uint64_t n, double seconds)
{
    double begin = read_clock();
    uint8_t *data = malloc(ROOM);
    uint64_t i, files;

    for (size_t f = 0; f < d.n_inputs; f++) {
        d.file = &d.input[f];
        run_bytes(d.file->data, d.file->size);
    }
    d.file = NULL;
    files = fuzz_accepted;
    for (i = 0; i < n && d.n_inputs && (seconds <= 0 || read_clock() - begin < seconds); i++) {
        d.current = first + i;
        run_bytes(data, make_mutation(data, d.current));
    }
    double took = read_clock() - begin;
    dprintf(d.out,
            "fuzz %s: %zu files (%" PRIu64 " accepted), %" PRIu64 " mutations (%" PRIu64
            " accepted), %.0f a second\n",
            d.name, d.n_inputs, files, i, fuzz_accepted - files,
            took > 0 ? (double)(i + d.n_inputs) / took : 0);
    free(data);
}

static void write_mutation(uint64_t i)
{
    uint8_t *data = malloc(ROOM);
    size_t size = make_mutation(data, i);

    if (write(d.out, data, size) != (ssize_t)size)
        exit(1);
    free(data);
}

int main(int argc, char **argv)
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF };
    uint64_t n = 0, first = 0, show = UINT64_MAX;
    double seconds = 0;
    int option;

    d.name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    d.out = dup(STDOUT_FILENO);
    d.err = dup(STDERR_FILENO);
    while ((option = getopt(argc, argv, "n:s:i:t:w:")) != -1) {
        switch (option) {
        case 'n': n = strtoull(optarg, NULL, 10); break;
        case 's': d.seed = strtoull(optarg, NULL, 10); break;
        case 'i': first = strtoull(optarg, NULL, 10); break;
        case 't': seconds = strtod(optarg, NULL); break;
        case 'w': show = strtoull(optarg, NULL, 10); break;
        default: return 2;
        }
    }
    if (seconds > 0 && n == 0)
        n = UINT64_MAX;
    for (int i = optind; i < argc; i++)
        read_inputs(argv[i]);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_input);
    else
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            signal(signals[i], stop_bad);
    signal(SIGPROF, stop_bad);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (show != UINT64_MAX)
        write_mutation(show);
    else
        run_all(first, n, seconds);
    for (size_t i = 0; i < d.n_inputs; i++) {
        free(d.input[i].name);
        free(d.input[i].data);
    }
    free(d.input);
    return 0;
}
