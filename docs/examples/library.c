/* A program of yours on the library: how many cycles a step takes.
 *
 *     cc library.c $(pkg-config --cflags --libs cyclotron) -o library
 *     ./library traces/3dgan.trace.zst tpu-v3-8
 */
#include <cyclotron.h>
#include <stdio.h>

static int print_error(const struct cyclotron_error *e)
{
    fprintf(stderr, "%d: %s\n", (int)e->code, e->message);
    return 1;
}

int main(int argc, char **argv)
{
    struct cyclotron_error e;
    struct cyclotron_machine *m;
    struct cyclotron_program *p;
    struct cyclotron_result *r;
    double cycles = 0;
    const char *unit = "";

    if (argc != 3)
        return 2;
    m = cyclotron_machine_load(argv[2], NULL, 0, &e);
    if (!m)
        return print_error(&e);
    p = cyclotron_program_load(argv[1], 0, &e);
    if (!p)
        return print_error(&e);
    r = cyclotron_replay(p, m, NULL, &e);
    if (!r)
        return print_error(&e);
    if (cyclotron_result_number(r, "cycles_per_step", &cycles, &unit) != 0)
        return 3;
    printf("cyclotron %s: %.0f cycles\n", cyclotron_version(), cycles);
    cyclotron_result_free(r);
    cyclotron_program_free(p);
    cyclotron_machine_free(m);
    return 0;
}
