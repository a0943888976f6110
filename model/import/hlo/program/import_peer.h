/* import_peer.h - a send and the recv of what it sends (import_peer.c). */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_PEER_H
#define IMPORT_HLO_PROGRAM_IMPORT_PEER_H

#include "import/hlo/program/importing.h"

/* Fill im->peer and im->slices. */
void import_peer_find(struct importing *im);
/* The recv of a send, and the reverse; NULL: there is none in its computation. */
const struct hlo_instruction *import_peer_of(const struct importing *im,
                                             const struct hlo_instruction *i);
/* True for a send or recv between slices. */
bool import_peer_is_far(const struct importing *im, const struct hlo_instruction *i);
/* Who sends to whom: text as of source_target_pairs. */
struct hlo_text import_peer_pairs(const struct importing *im, const struct hlo_instruction *i);
/* The collective that it is; NULL: one that our slices do not do among each other, or an unknown
 * one. */
const char *import_peer_kind(const struct importing *im, const struct hlo_instruction *i);

#endif
