#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define INTERVAL_MS 100

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void cli_progress_init(struct cli_progress *p)
{
    *p = (struct cli_progress){ .terminal = isatty(STDERR_FILENO), .last_ms = now_ms() };
    p->start_ms = p->last_ms;
}

void cli_progress(void *self, const char *what, uint64_t done, uint64_t all)
{
    struct cli_progress *p = self;
    int64_t now;

    if (!p->terminal || (now = now_ms()) - p->last_ms < INTERVAL_MS)
        return;
    p->last_ms = now;
    p->shown = true;
    /* a long name must not wrap: a line that wrapped is not wiped by \r */
    fprintf(stderr, "\r\033[K%.40s: %llu", what, (unsigned long long)done);
    if (all > 0)
        fprintf(stderr, " of %llu (%.0f %%)", (unsigned long long)all,
                100.0 * (double)done / (double)all);
    fflush(stderr);
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

    if (!p->terminal || now_ms() - p->last_ms < INTERVAL_MS || done == 0)
        return;
    cli_progress(self, what, done, all);
    double seconds = (double)(p->last_ms - p->start_ms) / 1000, rate = (double)done / seconds;
    fprintf(stderr, rate >= 0.1 ? ", %.1f a second" : ", %.3f a second", rate);
    print_time((double)(all - done) / rate);
    fflush(stderr);
}

void cli_progress_end(struct cli_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
