#include "report/text/inventory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/quantity.h"
#include "report/scale.h"
#include "report/write.h"

/* An open block: how often it runs in all, and the phase that holds in it. */
struct block {
    uint64_t times;
    size_t phase; /* NO_PHASE: not looked up yet */
    char *name;
};

struct walk {
    struct inventory *v;
    void *tree; /* struct key, by name */
    struct block *block;
    size_t n_blocks, cap_phases;
};

struct key {
    char *name;
    size_t phase;
};

#define NO_PHASE SIZE_MAX

static int by_name(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static char *copy(const char *s)
{
    char *text = strdup(s);
    BUG_ON(!text);
    return text;
}

static size_t find_phase(struct walk *w, const char *name)
{
    struct inventory *v = w->v;
    struct key *key = malloc(sizeof *key);

    BUG_ON(!key);
    *key = (struct key){ copy(name), v->n_phases };
    struct key **found = tsearch(key, &w->tree, by_name);
    BUG_ON(!found);
    if (*found != key) {
        free(key->name);
        free(key);
        return (*found)->phase;
    }
    if (v->n_phases == w->cap_phases) {
        w->cap_phases = 2 * w->cap_phases + 8;
        v->phases = realloc(v->phases, w->cap_phases * sizeof *v->phases);
        BUG_ON(!v->phases);
    }
    struct inventory_phase *p = &v->phases[v->n_phases];
    p->name = copy(name);
    p->ops = 0;
    mpz_inits(p->flops, p->bytes, NULL);
    return v->n_phases++;
}

static void free_key(void *key)
{
    free(((struct key *)key)->name);
    free(key);
}

static void open_block(struct walk *w, uint64_t count)
{
    w->block = realloc(w->block, (w->n_blocks + 1) * sizeof *w->block);
    BUG_ON(!w->block);
    struct block *b = &w->block[w->n_blocks];
    if (w->n_blocks == 0) {
        *b = (struct block){ count, NO_PHASE, copy("") };
    } else {
        const struct block *outer = b - 1;
        *b = (struct block){ outer->times * count, outer->phase, copy(outer->name) };
    }
    w->n_blocks++;
}

static void close_block(struct walk *w)
{
    free(w->block[--w->n_blocks].name);
}

static void add_op(struct walk *w, const struct trace_op *op)
{
    struct block *b = &w->block[w->n_blocks - 1];

    if (b->phase == NO_PHASE)
        b->phase = find_phase(w, b->name);
    struct inventory_phase *p = &w->v->phases[b->phase];
    p->ops += b->times;
    exact_addmul(p->flops, op->flops, b->times);
    switch (op->kind) {
    case TRACE_ALL_REDUCE:
    case TRACE_REDUCE_SCATTER:
    case TRACE_ALL_GATHER:
    case TRACE_ALL_TO_ALL:
    case TRACE_PERMUTE:
    case TRACE_BROADCAST:
    case TRACE_SEND:
    case TRACE_INFEED:
    case TRACE_OUTFEED:
        /* what moves is counted where it starts to move */
        exact_addmul(p->bytes, op->async == TRACE_DONE ? 0 : op->payload, b->times);
        return;
    default:
        exact_addmul(p->bytes, op->reads, b->times);
        exact_addmul(p->bytes, op->writes, b->times);
        return;
    }
}

static void add(struct walk *w, const struct trace_item *item)
{
    switch (item->kind) {
    case TRACE_ITEM_STEP_BEGIN:
    case TRACE_ITEM_FUSION_BEGIN: open_block(w, 1); return;
    case TRACE_ITEM_REPEAT_BEGIN: open_block(w, item->count); return;
    case TRACE_ITEM_STEP_END:
    case TRACE_ITEM_FUSION_END:
    case TRACE_ITEM_REPEAT_END: close_block(w); return;
    case TRACE_ITEM_PHASE: {
        struct block *b = &w->block[w->n_blocks - 1];
        free(b->name);
        b->name = copy(item->name);
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
            add(&w, &item);
    }
    while (w.n_blocks > 0)
        close_block(&w);
    free(w.block);
    tdestroy(w.tree, free_key);
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

/* The exact number, and in brackets the same for people. */
static void quantity(const char *name, const mpz_t z, const char *unit, FILE *out)
{
    struct scale s;
    char bytes[256];

    fprintf(out, "%-22s", name);
    mpz_out_str(out, 10, z);
    fprintf(out, " %s", unit);
    if (mpz_cmp_ui(z, 1000) >= 0 && strcmp(unit, "B") == 0) {
        EXACT_Q(q);
        mpq_set_z(q, z);
        fprintf(out, " (%s)", quantity_format(bytes, sizeof bytes, q, unit, 4));
    } else if (mpz_cmp_ui(z, 1000) >= 0) {
        scale_init_mpz(&s, z, unit);
        fputs(" (", out);
        scale_write_mpz(z, &s, 0, out);
        fprintf(out, " %s)", s.unit);
        scale_clear(&s);
    }
    putc('\n', out);
}

static void count(const char *name, uint64_t n, FILE *out)
{
    fprintf(out, "%-22s%llu\n", name, (unsigned long long)n);
}

static void header_text(const struct trace_header *h, FILE *out)
{
    fprintf(out, "%-22s", "workload");
    write_column(h->workload, (unsigned)strlen(h->workload), out);
    putc('\n', out);
    count("samples per step", h->samples_per_step, out);
    if (h->samples_per_epoch > 0)
        count("samples per epoch", h->samples_per_epoch, out);
    else
        fprintf(out, "%-22s%s\n", "samples per epoch", "unknown");
    fprintf(out, "%-22stensors %s, matmul %s, activations %s\n", "dtypes",
            trace_dtype_name[h->tensors], trace_dtype_name[h->matmul],
            h->narrow_activations ? "narrow" : "keep");
    for (uint32_t i = 0; i < h->n_params; i++)
        fprintf(out, "%-22s%s=%s\n", i == 0 ? "parameters given" : "", h->param[i].key,
                h->param[i].value);
    if (h->provenance[0] != '\0')
        fprintf(out, "%-22s%s\n", "provenance", h->provenance);
}

static void phases_text(const struct inventory *v, FILE *out)
{
    struct scale flops, bytes;

    EXACT_Z(most);
    for (size_t i = 0; i < v->n_phases; i++)
        mpz_set(most, mpz_cmp(v->phases[i].flops, most) > 0 ? v->phases[i].flops : most);
    scale_init_mpz(&flops, most, "FLOP");
    mpz_set_ui(most, 0);
    for (size_t i = 0; i < v->n_phases; i++)
        mpz_set(most, mpz_cmp(v->phases[i].bytes, most) > 0 ? v->phases[i].bytes : most);
    scale_init_mpz(&bytes, most, "B");

    char head[32];
    snprintf(head, sizeof head, "logical %s", bytes.unit);
    fprintf(out, "\n%-30s%12s%16s%16s\n", "phase", "ops", flops.unit, head);
    for (size_t i = 0; i < v->n_phases; i++) {
        const struct inventory_phase *p = &v->phases[i];
        write_column(p->name[0] ? p->name : "(none)", 30, out);
        fprintf(out, "%12llu", (unsigned long long)p->ops);
        scale_write_mpz(p->flops, &flops, 16, out);
        scale_write_mpz(p->bytes, &bytes, 16, out);
        putc('\n', out);
    }
    scale_clear(&flops);
    scale_clear(&bytes);
}

void inventory_text(const struct inventory *v, const struct trace *t, FILE *out)
{
    const struct trace_totals *s = &v->totals;

    header_text(trace_head(t), out);
    fprintf(out, "%-22s%016llx\n", "checksum", (unsigned long long)v->checksum);
    putc('\n', out);
    count("steps", s->steps, out);
    fprintf(out, "%-22s%llu run in ", "operations", (unsigned long long)s->ops);
    if (s->steps == 1)
        fputs("a step", out);
    else
        fprintf(out, "%llu steps", (unsigned long long)s->steps);
    fprintf(out, ", %llu line%s in the trace\n", (unsigned long long)s->ops_written,
            s->ops_written == 1 ? "" : "s");
    count("fusions", s->fusions, out);
    quantity("useful work", s->flops, "FLOP", out);
    quantity("logical reads", s->reads, "B", out);
    quantity("logical writes", s->writes, "B", out);
    quantity("collective payload", s->reduce_bytes, "B", out);
    quantity("infeed", s->infeed_bytes, "B", out);
    quantity("outfeed", s->outfeed_bytes, "B", out);
    fprintf(out, "%-22s", "parameters");
    mpz_out_str(out, 10, s->parameters);
    putc('\n', out);
    quantity("weights", s->weight_bytes, "B", out);
    quantity("optimizer state", s->state_bytes, "B", out);
    quantity("inputs", s->input_bytes, "B", out);

    phases_text(v, out);
}

static void json_whole(const char *key, const mpz_t z, FILE *out)
{
    fprintf(out, ", \"%s\": ", key);
    mpz_out_str(out, 10, z);
}

static void json_header(const struct trace_header *h, FILE *out)
{
    fputs("  \"workload\": ", out);
    write_json_string(h->workload, out);
    fprintf(out, ",\n  \"samples_per_step\": %llu,\n", (unsigned long long)h->samples_per_step);
    if (h->samples_per_epoch > 0)
        fprintf(out, "  \"samples_per_epoch\": %llu,\n", (unsigned long long)h->samples_per_epoch);
    else
        fputs("  \"samples_per_epoch\": null,\n", out);
    fprintf(out, "  \"dtype\": {\"tensors\": \"%s\", \"matmul\": \"%s\", \"activations\": \"%s\"}",
            trace_dtype_name[h->tensors], trace_dtype_name[h->matmul],
            h->narrow_activations ? "narrow" : "keep");
    fputs(",\n  \"params\": {", out);
    for (uint32_t i = 0; i < h->n_params; i++) {
        fputs(i ? ", " : "", out);
        write_json_string(h->param[i].key, out);
        fputs(": ", out);
        write_json_string(h->param[i].value, out);
    }
    fputs("},\n  \"provenance\": ", out);
    write_json_string(h->provenance, out);
}

void inventory_json(const struct inventory *v, const struct trace *t, FILE *out)
{
    const struct trace_totals *s = &v->totals;

    fputs("{\n  \"trace\": ", out);
    write_json_string(trace_file(t), out);
    fputs(",\n", out);
    json_header(trace_head(t), out);
    fprintf(out, ",\n  \"checksum\": \"%016llx\"", (unsigned long long)v->checksum);
    fprintf(out, ",\n  \"totals\": {\"steps\": %llu, \"ops\": %llu, \"ops_written\": %llu",
            (unsigned long long)s->steps, (unsigned long long)s->ops,
            (unsigned long long)s->ops_written);
    fprintf(out, ", \"fusions\": %llu", (unsigned long long)s->fusions);
    json_whole("flops", s->flops, out);
    json_whole("reads", s->reads, out);
    json_whole("writes", s->writes, out);
    json_whole("collective_bytes", s->reduce_bytes, out);
    json_whole("infeed_bytes", s->infeed_bytes, out);
    json_whole("outfeed_bytes", s->outfeed_bytes, out);
    json_whole("parameters", s->parameters, out);
    json_whole("weight_bytes", s->weight_bytes, out);
    json_whole("state_bytes", s->state_bytes, out);
    json_whole("input_bytes", s->input_bytes, out);
    fputs("},\n  \"phases\": [", out);
    for (size_t i = 0; i < v->n_phases; i++) {
        const struct inventory_phase *p = &v->phases[i];
        fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
        write_json_string(p->name, out);
        fprintf(out, ", \"ops\": %llu", (unsigned long long)p->ops);
        json_whole("flops", p->flops, out);
        json_whole("bytes", p->bytes, out);
        putc('}', out);
    }
    fputs("\n  ]\n}\n", out);
}
