#include "import/scalesim/scalesim_topology.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

/* clang-format off */
/* Names in small letters, without what is neither letter nor digit. */
static const struct { const char *name; enum scalesim_column column; } names[] = {
    { "l", SCALESIM_LAYER },               { "channel", SCALESIM_CHANNELS },
    { "layername", SCALESIM_LAYER },       { "layer", SCALESIM_LAYER },          { "ifmapheight", SCALESIM_IMAGE_H }, { "ifmaph", SCALESIM_IMAGE_H },
    { "ifmapwidth", SCALESIM_IMAGE_W },    { "ifmapw", SCALESIM_IMAGE_W },       { "filterheight", SCALESIM_FILTER_H }, { "filterh", SCALESIM_FILTER_H },
    { "filterwidth", SCALESIM_FILTER_W },  { "filterw", SCALESIM_FILTER_W },     { "channels", SCALESIM_CHANNELS },   { "numfilter", SCALESIM_FILTERS },
    { "numfilters", SCALESIM_FILTERS },    { "strides", SCALESIM_STRIDE },       { "stride", SCALESIM_STRIDE },       { "strideheight", SCALESIM_STRIDE_H },
    { "strideh", SCALESIM_STRIDE_H },      { "stridewidth", SCALESIM_STRIDE_W }, { "stridew", SCALESIM_STRIDE_W },    { "batchsize", SCALESIM_BATCH },
    { "batch", SCALESIM_BATCH },           { "sparsity", SCALESIM_SPARSITY },    { "m", SCALESIM_M }, { "n", SCALESIM_N }, { "k", SCALESIM_K },
};
static const char *const titles[SCALESIM_N_COLUMNS] = {
    "Layer name", "IFMAP Height", "IFMAP Width", "Filter Height", "Filter Width", "Channels", "Num Filter", "Strides",
    "Stride height", "Stride width", "Batch Size", "Sparsity", "M", "N", "K",
};
/* clang-format on */
#define MAX_NUMBER UINT32_MAX

struct cell {
    const char *s;
    size_t n;
    unsigned at; /* its column in the line, from 1 */
};

static int fail_at(const struct scalesim_topology *t, unsigned at, enum err_code code,
                   const char *what, const struct cell *c, const char *expected)
{
    return err_set(t->err, code, "%.200s:%" PRIu32 ":%u: %s%s%.*s%s%s", t->file, t->line, at, what,
                   c ? " = " : "", c ? (int)(c->n < 40 ? c->n : 40) : 0, c ? c->s : "",
                   *expected ? ": " : "", expected);
}

/* --- lines and cells ---------------------------------------------------------------------- */

/* The next line that is not blank, cut at commas or tabs and trimmed.  Returns 1, 0 at the end, -1.
 */
static int next_cells(struct scalesim_topology *t, struct cell *cell, unsigned *n)
{
    for (;;) {
        if (t->text == t->end)
            return 0;
        const char *line = t->text, *end = memchr(line, '\n', (size_t)(t->end - line));
        end = end ? end : t->end;
        t->text = end + (end < t->end);
        t->line++;
        bool blank = true;
        *n = 0;
        for (const char *p = line;; p++) {
            const char *comma = memchr(p, t->comma, (size_t)(end - p)), *last = comma ? comma : end;
            while (p < last && plain_is_blank(*p))
                p++;
            unsigned at = (unsigned)(p - line) + 1;
            while (last > p && plain_is_blank(last[-1]))
                last--;
            if (*n == SCALESIM_CELLS)
                return fail_at(t, at, ERR_FORMAT, "more than 32 cells", NULL, "");
            blank = blank && p == last;
            cell[(*n)++] = (struct cell){ p, (size_t)(last - p), at };
            if (!comma)
                break;
            p = comma;
        }
        if (!blank)
            return 1;
    }
}

static bool cell_is(const struct cell *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        unsigned char x = (unsigned char)c->s[i];
        if (!plain_is_word(x))
            continue;
        if (plain_lower(x) != *name)
            return false;
        name++;
    }
    return *name == '\0';
}

static int find_column(const struct cell *c)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cell_is(c, names[i].name))
            return (int)names[i].column;
    return -1;
}

/* --- the header --------------------------------------------------------------------------- */

static int require_columns(const struct scalesim_topology *t, const enum scalesim_column *column,
                           size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!t->has[column[i]])
            return fail_at(t, 1, ERR_FORMAT, "no column", NULL, titles[column[i]]);
    return 0;
}

/* SCALE-Sim itself goes by position: the column of a cell of a header that names others. */
static const enum scalesim_column by_position[] = {
    SCALESIM_LAYER,    SCALESIM_IMAGE_H,  SCALESIM_IMAGE_W, SCALESIM_FILTER_H,
    SCALESIM_FILTER_W, SCALESIM_CHANNELS, SCALESIM_FILTERS, SCALESIM_STRIDE,
};
#define N_POSITIONS (sizeof by_position / sizeof *by_position)

/* Give one of two columns with the same name its place in SCALE-Sim's order. */
static void part_doubles(struct scalesim_topology *t, unsigned n)
{
    unsigned times[SCALESIM_N_COLUMNS] = { 0 };

    for (unsigned i = 0; i < n; i++)
        if (t->column[i] >= 0)
            times[t->column[i]]++;
    for (unsigned i = 0; i < n && i < N_POSITIONS; i++)
        if (t->column[i] >= 0 && t->column[i] <= SCALESIM_STRIDE && times[t->column[i]] > 1 &&
            times[by_position[i]] == 0) {
            times[t->column[i]]--;
            times[by_position[i]]++;
            t->column[i] = (int)by_position[i];
        }
}

static int take_columns(struct scalesim_topology *t, const struct cell *cell, unsigned n)
{
    bool notes = false; /* what stands behind a column without a name belongs to no layer */

    for (unsigned i = 0; i < n; i++) {
        t->column[i] = notes ? -1 : find_column(&cell[i]);
        notes |= cell[i].n == 0;
        if (!notes && t->column[i] < 0)
            return fail_at(
                t, cell[i].at, ERR_UNKNOWN, "column", &cell[i],
                "expected those of a SCALE-Sim topology (docs/reference/trace-format.md)");
    }
    part_doubles(t, n);
    for (unsigned i = 0; i < n; i++) {
        if (t->column[i] < 0)
            continue;
        if (t->has[t->column[i]])
            return fail_at(t, cell[i].at, ERR_FORMAT, "column", &cell[i], "it is there twice");
        t->has[t->column[i]] = true;
        t->n_columns = i + 1;
    }
    t->n_cells = n;
    return 0;
}

static int read_header(struct scalesim_topology *t)
{
    static const enum scalesim_column gemm[] = { SCALESIM_M, SCALESIM_N, SCALESIM_K };
    static const enum scalesim_column conv[] = { SCALESIM_IMAGE_H,  SCALESIM_IMAGE_W,
                                                 SCALESIM_FILTER_H, SCALESIM_FILTER_W,
                                                 SCALESIM_CHANNELS, SCALESIM_FILTERS };
    static const enum scalesim_column strides[] = { SCALESIM_STRIDE_H, SCALESIM_STRIDE_W };
    struct cell cell[SCALESIM_CELLS];
    unsigned n;
    int rc = next_cells(t, cell, &n);

    if (rc <= 0)
        return rc < 0 ? -1 : fail_at(t, 1, ERR_FORMAT, "no line with names of columns", NULL, "");
    if (take_columns(t, cell, n) != 0)
        return -1;
    if (!t->has[SCALESIM_LAYER])
        return fail_at(t, 1, ERR_FORMAT, "no column", NULL, titles[SCALESIM_LAYER]);
    if (t->has[SCALESIM_M] || t->has[SCALESIM_N] || t->has[SCALESIM_K])
        return require_columns(t, gemm, sizeof gemm / sizeof *gemm);
    if (require_columns(t, conv, sizeof conv / sizeof *conv) != 0)
        return -1;
    return t->has[SCALESIM_STRIDE] ? 0 : require_columns(t, strides, 2);
}

/* --- layers ------------------------------------------------------------------------------- */

static int read_number(const struct scalesim_topology *t, const struct cell *c, const char *title,
                       uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < c->n && *value <= MAX_NUMBER; i++) {
        if (!plain_is_digit(c->s[i]))
            return fail_at(t, c->at, ERR_FORMAT, title, c, "expected a whole number");
        *value = 10 * *value + (uint64_t)(c->s[i] - '0');
    }
    if (c->n == 0)
        return fail_at(t, c->at, ERR_FORMAT, title, NULL, "missing, expected a whole number");
    if (*value < 1 || *value > MAX_NUMBER)
        return fail_at(t, c->at, ERR_RANGE, title, c, "outside [1, 4294967295]");
    return 0;
}

/* "2:4", or "1" or nothing for a dense one. */
static bool is_sparse(const struct cell *c)
{
    return c->n > 0 && memchr(c->s, ':', c->n) && !(c->s[0] == c->s[c->n - 1] && c->n == 3);
}

static int read_cell(struct scalesim_topology *t, struct scalesim_layer *l, const struct cell *c,
                     int column)
{
    if (column == SCALESIM_NOTES || (column == SCALESIM_BATCH && c->n == 0))
        return 0;
    if (column < 0) {
        if (c->n == 0 || *c->s == '#')
            return 0;
        return fail_at(t, c->at, ERR_FORMAT, "cell", c, "the line has more cells than columns");
    }
    if (column == SCALESIM_LAYER) {
        l->name = memory_copy_part(c->s, c->n);
        return 0;
    }
    if (column == SCALESIM_SPARSITY) {
        l->sparse = is_sparse(c);
        t->sparse += l->sparse;
        return 0;
    }
    return read_number(t, c, titles[column], &l->of[column]);
}

static int check_layer(struct scalesim_topology *t, struct scalesim_layer *l,
                       const struct cell *cell, unsigned n)
{
    for (unsigned i = n; i < t->n_columns; i++)
        if (t->column[i] >= 0 && t->column[i] != SCALESIM_SPARSITY &&
            t->column[i] != SCALESIM_BATCH)
            return fail_at(t, cell[n - 1].at + (unsigned)cell[n - 1].n, ERR_FORMAT,
                           titles[t->column[i]], NULL, "missing, expected a whole number");
    if (l->of[SCALESIM_STRIDE])
        l->of[SCALESIM_STRIDE_H] = l->of[SCALESIM_STRIDE];
    if (l->of[SCALESIM_STRIDE] && !l->of[SCALESIM_STRIDE_W])
        l->of[SCALESIM_STRIDE_W] = l->of[SCALESIM_STRIDE];
    for (unsigned i = 0; i < n && !t->has[SCALESIM_M]; i++) {
        bool height = t->column[i] == SCALESIM_FILTER_H, width = t->column[i] == SCALESIM_FILTER_W;
        if ((height && l->of[SCALESIM_FILTER_H] > l->of[SCALESIM_IMAGE_H]) ||
            (width && l->of[SCALESIM_FILTER_W] > l->of[SCALESIM_IMAGE_W]))
            return fail_at(t, cell[i].at, ERR_RANGE, titles[t->column[i]], &cell[i],
                           height ? "higher than the image" : "wider than the image");
    }
    return 0;
}

/* The column of cell i of a layer.  A number behind one stride is that of the width. */
static int column_of(const struct scalesim_topology *t, const struct cell *c, unsigned i)
{
    if (i < t->n_columns)
        return t->column[i];
    if (i == t->n_columns && t->column[i - 1] == SCALESIM_STRIDE && c->n > 0 &&
        plain_is_digit(*c->s))
        return SCALESIM_STRIDE_W;
    return i < t->n_cells ? SCALESIM_NOTES : -1;
}

/* Some files name their columns again, and give names to groups of layers. */
static bool is_layer(const struct cell *cell, unsigned n)
{
    unsigned columns = 0, cells = 0;

    for (unsigned i = 0; i < n; i++) {
        cells += cell[i].n > 0;
        columns += cell[i].n > 0 && find_column(&cell[i]) >= 0;
    }
    return columns < cells && (cells > 1 || cell[0].n == 0);
}

static int read_layers(struct scalesim_topology *t)
{
    struct cell cell[SCALESIM_CELLS];
    unsigned n;
    int rc;

    while ((rc = next_cells(t, cell, &n)) > 0) {
        if (!is_layer(cell, n)) {
            t->titles++;
            continue;
        }
        MEMORY_GROW(t->layer, t->n + 1, t->cap);
        struct scalesim_layer *l = &t->layer[t->n++];
        *l = (struct scalesim_layer){ .line = t->line };
        for (unsigned i = 0; i < n; i++)
            if (read_cell(t, l, &cell[i], column_of(t, &cell[i], i)) != 0)
                return -1;
        if (check_layer(t, l, cell, n) != 0)
            return -1;
    }
    if (rc == 0 && t->n == 0)
        return fail_at(t, 1, ERR_FORMAT, "no layer behind the names of columns", NULL, "");
    return rc;
}

/* --- the whole file ----------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const struct scalesim_layer *x = *(struct scalesim_layer *const *)a,
                                *y = *(struct scalesim_layer *const *)b;
    int c = strcmp(x->name, y->name);

    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* Names of values: words, and one for each layer. */
static void name_layers(struct scalesim_topology *t)
{
    struct scalesim_layer **by_name = memory_zeroed(t->n, sizeof(struct scalesim_layer *));

    for (uint32_t i = 0; i < t->n; i++) {
        struct scalesim_layer *l = by_name[i] = &t->layer[i];
        if (!l->name || !*l->name) {
            free(l->name);
            l->name = memory_copy("layer");
        }
        for (char *c = l->name; *c; c++)
            *c = plain_is_word(*c) || strchr("_.+:/-", *c) ? *c : '_';
        if (strlen(l->name) > 200)
            l->name[200] = '\0';
    }
    qsort(by_name, t->n, sizeof(struct scalesim_layer *), compare_names);
    for (uint32_t i = 1; i < t->n; i++)
        by_name[i]->again = strcmp(by_name[i]->name, by_name[i - 1]->name) == 0;
    free(by_name);
}

/* Find what stands between cells: commas, or tabs where the first line has no comma. */
static char find_comma(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    size_t n = end ? (size_t)(end - text) : size;

    return !memchr(text, ',', n) && memchr(text, '\t', n) ? '\t' : ',';
}

int scalesim_topology_read(struct scalesim_topology *t, const char *name, const void *data,
                           size_t size, struct err *err)
{
    *t = (struct scalesim_topology){ .file = name, .text = data, .err = err };
    t->end = t->text + size;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
        t->text += 3;
    t->comma = find_comma(t->text, (size_t)(t->end - t->text));
    if (read_header(t) != 0 || read_layers(t) != 0)
        return -1;
    name_layers(t);
    return 0;
}

void scalesim_topology_free(struct scalesim_topology *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        free(t->layer[i].name);
    free(t->layer);
}

bool scalesim_topology_likes(const void *data, size_t size)
{
    const char *text = data, *end = memchr(text, '\n', size);
    size_t n = end ? (size_t)(end - text) : size;
    size_t mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    char separator = find_comma(text + mark, n - mark);
    const char *comma = memchr(text + mark, separator, n - mark);
    if (!comma)
        return false;
    const char *next = memchr(comma + 1, separator, n - (size_t)(comma + 1 - text));
    struct cell first = { text + mark, (size_t)(comma - text) - mark, 1 };
    struct cell second = { comma + 1, (size_t)((next ? next : text + n) - comma) - 1, 1 };

    for (size_t i = 0; i < first.n; i++) /* packed data may spell a column */
        if ((unsigned char)first.s[i] < ' ' && first.s[i] != '\t')
            return false;
    return first.n < 80 && find_column(&first) == SCALESIM_LAYER &&
           (first.n > 1 || find_column(&second) >= 0);
}
