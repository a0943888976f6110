/* profile_build.c - programs, devices, kernels and runs: see profile_build.h. */
#include "profile/profile_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

void profile_build_begin(struct profile_build *b, const char *path, const char *format)
{
    *b = (struct profile_build){ .path = memory_copy(path), .format = format };
}

void profile_build_free(struct profile_build *b)
{
    for (uint32_t i = 0; i < b->n_devices; i++) {
        struct profile_build_device *d = &b->device[i];
        for (uint32_t r = 0; r < d->n_runs; r++) {
            if (d->run[r].log)
                free(d->run[r].log->event);
            free(d->run[r].log);
        }
        free(d->run);
        free(d->edge[0]);
        free(d->edge[1]);
        free(d->is.name);
        free(d->is.type);
        free(d->is.host);
    }
    for (uint32_t i = 0; i < b->n_programs; i++) {
        free(b->program[i].is.name);
        free(b->program[i].is.hlo);
    }
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        free(b->kernel[i].name);
        free(b->kernel[i].text);
        free(b->kernel[i].category);
        free(b->kernel[i].scope);
    }
    for (uint32_t i = 0; i < b->n_ops; i++) {
        free(b->op[i].name);
        free(b->op[i].text);
        free(b->op[i].category);
        free(b->op[i].scope);
    }
    profile_index_free(&b->program_index);
    profile_index_free(&b->kernel_index);
    profile_index_free(&b->op_index);
    free(b->device);
    free(b->program);
    free(b->kernel);
    free(b->op);
    free(b->step);
    free(b->path);
    *b = (struct profile_build){ 0 };
}

uint32_t profile_build_device(struct profile_build *b, const char *name)
{
    MEMORY_GROW(b->device, b->n_devices + 1, b->cap_devices);
    b->device[b->n_devices] = (struct profile_build_device){
        .is = { .name = memory_copy(name), .type = memory_copy(""), .host = memory_copy("") },
        .latest = INT64_MIN,
        .outside = PROFILE_BUILD_NONE,
    };
    return b->n_devices++;
}

struct program_key {
    const char *name;
    size_t n;
    uint64_t id;
};

static bool match_program(const void *array, uint32_t position, const void *key)
{
    const struct profile_program *p = &((const struct profile_build_program *)array)[position].is;
    const struct program_key *want = key;

    return p->id == want->id && (p->id != 0 || (strlen(p->name) == want->n &&
                                                memcmp(p->name, want->name, want->n) == 0));
}

uint32_t profile_build_program(struct profile_build *b, const char *name, size_t n, uint64_t id)
{
    n = strnlen(name, n);
    struct program_key key = { name, n, id };
    uint64_t hash = profile_index_hash(name, id ? 0 : n, id, 0);
    uint32_t i = profile_index_find(&b->program_index, hash, match_program, b->program, &key);

    if (i != PROFILE_INDEX_NONE) {
        struct profile_program *p = &b->program[i].is;
        if (p->name[0] == '\0' && n > 0) {
            free(p->name);
            p->name = memory_copy_part(name, n);
        }
        return i;
    }
    MEMORY_GROW(b->program, b->n_programs + 1, b->cap_programs);
    b->program[b->n_programs] = (struct profile_build_program){
        .is = { .name = memory_copy_part(name, n), .id = id },
        .device = PROFILE_BUILD_NONE,
        .stands = PROFILE_BUILD_NONE,
    };
    profile_index_add(&b->program_index, hash, b->n_programs);
    return b->n_programs++;
}

uint32_t profile_build_module(struct profile_build *b, const char *module, size_t n)
{
    size_t digits = n;
    uint64_t id = 0;

    if (n == 0 || module[n - 1] != ')')
        return profile_build_program(b, module, n, 0);
    while (digits > 1 && plain_is_digit(module[digits - 2]))
        digits--;
    if (digits < 2 || module[digits - 2] != '(')
        return profile_build_program(b, module, n, 0);
    for (size_t i = digits - 1; i < n - 1; i++)
        id = id * 10 + (uint64_t)(module[i] - '0');
    return profile_build_program(b, module, digits - 2, id);
}

void profile_build_hlo(struct profile_build *b, uint32_t program, const unsigned char *hlo,
                       size_t n)
{
    struct profile_program *p = &b->program[program].is;

    if (p->hlo || n == 0)
        return;
    p->hlo = memory_resize(NULL, n, 1);
    memcpy(p->hlo, hlo, n);
    p->hlo_size = n;
}

void profile_build_run(struct profile_build *b, uint32_t device, uint32_t program, int64_t begin,
                       uint64_t length)
{
    struct profile_build_device *d = &b->device[device];

    MEMORY_GROW(d->run, d->n_runs + 1, d->cap_runs);
    d->run[d->n_runs++] = (struct profile_build_run){
        .begin = begin,
        .length = length,
        .shared_length = length,
        .program = program,
        .covered = INT64_MIN,
        .wait = UINT64_MAX,
    };
}

void profile_build_step(struct profile_build *b, uint64_t length)
{
    MEMORY_GROW(b->step, b->n_steps + 1, b->cap_steps);
    b->step[b->n_steps++] = length;
}

struct kernel_key {
    uint32_t program;
    const char *name;
    size_t n;
    bool asynchronous;
};

static bool match_kernel(const void *array, uint32_t position, const void *key)
{
    const struct profile_kernel *k = (const struct profile_kernel *)array + position;
    const struct kernel_key *want = key;

    return k->program == want->program && k->asynchronous == want->asynchronous &&
           strlen(k->name) == want->n && memcmp(k->name, want->name, want->n) == 0;
}

uint32_t profile_build_kernel(struct profile_build *b, uint32_t program, const char *name, size_t n,
                              bool asynchronous)
{
    n = strnlen(name, n);
    struct kernel_key key = { program, name, n, asynchronous };
    uint64_t hash = profile_index_hash(name, n, program, asynchronous);
    uint32_t i = profile_index_find(&b->kernel_index, hash, match_kernel, b->kernel, &key);

    if (i != PROFILE_INDEX_NONE)
        return i;
    MEMORY_GROW(b->kernel, b->n_kernels + 1, b->cap_kernels);
    b->kernel[b->n_kernels] = (struct profile_kernel){
        .program = program,
        .name = memory_copy_part(name, n),
        .text = memory_copy(""),
        .category = memory_copy(""),
        .scope = memory_copy(""),
        .asynchronous = asynchronous,
    };
    profile_index_add(&b->kernel_index, hash, b->n_kernels);
    return b->n_kernels++;
}

static bool match_op(const void *array, uint32_t position, const void *key)
{
    const struct profile_op *a = (const struct profile_op *)array + position, *want = key;

    return a->program_id == want->program_id && strcmp(a->name, want->name) == 0 &&
           strcmp(a->text, want->text) == 0;
}

uint32_t profile_build_op(struct profile_build *b, struct profile_op *op)
{
    uint64_t hash = profile_index_hash(op->name, strlen(op->name), op->program_id, 0);
    uint32_t i = profile_index_find(&b->op_index, hash, match_op, b->op, op);

    if (i != PROFILE_INDEX_NONE) {
        free(op->name);
        free(op->text);
        free(op->category);
        free(op->scope);
        return i;
    }
    MEMORY_GROW(b->op, b->n_ops + 1, b->cap_ops);
    b->op[b->n_ops] = *op;
    for (int k = 0; k < 2; k++)
        b->op[b->n_ops].program[k] = b->op[b->n_ops].kernel[k] = PROFILE_BUILD_NONE;
    profile_index_add(&b->op_index, hash, b->n_ops);
    return b->n_ops++;
}

/* The word before the first parenthesis after the shape: the opcode of "%a = f32[2] add(...)". */
static bool find_opcode(const char *text, const char **opcode, size_t *n)
{
    const char *p = strstr(text, " = ");
    int depth = 0;

    if (!p)
        return false;
    for (p += 3; *p; p++) {
        if (*p == '(' || *p == '{' || *p == '[')
            depth++;
        else if (*p == ')' || *p == '}' || *p == ']')
            depth--;
        else if (*p == ' ' && depth == 0)
            break;
    }
    if (*p != ' ')
        return false;
    *opcode = p + 1;
    *n = strcspn(*opcode, "(");
    return true;
}

/* Does the name of an instruction without its number look like that of a loop, call or conditional?
 * JAX calls them by what they were made from: "while", "closed_call", "cond". */
static bool seems_container(const char *name)
{
    static const char *const parts[] = { "while", "call", "cond", "body" };
    size_t n = strcspn(name, ".");

    if (memmem(name, n, "custom-call", 11))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(name, n, parts[i], strlen(parts[i])))
            return true;
    return false;
}

bool profile_build_add(struct profile_kernel *k, uint64_t count, uint64_t ps)
{
    if (count > PROFILE_BUILD_COUNT_MAX || k->count > PROFILE_BUILD_COUNT_MAX - count ||
        ps > (uint64_t)PROFILE_BUILD_PS_MAX || k->total > (uint64_t)PROFILE_BUILD_PS_MAX - ps)
        return false;
    k->count += count;
    k->total += ps;
    return true;
}

enum profile_holds profile_build_holds(const char *name, const char *text, const char *category)
{
    static const char *const containers[] = { "while", "call", "conditional" };
    const char *word = category;
    size_t n = strlen(category);

    if (!find_opcode(text, &word, &n) && n == 0)
        return seems_container(name) ? PROFILE_HOLDS_IF_SEEN : PROFILE_HOLDS_NONE;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (n == strlen(containers[i]) && memcmp(word, containers[i], n) == 0)
            return PROFILE_HOLDS_ALL;
    return PROFILE_HOLDS_NONE;
}
