/* One trace on slices of several sizes: speed-up, efficiency, and where it is lost. */
#include <inttypes.h>

#include "base/exact.h"
#include "report/json/json_part.h"
#include "report/run_report.h"
#include "report/scale.h"
#include "report/write.h"

static const char *const part_name[SCALING_N_PARTS] = {
    [SCALING_COMPUTE] = "compute",
    [SCALING_NET_LATENCY] = "collective_latency",
    [SCALING_NET_BANDWIDTH] = "collective_bandwidth",
    [SCALING_HOST] = "host",
    [SCALING_IMBALANCE] = "imbalance",
};

void report_scaling_text(const char *trace, const char *machine, const struct scaling_size *s,
                         size_t n, FILE *out)
{
    struct scale time;

    EXACT_Q(one);
    EXACT_Q(most);
    mpq_set_ui(one, 1, 1);
    for (size_t i = 0; i < n; i++)
        if (mpq_cmp(s[i].seconds, most) > 0)
            mpq_set(most, s[i].seconds);
    scale_init(&time, most, "s");
    fprintf(out, "%s on slices as %s; each core keeps its batch\n\n", trace, machine);
    fprintf(out, "  %42s %10s  %% of the step lost against %" PRIu64 " to\n", "", "", s[0].size);
    fprintf(out, "  %6s %6s %8s/step %11s %7s %8s %8s %9s %8s %9s\n", "size", "chips", time.unit,
            "speed-up", "eff. %", "compute", "latency", "bandwidth", "host", "imbalance");
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "  %6" PRIu64 " %6" PRIu32, s[i].size, s[i].chips);
        scale_write(s[i].seconds, &time, 14, out);
        putc(' ', out);
        write_fixed(s[i].speedup, one, 2, 11, out);
        putc(' ', out);
        write_percent(s[i].efficiency, one, 7, out);
        static const int width[SCALING_N_PARTS] = { 8, 8, 9, 8, 9 };
        for (int p = 0; p < SCALING_N_PARTS; p++) {
            putc(' ', out);
            write_percent(s[i].loss[p], one, width[p], out);
        }
        putc('\n', out);
    }
    scale_clear(&time);
}

void report_scaling_json(const char *trace, const struct scaling_size *s, size_t n, FILE *out)
{
    fputs("{\n  ", out);
    part_string("trace", trace, out);
    fputs(",\n  ", out);
    part_key("scale", out);
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\n    {" : "\n    {", out);
        part_integer("size", s[i].size, out);
        fputs(", ", out);
        part_string("machine", s[i].machine, out);
        fputs(", ", out);
        part_integer("cores", s[i].cores, out);
        fputs(", ", out);
        part_integer("chips", s[i].chips, out);
        fputs(", ", out);
        part_integer("slices", s[i].slices, out);
        fputs(",\n     ", out);
        part_decimal("seconds_per_step", s[i].seconds, true, out);
        fputs(", ", out);
        part_decimal("samples_per_second", s[i].samples_per_second, true, out);
        fputs(", ", out);
        part_decimal("speedup", s[i].speedup, true, out);
        fputs(", ", out);
        part_decimal("efficiency", s[i].efficiency, true, out);
        for (int loss = 0; loss < 2; loss++) {
            fputs(",\n     ", out);
            part_key(loss ? "loss" : "seconds", out);
            putc('{', out);
            for (int p = 0; p < SCALING_N_PARTS; p++) {
                fputs(p ? ", " : "", out);
                part_decimal(part_name[p], loss ? s[i].loss[p] : s[i].part[p], true, out);
            }
            putc('}', out);
        }
        putc('}', out);
    }
    fputs("\n  ]\n}\n", out);
}
