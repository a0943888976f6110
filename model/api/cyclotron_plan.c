/* cyclotron_plan.c - sweeps of the library. */
#include <stdlib.h>
#include <string.h>

#include "api/cyclotron_impl.h"
#include "base/memory.h"
#include "report/run_report.h"
#include "sweep/plan.h"
#include "sweep/point.h"

struct cyclotron_plan {
    struct plan plan;
    struct point_kept kept;
    int (*stop)(void *self); /* of the call that makes it */
    void *stop_self;
};

struct cyclotron_point {
    struct point_outcome outcome;
};

static bool ask_caller(void *self)
{
    const struct cyclotron_plan *p = self;

    return p->stop(p->stop_self) != 0;
}

static struct cyclotron_plan *read_plan(const char *name, const char *text, int (*stop)(void *self),
                                        void *stop_self, struct cyclotron_error *error)
{
    struct cyclotron_plan *p = memory_zeroed(1, sizeof *p);
    struct err err;

    plan_init(&p->plan);
    p->stop = stop;
    p->stop_self = stop_self;
    p->plan.stop = stop ? ask_caller : NULL;
    p->plan.stop_self = p;
    int rc = text ? plan_read_text(&p->plan, name, text, &err) : plan_read(&p->plan, name, &err);
    /* prices are those of the process, and other plans may run */
    if (rc == 0 && p->plan.prices)
        rc = err_set(&err, ERR_FORMAT,
                     "%s: prices = %s: the library takes prices of a machine alone, "
                     "such as set = price.on_demand=8 USD/h",
                     name, p->plan.prices);
    if (rc == 0)
        rc = plan_finish(&p->plan, &err);
    p->plan.stop = NULL; /* its `self` belongs to the call */
    if (rc == 0)
        return p;
    cyclotron_error_set(error, &err);
    cyclotron_plan_free(p);
    return NULL;
}

struct cyclotron_plan *cyclotron_plan_load(const char *path, struct cyclotron_error *error)
{
    return read_plan(path, NULL, NULL, NULL, error);
}

struct cyclotron_plan *cyclotron_plan_parse(const char *name, const char *text,
                                            struct cyclotron_error *error)
{
    return read_plan(name, text, NULL, NULL, error);
}

struct cyclotron_plan *cyclotron_plan_parse_until(const char *name, const char *text,
                                                  int (*stop)(void *self), void *self,
                                                  struct cyclotron_error *error)
{
    return read_plan(name, text, stop, self, error);
}

void cyclotron_plan_free(struct cyclotron_plan *plan)
{
    if (!plan)
        return;
    plan_free(&plan->plan);
    point_kept_free(&plan->kept);
    free(plan);
}

size_t cyclotron_plan_points(const struct cyclotron_plan *plan)
{
    return plan->plan.n_points;
}

size_t cyclotron_plan_axes(const struct cyclotron_plan *plan)
{
    return plan->plan.n_axes;
}

const char *cyclotron_plan_axis(const struct cyclotron_plan *plan, size_t axis)
{
    return axis < plan->plan.n_axes ? plan->plan.axis[axis].name : NULL;
}

const char *cyclotron_plan_value(const struct cyclotron_plan *plan, size_t point, size_t axis)
{
    const struct plan *p = &plan->plan;

    return point < p->n_points && axis < p->n_axes ? p->point[point][axis] : NULL;
}

struct cyclotron_point *cyclotron_plan_run(struct cyclotron_plan *plan, size_t point,
                                           struct cyclotron_error *error)
{
    struct cyclotron_point *p = memory_zeroed(1, sizeof *p);
    struct err err;

    if (point < plan->plan.n_points) {
        point_run(&plan->plan, point, report_json, &plan->kept, &p->outcome);
        if (p->outcome.done)
            return p;
        err_set(&err, p->outcome.code, "%s", p->outcome.error);
    } else {
        err_set(&err, ERR_RANGE, "point %zu: the plan has %zu", point, plan->plan.n_points);
    }
    cyclotron_error_set(error, &err);
    cyclotron_point_free(p);
    return NULL;
}

void cyclotron_point_free(struct cyclotron_point *point)
{
    if (!point)
        return;
    point_outcome_free(&point->outcome);
    free(point);
}

int cyclotron_point_number(const struct cyclotron_point *point, const char *path, double *value)
{
    const struct point_outcome *o = &point->outcome;

    for (uint32_t i = 0; i < o->n_figures; i++)
        if (strcmp(o->figure[i].name, path) == 0) {
            *value = o->figure[i].value;
            return 0;
        }
    return -1;
}

void cyclotron_point_visit(const struct cyclotron_point *point, cyclotron_visit *visit, void *self)
{
    const struct point_outcome *o = &point->outcome;

    for (uint32_t i = 0; i < o->n_figures; i++) {
        struct cyclotron_value v = { o->figure[i].name, "", CYCLOTRON_NUMBER, o->figure[i].value,
                                     NULL };
        visit(self, &v);
    }
}

const char *cyclotron_point_json(const struct cyclotron_point *point)
{
    return point->outcome.json;
}
