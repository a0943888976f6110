/* import_config.h - what backend_config says of an instruction. */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_CONFIG_H
#define IMPORT_HLO_PROGRAM_IMPORT_CONFIG_H

#include "hlo/hlo_module.h"

/* Dimensions, windows, loops of a kernel; arrays with more have no windows. */
#define IMPORT_DIMS 16

struct import_config {
    uint32_t n_kernel, n_input, n_output, n_grid;
    uint64_t kernel[IMPORT_DIMS], input[IMPORT_DIMS], output[IMPORT_DIMS], grid[IMPORT_DIMS];
    uint64_t estimate; /* cycles; 0: none */
    uint64_t vmem;     /* bytes; UINT64_MAX: not stated */
    bool divided;      /* between two cores, along loop `split`, or -1 */
    int64_t split;
    uint64_t split_bytes;
    bool packed, dense; /* taps share passes of the array; without gaps between them */
    bool summed;  /* k is on the sublanes of both operands, and each tap of the result a product */
    bool counted; /* `trips` is stated */
    uint64_t trips;
    uint64_t flops, transcendentals, bytes; /* of a kernel by hand, as its author estimates */
    struct hlo_text aliases;                /* the lists of aliasing_operands */
    struct hlo_text dot;                    /* dot_dimension_numbers */
    struct hlo_text precision;              /* precision_config, of a matrix product */
};
/* `storage` holds the text without its quotes where it has some; free() it when done. */
void import_config_read(struct import_config *c, struct hlo_text text, char **storage);
/* Pair `n` of an operand and a leaf of the result that share a buffer; false: there are no more.
 * *at starts as 0. */
bool import_config_alias(const struct import_config *c, uint32_t n_operands, uint32_t *at,
                         uint32_t *operand, uint32_t *leaf);
/* The numbers after `key` in a JSON text. */
uint32_t import_config_numbers(struct hlo_text json, const char *key, uint64_t *n, uint32_t room);
/* The text of a string or the digits of a number after `key`; at is NULL if there is none. */
struct hlo_text import_config_text(struct hlo_text json, const char *key);

#endif
