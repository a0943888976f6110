/* A machine file with the constants that a profile determined. */
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "machine/spec/spec.h"
#include "study/calibrate/calibration.h"

/* The last part of a path, in the letters that a source tag may have. */
static void print_tag(const char *path, FILE *out)
{
    const char *slash = strrchr(path, '/');

    for (const char *c = slash ? slash + 1 : path; *c; c++)
        putc(plain_is_word(*c) || strchr("._-", *c) ? *c : '_', out);
}

static void print_percent(double share, FILE *out)
{
    plain_print(out, "%.1f %%", 100 * share);
}

/* The values of a section that differ from the base: of --set, and fitted ones. */
static void print_section(const struct calibration *c, const struct profiled *p, size_t table,
                          FILE *out)
{
    const struct param_table *t = spec_tables[table];
    char text[64], key[96];
    bool begun = false;

    for (size_t i = 0; i < t->n_rows; i++) {
        const struct param_desc *d = &t->rows[i];
        const struct calibration_constant *fitted = NULL;
        bool set = false;
        snprintf(key, sizeof key, "%s.%s", t->section, d->name);
        for (unsigned k = 0; k < CALIBRATION_N; k++)
            if (c->constant[k].changed && strcmp(c->constant[k].key, key) == 0)
                fitted = &c->constant[k];
        for (uint32_t k = 0; k < p->spec->n_changed; k++) {
            size_t n = strlen(key);
            set =
                set || (strncmp(p->spec->changed[k], key, n) == 0 && p->spec->changed[k][n] == ' ');
        }
        if (!fitted && !set)
            continue;
        if (!begun)
            fprintf(out, "\n[%s]\n", t->section);
        begun = true;
        fprintf(out, "%s = %s [", d->name,
                param_text(d, spec_object(c->spec, table), text, sizeof text));
        if (fitted) {
            fputs("calibrated: ", out);
            print_tag(p->profile->path, out);
            fprintf(out, " %s]\n", c->date);
        } else {
            fputs("what-if]\n", out);
        }
    }
}

void calibration_write(const struct calibration *c, const struct profiled *p, FILE *out)
{
    fputs("# Calibrated by `cyclotron profile --calibrate`.\n# profile   ", out);
    fprintf(out, "%s, %s\n# program   %s\n", p->profile->path, c->date, p->run.trace);
    fprintf(out, "# fitted on %zu kernels: error weighted by time ", c->fitted.kernels);
    print_percent(c->fitted.before, out);
    fputs(" before, ", out);
    print_percent(c->fitted.after, out);
    fprintf(out, " after\n# held out  %zu kernels: ", c->held.kernels);
    print_percent(c->held.before, out);
    fputs(" before, ", out);
    print_percent(c->held.after, out);
    fputs(" after\n", out);
    for (unsigned k = 0; k < CALIBRATION_N; k++)
        if (c->constant[k].why)
            fprintf(out, "# left alone: %s, %s\n", c->constant[k].key, c->constant[k].why);
    fprintf(out, "[machine]\nbase = %s\nsummary = %s, calibrated on a profile\n", p->spec->name,
            p->spec->name);
    for (size_t t = 0; t < spec_n_tables; t++)
        print_section(c, p, t, out);
}
