/* The clause of a kernel in its line: bytes, work, windows. */
#include <inttypes.h>
#include <string.h>

#include "import/hlo/import_line.h"
#include "trace/trace.h"

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
    import_line_list(out, "product", k->dim, 4, 'x');
    if (k->tiled) {
        import_line_list(out, "tile", k->tile, 4, 'x');
        import_line_list(out, "counts", k->counts, 4, 'x');
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
        import_line_list(out, key, s->dim, s->n, 'x');
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
        import_line_list(out, "grid", k->grid, k->n_grid, 'x');
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
