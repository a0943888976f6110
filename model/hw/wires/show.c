#include "hw/wires/show.h"

const char *const show_states[SHOW_N_STATES] = {
#define S(id, text, doc) text,
    SHOW_STATES(S)
#undef S
};
