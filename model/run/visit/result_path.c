/* The values of a result by their path, for those who want single numbers
 * (run/visit/result_visit.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "run/visit/result_visit.h"

#define MAX_PATH 256
#define MAX_DEPTH 8
#define DIGITS 17 /* of a decimal in JSON: as many as tell all doubles apart */

struct path_walk {
    result_path_visit *visit;
    void *self;
    char path[MAX_PATH]; /* of the open groups, each with a point behind it */
    size_t end[MAX_DEPTH];
    unsigned depth, lists; /* open groups and lists; of them, lists and what they contain */
};

static void open_part(void *self, const char *name, enum result_shape shape)
{
    struct path_walk *w = self;

    if (w->lists > 0 || shape != RESULT_GROUP) {
        w->lists++;
        return;
    }
    BUG_ON(w->depth + 1 == MAX_DEPTH);
    size_t end = w->end[w->depth];
    int n = snprintf(w->path + end, sizeof w->path - end, "%s.", name);
    BUG_ON(n < 0 || end + (size_t)n >= sizeof w->path);
    w->end[++w->depth] = end + (size_t)n;
}

static void close_part(void *self)
{
    struct path_walk *w = self;

    if (w->lists > 0)
        w->lists--;
    else
        w->depth--;
}

static void visit_value(void *self, const struct result_value *v)
{
    struct path_walk *w = self;

    if (w->lists > 0)
        return;
    size_t end = w->end[w->depth];
    int n = snprintf(w->path + end, sizeof w->path - end, "%s", v->name);
    BUG_ON(n < 0 || end + (size_t)n >= sizeof w->path);
    w->visit(w->self, w->path, v);
}

static struct result_visitor path_visitor(struct path_walk *w)
{
    return (struct result_visitor){ w, open_part, close_part, visit_value };
}

void result_visit_paths(const struct run_result *r, result_path_visit *visit, void *self)
{
    struct path_walk w = { .visit = visit, .self = self };
    const struct result_visitor v = path_visitor(&w);

    result_visit(&v, r);
}

void result_visit_row_paths(const struct run_row *row, result_path_visit *visit, void *self)
{
    struct path_walk w = { .visit = visit, .self = self };
    const struct result_visitor v = path_visitor(&w);

    result_visit_row(&v, row);
}

/* --- one number ------------------------------------------------------------------------------ */

struct search {
    const char *path;
    mpq_ptr q;
    const char *unit; /* NULL: not found */
};

static void set_number(mpq_t q, const struct result_value *v)
{
    switch (v->kind) {
    case RESULT_INTEGER: exact_ratio(q, v->integer, 1); break;
    case RESULT_WHOLE: mpq_set_z(q, v->whole); break;
    case RESULT_DECIMAL: mpq_set(q, v->decimal); break;
    case RESULT_FLAG: mpq_set_ui(q, v->flag, 1); break;
    default: BUG_ON(true);
    }
}

static bool is_number(const struct result_value *v)
{
    return v->known && (v->kind == RESULT_INTEGER || v->kind == RESULT_WHOLE ||
                        v->kind == RESULT_DECIMAL || v->kind == RESULT_FLAG);
}

static void match_path(void *self, const char *path, const struct result_value *v)
{
    struct search *s = self;

    if (s->unit || !is_number(v) || strcmp(path, s->path) != 0)
        return;
    set_number(s->q, v);
    s->unit = v->unit;
}

bool result_number(mpq_t q, const char **unit, const struct run_result *r, const char *path)
{
    struct search s = { .path = path, .q = q };

    result_visit_paths(r, match_path, &s);
    if (unit && s.unit)
        *unit = s.unit;
    return s.unit != NULL;
}

/* GMP's own conversions round towards zero, strtod to the nearest. */
static double nearest_double(mpq_srcptr q)
{
    char text[256];

    return plain_read(exact_decimal(text, sizeof text, q, DIGITS), NULL);
}

static double nearest_double_of_whole(mpz_srcptr z)
{
    char *text = mpz_get_str(NULL, 10, z);
    double d = plain_read(text, NULL);

    free(text);
    return d;
}

double result_double(const struct result_value *v)
{
    BUG_ON(!is_number(v));
    switch (v->kind) {
    case RESULT_INTEGER: return (double)v->integer;
    case RESULT_WHOLE: return nearest_double_of_whole(v->whole);
    case RESULT_FLAG: return v->flag;
    default: return nearest_double(v->decimal);
    }
}
