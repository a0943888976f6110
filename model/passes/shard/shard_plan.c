/* A plan as it is written: AXIS=N words, in any order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "passes/shard/shard.h"
#include "trace/trace.h"

#define AXIS_MAX 65536
#define HALO_DIGITS 6 /* of SHARD_HALO_ONE */

enum axis { DATA, MODEL, EDGES, PIPELINE, MICROBATCHES, HALO, SERVER, STALENESS, SCHEDULE, N_AXES };

static const char *const axes[] = { "data", "model",  "edges",     "pipeline", "microbatches",
                                    "halo", "server", "staleness", "schedule" };

/* N_AXES: there is no such axis, and *err says so. */
static enum axis find_axis(const char *key, struct err *err)
{
    for (size_t a = 0; a < N_AXES; a++)
        if (strcmp(axes[a], key) == 0)
            return (enum axis)a;
    const char *near = err_nearest(key, axes, N_AXES);
    err_set(err, ERR_UNKNOWN, "unknown axis '%s'; %s%s%s", key,
            near ? "did you mean '"
                 : "there are data, model, edges, halo, server, staleness, pipeline, microbatches, "
                   "schedule",
            near ? near : "", near ? "'?" : "");
    return N_AXES;
}

/* Digits alone, at least one; what follows them is left at *end. */
static bool read_digits(const char *text, uint64_t *value, const char **end)
{
    char *stop;

    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return true;
}

static int read_count(const char *key, const char *text, uint64_t *value, struct err *err)
{
    const char *end;

    if (read_digits(text, value, &end) && !*end && *value >= 1 && *value <= AXIS_MAX)
        return 0;
    return err_set(err, ERR_RANGE, "%s = '%.32s': expected a whole number in [1, %d]", key, text,
                   AXIS_MAX);
}

/* A decimal such as 0.25, in millionths. */
static int read_halo(const char *text, uint64_t *value, struct err *err)
{
    const char *end = text;
    uint64_t part = 0, scale = SHARD_HALO_ONE;
    bool right = read_digits(text, value, &end) && *value <= AXIS_MAX;

    if (right && *end == '.') {
        const char *from = ++end;
        for (; *end >= '0' && *end <= '9' && end - from < HALO_DIGITS; end++) {
            scale /= 10;
            part += (uint64_t)(*end - '0') * scale;
        }
        right = end > from;
    }
    if (!right || *end)
        return err_set(err, ERR_RANGE,
                       "halo = '%.32s': expected a share in [0, edges - 1], with at most %d digits "
                       "behind the point",
                       text, HALO_DIGITS);
    *value = *value * SHARD_HALO_ONE + part;
    return 0;
}

/* Words that were given, beyond what the plan holds. */
struct given {
    bool async, staleness, schedule;
};

static int read_server(const char *text, struct shard_plan *plan, struct given *given,
                       struct err *err)
{
    given->async = strcmp(text, "async") == 0;
    plan->server = given->async || strcmp(text, "sync") == 0 || strcmp(text, "1") == 0;
    if (plan->server)
        return 0;
    return err_set(err, ERR_RANGE, "server = '%.32s': expected sync (or 1) or async", text);
}

static int read_staleness(const char *text, struct shard_plan *plan, struct given *given,
                          struct err *err)
{
    const char *end;

    given->staleness = true;
    if (read_digits(text, &plan->staleness, &end) && !*end &&
        plan->staleness <= TRACE_MAX_STALENESS)
        return 0;
    return err_set(err, ERR_RANGE, "staleness = '%.32s': expected a whole number in [0, %d]", text,
                   TRACE_MAX_STALENESS);
}

static int read_schedule(const char *text, struct shard_plan *plan, struct given *given,
                         struct err *err)
{
    given->schedule = true;
    plan->gpipe = strcmp(text, "gpipe") == 0;
    if (plan->gpipe || strcmp(text, "1f1b") == 0)
        return 0;
    return err_set(err, ERR_RANGE, "schedule = '%.32s': expected 1f1b or gpipe", text);
}

/* Check the axes that only a pipeline has, and those that it excludes. */
static int check_pipeline(const struct shard_plan *plan, const struct given *given, struct err *err)
{
    if (plan->pipeline == 1 && (plan->microbatches || given->schedule))
        return err_set(err, ERR_RANGE, "%s: give pipeline=P as well, from 2 stages on",
                       plan->microbatches ? "microbatches" : "schedule");
    if (plan->pipeline == 1)
        return 0;
    if (plan->server || plan->nodes || plan->model * plan->edges > 1)
        return err_set(err, ERR_RANGE,
                       "pipeline = %" PRIu64 ": give data=, microbatches= and schedule= beside it, "
                       "and no other axis",
                       plan->pipeline);
    if (plan->microbatches == 0)
        return err_set(err, ERR_RANGE,
                       "pipeline = %" PRIu64 ": give microbatches=M as well, the parts of a batch",
                       plan->pipeline);
    return 0;
}

/* Check which axes go together. */
static int check_plan(const struct shard_plan *plan, const struct given *given, struct err *err)
{
    if (given->async != given->staleness)
        return err_set(err, ERR_RANGE, "server=async and staleness=S go together: give both");
    if (check_pipeline(plan, given, err) != 0)
        return -1;
    if (plan->model > 1 && plan->edges > 1)
        return err_set(err, ERR_RANGE,
                       "model = %" PRIu64 " and edges = %" PRIu64 ": give one of them", plan->model,
                       plan->edges);
    if (plan->server && (plan->data * plan->model * plan->edges > 1 || plan->nodes))
        return err_set(err, ERR_RANGE, "server: give server=sync or async and no other axis");
    if (plan->nodes && plan->edges == 1)
        return err_set(err, ERR_RANGE, "halo: give edges=E as well, whose cores it is between");
    if (plan->halo > (plan->edges - 1) * SHARD_HALO_ONE)
        return err_set(err, ERR_RANGE,
                       "halo = %.6g: outside [0, %" PRIu64 "]; a core of %" PRIu64
                       " needs no more than all nodes of the others",
                       (double)plan->halo / SHARD_HALO_ONE, plan->edges - 1, plan->edges);
    return 0;
}

static int read_word(const char *word, struct shard_plan *plan, struct given *given,
                     struct err *err)
{
    uint64_t *const to[] = { &plan->data, &plan->model, &plan->edges, &plan->pipeline,
                             &plan->microbatches };
    const char *eq = strchr(word, '=');
    size_t n = eq ? (size_t)(eq - word) : strlen(word);
    const char *text = eq ? eq + 1 : "";
    char key[32];

    snprintf(key, sizeof key, "%.*s", (int)(n < 31 ? n : 31), word);
    enum axis axis = find_axis(key, err);
    switch (axis) {
    case N_AXES: return -1;
    case HALO: plan->nodes = true; return read_halo(text, &plan->halo, err);
    case SERVER: return read_server(text, plan, given, err);
    case STALENESS: return read_staleness(text, plan, given, err);
    case SCHEDULE: return read_schedule(text, plan, given, err);
    default: return read_count(key, text, to[axis], err);
    }
}

int shard_plan_read(struct shard_plan *plan, const char *const *word, size_t n, struct err *err)
{
    struct given given = { 0 };

    *plan = (struct shard_plan){ .data = 1, .model = 1, .edges = 1, .pipeline = 1 };
    if (param_once(word, n, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (read_word(word[i], plan, &given, err) != 0)
            return -1;
    return check_plan(plan, &given, err);
}
