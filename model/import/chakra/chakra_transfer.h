/* chakra_transfer.h - what a communication of another tool moves, and between whom. */
#ifndef IMPORT_CHAKRA_CHAKRA_TRANSFER_H
#define IMPORT_CHAKRA_CHAKRA_TRANSFER_H

#include "import/chakra/chakra_graph.h"
#include "import/chakra/chakra_groups.h"
#include "import/chakra/chakra_peers.h"

struct chakra_transfer {
    const char *kind;       /* of an operation; of an unknown one, what a trace may call it */
    bool known;             /* it is a kind of a trace */
    bool guessed;           /* which ranks take part: the file does not say it, or not so that it
                               could be read */
    uint64_t operand;       /* bytes that this rank gives; 0: nothing moves */
    uint64_t result;        /* bytes that it gets, if that is not in place; else 0 */
    uint32_t width;         /* bytes of an element: operand and result are multiples of it */
    uint64_t group, stride; /* 0: all ranks */
    uint64_t shift;         /* of a permute */
};

/* All that transfers are read with. */
struct chakra_world {
    const struct chakra_graph *g;
    struct chakra_groups groups;
    struct chakra_peer *peer; /* [node] */
    uint64_t ranks;           /* of all; 0: not known */
    bool allow_unknown; /* take what no kind of operation does, and ranks that are not known */
};

/* `ranks` 0: as the file says.  It is freed also after an error.  Errors: those of
 * chakra_peers_find(). */
int chakra_world_read(struct chakra_world *w, const struct chakra_graph *g, uint64_t ranks,
                      bool allow_unknown, struct err *err);
void chakra_world_free(struct chakra_world *w);

/* Read a collective, a send or a receive.  Errors: ERR_RANGE for numbers, and where the number of
 * ranks is needed; ERR_UNKNOWN for what has no kind of operation. */
int chakra_transfer_read(const struct chakra_world *w, uint32_t node, struct chakra_transfer *t,
                         struct err *err);

/* A vector of that many bytes, at least 1: "f32[25]" for 100 of width 4, of 4, 2 or 1. */
void chakra_transfer_shape(uint64_t bytes, uint32_t width, FILE *out);
/* The widest element that so many bytes are made of: 4, 2 or 1. */
uint32_t chakra_transfer_width(uint64_t bytes);

#endif
