/* Messages of collectives, by the calls around the launches of their kernels. */
#include <stdlib.h>
#include <string.h>

#include "profile/kineto.h"

#define MOST_ELEMENTS (UINT64_C(1) << 50)

/* Elements of the first operand, "[[8,1024]]" or "[[[8,1024]]]"; 0: it has none. */
static uint64_t count_elements(const char *dims)
{
    const char *at = dims + strspn(dims, "[ ");
    uint64_t n = *at >= '0' && *at <= '9';

    while (n > 0 && *at >= '0' && *at <= '9') {
        char *end;
        uint64_t dim = strtoull(at, &end, 10);
        n = dim > 0 && n > MOST_ELEMENTS / dim ? 0 : n * dim;
        at = end + strspn(end, ", ");
    }
    return n;
}

/* The message of an annotation that names a collective: one of all ranks. */
static bool read_annotation(struct kineto *k, const struct kineto_call *c, struct kineto_message *m)
{
    const char *name = kineto_text(k, c->name);

    if (strncmp(name, "nccl:", 5) != 0 || k->ranks < 2)
        return false;
    *m = (struct kineto_message){ .elements_in = count_elements(kineto_text(k, c->dims)),
                                  .group = k->ranks,
                                  .types = c->types };
    if (m->elements_in == 0)
        return false;
    bool gathers = strstr(name, "gather"), scatters = strstr(name, "reduce_scatter");
    m->elements_out = gathers    ? m->elements_in * m->group
                      : scatters ? m->elements_in / m->group
                                 : m->elements_in;
    char text[64];
    size_t n = strlen(name + 5);
    if (n >= sizeof text)
        return false;
    memcpy(text, name + 5, n + 1); /* keeping a text may move the others */
    m->collective = kineto_keep(k, text, n);
    return true;
}

/* The message of the innermost call around `call` that states one; else of an annotation. */
static void find_message(struct kineto *k, uint32_t call, struct kineto_message *m)
{
    bool found = false;

    for (uint32_t i = call; i != KINETO_NONE; i = k->call[i].parent) {
        const struct kineto_call *c = &k->call[i];
        if (c->message) {
            *m = k->message[c->message - 1];
            return;
        }
        if (!found && c->kind == KINETO_ANNOTATION)
            found = read_annotation(k, c, m);
    }
}

/* Kernels of NCCL, and of RCCL, which calls them so too. */
static bool is_collective(const struct kineto *k, const struct kineto_work *w)
{
    return !w->copies && !w->fills && strncmp(kineto_text(k, w->name), "nccl", 4) == 0;
}

void kineto_messages(struct kineto *k)
{
    for (uint32_t i = 0; i < k->n_work; i++) {
        struct kineto_work *w = &k->work[i];
        if (w->message.group == 0 && w->launch != KINETO_NONE && is_collective(k, w))
            find_message(k, w->launch, &w->message);
    }
}
