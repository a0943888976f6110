#include "study/validate/validate_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/param.h"
#include "import/open.h"
#include "passes/shard/shard.h"
#include "study/op/op.h"
#include "study/validate/packed.h"

#define MAX_WORDS 24
#define COMPILED "compiled:"

/* Parameters, sorted by their receiver; the words are in `text`. */
struct words {
    char text[VALIDATE_CASE_PARAMETERS];
    const char **set;            /* for the machine */
    const char *arg[MAX_WORDS];  /* for the workload */
    const char *axis[MAX_WORDS]; /* for cutting the step */
    size_t n_set, n_args, n_axes;
};

/* Add the settings of all rows, but for parameters that this one sets itself. */
static void add_settings(struct words *w, const struct validate_request *q)
{
    size_t own = w->n_set;

    for (size_t i = 0; i < q->n_set; i++) {
        size_t k = 0;
        while (k < own && !param_same_key(w->set[k], q->set[i]))
            k++;
        if (k == own)
            w->set[w->n_set++] = q->set[i];
    }
}

/* Fill in `w`; w->set is to be freed, after an error too. */
static int split_words(struct words *w, const struct validate_case *r,
                       const struct validate_request *q, struct err *err)
{
    static const char *const fast[] = { "host.infeed_overhead=0 s",
                                        "host.infeed_bandwidth=10 TB/s" };
    size_t n = 0;
    char *rest;

    *w = (struct words){ .set = memory_zeroed(MAX_WORDS + 2 + q->n_set, sizeof *w->set) };
    if (strlen(r->parameters) >= sizeof w->text)
        return err_set(err, ERR_FORMAT, "parameters of more than %zu bytes", sizeof w->text - 1);
    strcpy(w->text, r->parameters);
    for (char *word = strtok_r(w->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const char *point = strchr(word, '.'), *value = strchr(word, '=');
        if (++n > MAX_WORDS)
            return err_set(err, ERR_FORMAT, "more than %d parameters", MAX_WORDS);
        if (!point || !value || point > value)
            w->arg[w->n_args++] = word;
        else if (strncmp(word, "shard.", 6) == 0)
            w->axis[w->n_axes++] = word + 6;
        else
            w->set[w->n_set++] = word;
    }
    for (size_t i = 0; r->device && i < 2; i++)
        w->set[w->n_set++] = fast[i];
    add_settings(w, q);
    return 0;
}

/* The word behind "batch=", "" if there is none. */
static const char *find_batch(const struct words *w)
{
    for (size_t i = 0; i < w->n_args; i++)
        if (strncmp(w->arg[i], "batch=", 6) == 0)
            return w->arg[i] + 6;
    return "";
}

/* The program that is kept as compiled for the generation of the machine: "gan3d,64" of
 * "programs_tpu_v3". */
static int copy_program(const struct validate_case *r, const struct words *w, char **text,
                        size_t *size, struct err *err)
{
    char stem[64], name[64];
    struct packed packed;
    int rc = 0;

    snprintf(stem, sizeof stem, "programs_%.*s", (int)strcspn(r->machine + 4, "-") + 4, r->machine);
    stem[strcspn(stem, "-")] = '_';
    snprintf(name, sizeof name, "%s,%s", r->workload + strlen(COMPILED), find_batch(w));
    if (packed_open(&packed, stem, err) != 0)
        return -1;
    const struct packed_module *m = packed_find(&packed, name);
    if (m) {
        *text = memory_copy_part(m->text, m->size);
        *size = m->size;
    } else {
        rc = err_set(err, ERR_UNKNOWN, "%s: no program %s is kept as compiled", stem, name);
    }
    packed_close(&packed);
    return rc;
}

/* The trace of a core; to be freed, after an error too. */
static int write_trace(const struct validate_case *r, const struct validate_request *q,
                       const struct words *w, char **text, size_t *size, struct err *err)
{
    struct memory_text whole, part;
    struct shard_plan plan;
    struct trace *t;

    if (strncmp(r->workload, COMPILED, strlen(COMPILED)) == 0)
        return copy_program(r, w, text, size, err);
    memory_text_begin(&whole);
    int rc = q->generate(r->workload, w->arg, w->n_args, whole.out, err);
    *text = memory_text_end(&whole);
    *size = whole.size;
    if (rc != 0 || w->n_axes == 0)
        return rc;
    if (shard_plan_read(&plan, w->axis, w->n_axes, err) != 0 ||
        import_open_memory(&t, r->workload, whole.text, whole.size, false, err) != 0)
        return -1;
    memory_text_begin(&part);
    rc = shard_write(t, &plan, part.out, err);
    trace_close(t);
    *text = memory_text_end(&part);
    *size = part.size;
    free(whole.text);
    return rc;
}

static struct run_request make_request(const struct validate_case *r, const struct words *w)
{
    return (struct run_request){
        .trace = r->workload, .machine = r->machine, .set = w->set, .n_set = w->n_set, .steps = 1
    };
}

static int run_case(const struct validate_case *r, const struct validate_request *q,
                    const struct words *w, struct run_result *result, struct err *err)
{
    char *text = NULL;

    struct run_request run = make_request(r, w);
    if (strncmp(r->workload, "op ", 3) == 0) {
        struct op_request op = {
            .kind = r->workload + 3, .arg = w->arg, .n_args = w->n_args, .run = run
        };
        return op_run(&op, result, err);
    }
    int rc = write_trace(r, q, w, &text, &run.text_size, err);
    run.text = text;
    if (rc == 0)
        rc = run_replay(&run, result, err);
    free(text);
    return rc;
}

int validate_case_run(const struct validate_case *r, const struct validate_request *q,
                      struct run_result *result, struct err *err)
{
    struct words w;
    int rc = split_words(&w, r, q, err);

    if (rc == 0)
        rc = run_case(r, q, &w, result, err);
    free(w.set);
    return rc;
}

int validate_case_memory(const struct validate_case *r, const struct validate_request *q,
                         struct run_memory *m, struct err *err)
{
    struct words w;
    char *text = NULL;

    if (strncmp(r->workload, "op ", 3) == 0)
        return err_set(err, ERR_FORMAT, "%s has no step in memory", r->workload);
    int rc = split_words(&w, r, q, err);
    if (rc == 0) {
        struct run_request run = make_request(r, &w);
        rc = write_trace(r, q, &w, &text, &run.text_size, err);
        run.text = text;
        if (rc == 0)
            rc = run_lower(&run, m, err);
    }
    free(text);
    free(w.set);
    return rc;
}
