/* Names of a program's parts by their numbers, and the fields of an instruction. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/proto/hlo_proto_write.h"

static int compare_names(const void *a, const void *b)
{
    const struct hlo_proto_name *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

struct hlo_proto_name *hlo_proto_find(const struct hlo_proto_names *names, uint64_t id)
{
    struct hlo_proto_name key = { .id = id };

    return names->n ? bsearch(&key, names->name, names->n, sizeof key, compare_names) : NULL;
}

void hlo_proto_fields(struct hlo_proto_instruction *i, struct proto_message m)
{
    struct proto_field f;

    memset(i, 0, sizeof *i);
    i->all = m;
    while (proto_next(&m, &f) > 0)
        if (f.number < HLO_PROTO_FIELDS && !i->has[f.number]) {
            i->has[f.number] = true;
            i->field[f.number] = f;
        }
}

bool hlo_proto_is(const struct hlo_proto_instruction *i, const char *opcode)
{
    const struct proto_field *f = &i->field[HLO_PROTO_OPCODE];

    return i->has[HLO_PROTO_OPCODE] && f->type == PROTO_BYTES && f->value == strlen(opcode) &&
           memcmp(f->bytes, opcode, f->value) == 0;
}

void hlo_proto_find_names(struct hlo_proto_names *names, struct proto_message m, uint32_t list,
                          uint32_t id)
{
    struct proto_field f;

    names->n = 0;
    while (proto_next(&m, &f) > 0) {
        if (f.number != list || f.type != PROTO_BYTES)
            continue;
        struct proto_field name = hlo_proto_member(proto_inner(&f), 1);
        MEMORY_GROW(names->name, names->n + 1, names->cap);
        names->name[names->n++] = (struct hlo_proto_name){
            .id = hlo_proto_value(proto_inner(&f), id),
            .name = proto_inner(&name),
            .all = proto_inner(&f),
        };
    }
    if (names->n > 0)
        qsort(names->name, names->n, sizeof *names->name, compare_names);
}
