/* hlo_proto_write.h - the writer of hlo_proto: its state, and the fields that it finds. */
#ifndef HLO_PROTO_HLO_PROTO_WRITE_H
#define HLO_PROTO_HLO_PROTO_WRITE_H

#include <stdio.h>

#include "base/err.h"
#include "base/proto_walk.h"

/* fields of HloInstructionProto */
enum hlo_proto_field {
    HLO_PROTO_NAME = 1,
    HLO_PROTO_OPCODE = 2,
    HLO_PROTO_SHAPE = 3,
    HLO_PROTO_METADATA = 7,
    HLO_PROTO_LITERAL = 8,
    HLO_PROTO_PARAMETER = 9,
    HLO_PROTO_FUSION_KIND = 11,
    HLO_PROTO_TUPLE_INDEX = 13,
    HLO_PROTO_DIMENSIONS = 14,
    HLO_PROTO_WINDOW = 15,
    HLO_PROTO_CONVOLUTION = 16,
    HLO_PROTO_SLICE = 17,
    HLO_PROTO_EXPONENT_BITS = 18,
    HLO_PROTO_MANTISSA_BITS = 19,
    HLO_PROTO_DYNAMIC_SLICE_SIZES = 20,
    HLO_PROTO_PADDING = 21,
    HLO_PROTO_FEATURE_INDEX = 25,
    HLO_PROTO_CHANNEL = 26,
    HLO_PROTO_TARGET = 28,
    HLO_PROTO_DOT = 30,
    HLO_PROTO_FFT_TYPE = 31,
    HLO_PROTO_FFT_LENGTH = 32,
    HLO_PROTO_GATHER = 33,
    HLO_PROTO_GATHER_SIZES = 34,
    HLO_PROTO_ID = 35,
    HLO_PROTO_OPERANDS = 36,
    HLO_PROTO_CALLED = 38,
    HLO_PROTO_BACKEND_CONFIG = 43,
    HLO_PROTO_HOST_TRANSFER = 47,
    HLO_PROTO_SCATTER = 48,
    HLO_PROTO_REPLICA_GROUPS = 49,
    HLO_PROTO_FEATURE_GROUPS = 50,
    HLO_PROTO_PRECISION = 51,
    HLO_PROTO_PAIRS = 52,
    HLO_PROTO_BATCH_GROUPS = 58,
    HLO_PROTO_STABLE = 60,
    HLO_PROTO_DIRECTION = 63,
    HLO_PROTO_SIDE_EFFECT = 65,
    HLO_PROTO_SORTED = 67,
    HLO_PROTO_FRONTEND = 68,
    HLO_PROTO_UNIQUE = 69,
    HLO_PROTO_GLOBAL_IDS = 71,
    HLO_PROTO_ALIASING = 74,
    HLO_PROTO_THREAD = 79,
    HLO_PROTO_PREFETCH = 80,
    HLO_PROTO_K = 81,
    HLO_PROTO_LARGEST = 85,
    HLO_PROTO_DEVICES = 87,
    HLO_PROTO_RAGGED = 90,
    HLO_PROTO_IOTA = 92,
    HLO_PROTO_MESH = 93,
    HLO_PROTO_FIELDS = 96, /* more than any that is read */
};

struct hlo_proto_name {
    uint64_t id;
    struct proto_message name, all;
    /* If an async-start calls the computation and it has but one instruction besides its
     * parameters: that one, which the text writes in the place of the call. */
    struct proto_message wrapped;
};

struct hlo_proto_names {
    struct hlo_proto_name *name; /* by id */
    uint32_t n, cap;
};

/* An instruction whose fields were found once: of a field the first. */
struct hlo_proto_instruction {
    struct proto_message all;
    struct proto_field field[HLO_PROTO_FIELDS];
    bool has[HLO_PROTO_FIELDS];
    bool predicate; /* its first operand is a pred */
};

struct hlo_proto_frames { /* of StackFrameIndexProto: [0] is id 1 */
    struct proto_message *file, *location, *frame;
    uint32_t n_files, n_locations, n_frames;
    uint32_t cap_files, cap_locations, cap_frames;
};

struct hlo_proto_writer {
    FILE *out;
    const char *name; /* of the file */
    struct err *err;
    struct hlo_proto_names computations, instructions; /* those of the computation */
    struct hlo_proto_frames frames;
    uint64_t devices; /* that collectives name: the highest and one more */
    bool by_partition;
};

/* List the names of messages in field `list` of `m`, whose ids are in field `id`. */
void hlo_proto_find_names(struct hlo_proto_names *names, struct proto_message m, uint32_t list,
                          uint32_t id);
/* NULL: there is none of this id. */
struct hlo_proto_name *hlo_proto_find(const struct hlo_proto_names *names, uint64_t id);

/* Find the fields of an instruction, the first of each number; has[] says which there are. */
void hlo_proto_fields(struct hlo_proto_instruction *i, struct proto_message m);
/* Find the computations that the async-starts of a computation call. */
void hlo_proto_find_wrapped(struct hlo_proto_writer *w, struct proto_message computation);
/* The instruction that the text of an asynchronous one has in its place; empty if it has none. */
struct proto_message hlo_proto_wrapped(const struct hlo_proto_writer *w,
                                       const struct hlo_proto_instruction *i);

/* A field of a message; `number` 0: it is not there.  A number in a message, or 0. */
struct proto_field hlo_proto_member(struct proto_message m, uint32_t number);
uint64_t hlo_proto_value(struct proto_message m, uint32_t number);

void hlo_proto_bytes(FILE *out, struct proto_message text);  /* as it is */
void hlo_proto_quoted(FILE *out, struct proto_message text); /* between quotes */
/* "{1,2}" of a repeated field of numbers in a message. */
void hlo_proto_list(FILE *out, struct proto_message m, uint32_t number);

/* "f32[8,128]{1,0:T(8,128)}" of a ShapeProto. */
int hlo_proto_shape(struct hlo_proto_writer *w, struct proto_message shape, unsigned depth);
/* The value of a constant, without those of arrays. */
void hlo_proto_literal(FILE *out, struct proto_message literal);

/* All of ", key=value" of an instruction. */
int hlo_proto_attributes(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i);
/* The attributes of products, windows and gathers; those of collectives. */
void hlo_proto_dimensions(FILE *out, const struct hlo_proto_instruction *i);
void hlo_proto_collective(struct hlo_proto_writer *w, const struct hlo_proto_instruction *i);

/* True if the instruction has this opcode. */
bool hlo_proto_is(const struct hlo_proto_instruction *i, const char *opcode);

#endif
