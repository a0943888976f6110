/* hlo_opcode.h - which opcode a word is. */
#ifndef HLO_OPCODE_H
#define HLO_OPCODE_H

#include "hlo/hlo_module.h"

#define HLO_OPCODE_SLOTS 512 /* a power of two, twice as many as opcodes */

/* Filled once for a text, so that a word costs one look and no memory outlives it. */
struct hlo_opcodes {
    uint8_t slot[HLO_OPCODE_SLOTS]; /* 1 + opcode; 0: empty */
};

/* Fill the table with all opcodes. */
void hlo_opcode_init(struct hlo_opcodes *t);
/* Unknown words are START, UPDATE and DONE by their endings, else OTHER. */
enum hlo_opcode hlo_opcode_find(const struct hlo_opcodes *t, struct hlo_text word);

#endif
