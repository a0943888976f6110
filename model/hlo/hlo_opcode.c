/* hlo_opcode.c - see hlo_opcode.h. */
#include "hlo/hlo_opcode.h"

#include <string.h>
#include <xxhash.h>

#define O(id, text) text,
const char *const hlo_opcode_name[HLO_N_OPCODES] = { HLO_OPCODES(O) };
#undef O

_Static_assert(HLO_N_OPCODES < 255, "an opcode and 1 fit a byte");
_Static_assert(2 * HLO_N_OPCODES < HLO_OPCODE_SLOTS, "the table has room");

static uint32_t first_slot(const char *word, size_t size)
{
    return (uint32_t)XXH3_64bits(word, size) & (HLO_OPCODE_SLOTS - 1);
}

void hlo_opcode_init(struct hlo_opcodes *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned op = 0; op < HLO_N_OPCODES; op++) {
        size_t size = strlen(hlo_opcode_name[op]);
        uint32_t i = first_slot(hlo_opcode_name[op], size);
        if (size == 0)
            continue;
        while (t->slot[i])
            i = (i + 1) & (HLO_OPCODE_SLOTS - 1);
        t->slot[i] = (uint8_t)(op + 1);
    }
}

static bool ends_with(struct hlo_text word, const char *end)
{
    size_t size = strlen(end);

    return word.size > size && memcmp(word.at + word.size - size, end, size) == 0;
}

enum hlo_opcode hlo_opcode_find(const struct hlo_opcodes *t, struct hlo_text word)
{
    uint32_t i = first_slot(word.at, word.size);

    for (; t->slot[i]; i = (i + 1) & (HLO_OPCODE_SLOTS - 1))
        if (hlo_text_is(word, hlo_opcode_name[t->slot[i] - 1]))
            return (enum hlo_opcode)(t->slot[i] - 1);
    return ends_with(word, "-start")    ? HLO_OP_START
           : ends_with(word, "-update") ? HLO_OP_UPDATE
           : ends_with(word, "-done")   ? HLO_OP_DONE
                                        : HLO_OP_OTHER;
}
