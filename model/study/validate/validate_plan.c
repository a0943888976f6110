/* Rows and jobs, added while the tables are read. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/spec/catalog.h"
#include "study/validate/validate_job.h"

void validate_set_text(char **text, const char *s)
{
    char *c = memory_copy(s);

    free(*text);
    *text = c;
}

const char *validate_intern(struct validate_result *v, const char *name)
{
    for (size_t i = 0; i < v->n_names; i++)
        if (strcmp(v->name[i], name) == 0)
            return v->name[i];
    MEMORY_ADD(v->name, v->n_names);
    return v->name[v->n_names++] = memory_copy(name);
}

struct validate_row *validate_add_row(struct validate_result *v, const char *class,
                                      const char *machine, const char *what, const char *metric,
                                      const char *unit, const char *source)
{
    MEMORY_ADD(v->row, v->n_rows);
    struct validate_row *r = &v->row[v->n_rows++];
    *r = (struct validate_row){ .class = class,
                                .machine = memory_copy(machine),
                                .what = memory_copy(what),
                                .metric = memory_copy(metric),
                                .unit = memory_copy(unit),
                                .source = memory_copy(source),
                                .note = memory_copy(""),
                                .workload = memory_copy(""),
                                .parameters = memory_copy(""),
                                .claim = memory_copy(""),
                                .relation = memory_copy(""),
                                .answer = memory_copy("") };
    mpq_inits(r->measured, r->predicted, r->error, r->tolerance, r->estimate, r->added, NULL);
    return r;
}

void validate_fail(struct validate_row *r, const char *why)
{
    r->status = VALIDATE_FAILED;
    validate_set_text(&r->note, why);
}

struct validate_job *validate_add_job(struct validate_plan *p, enum validate_kind kind,
                                      const char *machine, const char *workload,
                                      const char *parameters, const char *base)
{
    MEMORY_ADD(p->job, p->n_jobs);
    struct validate_job *j = &p->job[p->n_jobs++];
    *j = (struct validate_job){ .kind = kind,
                                .first = p->v->n_rows - 1,
                                .n = 1,
                                .machine = memory_copy(machine),
                                .workload = memory_copy(workload),
                                .parameters = memory_copy(parameters),
                                .base = memory_copy(base) };
    return j;
}

void validate_need_job(struct validate_plan *p, enum validate_kind kind, const char *machine,
                       const char *workload, const char *parameters, const char *base)
{
    struct validate_job *j = p->n_jobs ? &p->job[p->n_jobs - 1] : NULL;

    if (j && j->kind == kind && j->first + j->n == p->v->n_rows - 1 &&
        strcmp(j->machine, machine) == 0 && strcmp(j->workload, workload) == 0 &&
        strcmp(j->parameters, parameters) == 0 && strcmp(j->base, base) == 0)
        j->n++;
    else
        validate_add_job(p, kind, machine, workload, parameters, base);
}

void validate_drop_jobs(struct validate_plan *p, size_t from)
{
    for (size_t i = from; i < p->n_jobs; i++) {
        free(p->job[i].machine);
        free(p->job[i].workload);
        free(p->job[i].parameters);
        free(p->job[i].base);
    }
    p->n_jobs = from;
}

void validate_plan_free(struct validate_plan *p)
{
    validate_drop_jobs(p, 0);
    free(p->job);
    for (size_t i = 0; i < VALIDATE_CHIPS; i++) {
        packed_close(&p->packed[i]);
        packed_close(&p->program[i]);
        spec_free(p->spec[i]);
    }
    *p = (struct validate_plan){ 0 };
}
