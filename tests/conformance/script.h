/* script.h - the text of a model, parsed. */
#ifndef CONFORMANCE_SCRIPT_H
#define CONFORMANCE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCRIPT_ITEMS = 24,
    SCRIPT_OPS = 256,
    SCRIPT_REFS = 6, /* of a static sensitivity or a list */
    SCRIPT_NAME = 16,
    SCRIPT_TEXT = 48
};

enum item_kind {
    ITEM_EVENT,
    ITEM_SIGNAL,
    ITEM_FIFO,
    ITEM_MUTEX,
    ITEM_SEMAPHORE,
    ITEM_CLOCK,
    ITEM_ANY,
    ITEM_ALL,
    ITEM_CHANNEL,
    ITEM_PORT,
    ITEM_UNBOUND,
    ITEM_THREAD,
    ITEM_METHOD,
    ITEM_BEFORE, /* callbacks */
    ITEM_ELABORATED,
    ITEM_START,
    ITEM_END,
    ITEM_MAIN,
    /* what $ok and the like stand for; never declared */
    ITEM_OK,
    ITEM_GOT,
    ITEM_TIMED,
    ITEM_LEFT,
    ITEM_NEXT
};

enum part { PART_WHOLE, PART_POS, PART_NEG, PART_WRITTEN, PART_READ, PART_DONE };

struct ref {
    int item; /* index, -1: none */
    enum part part;
};

struct item {
    enum item_kind kind;
    char name[SCRIPT_NAME];
    uint64_t value;               /* initial value, capacity, period */
    struct ref refs[SCRIPT_REFS]; /* of a list, a channel, a port or a static sensitivity */
    int n_refs;
    bool later;
    int first, end; /* statements */
};

enum opcode {
    OP_SAY,
    OP_NOTE,
    OP_NOTIFY,
    OP_NOTIFY_DELTA,
    OP_NOTIFY_AFTER,
    OP_CANCEL,
    OP_WAIT,
    OP_WAIT_TIME,
    OP_WAIT_FOR_IT, /* an event or a list */
    OP_WAIT_FOR_IT_OR_TIME,
    OP_WRITE,
    OP_PUT,
    OP_GET,
    OP_PUSH,
    OP_POP,
    OP_LOCK,
    OP_TRYLOCK,
    OP_UNLOCK,
    OP_TAKE,
    OP_TRYTAKE,
    OP_POST,
    OP_REQUEST,
    OP_SUSPEND,
    OP_RESUME,
    OP_KILL,
    OP_PAUSE,
    OP_STOP,
    OP_AGAIN,
    OP_AGAIN_TIMES,
    OP_RUN,
    OP_RUN_UNTIL,
    OP_STEP,
    OP_FINISH,
    OP_SLASH
};

struct op {
    enum opcode code;
    struct ref ref;
    struct ref from; /* where the value comes from, if it is not a number */
    uint64_t value;
    char text[SCRIPT_TEXT];
};

struct script {
    struct item items[SCRIPT_ITEMS];
    int n_items;
    struct op ops[SCRIPT_OPS];
    int n_ops;
    bool no_deltas;
};

/* Parse `text`; a text that is wrong is named on stderr and aborts. */
void script_parse(struct script *s, const char *text);

/* True if the item of `r` is a list. */
bool script_is_list(const struct script *s, struct ref r);

/* Write `text` with every $x replaced by its value, UINT64_MAX as "never". */
typedef uint64_t script_value(void *self, enum item_kind kind, int item);
void script_expand(const struct script *s, const char *text, script_value *value, void *self,
                   char *out, size_t size);

#endif
