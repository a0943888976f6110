/* parse.c - see parse.h.  One function for each kind of line. */
#include "trace/parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "trace/attr.h"
#include "trace/name.h"
#include "trace/rule.h"
#include "trace/shape.h"

/* clang-format off */
static const char *const statements[] = { "tensor", "step", "phase", "repeat", "fusion" };
static const char *const headers[] = { "workload", "samples", "dtype", "param", "padding", "program",
                                       "provenance", "framework", "cyclotron-trace" };
/* clang-format on */
enum statement { TENSOR, STEP, PHASE, REPEAT, FUSION, N_STATEMENTS };

static struct reader_block *innermost_block(struct trace *t)
{
    return t->n_blocks ? &t->block[t->n_blocks - 1] : NULL;
}

static bool is_in_fusion(struct trace *t)
{
    return t->n_blocks && innermost_block(t)->kind == TRACE_ITEM_FUSION_BEGIN;
}

/* --- definitions and uses ----------------------------------------------------------------- */

/* Define a result.  A result that the open fusion lists has its id already. */
static int define_result(struct trace *t, const struct reader_result *r, uint32_t *id)
{
    struct scope_tensor *s = scope_find(&t->scope, r->name.s, id);
    bool listed = s && !s->defined && is_in_fusion(t) && *id >= innermost_block(t)->first_out;

    if (!listed && name_define(t, &r->name, id) != 0)
        return -1;
    s = scope_at(&t->scope, *id);
    s->line = t->lex.line;
    s->defined = true;
    s->tensor.shape = r->shape;
    s->tensor.role = r->role;
    s->tensor.placed = r->placed;
    s->tensor.at = r->at;
    s->root = r->placed ? scope_at(&t->scope, r->at.id)->root : *id;
    return 0;
}

/* --- operations --------------------------------------------------------------------------- */

/* Read "gradient" and "at %x" behind the shape of a result, or nothing. */
static int read_result_words(struct trace *t, struct reader_result *r)
{
    struct lex_text w;

    while (!lex_peek(&t->lex, ',') && !lex_peek(&t->lex, '=')) {
        if (lex_word(&t->lex, &w, "'gradient', 'at', ',' or '='") != 0)
            return -1;
        if (strcmp(w.s, "at") == 0 && !r->placed) {
            r->placed = true;
            if (name_use(t, &r->at, &r->at_at, NAME_ANY) != 0)
                return -1;
        } else if (strcmp(w.s, trace_role_name[TRACE_GRADIENT]) == 0 && !r->placed &&
                   r->role != TRACE_GRADIENT) {
            r->role = TRACE_GRADIENT;
        } else {
            return lex_fail(&t->lex, w.at, ERR_FORMAT,
                            "expected 'gradient', then 'at', ',' or '=', found '%.64s'", w.s);
        }
    }
    return 0;
}

static int read_results(struct trace *t)
{
    t->n_result = 0;
    do {
        MEMORY_GROW(t->result, t->n_result + 1, t->cap_result);
        struct reader_result *r = &t->result[t->n_result++];
        *r = (struct reader_result){ .role = TRACE_ACTIVATION };
        if (name_read(t, &r->name) != 0 || parse_shape(t, &r->shape) != 0)
            return -1;
        if (read_result_words(t, r) != 0)
            return -1;
    } while (lex_is(&t->lex, ','));
    return lex_expect(&t->lex, '=');
}

static void add_out(struct trace *t, uint32_t id, size_t at)
{
    uint32_t cap = t->cap_out;

    MEMORY_GROW(t->out, t->n_out + 1, t->cap_out);
    MEMORY_GROW(t->out_at, t->n_out + 1, cap);
    t->out[t->n_out].id = id;
    t->out_at[t->n_out++] = at;
}

static int read_operands(struct trace *t, enum name_want want)
{
    t->n_in = 0;
    if (lex_expect(&t->lex, '(') != 0)
        return -1;
    if (lex_is(&t->lex, ')'))
        return 0;
    do {
        if (name_operands(t, want) != 0)
            return -1;
    } while (lex_is(&t->lex, ','));
    return lex_expect(&t->lex, ')');
}

static int read_op(struct trace *t, struct trace_item *item, const struct lex_text *kind)
{
    struct trace_op *op = &item->op;
    uint32_t id;

    item->kind = TRACE_ITEM_OP;
    op->line = t->lex.line;
    t->kind_at = kind->at;
    if (reader_count(t, &t->n_all_ops, 1, t->limits.operations, "operations") != 0 ||
        rule_kind(t, kind, op) != 0)
        return -1;
    if (is_in_fusion(t) && !rule_fuses(op))
        return lex_fail(&t->lex, kind->at, ERR_FORMAT, "'%s' inside the fusion of line %" PRIu32,
                        kind->s, innermost_block(t)->line);
    if (op->kind == TRACE_KERNEL && op->async != TRACE_DONE)
        op->compiled = &t->kernel.stated;
    if (read_operands(t, op->async == TRACE_DONE ? NAME_HANDLE : NAME_TENSOR) != 0 ||
        attr_read(t, op, rule_attrs(op)) != 0 || lex_expect_end(&t->lex) != 0)
        return -1;
    t->n_out = 0;
    for (uint32_t i = 0; i < t->n_result; i++) {
        if (define_result(t, &t->result[i], &id) != 0)
            return -1;
        add_out(t, id, t->result[i].name.at);
    }
    op->in = t->in;
    op->n_in = t->n_in;
    op->out = t->out;
    op->n_out = t->n_out;
    op->name = name_of_turn(t, op->name);
    if (!op->name)
        op->name = op->n_out ? trace_tensor(t, op->out[0])->name : op->kind_text;
    item->name = op->name;
    innermost_block(t)->n_ops++;
    return rule_apply(t, op);
}

/* --- blocks ------------------------------------------------------------------------------- */

static int open_block(struct trace *t, struct trace_item *item, enum trace_item_kind kind)
{
    const struct reader_block *outer = innermost_block(t);
    uint64_t times = outer ? outer->times : 1;

    if (lex_expect(&t->lex, '{') != 0 || lex_expect_end(&t->lex) != 0)
        return -1;
    if (t->n_blocks == READER_DEPTH)
        return lex_fail(&t->lex, 0, ERR_RANGE, "more than %d blocks inside each other",
                        READER_DEPTH);
    if (kind == TRACE_ITEM_REPEAT_BEGIN && (!shape_mul(&times, item->count) || times > INT64_MAX))
        return lex_fail(&t->lex, 0, ERR_RANGE, "nested repeats of more than 2^63 rounds in all");
    item->kind = kind;
    t->block[t->n_blocks++] = (struct reader_block){
        .kind = kind, .line = t->lex.line, .height = t->scope.n, .times = times
    };
    return 0;
}

static void keep_text(char **kept, const char *text)
{
    free(*kept);
    *kept = memory_copy(text);
}

/* Keep the texts of a fusion until it ends. */
static void keep_fusion(struct trace *t, const struct trace_op *op)
{
    keep_text(&t->fusion_name, op->name);
    keep_text(&t->fusion_note, op->note);
    keep_text(&t->fusion_scope, op->scope);
    keep_text(&t->fusion_source, op->source);
}

static int open_fusion(struct trace *t, struct trace_item *item)
{
    struct trace_op *op = &item->op;
    uint32_t first = t->scope.n, id;
    struct lex_text name;

    *op = (struct trace_op){ .kind = TRACE_FUSION, .kind_text = "fusion", .line = t->lex.line };
    t->n_out = 0;
    while (t->n_out ? lex_is(&t->lex, ',') : lex_peek(&t->lex, '%')) {
        if (name_read(t, &name) != 0 || name_define(t, &name, &id) != 0)
            return -1;
        add_out(t, id, name.at);
    }
    if (attr_read(t, op, rule_attrs(op)) != 0 || open_block(t, item, TRACE_ITEM_FUSION_BEGIN) != 0)
        return -1;
    op->out = t->out;
    op->n_out = t->n_out;
    op->name = name_of_turn(t, op->name);
    if (!op->name)
        op->name = op->n_out ? trace_tensor(t, op->out[0])->name : op->kind_text;
    item->name = op->name;
    keep_fusion(t, op);
    innermost_block(t)->first_out = first;
    innermost_block(t)->n_out = op->n_out;
    innermost_block(t)->stage = op->stage;
    return op->stage == TRACE_NO_STAGE ? 0 : rule_stage_range(t, op->stage, 0, "stage");
}

static int close_fusion(struct trace *t, struct trace_item *item, const struct reader_block *b)
{
    if (b->n_ops == 0)
        return lex_fail(&t->lex, 0, ERR_FORMAT, "the fusion of line %" PRIu32 " has no operation",
                        b->line);
    t->n_out = 0;
    for (uint32_t i = 0; i < b->n_out; i++) {
        const struct scope_tensor *s = scope_at(&t->scope, b->first_out + i);
        if (!s->defined)
            return lex_fail(&t->lex, 0, ERR_FORMAT,
                            "the fusion of line %" PRIu32
                            " lists %%%.64s, but no operation in it defines it",
                            b->line, s->tensor.name);
        add_out(t, b->first_out + i, 0);
    }
    item->op = (struct trace_op){ .kind = TRACE_FUSION,
                                  .kind_text = "fusion",
                                  .name = t->fusion_name,
                                  .note = t->fusion_note,
                                  .scope = t->fusion_scope,
                                  .source = t->fusion_source,
                                  .out = t->out,
                                  .n_out = t->n_out,
                                  .stage = b->stage,
                                  .line = b->line };
    item->name = t->fusion_name;
    return 0;
}

static int close_block(struct trace *t, struct trace_item *item)
{
    const struct reader_block *b = innermost_block(t);

    if (!b)
        return lex_fail(&t->lex, t->lex.at - 1, ERR_FORMAT, "'}' without a block to close");
    if (lex_expect_end(&t->lex) != 0)
        return -1;
    for (uint32_t id = b->height; id < t->scope.n; id++) {
        const struct scope_tensor *s = scope_at(&t->scope, id);
        if (s->handle && s->start.first == id && !s->start.done)
            return lex_fail(&t->lex, 0, ERR_FORMAT,
                            "the block of line %" PRIu32
                            " ends before the start of %%%.64s (line %" PRIu32 ") has its done",
                            b->line, s->tensor.name, s->line);
    }
    item->count = 0;
    item->kind = b->kind == TRACE_ITEM_STEP_BEGIN     ? TRACE_ITEM_STEP_END
                 : b->kind == TRACE_ITEM_REPEAT_BEGIN ? TRACE_ITEM_REPEAT_END
                                                      : TRACE_ITEM_FUSION_END;
    if (b->kind == TRACE_ITEM_FUSION_BEGIN && close_fusion(t, item, b) != 0)
        return -1;
    scope_cut(&t->scope, b->height);
    t->n_blocks--;
    return 0;
}

/* True if the repeat at the cursor has an index: "l=1..12 {". */
static bool is_indexed(struct trace *t)
{
    return !lex_end(&t->lex) && plain_is_letter(t->lex.s[t->lex.at]);
}

/* Returns 1: no item. */
static int open_turns(struct trace *t)
{
    struct lex_text index;
    uint32_t first, last;

    if (t->turn.open)
        return lex_fail(&t->lex, t->lex.at, ERR_FORMAT,
                        "a repeat with an index inside another one (line %" PRIu32
                        "); a repeat without an index may hold or be in one",
                        t->turn.line);
    if (lex_word(&t->lex, &index, "an index") != 0 || lex_expect(&t->lex, '=') != 0 ||
        name_turns(t, &first, &last) != 0 || lex_expect(&t->lex, '{') != 0 ||
        lex_expect_end(&t->lex) != 0)
        return -1;
    for (size_t i = 0; i < index.n; i++)
        if (!plain_is_letter(index.s[i]))
            return lex_fail(&t->lex, index.at, ERR_FORMAT,
                            "'%.64s' is no index, expected letters, as in repeat l=1..12", index.s);
    turn_open(&t->turn, index.s, first, last, t->lex.line, t->n_blocks);
    return 1;
}

/* --- statements --------------------------------------------------------------------------- */

/* Read "stage=2", or nothing. */
static int read_stage(struct trace *t, uint64_t *stage)
{
    struct lex_text w;

    if (lex_end(&t->lex))
        return 0;
    if (lex_word(&t->lex, &w, "stage= or the end of the line") != 0)
        return -1;
    if (strcmp(w.s, "stage") != 0)
        return lex_fail(&t->lex, w.at, ERR_FORMAT,
                        "expected stage= or the end of the line, found '%.64s'", w.s);
    if (lex_expect(&t->lex, '=') != 0 || lex_int(&t->lex, stage, 0, INT64_MAX, "stage") != 0)
        return -1;
    return rule_stage_range(t, *stage, w.at, "stage");
}

static int read_tensor(struct trace *t, struct trace_item *item)
{
    struct trace_shape shape;
    struct lex_text name, w;
    enum trace_role role = 0;
    uint64_t stage = TRACE_NO_STAGE;

    if (name_read(t, &name) != 0 || parse_shape(t, &shape) != 0 ||
        lex_word(&t->lex, &w, "a role: input, weight, state or constant") != 0)
        return -1;
    while (role < TRACE_ACTIVATION && strcmp(w.s, trace_role_name[role]) != 0)
        role++;
    if (role == TRACE_ACTIVATION)
        return reader_unknown(t, &w, "role", trace_role_name, TRACE_ACTIVATION);
    if (read_stage(t, &stage) != 0 || lex_expect_end(&t->lex) != 0 ||
        name_define(t, &name, &item->value.id) != 0)
        return -1;
    struct scope_tensor *s = scope_at(&t->scope, item->value.id);
    s->tensor.stage = stage;
    s->defined = true;
    s->tensor.shape = shape;
    s->tensor.role = role;
    item->kind = TRACE_ITEM_TENSOR;
    item->name = s->tensor.name;
    return 0;
}

/* Fail if statement `s` must not stand here. */
static int check_place(struct trace *t, enum statement s, const struct lex_text *w)
{
    if (s == TENSOR && t->part != READER_TENSORS)
        return lex_fail(&t->lex, w->at, ERR_FORMAT, "'tensor' after the first step");
    if (s == STEP && (t->n_blocks > 0 || t->turn.open))
        return lex_fail(&t->lex, w->at, ERR_FORMAT, "'step' inside the block of line %" PRIu32,
                        t->n_blocks > 0 ? innermost_block(t)->line : t->turn.line);
    if (s == REPEAT && t->part == READER_TENSORS && is_indexed(t))
        return 0;
    if (s != TENSOR && s != STEP && t->n_blocks == 0)
        return lex_fail(&t->lex, w->at, ERR_FORMAT, "'%.64s' outside a step", w->s);
    if (s < N_STATEMENTS && is_in_fusion(t))
        return lex_fail(&t->lex, w->at, ERR_FORMAT, "'%.64s' inside the fusion of line %" PRIu32,
                        w->s, innermost_block(t)->line);
    return 0;
}

/* Read "step {", or "step every=100 {" of a step that runs once in a hundred steps. */
static int open_step(struct trace *t, struct trace_item *item)
{
    struct lex_text w;

    item->count = 0;
    if (reader_count(t, &t->n_all_steps, 1, t->limits.steps, "steps") != 0)
        return -1;
    if (!lex_peek(&t->lex, '{')) {
        if (lex_word(&t->lex, &w, "'{' or every=") != 0)
            return -1;
        if (strcmp(w.s, "every") != 0)
            return lex_fail(&t->lex, w.at, ERR_FORMAT, "expected '{' or every=, found '%.64s'",
                            w.s);
        if (lex_expect(&t->lex, '=') != 0 ||
            lex_int(&t->lex, &item->count, 1, UINT32_MAX, "every") != 0)
            return -1;
    }
    t->n_steps += item->count == 0;
    return open_block(t, item, TRACE_ITEM_STEP_BEGIN);
}

static int read_statement(struct trace *t, struct trace_item *item, enum statement s)
{
    struct lex_text w;

    switch (s) {
    case TENSOR: return read_tensor(t, item);
    case STEP: t->part = READER_STEPS; return open_step(t, item);
    case PHASE:
        if (lex_word(&t->lex, &w, "a name") != 0 || lex_expect_end(&t->lex) != 0)
            return -1;
        item->kind = TRACE_ITEM_PHASE;
        item->name = w.s;
        return 0;
    case REPEAT:
        if (is_indexed(t))
            return open_turns(t);
        if (lex_int(&t->lex, &item->count, 1, INT64_MAX, "repeat") != 0)
            return -1;
        return open_block(t, item, TRACE_ITEM_REPEAT_BEGIN);
    case FUSION: return open_fusion(t, item);
    case N_STATEMENTS: break;
    }
    return -1;
}

static int read_word(struct trace *t, struct trace_item *item)
{
    unsigned s = 0;
    struct lex_text w;

    if (lex_word(&t->lex, &w, "a statement") != 0)
        return -1;
    while (s < N_STATEMENTS && strcmp(w.s, statements[s]) != 0)
        s++;
    if (s == N_STATEMENTS && !lex_peek(&t->lex, '(')) {
        for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++)
            if (strcmp(w.s, headers[i]) == 0)
                return lex_fail(&t->lex, w.at, ERR_FORMAT, "'%s' after the header", w.s);
        return reader_unknown(t, &w, "statement", statements, N_STATEMENTS);
    }
    if (check_place(t, s, &w) != 0)
        return -1;
    t->n_result = 0;
    return s == N_STATEMENTS ? read_op(t, item, &w) : read_statement(t, item, s);
}

static int read_end(struct trace *t, struct trace_item *item)
{
    bool in_turn = t->turn.open && t->turn.depth == t->n_blocks;
    if (in_turn || t->n_blocks > 0)
        return lex_fail(&t->lex, 0, ERR_FORMAT,
                        "the trace ends inside the block of line %" PRIu32 ", expected '}'",
                        in_turn ? t->turn.line : t->block[t->n_blocks - 1].line);
    if (t->n_steps == 0)
        return lex_fail(&t->lex, 0, ERR_FORMAT, "the trace ends without a step");
    t->part = READER_END;
    item->kind = TRACE_ITEM_END;
    return 0;
}

static int close_turn(struct trace *t)
{
    if (lex_expect_end(&t->lex) != 0)
        return -1;
    turn_end(&t->turn);
    return 1;
}

/* Read one line: 0 and its item, or 1 if it has none. */
static int read_item(struct trace *t, struct trace_item *item, struct err *err)
{
    struct lex_text kind;
    int got = reader_line(t, err);

    *item = (struct trace_item){ .line = t->lex.line };
    if (got < 0)
        return -1;
    if (got == 0)
        return read_end(t, item);
    if (lex_is(&t->lex, '}'))
        return t->turn.open && t->turn.depth == t->n_blocks ? close_turn(t) : close_block(t, item);
    if (!lex_peek(&t->lex, '%'))
        return read_word(t, item);
    size_t at = t->lex.at;
    if (read_results(t) != 0 || lex_word(&t->lex, &kind, "an operation") != 0)
        return -1;
    if (t->n_blocks == 0)
        return lex_fail(&t->lex, at, ERR_FORMAT, "an operation outside a step");
    return read_op(t, item, &kind);
}

int parse_item(struct trace *t, struct trace_item *item, struct err *err)
{
    int rc;

    do
        rc = read_item(t, item, err);
    while (rc == 1);
    size_t n = rc < 0 ? strlen(err->msg) : 0;
    if (rc < 0 && t->turn.again)
        snprintf(err->msg + n, sizeof err->msg - n, " (turn %s=%" PRIu32 ")", t->turn.index,
                 t->turn.now);
    return rc;
}
