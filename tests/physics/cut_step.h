/* cut_step.h - a step of a fully connected net, cut into the stages of a pipeline. */
#ifndef TESTS_PHYSICS_CUT_STEP_H
#define TESTS_PHYSICS_CUT_STEP_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes/shard/pipeline.h"
#include "trace/trace.h"
#include "traces/gen.h"

/* A fully connected net for `cores` data-parallel cores ("cores=2"), cut; to be freed. */
static inline char *cut_step(const char *cores, struct pipeline_plan plan)
{
    const char *set[] = { "layers=6", "width=512", "batch=256", cores, "loop=0" };
    char *text, *parts;
    size_t size, n;
    struct trace *t;
    struct err e;
    FILE *f = open_memstream(&text, &size);

    cr_assert_eq(gen_write("fc", set, 5, f, &e), 0, "%s", e.msg);
    fclose(f);
    f = open_memstream(&parts, &n);
    cr_assert_eq(trace_open_memory(&t, "fc", text, size, false, &e), 0, "%s", e.msg);
    cr_assert_eq(pipeline_write(t, &plan, f, &e), 0, "%s", e.msg);
    trace_close(t);
    fclose(f);
    free(text);
    return parts;
}

#endif
