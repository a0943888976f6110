#include "sweep/report/value_text.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "base/quantity.h"
#include "sweep/report/ask.h"

static bool begins_with(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

const char *value_unit(const char *figure)
{
    if (begins_with(figure, "utilization.") || begins_with(figure, "mxu_waste.") ||
        strcmp(figure, "uncovered.share") == 0 || strcmp(figure, "evidence.expected.error") == 0 ||
        strcmp(figure, ASK_KNOWN) == 0)
        return "%";
    if (begins_with(figure, "seconds_per") || begins_with(figure, "time_by_cause."))
        return "s";
    if (begins_with(figure, "usd_per") || begins_with(figure, "proxy.usd_per") ||
        strcmp(figure, "proxy.hardware_usd") == 0)
        return "USD";
    if (strcmp(figure, "proxy.die_mm2") == 0)
        return "mm2";
    return strstr(figure, "bytes") ? "B" : "";
}

char *value_number(const char *figure, double v, char *buf, size_t size)
{
    const char *unit = value_unit(figure);
    char text[128];

    if (!isfinite(v)) {
        snprintf(buf, size, "-");
    } else if (*unit == '%') {
        plain_text(buf, size, "%.1f %%", 100 * v);
    } else if (*unit == 's' || *unit == 'B') {
        EXACT_Q(q);
        mpq_set_d(q, v);
        snprintf(buf, size, "%s", quantity_format(text, sizeof text, q, unit, 4));
    } else {
        plain_text(buf, size, "%.4g%s%s", v, *unit ? " " : "", unit);
    }
    return buf;
}

char *value_cell(const struct sweep_table *t, size_t row, size_t c, char *buf, size_t size)
{
    if (c < t->n_parameters)
        snprintf(buf, size, "%s", t->text[row][c] ? t->text[row][c] : "-");
    else
        value_number(t->column[c].name, t->row[row][c].number, buf, size);
    return buf;
}

const char *value_heading(const char *column)
{
    static const char *const names[][2] = {
        { "evidence.expected.error", "error" },
        { ASK_KNOWN, "known" },
        { "seconds_per_step", "step" },
        { "seconds_per_epoch", "epoch" },
        { "usd_per_epoch.on_demand", "USD/epoch as listed" },
        { "proxy.usd_per_epoch", "proxy USD/epoch" },
        { "proxy.usd_per_step", "proxy USD/step" },
        { "proxy.die_mm2", "proxy die" },
        { "proxy.hardware_usd", "proxy hardware" },
        { "samples_per_second", "samples/s" },
        { "utilization.mxu", "MXU useful" },
        { "memory.fits", "fits" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], column) == 0)
            return names[i][1];
    return column;
}

const char *value_bound(const struct sweep_table *t, size_t row)
{
    const char *best = "-";
    double most = 0;

    for (size_t c = t->n_parameters; c < t->n_columns; c++)
        if (begins_with(t->column[c].name, "time_by_cause.") && t->row[row][c].number > most) {
            most = t->row[row][c].number;
            best = strchr(t->column[c].name, '.') + 1;
        }
    return best;
}
