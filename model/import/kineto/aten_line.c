/* Lines of a recording's operations, and what its arguments are by the letters of its row. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/plain.h"
#include "import/kineto/aten_write.h"
#include "trace/print.h"

/* --- arguments ------------------------------------------------------------------------------ */

char aten_letter(const struct aten_job *j, uint32_t i)
{
    return i < strlen(j->row->args) ? j->row->args[i] : '\0';
}

const struct aten_arg *aten_arg(const struct aten_job *j, char as)
{
    const char *at = strchr(j->row->args, as);
    size_t i = at ? (size_t)(at - j->row->args) : ATEN_MOST_ARGS;

    return i < j->args.n && j->args.arg[i].kind != ATEN_ABSENT ? &j->args.arg[i] : NULL;
}

const struct aten_arg *aten_tensor(const struct aten_job *j, char as)
{
    const struct aten_arg *a = aten_arg(j, as);

    return a && a->kind == ATEN_TENSOR && !a->empty ? a : NULL;
}

uint32_t aten_numbers(const struct aten_job *j, char as, int64_t *number, uint32_t most)
{
    const struct aten_arg *a = aten_arg(j, as);

    return a && a->kind == ATEN_VALUE ? aten_args_numbers(a, number, most) : 0;
}

bool aten_flag(const struct aten_job *j, char as)
{
    const char *at = strchr(j->row->args, as);

    return at && aten_args_true(&j->args, (uint32_t)(at - j->row->args));
}

/* --- lines ---------------------------------------------------------------------------------- */

static void print_value(const struct aten_writer *w, uint32_t v)
{
    fprintf(w->out, "%%v%" PRIu32, v);
}

void aten_begin(struct aten_job *j, uint32_t depth, const char *kind, const uint32_t *out,
                uint32_t n_out, const uint32_t *in, uint32_t n_in)
{
    struct aten_writer *w = j->w;
    char name[16];

    print_indent(depth, w->out);
    for (uint32_t i = 0; i < n_out; i++) {
        snprintf(name, sizeof name, "v%" PRIu32, out[i]);
        print_result(i == 0, name, &w->value[out[i]].shape, false, w->out);
    }
    print_kind(n_out > 0, kind, w->out);
    for (uint32_t i = 0; i < n_in; i++) {
        fputs(i ? ", " : "", w->out);
        print_value(w, in[i]);
    }
    putc(')', w->out);
}

void aten_attr(struct aten_job *j, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    putc(' ', j->w->out);
    plain_print_list(j->w->out, fmt, args);
    va_end(args);
}

static void print_dispatch(struct aten_job *j)
{
    if (!j->dispatched && j->op->dispatch)
        fprintf(j->w->out, " dispatch=%" PRIu64, j->op->dispatch);
    j->dispatched = true;
}

void aten_end(struct aten_job *j, bool named)
{
    if (named) {
        fputs(" name=", j->w->out);
        print_string(j->label, j->w->out);
    }
    print_dispatch(j);
    putc('\n', j->w->out);
}

void aten_open(struct aten_job *j, const uint32_t *out, uint32_t n_out)
{
    struct aten_writer *w = j->w;

    fputs("  fusion ", w->out);
    for (uint32_t i = 0; i < n_out; i++) {
        fputs(i ? ", " : "", w->out);
        print_value(w, out[i]);
    }
    fputs(" name=", w->out);
    print_string(j->label, w->out);
    fputs(" library=1 {\n", w->out);
}

void aten_close(struct aten_job *j)
{
    fputs("  }\n", j->w->out);
}
