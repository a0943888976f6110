/* import_emit.c - pass 2: the lines of the step, in the order of the schedule. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import_impl.h"
#include "import/hlo/program/import_line.h"
#include "import/hlo/program/import_peer.h"

#define LEAF_ROOM 64 /* bytes of an operand or result in memory and in a line */

static int emit_scope(struct importing *im, uint32_t scope);

static void add_totals(struct importing *im, const struct import_kernel *k, uint64_t times)
{
    struct import_totals *t = im->totals;
    uint64_t bytes = 0;

    for (uint32_t j = 0; j < k->n_in; j++)
        bytes = import_add(bytes, k->fetch[j]);
    for (uint32_t j = 0; j < k->n_out; j++)
        bytes = import_add(bytes, k->store[j]);
    bytes = import_add(bytes, import_multiply(k->cols ? 0 : k->rows, k->facts.row_bytes));
    t->kernels = import_add(t->kernels, times);
    t->bytes = import_add(t->bytes, import_multiply(bytes, times));
    t->flops = import_add(t->flops, import_multiply(k->flops, times));
    t->flops_once = import_add(t->flops_once, k->flops);
    t->transcendentals = import_add(t->transcendentals, import_multiply(k->transcendentals, times));
    if (k->facts.form == TRACE_FORM_CUSTOM || k->partial) {
        t->unmodelled_instructions = import_add(t->unmodelled_instructions, times);
        t->unmodelled_bytes = import_add(t->unmodelled_bytes, import_multiply(bytes, times));
        t->unmodelled_flops = import_add(t->unmodelled_flops, import_multiply(k->flops, times));
    }
}

/* A carrier neither makes nor takes what it hands on; it may read the source for itself. */
static void drop_handed_on(struct importing *im, const struct hlo_instruction *i,
                           const struct import_kernel *k, uint32_t *result, uint32_t *operand)
{
    import_limit_work(im, (uint64_t)k->n_in * k->n_out);
    for (uint32_t j = 0; j < k->n_out; j++) {
        uint32_t v = result[j];
        if (v == 0 || &im->m->instruction[im->value[v].instruction] == i)
            continue;
        for (uint32_t n = 0; n < k->n_in; n++)
            if (operand[n] == v && (im->value[v].begun || k->fetch[n] == 0))
                operand[n] = 0;
        result[j] = 0;
    }
}

/* A name may say another memory than its array lies in: X64Combine of halves in VMEM. */
static void keep_on_chip(const struct importing *im, struct import_kernel *k,
                         const uint32_t *operand)
{
    for (uint32_t j = 0; j < k->n_in; j++) {
        uint32_t space = operand[j] ? im->value[operand[j]].shape->layout.space : 0;
        if (space != 0 && space != 5) /* 5: the memory of the host */
            k->fetch[j] = 0;
    }
}

/* `start`: on a thread of its own, the SparseCore. */
static int emit_kernel(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                       bool start)
{
    const struct import_scope *s = &im->scope[scope];
    struct import_kernel k;
    uint32_t *operand, *result;

    if (import_kernel_read(im, i, &k) != 0) {
        import_kernel_free(&k);
        return -1;
    }
    import_line_operands(im, s, i, &operand);
    keep_on_chip(im, &k, operand);
    struct import_span out = import_started(im, s, i);
    result = memory_zeroed(k.n_out, sizeof *result);
    for (uint32_t j = 0; j < out.n && j < k.n_out; j++)
        result[j] = im->leaf[out.first + j];
    if (import_carry_of(im, i) == IMPORT_CARRY_ON)
        drop_handed_on(im, i, &k, result, operand);
    bool made = false;
    for (uint32_t j = 0; j < k.n_out; j++)
        made |= result[j] != 0;
    start &= made; /* nobody can wait for what makes nothing */
    k.facts.unit = start ? TRACE_ON_SPARSECORE : TRACE_ON_TENSORCORE;
    for (uint32_t j = 0; j < k.n_out; j++)
        if (result[j])
            import_line_shared(im, result[j]);
    for (uint32_t j = 0; j < k.n_inner; j++)
        import_line_inner(im, i, &k.inner[j]);
    import_line_between(im, i, k.between);
    import_line_kernel(im, i, start ? "kernel-start" : "kernel", &k, result, operand);
    for (uint32_t j = 0; j < k.n_inner; j++)
        k.flops = import_add(k.flops, k.inner[j].flops);
    add_totals(im, &k, s->times);
    free(operand);
    free(result);
    import_kernel_free(&k);
    return 0;
}

/* The line that waits for a kernel of another thread: its operands are the results of the start. */
static void emit_kernel_done(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct import_scope *s = &im->scope[scope];
    struct import_span out = import_span_of(im, s, i);
    uint32_t *from = memory_zeroed(out.n, sizeof *from), n = 0;

    for (uint32_t j = 0; j < out.n; j++)
        if (im->value[im->value[im->leaf[out.first + j]].at].begun)
            from[n++] = im->value[im->leaf[out.first + j]].at;
    if (n) {
        import_line_begin(im, &im->leaf[out.first], out.n, "kernel-done", from, n);
        import_line_end(im, i, NULL);
    }
    free(from);
}

static int emit_loop(struct importing *im, uint32_t body)
{
    struct import_scope *s = &im->scope[body];
    uint32_t around = im->basis;

    if (s->trips > 0) {
        import_line_indent(im);
        fprintf(im->out, "repeat %" PRIu64 " {\n", s->trips);
        im->depth++;
        if (s->guessed) {
            snprintf(im->remark_text, sizeof im->remark_text,
                     "how often the loop %.*s runs depends on data: %" PRIu64 " taken",
                     (int)(s->caller->name.size < 64 ? s->caller->name.size : 64),
                     s->caller->name.at, s->trips);
            im->remark = im->remark_text;
            im->basis |= TRACE_BASIS_BIT(LOOP);
        }
        uint32_t before = im->line;
        if (emit_scope(im, body) != 0)
            return -1;
        if (im->line == before) { /* a block of nothing but names */
            import_line_begin(im, NULL, 0, "kernel", NULL, 0);
            fputs(" form=scalar\n", im->out);
        }
        im->basis = around;
        im->depth--;
        import_line_indent(im);
        fputs("}\n", im->out);
    }
    return 0;
}

/* Scopes inside a body that does not run have no lines. */
static void skip_scopes(struct importing *im, uint32_t body)
{
    while (im->next_scope < im->n_scopes && im->next_scope > body) {
        uint32_t s = im->scope[im->next_scope].parent;
        while (s > body)
            s = im->scope[s].parent;
        if (s != body)
            return;
        im->next_scope++;
    }
}

static int emit_inline(struct importing *im, const struct hlo_instruction *i)
{
    uint32_t body = im->next_scope++, around = im->basis;

    if (i->opcode == HLO_OP_WHILE) {
        if (emit_loop(im, body) != 0)
            return -1;
        skip_scopes(im, body);
        return 0;
    }
    if (i->opcode == HLO_OP_CONDITIONAL) {
        snprintf(im->remark_text, sizeof im->remark_text,
                 "of the branches of %.*s the one with the most work",
                 (int)(i->name.size < 64 ? i->name.size : 64), i->name.at);
        im->remark = im->remark_text;
        im->basis |= TRACE_BASIS_BIT(BRANCH);
    }
    int rc = emit_scope(im, body);
    im->basis = around;
    return rc;
}

/* Results that no line has made: of a collective without arrays, of a done without a start. */
static void emit_rest(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct hlo_instruction *peer = import_peer_of(im, i);
    struct import_span s = import_span_of(im, &im->scope[scope], i);

    if (peer > i) /* its line stands there */
        return;
    if (peer && i->opcode == HLO_OP_SEND) {
        s = import_span_of(im, &im->scope[scope], peer);
        i = peer;
    }
    for (uint32_t k = 0; k < s.n; k++) {
        uint32_t v = im->leaf[s.first + k];
        const struct import_value *x = &im->value[v];
        if (x->kind != IMPORT_RESULT || x->defined || x->scope != scope ||
            &im->m->instruction[x->instruction] != i)
            continue;
        import_line_begin(im, &v, 1, "kernel", NULL, 0);
        fputs(" form=custom store=0", im->out);
        import_line_end_on(im, i, TRACE_BASIS_BIT(ABSENT),
                           "not modelled: what makes it takes no time");
        im->totals->unmodelled_instructions =
            import_add(im->totals->unmodelled_instructions, im->scope[scope].times);
    }
}

/* Work that the program hands to a thread of its host. */
static bool is_on_host(const struct importing *im, const struct hlo_instruction *i)
{
    struct hlo_text thread = hlo_attribute(im->m, i, "async_execution_thread");

    return thread.at && hlo_text_is(hlo_unquoted(thread), "host");
}

static int emit_line(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                     enum import_class c)
{
    switch (c) {
    case IMPORT_FREE: return 0;
    case IMPORT_BUFFER: {
        struct import_span s = import_span_of(im, &im->scope[scope], i);
        for (uint32_t k = 0; k < s.n; k++)
            if (im->leaf[s.first + k] && !im->value[im->leaf[s.first + k]].defined)
                import_line_buffer(im, im->leaf[s.first + k]);
        return 0;
    }
    case IMPORT_INLINE: return emit_inline(im, i);
    case IMPORT_KERNEL:
    case IMPORT_CUSTOM: return emit_kernel(im, scope, i, false);
    case IMPORT_ASYNC:
        /* nobody knows how long the host takes: what it makes is written as absent */
        return is_on_host(im, i) ? 0 : emit_kernel(im, scope, i, true);
    case IMPORT_ASYNC_DONE: emit_kernel_done(im, scope, i); return 0;
    case IMPORT_DMA:
    case IMPORT_DMA_DONE:
    case IMPORT_HOST:
    case IMPORT_HOST_DONE: return import_move_emit(im, scope, i, c);
    case IMPORT_COLLECTIVE:
    case IMPORT_COLLECTIVE_START:
    case IMPORT_PEER:
    case IMPORT_COLLECTIVE_DONE: return import_collective_emit(im, scope, i, c);
    }
    return 0;
}

/* Bytes for the leaves of operands and results while a line is written. */
static uint64_t count_room(const struct importing *im, const struct hlo_instruction *i)
{
    uint64_t n = import_leaves(i->shape);

    for (uint32_t k = 0; k < i->n_operands; k++)
        n += import_leaves(hlo_operand(im->m, i, k)->shape);
    return n * LEAF_ROOM;
}

/* Take the room of the text that has been written, which is twice its size while it grows. */
static void take_text(struct importing *im)
{
    off_t now = ftello(im->out);

    if (now > im->text)
        import_limit_room(im, 2 * (uint64_t)(now - im->text));
    im->text = now;
}

static int emit_instruction(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    enum import_class c = import_classify(im, i);
    uint64_t room = count_room(im, i);

    if (c == IMPORT_FREE) {
        emit_rest(im, scope, i);
        return 0;
    }
    import_limit_room(im, room);
    import_limit_work(im, room / LEAF_ROOM + i->n_attributes);
    import_place_add(im, (uint32_t)(i - im->m->instruction));
    if (import_limit_check(im, i) != 0 || emit_line(im, scope, i, c) != 0)
        return -1;
    if (c != IMPORT_INLINE && !import_cores_exchange(im, i))
        emit_rest(im, scope, i);
    import_limit_return(im, room);
    take_text(im);
    return import_limit_check(im, i);
}

/* Collectives of one core around the kernels of the other. */
static int emit_shared(struct importing *im, uint32_t scope)
{
    const struct hlo_computation *c = im->scope[scope].c;
    const struct hlo_instruction *i = &im->m->instruction[c->first];
    bool *first = import_cores_first(im, c);
    int rc = 0;

    for (uint32_t k = 0; k < c->n && rc == 0; k++)
        if (first[k])
            rc = emit_instruction(im, scope, &i[k]);
    for (uint32_t k = 0; k < c->n && rc == 0; k++)
        if (!first[k])
            rc = emit_instruction(im, scope, &i[k]);
    for (uint32_t k = 0; k < c->n && rc == 0; k++)
        if (import_cores_exchange(im, &i[k])) {
            rc = import_collective_emit(im, scope, &i[k], IMPORT_COLLECTIVE_DONE);
            emit_rest(im, scope, &i[k]);
        }
    free(first);
    return rc;
}

static int emit_scope(struct importing *im, uint32_t scope)
{
    const struct hlo_computation *c = im->scope[scope].c;

    if (im->shared[c - im->m->computation])
        return emit_shared(im, scope);
    for (uint32_t k = 0; k < c->n; k++)
        if (emit_instruction(im, scope, &im->m->instruction[c->first + k]) != 0)
            return -1;
    return 0;
}

/* Results besides donated arguments. */
static void emit_return(struct importing *im)
{
    struct import_span s = im->scope[0].root;
    uint32_t *list = memory_zeroed(s.n, sizeof *list), n = 0;

    for (uint32_t k = 0; k < s.n; k++) {
        uint32_t v = im->leaf[s.first + k];
        const struct import_value *r = &im->value[import_value_root(im, v)];
        if (v && im->value[v].line != im->line + 1 && r->kind == IMPORT_RESULT)
            list[n++] = v;
        im->value[v].line = im->line + 1;
    }
    if (n) {
        import_line_begin(im, NULL, 0, "return", list, n);
        putc('\n', im->out);
    }
    free(list);
}

int import_emit(struct importing *im)
{
    fputs("step {\n", im->out);
    im->depth = 1;
    im->next_scope = 1;
    if (emit_scope(im, 0) != 0)
        return -1;
    emit_return(im);
    fputs("}\n", im->out);
    return 0;
}
