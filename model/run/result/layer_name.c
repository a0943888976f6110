#include "run/result/layer_name.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* Transformations of JAX: "jvp(NAME)" is NAME. */
static const char *const wrappers[] = { "jit",   "pjit",       "jvp",   "vjp",
                                        "vmap",  "transpose",  "remat", "checkpoint",
                                        "xmap",  "custom_jvp", "pmap",  "custom_vjp",
                                        "remat2" };

/* Parts of a scope that name how JAX calls a body. */
static const char *const calls[] = { "shard_map",
                                     "while",
                                     "body",
                                     "cond",
                                     "scan",
                                     "checkpoint",
                                     "rematted_computation",
                                     "closed_call",
                                     "core_call",
                                     "pjit",
                                     "remat",
                                     "remat2",
                                     "custom_jvp_call",
                                     "custom_vjp_call",
                                     "custom_vjp_call_jaxpr" };

static bool is_among(const char *const *words, size_t n_words, const char *at, size_t n)
{
    for (size_t i = 0; i < n_words; i++)
        if (strlen(words[i]) == n && memcmp(words[i], at, n) == 0)
            return true;
    return false;
}

/* Length of the part of a scope that begins here: up to a "/" outside brackets. */
static size_t measure_part(const char *at)
{
    size_t n = 0;
    int depth = 0;

    for (; at[n] && (at[n] != '/' || depth > 0); n++)
        depth += (at[n] == '(') - (at[n] == ')');
    return n;
}

/* Take "jvp(" and ")" from around a name, as often as they are there. */
static void unwrap_part(const char **at, size_t *n)
{
    for (;;) {
        const char *open = memchr(*at, '(', *n);
        size_t before = open ? (size_t)(open - *at) : 0;
        if (!open || (*at)[*n - 1] != ')' ||
            !is_among(wrappers, sizeof wrappers / sizeof *wrappers, *at, before))
            return;
        *at += before + 1;
        *n -= before + 2;
    }
}

/* Neither name is longer than what it is made of. */
char *layer_name(const char *scope)
{
    char *name = memory_zeroed(strlen(scope) + 1, 1);
    size_t size = 0;

    for (const char *at = scope; *at;) {
        size_t whole = measure_part(at), n = whole;
        const char *part = at;
        if (!at[whole])
            break; /* the operation */
        unwrap_part(&part, &n);
        bool step = at == scope && part != at;
        if (n > 0 && !step && !is_among(calls, sizeof calls / sizeof *calls, part, n)) {
            if (size)
                name[size++] = '/';
            memcpy(name + size, part, n);
            size += n;
        }
        at += whole + 1;
    }
    return name;
}

char *layer_label(const char *name)
{
    char *label = memory_zeroed(strlen(name) + 1, 1), *to = label;

    while (*name) {
        size_t digits = strspn(name, "0123456789");
        *to++ = digits ? '*' : *name;
        name += digits ? digits : 1;
    }
    return label;
}
