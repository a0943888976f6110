/* Progress on stderr (cli.h). */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/plain.h"
#include "cli/options/cli.h"

#define INTERVAL_MS 100 /* between two updates of the line of a terminal */
#define LOG_MS 10000    /* between two lines in a file */
#define SURE_MS 1000    /* from which on the time that is left can be told */

static int64_t read_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void cli_progress_init(struct cli_progress *p, bool asked)
{
    *p = (struct cli_progress){ .terminal = isatty(STDERR_FILENO), .last_ms = read_clock() };
    p->on = p->terminal || asked;
    p->start_ms = p->last_ms;
}

/* Remember how far it is; true: it is to be shown now. */
static bool note_progress(struct cli_progress *p, const char *what, uint64_t done, uint64_t all)
{
    snprintf(p->what, sizeof p->what, "%s", what);
    p->told = true;
    p->done = done;
    p->all = all;
    return p->on && read_clock() - p->last_ms >= (p->terminal ? INTERVAL_MS : LOG_MS);
}

/* Past the guard of stderr: it is no text. */
static void wipe_line(void)
{
    static const char wipe[] = "\r\033[K";

    fflush(stderr);
    if (write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0)
        return; /* a terminal that is gone */
}

static void begin_line(struct cli_progress *p)
{
    p->last_ms = read_clock();
    p->shown = p->terminal;
    /* a long name must not wrap: a line that wrapped is not wiped by \r */
    if (p->terminal)
        wipe_line();
    fprintf(stderr, "%.40s:", p->what);
}

/* Share, and the time left if the rest goes on at the rate so far. */
static void end_line(struct cli_progress *p)
{
    int64_t spent = p->last_ms - p->start_ms;

    if (p->all > 0)
        plain_print(stderr, " %.0f %%", 100.0 * (double)p->done / (double)p->all);
    if (p->all > 0 && p->done > 0 && spent >= SURE_MS) {
        double s = (double)spent / 1000 * (double)(p->all - p->done) / (double)p->done;
        const char *unit = s < 60 ? "s" : s < 3600 ? "min" : "h";
        plain_print(stderr, ", %.*f %s left", s < 3600 ? 0 : 1,
                    s < 60     ? s
                    : s < 3600 ? s / 60
                               : s / 3600,
                    unit);
    }
    if (!p->terminal)
        putc('\n', stderr);
    fflush(stderr);
}

void cli_progress(void *self, const char *what, uint64_t done, uint64_t all)
{
    struct cli_progress *p = self;

    if (!note_progress(p, what, done, all))
        return;
    begin_line(p);
    end_line(p);
}

void cli_progress_count(void *self, const char *what, uint64_t done, uint64_t all)
{
    struct cli_progress *p = self;

    if (!note_progress(p, what, done, all))
        return;
    begin_line(p);
    fprintf(stderr, " %llu of %llu,", (unsigned long long)done, (unsigned long long)all);
    end_line(p);
}

void cli_progress_end(struct cli_progress *p)
{
    if (p->shown)
        wipe_line();
    else if (p->on && p->told)
        plain_print(stderr, "%.40s: ended after %.1f s\n", p->what,
                    (double)(read_clock() - p->start_ms) / 1000);
    p->shown = p->told = false;
}
