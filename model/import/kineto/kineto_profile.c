/* kineto_profile.c - see kineto_profile.h. */
#include "import/kineto/kineto_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/recorded.h"
#include "profile/profile_build.h"

#define PS_PER_NS 1000
#define MOST_NS (PROFILE_BUILD_PS_MAX / PS_PER_NS)

bool kineto_profile_knows(const char *path)
{
    struct profile_source *source;
    struct err ignored;

    if (profile_source_open(&source, path, &ignored) != 0)
        return false;
    bool knows = kineto_likes(source);
    profile_source_close(source);
    return knows;
}

/* Work of an operation as events of one kernel. */
static void add_events(struct profile_build *b, uint32_t device, const struct recorded_step *s,
                       const struct kineto *k, uint32_t i)
{
    const struct recorded_op *op = &s->op[i];
    char label[RECORDED_LABEL];

    recorded_label(s, k, i, label);
    struct profile_op own = { .program_id = 1,
                              .name = memory_copy(label),
                              .text = memory_copy(""),
                              .category = memory_copy(""),
                              .scope = memory_copy("") };
    uint32_t made = profile_build_op(b, &own);
    for (uint32_t j = op->first; j <= op->last_work; j++) {
        if (k->work[j].begin - s->begin > MOST_NS || s->begin - k->work[j].begin > MOST_NS ||
            k->work[j].end - k->work[j].begin > MOST_NS)
            continue;
        int64_t begin = (k->work[j].begin - s->begin) * PS_PER_NS;
        uint64_t length = (uint64_t)(k->work[j].end - k->work[j].begin) * PS_PER_NS;
        const struct profile_build_times at = { begin, begin, length, length };
        profile_build_event(b, device, made, false, &at);
    }
}

static void build_profile(struct profile_build *b, const struct recorded_step *s,
                          const struct kineto *k)
{
    uint32_t device = profile_build_device(b, "GPU 0");
    uint32_t program = profile_build_program(b, "step", strlen("step"), 1);

    free(b->device[device].is.type);
    b->device[device].is.type = memory_copy(k->device);
    profile_build_run(b, device, program, 0, s->wall * PS_PER_NS);
    profile_build_runs_known(b);
    struct profile_program *is = &b->program[program].is;
    is->queue_gap = s->queue_gap * PS_PER_NS;
    is->queue_part = s->queue_part * PS_PER_NS;
    is->queued = s->queued;
    is->host_wait = s->host_wait * PS_PER_NS;
    is->launch = s->launch * PS_PER_NS;
    for (uint32_t i = 0; i < s->n; i++)
        add_events(b, device, s, k, i);
    profile_build_flush(b, device);
}

int kineto_profile_read(struct profile **p, const char *path, struct err *err)
{
    struct profile_source *source;
    struct profile_build b;
    struct recorded_step step;
    struct kineto k;

    *p = NULL;
    if (profile_source_open(&source, path, err) != 0)
        return -1;
    int rc = kineto_read(&k, source, err);
    profile_source_close(source);
    if (rc != 0)
        return -1;
    recorded_read(&step, &k);
    if (step.wall > MOST_NS) {
        rc = err_set(err, ERR_RANGE, "%.160s: a step of more than 13 days", path);
    } else if (step.n == 0) {
        rc = err_set(err, ERR_FORMAT, "%.160s: no work of a GPU in this recording", path);
    } else {
        profile_build_begin(&b, path, "kineto");
        build_profile(&b, &step, &k);
        *p = profile_build_end(&b);
    }
    recorded_free(&step);
    kineto_free(&k);
    return rc;
}
