#include "model.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "model_random.h"
#include "script.h"

const struct model *model_at(size_t i)
{
    const struct model *const tables[] = { notify_models, override_models, wait_models,
                                           list_models,   signal_models,   fifo_models,
                                           sync_models,   clock_models,    control_models,
                                           run_models };

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct model *m = tables[t]; m->name; m++)
            if (i-- == 0)
                return m;
    return NULL;
}

static struct log *play_apart(const struct model *m,
                              void (*play)(const struct script *s, struct log *log), int *status)
{
    struct log *log =
        mmap(NULL, sizeof *log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct script *script = malloc(sizeof *script);

    if (log == MAP_FAILED || !script)
        abort();
    script_parse(script, m->text);
    log->no_deltas = script->no_deltas;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20); /* a model that never ends */
        play(script, log);
        _exit(0);
    }
    if (child < 0 || waitpid(child, status, 0) != child)
        abort();
    free(script);
    return log;
}

char *model_play(const struct model *m, void (*play)(const struct script *s, struct log *log))
{
    int status;
    struct log *log = play_apart(m, play, &status);
    const char *last = "";

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        last = "aborted\n";
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        last = "crashed\n";
    char *text = log_text(log, last);
    munmap(log, sizeof *log);
    return text;
}

/* A model from stdin, its text and nothing else. */
static void print_stdin(void (*play)(const struct script *s, struct log *log))
{
    char text[1 << 14];

    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    char *log = model_play(&(struct model){ .text = text }, play);
    fputs(log, stdout);
    free(log);
}

static void print_random(uint64_t seeds, void (*play)(const struct script *s, struct log *log))
{
    char text[1 << 13];

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        random_model(seed, text, sizeof text);
        char *log = model_play(&(struct model){ .text = text }, play);
        printf("== random %llu\n%s--\n%s", (unsigned long long)seed, text, log);
        free(log);
    }
}

void model_print(const char *name, int own, void (*play)(const struct script *s, struct log *log))
{
    const struct model *m;

    if (strcmp(name, "-") == 0)
        print_stdin(play);
    if (strncmp(name, "random=", 7) == 0)
        print_random(strtoull(name + 7, NULL, 10), play);
    for (size_t i = 0; (m = model_at(i)); i++) {
        if (strcmp(name, "all") != 0 && strcmp(name, m->name) != 0)
            continue;
        char *log = model_play(m, play);
        bool as_expected = m->systemc && strcmp(log, own == 0 ? m->log : m->systemc) == 0;
        printf("== %s\n%s", m->name, as_expected ? "differs as expected\n" : log);
        free(log);
    }
}
