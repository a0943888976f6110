/* reader.c - see reader.h; and the public functions of the reader (trace.h). */
#include "trace/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "trace/parse.h"

/* Reset everything except the file to the state before the first line. */
static void reset_parser(struct trace *t)
{
    scope_cut(&t->scope, 0);
    t->held = t->head_given = t->failed = false;
    t->part = READER_TENSORS;
    t->n_blocks = 0;
    t->n_steps = t->n_all_steps = t->n_all_ops = t->n_all_operands = 0;
    t->n_lines = t->turn_bytes = 0;
    t->turn.open = t->turn.again = false;
}

const struct trace_limits trace_limits_usual = {
    .steps = 10000,
    .operations = 300000,
    .operands = 3000000,
    .lines = 3000000,
    .names = 1000000,
    .text = UINT64_C(1) << 30,
};

void trace_limit(struct trace *t, const struct trace_limits *limits)
{
    t->limits = *limits;
    t->source.most = limits->text;
}

void reader_shorten(struct trace *t)
{
    t->words = true;
}

const struct trace_limits *trace_limits_of(const struct trace *t)
{
    return &t->limits;
}

static int keep_error(struct trace *t, int rc, const struct err *err)
{
    if (rc != 0) {
        t->failed = true;
        t->why = *err;
    }
    return rc;
}

int trace_open_bytes(struct trace **to, const struct bytes *bytes, bool allow_unknown,
                     struct err *err)
{
    struct trace *t = memory_zeroed(1, sizeof *t);

    *to = NULL;
    t->file = memory_copy(bytes->name);
    t->allow_unknown = allow_unknown;
    t->lex.file = t->file;
    struct bytes own = *bytes;
    own.name = t->file;
    reset_parser(t);
    int rc = source_open(&t->source, &own, err);
    trace_limit(t, &trace_limits_usual);
    if (rc != 0 || parse_header(t, err) != 0) {
        trace_close(t);
        return -1;
    }
    *to = t;
    return 0;
}

int trace_open(struct trace **t, const char *path, bool allow_unknown, struct err *err)
{
    struct bytes bytes;

    *t = NULL;
    return bytes_open(&bytes, path, err) != 0 ? -1
                                              : trace_open_bytes(t, &bytes, allow_unknown, err);
}

int trace_open_memory(struct trace **t, const char *name, const void *data, size_t size,
                      bool allow_unknown, struct err *err)
{
    struct bytes bytes;

    bytes_memory(&bytes, name, data, size);
    return trace_open_bytes(t, &bytes, allow_unknown, err);
}

void trace_close(struct trace *t)
{
    if (!t)
        return;
    source_close(&t->source);
    scope_free(&t->scope);
    turn_free(&t->turn);
    lex_free(&t->lex);
    free(t->result);
    free(t->in);
    free(t->out);
    free(t->in_at);
    free(t->out_at);
    free(t->kernel.fetch);
    free(t->kernel.held);
    free(t->kernel.store);
    free(t->fusion_name);
    free(t->fusion_note);
    free(t->fusion_scope);
    free(t->fusion_source);
    free(t->file);
    free(t);
}

char *trace_close_text(struct trace *t, size_t *size)
{
    struct bytes *bytes = &t->source.bytes;
    char *text = bytes->own;

    bytes->own = NULL;
    *size = (size_t)bytes->size;
    trace_close(t);
    return text;
}

int trace_next(struct trace *t, struct trace_item *item, struct err *err)
{
    if (t->failed) {
        *err = t->why;
        return -1;
    }
    if (!t->head_given) {
        t->head_given = true;
        *item = (struct trace_item){ .kind = TRACE_ITEM_HEADER, .line = 1 };
        return 0;
    }
    if (t->part == READER_END) {
        *item = (struct trace_item){ .kind = TRACE_ITEM_END, .line = t->lex.line };
        return 0;
    }
    int rc = keep_error(t, parse_item(t, item, err), err);
    if (rc == 0 && item->kind == TRACE_ITEM_END)
        scope_free(&t->scope); /* no name is in scope, and a replay keeps the trace */
    return rc;
}

int trace_rewind(struct trace *t, struct err *err)
{
    source_rewind(&t->source);
    reset_parser(t);
    return keep_error(t, parse_header(t, err), err);
}

const struct trace_header *trace_head(const struct trace *t)
{
    return &t->head;
}

const char *trace_file(const struct trace *t)
{
    return t->file;
}

uint64_t trace_checksum(const struct trace *t)
{
    return XXH64_digest(t->source.sum);
}

int trace_unpack(struct trace *t, FILE *text, struct err *err)
{
    const char *part;
    size_t n;
    int rc;

    source_rewind(&t->source);
    while ((rc = source_part(&t->source, &part, &n, err)) == 1)
        if (fwrite(part, 1, n, text) != n)
            break;
    if (rc >= 0 && (rc == 1 || fflush(text) != 0))
        return err_set(err, ERR_IO, "writing the text of a trace: %s", strerror(errno));
    return rc;
}
