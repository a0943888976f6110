/* hlo_ask.c - see hlo_module.h: texts, numbers, attributes and their parts, sources, errors. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "hlo/hlo_parser.h"
#include "hlo/hlo_show.h"

static const struct hlo_text none = { NULL, 0 };

struct hlo_text hlo_attribute(const struct hlo_module *m, const struct hlo_instruction *i,
                              const char *key)
{
    for (uint32_t a = 0; a < i->n_attributes; a++)
        if (hlo_text_is(m->attribute[i->first_attribute + a].key, key))
            return m->attribute[i->first_attribute + a].value;
    return none;
}

bool hlo_source(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_text *file,
                uint32_t *line)
{
    struct hlo_text metadata = hlo_attribute(m, i, "metadata");
    struct hlo_text name = hlo_unquoted(hlo_part(metadata, "source_file"));
    int64_t number;

    if (name.at) {
        if (hlo_numbers(hlo_part(metadata, "source_line"), &number, 1) != 1 || number < 0 ||
            number > UINT32_MAX)
            return false;
        *file = name;
        *line = (uint32_t)number;
        return true;
    }
    if (hlo_numbers(hlo_part(metadata, "stack_frame_id"), &number, 1) != 1 || number < 1 ||
        !hlo_frames_find(&m->store->frames, (uint64_t)number, &name, line))
        return false;
    *file = hlo_unquoted(name);
    return true;
}

const char *hlo_parser_place(const struct hlo_module *m, const struct hlo_instruction *i)
{
    const char *text = m->store->text, *end = text + m->store->size;

    if (i->name.at >= text && i->name.at < end)
        return i->name.at;
    return i->opcode_text.at >= text && i->opcode_text.at < end ? i->opcode_text.at : text;
}

int hlo_error(const struct hlo_module *m, const struct hlo_instruction *i, struct err *err,
              const char *fmt, ...)
{
    const char *text = m->store->text;
    struct hlo_show s = { m->file, text,     text + m->store->size, hlo_parser_place(m, i),
                          i->line, i->column };
    char what[sizeof err->msg];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(what, sizeof what, fmt, ap);
    va_end(ap);
    return hlo_show_error(&s, err, ERR_FORMAT, what);
}
