#include "passes/passes.h"

#include <inttypes.h>
#include <string.h>

#include "passes/join.h"
#include "passes/liveness.h"
#include "passes/narrow.h"
#include "passes/shard/pipeline.h"

/* A row of the list. */
struct row {
    const char *name;
    unsigned callers;
};

static const struct row rows[] = {
#define P(id, name, callers, doc) { name, callers },
    PASSES(P)
#undef P
};
enum row_id {
#define P(id, name, callers, doc) ROW_##id,
    PASSES(P)
#undef P
        N_ROWS
};
unsigned passes_names(enum passes_caller caller, const char *names[PASSES_MAX])
{
    unsigned n = 0;

    for (unsigned i = 0; i < N_ROWS; i++)
        if (rows[i].callers & caller)
            names[n++] = rows[i].name;
    return n;
}

/* --- before lowering ---------------------------------------------------------------------- */

static void join_values(struct step *step, const struct passes_machine *machine)
{
    if (machine->join)
        join_step(step, machine->room.tiling, machine->narrow);
}

static void narrow_values(struct step *step, const struct passes_machine *machine)
{
    if (machine->narrow && step->head.activations)
        narrow_step(step, step->head.matmul);
}

static void place_values(struct step *step, const struct passes_machine *machine)
{
    placement_step(step, &machine->room);
}

static void print_lives(const struct step *step, const struct passes_machine *machine, FILE *out)
{
    struct liveness l;

    liveness_find(&l, step, TRACE_NO_STAGE, machine->core.replicas, false);
    fputs("# nodes at which values are in memory\n", out);
    for (uint32_t v = step->n_persistent; v < step->n_values; v++) {
        const struct liveness_life *x = &l.life[v];
        if (step->value[v].on_chip)
            continue;
        fprintf(out, "# %%%s %" PRIu32 " to %" PRIu32, step_name(step, v), x->from, x->to);
        for (uint32_t i = 0; i < x->n_gaps; i++)
            fprintf(out, ", free %" PRIu32 " to %" PRIu32, l.gap[x->first_gap + i].from,
                    l.gap[x->first_gap + i].to);
        if (x->place != v)
            fprintf(out, " in place of %%%s", step_name(step, x->place));
        putc('\n', out);
    }
    liveness_free(&l);
}

static void print_footprint(const struct step *step, const struct passes_machine *machine,
                            FILE *out)
{
    static const char *const names[] = {
#define R(id, text, doc) #text,
        FOOTPRINT_ROLES(R)
#undef R
    };
    struct footprint f;

    footprint_peak(&f, step, &machine->core, NULL, &(struct footprint_change){ 0 }, NULL);
    fprintf(out, "# %" PRIu64 " B at the peak, node %" PRIu32 ", without workspace\n", f.total,
            f.at);
    for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
        if (f.role[r])
            fprintf(out, "# %s %" PRIu64 " B\n", names[r], f.role[r]);
    for (int i = 0; i < TRACE_N_SPACES; i++)
        if (f.elsewhere[i])
            fprintf(out, "# %" PRIu64 " B of %s at its peak\n", f.elsewhere[i],
                    trace_space_name[i]);
}

/* Passes in order: how each changes the step, and what it prints of it; either may be NULL. */
static const struct {
    enum row_id row;
    void (*run)(struct step *step, const struct passes_machine *machine);
    void (*print)(const struct step *step, const struct passes_machine *machine, FILE *out);
} prepare[] = {
    { ROW_LOAD, NULL, NULL },
    { ROW_JOIN, join_values, NULL },
    { ROW_NARROW, narrow_values, NULL },
    { ROW_PLACEMENT, place_values, NULL },
    { ROW_LIVENESS, NULL, print_lives },
    { ROW_FOOTPRINT, NULL, print_footprint },
};
#define N_PREPARE (sizeof prepare / sizeof *prepare)
#define P(id, name, callers, doc) +(((callers)&PASSES_PREPARE) != 0)
_Static_assert(N_PREPARE == 0 PASSES(P), "each pass before lowering has its line in `prepare`");
#undef P

void passes_prepare(struct step *step, const struct passes_machine *machine)
{
    for (size_t i = 0; i < N_PREPARE; i++)
        if (prepare[i].run)
            prepare[i].run(step, machine);
}

/* --- dumps -------------------------------------------------------------------------------- */

/* Passes are called up to the one that is asked for, and each is checked. */
struct dump {
    const char *until;
    FILE *out;
    struct err *err;
    bool done;
};

/* Check the step after a pass, and print it if that is the one.  Returns 0 or -1. */
static int end_pass(struct dump *d, enum row_id pass, const struct step *step)
{
    const char *name = rows[pass].name;

    if (step_verify(step, name, d->err) != 0)
        return -1;
    d->done = strcmp(name, d->until) == 0;
    if (d->done)
        step_print(step, d->out);
    return 0;
}

static int dump_step(struct dump *d, struct step *step, const struct passes_machine *machine)
{
    d->done = false;
    for (size_t i = 0; i < N_PREPARE && !d->done; i++) {
        if (prepare[i].run)
            prepare[i].run(step, machine);
        if (end_pass(d, prepare[i].row, step) != 0)
            return -1;
        if (d->done && prepare[i].print)
            prepare[i].print(step, machine, d->out);
    }
    return 0;
}

int passes_dump_prepare(struct trace *t, const struct passes_machine *machine, const char *pass,
                        FILE *out, struct err *err)
{
    struct dump d = { .until = pass, .out = out, .err = err };
    struct step step;
    bool first = true;

    step_init(&step);
    int rc = step_read_tensors(&step, t, err);
    while (rc == 0 && (rc = step_read_next(&step, t, err)) == 1) {
        if (first)
            step_print_head(&step, out);
        first = false;
        rc = dump_step(&d, &step, machine);
    }
    step_free(&step);
    return rc;
}

/* --- cuts --------------------------------------------------------------------------------- */

/* The plan does not run the pass that is asked for. */
static int refuse_dump(const struct dump *d, const char *instead)
{
    return err_set(d->err, ERR_RANGE, "dump = %s: this plan runs %s instead", d->until, instead);
}

static int cut_step(struct dump *d, struct step *to, const struct step *from, const struct trace *t,
                    const struct shard_plan *plan)
{
    bool stages = plan->pipeline > 1;
    enum row_id pass = stages ? ROW_PIPELINE : ROW_SHARD;
    struct pipeline_plan pipeline = shard_pipeline(plan, trace_limits_of(t));

    if (strcmp(d->until, rows[pass].name) != 0)
        return refuse_dump(d, rows[pass].name);
    if ((stages ? pipeline_step(to, from, &pipeline, d->err)
                : shard_step(to, from, plan, d->err)) != 0)
        return -1;
    step_print_head(to, d->out);
    return end_pass(d, pass, to);
}

int passes_dump_shard(struct trace *t, const struct shard_plan *plan, const char *pass, FILE *out,
                      struct err *err)
{
    struct dump d = { .until = pass, .out = out, .err = err };
    struct step from, to;

    step_init(&from);
    step_init(&to);
    int rc = step_read_all(&from, t, err);
    if (rc == 0 && strcmp(pass, rows[ROW_LOAD].name) == 0)
        step_print_head(&from, out);
    if (rc == 0)
        rc = end_pass(&d, ROW_LOAD, &from);
    if (rc == 0 && !d.done)
        rc = cut_step(&d, &to, &from, t, plan);
    step_free(&from);
    step_free(&to);
    return rc;
}

int passes_dump_remat(struct trace *t, const struct remat_plan *plan, const char *pass, FILE *out,
                      struct err *err)
{
    if (strcmp(pass, rows[ROW_LOAD].name) != 0)
        return remat_write(t, plan, out, err);
    return passes_dump_prepare(t, &(struct passes_machine){ 0 }, pass, out, err);
}
