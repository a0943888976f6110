/* Calls of the backward pass that a forward call leads to. */
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include "base/memory.h"
#include "import/kineto/recorded.h"

static int compare_numbers(const void *a, const void *b, void *calls)
{
    const struct kineto_call *call = calls;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    if (call[i].sequence != call[j].sequence)
        return call[i].sequence < call[j].sequence ? -1 : 1;
    return (i > j) - (i < j);
}

void recorded_list_backward(struct recorded_step *s, const struct kineto *k)
{
    s->backward = memory_zeroed(k->n_calls, sizeof *s->backward);
    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        if (c->begin >= s->begin && c->begin < s->end && c->dims && c->sequence >= 0 &&
            strstr(kineto_text(k, c->name), "Backward"))
            s->backward[s->n_backward++] = i;
    }
    qsort_r(s->backward, s->n_backward, sizeof *s->backward, compare_numbers, k->call);
}

uint32_t recorded_backward(const struct recorded_step *s, const struct kineto *k, int64_t sequence,
                           const char *name)
{
    uint32_t low = 0, high = s->n_backward;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->call[s->backward[middle]].sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < s->n_backward && k->call[s->backward[low]].sequence == sequence; low++)
        if (strstr(recorded_name(k, s->backward[low]), name))
            return s->backward[low];
    return KINETO_NONE;
}
