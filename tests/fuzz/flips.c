/* flips.c - a sample that is damaged is refused, or nothing has changed.
 *
 *     flips [-n N] [-s SEED] [-t SECONDS] COMMAND FILE...
 *
 * Runs `cyclotron COMMAND FILE` in this process on N damaged copies of each file: half of them are
 * cut off, in the others a bit, a byte or a run of bytes is changed.  Each run must end with 1 and
 * one line on standard error, or with 0, nothing on standard error and the same standard output.  A
 * file without checksums may also become another one that is sound: for names that do not end in
 * .zst, .gz or .db such runs are counted apart.  COMMAND is one word of the shell: "trace cat".
 *
 * A damaged copy that fails is left in flip-NAME.  Damage I of a seed is always the same. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "tests/fuzz/fuzz.h"

int cyclotron_main(int argc, char **argv); /* model/cli/main.c, built with another name */

#define MOST_WORDS 8

static struct {
    const char *file;
    uint8_t *sound, *data;
    size_t n_sound, size;
    uint64_t seed, state;
    int out, err;   /* of ours */
    int run[2];     /* what a run writes: standard output, standard error */
    char text[200]; /* of COMMAND */
    char *word[MOST_WORDS + 3];
    int n_words;
} d = { .seed = 1 };

struct outcome {
    int code;
    size_t bytes;
    uint64_t hash;
    char said[2000];
    unsigned lines; /* of standard error */
};

_Noreturn static void stop_flip(uint64_t i, const char *why)
{
    const char *name = strrchr(d.file, '/') ? strrchr(d.file, '/') + 1 : d.file;
    char path[300];

    snprintf(path, sizeof path, "flip-%.200s", name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool left = fd >= 0 && write(fd, d.data, d.size) == (ssize_t)d.size;
    dprintf(d.err, "flips: %s: damage %" PRIu64 " of seed %" PRIu64 ": %s%s%s\n", d.file, i, d.seed,
            why, left ? "; it is in " : "", left ? path : "");
    _exit(1);
}

static uint64_t current;

static void stop_signal(int number)
{
    stop_flip(current, number == SIGPROF ? "ten seconds of CPU" : strsignal(number));
}

/* --- a run ------------------------------------------------------------------------------------ */

static void read_said(struct outcome *o)
{
    ssize_t n = pread(d.run[1], o->said, sizeof o->said - 1, 0);

    o->said[n > 0 ? n : 0] = '\0';
    o->lines = 0;
    for (const char *c = o->said; *c; c++)
        o->lines += *c == '\n';
}

static struct outcome run_command(void)
{
    const struct itimerval limit = { .it_value = { .tv_sec = 10 } }, none = { 0 };
    struct outcome o = { 0 };
    char *word[MOST_WORDS + 3];

    for (int i = 0; i < 2; i++)
        FUZZ_CHECK(ftruncate(d.run[i], 0) == 0 && lseek(d.run[i], 0, SEEK_SET) == 0);
    memcpy(word, d.word, sizeof word);
    setitimer(ITIMER_PROF, &limit, NULL);
    o.code = cyclotron_main(d.n_words, word);
    setitimer(ITIMER_PROF, &none, NULL);
    fflush(stdout);
    clearerr(stdout);
    o.bytes = (size_t)lseek(d.run[0], 0, SEEK_END);
    if (o.bytes > 0) {
        void *at = mmap(NULL, o.bytes, PROT_READ, MAP_SHARED, d.run[0], 0);
        FUZZ_CHECK(at != MAP_FAILED);
        o.hash = XXH3_64bits(at, o.bytes);
        munmap(at, o.bytes);
    }
    read_said(&o);
    return o;
}

/* --- damage ----------------------------------------------------------------------------------- */

static void damage_copy(uint64_t i)
{
    d.state = d.seed * 0xd1342543de82ef95u + i * 0x9e3779b97f4a7c15u;
    memcpy(d.data, d.sound, d.n_sound);
    d.size = d.n_sound;
    size_t at = fuzz_draw(&d.state, d.n_sound), n = 1;
    if (i % 2 == 0) {
        d.size = at;
        return;
    }
    switch (fuzz_draw(&d.state, 4)) {
    case 0:
    case 1: d.data[at] ^= (uint8_t)(1u << fuzz_draw(&d.state, 8)); return;
    case 2: d.data[at] ^= (uint8_t)(1 + fuzz_draw(&d.state, 255)); return;
    default:
        for (n += fuzz_draw(&d.state, 32); n > 0 && at < d.n_sound; n--)
            d.data[at++] = (uint8_t)fuzz_draw(&d.state, 256);
    }
}

/* One line, or what the reader of HLO says: a line, that of the program, a caret. */
static bool is_refusal(const struct outcome *o)
{
    const char *last = strrchr(o->said, '^');

    return o->code == 1 && o->said[0] != '\n' &&
           (o->lines == 1 || (o->lines == 3 && last && strcmp(last, "^\n") == 0));
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);

    return n >= k && strcmp(name + n - k, end) == 0;
}

static double read_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void flip_file(const char *path, uint64_t n, double seconds)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    bool strict = ends_in(path, ".zst") || ends_in(path, ".gz") || ends_in(path, ".db");
    uint64_t refused = 0, same = 0, other = 0;
    double begin = read_clock();

    fuzz_write(name, d.sound, d.n_sound);
    memcpy(d.data, d.sound, d.size = d.n_sound);
    struct outcome sound = run_command();
    if (sound.code != 0)
        stop_flip(0, sound.said);
    for (current = 0; current < n && (seconds <= 0 || read_clock() - begin < seconds); current++) {
        damage_copy(current);
        fuzz_write(name, d.data, d.size);
        struct outcome o = run_command();
        if (is_refusal(&o))
            refused++;
        else if (o.code == 0 && o.bytes == sound.bytes && o.hash == sound.hash)
            same++;
        else if (o.code == 0 && !strict)
            other++;
        else
            stop_flip(current, o.code ? o.said : "another result");
    }
    dprintf(d.out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\n", current, refused,
            same, other, path);
}

static void read_file(const char *path)
{
    FILE *f = fopen(path, "rb");

    if (!f || fseek(f, 0, SEEK_END) != 0) {
        dprintf(d.err, "flips: %s: cannot be read\n", path);
        exit(2);
    }
    d.n_sound = (size_t)ftell(f);
    rewind(f);
    d.sound = realloc(d.sound, d.n_sound + 1);
    d.data = realloc(d.data, d.n_sound + 1);
    FUZZ_CHECK(d.sound && d.data && d.n_sound > 0);
    FUZZ_CHECK(fread(d.sound, 1, d.n_sound, f) == d.n_sound);
    fclose(f);
}

static void read_command(const char *command)
{
    static char program[] = "cyclotron";

    d.word[d.n_words++] = program;
    snprintf(d.text, sizeof d.text, "%s", command);
    for (char *w = strtok(d.text, " "); w && d.n_words <= MOST_WORDS; w = strtok(NULL, " "))
        d.word[d.n_words++] = w;
}

static void begin_streams(void)
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF };

    d.out = dup(STDOUT_FILENO);
    d.err = dup(STDERR_FILENO);
    for (int i = 0; i < 2; i++) {
        d.run[i] = memfd_create("run", 0);
        FUZZ_CHECK(d.run[i] >= 0 && dup2(d.run[i], i ? STDERR_FILENO : STDOUT_FILENO) >= 0);
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], stop_signal);
}

int main(int argc, char **argv)
{
    uint64_t n = 10000;
    double seconds = 0;
    char path[FUZZ_PATH];
    int option;

    while ((option = getopt(argc, argv, "n:s:t:")) != -1) {
        switch (option) {
        case 'n': n = strtoull(optarg, NULL, 10); break;
        case 's': d.seed = strtoull(optarg, NULL, 10); break;
        case 't': seconds = strtod(optarg, NULL); break;
        default: return 2;
        }
    }
    if (optind >= argc)
        return 2;
    read_command(argv[optind++]);
    begin_streams();
    d.n_words++;
    for (; optind < argc; optind++) {
        d.file = argv[optind];
        read_file(d.file);
        fuzz_path(path, strrchr(d.file, '/') ? strrchr(d.file, '/') + 1 : d.file);
        d.word[d.n_words - 1] = path;
        flip_file(d.file, n, seconds);
        fuzz_clear();
    }
    free(d.sound);
    free(d.data);
    return 0;
}
