#include "sweep/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/line.h"
#include "base/memory.h"
#include "base/param.h"
#include "base/text_write.h"
#include "cost/proxy.h"

#define MAX_STEPS 1000000000

void plan_words_add(struct plan_words *w, const char *word, size_t length)
{
    MEMORY_ADD(w->word, w->n);
    w->word[w->n] = memory_copy_part(word, length);
    w->n++;
}

void plan_words_free(struct plan_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->word[i]);
    free(w->word);
    *w = (struct plan_words){ 0 };
}

void plan_init(struct plan *p)
{
    *p = (struct plan){ .steps = 1 };
}

void plan_free(struct plan *p)
{
    plan_words_free(&p->traces);
    plan_words_free(&p->machines);
    plan_words_free(&p->set);
    plan_words_free(&p->proxy);
    plan_words_free(&p->where);
    plan_words_free(&p->once);
    plan_words_free(&p->axes);
    plan_words_free(&p->zips);
    plan_words_free(&p->pool);
    for (size_t i = 0; i < p->n_traces; i++)
        plan_words_free(&p->trace[i].set);
    for (size_t i = 0; i < p->n_axes; i++)
        axis_free(&p->axis[i]);
    for (size_t i = 0; i < p->n_points; i++)
        free(p->point[i]);
    free(p->prices);
    free(p->trace);
    free(p->axis);
    free(p->zip);
    free(p->point);
    *p = (struct plan){ 0 };
}

/* --- statements ------------------------------------------------------------------------------ */

static int parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *v, struct err *err)
{
    bool digits = *text && text[strspn(text, "0123456789")] == '\0';

    errno = 0;
    unsigned long long n = digits ? strtoull(text, NULL, 10) : 0;
    if (!digits || errno || n < min || n > max)
        return err_set(err, ERR_RANGE, "'%.40s': expected a count from %" PRIu64 " to %" PRIu64,
                       text, min, max);
    *v = n;
    return 0;
}

static int yes_or_no(const char *text, bool *v, struct err *err)
{
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        return err_set(err, ERR_FORMAT, "'%.40s': expected yes or no", text);
    *v = *text == 'y';
    return 0;
}

static int add_sample(struct plan *p, const char *text, struct err *err)
{
    if (strncmp(text, "lhs:", 4) == 0)
        p->sampling = PLAN_LHS;
    else if (strncmp(text, "sobol:", 6) == 0)
        p->sampling = PLAN_SOBOL;
    else
        return err_set(err, ERR_FORMAT, "'%.40s': expected lhs:N or sobol:N, such as lhs:100",
                       text);
    return parse_count(strchr(text, ':') + 1, 1, PLAN_MAX_POINTS, &p->samples, err);
}

static int add_proxy(struct plan *p, const char *text, struct err *err)
{
    struct proxy_params probe;

    param_defaults(&proxy_param_table, &probe);
    plan_words_add(&p->proxy, text, strlen(text));
    return proxy_set(&probe, text, err);
}

/* A word as it is read back from a plan that was printed: without blanks at its ends and, of an
 * axis, around its "=".  An axis is a line of its own there, which must not be a section's title or
 * a comment. */
static int add_word(struct plan_words *w, const char *text, bool axis, struct err *err)
{
    char *copy = memory_copy(text), *word = line_trim(copy);
    char *eq = axis ? strchr(word, '=') : NULL, *joined = NULL;
    int rc = 0;

    if (axis && *word && strchr("[#;", *word))
        rc = err_set(err, ERR_FORMAT, "'%.40s': expected NAME=VALUES, such as mxu.count=1,2,4",
                     word);
    if (eq) {
        *eq = '\0';
        const char *name = line_trim(word);
        word = joined = memory_format("%s=%s", name, line_trim(eq + 1));
    }
    if (rc == 0)
        plan_words_add(w, word, strlen(word));
    free(joined);
    free(copy);
    return rc;
}

/* Note a statement that has one value, and refuse another one. */
static int note_once(struct plan *p, const char *key, const char *value, struct err *err)
{
    char *text = memory_format("%s=%s", key, value);
    size_t i = 0;

    while (i < p->once.n && strcmp(p->once.word[i], text) != 0)
        i++;
    if (i == p->once.n)
        plan_words_add(&p->once, text, strlen(text));
    free(text);
    return param_once((const char *const *)p->once.word, p->once.n, err);
}

int plan_add(struct plan *p, const char *key, const char *value, struct err *err)
{
    static const char *const names[] = { "trace",         "machine", "set",   "where", "axis",
                                         "zip",           "sample",  "seed",  "steps", "exact",
                                         "allow-unknown", "retile",  "allow", "prices" };
    struct plan_words *const lists[] = { &p->traces, &p->machines, &p->set,
                                         &p->where,  &p->axes,     &p->zips };
    unsigned n = sizeof names / sizeof *names, i = 0;
    int rc = 0;

    while (i < n && strcmp(names[i], key) != 0)
        i++;
    if (i == n) {
        const char *near = err_nearest(key, names, n);
        return err_set(err, ERR_UNKNOWN, "unknown word '%.40s' of a plan%s%s%s", key,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!*value)
        return err_set(err, ERR_FORMAT, "%s: no value", key);
    /* a newline would be one more statement when the plan is read again */
    if (text_bad_byte(value, false) != SIZE_MAX)
        return err_set(err, ERR_FORMAT, "%s: a value that is no UTF-8 or has control characters",
                       key);
    /* blanks around a value are lost when the plan is written and read again */
    if ((i < 2 || i == n - 1) && (*value == ' ' || value[strlen(value) - 1] == ' '))
        return err_set(err, ERR_FORMAT, "%s: '%.200s': a name that begins or ends with a blank",
                       key, value);
    if (strcmp(key, "set") == 0 && strncmp(value, "proxy.", 6) == 0)
        rc = add_proxy(p, value, err);
    else if (i < sizeof lists / sizeof *lists)
        rc = add_word(lists[i], value, lists[i] == &p->axes, err);
    else if (strcmp(key, "allow") != 0 && note_once(p, key, value, err) != 0)
        return -1;
    else if (strcmp(key, "sample") == 0)
        rc = add_sample(p, value, err);
    else if (strcmp(key, "seed") == 0)
        rc = parse_count(value, 0, UINT64_MAX, &p->seed, err);
    else if (strcmp(key, "steps") == 0)
        rc = parse_count(value, 1, MAX_STEPS, &p->steps, err);
    else if (strcmp(key, "allow") == 0)
        rc = allow_read(&p->allow, value, err);
    else if (strcmp(key, "prices") == 0)
        p->prices = p->prices ? p->prices : memory_copy(value);
    else
        rc = yes_or_no(value,
                       *key == 'e'   ? &p->exact
                       : *key == 'r' ? &p->retile
                                     : &p->allow_unknown,
                       err);
    return rc == 0 ? 0 : err_at(err, "%s", key);
}

/* --- reading --------------------------------------------------------------------------------- */

/* One line; *section says in which it stands: 0 none, 1 [sweep], 2 [axis]. */
static int read_line(struct plan *p, char *line, int *section, struct err *err)
{
    char *text = line_trim(line), *eq = strchr(text, '='), *joined;

    if (*text == '\0' || *text == '#' || *text == ';')
        return 0;
    if (*text == '[') {
        *section = strcmp(text, "[sweep]") == 0 ? 1 : strcmp(text, "[axis]") == 0 ? 2 : 0;
        return *section ? 0
                        : err_set(err, ERR_UNKNOWN, "'%.40s': a plan has [sweep] and [axis]", text);
    }
    if (!eq || !*section)
        return err_set(err, ERR_FORMAT,
                       eq ? "'%.40s' stands before [sweep] and [axis]"
                          : "'%.40s': expected key = value",
                       text);
    *eq = '\0';
    char *key = line_trim(text), *value = line_trim(eq + 1);
    if (*section == 1)
        return plan_add(p, key, value, err);
    joined = memory_format("%s=%s", key, value);
    int rc = plan_add(p, "axis", joined, err);
    free(joined);
    return rc;
}

static int read_stream(struct plan *p, const char *name, FILE *in, struct err *err)
{
    char *line = memory_resize(NULL, LINE_ROOM, 1);
    int lineno = 0, section = 0, rc;

    while ((rc = line_next(in, line, err)) != 0) {
        lineno++;
        if (rc > 0)
            rc = read_line(p, line, &section, err);
        if (rc != 0) {
            err_at(err, "%s:%d", name, lineno);
            break;
        }
    }
    if (rc == 0 && ferror(in))
        rc = err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    free(line);
    return rc;
}

int plan_read(struct plan *p, const char *path, struct err *err)
{
    FILE *in = fopen(path, "r");

    if (!in)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    int rc = read_stream(p, path, in, err);
    fclose(in);
    return rc;
}

int plan_read_text(struct plan *p, const char *name, const char *text, struct err *err)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    if (!in)
        return err_set(err, ERR_FORMAT, "%s: the plan is empty", name);
    int rc = read_stream(p, name, in, err);
    fclose(in);
    return rc;
}

/* --- writing --------------------------------------------------------------------------------- */

static void print_words(const char *key, const struct plan_words *w, FILE *out)
{
    for (size_t i = 0; i < w->n; i++)
        fprintf(out, "%s = %s\n", key, w->word[i]);
}

void plan_print(const struct plan *p, FILE *out)
{
    static const char *const sampling[] = { "", "lhs", "sobol" };

    fputs("[sweep]\n", out);
    print_words("trace", &p->traces, out);
    print_words("machine", &p->machines, out);
    print_words("set", &p->set, out);
    print_words("set", &p->proxy, out);
    if (p->prices)
        fprintf(out, "prices = %s\n", p->prices);
    print_words("where", &p->where, out);
    print_words("zip", &p->zips, out);
    if (p->sampling)
        fprintf(out, "sample = %s:%" PRIu64 "\nseed = %" PRIu64 "\n", sampling[p->sampling],
                p->samples, p->seed);
    fprintf(out, "steps = %" PRIu64 "\n", p->steps);
    if (p->exact)
        fputs("exact = yes\n", out);
    if (p->allow_unknown)
        fputs("allow-unknown = yes\n", out);
    if (p->retile)
        fputs("retile = yes\n", out);
    allow_print(&p->allow, "allow = ", "\n", out);
    fputs("\n[axis]\n", out);
    for (size_t i = 0; i < p->axes.n; i++) {
        const char *word = p->axes.word[i],
                   *values = strchr(word, '='); /* plan_axes asks for one */
        fprintf(out, "%.*s = %s\n", (int)strcspn(word, "="), word, values ? values + 1 : "");
    }
}

char *plan_text(const struct plan *p)
{
    struct memory_text t;

    memory_text_begin(&t);
    plan_print(p, t.out);
    return memory_text_end(&t);
}

uint64_t plan_checksum(const struct plan *p)
{
    char *text = plan_text(p);
    uint64_t sum = XXH64(text, strlen(text), 0);

    free(text);
    return sum;
}

/* --- points ---------------------------------------------------------------------------------- */

const char *plan_value(const struct plan *p, size_t point, const char *name)
{
    for (size_t a = 0; a < p->n_axes; a++)
        if (strcmp(p->axis[a].name, name) == 0)
            return p->point[point][a];
    return NULL;
}

const char *plan_machine(const struct plan *p, size_t point)
{
    const char *value = plan_value(p, point, "machine");

    return value ? value : p->machines.word[0];
}

const struct plan_trace *plan_trace(const struct plan *p, size_t point)
{
    const char *value = plan_value(p, point, "trace");

    for (size_t i = 0; value && i < p->n_traces; i++)
        if (strcmp(p->trace[i].text, value) == 0)
            return &p->trace[i];
    return &p->trace[0];
}
