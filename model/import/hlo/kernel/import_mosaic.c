/* import_mosaic.c - kernels that are written in Mosaic, whose module the compiler keeps in the
 * call.
 *
 * The body is base64: a module of MLIR as text, as XLA writes its own kernels, or as bytecode, as
 * JAX does (mlir.h).  mosaic.h counts what it does; here it becomes a kernel:
 *
 *     grid      the steps that have a product, or all
 *     product   of the product with the most work: as many as there are, in tiles of those of one
 *               step; products with the same m and the same k and n, or n and k, are of them
 *     inner     the other products, each for itself
 *     fetch     blocks that change from step to step, or what transfers in the kernel bring
 *
 * Scalars that the kernel gets before it begins (scalar prefetch) are numbers if they are a
 * constant of the program, through copies and around loops. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"
#include "import/mosaic/mosaic.h"

/* Operations of a kernel that are run one by one: some, and more for each byte of its body, so that
 * many small kernels do not take long. */
#define LEAST_STEPS 20000
#define BYTE_STEPS 64
#define MOST_STEPS 1000000
#define MOST_BACK 64 /* copies and loops between a constant and a kernel */

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static char *decode_body(struct hlo_text t, size_t *size)
{
    char *bytes = memory_zeroed((size_t)t.size * 3 / 4 + 4, 1);
    uint32_t bits = 0, n = 0, have = 0;

    for (uint32_t k = 0; k < t.size; k++) {
        int d = digit_of(t.at[k]);
        if (d < 0)
            continue;
        bits = bits << 6 | (uint32_t)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            bytes[n++] = (char)(bits >> have & 255);
        }
    }
    *size = n;
    return bytes;
}

/* --- scalars that the program has --------------------------------------------------------------
 */

/* A parameter of a computation, where it is called from, or NULL; of a loop as it begins. */
static const struct hlo_instruction *find_caller(struct importing *im,
                                                 const struct hlo_instruction *i)
{
    if (!import_limit_work(im, im->n_scopes))
        return NULL;
    for (uint32_t s = im->n_scopes; s-- > 0;) {
        const struct hlo_instruction *by = im->scope[s].caller;
        if (by == NULL || im->scope[s].c != &im->m->computation[i->computation])
            continue;
        return i->number >= 0 && (uint64_t)i->number < by->n_operands
                   ? hlo_operand(im->m, by, (uint32_t)i->number)
                   : NULL;
    }
    return NULL;
}

/* Part `part` of a tuple. */
static const struct hlo_instruction *find_part(struct importing *im,
                                               const struct hlo_instruction *i, uint32_t part)
{
    for (int k = 0; i && k < MOST_BACK; k++) {
        if (i->opcode == HLO_OP_TUPLE)
            return part < i->n_operands ? hlo_operand(im->m, i, part) : NULL;
        if (i->opcode == HLO_OP_PARAMETER)
            i = find_caller(im, i);
        else if ((i->opcode == HLO_OP_WHILE || i->opcode == HLO_OP_OPT_BARRIER) && i->n_operands)
            i = hlo_operand(im->m, i, 0);
        else
            return NULL;
    }
    return NULL;
}

/* The constant that an operand is a copy of, or NULL. */
static const struct hlo_instruction *find_constant(struct importing *im,
                                                   const struct hlo_instruction *i)
{
    for (int k = 0; i && k < MOST_BACK; k++) {
        switch (i->opcode) {
        case HLO_OP_CONSTANT: return i;
        case HLO_OP_COPY:
        case HLO_OP_COPY_START:
        case HLO_OP_COPY_DONE:
        case HLO_OP_BITCAST:
        case HLO_OP_RESHAPE:
        case HLO_OP_CONVERT:
        case HLO_OP_OPT_BARRIER: i = i->n_operands == 1 ? hlo_operand(im->m, i, 0) : NULL; break;
        case HLO_OP_GET_TUPLE_ELEMENT:
            i = find_part(im, hlo_operand(im->m, i, 0), (uint32_t)i->number);
            break;
        case HLO_OP_PARAMETER: i = find_caller(im, i); break;
        default: return NULL;
        }
    }
    return NULL;
}

/* The integers of a literal: "{ { 1, 0 }, ... }"; a literal that is cut ("...") has none. */
static void read_literal(struct mosaic_scalars *s, struct hlo_text t)
{
    const char *p = t.at, *end = t.at + t.size;
    int64_t *list = NULL;
    uint32_t n = 0;

    while (p < end) {
        bool less = *p == '-';
        const char *from = p + less;
        if (*p == '.') {
            free(list);
            return;
        }
        if (from >= end || *from < '0' || *from > '9') {
            p++;
            continue;
        }
        int64_t v = 0;
        for (p = from; p < end && *p >= '0' && *p <= '9'; p++)
            v = v < INT64_MAX / 10 - 1 ? v * 10 + (*p - '0') : v;
        MEMORY_ADD(list, n);
        list[n++] = less ? -v : v;
    }
    *s = (struct mosaic_scalars){ list, n };
}

static struct mosaic_scalars *find_scalars(struct importing *im, const struct hlo_instruction *i,
                                           uint32_t n)
{
    struct mosaic_scalars *s = memory_zeroed(n, sizeof *s);

    for (uint32_t k = 0; k < n; k++) {
        const struct hlo_instruction *c = find_constant(im, hlo_operand(im->m, i, k));
        uint64_t elements = c ? hlo_elements(c->shape) : 0;
        if (c && c->shape->n_parts == 0 && elements <= MOST_STEPS &&
            import_limit_work(im, c->literal.size))
            read_literal(&s[k], c->literal);
        if (s[k].number && s[k].n != elements) {
            free((void *)(uintptr_t)s[k].number);
            s[k] = (struct mosaic_scalars){ 0 };
        }
    }
    return s;
}

/* --- the kernel --------------------------------------------------------------------------------
 */

static uint64_t macs_of(const struct mosaic_product *p)
{
    return import_multiply(import_multiply(import_multiply(p->times, p->b), p->m),
                           import_multiply(p->k, p->n));
}

static bool is_like(const struct mosaic_product *a, const struct mosaic_product *b)
{
    return a->m == b->m && a->exact == b->exact &&
           ((a->k == b->k && a->n == b->n) || (a->k == b->n && a->n == b->k));
}

static void add_inner(struct import_kernel *k, const struct mosaic_product *p)
{
    struct import_inner x = { { import_multiply(p->times, p->b), p->m, p->k, p->n }, 1, 0 };

    x.flops = import_multiply(2, macs_of(p));
    if (k->n_inner == IMPORT_MAX_INNER)
        return;
    k->flops -= x.flops < k->flops ? x.flops : k->flops;
    k->inner[k->n_inner++] = x;
}

static void set_products(struct import_kernel *k, const struct mosaic_work *w)
{
    const struct mosaic_product *most = &w->product[0];
    uint64_t all = 0, steps = w->active ? w->active : 1;

    for (uint32_t j = 1; j < w->n_products; j++)
        if (macs_of(&w->product[j]) > macs_of(most))
            most = &w->product[j];
    for (uint32_t j = 0; j < w->n_products; j++)
        if (is_like(most, &w->product[j]))
            all = import_add(all, import_multiply(w->product[j].times, w->product[j].b));
        else
            add_inner(k, &w->product[j]);
    uint64_t each = arith_ceil_div(all, steps);
    uint64_t counts = arith_ceil_div(all, each ? each : 1);
    k->product = k->tiled = true;
    k->facts.taps = 1;
    k->precision = most->exact ? TRACE_HIGHEST : TRACE_DEFAULT;
    memcpy(k->facts.tile, (uint64_t[]){ each, most->m, most->k, most->n }, sizeof k->facts.tile);
    memcpy(k->facts.counts, (uint64_t[]){ counts, 1, 1, 1 }, sizeof k->facts.counts);
    memcpy(k->facts.product, k->facts.tile, sizeof k->facts.product);
    k->facts.product[TRACE_DIM_B] = import_multiply(each, counts);
    k->facts.n_grid = 1;
    k->facts.grid[0] = counts;
}

/* Bytes of so many blocks of the array, cut to it at its end. */
static uint64_t window_bytes(const struct mosaic_window *w, const struct hlo_shape *s)
{
    __uint128_t bytes = hlo_bytes(s);

    if (!w->given) {
        uint64_t all = hlo_elements(s);
        bytes = w->elements ? bytes * w->elements / (all ? all : 1) : bytes;
        return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
    }
    bytes *= w->moves;
    for (uint32_t d = 0; d < s->rank && d < w->rank && bytes < (__uint128_t)1 << 90; d++)
        if (w->block[d] > 0 && s->dim[d] > (uint64_t)w->block[d])
            bytes = bytes / arith_ceil_div(s->dim[d], (uint64_t)w->block[d]);
    return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

static void set_traffic(struct importing *im, const struct hlo_instruction *i,
                        struct import_kernel *k, const struct mosaic_work *w)
{
    uint32_t first = k->n_in + k->n_out >= w->n_windows ? k->n_in + k->n_out - w->n_windows : 0;

    if (first > k->n_in) /* other operands than the module has */
        return;
    for (uint32_t j = 0; j < w->n_windows && first + j < k->n_in + k->n_out; j++) {
        uint32_t at = first + j;
        bool in = at < k->n_in;
        const struct hlo_shape *s =
            in ? hlo_operand(im->m, i, at)->shape
               : import_leaf_shape(import_result_shape(im, i), at - k->n_in);
        uint64_t *bytes = in ? &k->fetch[at] : &k->store[at - k->n_in];
        if (*bytes == 0 || s->layout.space != 0)
            continue;
        *bytes = window_bytes(&w->window[j], s);
        if (in)
            k->held[at] = w->window[j].given && w->window[j].moves == 1 && w->steps > 1;
    }
}

static void set_vectors(struct import_kernel *k, const struct mosaic_work *w)
{
    static const enum trace_vector class[MOSAIC_N_CLASSES] = {
        TRACE_VECTOR_ADD,    TRACE_VECTOR_SELECT, TRACE_VECTOR_CAST,
        TRACE_VECTOR_DIVIDE, TRACE_VECTOR_EXP,    TRACE_VECTOR_SINE
    };

    for (int c = 0; c < MOSAIC_N_CLASSES; c++)
        k->facts.vector[class[c]] = import_add(k->facts.vector[class[c]], w->vector[c]);
    k->facts.xlu = import_add(k->facts.xlu, w->xlu);
    k->facts.lane_sums = w->lane_sums;
    k->facts.waits = w->waits;
    k->flops = w->flops;
    k->transcendentals = w->transcendentals;
}

/* Blocks of so many rows along a dimension that has several of them; 0: there is no such. */
static uint64_t count_blocks(const struct importing *im, const struct hlo_instruction *i,
                             const struct mosaic_work *w, uint64_t rows)
{
    uint32_t first = i->n_operands + import_leaves(i->shape) - w->n_windows;
    uint64_t most = 0;

    for (uint32_t j = 0; j < w->n_windows && first + j < i->n_operands; j++) {
        const struct hlo_shape *s = hlo_operand(im->m, i, first + j)->shape;
        for (uint32_t d = 0; d < s->rank && d < w->window[j].rank; d++)
            if (w->window[j].block[d] > 0 && (uint64_t)w->window[j].block[d] == rows) {
                uint64_t n = arith_ceil_div(s->dim[d], rows);
                most = n > most ? n : most;
            }
    }
    return most;
}

/* A kernel that skips blocks by a list which is not in the text, and that compares rows with
 * columns in those it takes: blocks above the diagonal are in no list of such a mask. */
static bool cut_mask(const struct importing *im, const struct hlo_instruction *i,
                     struct mosaic_work *w)
{
    if (!w->open || w->mask_rows == 0 || w->n_windows > i->n_operands + import_leaves(i->shape))
        return false;
    uint64_t down = count_blocks(im, i, w, w->mask_rows);
    uint64_t across = count_blocks(im, i, w, w->mask_cols), n = 0;
    if (down == 0 || down > MOST_STEPS)
        return false;
    for (uint64_t r = 0; r < down; r++) {
        uint64_t below = arith_ceil_div((r + 1) * w->mask_rows, w->mask_cols);
        n += below < across ? below : across;
    }
    if (w->mask_blocks == n) /* a list of those blocks */
        return true;
    if (import_multiply(down, across) != w->mask_blocks)
        return false;
    w->active = mosaic_scale(w->active, n, w->mask_blocks);
    for (uint32_t j = 0; j < w->n_products; j++)
        w->product[j].times = mosaic_scale(w->product[j].times, n, w->mask_blocks);
    for (uint32_t j = 0; j < w->n_windows; j++)
        if (w->window[j].open)
            w->window[j].moves = mosaic_scale(w->window[j].moves, n, w->mask_blocks);
    for (int c = 0; c < MOSAIC_N_CLASSES; c++)
        w->vector[c] = mosaic_scale(w->vector[c], n, w->mask_blocks);
    w->xlu = mosaic_scale(w->xlu, n, w->mask_blocks);
    w->lane_sums = mosaic_scale(w->lane_sums, n, w->mask_blocks);
    w->waits = mosaic_scale(w->waits, n, w->mask_blocks);
    w->flops = mosaic_scale(w->flops, n, w->mask_blocks);
    w->transcendentals = mosaic_scale(w->transcendentals, n, w->mask_blocks);
    return true;
}

static bool read_module(struct importing *im, const struct hlo_instruction *i,
                        const struct mlir_module *m, size_t size, struct import_kernel *k)
{
    uint64_t budget = LEAST_STEPS + BYTE_STEPS * (uint64_t)size;

    struct mosaic_work w;
    struct mosaic_scalars *s = find_scalars(im, i, i->n_operands);
    bool read = mosaic_read(&w, m, s, i->n_operands, im->native16,
                            budget < MOST_STEPS ? budget : MOST_STEPS);

    for (uint32_t j = 0; j < i->n_operands; j++)
        free((void *)(uintptr_t)s[j].number);
    free(s);
    if (!read)
        return false;
    bool causal = cut_mask(im, i, &w);
    set_vectors(k, &w);
    k->facts.n_grid = w.n_grid;
    memcpy(k->facts.grid, w.grid, w.n_grid * sizeof *w.grid);
    k->facts.form = TRACE_FORM_VECTOR;
    if (w.n_products) {
        set_products(k, &w);
        k->facts.idle = w.steps - (w.active < w.steps ? w.active : w.steps);
        k->facts.form = TRACE_FORM_PRODUCT;
    }
    if (w.alone)
        k->facts.split = TRACE_SPLIT_NONE;
    set_traffic(im, i, k, &w);
    k->partial = w.partial || w.remote || (w.open && !causal);
    k->basis = TRACE_BASIS_BIT(HAND) | (w.remote || w.partial ? TRACE_BASIS_BIT(PARTIAL) : 0) |
               (causal   ? TRACE_BASIS_BIT(SIZES)
                : w.open ? TRACE_BASIS_BIT(BRANCH)
                         : 0);
    if (w.remote)
        k->note =
            "a lower bound: a kernel by hand that sends to other chips, which is not modelled";
    else if (w.partial)
        k->note = "a lower bound: a kernel by hand with loops whose turns are not in the text";
    else if (causal)
        k->note = "a kernel by hand whose list of blocks is not in the text: those of the causal "
                  "mask that it computes";
    else if (w.open)
        k->note = "a kernel by hand with conditions that the text does not decide: the branch with "
                  "more work";
    mosaic_free(&w);
    return true;
}

bool import_mosaic_read(struct importing *im, const struct hlo_instruction *i,
                        struct import_kernel *k)
{
    struct hlo_text body = import_config_text(hlo_attribute(im->m, i, "backend_config"), "body");
    struct mlir_module m;
    size_t size = 0;

    if (body.size == 0)
        return false;
    char *bytes = decode_body(body, &size);
    bool read = mlir_read(&m, bytes, size);
    if (read) {
        read = read_module(im, i, &m, size, k);
        mlir_free(&m);
    }
    free(bytes);
    return read;
}
