/* The kernels of a profile that are operations of a step. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/spec/spec.h"
#include "study/profiled/profiled_impl.h"

static int compare_instructions(const void *a, const void *b)
{
    const struct hlo_text *x = &(*(const struct hlo_instruction *const *)a)->name;
    const struct hlo_text *y = &(*(const struct hlo_instruction *const *)b)->name;
    int order = memcmp(x->at, y->at, x->size < y->size ? x->size : y->size);

    return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Describe the operations, as far as the program is HLO. */
void profiled_describe(const struct profiled *p, struct profiled_sides *s)
{
    uint32_t n = p->module ? p->module->n_instructions : 0;
    const struct hlo_instruction **by_name = memory_zeroed(n, sizeof *by_name);

    for (uint32_t i = 0; i < n; i++)
        by_name[i] = &p->module->instruction[i];
    qsort(by_name, n, sizeof *by_name, compare_instructions);
    s->n_ops = p->n_kernels;
    s->op = memory_zeroed(s->n_ops, sizeof *s->op);
    s->partner = memory_zeroed(s->n_ops, sizeof *s->partner);
    for (size_t i = 0; i < s->n_ops; i++) {
        const char *name = p->kernel[i].name;
        const struct hlo_instruction key = { .name = { name, (uint32_t)strlen(name) } };
        const struct hlo_instruction *want = &key;
        const struct hlo_instruction *const *found =
            n ? bsearch(&want, by_name, n, sizeof *by_name, compare_instructions) : NULL;
        s->op[i].name = name;
        s->op[i].scope = p->kernel[i].scope;
        if (found)
            pairing_describe(&s->op[i], p->module, *found);
    }
    free(by_name);
}

static void forget_kernels(struct profiled_sides *s)
{
    for (size_t i = 0; i < s->n_kernels; i++)
        pairing_clear(&s->kernel[i]);
    free(s->kernel);
    free(s->place);
    s->kernel = NULL;
    s->place = NULL;
    s->n_kernels = 0;
}

void profiled_free_sides(struct profiled_sides *s)
{
    forget_kernels(s);
    for (size_t i = 0; i < s->n_ops; i++)
        pairing_clear(&s->op[i]);
    free(s->op);
    free(s->partner);
}

/* Pair the kernels of one program.  Returns the picoseconds of those that have a partner. */
static double pair_program(const struct profile *f, uint32_t program, bool gpu,
                           struct profiled_sides *s)
{
    double paired = 0;

    forget_kernels(s);
    s->kernel = memory_zeroed(f->n_kernels, sizeof *s->kernel);
    s->place = memory_zeroed(f->n_kernels, sizeof *s->place);
    for (uint32_t i = 0; i < f->n_kernels; i++) {
        const struct profile_kernel *k = &f->kernel[i];
        if (k->program != program || k->asynchronous || k->container || k->count == 0)
            continue;
        s->place[s->n_kernels] = i;
        s->kernel[s->n_kernels].name = k->name;
        s->kernel[s->n_kernels].scope = k->scope;
        pairing_read(&s->kernel[s->n_kernels++], k->text);
    }
    pairing_find(s->partner, s->op, s->n_ops, s->kernel, s->n_kernels);
    if (gpu)
        pairing_order(s->partner, s->op, s->n_ops, s->kernel, s->n_kernels);
    for (size_t i = 0; i < s->n_ops; i++)
        if (s->partner[i].how != PAIRING_NONE)
            paired += (double)f->kernel[s->place[s->partner[i].other]].total;
    return paired;
}

int profiled_choose(struct profiled *p, const struct profiled_request *q, struct profiled_sides *s,
                    struct err *err)
{
    const struct profile *f = p->profile;
    double most = 0;
    bool named = false;

    for (uint32_t i = 0; i < f->n_programs; i++) {
        if (q->module && strcmp(q->module, f->program[i].name) != 0)
            continue;
        double paired = pair_program(f, i, p->spec->kind == CHIP_GPU, s);
        if (paired > most || (q->module && !named)) {
            p->program = i;
            most = paired;
        }
        named = true;
    }
    if (q->module && !named) {
        const char **names = memory_zeroed(f->n_programs, sizeof *names);
        for (size_t i = 0; i < f->n_programs; i++)
            names[i] = f->program[i].name;
        const char *near = err_nearest(q->module, names, (unsigned)f->n_programs);
        near = near && *near ? near : NULL; /* a table of kernels names no program */
        free(names);
        return err_set(err, ERR_UNKNOWN, "%.200s: no program %.80s in it%s%.80s", q->profile,
                       q->module, near ? ": did you mean " : "", near ? near : "");
    }
    if (most <= 0)
        return err_set(
            err, ERR_FIT,
            "%.160s: none of its kernels is one of %.160s: expected a profile of the same "
            "program",
            q->profile, q->run.trace);
    pair_program(f, p->program, p->spec->kind == CHIP_GPU, s);
    return 0;
}
