/* Files that the commands of a trace read and write. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cmd_trace.h"
#include "cli/options/cli_complete.h"
#include "cli/options/cli_pass.h"
#include "import/open.h"
#include "trace/trace.h"
#include "traces/gen.h"

error_t cmd_trace_parse(int key, char *arg, struct argp_state *state)
{
    struct cmd_trace_request *q = state->input;

    switch (key) {
    case 'o': q->output = arg; return 0;
    case 'f': return cli_format_parse(q->name, "text|json", arg, &q->format);
    case CLI_ALLOW_KEY: return cli_allow(q->name, arg, CLI_ALLOW_TRACE, &q->allow);
    case CMD_TRACE_DUMP:
        q->dump = arg;
        return cli_pass(q->name, arg, (enum passes_caller)q->dumps, NULL);
    case ARGP_KEY_ARG:
        if (q->words.n == 0 || q->many) {
            cli_list_add(&q->words, arg);
            return 0;
        }
        cli_usage(q->name, "unexpected argument \"%.80s\"", arg);
        return EINVAL;
    case ARGP_KEY_END:
        if (q->words.n > 0)
            return q->endings ? cli_format_settle(q->name, q->endings, q->output, &q->format) : 0;
        cli_usage(q->name, "no %s given", q->wanted);
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cmd_trace_open(struct trace **t, const struct cmd_trace_request *q, struct err *err)
{
    if (import_open(t, q->words.word[0], false, err) != 0)
        return -1;
    allow_trace(&q->allow, *t);
    return 0;
}

/* Run `write` on the request's output and finish it; an error leaves no file behind. */
static int write_output(const struct cmd_trace_request *q,
                        int write(const struct cmd_trace_request *, FILE *, struct err *))
{
    bool trace = q->endings && strstr(q->endings, ".trace"); /* .txt too */
    struct cli_out out;
    struct err err;

    if (cli_out_open(&out, q->output, trace ? CLI_TRACE : q->format, &err) != 0)
        return cli_error(&err);
    if (write(q, out.file, &err) != 0) {
        cli_out_fail(&out, &err);
        return cli_error(&err);
    }
    return cli_out_close(&out, &err) == 0 ? CLI_DONE : cli_error(&err);
}

int cmd_trace_run(const struct argp *argp, struct cmd_trace_request q, int argc, char **argv,
                  int write(const struct cmd_trace_request *, FILE *, struct err *))
{
    int code;

    q.name = argv[0];
    if (cli_parse(argp, argc, argv, &q, &code)) {
        bool standard = !q.output || strcmp(q.output, "-") == 0;
        if (q.binary && standard && isatty(STDOUT_FILENO))
            code = cli_usage(q.name, "packed bytes do not go to a terminal: give -o FILE");
        else
            code = write_output(&q, write);
    }
    cli_list_free(&q.words);
    return code;
}

FILE *cmd_trace_scratch(struct err *err)
{
    FILE *f = tmpfile();

    if (!f)
        err_set(err, ERR_IO, "cannot create a temporary file: %s", strerror(errno));
    return f;
}

int cmd_trace_pack_scratch(FILE *text, FILE *out, struct err *err)
{
    if (fflush(text) != 0 || ferror(text))
        return err_set(err, ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    rewind(text);
    return trace_pack(text, out, err);
}

int cmd_trace_pack(const struct cmd_trace_request *q, FILE *out,
                   int write(const struct cmd_trace_request *, FILE *, struct err *),
                   struct err *err)
{
    if (!cli_format_packed(q->output))
        return write(q, out, err);

    FILE *text = cmd_trace_scratch(err);
    if (!text)
        return -1;
    int rc = write(q, text, err);
    if (rc == 0)
        rc = cmd_trace_pack_scratch(text, out, err);
    fclose(text);
    return rc;
}
