/* result_visit_memory.c - the figures of a result's memory (result_visit.h). */
#include "base/exact.h"
#include "run/result/margin.h"
#include "run/visit/result_visit.h"
#include "run/visit/visit_value.h"

static void visit_nothing(const struct result_visitor *v, const char *name)
{
    v->value(v->self, &(struct result_value){ .name = name, .unit = "", .kind = RESULT_NOTHING });
}

static void visit_remedies(const struct result_visitor *v, const struct run_result *r)
{
    EXACT_Q(cost);

    v->open(v->self, "remedies", RESULT_LIST);
    for (size_t i = 0; i < r->n_remedies; i++) {
        const struct run_remedy *m = &r->remedies[i];
        visit_group(v, NULL);
        visit_text(v, "what", m->what);
        visit_integer(v, "saves_bytes", "B", m->saves);
        visit_integer(v, "peak_bytes_per_core", "B", m->peak);
        if (m->about && m->fits)
            visit_nothing(v, "fits"); /* nobody knows */
        else
            visit_flag(v, "fits", m->fits);
        mpq_set_si(cost, m->cost_permille, 1000);
        mpq_canonicalize(cost);
        visit_decimal(v, "cost", "ratio", cost, m->tried);
        v->close(v->self);
    }
    v->close(v->self);
}

/* The memory that is left, and the other case of the switch that the peak depends on. */
static void visit_margin(const struct result_visitor *v, const struct run_result *r)
{
    const struct run_fit_switch *s = &r->fit_switch;

    EXACT_Q(margin);
    margin_of(margin, r);
    visit_decimal(v, "margin", "ratio", margin, r->capacity_bytes_per_core != 0);
    visit_flag(v, "close", margin_is_close(r));
    visit_flag(v, "rests_on_switch", margin_rests_on_switch(r));
    if (!s->known) {
        visit_nothing(v, "switched");
        return;
    }
    visit_group(v, "switched");
    visit_text(v, "set", s->set);
    visit_integer(v, "peak_bytes_per_core", "B", s->peak);
    visit_flag(v, "fits", s->fits);
    v->close(v->self);
}

/* The owners of the bytes at the peak: lines of source or scopes. */
static void visit_owners(const struct result_visitor *v, const char *name,
                         const struct run_owner *o, size_t n)
{
    if (n == 0)
        return;
    v->open(v->self, name, RESULT_ROWS);
    for (size_t i = 0; i < n; i++) {
        visit_group(v, NULL);
        visit_text(v, "name", o[i].name);
        visit_text(v, "role", result_role_name[o[i].role]);
        visit_integer(v, "bytes", "B", o[i].bytes);
        visit_integer(v, "buffers", "", o[i].buffers);
        visit_text(v, "largest", o[i].largest);
        visit_integer(v, "largest_bytes", "B", o[i].largest_bytes);
        v->close(v->self);
    }
    v->close(v->self);
}

/* The buffers alive at the peak. */
static void visit_buffers(const struct result_visitor *v, const struct run_owners *o)
{
    v->open(v->self, "buffers", RESULT_ROWS);
    for (size_t i = 0; i < o->n_buffers; i++) {
        const struct run_buffer *b = &o->buffer[i];
        visit_group(v, NULL);
        visit_text(v, "name", b->name);
        visit_text(v, "shape", b->shape);
        visit_text(v, "role", result_role_name[b->role]);
        visit_integer(v, "bytes", "B", b->bytes);
        visit_integer(v, "logical_bytes", "B", b->logical);
        visit_text(v, "made", b->made);
        visit_text(v, "last", b->last);
        visit_text(v, "scope", b->scope);
        visit_text(v, "source", b->source);
        v->close(v->self);
    }
    v->close(v->self);
}

/* The peak that the compiler reports beside ours; nothing for a trace that states none. */
static void visit_compiler(const struct result_visitor *v, const struct run_compiler_peak *p)
{
    if (p->stated == 0)
        return;
    EXACT_Q(error);
    EXACT_Q(one);
    exact_ratio(error, p->counted, p->stated);
    mpq_set_ui(one, 1, 1);
    mpq_sub(error, error, one);
    visit_group(v, "compiler");
    visit_integer(v, "peak_bytes_per_core", "B", p->stated);
    visit_integer(v, "counted_bytes_per_core", "B", p->counted);
    visit_decimal(v, "error", "ratio", error, true);
    visit_flag(v, "agrees", p->agrees);
    v->close(v->self);
}

static void visit_on_chip(const struct result_visitor *v, const char *name,
                          const struct run_on_chip *m)
{
    if (m->peak == 0)
        return;
    visit_group(v, name);
    visit_integer(v, "peak_bytes", "B", m->peak);
    visit_integer(v, "capacity_bytes", "B", m->capacity);
    visit_flag(v, "fits", m->peak <= m->capacity);
    v->close(v->self);
}

/* The peaks of the memories in which a compiled program keeps values, besides HBM. */
static void visit_elsewhere(const struct result_visitor *v, const struct footprint *m)
{
    static const struct {
        enum trace_space space;
        const char *name;
    } memory[] = { { TRACE_IN_VMEM, "vmem" },
                   { TRACE_IN_CMEM, "cmem" },
                   { TRACE_IN_HOST, "host" } };
    const size_t n = sizeof memory / sizeof *memory;
    uint64_t all = 0;

    for (size_t i = 0; i < n; i++)
        all += m->elsewhere[memory[i].space];
    if (all == 0)
        return;
    visit_group(v, "elsewhere");
    for (size_t i = 0; i < n; i++)
        visit_integer(v, memory[i].name, "B", m->elsewhere[memory[i].space]);
    v->close(v->self);
}

void result_visit_memory(const struct result_visitor *v, const struct run_result *r)
{
    visit_group(v, "memory");
    visit_integer(v, "peak_bytes_per_core", "B", r->peak_bytes_per_core);
    visit_integer(v, "capacity_bytes_per_core", "B", r->capacity_bytes_per_core);
    visit_flag(v, "fits", r->fits);
    visit_margin(v, r);
    visit_group(v, "roles");
    for (int i = 0; i < N_FOOTPRINT_ROLES; i++)
        visit_integer(v, result_role_name[i], "B", r->memory.role[i]);
    v->close(v->self);
    visit_integer(v, "padding_bytes", "B", r->memory.padding);
    visit_text(v, "peak_at", r->peak_at ? r->peak_at : "");
    visit_remedies(v, r);
    visit_elsewhere(v, &r->memory);
    visit_on_chip(v, "vmem", &r->vmem);
    visit_on_chip(v, "cmem", &r->cmem);
    visit_compiler(v, &r->compiler_peak);
    if (r->compile && *r->compile)
        visit_text(v, "compile_again", r->compile);
    visit_owners(v, "by_source", r->owners.source, r->owners.n_sources);
    visit_owners(v, "by_scope", r->owners.scope, r->owners.n_scopes);
    visit_buffers(v, &r->owners);
    v->close(v->self);
}
