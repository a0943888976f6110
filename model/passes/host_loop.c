#include "passes/host_loop.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "trace/print.h"

#define ELEMENT_FS UINT64_C(1000000) /* 1 ns, as in traces/fc.c [unverified] */
#define FS_PER_S UINT64_C(1000000000000000)
#define MOST_ITEMS 1000 /* values that are read after a step */
#define VALUE "host.loop.value"
#define INPUT "host.loop.input"

/* --- options --------------------------------------------------------------------------------- */

enum key { ITEM, SHAPES, COMPILE, FALLBACK, ELEMENT, INPUT_BYTES, STORAGE, N_KEYS };
static const char *const key_name[N_KEYS] = { "item",         "shapes", "compile-time", "fallback",
                                              "element-time", "input",  "storage" };

/* Read a value of 1 at least, in units of 1 / `scale`. */
static int read_value(uint64_t *v, const char *text, const char *unit, uint64_t scale,
                      uint64_t most, struct err *err)
{
    EXACT_Q(q);
    EXACT_Z(whole);
    EXACT_Q(factor);

    if (*v)
        return err_set(err, ERR_FORMAT, "is given twice");
    if (quantity_parse(q, text, unit, err) != 0)
        return -1;
    mpq_set_ui(factor, scale, 1);
    mpq_mul(q, q, factor);
    exact_round(whole, q);
    if (mpz_sgn(whole) <= 0 || mpz_cmp_ui(whole, most) > 0)
        return err_set(err, ERR_RANGE, "'%.40s': outside its range", text);
    *v = mpz_get_ui(whole);
    return 0;
}

static int add_fallback(struct host_loop *h, const char *name, struct err *err)
{
    if (!*name)
        return err_set(err, ERR_FORMAT, "no name");
    if (h->n_fallback == HOST_LOOP_MOST)
        return err_set(err, ERR_RANGE, "more than %d names; one may have * and ?", HOST_LOOP_MOST);
    h->fallback[h->n_fallback++] = name;
    return 0;
}

static int add_input(struct host_loop *h, const char *value, struct err *err)
{
    if (h->input_auto)
        return err_set(err, ERR_FORMAT, "is given twice");
    if (strcmp(value, "auto") != 0)
        return read_value(&h->input, value, "B", 1, UINT64_C(1) << 50, err);
    h->input_auto = true;
    return h->input ? err_set(err, ERR_FORMAT, "is given twice") : 0;
}

int host_loop_add(struct host_loop *h, const char *text, struct err *err)
{
    const char *eq = strchr(text, '=');
    size_t n = eq ? (size_t)(eq - text) : strlen(text);
    int k = 0, rc;

    while (k < N_KEYS && (strlen(key_name[k]) != n || strncmp(key_name[k], text, n) != 0))
        k++;
    if (k == N_KEYS || !eq) {
        char *word = memory_copy_part(text, n);
        const char *near = k == N_KEYS ? err_nearest(word, key_name, N_KEYS) : NULL;
        free(word);
        return err_set(err, eq ? ERR_UNKNOWN : ERR_FORMAT,
                       "'%.60s': expected item=N, shapes=N, compile-time=TIME, fallback=NAME, "
                       "element-time=TIME, input=BYTES or storage=BYTES%s%s%s",
                       text, near ? "; did you mean " : "", near ? near : "", near ? "=?" : "");
    }
    const char *value = eq + 1;
    if (k == FALLBACK)
        rc = add_fallback(h, value, err);
    else if (k == INPUT_BYTES)
        rc = add_input(h, value, err);
    else if (k == ELEMENT || k == COMPILE)
        rc = read_value(k == ELEMENT ? &h->element_fs : &h->compile_fs, value, "s", FS_PER_S,
                        3600 * FS_PER_S, err);
    else
        rc = read_value(k == ITEM     ? &h->items
                        : k == SHAPES ? &h->shapes
                                      : &h->storage,
                        value, k == STORAGE ? "B" : "", 1,
                        k == ITEM ? MOST_ITEMS : UINT64_C(1) << 50, err);
    return rc == 0 ? 0 : err_at(err, "%s", key_name[k]);
}

bool host_loop_any(const struct host_loop *h)
{
    return h->items || h->shapes || h->input || h->input_auto || h->n_fallback || h->storage ||
           h->element_fs || h->compile_fs;
}

char *host_loop_text(const struct host_loop *h)
{
    struct memory_text t;
    const char *comma = "";

    memory_text_begin(&t);
    const uint64_t count[] = { h->items, h->shapes, h->input, h->storage };
    static const char *const name[] = { "item", "shapes", "input", "storage" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (count[i]) {
            fprintf(t.out, "%s%s=%" PRIu64, comma, name[i], count[i]);
            comma = ", ";
        }
    if (h->input_auto)
        fprintf(t.out, "%sinput=auto", comma);
    for (size_t i = 0; i < h->n_fallback; i++)
        fprintf(t.out, "%sfallback=%s", i || h->input_auto ? ", " : comma, h->fallback[i]);
    return memory_text_end(&t);
}

/* --- reading: what is in the trace ----------------------------------------------------------- */

struct scan {
    const struct host_loop *h;
    struct trace *t;
    uint64_t host_cores, input;
    uint64_t kernels; /* of the steps that run each time */
    bool *falls;      /* by the number of a top-level node: it runs on the host */
    uint32_t n_nodes, cap_nodes;
    bool found[HOST_LOOP_MOST], in_fusion, infeed, rare;
    char *product; /* in the fusion that is open, or NULL */
    char **name;   /* of operations, for messages */
    size_t n_names;
};

/* The pattern of --host that names it, or NULL; notes that it was found. */
static const char *find_pattern(struct scan *s, const char *name)
{
    const char *pattern = NULL;

    for (size_t i = 0; i < s->h->n_fallback; i++)
        if (fnmatch(s->h->fallback[i], name, 0) == 0) {
            s->found[i] = true;
            pattern = s->h->fallback[i];
        }
    return pattern;
}

/* A CPU has nothing to compute in moves of data between cores or to the host. */
static bool has_work(const struct trace_op *op)
{
    return op->async == TRACE_SYNC && (trace_is_computed(op->kind) || op->kind == TRACE_KERNEL ||
                                       op->kind == TRACE_UNKNOWN || op->kind == TRACE_FUSION);
}

static bool is_product(const struct trace_op *op)
{
    return trace_is_gemm(op->kind) || (op->compiled && trace_has_product(op->compiled));
}

static int check_work(const struct scan *s, const struct trace_op *op, struct err *err)
{
    const char *product = is_product(op) ? op->name : s->product;

    if (has_work(op) && !product)
        return 0;
    return err_set(err, ERR_FIT, "%s:%" PRIu32 ": fallback: %s is %s", trace_file(s->t), op->line,
                   product ? product : op->name,
                   product ? "a matrix product, whose time on a CPU does not follow from its "
                             "elements; write a `host` with time= into the trace (--dump=load)"
                           : "no work that a CPU could do");
}

static int scan_op(struct scan *s, const struct trace_op *op, struct err *err)
{
    bool named = s->h->n_fallback && find_pattern(s, op->name);

    if (s->h->n_fallback) {
        MEMORY_ADD(s->name, s->n_names);
        s->name[s->n_names++] = memory_copy(op->name);
    }
    s->infeed = s->infeed || op->kind == TRACE_INFEED;
    if (op->kind == TRACE_FUSION) /* its end has its name too */
        s->in_fusion = true;
    if (!s->in_fusion || op->kind == TRACE_FUSION) {
        MEMORY_GROW(s->falls, s->n_nodes + 1, s->cap_nodes);
        s->falls[s->n_nodes++] = false;
        s->kernels += !s->rare;
    }
    s->falls[s->n_nodes - 1] |= named;
    if (s->in_fusion && is_product(op) && !s->product)
        s->product = memory_copy(op->name);
    return named && op->kind != TRACE_FUSION ? check_work(s, op, err) : 0;
}

/* A fusion that falls back must have no product, before the member that was named or behind it. */
static int end_fusion(struct scan *s, const struct trace_op *op, struct err *err)
{
    int rc = s->falls[s->n_nodes - 1] ? check_work(s, op, err) : 0;

    s->in_fusion = false;
    free(s->product);
    s->product = NULL;
    return rc;
}

static int scan_item(struct scan *s, const struct trace_item *item, struct err *err)
{
    const struct trace_tensor *v;

    switch (item->kind) {
    case TRACE_ITEM_TENSOR:
        v = trace_tensor(s->t, item->value);
        s->input += v->role == TRACE_INPUT ? trace_bytes(&v->shape) : 0;
        return 0;
    case TRACE_ITEM_STEP_BEGIN: s->rare = item->count > 1; return 0;
    case TRACE_ITEM_OP:
    case TRACE_ITEM_FUSION_BEGIN: return scan_op(s, &item->op, err);
    case TRACE_ITEM_FUSION_END: return end_fusion(s, &item->op, err);
    default: return 0;
    }
}

static int check_scan(struct scan *s, struct err *err)
{
    const char *file = trace_file(s->t);

    for (size_t i = 0; i < s->h->n_fallback; i++) {
        if (s->found[i])
            continue;
        const char *near =
            err_nearest(s->h->fallback[i], (const char *const *)s->name, (unsigned)s->n_names);
        return err_set(err, ERR_UNKNOWN, "%s: fallback=%s: no operation has that name%s%s%s", file,
                       s->h->fallback[i], near ? "; did you mean " : "", near ? near : "",
                       near ? "?" : "");
    }
    if (s->h->element_fs && !s->h->n_fallback)
        return err_set(err, ERR_FORMAT, "element-time without fallback=NAME");
    if (s->h->compile_fs && !s->h->shapes)
        return err_set(err, ERR_FORMAT, "compile-time without shapes=N");
    bool fed = s->h->input || s->h->input_auto;
    if (s->h->storage && !fed)
        return err_set(err, ERR_FORMAT, "storage without input=BYTES");
    if (fed && s->infeed)
        return err_set(
            err, ERR_FIT,
            "%s: input: it has an infeed, whose reads= and bytes= say what the host does", file);
    if (s->h->input_auto && !s->input)
        return err_set(err, ERR_FIT,
                       "%s: input=auto: no tensor of it is an input: say input=BYTES of a core's "
                       "batch",
                       file);
    return 0;
}

/* --- writing --------------------------------------------------------------------------------- */

struct writer {
    struct scan *s;
    FILE *out;
    uint32_t node; /* the next top-level one */
    uint32_t depth;
    bool begun;    /* a step: tensors are over */
    bool read;     /* the host has read its values in this step */
    bool rare;     /* the step runs once in several */
    bool dropping; /* a fusion that runs on the host */
    uint64_t elements;
    uint32_t *in, n_in; /* its operands, then what it makes */
    uint32_t *made, n_made;
};

static uint32_t add_id(uint32_t **ids, uint32_t n, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++)
        if ((*ids)[i] == id)
            return n;
    MEMORY_ADD(*ids, n);
    (*ids)[n] = id;
    return n + 1;
}

static bool has_id(const uint32_t *ids, uint32_t n, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Elements that a CPU goes through: its results', or those that it updates in place. */
static uint64_t elements_of(const struct trace *t, const struct trace_op *op)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < op->n_out; i++)
        n += trace_elements(&trace_tensor(t, op->out[i])->shape);
    for (uint32_t i = 0; i < op->n_in; i++) {
        uint64_t of_in = trace_elements(&trace_tensor(t, op->in[i])->shape);
        n = of_in > n && (op->n_out == 0 || op->kind == TRACE_REDUCE) ? of_in : n;
    }
    return n;
}

static void drop_op(struct writer *w, const struct trace_op *op)
{
    w->elements += elements_of(w->s->t, op);
    for (uint32_t i = 0; i < op->n_in; i++)
        if (!has_id(w->made, w->n_made, op->in[i].id))
            w->n_in = add_id(&w->in, w->n_in, op->in[i].id);
    if (op->has_bias && !has_id(w->made, w->n_made, op->bias.id))
        w->n_in = add_id(&w->in, w->n_in, op->bias.id);
    for (uint32_t i = 0; i < op->n_out; i++)
        w->n_made = add_id(&w->made, w->n_made, op->out[i].id);
}

/* The line that takes the place of what was dropped; `op` says its results. */
static void write_host(struct writer *w, const struct trace_op *op)
{
    const struct trace *t = w->s->t;
    uint64_t fs = w->s->h->element_fs ? w->s->h->element_fs : ELEMENT_FS;

    print_indent(w->depth, w->out);
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_tensor *r = trace_tensor(t, op->out[i]);
        print_result(i == 0, r->name, &r->shape, r->role == TRACE_GRADIENT, w->out);
        if (r->placed)
            print_place(trace_tensor(t, r->at)->name, w->out);
    }
    print_kind(op->n_out > 0, "host", w->out);
    for (uint32_t i = 0; i < w->n_in; i++)
        print_name(i == 0, trace_tensor(t, (struct trace_value){ w->in[i] })->name, w->out);
    fputs(") name=", w->out);
    print_string(op->name, w->out);
    fprintf(w->out, " items=%" PRIu64 " item-time=\"%" PRIu64 " fs\" fallback=1%s\n",
            w->elements * w->s->host_cores, fs,
            w->s->h->element_fs ? "" : " note=\"[unverified]\"");
    w->elements = 0;
    w->n_in = w->n_made = 0;
    w->dropping = false;
}

/* The host reads a value that is there, once all before it is done. */
static void write_reads(struct writer *w)
{
    if (w->read || w->rare)
        return;
    w->read = true;
    if (w->s->h->items)
        print_phase(w->depth, "host", w->out);
    for (uint64_t i = 0; i < w->s->h->items; i++) {
        print_indent(w->depth, w->out);
        fputs("outfeed(%" VALUE ") name=\"host.item\" sync=1\n", w->out);
    }
}

static void begin_step(struct writer *w, const struct trace_item *item)
{
    const struct host_loop *h = w->s->h;
    uint64_t input = h->input ? h->input : h->input_auto ? w->s->input : 0;

    if (!w->begun && h->items)
        fputs("tensor %" VALUE " f32[] state\n", w->out);
    w->begun = true;
    w->rare = item->count > 1;
    w->read = false;
    trace_print(w->s->t, item, w->out);
    w->depth = 1;
    if (!input || w->rare)
        return;
    print_indent(1, w->out);
    fprintf(w->out, "%%" INPUT " u8[%" PRIu64 "] = infeed() name=\"host.input\" reads=%" PRIu64,
            input, input);
    if (h->storage)
        fprintf(w->out, " bytes=%" PRIu64, h->storage);
    putc('\n', w->out);
}

static void write_op(struct writer *w, const struct trace_item *item)
{
    bool falls = !w->s->in_fusion && w->s->falls[w->node];

    if (item->op.kind == TRACE_RETURN && w->depth == 1)
        write_reads(w);
    w->node += !w->s->in_fusion;
    if (w->dropping || falls)
        drop_op(w, &item->op);
    if (falls)
        write_host(w, &item->op);
    else if (!w->dropping)
        trace_print(w->s->t, item, w->out);
}

static void write_item(struct writer *w, const struct trace_item *item)
{
    switch (item->kind) {
    case TRACE_ITEM_STEP_BEGIN: begin_step(w, item); return;
    case TRACE_ITEM_STEP_END: write_reads(w); break;
    case TRACE_ITEM_OP: write_op(w, item); return;
    case TRACE_ITEM_FUSION_BEGIN:
        w->s->in_fusion = true;
        w->dropping = w->s->falls[w->node++];
        if (w->dropping)
            return;
        break;
    case TRACE_ITEM_FUSION_END:
        w->s->in_fusion = false;
        if (w->dropping) {
            write_host(w, &item->op);
            return;
        }
        break;
    case TRACE_ITEM_REPEAT_BEGIN: w->depth++; break;
    case TRACE_ITEM_REPEAT_END: w->depth--; break;
    default: break;
    }
    trace_print(w->s->t, item, w->out);
}

/* Once in so many steps all operations are compiled again. */
static void write_compile(const struct scan *s, FILE *out)
{
    if (!s->h->shapes)
        return;
    print_step(s->h->shapes, out);
    print_phase(1, "compile", out);
    if (s->h->compile_fs)
        fprintf(out, "  host() name=\"host.compile\" time=\"%" PRIu64 " fs\"\n", s->h->compile_fs);
    else
        fprintf(out, "  compile() name=\"host.compile\" items=%" PRIu64 "\n", s->kernels);
    print_close(0, out);
}

static int scan_trace(struct scan *s, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    int rc = 0;

    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(s->t, &item, err);
        if (rc == 0)
            rc = scan_item(s, &item, err);
    }
    return rc == 0 ? check_scan(s, err) : rc;
}

int host_loop_write(struct trace *t, const struct host_loop *h, uint64_t host_cores, FILE *out,
                    struct err *err)
{
    struct scan s = { .h = h, .t = t, .host_cores = host_cores };
    struct writer w = { .s = &s, .out = out };
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };

    int rc = trace_rewind(t, err);
    if (rc == 0)
        rc = scan_trace(&s, err);
    if (rc == 0)
        rc = trace_rewind(t, err);
    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            write_item(&w, &item);
    }
    if (rc == 0)
        write_compile(&s, out);
    for (size_t i = 0; i < s.n_names; i++)
        free(s.name[i]);
    free(s.name);
    free(s.product);
    free(s.falls);
    free(w.in);
    free(w.made);
    return rc;
}
