/* report.c - see report.h; and misuse, which is a fatal report. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "des/des_impl.h"

static const char *const severities[] = { "INFO", "WARNING", "ERROR", "FATAL" };

static void write_path(const struct des *sim, struct des_label l, char *buf, size_t size)
{
    const char *path = l.module && l.module < sim->modules.n ? sim->modules.at[l.module].path : "";

    snprintf(buf, size, "%s%s%s", path, *path && *l.name ? "." : "",
             *path || *l.name ? l.name : "(root)");
}

/* "FATAL des/two-writers chip0.mxu0.cmd @ 12 fs: ..." */
static void show_message(const struct des *sim, const struct des_message *m)
{
    if (sim->show)
        sim->show(sim->show_self, m);
    else
        fprintf(stderr, "%s %s %s @ %llu fs: %s\n", severities[m->severity], m->id, m->path,
                (unsigned long long)m->now, m->text);
}

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
        write_path(sim, (struct des_label){ "", m.id }, path, sizeof path);
        show_message(sim, &(struct des_message){ severity, id, path, sim->hot.now, text });
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

/* --- misuse ------------------------------------------------------------------------------- */

void des_misuse(const struct des *sim, struct des_label l, const char *id, const char *fmt, ...)
{
    char path[512], text[1024];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(text, sizeof text, fmt, ap);
    va_end(ap);
    write_path(sim, l, path, sizeof path);
    show_message(sim, &(struct des_message){ DES_FATAL, id, path, sim->hot.now, text });
    abort();
}

/* The running process, if any, has made the mistake. */
static struct des_label label_of_caller(const struct des *sim)
{
    if (sim->hot.current)
        return sim->process_infos.at[sim->hot.current].label;
    return (struct des_label){ "", 0 };
}

void des_handle_misuse(const struct des *sim, const char *what)
{
    des_misuse(sim, label_of_caller(sim), "des/handle", "a null or unknown %s", what);
}

void des_need_idle(const struct des *sim, const char *does)
{
    if (sim->hot.current || sim->busy)
        des_misuse(sim, label_of_caller(sim), "des/nested", "a %s %s",
                   sim->hot.current ? "process" : "call-back", does);
}

void des_call_entered(const struct des *sim)
{
    des_misuse(sim, label_of_caller(sim), "des/call", "a thread is called again before its end");
}

void des_closed_misuse(const struct des *sim, const struct des_label *l)
{
    struct des_label at = l ? *l : label_of_caller(sim);

    if (sim->finished)
        des_misuse(sim, at, "des/after-end", "used after the end of the simulation");
    des_misuse(sim, at, "des/not-elaborated", "used before des_elaborate");
}
