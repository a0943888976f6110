/* inject.c - run a command again and again, each time with another allocation refused:
 *
 *     inject NAME REFUSE.so MOST OUTPUT COMMAND...
 *
 * Without a fault the command must succeed.  With one it must end with status 71, the one line
 * "cyclotron: no memory left" and OUTPUT whole or not at all, or as if there had been none: the
 * same bytes on standard output and in OUTPUT and status 0.  All allocations are refused in turn
 * where there are at most MOST; else the first MOST / 4, the last MOST / 4, and evenly between
 * them.  OUTPUT "-" is none. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_TOLD 5 /* failures of a command that are printed */

struct outcome {
    int status;
    char *out, *err, *file; /* file: NULL, there is none */
    size_t out_size, err_size, file_size;
};

static const char *refuse, *output;
static char **command;

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;

    *size = 0;
    if (!f)
        return NULL;
    do {
        text = realloc(text, *size + 65537);
        if (!text)
            exit(2);
        *size += fread(text + *size, 1, 65536, f);
    } while (!feof(f) && !ferror(f));
    fclose(f);
    text[*size] = '\0';
    return text;
}

static void become_command(const char *kind, unsigned long n)
{
    struct rlimit seconds = { 60, 60 };
    char number[32];
    int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666), in = open("/dev/null", O_RDONLY);

    setrlimit(RLIMIT_CPU, &seconds); /* a hang fails */
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    snprintf(number, sizeof number, "%lu", n);
    if (kind)
        setenv(kind, number, 1);
    else
        setenv("FAULT_COUNT", "count", 1);
    setenv("LD_PRELOAD", refuse, 1);
    execvp(command[0], command);
    _exit(127);
}

static struct outcome run_command(const char *kind, unsigned long n)
{
    struct outcome o = { 0 };
    int status;

    if (strcmp(output, "-") != 0)
        unlink(output);
    pid_t child = fork();
    if (child == 0)
        become_command(kind, n);
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(2);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    o.out = read_all("stdout", &o.out_size);
    o.err = read_all("stderr", &o.err_size);
    o.file = strcmp(output, "-") != 0 ? read_all(output, &o.file_size) : NULL;
    return o;
}

static void free_outcome(struct outcome *o)
{
    free(o->out);
    free(o->err);
    free(o->file);
}

static bool is_same(const char *a, size_t n, const char *b, size_t m)
{
    return n == m && (n == 0 || memcmp(a, b, n) == 0);
}

/* NULL, or what is wrong. */
static const char *judge_outcome(const struct outcome *o, const struct outcome *sound)
{
    static const char line[] = "cyclotron: no memory left\n";

    if (o->status == 0) {
        if (!is_same(o->out, o->out_size, sound->out, sound->out_size))
            return "status 0 with another standard output";
        if (!is_same(o->file, o->file_size, sound->file, sound->file_size))
            return "status 0 with another output file";
        return NULL;
    }
    if (o->file && !is_same(o->file, o->file_size, sound->file, sound->file_size))
        return "a failure that leaves another output file";
    if (o->status != 71)
        return "another status than 0 and 71";
    if (!is_same(o->err, o->err_size, line, sizeof line - 1))
        return "another message";
    if (o->out_size > sound->out_size || memcmp(o->out, sound->out, o->out_size) != 0)
        return "another standard output before the failure";
    return NULL;
}

static unsigned long count_allocations(struct outcome *sound)
{
    size_t size;

    *sound = run_command(NULL, 0);
    char *count = read_all("count", &size);
    unsigned long n = count ? strtoul(count, NULL, 10) : 0;
    free(count);
    if (sound->status != 0 || n == 0) {
        fprintf(stderr, "without a fault: status %d, %lu allocations: %s\n", sound->status, n,
                sound->err);
        exit(1);
    }
    return n;
}

/* The i-th of `most` allocations to refuse of `n`. */
static unsigned long pick_allocation(unsigned long i, unsigned long most, unsigned long n)
{
    unsigned long quarter = most / 4, middle = most - 2 * quarter;

    if (n <= most || i < quarter)
        return i + 1;
    if (i >= quarter + middle)
        return n - (most - i) + 1;
    return quarter + 1 +
           (unsigned long)((double)(i - quarter) / (double)middle * (double)(n - 2 * quarter));
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = { "FAULT_AT", "FAULT_FROM" };
    struct outcome sound;
    unsigned long bad = 0, ended = 0, same = 0;

    if (argc < 6)
        return 2;
    refuse = argv[2];
    output = argv[4];
    command = argv + 5;
    unsigned long n = count_allocations(&sound), most = strtoul(argv[3], NULL, 10);
    for (unsigned long i = 0; i < 2 * (n < most ? n : most); i++) {
        unsigned long at = pick_allocation(i / 2, most, n);
        struct outcome o = run_command(kinds[i % 2], at);
        const char *wrong = judge_outcome(&o, &sound);
        if (wrong && bad++ < MOST_TOLD)
            fprintf(stderr, "%s: %s=%lu: status %d, %s: %.300s\n", argv[1], kinds[i % 2], at,
                    o.status, wrong, o.err);
        ended += !wrong && o.status == 71;
        same += !wrong && o.status == 0;
        free_outcome(&o);
    }
    free_outcome(&sound);
    printf("faults %s: %lu allocations, %lu runs with a fault: %lu ended with 71, %lu as without, "
           "%lu wrong\n",
           argv[1], n, ended + same + bad, ended, same, bad);
    return bad > 0;
}
