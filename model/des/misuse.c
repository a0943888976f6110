/* misuse.c - misuse of the event kernel, which is a fatal report. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain.h"
#include "des/des_impl.h"

static const char *const severities[] = { "INFO", "WARNING", "ERROR", "FATAL" };

void des_write_path(const struct des *sim, struct des_label l, char *buf, size_t size)
{
    const char *path = l.module && l.module < sim->modules.n ? sim->modules.at[l.module].path : "";

    snprintf(buf, size, "%s%s%s", path, *path && *l.name ? "." : "",
             *path || *l.name ? l.name : "(root)");
}

void des_show_message(const struct des *sim, const struct des_message *m)
{
    if (sim->show)
        sim->show(sim->show_self, m);
    else
        fprintf(stderr, "%s %s %s @ %llu fs: %s\n", severities[m->severity], m->id, m->path,
                (unsigned long long)m->now, m->text);
}

void des_misuse(const struct des *sim, struct des_label l, const char *id, const char *fmt, ...)
{
    char path[512], text[1024];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(text, sizeof text, fmt, ap);
    va_end(ap);
    des_write_path(sim, l, path, sizeof path);
    des_show_message(sim, &(struct des_message){ DES_FATAL, id, path, sim->hot.now, text });
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
