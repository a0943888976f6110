/* Progress on stderr (cli.h). */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define INTERVAL_MS 100 /* between two updates of the line of a terminal */
#define LOG_MS 10000    /* between two lines in a file */

static int64_t read_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void cli_progress_init(struct cli_progress *p)
{
    *p = (struct cli_progress){ .terminal = isatty(STDERR_FILENO), .last_ms = read_clock() };
    p->start_ms = p->last_ms;
}

static bool is_due(const struct cli_progress *p)
{
    return read_clock() - p->last_ms >= (p->terminal ? INTERVAL_MS : LOG_MS);
}

static void begin_line(struct cli_progress *p, const char *what, uint64_t done, uint64_t all)
{
    p->last_ms = read_clock();
    p->shown = p->terminal;
    /* a long name must not wrap: a line that wrapped is not wiped by \r */
    fprintf(stderr, "%s%.40s: %llu", p->terminal ? "\r\033[K" : "", what, (unsigned long long)done);
    if (all > 0)
        fprintf(stderr, " of %llu (%.0f %%)", (unsigned long long)all,
                100.0 * (double)done / (double)all);
}

static void end_line(const struct cli_progress *p)
{
    if (!p->terminal)
        putc('\n', stderr);
    fflush(stderr);
}

void cli_progress(void *self, const char *what, uint64_t done, uint64_t all)
{
    struct cli_progress *p = self;

    if (!is_due(p))
        return;
    begin_line(p, what, done, all);
    end_line(p);
}

static void print_time(double seconds)
{
    if (seconds < 60)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 3600)
        fprintf(stderr, ", %.0f min left", seconds / 60);
    else
        fprintf(stderr, ", %.1f h left", seconds / 3600);
}

void cli_progress_rate(void *self, const char *what, uint64_t done, uint64_t all)
{
    struct cli_progress *p = self;

    if (!is_due(p) || done == 0)
        return;
    begin_line(p, what, done, all);
    double seconds = (double)(p->last_ms - p->start_ms) / 1000, rate = (double)done / seconds;
    fprintf(stderr, rate >= 0.1 ? ", %.1f a second" : ", %.3f a second", rate);
    print_time((double)(all - done) / rate);
    end_line(p);
}

void cli_progress_end(struct cli_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
