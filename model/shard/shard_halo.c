/* Nodes cut beside edges: a core owns nodes / E rows, and its edges also touch rows of others.
 *
 *      gather    rows that others need --all-to-all--> behind one's own, then the gather
 *      scatter   into one's own rows and those of others; these --all-to-all--> added to their own
 *
 * A buffer has a block of `rows a pair` for each core of the group; that for itself stays empty.
 * Which rows a core lends (%halo.rows) comes with the graph, in its infeed.  What several
 * operations gather from is exchanged once. */
#include <inttypes.h>
#include <string.h>

#include "base/wide.h"
#include "shard/shard_impl.h"
#include "trace/shape.h"

#define ROWS "halo.rows"

uint64_t halo_rows(const struct shard_plan *plan, uint64_t nodes)
{
    uint64_t parts = plan->edges, unit = parts * (parts - 1) * SHARD_HALO_ONE;
    u128 wanted = wide_mul(nodes, plan->halo);

    return parts * (uint64_t)((wanted + unit - 1) / unit);
}

/* --- what operations become --------------------------------------------------------------- */

/* Can `op` see what operation `from`, before it, defines? */
static bool sees(const struct shard *s, const struct shard_op *op, uint32_t from)
{
    uint32_t scope = op->scope;

    if (from == SHARD_NONE)
        return false;
    while (scope != SHARD_NONE && scope != s->op[from].scope)
        scope = s->outer[scope];
    return scope != SHARD_NONE;
}

void halo_infeed(struct shard *s, struct shard_op *op)
{
    if (s->halo_buffer == 0 || sees(s, op, s->halo_infeed))
        return;
    s->halo_infeed = (uint32_t)(op - s->op);
    op->halo = true;
}

void halo_gather(struct shard *s, struct shard_op *op)
{
    uint32_t at = (uint32_t)(op - s->op);
    struct shard_value *table = shard_in(s, op, 0);

    if (s->halo_buffer == 0)
        return;
    BUG_ON(!sees(s, op, s->halo_infeed)); /* or nothing here would be cut by rows */
    op->halo = true;
    if (!sees(s, op, table->exchanged)) {
        table->exchanged = at;
        s->fix[op->first_in] = SHARD_EXCHANGE;
    }
    op->table = table->exchanged;
}

int halo_scatter(struct shard *s, struct shard_op *op, const char *file, struct err *err)
{
    if (s->halo_buffer == 0)
        return 0;
    BUG_ON(!sees(s, op, s->halo_infeed));
    if (op->fusion != SHARD_NONE)
        return err_set(err, ERR_FIT, "%s:%u: halo: a scatter to nodes inside a fusion", file,
                       op->line);
    op->halo = true;
    return 0;
}

/* --- text --------------------------------------------------------------------------------- */

static void print_rows(const struct shard_value *v, uint64_t rows, const char *tail, uint32_t n,
                       FILE *out)
{
    struct trace_shape shape = v->shape;
    char buf[SHAPE_TEXT_MAX];

    shape.dim[0] = rows;
    fprintf(out, "%%%s.%s%" PRIu32 " %s%s", v->name, tail, n, shape_text(buf, &shape),
            v->role == TRACE_GRADIENT ? " gradient" : "");
}

static void indent(uint32_t depth, FILE *out)
{
    for (uint32_t i = 0; i < depth; i++)
        fputs("  ", out);
}

static uint64_t own(const struct shard *s)
{
    return s->node_count / s->parts;
}

/* --all-to-all--> of the rows in %NAME.FROMn to %NAME.TOn */
static void print_exchange(const struct shard *s, const struct shard_value *v, const char *from,
                           const char *to, uint32_t n, FILE *out)
{
    print_rows(v, s->halo_buffer, to, n, out);
    fprintf(out, " = all-to-all(%%%s.%s%" PRIu32 ") name=\"%s.halo\" group=%" PRIu64 "\n", v->name,
            from, n, v->name, s->parts);
}

void halo_print_infeed(const struct shard *s, FILE *out)
{
    fprintf(out, ", %%" ROWS " s32[%" PRIu64 "]", s->halo_buffer);
}

void halo_print_table(const struct shard *s, uint32_t n, uint32_t depth, FILE *out)
{
    const struct shard_value *v = shard_in(s, &s->op[n], 0);

    indent(depth, out);
    print_rows(v, s->halo_buffer, "lent", n, out);
    fprintf(out, " = gather(%%%s, %%" ROWS ") name=\"%s.lent\"\n", v->name, v->name);
    indent(depth, out);
    print_exchange(s, v, "lent", "halo", n, out);
    indent(depth, out);
    print_rows(v, own(s) + s->halo_buffer, "near", n, out);
    fprintf(out, " = copy(%%%s, %%%s.halo%" PRIu32 ") name=\"%s.near\"\n", v->name, v->name, n,
            v->name);
}

void halo_print_result(const struct shard *s, uint32_t n, FILE *out)
{
    print_rows(shard_out(s, &s->op[n], 0), own(s) + s->halo_buffer, "near", n, out);
}

void halo_print_return(const struct shard *s, uint32_t n, uint32_t depth, FILE *out)
{
    const struct shard_value *v = shard_out(s, &s->op[n], 0);
    uint64_t columns = trace_elements(&v->shape) / v->shape.dim[0];
    struct trace_shape shape = v->shape;
    char buf[SHAPE_TEXT_MAX];

    indent(depth, out);
    print_rows(v, own(s), "own", n, out);
    fputs(", ", out);
    print_rows(v, s->halo_buffer, "halo", n, out);
    fprintf(out, " = copy(%%%s.near%" PRIu32 ") name=\"%s.own\"\n", v->name, n, v->name);
    indent(depth, out);
    print_exchange(s, v, "halo", "back", n, out);
    indent(depth, out);
    shape.dim[0] = own(s);
    fprintf(out,
            "%%%s %s%s = scatter(%%%s.back%" PRIu32 ", %%" ROWS ", %%%s.own%" PRIu32
            ") name=\"%s.add\" flops=%" PRIu64 "\n",
            v->name, shape_text(buf, &shape), v->role == TRACE_GRADIENT ? " gradient" : "", v->name,
            n, v->name, n, v->name, s->halo_buffer * columns);
}
