#include "sweep_figures.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct err err;

/* `third` is a figure that point i has the value more[i] of, NULL: there is none. */
static void make_table(struct sweep_table *t, const char *axes, const double *time,
                       const double *cost, char *third, const double *more)
{
    static char time_name[] = "seconds_per_step", cost_name[] = "proxy.usd_per_step", json[] = "{}";
    static const struct store_shard whole = { 1, 1 };
    char path[] = "/tmp/analysis.XXXXXX", text[512];
    struct store *s;
    struct plan p;

    close(mkstemp(path));
    plan_init(&p);
    snprintf(text, sizeof text, "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\n%s", axes);
    cr_assert_eq(plan_read_text(&p, "plan", text, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    for (size_t i = 0; i < p.n_points; i++) {
        struct point_figure f[] = { { cost_name, cost[i] },
                                    { time_name, time[i] },
                                    { third, more ? more[i] : 0 } };
        struct point_outcome o = {
            .done = true, .json = json, .json_size = 2, .figure = f, .n_figures = more ? 3 : 2
        };
        bool new;
        cr_assert_eq(store_put(s, i, &o, &new, &err), 0);
    }
    store_close(s);
    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    cr_assert_eq(sweep_table_read(t, s, &err), 0, "%s", err.msg);
    store_close(s);
    plan_free(&p);
    strcat(strcpy(text, path), "-wal");
    unlink(text);
    strcat(strcpy(text, path), "-shm");
    unlink(text);
    unlink(path);
}

void sweep_figures(struct sweep_table *t, const char *axes, const double *time, const double *cost)
{
    make_table(t, axes, time, cost, NULL, NULL);
}

void sweep_figures_fitting(struct sweep_table *t, const char *axes, const double *time,
                           const double *cost, const double *fits)
{
    static char name[] = "memory.fits";

    make_table(t, axes, time, cost, name, fits);
}

void sweep_figures_with(struct sweep_table *t, const char *axes, const double *time,
                        const double *cost, const char *name, const double *value)
{
    char third[64];

    snprintf(third, sizeof third, "%s", name);
    make_table(t, axes, time, cost, third, value);
}
