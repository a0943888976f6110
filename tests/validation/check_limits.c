/* The errors that docs/evidence/limits.md names are those that `cyclotron validate` finds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "check_bars.h"

/* A row of the document and what it says of a class: <median>, <mean> and <worst> in %, the worst
 * without decimals as <about>, and the number of <rows>. */
struct stated {
    const char *row;   /* its first cell */
    const char *class; /* of `cyclotron validate` */
    const char *text;
};

/* clang-format off */
static const struct stated stated[] = {
    { "3DGAN, loop in the graph, TPU v2 and v3", "3dgan, loop in the graph", "median <median> %, worst <worst> %, <rows> rows" },
    { "fully connected steps on TPU v2-8", "fc, steps", "median <median> %, mean <mean> %, worst <about> %, <rows> rows" },
    { "matrix products on TPU v4, by our own tiles", "TPU v4 matrix products, held out", "median <median> %, mean <mean> %, worst <worst> %, <rows> rows" },
    { "reductions on TPU v6e, by our own tiles", "TPU v6e reductions, held out", "median <median> %, mean <mean> %" },
    { "reductions on TPU v6e, by our own tiles", "TPU v6e as compiled: reductions, held out", "as compiled <median> and <mean> %" },
    { "layer norms, by our own tiles", "TPU v4 layer norms, of kinds never fitted on", "median <median> % on v4" },
    { "layer norms, by our own tiles", "TPU v6e layer norms, of kinds never fitted on", "<median> % on v6e" },
    { "layer norms, by our own tiles", "TPU v4 as compiled: layer norms, of kinds never fitted on", "as compiled <median> and" },
    { "layer norms, by our own tiles", "TPU v6e as compiled: layer norms, of kinds never fitted on", "and <median> %" },
    { "GPT-2 forward, as compiled", "GPT-2 forward, TPU v4 as compiled", "mean <mean> % on TPU v4 (<rows> rows)" },
    { "GPT-2 forward, as compiled", "GPT-2 forward, TPU v6e as compiled", "<mean> % on v6e (<rows> rows)" },
    { "ResNet-50 of MLPerf, as compiled", "ResNet-50, MLPerf, as compiled", "median <median> %, worst <worst> %, <rows> rows" },
    { "3DGAN on V100, loop in the graph", "3dgan on GPUs, loop in the graph", "to <about> %" },
    { "MLPF on GPUs", "mlpf on GPUs", "<about> % on 4 A100" },
    { "MLPF on CPUs", "mlpf on CPUs", "<about> to" },
};
/* clang-format on */

/* The line of docs/evidence/limits.md whose first cell is `row`. */
static void read_row(const char *row, char *line, int room)
{
    FILE *f = fopen("docs/evidence/limits.md", "r");
    char begin[128];

    cr_assert_not_null(f);
    snprintf(begin, sizeof begin, "%s |", row);
    while (fgets(line, room, f))
        if (strncmp(line, begin, strlen(begin)) == 0) {
            fclose(f);
            return;
        }
    fclose(f);
    cr_assert_fail("docs/evidence/limits.md has no row %s", row);
}

/* Put the figures of class `c` into `text`. */
static void fill_in(char *to, size_t room, const char *text, const struct validate_class *c)
{
    double median = 100 * mpq_get_d(c->median), mean = 100 * mpq_get_d(c->mean);
    double worst = 100 * mpq_get_d(c->worst);
    size_t n = 0;

    while (*text && n < room - 32) {
        if (*text != '<') {
            to[n++] = *text++;
            continue;
        }
        if (strncmp(text, "<median>", 8) == 0)
            n += (size_t)plain_text(to + n, room - n, "%.1f", median);
        else if (strncmp(text, "<mean>", 6) == 0)
            n += (size_t)plain_text(to + n, room - n, "%.1f", mean);
        else if (strncmp(text, "<worst>", 7) == 0)
            n += (size_t)plain_text(to + n, room - n, "%+.1f", worst);
        else if (strncmp(text, "<about>", 7) == 0)
            n += (size_t)plain_text(to + n, room - n, "%+.0f", worst);
        else
            n += (size_t)snprintf(to + n, room - n, "%zu", c->n);
        text = strchr(text, '>') + 1;
    }
    to[n] = '\0';
}

void check_limits(const struct validate_result *whole)
{
    char line[512], text[128];

    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        const struct stated *s = &stated[i];
        const struct validate_class *c = NULL;

        for (size_t k = 0; k < whole->n_classes && !c; k++)
            c = strcmp(whole->class[k].name, s->class) == 0 ? &whole->class[k] : NULL;
        cr_assert(c, "no class %s", s->class);
        fill_in(text, sizeof text, s->text, c);
        read_row(s->row, line, sizeof line);
        cr_expect(strstr(line, text), "docs/evidence/limits.md: %s: expected \"%s\" in\n%s", s->row,
                  text, line);
    }
}
