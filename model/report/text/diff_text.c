#include "report/text/diff_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "report/run_report.h"

#define SHOWN 10 /* operations */
#define NAME_COLUMNS 36

/* A member that is read, and its type. */
struct member {
    const char *path; /* "memory.fits" */
    char type;        /* n number, N number or null, s string, o object, a array, b boolean */
};

static const struct member of_run[] = {
    { "machine", 's' },
    { "trace", 's' },
    { "workload", 's' },
    { "steps", 'n' },
    { "slice", 'o' },
    { "slice.cores", 'n' },
    { "slice.chips", 'n' },
    { "slice.hosts", 'n' },
    { "slice.mesh", 'a' },
    { "slice.peak_flops_per_core", 'n' },
    { "slice.hbm_bytes_per_second_per_core", 'n' },
    { "cycles_per_step", 'n' },
    { "seconds_per_step", 'n' },
    { "seconds_per_epoch", 'N' },
    { "samples_per_second", 'n' },
    { "usd_per_epoch", 'o' },
    { "usd_per_epoch.on_demand", 'N' },
    { "memory", 'o' },
    { "memory.peak_bytes_per_core", 'n' },
    { "memory.capacity_bytes_per_core", 'n' },
    { "memory.fits", 'b' },
    { "utilization", 'o' },
    { "time_by_cause", 'o' },
    { RUN_LEDGER_KEY "_slots", 'o' },
    { RUN_LEDGER_KEY "_slots.waiting", 'o' },
    { "phases", 'a' },
    { "ops", 'a' },
    { "links", 'a' },
    { "uncovered", 'o' },
    { "provenance", 'o' },
    { "provenance.parameters_changed", 'a' },
};

static const struct member of_op[] = {
    { "name", 's' },
    { "kind", 's' },
    { "phase", 's' },
    { "count", 'n' },
    { "seconds", 'n' },
    { "bound_by", 's' },
    { "flops", 'n' },
    { "hbm_bytes", 'n' },
    { "time_by_cause", 'o' },
    { RUN_LEDGER_KEY "_slots", 'o' },
    { RUN_LEDGER_KEY "_slots.waiting", 'o' },
    { RUN_LEDGER_KEY "_waste", 'o' },
};

static const struct member of_link[] = { { "name", 's' },
                                         { "bytes", 'n' },
                                         { "utilization", 'n' } };

static json_t *find_member(const json_t *object, const char *path)
{
    char key[64];

    for (;;) {
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        json_t *found = json_object_get(object, key);
        if (!path[n] || !found)
            return found;
        object = found;
        path += n + 1;
    }
}

static bool is_of_type(const json_t *x, char type)
{
    switch (type) {
    case 'n': return json_is_number(x);
    case 'N': return json_is_number(x) || json_is_null(x);
    case 's': return json_is_string(x);
    case 'o': return json_is_object(x);
    case 'a': return json_is_array(x);
    default: return json_is_boolean(x);
    }
}

static int check_members(const json_t *object, const struct member *m, size_t n, const char *where,
                         struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!is_of_type(find_member(object, m[i].path), m[i].type))
            return err_set(err, ERR_FORMAT,
                           "no report of `cyclotron replay --format json`: %s%s is missing or of "
                           "another type",
                           where, m[i].path);
    return 0;
}

static int check_causes(const json_t *causes, const char *where, struct err *err)
{
    for (int c = 0; c < N_CAUSES; c++)
        if (!json_is_number(json_object_get(causes, cause_name[c])))
            return err_set(err, ERR_FORMAT,
                           "no report of this version: %stime_by_cause.%s is missing", where,
                           cause_name[c]);
    return 0;
}

#define CHECK(object, members, where, err)                                                         \
    check_members(object, members, sizeof(members) / sizeof *(members), where, err)

static int check_rows(const json_t *rows, struct err *err)
{
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row) if (CHECK(row, of_op, "ops[].", err) != 0 ||
                                         check_causes(find_member(row, "time_by_cause"), "ops[].",
                                                      err) != 0) return -1;
    return 0;
}

int diff_check(const json_t *run, struct err *err)
{
    const json_t *link;
    size_t i;

    if (CHECK(run, of_run, "", err) != 0 ||
        check_causes(find_member(run, "time_by_cause"), "", err) != 0 ||
        check_rows(find_member(run, "ops"), err) != 0 ||
        check_rows(find_member(run, "phases"), err) != 0)
        return -1;
    json_array_foreach(find_member(run, "links"), i,
                       link) if (CHECK(link, of_link, "links[].", err) != 0) return -1;
    return 0;
}

/* --- text --------------------------------------------------------------------------------- */

static double read_number(const json_t *object, const char *path)
{
    return json_number_value(find_member(object, path));
}

static void print_change(double a, double b, FILE *out)
{
    if (a > 0)
        fprintf(out, " %+8.1f %%\n", 100 * (b / a - 1));
    else
        fputs("         -\n", out);
}

static void print_line(const char *name, const char *unit, double a, double b, FILE *out)
{
    char label[64];

    snprintf(label, sizeof label, "%s%s%s", name, *unit ? ", " : "", unit);
    fprintf(out, "  %-30s %14.6g %14.6g", label, a, b);
    print_change(a, b, out);
}

struct op {
    const char *name, *kind;
    double seconds[2];
};

/* Operations by name and kind, over all phases. */
static size_t collect_ops(json_t *const run[2], struct op **ops)
{
    size_t n = 0, cap = json_array_size(find_member(run[0], "ops")) +
                        json_array_size(find_member(run[1], "ops"));

    *ops = memory_zeroed(cap + 1, sizeof **ops);
    for (int side = 0; side < 2; side++) {
        const json_t *row;
        size_t i;
        json_array_foreach(find_member(run[side], "ops"), i, row)
        {
            const char *name = json_string_value(find_member(row, "name"));
            const char *kind = json_string_value(find_member(row, "kind"));
            size_t k = 0;
            while (k < n &&
                   (strcmp((*ops)[k].name, name) != 0 || strcmp((*ops)[k].kind, kind) != 0))
                k++;
            if (k == n)
                (*ops)[n++] = (struct op){ .name = name, .kind = kind };
            (*ops)[k].seconds[side] += read_number(row, "seconds");
        }
    }
    return n;
}

static int by_change(const void *x, const void *y)
{
    const struct op *a = x, *b = y;
    double da = fabs(a->seconds[1] - a->seconds[0]), db = fabs(b->seconds[1] - b->seconds[0]);

    if (da != db)
        return da < db ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void write_ops(json_t *const run[2], FILE *out)
{
    struct op *ops;
    size_t n = collect_ops(run, &ops), shown = n < SHOWN ? n : SHOWN;

    qsort(ops, n, sizeof *ops, by_change);
    fprintf(out, "\noperations that changed most, %zu of %zu\n  %-*s %10s %10s %10s\n", shown, n,
            NAME_COLUMNS, "", "A, s", "B, s", "B - A, s");
    for (size_t i = 0; i < shown; i++) {
        fputs("  ", out);
        text_column(ops[i].name, NAME_COLUMNS, out);
        fprintf(out, " %10.4g %10.4g %+10.4g\n", ops[i].seconds[0], ops[i].seconds[1],
                ops[i].seconds[1] - ops[i].seconds[0]);
    }
    free(ops);
}

void diff_text(const char *const name[2], json_t *const run[2], FILE *out)
{
    double a = read_number(run[0], "seconds_per_step"), b = read_number(run[1], "seconds_per_step");

    if (a == b)
        fputs("both take the same time for a step\n", out);
    else
        fprintf(out, "a step of B takes %.4g times as long as one of A\n", a > 0 ? b / a : 0);
    for (int i = 0; i < 2; i++)
        fprintf(out, "  %c  %s: %s on %s\n", "AB"[i], name[i],
                json_string_value(find_member(run[i], "workload")),
                json_string_value(find_member(run[i], "machine")));
    fprintf(out, "\n  %-30s %14s %14s %10s\n", "", "A", "B", "change");
    print_line("time of a step", "s", a, b, out);
    print_line("samples a second", "", read_number(run[0], "samples_per_second"),
               read_number(run[1], "samples_per_second"), out);
    print_line("peak memory of a core", "B", read_number(run[0], "memory.peak_bytes_per_core"),
               read_number(run[1], "memory.peak_bytes_per_core"), out);
    print_line("cost of an epoch", "USD", read_number(run[0], "usd_per_epoch.on_demand"),
               read_number(run[1], "usd_per_epoch.on_demand"), out);
    fputs("\ntime by cause, s\n", out);
    for (int c = 0; c < N_CAUSES; c++) {
        char path[64];
        snprintf(path, sizeof path, "time_by_cause.%s", cause_name[c]);
        double x = read_number(run[0], path), y = read_number(run[1], path);
        if (x > 0 || y > 0)
            print_line(cause_name[c], "", x, y, out);
    }
    write_ops(run, out);
}
