#include "cli/options/machine_options.h"

#include <errno.h>
#include <string.h>

error_t machine_options_parse(struct machine_options *s, int key, char *arg)
{
    switch (key) {
    case 'm': s->machine = arg; return 0;
    case 's': return cli_set_add(&s->set, s->name, arg) ? 0 : EINVAL;
    case CLI_PROGRESS_KEY: s->progress = true; return 0;
    case 'x': s->exact = true; return 0;
    case 'f': return cli_format_parse(s->name, "text|json", arg, &s->format);
    case 'o': s->output = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

error_t machine_options_settle(struct machine_options *s, const char *can)
{
    return cli_format_settle(s->name, can, s->output, &s->format);
}

int machine_options_write(const struct machine_options *s, machine_options_write_fn *write,
                          void *self)
{
    struct cli_out out;
    struct err err;

    if (cli_out_open(&out, s->output, s->format, &err) != 0)
        return cli_error(&err);
    if (write(self, out.file, &err) != 0) {
        cli_out_abandon(&out);
        return cli_error(&err);
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}
