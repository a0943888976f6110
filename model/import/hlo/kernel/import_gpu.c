/* import_gpu.c - kernels of programs that XLA:GPU compiled.
 *
 * A fusion is one kernel; calls of cuDNN and cuBLAS are products whose kernels the library chooses.
 * Nothing else of a kernel is in the text, so its rate goes by how it passes through memory:
 *
 *     reduction    a reduce of a fusion that is no loop (kInput, kCustom), or alone
 *     columns      the same, where what lies side by side is not added up
 *     transposed   an array of more than half of the largest is written along another dimension
 *     windows      a reduce-window or select-and-scatter
 *     strided      pads, slices and concatenations of more than half of the largest array
 *     contiguous   all others
 *
 * Sorts: CUB's pass over the keys once for each 8 bits [cub].  The compiler's own exchange pairs at
 * distances of powers of 2: those within a tile of 4096 keys in one kernel, others in one each
 * [xla-gpu]. */
#include <string.h>

#include "import/hlo/kernel/import_kernel.h"

#define SORT_TILE_LOG 12 /* keys of a tile in shared memory [xla-gpu] */
#define RADIX_BITS 8     /* of a key, a pass [cub] */
#define THREEFRY_OPS                                                                               \
    40 /* on an element: 20 rounds of add, rotate, xor on two, keys [salmon-2011] */

/* --- which programs ------------------------------------------------------------------------- */

static bool has_text(struct hlo_text t, const char *part)
{
    return t.at && memmem(t.at, t.size, part, strlen(part)) != NULL;
}

/* The compiler's scheduler leaves a fingerprint in the line of the module, that of TPUs none. */
static bool has_fingerprint(const struct hlo_module *m)
{
    const struct hlo_attribute *a = &m->attribute[m->first_header_attribute];

    for (uint32_t k = 0; k < m->n_header_attributes; k++)
        if (has_text(a[k].value, "fingerprint_before_lhs"))
            return true;
    return false;
}

/* Calls of libraries of GPUs, fusions that are written for them, and what only this compiler says
 * of a module or an instruction. */
bool import_gpu_likes(const struct hlo_module *m)
{
    static const char *const marks[] = { "__cudnn$", "__cublas$",   "__triton",
                                         "__cub$",   "__cusolver$", "__gpu$" };
    static const char *const fields[] = { "operation_queue_id", "fusion_backend_config",
                                          "collective_backend_config" };

    if (has_text(import_config_text(m->comment, "compiler"), "cuda") || has_fingerprint(m))
        return true;
    for (uint32_t k = 0; k < m->n_instructions; k++) {
        const struct hlo_instruction *i = &m->instruction[k];
        if (i->opcode == HLO_OP_FUSION && hlo_text_is(hlo_attribute(m, i, "kind"), "kInput"))
            return true;
        struct hlo_text config = hlo_attribute(m, i, "backend_config");
        for (size_t j = 0; j < sizeof fields / sizeof *fields; j++)
            if (has_text(config, fields[j]))
                return true;
        if (i->opcode != HLO_OP_CUSTOM_CALL)
            continue;
        struct hlo_text t = hlo_attribute(m, i, "custom_call_target");
        for (size_t j = 0; j < sizeof marks / sizeof *marks; j++)
            if (has_text(t, marks[j]))
                return true;
    }
    return false;
}

static uint64_t count_elements(const struct importing *im, const struct hlo_shape *s)
{
    (void)im;
    return s->rank ? hlo_elements(s) : 0;
}

/* --- patterns ------------------------------------------------------------------------------- */

static uint64_t largest_array(const struct import_kernel *k, const struct import_body *b)
{
    uint64_t most = 1;

    for (uint32_t j = 0; j < b->n; j++)
        if (b->node[j].operand != IMPORT_NONE || b->node[j].result) {
            uint64_t n = hlo_elements(b->node[j].shape);
            if (j < k->n_in && k->elements[j] < n)
                n = k->elements[j];
            most = n > most ? n : most;
        }
    return most;
}

/* The dimension of the operand along which the result of a transpose or copy lies. */
static bool turns_minor(const struct importing *im, const struct import_node *n,
                        const struct hlo_shape *in)
{
    struct import_physical p, q;
    int64_t order[64];

    if (n->i->opcode != HLO_OP_TRANSPOSE && n->i->opcode != HLO_OP_COPY)
        return false;
    if (!import_shape_physical(n->shape, &p) || !import_shape_physical(in, &q) || p.rank < 2 ||
        p.rank != q.rank)
        return false;
    struct hlo_text t = hlo_attribute(im->m, n->i, "dimensions");
    bool given =
        n->i->opcode == HLO_OP_TRANSPOSE && t.at && hlo_numbers(t, order, 64) == n->shape->rank;
    uint32_t back = 1;
    while (back < p.rank && p.dim[p.rank - back] == 1)
        back++;
    uint32_t d = p.logical[p.rank - back], from = given && d < 64 ? (uint32_t)order[d] : d;
    for (back = 1; back < q.rank && q.dim[q.rank - back] == 1;)
        back++;
    return from != q.logical[q.rank - back];
}

static bool adds_up(const struct import_node *n, const struct hlo_shape *in)
{
    return n->i->opcode == HLO_OP_REDUCE && hlo_elements(in) > hlo_elements(n->shape);
}

/* Elements of a sum across rows; 0: what lies side by side is added up. */
static uint64_t count_rows(const struct importing *im, const struct import_node *n,
                           const struct hlo_shape *in)
{
    struct import_physical p;
    int64_t dim[64];
    struct hlo_text t = hlo_attribute(im->m, n->i, "dimensions");
    uint32_t count = t.at ? hlo_numbers(t, dim, 64) : 0, back = 1;
    uint64_t rows = 1;

    if (!import_shape_physical(in, &p) || p.rank == 0)
        return 0;
    while (back < p.rank && p.dim[p.rank - back] == 1)
        back++;
    for (uint32_t j = 0; j < count && j < 64; j++) {
        if (dim[j] == (int64_t)p.logical[p.rank - back] || dim[j] < 0 || dim[j] >= in->rank)
            return 0;
        rows = import_multiply(rows, in->dim[dim[j]]);
    }
    return rows;
}

/* The largest reduce of a kernel decides whether it adds up rows or columns. */
static void find_columns(const struct importing *im, const struct import_body *b,
                         struct import_kernel *k)
{
    const struct import_node *most = NULL;

    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        if (n->i && n->n_in && adds_up(n, import_in(b, n, 0)->shape) &&
            (!most ||
             hlo_elements(import_in(b, n, 0)->shape) > hlo_elements(import_in(b, most, 0)->shape)))
            most = n;
    }
    uint64_t rows = most ? count_rows(im, most, import_in(b, most, 0)->shape) : 0;
    if (rows < 2)
        return;
    k->facts.pattern = TRACE_PATTERN_COLUMNS;
    k->facts.chain = rows;
    k->facts.sums = hlo_elements(import_in(b, most, 0)->shape) / rows;
}

static bool takes_parts(enum hlo_opcode o)
{
    return o == HLO_OP_PAD || o == HLO_OP_SLICE || o == HLO_OP_DYNAMIC_SLICE ||
           o == HLO_OP_CONCATENATE || o == HLO_OP_REVERSE;
}

static enum trace_pattern find_pattern(const struct importing *im, const struct hlo_instruction *i,
                                       const struct import_body *b, const struct import_kernel *k)
{
    bool loop = hlo_text_is(hlo_attribute(im->m, i, "kind"), "kLoop");
    uint64_t most = largest_array(k, b);
    bool sum = false, turn = false, window = false, part = false;

    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        if (n->i == NULL || n->n_in == 0)
            continue;
        const struct hlo_shape *in = import_in(b, n, 0)->shape;
        bool large = hlo_elements(n->shape) > most / 2;
        sum |= !loop && adds_up(n, in);
        turn |= large && turns_minor(im, n, in);
        window |= n->i->opcode == HLO_OP_REDUCE_WINDOW || n->i->opcode == HLO_OP_SELECT_AND_SCATTER;
        part |= large && takes_parts(n->i->opcode);
    }
    return sum      ? TRACE_PATTERN_REDUCTION
           : turn   ? TRACE_PATTERN_TRANSPOSED
           : window ? TRACE_PATTERN_WINDOWS
           : part   ? TRACE_PATTERN_STRIDED
                    : TRACE_PATTERN_CONTIGUOUS;
}

/* --- sorts ---------------------------------------------------------------------------------- */

/* Kernels of a sort of 2^stages keys by exchanges of pairs. */
static uint64_t count_exchanges(uint64_t keys)
{
    uint64_t stages = 0, kernels = 1;

    while (stages < 62 && UINT64_C(1) << stages < keys)
        stages++;
    for (uint64_t s = SORT_TILE_LOG; s < stages; s++)
        kernels += s - SORT_TILE_LOG + 1 + 1; /* pairs far apart, each; the others together */
    return kernels;
}

/* --- products ------------------------------------------------------------------------------- */

static void copy_sides(struct trace_sides *to, const struct hlo_shape *s, uint32_t first,
                       uint32_t second, const uint32_t *spatial, uint32_t n)
{
    to->n = n + 2;
    to->dim[0] = s->dim[first];
    to->dim[1] = s->dim[second];
    for (uint32_t d = 0; d < n; d++)
        to->dim[2 + d] = s->dim[spatial[d]];
}

static bool is_minor(const struct hlo_shape *s, uint32_t d)
{
    return s->layout.given ? s->layout.minor_first[0] == d : d == s->rank - 1;
}

/* Images, filter and result of a convolution of a library.  Of their layouts only counts which
 * dimension of the images is contiguous. */
static void describe_conv(struct import_kernel *k, const struct import_product *p)
{
    const struct hlo_dim_labels *l = &p->l;
    bool strided = false, dilated = false;

    if (p->call == TRACE_PASS_NONE || l->rank < 1 || l->rank > 3)
        return;
    k->facts.conv = p->call;
    k->facts.channels_first = !is_minor(p->in, l->input_feature);
    copy_sides(&k->facts.image, p->in, l->input_batch, l->input_feature, l->input, l->rank);
    copy_sides(&k->facts.filter, p->kernel, l->kernel_output, l->kernel_input, l->kernel, l->rank);
    copy_sides(&k->facts.result, p->out, l->output_batch, l->output_feature, l->output, l->rank);
    for (uint32_t d = 0; d < l->rank; d++) {
        k->facts.strides.dim[d] = p->w.dim[d].stride;
        k->facts.dilates.dim[d] = p->w.dim[d].rhs_dilate;
        strided |= p->w.dim[d].stride != 1;
        dilated |= p->w.dim[d].rhs_dilate != 1;
    }
    k->facts.strides.n = strided ? l->rank : 0;
    k->facts.dilates.n = dilated ? l->rank : 0;
}

/* The epilogue of a library: an operation on each result for each operand behind two. */
static void add_epilogue(const struct importing *im, const struct hlo_instruction *i,
                         struct import_kernel *k)
{
    uint64_t more = i->n_operands > 2 ? i->n_operands - 2 : 0;

    if (i->opcode != HLO_OP_CUSTOM_CALL)
        return;
    uint64_t work = import_multiply(more, hlo_elements(import_leaf_shape(i->shape, 0)));
    k->facts.vector[TRACE_VECTOR_ADD] = import_add(k->facts.vector[TRACE_VECTOR_ADD], work);
    k->flops = import_add(k->flops, work);
    (void)im;
}

static enum hlo_dtype type_of_part(enum hlo_dtype d)
{
    return d == HLO_C64 ? HLO_F32 : d == HLO_C128 ? HLO_F64 : d;
}

/* 1 + the type of a trace that has its name; 0: none has. */
static uint8_t number_type(enum hlo_dtype d)
{
    for (uint8_t t = 0; t < TRACE_N_DTYPES; t++)
        if (strcmp(trace_dtype_name[t], hlo_dtype_name[d]) == 0)
            return t + 1;
    return 0;
}

static void finish_kernel(struct importing *im, const struct hlo_instruction *i,
                          const struct import_config *c, const struct import_body *b,
                          const struct import_product *p, struct import_kernel *k)
{
    (void)c;
    k->facts.xlu = k->facts.loads = k->facts.stores = k->facts.channel_taps = 0;
    k->facts.node = import_graph_joins(im, i);
    k->facts.vector[TRACE_VECTOR_SUBLANES] = 0;
    memset(k->held, 0, k->n_in * sizeof *k->held);
    if (p) {
        k->facts.has_lanes = p->has_lanes;
        memcpy(k->facts.lanes, p->lanes, sizeof k->facts.lanes);
        describe_conv(k, p);
        import_tile_read(im, i, b, p, k);
        bool wider = hlo_dtype_bits[p->kernel->dtype] > hlo_dtype_bits[p->in->dtype];
        k->facts.operands = number_type(type_of_part((wider ? p->kernel : p->in)->dtype));
        add_epilogue(im, i, k);
        return;
    }
    if (k->facts.form == TRACE_FORM_SORT)
        k->facts.rounds = count_exchanges(k->cols);
    else if (k->facts.form != TRACE_FORM_GATHER && k->facts.form != TRACE_FORM_SCATTER)
        k->facts.pattern = find_pattern(im, i, b, k);
    if (k->facts.pattern == TRACE_PATTERN_REDUCTION)
        find_columns(im, b, k);
}

const struct import_compiler import_gpu = { .name = "XLA:GPU",
                                            .provenance = "compiled for a GPU: which kernels its "
                                                          "libraries take is not in the text",
                                            .gpu = true,
                                            .vector = count_elements,
                                            .finish = finish_kernel };

/* --- calls ---------------------------------------------------------------------------------- */

static bool starts_with(const struct importing *im, const struct hlo_instruction *i,
                        const char *prefix)
{
    struct hlo_text t = hlo_attribute(im->m, i, "custom_call_target");
    size_t n = strlen(prefix);

    return t.size > n && memcmp(t.at + 1, prefix, n) == 0;
}

bool import_gpu_is_workspace(const struct importing *im, const struct hlo_instruction *i,
                             uint32_t leaf)
{
    static const char *const libraries[] = { "__cudnn$", "__cublas$", "__cub$", "__cusolver$" };
    uint32_t leaves = import_leaves(i->shape);

    if (i->opcode != HLO_OP_CUSTOM_CALL || leaves < 2 || leaf + 1 != leaves)
        return false;
    enum hlo_dtype d = import_leaf_shape(i->shape, leaf)->dtype;
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++)
        if (starts_with(im, i, libraries[k]))
            return d == HLO_S8 || d == HLO_U8;
    return false;
}

bool import_gpu_call(const struct importing *im, const struct hlo_instruction *i,
                     const struct hlo_shape *s, struct import_kernel *k)
{
    if (starts_with(im, i, "__cub$DeviceRadixSort") || starts_with(im, i, "xla.gpu.ext.cub_sort")) {
        k->facts.form = TRACE_FORM_SORT;
        k->rows = 1;
        k->cols = hlo_elements(s);
        k->facts.rounds = (import_shape_bits(s) + RADIX_BITS - 1) / RADIX_BITS;
        return true;
    }
    if (starts_with(im, i, "cu_threefry2x32")) {
        k->facts.form = TRACE_FORM_VECTOR;
        k->flops = import_multiply(hlo_elements(import_leaf_shape(i->shape, 0)),
                                   THREEFRY_OPS * import_leaves(i->shape));
        k->facts.vector[TRACE_VECTOR_ADD] = k->flops;
        return true;
    }
    return false;
}
