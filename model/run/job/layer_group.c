#include "run/job/layer_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

/* An operation where it stands in the program. */
struct op_place {
    struct job_row *row;
    uint64_t every; /* of its step */
    size_t order;
};

/* All places that have one name: an operation in all phases and copies, or a phase. */
struct unit {
    const char *name, *kind;      /* kind "": it is a phase */
    const struct op_place *place; /* n_places of them, in program order */
    size_t n_places;
};

/* Units that do the same work. */
struct layer_class {
    const struct unit *unit; /* n_units of them, in program order */
    size_t n_units;
    char *label;
};

/* --- names but for their numbers -------------------------------------------------------------- */

static bool is_digit(char c)
{
    return plain_is_digit(c) != 0;
}

static const char *skip_number(const char *s)
{
    while (is_digit(*s))
        s++;
    return s;
}

/* Order of two names in which all numbers are equal. */
static int compare_templates(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            a = skip_number(a);
            b = skip_number(b);
            continue;
        }
        if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

char *layer_group_label(const char *const *names, size_t n)
{
    const char **at = memory_zeroed(n, sizeof *at);
    struct memory_text t;

    memcpy(at, names, n * sizeof *at);
    memory_text_begin(&t);
    while (*at[0]) {
        if (!is_digit(*at[0])) {
            putc(*at[0], t.out);
            for (size_t i = 0; i < n; i++)
                at[i]++;
            continue;
        }
        size_t length = (size_t)(skip_number(at[0]) - at[0]);
        bool same = true;
        for (size_t i = 1; i < n && same; i++)
            same = strncmp(at[0], at[i], length) == 0 && !is_digit(at[i][length]);
        if (same)
            fwrite(at[0], 1, length, t.out);
        else
            putc('*', t.out);
        for (size_t i = 0; i < n; i++)
            at[i] = skip_number(at[i]);
    }
    free(at);
    return memory_text_end(&t);
}

/* --- what agrees ------------------------------------------------------------------------------ */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const struct op_place *a, const struct op_place *b)
{
    int order = compare_templates(a->row->name, b->row->name);

    order = order ? order : strcmp(a->row->kind, b->row->kind);
    order = order ? order : compare_templates(a->row->phase, b->row->phase);
    order = order ? order : compare_numbers(a->row->count, b->row->count);
    order = order ? order : compare_numbers(a->every, b->every);
    order = order ? order : mpz_cmp(a->row->flops, b->row->flops);
    order = order ? order : mpz_cmp(a->row->gemm, b->row->gemm);
    order = order ? order : mpz_cmp(a->row->hbm_bytes, b->row->hbm_bytes);
    return order ? order : strcmp(a->row->signature, b->row->signature);
}

static int compare_families(const struct unit *a, const struct unit *b)
{
    int order = compare_templates(a->name, b->name);

    return order ? order : strcmp(a->kind, b->kind);
}

/* Order of units in which identical layers are equal. */
static int compare_work(const struct unit *a, const struct unit *b)
{
    int order = compare_families(a, b);

    order = order ? order : compare_numbers(a->n_places, b->n_places);
    for (size_t i = 0; order == 0 && i < a->n_places; i++)
        order = compare_places(&a->place[i], &b->place[i]);
    return order;
}

static int compare_units(const void *x, const void *y)
{
    const struct unit *a = x, *b = y;
    int order = compare_work(a, b);

    return order ? order : compare_numbers(a->place->order, b->place->order);
}

/* --- labels ----------------------------------------------------------------------------------- */

static char *label_class(const struct layer_class *c)
{
    const char **name = memory_zeroed(c->n_units, sizeof *name);

    for (size_t i = 0; i < c->n_units; i++)
        name[i] = c->unit[i].name;
    char *label = layer_group_label(name, c->n_units);
    free(name);
    return label;
}

/* True if the class after `c`, or one further on with names of the same form, has its label. */
static bool is_shared(const struct layer_class *c, const struct layer_class *end)
{
    for (const struct layer_class *o = c + 1; o < end; o++) {
        if (compare_families(c->unit, o->unit) != 0)
            return false;
        if (strcmp(c->label, o->label) == 0)
            return true;
    }
    return false;
}

/* Name a class that shares its label by its first and its last name: "conv3..conv5". */
static void use_ends(struct layer_class *c)
{
    free(c->label);
    c->label = memory_format("%s..%s", c->unit[0].name, c->unit[c->n_units - 1].name);
}

/* Give the classes of one label, of which the first is `c`, labels of their own. */
static void tell_apart(struct layer_class *c, struct layer_class *end)
{
    char *label = memory_copy(c->label);

    for (struct layer_class *o = c; o < end && compare_families(c->unit, o->unit) == 0; o++)
        if (o->n_units > 1 && strcmp(o->label, label) == 0)
            use_ends(o);
    free(label);
}

/* The classes of sorted units; *n of them. */
static struct layer_class *find_classes(const struct unit *u, size_t n_units, size_t *n)
{
    struct layer_class *classes = memory_zeroed(n_units, sizeof *classes);

    *n = 0;
    for (size_t i = 0; i < n_units; i++) {
        if (i == 0 || compare_work(&u[i - 1], &u[i]) != 0)
            classes[(*n)++].unit = &u[i];
        classes[*n - 1].n_units++;
    }
    for (size_t i = 0; i < *n; i++)
        classes[i].label = label_class(&classes[i]);
    for (size_t i = 0; i < *n; i++)
        if (classes[i].n_units > 1 && is_shared(&classes[i], classes + *n))
            tell_apart(&classes[i], classes + *n);
    return classes;
}

/* --- all rows of a job ------------------------------------------------------------------------ */

static int compare_op_places(const void *x, const void *y)
{
    const struct op_place *a = x, *b = y;
    int order = strcmp(a->row->name, b->row->name);

    order = order ? order : strcmp(a->row->kind, b->row->kind);
    return order ? order : compare_numbers(a->order, b->order);
}

static int compare_phase_places(const void *x, const void *y)
{
    const struct op_place *a = x, *b = y;
    int order = strcmp(a->row->phase, b->row->phase);

    order = order ? order : compare_numbers(a->every, b->every);
    return order ? order : compare_numbers(a->order, b->order);
}

/* Units of sorted places. */
static struct unit *find_units(const struct op_place *place, size_t n_places, bool phases,
                               size_t *n)
{
    struct unit *units = memory_zeroed(n_places, sizeof *units);

    *n = 0;
    for (size_t i = 0; i < n_places; i++) {
        const struct op_place *p = &place[i], *last = i ? p - 1 : p;
        bool same = phases ? strcmp(p->row->phase, last->row->phase) == 0 && p->every == last->every
                           : strcmp(p->row->name, last->row->name) == 0 &&
                                 strcmp(p->row->kind, last->row->kind) == 0;
        if (i == 0 || !same)
            units[(*n)++] = (struct unit){ .name = phases ? p->row->phase : p->row->name,
                                           .kind = phases ? "" : p->row->kind,
                                           .place = p };
        units[*n - 1].n_places++;
    }
    return units;
}

static void set_labels(struct job *j, const struct layer_class *c, bool phases)
{
    const char *label = texts_keep(&j->texts, c->label);

    for (size_t u = 0; u < c->n_units; u++)
        for (size_t i = 0; i < c->unit[u].n_places; i++) {
            struct job_row *row = c->unit[u].place[i].row;
            *(phases ? &row->phase_group : &row->group) = label;
        }
}

static void group_places(struct job *j, struct op_place *place, size_t n, bool phases)
{
    size_t n_units, n_classes;

    qsort(place, n, sizeof *place, phases ? compare_phase_places : compare_op_places);
    struct unit *unit = find_units(place, n, phases, &n_units);
    qsort(unit, n_units, sizeof *unit, compare_units);
    struct layer_class *classes = find_classes(unit, n_units, &n_classes);
    for (size_t i = 0; i < n_classes; i++) {
        set_labels(j, &classes[i], phases);
        free(classes[i].label);
    }
    free(classes);
    free(unit);
}

void layer_group_job(struct job *j)
{
    size_t n = 0, all = 0;

    for (size_t s = 0; s < j->n_steps; s++)
        all += j->step[s].program.n_rows;
    struct op_place *place = memory_zeroed(all, sizeof *place);
    for (size_t s = 0; s < j->n_steps; s++)
        for (uint32_t i = 0; i < j->step[s].program.n_rows; i++, n++)
            place[n] = (struct op_place){ &j->step[s].row[i], j->step[s].every, n };
    group_places(j, place, n, false);
    group_places(j, place, n, true);
    free(place);
}
