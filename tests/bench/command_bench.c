/* command_bench - the program as a whole: CPU seconds and peak memory of its commands, as JSON.
 *
 *     command_bench PROGRAM CASES [--short] [--count] >commands.json
 *
 * A line of CASES is NAME | COMMAND.  Each command runs five times (--short, and those that take
 * more than ten seconds: once); its line has the median of user and system time, those of its
 * children included, and the largest resident set.  --count runs it once more under callgrind and
 * adds the instructions, which do not depend on what else the machine does.
 * scripts/bench-compare puts two such files side by side. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 5
#define LONG_SECONDS 10 /* a command that takes longer runs once */
#define MOST_WORDS 32
#define LINE 512

struct cost {
    double seconds; /* user and system */
    long kilobytes; /* largest resident set */
};

static void report_failure(const char *what, const char *on)
{
    fprintf(stderr, "command_bench: %s: %s\n", on, what);
    exit(1);
}

/* Cut `text` at spaces into words from word[n] on, ended by NULL. */
static void split_words(char *text, char **word, int n)
{
    char *rest = text;

    for (char *w; (w = strtok_r(rest, " ", &rest));) {
        if (n == MOST_WORDS - 1)
            report_failure("too many words", text);
        word[n++] = w;
    }
    word[n] = NULL;
}

/* Start the words as a process whose output goes to `out` and whose messages go to `err`; NULL:
 * where ours go. */
static pid_t start_process(char **word, const char *out, const char *err)
{
    fflush(stdout); /* or the child writes what is in the buffer, too */
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(out, "w", stdout) || (err && !freopen(err, "w", stderr)))
            _exit(126);
        execvp(word[0], word);
        _exit(127);
    }
    return child;
}

/* Run `program` with the words of `command`, its output thrown away; exits where it fails. */
static struct cost run_once(const char *program, const char *command)
{
    char text[LINE], name[LINE], *word[MOST_WORDS] = { name };
    struct rusage use;
    int status;

    snprintf(name, sizeof name, "%s", program);
    snprintf(text, sizeof text, "%s", command);
    split_words(text, word, 1);
    pid_t child = start_process(word, "/dev/null", NULL);
    if (child < 0 || wait4(child, &status, 0, &use) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        report_failure("failed", command);
    return (struct cost){ (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                              1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec),
                          use.ru_maxrss };
}

/* The number behind "Collected :" that callgrind tells of the whole run. */
static uint64_t read_count(const char *path, const char *command)
{
    char line[LINE];
    const char *at = NULL;
    FILE *f = fopen(path, "r");

    while (f && !at && fgets(line, sizeof line, f))
        at = strstr(line, "Collected : ");
    if (!at)
        report_failure("callgrind counted nothing", command);
    fclose(f);
    return strtoull(at + strlen("Collected : "), NULL, 10);
}

static uint64_t count_instructions(const char *program, const char *command)
{
    static char valgrind[] = "valgrind", tool[] = "--tool=callgrind",
                file[] = "--callgrind-out-file=/dev/null";
    char text[LINE], name[LINE], *word[MOST_WORDS] = { valgrind, tool, file, name };
    char said[] = "/tmp/command_bench.XXXXXX";
    int status, fd = mkstemp(said);

    if (fd < 0)
        report_failure("no file for messages", command);
    close(fd);
    snprintf(name, sizeof name, "%s", program);
    snprintf(text, sizeof text, "%s", command);
    split_words(text, word, 4);
    pid_t child = start_process(word, "/dev/null", said);
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        report_failure("valgrind failed", command);
    uint64_t n = read_count(said, command);
    unlink(said);
    return n;
}

static int compare_costs(const void *a, const void *b)
{
    double x = ((const struct cost *)a)->seconds, y = ((const struct cost *)b)->seconds;

    return x < y ? -1 : x > y;
}

static void measure_case(const char *program, const char *name, const char *command, int most,
                         bool count)
{
    struct cost c[RUNS];
    int n = 0;

    do {
        c[n] = run_once(program, command);
        n++;
    } while (n < most && c[0].seconds < LONG_SECONDS);
    qsort(c, (size_t)n, sizeof *c, compare_costs);
    bool counted = count && c[0].seconds < LONG_SECONDS; /* callgrind takes fifty times as long */
    uint64_t instructions = counted ? count_instructions(program, command) : 0;
    printf("{\"case\": \"%s\", \"cpu_seconds\": %.4f, \"peak_kilobytes\": %ld", name,
           c[n / 2].seconds, c[n / 2].kilobytes);
    if (counted)
        printf(", \"instructions\": %llu", (unsigned long long)instructions);
    printf("}");
    fprintf(stderr, "%-24s %8.1f ms %8ld KB", name, 1e3 * c[n / 2].seconds, c[n / 2].kilobytes);
    if (counted)
        fprintf(stderr, " %10.1f M instructions", 1e-6 * (double)instructions);
    fprintf(stderr, "\n");
}

/* Split "NAME | COMMAND"; false of a comment or an empty line. */
static bool read_case(char *line, char **name, char **command)
{
    char *bar = strchr(line, '|'), *end;

    if (line[0] == '#' || !bar)
        return false;
    line[strcspn(line, "\n")] = '\0';
    *name = line;
    *command = bar + 1;
    for (end = bar; end > line && end[-1] == ' ';)
        end--;
    *end = '\0';
    return true;
}

int main(int argc, char **argv)
{
    bool is_short = false, count = false, first = true;
    char line[LINE], *name, *command;

    for (int i = 3; i < argc; i++) {
        is_short |= strcmp(argv[i], "--short") == 0;
        count |= strcmp(argv[i], "--count") == 0;
    }
    FILE *cases = argc > 2 ? fopen(argv[2], "r") : NULL;
    if (!cases) {
        fprintf(stderr, "usage: command_bench PROGRAM CASES [--short] [--count]\n");
        return 2;
    }
    printf("{\"runs\": %d, \"cases\": [\n", is_short ? 1 : RUNS);
    while (fgets(line, sizeof line, cases))
        if (read_case(line, &name, &command)) {
            printf("%s", first ? "" : ",\n");
            measure_case(argv[1], name, command, is_short ? 1 : RUNS, count);
            first = false;
        }
    printf("\n]}\n");
    fclose(cases);
    return 0;
}
