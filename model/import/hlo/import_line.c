/* import_line.c - lines of a trace: names, shapes with layouts, attributes in canonical order. */
#include <inttypes.h>
#include <string.h>

#include "import/hlo/import_escape.h"
#include "import/hlo/import_impl.h"
#include "trace/trace.h"

#define MAX_NAME 900   /* of an instruction; the number of a leaf and of a scope follow */
#define MAX_SCOPE 1000 /* a profile has both whole, and kernels are paired by them */

void import_line_indent(const struct importing *im)
{
    for (uint32_t k = 0; k < im->depth; k++)
        fputs("  ", im->out);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_.+-", c) != NULL);
}

/* Words of traces hold more than those of HLO: ":" before a leaf, "/" before a scope. */
void import_line_name(const struct importing *im, uint32_t v)
{
    const struct import_value *x = &im->value[v];
    uint32_t n = x->name.size < MAX_NAME ? x->name.size : MAX_NAME;

    putc('%', im->out);
    for (uint32_t k = 0; k < n; k++)
        putc(is_word(x->name.at[k]) ? x->name.at[k] : '_', im->out);
    if (x->leaf != IMPORT_NONE)
        fprintf(im->out, ":%" PRIu32, x->leaf);
    if (x->suffix || n < x->name.size)
        fprintf(im->out, "/%" PRIu32, n < x->name.size ? v : x->suffix);
}

static void print_layout(FILE *out, const struct hlo_shape *s)
{
    const struct hlo_layout *l = &s->layout;
    bool plain = l->n_tiles == 0 && l->space == 0 && l->bits == 0;

    if (!l->given)
        return;
    for (uint32_t k = 0; k < s->rank && l->minor_first; k++)
        plain &= l->minor_first[k] == s->rank - 1 - k;
    if (plain)
        return;
    putc('{', out);
    for (uint32_t k = 0; k < s->rank && l->minor_first; k++)
        fprintf(out, "%s%" PRIu32, k ? "," : "", l->minor_first[k]);
    if (l->n_tiles || l->space || l->bits)
        putc(':', out);
    for (uint32_t t = 0; t < l->n_tiles; t++) {
        fputs(t ? "(" : "T(", out);
        for (uint32_t k = 0; k < l->tile[t].rank; k++) {
            if (k)
                putc(',', out);
            if (l->tile[t].dim[k])
                fprintf(out, "%" PRIu64, l->tile[t].dim[k]);
            else
                putc('*', out);
        }
        putc(')', out);
    }
    if (l->space)
        fprintf(out, "S(%u)", (unsigned)l->space);
    if (l->bits)
        fprintf(out, "E(%u)", (unsigned)l->bits);
    putc('}', out);
}

void import_line_shape(FILE *out, const struct hlo_shape *s)
{
    if (s->rank > TRACE_MAX_RANK) {
        fprintf(out, "u8[%" PRIu64 "]", hlo_bytes(s));
        if (s->layout.space)
            fprintf(out, "{0:S(%u)}", (unsigned)s->layout.space);
        return;
    }
    fprintf(out, "%s[", hlo_dtype_name[s->dtype]);
    for (uint32_t k = 0; k < s->rank; k++)
        fprintf(out, "%s%" PRIu64, k ? "," : "", s->dim[k]);
    putc(']', out);
    print_layout(out, s);
}

static void print_letter(FILE *out, char c)
{
    putc((unsigned char)c < ' ' || c == 127 ? '?' : c, out);
}

/* In quotes; at most `most` bytes of it.  HLO escapes quotes as C does. */
void import_line_text(FILE *out, struct hlo_text t, uint32_t most)
{
    putc('"', out);
    for (uint32_t k = 0, n = 0; k < t.size && n < most; k++, n++) {
        char c = t.at[k];
        uint32_t escape = import_escape_print(out, t.at + k, t.at + t.size);
        if (escape) {
            k += escape - 1;
            continue;
        }
        if (c == '\\' && k + 1 < t.size)
            c = t.at[++k];
        if (c == '"' || c == '\\')
            putc('\\', out);
        print_letter(out, c);
    }
    putc('"', out);
}

/* A value that the text of the module calls by other dimensions than its source. */
static void print_other_shape(struct importing *im, const struct import_value *x)
{
    const struct hlo_shape *s = x->like ? x->like : x->shape;

    fprintf(im->out, "%s[", hlo_dtype_name[s->dtype]);
    if (x->flat)
        fprintf(im->out, "%" PRIu64, x->flat);
    for (uint32_t k = 0; !x->flat && k < s->rank; k++)
        fprintf(im->out, "%s%" PRIu64, k ? "," : "", s->dim[k]);
    putc(']', im->out);
    if (x->shape->layout.space == 0)
        return;
    putc('{', im->out);
    for (uint32_t k = x->flat ? 1 : s->rank; k-- > 0;)
        fprintf(im->out, "%" PRIu32 "%s", k, k ? "," : "");
    fprintf(im->out, ":S(%u)}", (unsigned)x->shape->layout.space);
}

static void print_value(struct importing *im, uint32_t v)
{
    const struct import_value *x = &im->value[v];

    import_line_name(im, v);
    putc(' ', im->out);
    if (x->kind == IMPORT_HANDLE)
        fputs("u32[]", im->out);
    else if (x->like || x->flat)
        print_other_shape(im, x);
    else
        import_line_shape(im->out, x->shape);
    if (x->gradient)
        fputs(" gradient", im->out);
    if (x->at) {
        fputs(" at ", im->out);
        import_line_name(im, x->at);
    }
}

/* Two results of one line are not in one place. */
static void part_places(struct importing *im, const uint32_t *result, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (result[k] == 0)
            continue;
        struct import_value *x = &im->value[result[k]];
        struct import_value *root = &im->value[import_value_root(im, result[k])];
        if (root->line == im->line && x->at) {
            x->at = x->root = 0;
            root = x;
        }
        root->line = im->line;
    }
}

void import_line_begin(struct importing *im, const uint32_t *result, uint32_t n, const char *kind,
                       const uint32_t *operand, uint32_t n_operands)
{
    size_t length = strlen(kind);
    bool first = true, start = length > 6 && strcmp(kind + length - 6, "-start") == 0;

    for (uint32_t k = 0; k < n; k++)
        if (import_value_root(im, result[k]) != result[k])
            import_emit_buffer(im, result[k]);
    im->line++;
    part_places(im, result, n);
    import_line_indent(im);
    for (uint32_t k = 0; k < n; k++) {
        if (result[k] == 0)
            continue;
        im->value[result[k]].defined = true;
        im->value[result[k]].begun = start;
        fputs(first ? "" : ", ", im->out);
        print_value(im, result[k]);
        first = false;
    }
    fprintf(im->out, "%s%s(", first ? "" : " = ", kind);
    first = true;
    for (uint32_t k = 0; k < n_operands; k++) {
        if (operand[k] == 0)
            continue;
        fputs(first ? "" : ", ", im->out);
        import_line_name(im, operand[k]);
        first = false;
    }
    putc(')', im->out);
}

static struct hlo_text strip_quotes(struct hlo_text t)
{
    if (t.size >= 2 && t.at[0] == '"')
        t = (struct hlo_text){ t.at + 1, t.size - 2 };
    return t;
}

static void print_basis(FILE *out, uint32_t basis)
{
    const char *before = " basis=";

    for (unsigned b = 0; b < TRACE_N_BASES; b++)
        if (basis >> b & 1) {
            fprintf(out, "%s%s", before, trace_basis_name[b]);
            before = "+";
        }
}

void import_line_end(struct importing *im, const struct hlo_instruction *i, const char *note)
{
    import_line_end_on(im, i, 0, note);
}

void import_line_end_on(struct importing *im, const struct hlo_instruction *i, uint32_t basis,
                        const char *note)
{
    struct hlo_text scope, file;
    uint32_t line;

    print_basis(im->out, basis | im->basis);
    i = import_origin_of(im, i);
    scope = strip_quotes(hlo_part(hlo_attribute(im->m, i, "metadata"), "op_name"));
    if (scope.size) {
        fputs(" scope=", im->out);
        import_line_text(im->out, scope, MAX_SCOPE);
    }
    if (hlo_source(im->m, i, &file, &line)) {
        char number[16];
        file = strip_quotes(file);
        fputs(" source=\"", im->out);
        for (uint32_t k = 0; k < file.size && k < 200; k++)
            if (file.at[k] != '"' && file.at[k] != '\\')
                print_letter(im->out, file.at[k]);
        snprintf(number, sizeof number, ":%" PRIu32, line);
        fprintf(im->out, "%s\"", number);
    }
    if (note == NULL) {
        note = im->remark;
        im->remark = NULL;
    }
    if (note)
        fprintf(im->out, " note=\"%s\"", note);
    putc('\n', im->out);
}

static void print_list(FILE *out, const char *key, const uint64_t *n, uint32_t count, char between)
{
    fprintf(out, " %s=", key);
    for (uint32_t k = 0; k < count; k++) {
        if (k)
            putc(between, out);
        fprintf(out, "%" PRIu64, n[k]);
    }
}

/* One number for each operand or result that is a value. */
static void print_bytes(FILE *out, const char *key, const uint64_t *bytes, const uint32_t *value,
                        uint32_t n)
{
    char before = '=';

    for (uint32_t k = 0; k < n; k++) {
        if (value[k] == 0)
            continue;
        if (before == '=')
            fprintf(out, " %s", key);
        fprintf(out, "%c%" PRIu64, before, bytes[k]);
        before = '+';
    }
}

static void print_held(FILE *out, const struct import_kernel *k, const uint32_t *operand)
{
    char before = '=';

    for (uint32_t j = 0, at = 0; j < k->n_in; j++) {
        if (operand[j] == 0)
            continue;
        if (k->held[j]) {
            if (before == '=')
                fputs(" held", out);
            fprintf(out, "%c%" PRIu32, before, at);
            before = '+';
        }
        at++;
    }
}

static void print_vector(FILE *out, const char *key, const uint64_t vector[TRACE_N_VECTORS])
{
    bool first = true;

    for (int c = 0; c < TRACE_N_VECTORS; c++)
        if (vector[c]) {
            if (first)
                fprintf(out, " %s=", key);
            fprintf(out, "%s%s:%" PRIu64, first ? "" : "+", trace_vector_name[c], vector[c]);
            first = false;
        }
}

static void print_number(FILE *out, const char *key, uint64_t n)
{
    if (n)
        fprintf(out, " %s=%" PRIu64, key, n);
}

/* Bytes and work on the way to each operand, which lowering repeats by the windows that it chooses.
 */
static void print_again(FILE *out, const struct import_kernel *k)
{
    const struct trace_side *side = k->side;

    print_number(out, "fetch-a", side[0].fetch);
    print_number(out, "fetch-b", side[1].fetch);
    print_vector(out, "vector-a", side[0].vector);
    print_vector(out, "vector-b", side[1].vector);
    print_number(out, "loads-a", side[0].loads);
    print_number(out, "loads-b", side[1].loads);
    if (k->n_parts > 1)
        print_number(out, "n-parts", k->n_parts);
    if (k->k_parts > 1)
        print_number(out, "k-parts", k->k_parts);
}

static void print_product(FILE *out, const struct import_kernel *k)
{
    if (!k->product)
        return;
    print_list(out, "product", k->dim, 4, 'x');
    if (k->tiled) {
        print_list(out, "tile", k->tile, 4, 'x');
        print_list(out, "counts", k->counts, 4, 'x');
    }
    if (k->taps > 1)
        fprintf(out, " taps=%" PRIu64, k->taps);
    if (k->packed && k->taps > 1)
        fputs(" packed=1", out);
    print_number(out, "position-rows", k->position_rows);
    if (k->lanes[0])
        fprintf(out, " lanes=%s", k->lanes);
}

static void print_sides(FILE *out, const char *key, const struct trace_sides *s)
{
    if (s->n)
        print_list(out, key, s->dim, s->n, 'x');
}

static void print_gpu(FILE *out, const struct import_kernel *k)
{
    static const char *const pass[] = { "", "forward", "dgrad", "wgrad" };

    if (k->pattern != TRACE_PATTERN_CONTIGUOUS)
        fprintf(out, " pattern=%s", trace_pattern_name[k->pattern]);
    if (k->rounds > 1)
        print_number(out, "rounds", k->rounds);
    print_number(out, "queries", k->queries);
    if (k->queries && k->gradient)
        fputs(" gradient=1", out);
    print_number(out, "warps", k->warps);
    print_number(out, "stages", k->stages);
    if (k->node)
        fputs(" node=1", out);
    if (k->product && k->operands)
        fprintf(out, " operands=%s", k->operands);
    if (k->call == TRACE_PASS_NONE)
        return;
    fprintf(out, " conv=%s", pass[k->call]);
    print_sides(out, "image", &k->image);
    print_sides(out, "filter", &k->filter);
    print_sides(out, "result", &k->result);
    print_sides(out, "strides", &k->strides);
    print_sides(out, "dilates", &k->dilates);
    if (k->channels_first)
        fputs(" channels-first=1", out);
}

void import_line_kernel(struct importing *im, const struct hlo_instruction *i, const char *kind,
                        const struct import_kernel *k, const uint32_t *result,
                        const uint32_t *operand)
{
    FILE *out = im->out;

    import_line_begin(im, result, k->n_out, kind, operand, k->n_in);
    if (k->product && k->precision != TRACE_DEFAULT)
        fprintf(out, " precision=%s", trace_precision_name[k->precision]);
    if (k->row_bytes || !k->product)
        print_number(out, "rows", k->rows);
    if (strcmp(k->form, "sort") == 0 || strcmp(k->form, "top-k") == 0)
        print_number(out, "cols", k->cols);
    fprintf(out, " form=%s", k->form);
    if (k->unit)
        fprintf(out, " unit=%s", k->unit);
    if (k->n_grid)
        print_list(out, "grid", k->grid, k->n_grid, 'x');
    print_product(out, k);
    if (k->split)
        fprintf(out, " split=%s", k->split);
    if (k->split && (k->sums || strcmp(k->split, "k") == 0))
        print_number(out, "split-bytes", k->split_bytes);
    print_bytes(out, "fetch", k->fetch, operand, k->n_in);
    print_held(out, k, operand);
    print_bytes(out, "store", k->store, result, k->n_out);
    print_number(out, "row-bytes", k->row_bytes);
    if (k->row_writes && k->row_bytes)
        fputs(" row-writes=1", out);
    print_number(out, "vmem", k->vmem);
    print_vector(out, "vector", k->vector);
    print_number(out, "xlu", k->xlu);
    print_number(out, "loads", k->loads);
    print_number(out, "stores", k->stores);
    if (k->product && !k->tiled && !im->compiler->gpu)
        print_again(out, k);
    print_number(out, "channel-taps", k->channel_taps);
    print_number(out, "chain", k->chain);
    print_number(out, "sums", k->sums);
    print_number(out, "sum-steps", k->sum_steps);
    print_number(out, "spread", k->spread);
    print_number(out, "lane-rows", k->lane_rows);
    print_number(out, "row-stores", k->row_stores);
    print_number(out, "lane-sums", k->lane_sums);
    print_number(out, "waits", k->waits);
    print_number(out, "idle", k->idle);
    if (k->launches > 1)
        print_number(out, "launches", k->launches);
    print_number(out, "estimate", k->estimate);
    print_gpu(out, k);
    print_number(out, "flops", k->flops);
    import_line_end_on(im, i, k->basis, k->note);
}

void import_line_inner(struct importing *im, const struct hlo_instruction *i,
                       const struct import_inner *p)
{
    FILE *out = im->out;

    im->line++;
    import_line_indent(im);
    fputs("kernel() name=\"", out);
    for (uint32_t k = 0; k < i->name.size && k < MAX_NAME; k++)
        putc(is_word(i->name.at[k]) ? i->name.at[k] : '_', out);
    fputs(".inside\" form=product", out);
    print_list(out, "product", p->dim, 4, 'x');
    if (p->taps > 1)
        fprintf(out, " taps=%" PRIu64, p->taps);
    fprintf(out, " flops=%" PRIu64, p->flops);
    import_line_end(im, i, "a product inside the kernel of the next line, which reads it");
}
