/* Command lines: the words of one, a line each, are given to the program in a folder of its own.
 *
 * Words that name places outside that folder, and commands that take minutes by design, are left
 * out.  Commands that fork do so here too. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/database.h"
#include "tests/fuzz/fuzz.h"

#define MOST_WORDS 24

int cyclotron_main(int argc, char **argv); /* model/cli/main.c, built with another name */

static const char *const words[] = {
    "replay",     "compare",  "diff",      "profile",    "op",          "network",
    "sweep",      "scan",     "trace",     "machine",    "params",      "validate",
    "gen",        "shard",    "remat",     "import",     "export",      "cat",
    "pack",       "info",     "check",     "list",       "show",        "status",
    "report",     "merge",    "csv",       "json",       "plan",        "-m",
    "--set",      "--format", "-o",        "--axis",     "--where",     "--sample",
    "--db",       "--steps",  "--exact",   "--help",     "--html",      "--markdown",
    "--dump=ops", "--allow",  "steps=1",   "tiny.trace", "a.json",      "b.json",
    "m.ini",      "s.db",     "out.txt",   "out.json",   "out.html",    "out.csv",
    "tpu-v3-8",   "tpu-v2-1", "v100",      "xeon-6148",  "mxu.count=4", "mxu.count=1,2",
    "matmul",     "conv",     "gather",    "all-reduce", "m=64",        "n=64",
    "k=64",       "rows=64",  "cols=8",    "radix=4x4",  "rate=0.1",    "pattern=uniform",
    "3dgan",      "batch=8",  "--version", "--man",      "--complete",  "text",
    "-",          "--",       "-h",        "--top",      "1",           "0",
    "-1",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

static void copy_file(const char *from, const char *name)
{
    static char bytes[1 << 18];
    FILE *f = fopen(from, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;

    if (f)
        fclose(f);
    fuzz_write(name, bytes, n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *root = getenv("FUZZ_ROOT"); /* of the sources */
    char path[600];

    (void)argc;
    (void)argv;
    snprintf(path, sizeof path, "%.500s/traces/tiny/tiny.trace", root ? root : ".");
    copy_file(path, "tiny.trace");
    snprintf(path, sizeof path, "%.500s/tests/golden/tiny.tpu-v2-8.json", root ? root : ".");
    copy_file(path, "a.json");
    copy_file(path, "b.json");
    fuzz_write("m.ini", "[machine]\nbase = tpu-v3-8\n[mxu]\ncount = 4 [test]\n", 49);
    fuzz_path(path, "s.db");
    database_make(path);
    FUZZ_CHECK(chdir(fuzz_folder()) == 0);
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    if (!getenv("FUZZ_TALK"))
        dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    return 0;
}

/* Is it quick, and does it stay in the folder? */
static bool is_harmless(int n, char **word)
{
    static const char *const slow[] = { "validate", "scan", "network" };

    for (int i = 1; i < n; i++) {
        if (strchr(word[i], '/') || strstr(word[i], ".."))
            return false;
        for (size_t s = 0; s < sizeof slow / sizeof *slow && i == 1; s++)
            if (strcmp(word[i], slow[s]) == 0 && (n < 3 || strcmp(word[2], "--help") != 0))
                return false;
        if (strncmp(word[i], "gen:", 4) == 0) /* a workload of any size */
            return false;
    }
    if (n > 1 && strcmp(word[1], "sweep") == 0) /* forks; its points are replays */
        return n > 2 && (strcmp(word[2], "status") == 0 || strcmp(word[2], "report") == 0 ||
                         strcmp(word[2], "export") == 0 || strcmp(word[2], "merge") == 0);
    return true;
}

static bool is_run(const char *command)
{
    return strcmp(command, "replay") == 0 || strcmp(command, "compare") == 0 ||
           strcmp(command, "op") == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned runs;
    char *text = fuzz_string(data, size), *word[MOST_WORDS + 3] = { NULL }, *left = text;
    static char name[] = "cyclotron", brief[] = "--allow=grid-steps=1000000";
    int n = 1;

    word[0] = name;
    for (char *w = strsep(&left, "\n"); w && n <= MOST_WORDS; w = strsep(&left, "\n"))
        if (*w) {
            word[n++] = w;
            if (n == 2 && is_run(w)) /* of what takes a minute by right */
                word[n++] = brief;
        }
    word[n] = NULL;
    if (is_harmless(n, word)) {
        int code = cyclotron_main(n, word);
        FUZZ_CHECK(code >= 0 && code <= 2);
        if (code == 0)
            fuzz_accepted++;
        if (++runs % 256 == 0) { /* what the commands wrote goes, what they read is new */
            fuzz_clear();
            FUZZ_CHECK(chdir("/") == 0);
            LLVMFuzzerInitialize(NULL, NULL);
        }
    }
    free(text);
    return 0;
}
