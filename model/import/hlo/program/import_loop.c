/* import_loop.c - how often a loop runs, and which branch of a conditional is taken.
 *
 * In this order: what the caller says for the loop by its name; known_trip_count of
 * backend_config; the condition compare(counter, limit), where the body adds a constant to the
 * counter that enters the loop with a constant, and nothing changes the limit:
 *
 *     trips = ceil((limit - first) / increment)
 *
 * A loop that depends on data runs as often as options say, else once. */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/program/importing.h"

/* A scalar as far as it is known: `leaf` of the values that a loop carries, plus `offset`. */
struct term {
    bool known;
    uint32_t leaf; /* IMPORT_NONE: a constant */
    int64_t offset;
};

/* Where a computation was called from, to find out what its parameters are. */
struct frame {
    const struct frame *up;
    const struct hlo_instruction *caller;
    bool symbolic; /* its parameter is what the loop at hand carries */
};

#define MAX_STEPS 100000 /* of a search */
#define MAX_DEPTH 1000   /* operations that it follows */

struct finder {
    const struct importing *im;
    int budget, depth; /* left; text is no proof that a search ends soon */
};

static struct term find_term(struct finder *f, const struct frame *in,
                             const struct hlo_instruction *i, uint32_t leaf);

static const struct term unknown;

static struct term read_constant(const struct hlo_instruction *i)
{
    char text[32];
    struct hlo_text t = i->literal;
    char *end;

    if (t.at == NULL || t.size == 0 || t.size >= sizeof text)
        return unknown;
    memcpy(text, t.at, t.size);
    text[t.size] = '\0';
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return (struct term){ true, IMPORT_NONE, *text == 't' };
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || v > INT64_MAX / 4 || v < INT64_MIN / 4)
        return unknown;
    return (struct term){ true, IMPORT_NONE, v };
}

static struct term add_terms(struct term a, struct term b, int sign)
{
    if (!a.known || !b.known || (b.leaf != IMPORT_NONE && (sign < 0 || a.leaf != IMPORT_NONE)))
        return unknown;
    int64_t sum;
    if (__builtin_add_overflow(a.offset, sign * b.offset, &sum) || sum > INT64_MAX / 4 ||
        sum < INT64_MIN / 4)
        return unknown;
    return (struct term){ true, b.leaf != IMPORT_NONE ? b.leaf : a.leaf, sum };
}

/* True if the body of a loop hands on what it carries in that leaf. */
static bool is_kept(struct finder *f, const struct frame *in, const struct hlo_instruction *loop,
                    uint32_t leaf)
{
    const struct hlo_module *m = f->im->m;
    struct frame body = { in, loop, true };

    if (loop->n_called < 2)
        return false;
    struct term t = find_term(f, &body, &m->instruction[hlo_called(m, loop, 1)->root], leaf);
    return t.known && t.leaf == leaf && t.offset == 0;
}

static struct term find_parameter(struct finder *f, const struct frame *in,
                                  const struct hlo_instruction *i, uint32_t leaf)
{
    const struct hlo_module *m = f->im->m;
    const struct hlo_instruction *caller = in ? in->caller : NULL;
    uint32_t n = i->number < 0 ? 0 : (uint32_t)i->number;

    if (in && in->symbolic)
        return (struct term){ true, leaf, 0 };
    if (caller == NULL)
        return unknown;
    if (caller->opcode == HLO_OP_WHILE) {
        if (caller->n_operands != 1 || !is_kept(f, in->up, caller, leaf))
            return unknown;
        return find_term(f, in->up, hlo_operand(m, caller, 0), leaf);
    }
    if (caller->opcode == HLO_OP_CONDITIONAL || n >= caller->n_operands)
        return unknown;
    return find_term(f, in->up, hlo_operand(m, caller, n), leaf);
}

static struct term find_in_tuple(struct finder *f, const struct frame *in,
                                 const struct hlo_instruction *i, uint32_t leaf)
{
    const struct hlo_module *m = f->im->m;

    if (leaf >= import_leaves(i->shape))
        return unknown;
    uint32_t part = import_part_of(i->shape, leaf);
    return find_term(f, in, hlo_operand(m, i, part), leaf - import_leaf_of(i->shape, part));
}

static struct term find_called(struct finder *f, const struct frame *in,
                               const struct hlo_instruction *i, uint32_t leaf)
{
    const struct hlo_module *m = f->im->m;
    struct frame inner = { in, i, false };

    if (i->n_called == 0)
        return unknown;
    return find_term(f, &inner, &m->instruction[hlo_called(m, i, 0)->root], leaf);
}

static struct term find_operation(struct finder *f, const struct frame *in,
                                  const struct hlo_instruction *i)
{
    const struct hlo_module *m = f->im->m;

    if (i->n_operands != 2)
        return unknown;
    struct term a = find_term(f, in, hlo_operand(m, i, 0), 0);
    struct term b = find_term(f, in, hlo_operand(m, i, 1), 0);
    if (i->opcode != HLO_OP_MULTIPLY)
        return add_terms(a, b, i->opcode == HLO_OP_ADD ? 1 : -1);
    if (!a.known || !b.known || a.leaf != IMPORT_NONE || b.leaf != IMPORT_NONE ||
        __builtin_mul_overflow(a.offset, b.offset, &a.offset) || a.offset > INT64_MAX / 4 ||
        a.offset < INT64_MIN / 4)
        return unknown;
    return a;
}

static struct term find_by_opcode(struct finder *f, const struct frame *in,
                                  const struct hlo_instruction *i, uint32_t leaf)
{
    const struct hlo_module *m = f->im->m;

    switch (i->opcode) {
    case HLO_OP_CONSTANT: return read_constant(i);
    case HLO_OP_PARAMETER: return find_parameter(f, in, i, leaf);
    case HLO_OP_TUPLE: return find_in_tuple(f, in, i, leaf);
    case HLO_OP_COPY:
    case HLO_OP_BITCAST:
    case HLO_OP_CONVERT:
    case HLO_OP_RESHAPE:
    case HLO_OP_BROADCAST:
    case HLO_OP_COPY_START:
    case HLO_OP_COPY_DONE:
    case HLO_OP_OPT_BARRIER:
        return i->n_operands ? find_term(f, in, hlo_operand(m, i, 0), leaf) : unknown;
    case HLO_OP_GET_TUPLE_ELEMENT:
        return find_term(f, in, hlo_operand(m, i, 0),
                         leaf + import_leaf_of(hlo_operand(m, i, 0)->shape, (uint32_t)i->number));
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_MULTIPLY: return find_operation(f, in, i);
    case HLO_OP_FUSION:
    case HLO_OP_CALL: return find_called(f, in, i, leaf);
    case HLO_OP_WHILE: /* a value that the loop carries and does not change */
        return i->n_operands == 1 && is_kept(f, in, i, leaf)
                   ? find_term(f, in, hlo_operand(m, i, 0), leaf)
                   : unknown;
    default: return unknown;
    }
}

static struct term find_term(struct finder *f, const struct frame *in,
                             const struct hlo_instruction *i, uint32_t leaf)
{
    if (--f->budget < 0 || f->depth == 0)
        return unknown;
    f->depth--;
    struct term t = find_by_opcode(f, in, i, leaf);
    f->depth++;
    return t;
}

/* The comparison that a condition consists of, and the frame it is in. */
static const struct hlo_instruction *find_compare(const struct importing *im,
                                                  const struct hlo_instruction *i,
                                                  struct frame *frames, uint32_t *n)
{
    while (i->opcode != HLO_OP_COMPARE) {
        if ((i->opcode == HLO_OP_FUSION || i->opcode == HLO_OP_CALL) && i->n_called && *n < 8) {
            frames[*n] = (struct frame){ &frames[*n - 1], i, false };
            ++*n;
            i = &im->m->instruction[hlo_called(im->m, i, 0)->root];
        } else if ((i->opcode == HLO_OP_COPY || i->opcode == HLO_OP_BITCAST) && i->n_operands) {
            i = hlo_operand(im->m, i, 0);
        } else {
            return NULL;
        }
    }
    return i->n_operands == 2 ? i : NULL;
}

enum order { LT, LE, GT, GE, NE, NO_ORDER };

static enum order read_order(struct hlo_text t)
{
    static const char *const name[] = { "LT", "LE", "GT", "GE", "NE" };

    for (int k = 0; k < NO_ORDER; k++)
        if (hlo_text_is(t, name[k]))
            return (enum order)k;
    return NO_ORDER;
}

/* Iterations of: for (c = first; c ORDER limit; c += step). 0 with *ok unset: it does not end. */
static uint64_t count_trips(enum order o, int64_t first, int64_t limit, int64_t step, bool *ok)
{
    int64_t distance = limit - first;

    if (o == GT || o == GE || (o == NE && step < 0)) { /* downwards: mirrored */
        distance = -distance;
        step = -step;
    }
    distance += o == LE || o == GE;
    bool begins = o == NE ? distance != 0 : distance > 0;
    *ok = !begins || (step > 0 && (o != NE || (distance > 0 && distance % step == 0)));
    return *ok && begins ? (uint64_t)((distance - 1) / step) + 1 : 0;
}

/* Trips of the loop of `scope` by its condition; false if it cannot be told. */
static bool derive_trips(struct importing *im, uint32_t scope, const struct frame *outer,
                         struct finder *f, uint64_t *trips)
{
    static const enum order mirrored[] = { GT, GE, LT, LE, NE, NO_ORDER };
    const struct hlo_module *m = im->m;
    const struct hlo_instruction *loop = im->scope[scope].caller;
    struct frame in[8] = { { outer, loop, true } };
    uint32_t n = 1;

    const struct hlo_instruction *c =
        find_compare(im, &m->instruction[hlo_called(m, loop, 0)->root], in, &n);
    if (c == NULL)
        return false;
    enum order o = read_order(hlo_attribute(m, c, "direction"));
    struct term a = find_term(f, &in[n - 1], hlo_operand(m, c, 0), 0);
    struct term b = find_term(f, &in[n - 1], hlo_operand(m, c, 1), 0);
    if (!a.known || !b.known)
        return false;
    if (a.leaf == IMPORT_NONE || (b.leaf != IMPORT_NONE && is_kept(f, outer, loop, a.leaf))) {
        struct term t = a;
        a = b;
        b = t;
        o = mirrored[o];
    }
    if (a.leaf == IMPORT_NONE || o == NO_ORDER)
        return false;
    int64_t limit = b.offset;
    if (b.leaf != IMPORT_NONE) { /* carried, and never changed */
        if (!is_kept(f, outer, loop, b.leaf))
            return false;
        b = find_term(f, outer, hlo_operand(m, loop, 0), b.leaf);
        if (!b.known || b.leaf != IMPORT_NONE)
            return false;
        limit += b.offset;
    }
    struct frame body = { outer, loop, true };
    struct term next = find_term(f, &body, &m->instruction[im->scope[scope].c->root], a.leaf);
    struct term first = find_term(f, outer, hlo_operand(m, loop, 0), a.leaf);
    if (!next.known || next.leaf != a.leaf || !first.known || first.leaf != IMPORT_NONE)
        return false;
    bool ok;
    *trips = count_trips(o, first.offset + a.offset, limit, next.offset, &ok);
    return ok;
}

/* Frames of the scopes around `scope`, from the entry on, then derive. */
static bool derive_inside(struct importing *im, uint32_t scope, uint64_t *trips)
{
    uint32_t depth = 0;

    for (uint32_t s = im->scope[scope].parent; s; s = im->scope[s].parent)
        depth++;
    struct frame *f = memory_zeroed((size_t)depth + 1, sizeof *f);
    uint32_t k = depth;
    for (uint32_t s = im->scope[scope].parent; s; s = im->scope[s].parent, k--)
        f[k] = (struct frame){ &f[k - 1], im->scope[s].caller, false };
    struct finder finder = { im, MAX_STEPS, MAX_DEPTH };
    bool ok = derive_trips(im, scope, &f[depth], &finder, trips);
    import_limit_work(im, (uint64_t)(MAX_STEPS - finder.budget));
    free(f);
    return ok;
}

void import_loop_count(struct importing *im, uint32_t scope)
{
    struct import_scope *s = &im->scope[scope];
    struct import_config c;
    char *storage;

    im->totals->loops++;
    for (uint32_t k = 0; k < im->o->n_loops; k++)
        if (hlo_text_is(s->caller->name, im->o->loop[k].name)) {
            s->trips = im->o->loop[k].count;
            return;
        }
    import_config_read(&c, hlo_attribute(im->m, s->caller, "backend_config"), &storage);
    free(storage);
    if (c.counted) {
        s->trips = c.trips;
    } else if (!derive_inside(im, scope, &s->trips)) {
        s->trips = im->o->other_loops ? im->o->other_loops : 1;
        s->guessed = true;
        im->totals->guessed_loops++;
    }
}

/* Work of a computation: cycles where the compiler estimates them, else elements. */
static uint64_t weigh_work(const struct importing *im, const struct hlo_computation *c)
{
    uint64_t sum = 0, *known = &im->weight[c - im->m->computation];

    if (*known)
        return *known - 1;
    for (uint32_t k = 0; k < c->n; k++) {
        const struct hlo_instruction *i = &im->m->instruction[c->first + k];
        if (import_classify(im, i) == IMPORT_FREE)
            continue;
        sum = import_add(sum, 1 + hlo_bytes(i->shape) / 1024);
        if (i->opcode == HLO_OP_CONVOLUTION || i->opcode == HLO_OP_DOT)
            sum = import_add(sum, hlo_elements(i->shape));
        for (uint32_t j = 0; j < i->n_called; j++)
            sum = import_add(sum, weigh_work(im, hlo_called(im->m, i, j)));
    }
    sum = sum < UINT64_MAX ? sum : UINT64_MAX - 1;
    *known = 1 + sum;
    return sum;
}

uint32_t import_loop_branch(const struct importing *im, const struct hlo_instruction *i)
{
    uint64_t most = 0;
    uint32_t best = 0;

    for (uint32_t k = 0; k < i->n_called; k++) {
        uint64_t w = weigh_work(im, hlo_called(im->m, i, k));
        if (w > most) {
            most = w;
            best = k;
        }
    }
    im->totals->conditionals++;
    return best;
}
