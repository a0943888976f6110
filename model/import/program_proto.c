#include "import/program_proto.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_encode.h"
#include "hlo/hlo_module.h"

struct program_proto {
    struct hlo_module *m;
    const char *end;   /* of the text */
    uint32_t *by_name; /* instructions; of equal names in that order */
};

static int compare_names(struct hlo_text a, struct hlo_text b)
{
    uint32_t least = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.at, b.at, least);

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* For qsort, which hands on no context: a pointer to each instruction. */
static int compare_instructions(const void *a, const void *b)
{
    const struct hlo_instruction *x = *(const struct hlo_instruction *const *)a,
                                 *y = *(const struct hlo_instruction *const *)b;
    int order = compare_names(x->name, y->name);

    return order ? order : (x > y) - (x < y);
}

static void sort_names(struct program_proto *p)
{
    uint32_t n = p->m->n_instructions;
    const struct hlo_instruction **list = memory_zeroed((size_t)n + 1, sizeof *list);

    for (uint32_t i = 0; i < n; i++)
        list[i] = &p->m->instruction[i];
    if (n > 0)
        qsort(list, n, sizeof *list, compare_instructions);
    p->by_name = memory_zeroed((size_t)n + 1, sizeof *p->by_name);
    for (uint32_t i = 0; i < n; i++)
        p->by_name[i] = (uint32_t)(list[i] - p->m->instruction);
    free(list);
}

void program_proto_open(struct program_proto **p, const char *file, const char *text, size_t size)
{
    struct hlo_module *m;
    struct err ignored;

    *p = NULL;
    if (!hlo_looks_like(text, size) || hlo_parse(&m, file, text, size, &ignored) != 0)
        return;
    *p = memory_zeroed(1, sizeof **p);
    (*p)->m = m;
    (*p)->end = text + size;
    sort_names(*p);
}

void program_proto_free(struct program_proto *p)
{
    if (!p)
        return;
    hlo_free(p->m);
    free(p->by_name);
    free(p);
}

char *program_proto_name(const struct program_proto *p)
{
    return memory_copy_part(p->m->name.at, p->m->name.size);
}

/* The instruction of this name, and the part of its result that it says; NULL: there is none. */
static const struct hlo_instruction *find_instruction(const struct program_proto *p,
                                                      const char *operation, uint32_t *part)
{
    const char *colon = strrchr(operation, ':');
    size_t n = colon ? (size_t)(colon - operation) : strlen(operation);
    struct hlo_text name = { operation, (uint32_t)n };
    uint32_t low = 0, high = p->m->n_instructions;

    *part = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_names(p->m->instruction[p->by_name[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == p->m->n_instructions)
        return NULL;
    const struct hlo_instruction *i = &p->m->instruction[p->by_name[low]];
    return compare_names(i->name, name) == 0 ? i : NULL;
}

/* The line as it stands, up to what says where it comes from and how it is compiled. */
char *program_proto_line(void *self, const char *operation)
{
    static const char *const ends[] = { ", metadata={",
                                        ", backend_config=", ", frontend_attributes={" };
    const struct program_proto *p = self;
    uint32_t part;
    const struct hlo_instruction *i = find_instruction(p, operation, &part);

    if (!i)
        return NULL;
    const char *newline = memchr(i->name.at, '\n', (size_t)(p->end - i->name.at));
    char *line = memory_copy_part(i->name.at, (size_t)((newline ? newline : p->end) - i->name.at));
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        char *cut = strstr(line, ends[k]);
        if (cut)
            *cut = '\0';
    }
    char *whole = memory_format("%%%s", line);
    free(line);
    return whole;
}

/* A product anywhere in a fusion is what the fusion is about. */
static bool has_product(const struct hlo_module *m, const struct hlo_instruction *i, unsigned depth)
{
    if (i->opcode == HLO_OP_CONVOLUTION || i->opcode == HLO_OP_DOT)
        return true;
    if (i->opcode != HLO_OP_FUSION || i->n_called == 0 || depth == HLO_MAX_CALLS)
        return false;
    const struct hlo_computation *c = hlo_called(m, i, 0);
    for (uint32_t k = c->first; k < c->first + c->n; k++)
        if (has_product(m, &m->instruction[k], depth + 1))
            return true;
    return false;
}

const char *program_proto_category(void *self, const char *operation)
{
    static const char *const kinds[][2] = { { "kLoop", "loop fusion" },
                                            { "kInput", "input fusion" },
                                            { "kOutput", "output fusion" },
                                            { "kCustom", "custom fusion" } };
    const struct program_proto *p = self;
    uint32_t part;
    const struct hlo_instruction *i = find_instruction(p, operation, &part);

    if (!i)
        return NULL;
    if (i->opcode != HLO_OP_FUSION) /* a word that the table lacks is shown by the kind of trace */
        return *hlo_opcode_name[i->opcode] ? hlo_opcode_name[i->opcode] : NULL;
    if (has_product(p->m, i, 0))
        return "convolution fusion";
    struct hlo_text kind = hlo_attribute(p->m, i, "kind");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (hlo_text_is(kind, kinds[k][0]))
            return kinds[k][1];
    return "fusion";
}

void program_proto_encode(const struct program_proto *p, struct proto *to,
                          const struct program_proto_buffer *buffer, size_t n)
{
    struct hlo_encode_buffer *list = memory_zeroed(n + 1, sizeof *list);
    uint32_t count = 0, part, ignored;

    for (size_t k = 0; k < n; k++) {
        const struct hlo_instruction *made = find_instruction(p, buffer[k].made, &part),
                                     *last = *buffer[k].last
                                                 ? find_instruction(p, buffer[k].last, &ignored)
                                                 : NULL;
        if (!made || made->computation != p->m->entry)
            continue;
        bool inside = last && last->computation == p->m->entry && last > made;
        list[count++] = (struct hlo_encode_buffer){
            .instruction = (uint32_t)(made - p->m->instruction),
            .part = part,
            .last = inside ? (uint32_t)(last - p->m->instruction) : HLO_NONE,
            .bytes = buffer[k].bytes,
        };
    }
    hlo_encode(to, p->m, list, count);
    free(list);
}
