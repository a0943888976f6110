#include "run/result/padding.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"

static struct run_padding *add_padding(struct run_result *r, const char *name)
{
    MEMORY_ADD(r->padding, r->n_padding);
    struct run_padding *p = &r->padding[r->n_padding++];

    *p = (struct run_padding){ .name = memory_copy(name) };
    mpz_inits(p->real, p->padded, NULL);
    mpq_inits(p->share, p->seconds, NULL);
    return p;
}

/* The share of rows that is padding. */
static void set_share(struct run_padding *p)
{
    mpz_set(mpq_numref(p->share), p->padded);
    mpz_sub(mpq_numref(p->share), mpq_numref(p->share), p->real);
    mpz_set(mpq_denref(p->share), p->padded);
    mpq_canonicalize(p->share);
}

void padding_begin(const struct trace_header *h, struct run_result *r)
{
    mpq_init(r->padding_seconds);
    for (uint32_t i = 0; i < h->n_padding; i++) {
        struct run_padding *p = add_padding(r, h->padding[i].name);
        exact_set_u64(p->real, h->padding[i].real);
        exact_set_u64(p->padded, h->padding[i].padded);
        set_share(p);
    }
}

/* --- rows of an operation ----------------------------------------------------------------- */

/* True if a value has rows of this size, of which `shared` cores may have a part each. */
static bool has_rows(const struct trace_shape *s, uint64_t size, uint64_t shared)
{
    uint64_t rows = 1, part = size / shared + (size % shared != 0);

    for (uint32_t d = 0; d < s->rank; d++) {
        rows *= s->dim[d];
        if (rows == size || rows == part)
            return true;
        if (rows > size)
            return false;
    }
    return false;
}

/* The padded rows that a value has, from 1. */
static uint32_t rows_of_value(const struct step *step, const struct step_value *v)
{
    const struct trace_header *h = &step->head;

    if (v->role == TRACE_WEIGHT || v->role == TRACE_STATE || v->role == TRACE_CONSTANT)
        return 0;
    for (uint32_t i = 0; i < h->n_padding; i++)
        if (strcmp(h->padding[i].name, PADDING_SAMPLES) != 0 &&
            has_rows(&v->shape, h->padding[i].padded, h->shared))
            return i + 1;
    return 0;
}

/* Operands of an optimizer have the size of a weight. */
static void forget_gradients(const struct step *step, uint32_t *of_value)
{
    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        for (uint32_t k = 0; k < op->n_in && op->op.kind == TRACE_OPTIMIZER; k++)
            of_value[step_operand(step, op, k)] = 0;
    }
}

static void take_larger(const struct step *step, const uint32_t *of_value, uint32_t v,
                        uint64_t *most, uint32_t *of)
{
    uint64_t elements = trace_elements(&step->value[v].shape);

    if (of_value[v] == 0 || elements <= *most)
        return;
    *most = elements;
    *of = of_value[v];
}

void padding_of_nodes(const struct step *step, uint32_t *of)
{
    uint32_t *of_value = memory_zeroed(step->n_values, sizeof *of_value);

    for (uint32_t v = 0; v < step->n_values; v++)
        of_value[v] = rows_of_value(step, &step->value[v]);
    forget_gradients(step, of_value);
    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        uint64_t most = 0;

        of[i] = 0;
        for (uint32_t o = n->first_op; n->kind == STEP_OP && o < n->first_op + n->n_ops; o++) {
            const struct step_op *op = &step->op[o];
            for (uint32_t k = 0; k < step_n_operands(op); k++)
                take_larger(step, of_value, step_operand(step, op, k), &most, &of[i]);
            for (uint32_t k = 0; k < op->n_out; k++)
                take_larger(step, of_value, step_result(step, op, k), &most, &of[i]);
        }
    }
    free(of_value);
}

/* --- time --------------------------------------------------------------------------------- */

void padding_add(struct run_result *r, uint32_t which, const mpq_t seconds)
{
    struct run_padding *p = &r->padding[which - 1];
    EXACT_Q(q);

    mpq_mul(q, seconds, p->share);
    exact_sum(p->seconds, q);
}

void padding_real_samples(const struct trace_header *h, mpz_t samples)
{
    EXACT_Z(padded);

    for (uint32_t i = 0; i < h->n_padding; i++) {
        if (strcmp(h->padding[i].name, PADDING_SAMPLES) != 0)
            continue;
        exact_set_u64(padded, h->padding[i].real);
        mpz_mul(samples, samples, padded);
        exact_set_u64(padded, h->padding[i].padded);
        mpz_cdiv_q(samples, samples, padded); /* one at least */
    }
}

/* Room of an epoch's steps for more samples than the data set has. */
static void add_epoch(struct run_result *r)
{
    EXACT_Z(slots);
    EXACT_Z(samples);

    if (!r->has_epoch)
        return;
    mpz_mul(slots, mpq_numref(r->steps_per_epoch), r->samples_per_step);
    exact_set_u64(samples, r->samples_per_epoch);
    if (mpz_cmp(slots, samples) <= 0)
        return;
    struct run_padding *p = add_padding(r, PADDING_EPOCH);
    mpz_set(p->real, samples);
    mpz_set(p->padded, slots);
    set_share(p);
}

static bool is_of_samples(const struct run_padding *p)
{
    return strcmp(p->name, PADDING_SAMPLES) == 0 || strcmp(p->name, PADDING_EPOCH) == 0;
}

/* Drop the rows without padding or time: sizes whose steps were not measured. */
static void drop_zeros(struct run_result *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_padding; i++) {
        struct run_padding *p = &r->padding[i];
        if (mpq_sgn(p->seconds) != 0) {
            r->padding[n++] = *p;
            continue;
        }
        free(p->name);
        mpz_clears(p->real, p->padded, NULL);
        mpq_clears(p->share, p->seconds, NULL);
    }
    r->n_padding = n;
}

/* Rows of padded samples are counted once: all = s + (1 - s) * rows, for the share s of samples. */
void padding_end(struct run_result *r)
{
    EXACT_Q(rows);
    EXACT_Q(real);
    EXACT_Q(q);

    add_epoch(r);
    mpq_set_ui(real, 1, 1);
    for (size_t i = 0; i < r->n_padding; i++) {
        struct run_padding *p = &r->padding[i];
        if (!is_of_samples(p)) {
            exact_sum(rows, p->seconds);
            continue;
        }
        mpq_mul(p->seconds, r->seconds_per_step, p->share);
        mpq_set_ui(q, 1, 1);
        mpq_sub(q, q, p->share);
        mpq_mul(real, real, q);
    }
    mpq_sub(q, r->seconds_per_step, rows);
    mpq_mul(q, q, real);
    mpq_sub(r->padding_seconds, r->seconds_per_step, q);
    drop_zeros(r);
}

void padding_clear(struct run_result *r)
{
    for (size_t i = 0; i < r->n_padding; i++) {
        free(r->padding[i].name);
        mpz_clears(r->padding[i].real, r->padding[i].padded, NULL);
        mpq_clears(r->padding[i].share, r->padding[i].seconds, NULL);
    }
    free(r->padding);
    mpq_clear(r->padding_seconds);
}
