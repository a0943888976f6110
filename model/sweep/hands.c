#include "sweep/hands.h"

#include <math.h>

#include "run/result/result.h"
#include "sweep/plan.h"

/* Seconds of a step of the point's program, which is a file, on its machine; NAN: it cannot run. */
static double replay_program(const struct plan *p, size_t point, bool retile)
{
    struct run_request q = { .trace = plan_trace(p, point)->text,
                             .machine = plan_machine(p, point),
                             .steps = 1,
                             .allow_unknown = p->allow_unknown,
                             .allow = p->allow,
                             .brief = true,
                             .retile = retile };
    struct run_result r;
    struct err ignored;

    if (run_replay(&q, &r, &ignored) != 0)
        return NAN;
    double seconds = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return seconds;
}

double hands_compare(const char *plan, size_t point)
{
    struct err ignored;
    struct plan p;
    double ratio = NAN;

    plan_init(&p);
    if (plan_read_text(&p, "plan", plan, &ignored) == 0 && plan_finish(&p, &ignored) == 0 &&
        point < p.n_points && !plan_trace(&p, point)->gen)
        ratio = replay_program(&p, point, true) / replay_program(&p, point, false);
    plan_free(&p);
    return ratio;
}
