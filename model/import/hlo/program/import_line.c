/* import_line.c - lines of a trace: names, shapes with layouts, attributes in canonical order. */
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "import/hlo/program/import_escape.h"
#include "import/hlo/program/import_line.h"
#include "trace/compiled_attr.h"
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

uint32_t import_line_word(FILE *out, struct hlo_text name)
{
    uint32_t n = name.size < MAX_NAME ? name.size : MAX_NAME;

    for (uint32_t k = 0; k < n; k++)
        putc(is_word(name.at[k]) ? name.at[k] : '_', out);
    return n;
}

static void print_marked(FILE *out, char mark, uint32_t v)
{
    putc(mark, out);
    plain_whole(out, v);
}

/* Words of traces hold more than those of HLO: ":" before a leaf, "/" before a scope. */
void import_line_name(const struct importing *im, uint32_t v)
{
    const struct import_value *x = &im->value[v];

    putc('%', im->out);
    uint32_t n = import_line_word(im->out, x->name);
    if (x->leaf != IMPORT_NONE)
        print_marked(im->out, ':', x->leaf);
    if (x->suffix || n < x->name.size)
        print_marked(im->out, '/', n < x->name.size ? v : x->suffix);
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
    for (uint32_t k = 0; k < s->rank && l->minor_first; k++) {
        if (k)
            putc(',', out);
        plain_whole(out, l->minor_first[k]);
    }
    if (l->n_tiles || l->space || l->bits)
        putc(':', out);
    for (uint32_t t = 0; t < l->n_tiles; t++) {
        fputs(t ? "(" : "T(", out);
        for (uint32_t k = 0; k < l->tile[t].rank; k++) {
            if (k)
                putc(',', out);
            if (l->tile[t].dim[k])
                plain_whole(out, l->tile[t].dim[k]);
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
    fputs(hlo_dtype_name[s->dtype], out);
    putc('[', out);
    for (uint32_t k = 0; k < s->rank; k++) {
        if (k)
            putc(',', out);
        plain_whole(out, s->dim[k]);
    }
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
            import_line_shared(im, result[k]);
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

/* Without quotes and backslashes, which a place does not have. */
static void print_file(FILE *out, struct hlo_text t)
{
    for (uint32_t k = 0, n = 0; k < t.size && n < 200; k++, n++) {
        uint32_t escape = import_escape_print(out, t.at + k, t.at + t.size);
        if (escape) {
            k += escape - 1;
            continue;
        }
        if (t.at[k] == '\\' && k + 1 < t.size)
            k++;
        if (t.at[k] != '"' && t.at[k] != '\\')
            print_letter(out, t.at[k]);
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
        print_file(im->out, file);
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

uint32_t import_line_operands(const struct importing *im, const struct import_scope *s,
                              const struct hlo_instruction *i, uint32_t **list)
{
    uint32_t n = 0, at = 0;

    for (uint32_t k = 0; k < i->n_operands; k++)
        n += import_span_of(im, s, hlo_operand(im->m, i, k)).n;
    *list = memory_zeroed(n, sizeof **list);
    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct import_span o = import_span_of(im, s, hlo_operand(im->m, i, k));
        for (uint32_t j = 0; j < o.n; j++)
            (*list)[at++] = im->leaf[o.first + j];
    }
    return n;
}

void import_line_shared(struct importing *im, uint32_t v)
{
    if (im->value[v].at) /* that one may be in another, which its own line asks for */
        v = im->value[v].at;
    if (im->value[v].buffer && !im->value[v].defined)
        import_line_buffer(im, v);
    v = import_value_root(im, v);
    if (im->value[v].buffer && !im->value[v].defined)
        import_line_buffer(im, v);
}

void import_place_add(struct importing *im, uint32_t instruction)
{
    if (im->places == NULL)
        return;
    MEMORY_GROW(im->places->place, im->places->n + 1, im->places->cap);
    im->places->place[im->places->n++] =
        (struct import_place){ .at = ftello(im->out), .instruction = instruction };
}

void import_line_buffer(struct importing *im, uint32_t v)
{
    import_line_begin(im, &v, 1, "kernel", NULL, 0);
    fputs(" form=scalar store=0\n", im->out);
}
