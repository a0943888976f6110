/* command_bench - the program as a whole: CPU seconds and peak memory of its commands, as JSON.
 *
 *     command_bench PROGRAM [--short] >commands.json
 *
 * Each case runs five times (--short: once); its line has the median of user and system time and
 * the largest resident set.  scripts/bench-compare puts two such files side by side. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 5
#define MOST_WORDS 24

static const struct {
    const char *name, *command;
} cases[] = {
    { "op matmul 1024", "op matmul m=1024 n=1024 k=1024 -m tpu-v3-1" },
    { "op matmul 8192", "op matmul m=8192 n=8192 k=8192 -m tpu-v3-1" },
    { "3dgan v3-1", "replay traces/3dgan.trace.zst -m tpu-v3-1" },
    { "3dgan v3-8", "replay traces/3dgan.trace.zst -m tpu-v3-8" },
    { "3dgan v3-32", "replay traces/3dgan.trace.zst -m tpu-v3-32" },
    { "3dgan v3-2048", "replay traces/3dgan.trace.zst -m tpu-v3-2048" },
    { "3dgan v4-8192", "replay traces/3dgan.trace.zst -m tpu-v4-8192" },
    { "3dgan v100x4", "replay traces/3dgan.trace.zst -m v100x4" },
    { "mlpf v3-1", "replay traces/mlpf.trace.zst -m tpu-v3-1" },
    { "mlpf v3-8", "replay traces/mlpf.trace.zst -m tpu-v3-8" },
    { "mlpf v3-32", "replay traces/mlpf.trace.zst -m tpu-v3-32" },
    { "mlpf v3-2048", "replay traces/mlpf.trace.zst -m tpu-v3-2048" },
    { "mlpf v4-8192", "replay traces/mlpf.trace.zst -m tpu-v4-8192" },
    { "exatrkx v3-8", "replay traces/exatrkx.trace.zst -m tpu-v3-8" },
    { "exatrkx v3-2048", "replay traces/exatrkx.trace.zst -m tpu-v3-2048" },
    { "exatrkx v4-8192", "replay traces/exatrkx.trace.zst -m tpu-v4-8192" },
    { "gan3d compiled v3-8", "replay traces/programs/gan3d.tpu-v3-8.hlo.zst" },
    { "mlpf compiled v3-8", "replay traces/programs/mlpf.tpu-v3-8.hlo.zst" },
    { "all-reduce v3-2048", "op all-reduce bytes=4MiB dtype=f32 -m tpu-v3-2048" },
    { "network 16x16 tornado", "network radix=16x16 pattern=tornado rate=0.2" },
};

struct cost {
    double seconds; /* user and system */
    long kilobytes; /* largest resident set */
};

/* Run `program` with the words of `command`, its output thrown away; exits where it fails. */
static struct cost run_once(const char *program, const char *command)
{
    char text[256], *word[MOST_WORDS] = { strdup(program) }, *rest = text;
    struct rusage use;
    int n = 1, status;

    snprintf(text, sizeof text, "%s", command);
    for (char *w; n < MOST_WORDS - 1 && (w = strtok_r(rest, " ", &rest));)
        word[n++] = w;
    fflush(stdout); /* or the child writes what is in the buffer, too */
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execv(program, word);
        _exit(127);
    }
    free(word[0]);
    if (child < 0 || wait4(child, &status, 0, &use) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "command_bench: %s %s failed\n", program, command);
        exit(1);
    }
    return (struct cost){ (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                              1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec),
                          use.ru_maxrss };
}

static int compare_costs(const void *a, const void *b)
{
    double x = ((const struct cost *)a)->seconds, y = ((const struct cost *)b)->seconds;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int runs = argc > 2 && strcmp(argv[2], "--short") == 0 ? 1 : RUNS;

    if (argc < 2) {
        fprintf(stderr, "usage: command_bench PROGRAM [--short]\n");
        return 2;
    }
    printf("{\"runs\": %d, \"cases\": [\n", runs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cost c[RUNS];
        for (int k = 0; k < runs; k++)
            c[k] = run_once(argv[1], cases[i].command);
        qsort(c, (size_t)runs, sizeof *c, compare_costs);
        printf("%s{\"case\": \"%s\", \"cpu_seconds\": %.4f, \"peak_kilobytes\": %ld}",
               i ? ",\n" : "", cases[i].name, c[runs / 2].seconds, c[runs / 2].kilobytes);
        fprintf(stderr, "%-24s %8.1f ms %8ld KB\n", cases[i].name, 1e3 * c[runs / 2].seconds,
                c[runs / 2].kilobytes);
    }
    printf("\n]}\n");
    return 0;
}
