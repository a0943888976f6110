/* Classes of kernels: of predicted ones by what they do, of others by what the profile says. */
#include <string.h>

#include "machine/spec/spec.h"
#include "study/profiled/profiled_impl.h"
#include "trace/trace.h"

#define C(id, key, name, text) key,
const char *const profiled_class_key[PROFILED_N_CLASSES] = { PROFILED_CLASSES(C) };
#undef C
#define C(id, key, name, text) name,
const char *const profiled_class_name[PROFILED_N_CLASSES] = { PROFILED_CLASSES(C) };
#undef C
#define C(id, key, name, text) text,
const char *const profiled_class_text[PROFILED_N_CLASSES] = { PROFILED_CLASSES(C) };
#undef C

const char *profiled_class_label(const struct profiled *p, enum profiled_class class)
{
    return class == PROFILED_MXU && p->spec->kind != CHIP_TPU ? "products"
                                                              : profiled_class_name[class];
}

/* The kind of a row, without the -start or -done behind it. */
static enum trace_kind find_kind(const char *name, bool *half)
{
    size_t n = strlen(name);

    *half = false;
    if ((n > 6 && strcmp(name + n - 6, "-start") == 0) ||
        (n > 5 && strcmp(name + n - 5, "-done") == 0)) {
        n -= name[n - 1] == 't' ? 6 : 5;
        *half = true;
    }
    for (unsigned k = 0; k < TRACE_UNKNOWN; k++)
        if (strlen(trace_kind_name[k]) == n && memcmp(trace_kind_name[k], name, n) == 0)
            return (enum trace_kind)k;
    return TRACE_UNKNOWN;
}

enum profiled_class profiled_class_of_row(const struct run_row *row)
{
    bool half;
    enum trace_kind kind = find_kind(row->kind, &half);

    if (trace_is_collective(kind))
        return PROFILED_COLLECTIVE;
    if (trace_is_transfer(kind) || trace_is_host(kind))
        return PROFILED_FEED;
    if (mpq_sgn(amounts_get(&row->slots.use, USE_USEFUL)) > 0 || trace_is_gemm(kind) ||
        mpq_sgn(row->mxu) > 0)
        return PROFILED_MXU;
    if (half || trace_has_trait(kind, TRACE_MOVES))
        return PROFILED_MOVEMENT;
    return mpz_sgn(row->flops) > 0 || kind != TRACE_KERNEL ? PROFILED_VECTOR : PROFILED_MOVEMENT;
}

enum profiled_class profiled_class_of_kernel(const struct profile_kernel *k)
{
    /* the first that the category holds; XLA's words for categories and opcodes */
    static const struct {
        const char *word;
        enum profiled_class class;
    } words[] = {
        { "all-reduce", PROFILED_COLLECTIVE },
        { "all-gather", PROFILED_COLLECTIVE },
        { "reduce-scatter", PROFILED_COLLECTIVE },
        { "all-to-all", PROFILED_COLLECTIVE },
        { "collective", PROFILED_COLLECTIVE },
        { "infeed", PROFILED_FEED },
        { "outfeed", PROFILED_FEED },
        { "host", PROFILED_FEED },
        { "convolution", PROFILED_MXU },
        { "dot", PROFILED_MXU },
        { "copy", PROFILED_MOVEMENT },
        { "formatting", PROFILED_MOVEMENT },
        { "slice", PROFILED_MOVEMENT },
        { "broadcast", PROFILED_MOVEMENT },
        { "concatenate", PROFILED_MOVEMENT },
        { "transpose", PROFILED_MOVEMENT },
        { "reshape", PROFILED_MOVEMENT },
        { "gather", PROFILED_MOVEMENT },
        { "pad", PROFILED_MOVEMENT },
        { "async", PROFILED_MOVEMENT },
    };
    const char *said = *k->category ? k->category : k->name;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(said, words[i].word))
            return words[i].class;
    return PROFILED_VECTOR;
}
