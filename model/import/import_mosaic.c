/* import_mosaic.c - kernels that are written in Mosaic, whose text the compiler keeps in the call.
 *
 * The body is base64: a module of MLIR as text, as XLA writes its own kernels, or as bytecode,
 * which is not read.  One run of the function is a grid step; iteration_bounds has their number. Of
 * each line with a vector<...>:
 *
 *     tpu.matmul             a product: with |A|, |B|, |C| elements k = sqrt(|A| |B| / |C|)
 *     math.X                 exp 1
 *     arith.divf             divide 1
 *     arith.extf, truncf     cast 1
 *     arith.select           select 1
 *     other arith.X          add 1
 *     vector.multi_reduction add 1 on its operand; XLU where the last dimension goes */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "import/import_impl.h"

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* The decoded text; NULL if it is no text of a module. */
static char *decode_text(struct hlo_text t)
{
    char *text = memory_zeroed((size_t)t.size * 3 / 4 + 4, 1);
    uint32_t bits = 0, n = 0, have = 0;

    for (uint32_t k = 0; k < t.size; k++) {
        int d = digit_of(t.at[k]);
        if (d < 0)
            continue;
        bits = bits << 6 | (uint32_t)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            text[n++] = (char)(bits >> have & 255);
        }
    }
    if (memmem(text, n, "func.func", 9) == NULL || memchr(text, '\0', n) != NULL) {
        free(text);
        return NULL;
    }
    return text;
}

/* vector<1x512x64xbf16>: dimensions and bits of an element. */
struct vector {
    uint32_t rank, bits;
    uint64_t dim[8], elements;
};

/* The next vector type at or after `p` in the line; returns the place behind it, or NULL. */
static const char *read_vector(const char *p, const char *end, struct vector *v)
{
    p = memmem(p, (size_t)(end - p), "vector<", 7);
    if (p == NULL)
        return NULL;
    *v = (struct vector){ .elements = 1 };
    p += 7;
    while (p < end && *p >= '0' && *p <= '9') {
        char *rest;
        uint64_t d = strtoull(p, &rest, 10);
        if (v->rank < 8)
            v->dim[v->rank++] = d;
        v->elements = import_multiply(v->elements, d);
        p = rest + (*rest == 'x');
    }
    while (p < end && *p != '>' && (*p < '0' || *p > '9'))
        p++;
    v->bits = p < end && *p != '>' ? (uint32_t)strtoul(p, NULL, 10) : 32;
    return p;
}

static uint64_t registers_of(const struct importing *im, const struct vector *v)
{
    uint64_t n = v->elements, rows = im->native16 && v->bits == 16 ? 16 : 8;

    if (v->rank >= 2) {
        uint64_t lanes = v->dim[v->rank - 1], sublanes = v->dim[v->rank - 2];
        if (lanes && sublanes)
            n = import_multiply(
                n / (lanes * sublanes),
                import_multiply(arith_round_up(lanes, 128), arith_round_up(sublanes, rows)));
    }
    return n / (rows / 8);
}

static uint64_t square_root(uint64_t n)
{
    uint64_t lo = 0, hi = UINT32_MAX;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo + 1) / 2;
        if (mid * mid <= n)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

/* A product of each grid step: the largest is the kernel's, others stand beside it. */
static void add_matmul(struct import_kernel *k, const char *p, const char *end, uint64_t steps)
{
    struct vector a, b, sum, c;

    if ((p = read_vector(p, end, &a)) == NULL || (p = read_vector(p, end, &b)) == NULL ||
        (p = read_vector(p, end, &sum)) == NULL)
        return;
    c = sum;
    read_vector(p, end, &c);
    if (a.elements == 0 || b.elements == 0 || c.elements == 0)
        return;
    uint64_t depth = square_root(import_multiply(a.elements, b.elements) / c.elements);
    if (depth == 0)
        return;
    struct import_inner x = { { steps, a.elements / depth, depth, b.elements / depth }, 1, 0 };
    x.flops = import_multiply(import_multiply(2 * steps, a.elements), b.elements / depth);
    if (!k->product) {
        memcpy(k->dim, x.dim, sizeof k->dim);
        k->taps = 1;
        k->product = true;
        k->flops = import_add(k->flops, x.flops);
    } else if (k->n_inner < IMPORT_MAX_INNER) {
        k->inner[k->n_inner++] = x;
    }
}

static bool has_word(const char *p, const char *end, const char *word)
{
    return memmem(p, (size_t)(end - p), word, strlen(word)) != NULL;
}

static void add_line(struct importing *im, struct import_kernel *k, const char *p, const char *end,
                     uint64_t steps)
{
    struct vector v;
    enum trace_vector class;

    if (has_word(p, end, "tpu.matmul")) {
        add_matmul(k, p, end, steps);
        return;
    }
    if (read_vector(p, end, &v) == NULL || has_word(p, end, "arith.constant"))
        return;
    if (has_word(p, end, " = math."))
        class = TRACE_VECTOR_EXP;
    else if (has_word(p, end, "arith.divf"))
        class = TRACE_VECTOR_DIVIDE;
    else if (has_word(p, end, "arith.extf") || has_word(p, end, "arith.truncf"))
        class = TRACE_VECTOR_CAST;
    else if (has_word(p, end, "arith.select"))
        class = TRACE_VECTOR_SELECT;
    else if (has_word(p, end, "arith.") || has_word(p, end, "vector.multi_reduction"))
        class = TRACE_VECTOR_ADD;
    else
        return;
    uint64_t n = import_multiply(registers_of(im, &v), steps);
    k->vector[class] = import_add(k->vector[class], n);
    if (class == TRACE_VECTOR_EXP)
        k->transcendentals = import_add(k->transcendentals, import_multiply(v.elements, steps));
    else
        k->flops = import_add(k->flops, import_multiply(v.elements, steps));
    if (has_word(p, end, "multi_reduction") && v.rank && v.dim[v.rank - 1])
        k->xlu =
            import_add(k->xlu, import_multiply(v.elements / v.dim[v.rank - 1] / 8 * 1024, steps));
}

/* iteration_bounds = array<i64: 12, 1, 1> */
static uint64_t read_grid(struct import_kernel *k, const char *text)
{
    const char *p = strstr(text, "iteration_bounds = array<i64:");
    uint64_t steps = 1;

    if (p == NULL)
        return 1;
    p += strlen("iteration_bounds = array<i64:");
    for (k->n_grid = 0; *p && *p != '>' && k->n_grid < IMPORT_DIMS; p++) {
        char *end;
        uint64_t n = strtoull(p, &end, 10);
        if (end == p)
            continue;
        k->grid[k->n_grid++] = n ? n : 1;
        steps = import_multiply(steps, n ? n : 1);
        p = end - 1;
    }
    return steps;
}

bool import_mosaic_read(struct importing *im, struct hlo_text config, struct import_kernel *k)
{
    struct hlo_text body = import_config_text(config, "body");
    char *text = body.size ? decode_text(body) : NULL;

    if (text == NULL)
        return false;
    uint64_t steps = read_grid(k, text);
    for (const char *p = text; *p;) {
        const char *end = strchr(p, '\n');
        end = end ? end : p + strlen(p);
        add_line(im, k, p, end, steps);
        p = *end ? end + 1 : end;
    }
    free(text);
    k->form = k->product ? "product" : "vector";
    return true;
}
