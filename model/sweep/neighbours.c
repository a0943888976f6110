#include "sweep/neighbours.h"

#include <math.h>

#include "base/plain.h"
#include "sweep/plan.h"
#include "sweep/point.h"

static const double factor[] = { 0.96, 0.98, 1, 1.02, 1.04 };
enum { N = sizeof factor / sizeof *factor, MIDDLE = N / 2 };

/* The swing of a line of seconds. */
static double find_turn(const double seconds[N])
{
    double most = 0;

    for (int i = 1; i + 1 < N; i++) {
        double before = log(seconds[i] / seconds[i - 1]), after = log(seconds[i + 1] / seconds[i]);
        if (before * after < 0)
            most = fmax(most, fmin(fabs(before), fabs(after)));
    }
    return expm1(most);
}

/* Vary axis `a` of a point, whose seconds are `middle`.  Returns false if it takes no such value.
 */
static bool vary_axis(struct plan *p, size_t point, size_t a, double middle, double *swing)
{
    char *own = p->point[point][a], *unit;
    double value = plain_read(own, &unit), seconds[N];
    bool known = value > 0;

    seconds[MIDDLE] = middle;
    for (int i = 0; i < N && known; i++) {
        if (i == MIDDLE)
            continue;
        char text[64];
        plain_text(text, sizeof text, "%.9g%.30s", factor[i] * value, unit);
        p->point[point][a] = text;
        seconds[i] = point_seconds(p, point);
        known = seconds[i] > 0;
    }
    p->point[point][a] = own;
    if (known)
        *swing = fmax(*swing, find_turn(seconds));
    return known;
}

/* True of an axis whose values have a unit: they are no counts. */
static bool is_fine(const struct plan *p, size_t point, size_t a)
{
    char *unit;

    if (p->axis[a].key.kind != KEY_PARAM || !point_is_timed(&p->axis[a]))
        return false;
    plain_read(p->point[point][a], &unit);
    return *unit == ' ';
}

double neighbours_swing(const char *plan, size_t point)
{
    struct err ignored;
    struct plan p;
    double swing = 0;

    plan_init(&p);
    if (plan_read_text(&p, "plan", plan, &ignored) == 0 && plan_finish(&p, &ignored) == 0 &&
        point < p.n_points) {
        double middle = NAN;
        for (size_t a = 0, varied = 0; a < p.n_axes && varied < NEIGHBOURS_AXES; a++) {
            if (!is_fine(&p, point, a))
                continue;
            middle = isnan(middle) ? point_seconds(&p, point) : middle;
            varied += vary_axis(&p, point, a, middle, &swing);
        }
    }
    plan_free(&p);
    return swing;
}
