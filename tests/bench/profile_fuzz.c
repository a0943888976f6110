/* profile_fuzz.c - read N spoiled profiles:
 *
 *     profile_fuzz N [SEED [FIRST]]
 *     profile_fuzz show SEED I         the bytes of one
 *
 * Meant to run under ASan and UBSan.  A mutation that takes ten seconds of CPU is a failure. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "tests/profiles/profile_mutate.h"

static uint64_t seed = 1, current;

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void tell_current(void)
{
    fprintf(stderr, "mutation %" PRIu64 " of seed %" PRIu64 "\n", current, seed);
}

static void stop_late(int signal)
{
    (void)signal;
    tell_current();
    abort();
}

static int show_one(struct profile_mutate *m, uint64_t i)
{
    profile_mutate_make(m, seed, i);
    fwrite(m->bytes, 1, m->n, stdout);
    return 0;
}

static int try_all(struct profile_mutate *m, uint64_t first, uint64_t n)
{
    const struct itimerval limit = { .it_value = { .tv_sec = 10 } };
    struct profile_mutate_counts counts = { 0, 0 };

    signal(SIGVTALRM, stop_late);
    for (current = first; current < first + n; current++) {
        setitimer(ITIMER_VIRTUAL, &limit, NULL);
        if (!profile_mutate_try(m, seed, current, &counts))
            return 1;
    }
    printf("profile_fuzz: %" PRIu64 " mutations of seed %" PRIu64 ": %" PRIu64 " read, %" PRIu64
           " refused\n",
           n, seed, counts.read, counts.refused);
    return 0;
}

int main(int argc, char **argv)
{
    struct profile_mutate m;
    bool show = argc > 1 && strcmp(argv[1], "show") == 0;
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    uint64_t third = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_current);
    profile_mutate_begin(&m);
    int rc = show ? show_one(&m, third) : try_all(&m, third, n);
    profile_mutate_end(&m);
    return rc;
}
