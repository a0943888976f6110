#include "run/result/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "run/result/evidence.h"
#include "run/result/result.h"
#include "trace/kind/basis.h"

const char *const account_name[N_ACCOUNT] = {
#define A(id, text, doc) text,
    ACCOUNT_CLASSES(A)
#undef A
};
const char *const account_doc[N_ACCOUNT] = {
#define A(id, text, doc) doc,
    ACCOUNT_CLASSES(A)
#undef A
};

/* --- measured kinds ------------------------------------------------------------------------- */

int account_kinds_read(struct account_kinds *k, const struct machine_spec *m,
                       const struct published_file *file, struct err *err)
{
    enum { MACHINE, KIND, ROWS, N };
    char f[N + 1][PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    *k = (struct account_kinds){ 0 };
    file = file ? file : published_find(ACCOUNT_STEM);
    if (!file || m->retimed || m->own)
        return 0;
    published_open(&t, file);
    while ((n = published_next(&t, f, N + 1)) > 0) {
        if (n != N)
            return published_refuse(&t, err);
        if (evidence_same_generation(f[MACHINE], m->name))
            numbered_find(&k->names, f[KIND]);
    }
    k->n = k->names.n;
    return 0;
}

bool account_kinds_have(struct account_kinds *k, const char *kind)
{
    return numbered_find(&k->names, kind) < k->n;
}

/* --- the result ----------------------------------------------------------------------------- */

void account_init(struct account *a)
{
    *a = (struct account){ 0 };
    for (int c = 0; c < N_ACCOUNT; c++)
        mpq_init(a->seconds[c]);
    mpq_inits(a->could, a->unread, NULL);
}

static void free_lines(struct account_line *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(line[i].what);
        free(line[i].why);
        mpq_clear(line[i].seconds);
    }
    free(line);
}

void account_clear(struct account *a)
{
    for (int c = 0; c < N_ACCOUNT; c++)
        mpq_clear(a->seconds[c]);
    mpq_clears(a->could, a->unread, NULL);
    free_lines(a->kind, a->n_kinds);
    free_lines(a->reason, a->n_reasons);
    free_lines(a->largest, a->n_largest);
    *a = (struct account){ 0 };
}

/* q = 1 - the share of these classes, bits of enum account_class. */
static void subtract_share(mpq_t q, const struct account *a, uint32_t classes)
{
    EXACT_Q(all);
    EXACT_Q(part);
    for (int c = 0; c < N_ACCOUNT; c++) {
        exact_sum(all, a->seconds[c]);
        if (classes >> c & 1)
            exact_sum(part, a->seconds[c]);
    }
    mpq_set_ui(q, 1, 1);
    if (mpq_sgn(all) == 0)
        return;
    mpq_div(part, part, all);
    mpq_sub(q, q, part);
}

#define UNKNOWN (1U << ACCOUNT_BOUNDS | 1U << ACCOUNT_DATA)
#define OPEN (UNKNOWN | 1U << ACCOUNT_RETILED | 1U << ACCOUNT_ASSUMPTIONS)

/* q = what is read of the step over the step and all that the rest could take. */
static void share_at_least(mpq_t q, const struct account *a)
{
    EXACT_Q(all);
    EXACT_Q(read);
    for (int c = 0; c < N_ACCOUNT; c++) {
        exact_sum(all, a->seconds[c]);
        if (!(UNKNOWN >> c & 1))
            exact_sum(read, a->seconds[c]);
    }
    exact_sum(all, a->could);
    mpq_set_ui(q, 1, 1);
    if (mpq_sgn(all))
        mpq_div(q, read, all);
}

static bool take_least(mpq_t q, const mpq_t other)
{
    bool less = mpq_cmp(other, q) < 0;

    if (less)
        mpq_set(q, other);
    return less;
}

bool account_known(mpq_t q, const struct account *a)
{
    EXACT_Q(other);
    subtract_share(q, a, UNKNOWN);
    mpq_set_ui(other, 1, 1);
    mpq_sub(other, other, a->unread);
    take_least(q, other);
    share_at_least(other, a);
    return take_least(q, other);
}

void account_modelled(mpq_t q, const struct account *a)
{
    EXACT_Q(known);
    subtract_share(q, a, OPEN);
    account_known(known, a);
    take_least(q, known);
}

void account_write_unknown(const struct account *a, const char *name, FILE *out)
{
    EXACT_Q(known);
    EXACT_Q(q);
    bool could = account_known(known, a);

    if (could) {
        fputs("how long ", out);
        text_count(a->could_count, "operation", out);
        fprintf(out, " of %s take%s is not known", name, a->could_count == 1 ? "s" : "");
        return;
    }
    mpq_set_ui(q, 1, 1);
    mpq_sub(q, q, known);
    text_share(q, 0, out);
    fprintf(out, " %% of %s is not known", name);
}

bool account_is_unknown(const struct account *a)
{
    EXACT_Q(q);
    account_known(q, a);
    return mpq_cmp_ui(q, 100 - ACCOUNT_UNKNOWN, 100) < 0;
}

bool account_is_open(const struct account *a)
{
    EXACT_Q(q);
    account_modelled(q, a);
    return a->count[ACCOUNT_BOUNDS] > 0 || mpq_cmp_ui(q, 100 - ACCOUNT_OPEN, 100) < 0;
}

/* --- adding up ------------------------------------------------------------------------------ */

static struct account_line *find_line(struct account_line **line, size_t *n, struct numbered *names,
                                      enum account_class class, const char *what, const char *why)
{
    char *key = memory_format("%d %s %s", (int)class, why, what);
    size_t i = numbered_find(names, key);

    free(key);
    if (i < *n)
        return &(*line)[i];
    MEMORY_ADD(*line, *n);
    (*line)[*n] =
        (struct account_line){ .class = class, .what = memory_copy(what), .why = memory_copy(why) };
    mpq_init((*line)[*n].seconds);
    return &(*line)[(*n)++];
}

static void add_to_line(struct account_line *l, uint64_t count, const mpq_t seconds)
{
    l->count += count;
    exact_sum(l->seconds, seconds);
}

/* The reason for which an operation is cut anew, in words. */
static const char *const retiled_why[TASK_N_RETILED] = {
    [TASK_RETILED_ASKED] = "cut anew as asked",
    [TASK_RETILED_ARRAY] = "cut anew for arrays of another size",
    [TASK_RETILED_UNSTATED] = "cut anew for want of windows",
    [TASK_RETILED_VMEM] = "cut anew for want of VMEM",
};

/* The class of an operation as a whole, and why; N_ACCOUNT: its seconds are divided. */
static enum account_class class_of(const struct account_note *n, const struct run_row *w,
                                   const char **why)
{
    if (n->unknown) {
        *why = "of unknown kind: memory traffic alone";
        return ACCOUNT_BOUNDS;
    }
    for (unsigned b = 0; b < TRACE_BASIS_HAND; b++)
        if (n->basis >> b & 1) {
            *why = trace_basis_doc[b];
            return b <= TRACE_BASIS_RECORDED ? ACCOUNT_BOUNDS : ACCOUNT_DATA;
        }
    *why = w->retiled ? retiled_why[w->retiled - 1] : "on the TensorCore, for want of SparseCores";
    return w->retiled || n->on_core ? ACCOUNT_RETILED : N_ACCOUNT;
}

/* Reasons for which work is left out. */
#define SHORT                                                                                      \
    (TRACE_BASIS_BIT(ABSENT) | TRACE_BASIS_BIT(UNREAD) | TRACE_BASIS_BIT(PARTIAL) |                \
     TRACE_BASIS_BIT(OUTLINE) | TRACE_BASIS_BIT(LOOP))

/* Add an operation whose work is known: kinds, and what an unverified value sets the pace of. */
static void add_known(struct account *a, struct account_sum *s, const struct account_note *n,
                      struct run_row *w)
{
    enum account_class class = n->measured ? ACCOUNT_MEASURED : ACCOUNT_MODELS;
    w->rests = class;

    add_to_line(find_line(&a->kind, &a->n_kinds, &s->kinds, class, n->kind, ""), w->count,
                w->seconds);
    a->count[class] += w->count;
    EXACT_Q(rest);
    mpq_set(rest, w->seconds);
    mpq_srcptr q;
    for (int c = -1; class == ACCOUNT_MODELS && (q = amounts_next(&w->cause, &c));) {
        if (c < 0 || !*s->pace[c] || mpq_sgn(q) == 0)
            continue;
        mpq_sub(rest, rest, q);
        exact_sum(a->seconds[ACCOUNT_ASSUMPTIONS], q);
        if (mpq_sgn(w->assumed) == 0)
            mpq_set(w->assumed, q);
        else
            exact_sum(w->assumed, q);
        add_to_line(
            find_line(&a->reason, &a->n_reasons, &s->reasons, ACCOUNT_ASSUMPTIONS, "", s->pace[c]),
            0, q);
    }
    exact_sum(a->seconds[class], rest);
}

/* Seconds that an operation of which work is left out takes on top at most. */
static void add_could(struct account *a, const struct account_sum *s, const struct account_note *n,
                      const struct run_row *w)
{
    EXACT_Z(flops);
    EXACT_Q(more);
    if (s->recorded)
        return;
    if (mpq_sgn(s->peak)) {
        exact_addmul(flops, n->met, n->met);
        mpz_mul_ui(flops, flops, w->count);
        mpq_set_z(more, flops);
        mpq_div(more, more, s->peak);
        mpq_mul(more, more, s->part);
    }
    if (n->basis & TRACE_BASIS_BIT(LOOP)) {
        EXACT_Q(turns);
        mpq_set_ui(turns, ACCOUNT_TURNS, 1);
        exact_sum(more, w->seconds);
        mpq_mul(more, more, turns);
        mpq_sub(more, more, w->seconds);
    }
    exact_sum(a->could, more);
    a->could_count += w->count;
}

void account_add(struct account *a, struct account_sum *s, const struct account_note *n,
                 struct run_row *w)
{
    const char *why;
    enum account_class class = class_of(n, w, &why);

    if (class == N_ACCOUNT) {
        add_known(a, s, n, w);
        return;
    }
    w->rests = class;
    w->why = why;
    exact_sum(a->seconds[class], w->seconds);
    a->count[class] += w->count;
    s->elsewhere = s->elsewhere || n->basis & TRACE_BASIS_BIT(RECORDED);
    if (n->unknown || n->basis & SHORT) {
        a->at_least = true;
        add_could(a, s, n, w);
    }
    a->at_least = a->at_least && !s->elsewhere; /* a faster machine may need less of that time */
    add_to_line(find_line(&a->reason, &a->n_reasons, &s->reasons, class, "", why), w->count,
                w->seconds);
    add_to_line(find_line(&a->largest, &a->n_largest, &s->ops, class, w->group, why), w->count,
                w->seconds);
}

void account_move(struct account *a, const char *value, const mpq_t seconds)
{
    EXACT_Q(more);
    for (size_t i = 0; i < a->n_reasons; i++) {
        struct account_line *l = &a->reason[i];
        if (l->class != ACCOUNT_ASSUMPTIONS || strcmp(l->why, value) != 0)
            continue;
        mpq_sub(more, seconds, l->seconds);
        if (mpq_cmp(more, a->seconds[ACCOUNT_MODELS]) > 0)
            mpq_set(more, a->seconds[ACCOUNT_MODELS]);
        exact_sum(l->seconds, more);
        exact_sum(a->seconds[ACCOUNT_ASSUMPTIONS], more);
        mpq_sub(a->seconds[ACCOUNT_MODELS], a->seconds[ACCOUNT_MODELS], more);
        l->moved = true;
        return;
    }
}

void account_sum_clear(struct account_sum *s)
{
    numbered_clear(&s->kinds);
    numbered_clear(&s->reasons);
    numbered_clear(&s->ops);
}

/* Longest first; of equals by their texts, so that the order is a function of the result. */
static int compare_lines(const void *a, const void *b)
{
    const struct account_line *x = a, *y = b;
    int order = mpq_cmp(y->seconds, x->seconds);

    if (order == 0)
        order = (int)x->class - (int)y->class;
    if (order == 0)
        order = strcmp(x->why, y->why);
    return order ? order : strcmp(x->what, y->what);
}

static void sort_lines(struct account_line *line, size_t n)
{
    if (n > 0)
        qsort(line, n, sizeof *line, compare_lines);
}

void account_sort(struct account *a)
{
    sort_lines(a->kind, a->n_kinds);
    sort_lines(a->reason, a->n_reasons);
    sort_lines(a->largest, a->n_largest);
    while (a->n_largest > ACCOUNT_LARGEST) {
        struct account_line *l = &a->largest[--a->n_largest];
        free(l->what);
        free(l->why);
        mpq_clear(l->seconds);
    }
}
