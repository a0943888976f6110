/* report.c - see report.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "des/des_impl.h"

static unsigned actions_of(const struct des *sim, enum des_severity severity, const char *id)
{
    static const unsigned by_default[] = { DES_DISPLAY, DES_DISPLAY, DES_DISPLAY | DES_STOP,
                                           DES_DISPLAY };
    unsigned found = by_default[severity];

    for (uint32_t i = 1; i < sim->actions.n; i++) {
        const struct des_actions *a = &sim->actions.at[i];
        if (a->severity != severity)
            continue;
        if (a->id && strcmp(a->id, id) == 0)
            return a->actions;
        if (!a->id)
            found = a->actions;
    }
    return found;
}

void des_report(struct des *sim, enum des_severity severity, struct des_module m, const char *id,
                const char *fmt, ...)
{
    char path[512], text[1024];
    unsigned actions = actions_of(sim, severity, id);
    va_list ap;

    sim->reports[severity]++;
    if (actions & DES_DISPLAY) {
        va_start(ap, fmt);
        plain_text_list(text, sizeof text, fmt, ap);
        va_end(ap);
        des_write_path(sim, (struct des_label){ "", m.id }, path, sizeof path);
        des_show_message(sim, &(struct des_message){ severity, id, path, sim->hot.now, text });
    }
    if (actions & DES_ABORT || severity == DES_FATAL)
        abort();
    if (actions & DES_STOP && sim->open)
        des_stop(sim);
}

void des_report_actions(struct des *sim, enum des_severity severity, const char *id,
                        unsigned actions)
{
    struct des_actions a = { .id = id, .severity = severity, .actions = actions };

    for (uint32_t i = 1; i < sim->actions.n; i++) {
        struct des_actions *old = &sim->actions.at[i];
        if (old->severity == severity && (id ? old->id && strcmp(old->id, id) == 0 : !old->id)) {
            *old = a;
            return;
        }
    }
    /* unlike objects of the model, actions may be added at any time */
    sim->actions.at =
        des_table_grow(sim, sim->actions.at, sizeof a, sim->actions.n, &sim->actions.cap);
    sim->actions.at[sim->actions.n++] = a;
}

void des_on_report(struct des *sim, des_report_handler *handler, void *self)
{
    sim->show = handler;
    sim->show_self = self;
}

uint64_t des_report_count(const struct des *sim, enum des_severity severity)
{
    return sim->reports[severity];
}
