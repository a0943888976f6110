/* Instructions and attributes as they are appended to a module. */
#include <string.h>

#include "hlo/hlo_parser.h"

void hlo_parser_add_attribute(struct hlo_parser *p, struct hlo_attribute a)
{
    struct hlo_module *m = p->m;

    HLO_PARSER_ROOM(m->attribute, m->n_attributes, p->cap_attributes);
    m->attribute[m->n_attributes++] = a;
}

uint32_t hlo_parser_add_instruction(struct hlo_parser *p, struct hlo_text name, const char *place,
                                    struct hlo_text opcode)
{
    struct hlo_module *m = p->m;
    uint32_t line, column;

    hlo_lex_place(&p->lex, place, &line, &column);
    HLO_PARSER_ROOM(m->instruction, m->n_instructions, p->cap_instructions);
    m->instruction[m->n_instructions] = (struct hlo_instruction){
        .name = name,
        .opcode_text = opcode,
        .opcode = hlo_opcode_find(&p->opcodes, opcode),
        .first_operand = m->n_operands,
        .first_called = m->n_called,
        .first_attribute = m->n_attributes,
        .computation = m->n_computations - 1,
        .line = line,
        .column = column,
        .number = -1,
    };
    return m->n_instructions++;
}
