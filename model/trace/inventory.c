#include "trace/inventory.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/numbered.h"

/* An open block: how often it runs in all, and the phase that holds in it. */
struct block {
    uint64_t times;
    size_t phase; /* NO_PHASE: not looked up yet */
    char *name;
};

struct walk {
    struct inventory *v;
    struct numbered names; /* of phases */
    struct block *block;
    size_t n_blocks;
    uint32_t cap_blocks, cap_phases;
};

#define NO_PHASE SIZE_MAX

static size_t find_phase(struct walk *w, const char *name)
{
    struct inventory *v = w->v;
    size_t phase = numbered_find(&w->names, name);

    if (phase < v->n_phases)
        return phase;
    MEMORY_GROW(v->phases, (uint32_t)v->n_phases + 1, w->cap_phases);
    struct inventory_phase *p = &v->phases[v->n_phases];
    p->name = memory_copy(name);
    p->ops = 0;
    mpz_inits(p->flops, p->bytes, NULL);
    return v->n_phases++;
}

static void open_block(struct walk *w, uint64_t count)
{
    MEMORY_GROW(w->block, (uint32_t)w->n_blocks + 1, w->cap_blocks);
    struct block *b = &w->block[w->n_blocks];
    if (w->n_blocks == 0) {
        *b = (struct block){ count, NO_PHASE, memory_copy("") };
    } else {
        const struct block *outer = b - 1;
        *b = (struct block){ outer->times * count, outer->phase, memory_copy(outer->name) };
    }
    w->n_blocks++;
}

static void close_block(struct walk *w)
{
    BUG_ON(!w->block || w->n_blocks == 0); /* the reader ends no block that it did not begin */
    free(w->block[--w->n_blocks].name);
}

static void add_op(struct walk *w, const struct trace_op *op)
{
    BUG_ON(!w->block || w->n_blocks == 0); /* operations stand in steps */
    struct block *b = &w->block[w->n_blocks - 1];

    if (b->phase == NO_PHASE)
        b->phase = find_phase(w, b->name);
    struct inventory_phase *p = &w->v->phases[b->phase];
    p->ops += b->times;
    exact_addmul(p->flops, op->flops, b->times);
    if (trace_is_transfer(op->kind)) { /* what moves is counted where it starts to move */
        exact_addmul(p->bytes, op->async == TRACE_DONE ? 0 : op->payload, b->times);
        return;
    }
    exact_addmul(p->bytes, op->reads, b->times);
    exact_addmul(p->bytes, op->writes, b->times);
}

static void add_item(struct walk *w, const struct trace_item *item)
{
    switch (item->kind) {
    case TRACE_ITEM_STEP_BEGIN:
    case TRACE_ITEM_FUSION_BEGIN: open_block(w, 1); return;
    case TRACE_ITEM_REPEAT_BEGIN: open_block(w, item->count); return;
    case TRACE_ITEM_STEP_END:
    case TRACE_ITEM_FUSION_END:
    case TRACE_ITEM_REPEAT_END: close_block(w); return;
    case TRACE_ITEM_PHASE: {
        BUG_ON(!w->block || w->n_blocks == 0); /* as phases do */
        struct block *b = &w->block[w->n_blocks - 1];
        free(b->name);
        b->name = memory_copy(item->name);
        b->phase = NO_PHASE;
        return;
    }
    case TRACE_ITEM_OP: add_op(w, &item->op); return;
    default: return;
    }
}

int inventory_read(struct inventory *v, struct trace *t, struct err *err)
{
    struct walk w = { .v = v };
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };

    memset(v, 0, sizeof *v);
    trace_totals_init(&v->totals);
    int rc = trace_sum(t, &v->totals, err);
    if (rc == 0) {
        v->checksum = trace_checksum(t);
        rc = trace_rewind(t, err);
    }
    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            add_item(&w, &item);
    }
    while (w.n_blocks > 0)
        close_block(&w);
    free(w.block);
    numbered_clear(&w.names);
    if (rc != 0)
        inventory_free(v);
    return rc;
}

void inventory_free(struct inventory *v)
{
    for (size_t i = 0; i < v->n_phases; i++) {
        free(v->phases[i].name);
        mpz_clears(v->phases[i].flops, v->phases[i].bytes, NULL);
    }
    free(v->phases);
    trace_totals_clear(&v->totals);
    *v = (struct inventory){ 0 };
}
