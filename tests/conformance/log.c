#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void log_add(struct log *log, uint64_t time, uint64_t delta, bool fixed, const char *name,
             const char *text)
{
    if (log->n == LOG_LINES) {
        log->full = true;
        return;
    }
    struct log_line *l = &log->lines[log->n++];
    *l = (struct log_line){ .time = time, .delta = delta, .fixed = fixed };
    snprintf(l->text, sizeof l->text, "%s%s%s", name, name[0] && text[0] ? " " : "", text);
}

static int by_text(const void *a, const void *b)
{
    const struct log_line *l = a, *r = b;

    return strcmp(l->text, r->text);
}

static bool same_phase(const struct log_line *a, const struct log_line *b)
{
    return a->time == b->time && a->delta == b->delta && !a->fixed && !b->fixed;
}

char *log_text(struct log *log, const char *last)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    if (!f)
        abort();
    for (unsigned i = 0, end; i < log->n; i = end) {
        for (end = i + 1; end < log->n && same_phase(&log->lines[i], &log->lines[end]); end++)
            ;
        qsort(&log->lines[i], end - i, sizeof *log->lines, by_text);
    }
    for (unsigned i = 0; i < log->n; i++) {
        const struct log_line *l = &log->lines[i];
        fprintf(f, "%llu", (unsigned long long)l->time);
        if (!log->no_deltas)
            fprintf(f, "/%llu", (unsigned long long)l->delta);
        fprintf(f, " %s\n", l->text);
    }
    fprintf(f, "%s%s", log->full ? "and more\n" : "", last);
    fclose(f);
    return text;
}
