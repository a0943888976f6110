/* profile_json.c - see profile_json.h. */
#include "profile/source/profile_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

struct stream {
    struct profile_source *source;
    struct err *err;
    bool failed;
};

/* For json_load_callback: the next piece of text. */
static size_t read_stream(void *to, size_t room, void *data)
{
    struct stream *s = data;
    const unsigned char *bytes;
    size_t n;

    if (profile_source_at(s->source) > PROFILE_JSON_MAX) {
        s->failed = true;
        err_set(s->err, ERR_RANGE,
                "%.160s: more than %" PRIu64 " MiB of JSON; an XPlane file is read at any size",
                profile_source_name(s->source), PROFILE_JSON_MAX >> 20);
        return (size_t)-1;
    }
    if (profile_source_peek(s->source, room, &bytes, &n, s->err) != 0) {
        s->failed = true;
        return (size_t)-1;
    }
    memcpy(to, bytes, n);
    profile_source_take(s->source, n);
    return n;
}

json_t *profile_json_read(struct profile_source *source, struct err *err)
{
    struct stream s = { source, err, false };
    json_error_t why;

    locale_t before = plain_begin();
    json_t *tree =
        json_load_callback(read_stream, &s, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &why);
    plain_end(before);
    if (!tree && !s.failed)
        err_set(err, ERR_FORMAT, "%.160s:%d: no JSON: %s", profile_source_name(source),
                why.line > 0 ? why.line : 1, why.text);
    return tree;
}

const char *profile_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

bool profile_json_real(const json_t *object, const char *key, double *value)
{
    const json_t *member = json_object_get(object, key);
    const char *text = json_string_value(member);
    char *end;

    if (text) {
        *value = plain_read(text, &end);
        return end != text && *end == '\0';
    }
    *value = json_real_value(member);
    return json_is_real(member);
}

uint64_t profile_json_id(const json_t *object, const char *key)
{
    const char *text = profile_json_text(object, key);

    return strspn(text, "0123456789") == strlen(text) ? strtoull(text, NULL, 10) : 0;
}

bool profile_json_knows(const unsigned char *head, size_t n, const char *const *words)
{
    size_t at = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < n && plain_is_blank(head[at]))
        at++;
    if (at == n || (head[at] != '{' && head[at] != '['))
        return false;
    for (; *words; words++)
        if (!memmem(head, n, *words, strlen(*words)))
            return false;
    return true;
}
