/* hlo_frames.c - see hlo_frames.h. */
#include "hlo/hlo_frames.h"

#include <stdlib.h>

#include "base/memory.h"

static struct hlo_frame_table *find_table(struct hlo_frames *f, struct hlo_text word)
{
    return hlo_text_is(word, "FileNames")       ? &f->files
           : hlo_text_is(word, "FunctionNames") ? &f->functions
           : hlo_text_is(word, "FileLocations") ? &f->locations
           : hlo_text_is(word, "StackFrames")   ? &f->frames
                                                : NULL;
}

int hlo_frames_read(struct hlo_lex *x, struct hlo_frames *f)
{
    const char *begin = (hlo_lex_blanks(x), x->at);
    struct hlo_frame_table *t = find_table(f, hlo_lex_word(x));
    char after = hlo_lex_peek(x);

    if (!t || after == '{' || after == '(' || after == '=') { /* a computation may have that name */
        x->at = begin;
        return 0;
    }
    for (; after >= '0' && after <= '9'; after = hlo_lex_peek(x)) {
        struct hlo_frame_entry e;
        if (hlo_lex_number(x, "a number", &e.id) != 0)
            return -1;
        after = hlo_lex_peek(x);
        const char *value = x->at;
        if (after != '"' && after != '{')
            return hlo_lex_expected(x, "a name in quotes or '{'");
        if ((after == '"' ? hlo_lex_string(x) : hlo_lex_bracket(x)) != 0)
            return -1;
        e.value = (struct hlo_text){ value, (uint32_t)(x->at - value) };
        MEMORY_GROW(t->entry, t->n + 1, t->cap);
        t->entry[t->n++] = e;
    }
    return 1;
}

/* XLA numbers entries from 1, so the first place to look is nearly always right. */
static struct hlo_text find_entry(const struct hlo_frame_table *t, uint64_t id)
{
    if (id >= 1 && id <= t->n && t->entry[id - 1].id == id)
        return t->entry[id - 1].value;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->entry[i].id == id)
            return t->entry[i].value;
    return (struct hlo_text){ NULL, 0 };
}

/* The number behind `key` in {..}; 0 if it is not there, which no id is. */
static uint64_t read_part(struct hlo_text entry, const char *key)
{
    int64_t number;

    return entry.at && hlo_numbers(hlo_part(entry, key), &number, 1) == 1 && number > 0
               ? (uint64_t)number
               : 0;
}

bool hlo_frames_find(const struct hlo_frames *f, uint64_t id, struct hlo_text *file, uint32_t *line)
{
    struct hlo_text frame = find_entry(&f->frames, id);
    struct hlo_text location = find_entry(&f->locations, read_part(frame, "file_location_id"));
    struct hlo_text name = find_entry(&f->files, read_part(location, "file_name_id"));
    uint64_t number = read_part(location, "line");

    if (!name.at || number == 0 || number > UINT32_MAX)
        return false;
    *file = name;
    *line = (uint32_t)number;
    return true;
}

void hlo_frames_free(struct hlo_frames *f)
{
    free(f->files.entry);
    free(f->functions.entry);
    free(f->locations.entry);
    free(f->frames.entry);
    *f = (struct hlo_frames){ 0 };
}
