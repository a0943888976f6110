#include "run/result/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/plain.h"

enum { CLASS, MACHINE, WORKLOAD, PARAMETERS, ROWS, MEDIAN, WORST, N_FIELDS };

static const struct {
    const char *name, *words;
} covers[] = {
    [RUN_COVER_NONE] = { "none", "no measurement covers this" },
    [RUN_COVER_KERNELS] = { "kernels",
                            "no step of this generation was measured; its kernels were" },
    [RUN_COVER_OTHERS] = { "generation",
                           "not this workload; others were measured on this generation" },
    [RUN_COVER_SLICES] = { "slices",
                           "this workload was measured on other machines of the generation" },
    [RUN_COVER_WORKLOAD] = { "workload",
                             "other steps of this workload were measured on this machine" },
    [RUN_COVER_STEP] = { "step", "this step was measured on this machine" },
};

const char *evidence_name(enum run_cover cover)
{
    return covers[cover].name;
}

const char *evidence_words(enum run_cover cover)
{
    return covers[cover].words;
}

const struct published_file *evidence_table(void)
{
    return published_find(EVIDENCE_STEM);
}

size_t evidence_generation(const char *name)
{
    static const char *const boards[] = { "-sxm", "-pcie" };
    size_t n = strcspn(name, ":");

    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        const char *board = strstr(name, boards[i]);
        if (board && board < name + n)
            return (size_t)(board - name);
    }
    while (n > 0 && plain_is_digit(name[n - 1]))
        n--;
    return n > 0 && strchr("-x", name[n - 1]) ? n - 1 : 0;
}

bool evidence_same_generation(const char *a, const char *b)
{
    size_t n = evidence_generation(a);

    return n == 0 ? strcmp(a, b) == 0 : evidence_generation(b) == n && strncmp(a, b, n) == 0;
}

static enum run_cover cover_of_line(char f[N_FIELDS][PUBLISHED_FIELD], const struct run_result *r)
{
    bool here = strcmp(f[MACHINE], r->machine) == 0;
    bool same = strcmp(f[WORKLOAD], r->workload) == 0;

    bool lone = strcmp(r->workload, "op") == 0; /* an operation: steps say nothing of it */

    if (!evidence_same_generation(f[MACHINE], r->machine) || (lone && *f[WORKLOAD]))
        return RUN_COVER_NONE;
    if (*f[PARAMETERS])
        return here && same && strcmp(f[PARAMETERS], r->parameters) == 0 ? RUN_COVER_STEP
                                                                         : RUN_COVER_NONE;
    if (!*f[WORKLOAD])
        return RUN_COVER_KERNELS;
    return !same ? RUN_COVER_OTHERS : here ? RUN_COVER_WORKLOAD : RUN_COVER_SLICES;
}

static int add_line(struct run_evidence *e, char f[N_FIELDS][PUBLISHED_FIELD])
{
    EXACT_Q(hundred);
    mpq_set_ui(hundred, 100, 1);
    MEMORY_ADD(e->line, e->n);
    struct run_evidence_line *l = &e->line[e->n++];
    *l = (struct run_evidence_line){ .class = memory_copy(f[CLASS]),
                                     .machine = memory_copy(f[MACHINE]),
                                     .rows = strtoull(f[ROWS], NULL, 10) };
    mpq_inits(l->median, l->worst, NULL);
    const char *median = exact_parse(l->median, f[MEDIAN]),
               *worst = exact_parse(l->worst, f[WORST]);
    mpq_div(l->median, l->median, hundred);
    mpq_div(l->worst, l->worst, hundred);
    return median && !*median && worst && !*worst && l->rows ? 0 : -1;
}

int evidence_find(struct run_result *r, const struct published_file *file, struct err *err)
{
    char f[N_FIELDS][PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    if (!file || r->retimed)
        return 0;
    published_open(&t, file);
    while ((n = published_next(&t, f, N_FIELDS)) > 0) {
        if (n != N_FIELDS)
            return published_refuse(&t, err);
        enum run_cover cover = cover_of_line(f, r);
        if (cover == RUN_COVER_NONE || cover < r->evidence.cover)
            continue;
        if (cover > r->evidence.cover)
            run_evidence_clear(&r->evidence);
        r->evidence.cover = cover;
        if (add_line(&r->evidence, f) != 0)
            return published_refuse(&t, err);
    }
    return 0;
}

void run_evidence_clear(struct run_evidence *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->line[i].class);
        free(e->line[i].machine);
        mpq_clears(e->line[i].median, e->line[i].worst, NULL);
    }
    free(e->line);
    *e = (struct run_evidence){ 0 };
}
