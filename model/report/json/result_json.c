#include "report/json/result_json.h"

/* Rows stand on lines of their own; all else on the line of its name. */
static void open_member(void *self, const char *name, enum result_shape shape)
{
    struct json_write *w = self;

    if (shape == RESULT_GROUP)
        json_write_object(w, name, JSON_LAYOUT_LINE);
    else
        json_write_array(w, name, shape == RESULT_ROWS ? JSON_LAYOUT_LINES : JSON_LAYOUT_LINE);
}

static void close_member(void *self)
{
    json_write_close(self);
}

static void write_value(void *self, const struct result_value *v)
{
    struct json_write *w = self;

    if (v->beside)
        json_write_beside(w);
    switch (v->kind) {
    case RESULT_TEXT: json_write_string(w, v->name, v->text); break;
    case RESULT_INTEGER:
        if (v->known)
            json_write_integer(w, v->name, v->integer);
        else
            json_write_null(w, v->name);
        break;
    case RESULT_WHOLE:
        if (v->known)
            json_write_whole(w, v->name, v->whole);
        else
            json_write_null(w, v->name);
        break;
    case RESULT_DECIMAL: json_write_decimal(w, v->name, v->decimal, v->known); break;
    case RESULT_FLAG: json_write_bool(w, v->name, v->flag); break;
    case RESULT_CHECKSUM: json_write_checksum(w, v->name, v->integer); break;
    case RESULT_NOTHING: json_write_null(w, v->name); break;
    }
}

struct result_visitor result_json_visitor(struct json_write *w)
{
    return (struct result_visitor){ w, open_member, close_member, write_value };
}
