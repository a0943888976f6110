/* net_bench - the network beside the figures of BookSim2: writes a JSON array of rows on standard
 * output and a table on standard error.  `net_bench --short` leaves the 16x16 rows out. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../validation/network_table.h"
#include "study/network/traffic.h"

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int print_row(const struct network_row *w, const char *before)
{
    char a[32], b[32], c[32];
    const char *arg[] = { a, b, c };
    struct traffic_request q = { .arg = arg, .n_args = 3 };
    struct traffic_result r;
    struct err e;

    snprintf(a, sizeof a, "radix=%s", w->radix);
    snprintf(b, sizeof b, "pattern=%s", w->pattern);
    snprintf(c, sizeof c, "rate=%s", w->rate);
    double start = cpu_seconds();
    if (traffic_run(&q, &r, &e) != 0) {
        fprintf(stderr, "net_bench: %s\n", e.msg);
        return 1;
    }
    double speed = (double)r.flit_hops / (cpu_seconds() - start);
    double ours = r.packets ? (double)r.latency / (double)r.packets : 0;
    printf("%s\n  {\"pattern\": \"%s\", \"topology\": \"torus %s\", \"rate\": %s, ", before,
           w->pattern, w->radix, w->rate);
    fprintf(stderr, "%-8s %-10s %-5s ", w->radix, w->pattern, w->rate);
    if (w->latency > 0) {
        printf("\"ours\": %.2f, \"reference\": %.2f, \"error\": %.4f, ", ours, w->latency,
               ours / w->latency - 1);
        fprintf(stderr, "%7.2f %7.2f %+6.2f %%", ours, w->latency, 100 * (ours / w->latency - 1));
    } else {
        printf("\"ours\": null, \"reference\": null, \"error\": null, ");
        fprintf(stderr, "%7s %7s %8s", r.saturated ? "-" : "CARRIED", "-", "");
    }
    printf("\"saturated\": %s, \"reference_saturated\": %s, \"flit_hops_per_cpu_second\": %.0f}",
           r.saturated ? "true" : "false", w->latency > 0 ? "false" : "true", speed);
    fprintf(stderr, " %6.2f M flit-hops/s\n", speed / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    bool brief = argc == 2 && strcmp(argv[1], "--short") == 0;
    const char *before = "[";

    if (argc > 1 && !brief) {
        fputs("usage: net_bench [--short]\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof network_rows / sizeof *network_rows; i++) {
        if (brief && strcmp(network_rows[i].radix, "16x16") == 0)
            continue;
        if (print_row(&network_rows[i], before) != 0)
            return 1;
        before = ",";
    }
    puts("\n]");
    return 0;
}
