/* recorded.c - see recorded.h. */
#include "import/kineto/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "import/kineto/aten.h"

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The innermost operation around a call that the table knows; else the innermost one. */
static uint32_t find_operation(const struct kineto *k, uint32_t call, const struct aten_row **row)
{
    uint32_t innermost = KINETO_NONE;

    *row = NULL;
    for (uint32_t i = call; i != KINETO_NONE; i = k->call[i].parent) {
        if (k->call[i].kind != KINETO_OPERATION)
            continue;
        innermost = innermost == KINETO_NONE ? i : innermost;
        *row = aten_find(recorded_name(k, i));
        if (*row)
            return i;
    }
    return innermost;
}

/* The phase and the number of autograd by what is around the call. */
static void describe_place(struct recorded_op *op, const struct kineto *k, uint32_t call)
{
    op->sequence = -1;
    for (uint32_t i = call; i != KINETO_NONE; i = k->call[i].parent) {
        const struct kineto_call *c = &k->call[i];
        const char *name = kineto_text(k, c->name);
        if (op->sequence < 0)
            op->sequence = c->sequence;
        if (begins_with(name, "autograd::engine::evaluate_function")) {
            op->phase = RECORDED_BACKWARD;
            return;
        }
        if (c->kind == KINETO_ANNOTATION && begins_with(name, "Optimizer.step")) {
            op->phase = RECORDED_UPDATE;
            return;
        }
    }
}

static void add_work(struct recorded_step *s, const struct kineto *k, uint32_t i)
{
    const struct kineto_work *w = &k->work[i];
    const struct aten_row *row = NULL;
    uint32_t call = w->launch == KINETO_NONE ? KINETO_NONE : find_operation(k, w->launch, &row);
    struct recorded_op *last = s->n > 0 ? &s->op[s->n - 1] : NULL;
    uint64_t time = (uint64_t)(w->end - w->begin);

    s->time += time;
    if (last && call != KINETO_NONE && call == last->call) {
        last->n++;
        last->last_work = i;
        last->time += time;
        return;
    }
    enum recorded_phase phase = last ? last->phase : RECORDED_FORWARD; /* `last` may move */
    MEMORY_GROW(s->op, s->n + 1, s->cap);
    struct recorded_op *op = &s->op[s->n++];
    *op = (struct recorded_op){
        .call = call, .row = row, .first = i, .n = 1, .last_work = i, .time = time
    };
    if (call != KINETO_NONE)
        describe_place(op, k, call);
    else
        op->phase = phase;
}

static void find_gradients(struct recorded_step *s, const struct kineto *k)
{
    s->gradient = memory_zeroed(k->n_calls, sizeof *s->gradient);
    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        if (c->begin >= s->begin && c->begin < s->end && c->dims &&
            strcmp(kineto_text(k, c->name), "torch::autograd::AccumulateGrad") == 0)
            s->gradient[s->n_gradients++] = i;
    }
}

static uint32_t name_of(const struct recorded_op *op, const struct kineto *k)
{
    return op->call == KINETO_NONE ? k->work[op->first].name : k->call[op->call].name;
}

static void number_operations(struct recorded_step *s, const struct kineto *k)
{
    uint32_t *count = memory_zeroed(k->n_places, sizeof *count);

    for (uint32_t i = 0; i < s->n; i++)
        s->op[i].number = ++count[name_of(&s->op[i], k)];
    free(count);
}

static bool is_launch(const struct kineto *k, uint32_t call)
{
    return call != KINETO_NONE && k->call[call].kind == KINETO_RUNTIME &&
           recorded_is_launch(recorded_name(k, call));
}

/* Count launches in the step without a kernel.  One inside another is the same launch. */
static void count_lost(struct recorded_step *s, const struct kineto *k)
{
    bool *found = memory_zeroed((size_t)k->n_calls + 1, sizeof *found);

    for (uint32_t i = 0; i < k->n_work; i++) {
        uint32_t call = k->work[i].launch;
        while (is_launch(k, call)) {
            found[call] = true;
            call = k->call[call].parent;
        }
    }
    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        s->lost += c->begin >= s->begin && c->begin < s->end && c->matches && is_launch(k, i) &&
                   !is_launch(k, c->parent) && !found[i];
    }
    free(found);
}

void recorded_label(const struct recorded_step *s, const struct kineto *k, uint32_t op,
                    char label[RECORDED_LABEL])
{
    const char *name = kineto_text(k, name_of(&s->op[op], k));
    size_t n = 0;

    while (*name && n < RECORDED_LABEL - 24) {
        unsigned bytes = text_utf8_length(name);
        bool plain = bytes > 1 || (bytes == 1 && (unsigned char)*name >= ' ' && *name != 0x7f);
        for (unsigned i = 0; i < (bytes ? bytes : 1); i++)
            label[n++] = plain ? name[i] : '?';
        name += bytes ? bytes : 1;
    }
    snprintf(label + n, RECORDED_LABEL - n, ".%" PRIu32, s->op[op].number);
}

void recorded_read(struct recorded_step *s, const struct kineto *k)
{
    *s = (struct recorded_step){ 0 };
    recorded_window(s, k);
    int64_t last = s->end;
    for (uint32_t i = 0; i < k->n_work; i++) {
        const struct kineto_work *w = &k->work[i];
        if (w->launched < s->begin || w->launched >= s->end)
            continue;
        add_work(s, k, i);
        last = w->end > last ? w->end : last;
    }
    s->wall = last > s->begin ? (uint64_t)(last - s->begin) : 0;
    number_operations(s, k);
    count_lost(s, k);
    find_gradients(s, k);
    recorded_list_backward(s, k);
    recorded_host(s, k);
    recorded_queue(s, k);
}

void recorded_free(struct recorded_step *s)
{
    free(s->op);
    free(s->gradient);
    free(s->backward);
}
