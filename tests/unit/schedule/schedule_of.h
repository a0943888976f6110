/* schedule_of.h - a schedule by its algorithm, for tests. */
#ifndef UNIT_SCHEDULE_SCHEDULE_OF_H
#define UNIT_SCHEDULE_SCHEDULE_OF_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"

static inline struct schedule make_schedule(enum schedule_kind kind,
                                            enum schedule_algorithm algorithm, struct mesh m,
                                            uint32_t size, uint32_t stride, uint64_t bytes)
{
    struct schedule s = {
        .kind = kind, .algorithm = algorithm, .mesh = m, .bytes = bytes, .element = 4, .pieces = 3
    };

    cr_assert(mesh_group(&s.group, &m, size, stride));
    return s;
}

static const struct mesh ring8 = { { 8, 1, 1 }, { true, false, false } };
static const struct mesh line4 = { { 4, 1, 1 }, { false, false, false } };
static const struct mesh torus4 = { { 4, 4, 1 }, { true, true, false } };
static const struct mesh cube4 = { { 4, 4, 4 }, { true, true, true } };

#endif
