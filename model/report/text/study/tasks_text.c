/* The lowered loop nest: struct task as text. */
#include <inttypes.h>

#include "base/arith.h"
#include "report/op_report.h"

/* --- loops -------------------------------------------------------------------------------- */

static int print_loop(const char *name, uint64_t extent, uint64_t block, int depth, FILE *out)
{
    uint64_t times = arith_ceil_div(extent, block), rest = extent % block;

    fprintf(out, "%*sfor %s of %" PRIu64 " by %" PRIu64 ": %" PRIu64 " time%s", depth, "", name,
            extent, block, times, times == 1 ? "" : "s");
    if (rest)
        fprintf(out, ", the last of %" PRIu64, rest);
    putc('\n', out);
    return depth + 2;
}

/* The loops around a grid step, outermost first; returns the indentation inside them. */
static int print_loops(const struct task_kernel *k, FILE *out)
{
    const struct task_gemm *g = &k->all.gemm;
    const struct task_block *c = &k->block;
    int depth = 4;

    if (!g->b) {
        fprintf(out, "%*sfor each of %" PRIu64 " even tile%s\n", depth, "", k->grid_steps,
                k->grid_steps == 1 ? "" : "s");
        return depth + 2;
    }
    depth = print_loop("b", g->b, c->b, depth, out);
    depth = print_loop(c->m_outer ? "m" : "n", c->m_outer ? g->m : g->n, c->m_outer ? c->m : c->n,
                       depth, out);
    depth = print_loop(c->m_outer ? "n" : "m", c->m_outer ? g->n : g->m, c->m_outer ? c->n : c->m,
                       depth, out);
    return print_loop("k", g->k, c->k, depth, out);
}

/* --- what a grid step does ---------------------------------------------------------------- */

static uint64_t count_passes(const struct task_gemm *g, uint32_t size,
                             const struct array_mode *mode)
{
    return g->b * array_tiles(size, mode, g->k, g->n);
}

/* Tiles of `size` along all blocks of a dimension. */
static uint64_t count_tiles(uint64_t extent, uint64_t block, uint32_t size)
{
    return extent / block * arith_ceil_div(block, size) + arith_ceil_div(extent % block, size);
}

static uint64_t all_passes(const struct task_kernel *k, uint32_t size)
{
    const struct task_gemm *g = &k->all.gemm;

    return g->b * arith_ceil_div(g->m, k->block.m) *
           count_tiles(g->n, k->block.n, array_columns(size, &k->mode)) *
           count_tiles(g->k, k->block.k, array_depth(size, &k->mode));
}

/* One line of the table: the first grid step, the last one, all of them. */
static void print_line(const char *what, uint64_t first, uint64_t last, uint64_t all,
                       const char *unit, FILE *out)
{
    if (first || last || all)
        fprintf(out, "    %-22s%16" PRIu64 "%16" PRIu64 "%18" PRIu64 "  %s\n", what, first, last,
                all, unit);
}

static void print_moves(const char *stream, const char *rows, const struct task_move *first,
                        const struct task_move *last, const struct task_move *all, FILE *out)
{
    char unit[48];

    print_line(stream, first->bytes, last->bytes, all->bytes, "B", out);
    snprintf(unit, sizeof unit, "rows of %" PRIu64 " B", all->row_bytes);
    print_line(rows, first->rows, last->rows, all->rows, unit, out);
}

/* Parts of a step that the matrix units share: ", m in 2 parts, n in 4 parts". */
static void print_parts(const struct task_parts *p, FILE *out)
{
    const uint32_t count[] = { p->b, p->m, p->k, p->n };

    for (int i = 0; i < 4; i++)
        if (count[i] > 1)
            fprintf(out, ", %c in %" PRIu32 " parts", "bmkn"[i], count[i]);
}

static const char *const vector_names[] = {
#define V(id, text, doc) #text,
    VECTOR_OPS(V)
#undef V
};

static bool vector_work(const struct task_grid_step *s)
{
    for (int op = 0; op < N_VECTOR_OPS; op++)
        if (s->vpu[op])
            return true;
    return false;
}

static void print_kernel(const struct task_kernel *k, const struct cap *cap, FILE *out)
{
    struct task_grid_step first = task_grid_step(k, 0), last = task_grid_step(k, k->grid_steps - 1);
    const struct task_grid_step *all = &k->all;
    bool gemm = all->gemm.b != 0;

    fprintf(out, "kernel of %" PRIu64 " grid step%s", k->grid_steps, k->grid_steps == 1 ? "" : "s");
    if (gemm)
        fprintf(out, ", blocks b %" PRIu64 " m %" PRIu64 " n %" PRIu64 " k %" PRIu64 ", loops %s",
                k->block.b, k->block.m, k->block.n, k->block.k,
                k->block.m_outer ? "b m n k" : "b n m k");
    if (k->joined > 1)
        fprintf(out, ", each of %" PRIu32 " of the program", k->joined);
    putc('\n', out);
    if (k->resident_in)
        fprintf(out, "    read %" PRIu64 " B that stay for all grid steps\n", k->resident_in);
    int depth = print_loops(k, out);
    fprintf(out, "%*sread its tile", depth, "");
    if (gemm) {
        fprintf(out, ", multiply");
        if (cap->mxu_count > 1) {
            fprintf(out, " on %" PRIu32 " MXUs", cap->mxu_count);
            print_parts(&k->parts, out);
        }
    }
    fprintf(out, "%s%s, write its tile\n", vector_work(all) ? ", vector unit" : "",
            all->xlu ? ", XLU" : "");
    if (k->resident_out)
        fprintf(out, "    write %" PRIu64 " B that stayed for all grid steps\n", k->resident_out);
    fprintf(out, "    %-22s%16s%16s%18s\n", "", "first step", "last step", "all steps");
    print_moves("HBM read", "HBM read at random", &first.in, &last.in, &all->in, out);
    print_moves("HBM written", "HBM written at random", &first.out, &last.out, &all->out, out);
    if (gemm) {
        uint64_t times = 1 + k->mode.more_passes;
        print_line("MXU passes", times * count_passes(&first.gemm, cap->mxu.size, &k->mode),
                   times * count_passes(&last.gemm, cap->mxu.size, &k->mode),
                   times * all_passes(k, cap->mxu.size),
                   k->mode.turned ? "weight tiles, turned as they load" : "weight tiles", out);
        if (times > 1)
            fprintf(out, "    %-22s%50" PRIu64 "  times, as f32 operands are bf16 parts\n",
                    "of them each", times);
        if (k->mode.more_rows)
            fprintf(out, "    %-22s%50" PRIu32 "  times that of bf16\n", "speed",
                    1 + k->mode.more_rows);
        print_line("MXU useful", first.gemm.useful, last.gemm.useful, all->gemm.useful,
                   "multiply-accumulates", out);
    }
    for (int op = 0; op < N_VECTOR_OPS; op++) {
        char what[48];
        snprintf(what, sizeof what, "vector unit, %s", vector_names[op]);
        print_line(what, first.vpu[op], last.vpu[op], all->vpu[op], "register operations", out);
    }
    print_line("XLU", first.xlu, last.xlu, all->xlu, "registers", out);
    print_line("CMEM", first.feed, last.feed, all->feed, "B", out);
}

/* --- tasks -------------------------------------------------------------------------------- */

static const char *async_name(enum task_async a)
{
    return a == TASK_START ? " started" : a == TASK_DONE ? " waited for" : "";
}

static void print_collective(const struct task *t, const struct task_program *p, FILE *out)
{
    fprintf(out, "collective%s\n", async_name(t->async));
    for (uint32_t i = 0; i < t->collective.count; i++) {
        const struct task_call *c = &p->call[t->collective.first + i];
        const struct schedule *s = &c->schedule;
        fprintf(out,
                "    call %" PRIu32 ": %s of %" PRIu64 " B of each core by %s, %" PRIu32
                " steps between %" PRIu32 " chips\n",
                i, schedule_kind_name[s->kind], c->bytes,
                s->flow.by ? s->flow.by : schedule_algorithm_name[s->algorithm], schedule_steps(s),
                s->group.size);
    }
}

static void print_work(const struct task_work *w, FILE *out)
{
    fprintf(out, "%s, %" PRIu64 " fs of its CPU", w->client ? "client" : "host", w->cpu_fs);
    if (w->threads > 1)
        fprintf(out, " shared by %" PRIu32 " threads", w->threads);
    if (w->load_bytes)
        fprintf(out, ", %" PRIu64 " B from storage", w->load_bytes);
    if (w->copied)
        fprintf(out, ", %" PRIu64 " B of variables copied", w->copied);
    if (w->compile_fs)
        fprintf(out, ", %" PRIu64 " fs compiling", w->compile_fs);
    fprintf(out, ", %" PRIu64 " B of each core over PCIe and %" PRIu64 " B back%s\n", w->up,
            w->down,
            w->launch    ? "; a program begins"
            : w->restart ? "; a loop begins"
                         : "");
}

static void print_grid(const struct task_grid *g, FILE *out)
{
    fprintf(out,
            "kernel of %" PRIu64 " block%s, %" PRIu64
            " on the SM with the most, simulated in %" PRIu64 " step%s\n",
            g->blocks, g->blocks == 1 ? "" : "s", g->waves, g->steps, g->steps == 1 ? "" : "s");
    fprintf(out,
            "    %" PRIu64 " B read, %" PRIu64 " of them from HBM; %" PRIu64 " B written, %" PRIu64
            " of them to HBM\n",
            g->in.l2, g->in.hbm, g->out.l2, g->out.hbm);
    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        if (g->cycles[pipe])
            fprintf(out, "    %" PRIu64 " cycles of that SM in %s\n", g->cycles[pipe],
                    grid_pipe_name[pipe]);
}

static void print_pool(const struct task_pool *p, FILE *out)
{
    fprintf(out,
            "operation on %" PRIu32 " thread%s, %" PRIu64
            " fs until they begin, simulated in %" PRIu64 " step%s\n"
            "    %" PRIu64 " B read from memory, %" PRIu64 " B written to it\n",
            p->threads, p->threads == 1 ? "" : "s", p->dispatch_fs, p->steps,
            p->steps == 1 ? "" : "s", p->read, p->written);
    for (int part = 0; part < POOL_N_PARTS; part++)
        if (p->cycles[part])
            fprintf(out, "    %" PRIu64 " cycles, %s\n", p->cycles[part], pool_part_name[part]);
}

static void print_sparse(const struct task *t, FILE *out)
{
    const struct task_sparse *s = &t->sparse;

    fprintf(out,
            "kernel on SparseCores%s, %" PRIu64 " B and %" PRIu64 " rows of %" PRIu64
            " B read, %" PRIu64 " B and %" PRIu64 " rows of %" PRIu64 " B written, %" PRIu64
            " operations\n",
            async_name(t->async), s->in.bytes, s->in.rows, s->in.row_bytes, s->out.bytes,
            s->out.rows, s->out.row_bytes, s->operations);
}

void report_tasks(const char *name, const struct task_program *p, const struct cap *cap, FILE *out)
{
    fprintf(out, "%s: %" PRIu32 " task%s\n", name, p->n_tasks, p->n_tasks == 1 ? "" : "s");
    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        fprintf(out, "  task %" PRIu32 ": ", i);
        switch (t->kind) {
        case TASK_KERNEL: print_kernel(&t->kernel, cap, out); break;
        case TASK_GRID: print_grid(&t->grid, out); break;
        case TASK_POOL: print_pool(&t->pool, out); break;
        case TASK_COLLECTIVE: print_collective(t, p, out); break;
        case TASK_INFEED:
        case TASK_OUTFEED:
            fprintf(out, "%s%s, %" PRIu64 " B of each core over PCIe%s\n",
                    t->kind == TASK_INFEED ? "infeed" : "outfeed", async_name(t->async),
                    t->feed.bytes,
                    t->feed.sync ? "; the core waits until the host has read them" : "");
            break;
        case TASK_SEND:
            fprintf(out, "send of %" PRIu64 " B to the core %" PRId64 " on\n", t->send.bytes,
                    t->send.away);
            break;
        case TASK_RECEIVE: fprintf(out, "receive what task %" PRIu32 " sent\n", t->start); break;
        case TASK_HOST: print_work(&t->host, out); break;
        case TASK_COPY:
            fprintf(out, "copy%s, %" PRIu64 " B from HBM and %" PRIu64 " B to it%s\n",
                    async_name(t->async), t->copy.in, t->copy.out,
                    t->copy.host ? ", over PCIe" : "");
            break;
        case TASK_SPARSE: print_sparse(t, out); break;
        case TASK_SCALAR:
            fprintf(out, "%" PRIu64 " cycles of the scalar unit\n", t->scalar.cycles);
            break;
        case TASK_REPEAT: fprintf(out, "repeat %" PRIu64 " times\n", t->loop.trips); break;
        case TASK_END: fprintf(out, "end of task %" PRIu32 "\n", t->loop.begin); break;
        }
    }
}
