#include "sweep/plan_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "base/plain.h"

#define LONGEST 120 /* of 255 bytes that a file may have: a shard and SQLite add to it */
#define MOST 3      /* of traces or machines that are named one by one */

static const char *skip_folders(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    return strncmp(name, "gen:", 4) == 0 ? name + 4 : name;
}

static void put_words(FILE *out, const struct plan_words *w, const char *many, const char *stop)
{
    if (w->n > MOST)
        fprintf(out, "_%zu-%s", w->n, many);
    for (size_t i = 0; i < w->n && w->n <= MOST; i++) {
        const char *name = skip_folders(w->word[i]);
        fprintf(out, "_%.*s", (int)strcspn(name, stop), name);
    }
}

static void put_traces(FILE *out, const struct plan *p)
{
    put_words(out, &p->traces, "traces", ". ");
    for (size_t i = 0; i < p->traces.n && p->traces.n <= MOST; i++) {
        const char *gen = strstr(p->traces.word[i], "gen:"), *set = gen ? strchr(gen, ' ') : NULL;
        if (set)
            fputs(set, out); /* its spaces become lines below */
    }
}

static void put_rest(FILE *out, const struct plan *p)
{
    static const char *const sampling[] = { "", "lhs", "sobol" };

    put_words(out, &p->machines, "machines", "");
    for (size_t i = 0; i < p->set.n; i++)
        fprintf(out, "_%s", p->set.word[i]);
    for (size_t i = 0; i < p->proxy.n; i++)
        fprintf(out, "_%s", p->proxy.word[i]);
    if (p->prices)
        fprintf(out, "_prices-%s", skip_folders(p->prices));
    for (size_t i = 0; i < p->axes.n; i++)
        fprintf(out, "_%.*s", (int)strcspn(p->axes.word[i], "= "), p->axes.word[i]);
    if (p->sampling)
        fprintf(out, "_%s%" PRIu64, sampling[p->sampling], p->samples);
    if (p->sampling && p->seed)
        fprintf(out, "-seed%" PRIu64, p->seed);
    if (p->steps != 1)
        fprintf(out, "_steps%" PRIu64, p->steps);
    fprintf(out, "%s%s%s", p->exact ? "_exact" : "", p->allow_unknown ? "_allow-unknown" : "",
            p->retile ? "_retile" : "");
    allow_print(&p->allow, "_allow-", "", out);
}

/* Leave what is safe in the name of a file. */
static void clean_name(char *name)
{
    char *to = name;

    for (const char *c = name; *c; c++)
        if (plain_is_word(*c) || strchr("._-=+", *c))
            *to++ = *c;
        else if (to > name && to[-1] != '_')
            *to++ = '_';
    *to = '\0';
}

char *plan_name(const struct plan *p)
{
    struct memory_text t;

    memory_text_begin(&t);
    put_traces(t.out, p);
    put_rest(t.out, p);
    char *text = memory_text_end(&t), *name = memory_copy(text + 1); /* it begins with a line */
    clean_name(name);
    if (strlen(name) > LONGEST) {
        char *cut = memory_format("%.*s_%08" PRIx64, LONGEST - 9, name,
                                  XXH64(text, strlen(text), 0) & UINT64_C(0xffffffff));
        free(name);
        name = cut;
    }
    free(text);
    return name;
}
