/* op_profile.c - see op_profile.h. */
#include "profile/op_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "profile/source/profile_json.h"

#define DEPTH_MAX 64

struct tree {
    struct profile_build *b;
    const char *file;
    struct err *err;
};

/* A member under the name that JSON has for it, or that of the .proto file. */
static const json_t *find_member(const json_t *object, const char *camel, const char *snake)
{
    const json_t *member = json_object_get(object, camel);

    return member ? member : json_object_get(object, snake);
}

static double read_real(const json_t *object, const char *camel, const char *snake)
{
    double value;

    return profile_json_real(object, camel, &value) || profile_json_real(object, snake, &value)
               ? value
               : 0;
}

static uint64_t find_id(const json_t *xla)
{
    uint64_t id = profile_json_id(xla, "programId");

    return id ? id : profile_json_id(xla, "program_id");
}

static uint64_t round_real(double value)
{
    return value > 0 && value < (double)PROFILE_BUILD_PS_MAX ? (uint64_t)(value + 0.5) : 0;
}

/* Instructions of one shape stand below a node that sums them up. */
static bool is_group(const char *name)
{
    static const char ending[] = " and its duplicate(s)";
    size_t n = strlen(name), e = sizeof ending - 1;

    return n > e && strcmp(name + n - e, ending) == 0;
}

static int add_kernel(struct tree *t, const json_t *node, const json_t *xla, uint32_t program)
{
    const json_t *metrics = json_object_get(node, "metrics");
    const char *name = profile_json_text(node, "name");
    const char *text = profile_json_text(xla, "expression");
    const char *category = profile_json_text(xla, "category");
    uint64_t count = round_real(read_real(metrics, "occurrences", "occurrences"));

    name += name[0] == '%';
    if (plain_same(category, "idle") || name[0] == '\0' || count == 0)
        return 0;
    double ps = read_real(metrics, "rawTime", "raw_time");
    uint64_t id = find_id(xla);
    if (program == PROFILE_BUILD_NONE || (id && t->b->program[program].is.id != id))
        program = profile_build_program(t->b, "", 0, id);
    uint32_t i = profile_build_kernel(t->b, program, name, strlen(name), false);
    struct profile_kernel *k = &t->b->kernel[i];
    if (k->count == 0) {
        free(k->category);
        free(k->text);
        free(k->scope);
        k->scope = memory_copy(profile_json_text(xla, "provenance"));
        k->category = memory_copy(category);
        k->text = memory_copy(text[0] == '%' ? text : "");
        k->container = profile_build_holds(k->name, k->text, k->category) == PROFILE_HOLDS_ALL;
    }
    if (!(ps >= 0 && ps < (double)PROFILE_BUILD_PS_MAX) ||
        !profile_build_add(k, count, round_real(ps)))
        return err_set(t->err, ERR_FORMAT,
                       "%.160s:1: %.80s: rawTime = %g, occurrences = %" PRIu64
                       ": expected numbers in [0, %" PRId64 "] ps and [1, %" PRIu64 "]",
                       t->file, name, ps, count, PROFILE_BUILD_PS_MAX, PROFILE_BUILD_COUNT_MAX);
    k->flops = round_real(read_real(metrics, "rawFlops", "raw_flops") / (double)count);
    const json_t *bytes = find_member(metrics, "rawBytesAccessedArray", "raw_bytes_accessed_array");
    k->bytes = round_real(json_real_value(json_array_get(bytes, 0)) / (double)count);
    return 0;
}

static int walk_node(struct tree *t, const json_t *node, uint32_t program, unsigned depth)
{
    const json_t *xla = json_object_get(node, "xla"), *children = json_object_get(node, "children");

    if (depth > DEPTH_MAX)
        return err_set(t->err, ERR_FORMAT, "%.160s:1: a tree of more than %d levels", t->file,
                       DEPTH_MAX);
    if (xla && !is_group(profile_json_text(node, "name")))
        return add_kernel(t, node, xla, program); /* what is below is inside of it */
    for (size_t i = 0; i < json_array_size(children); i++)
        if (walk_node(t, json_array_get(children, i), program, depth + 1) != 0)
            return -1;
    return 0;
}

static int walk_programs(struct tree *t, const json_t *root)
{
    const json_t *children = json_object_get(root, "children");

    for (size_t i = 0; i < json_array_size(children); i++) {
        const json_t *node = json_array_get(children, i);
        const char *name = profile_json_text(node, "name");
        uint32_t program = json_object_get(node, "xla")
                               ? PROFILE_BUILD_NONE
                               : profile_build_module(t->b, name, strlen(name));
        if (walk_node(t, node, program, 0) != 0)
            return -1;
    }
    return 0;
}

bool op_profile_knows(const unsigned char *head, size_t n)
{
    static const char *const words[][3] = {
        { "\"byProgram", "\"metrics\"", NULL },
        { "\"byCategory", "\"metrics\"", NULL },
        { "\"by_program", "\"metrics\"", NULL },
        { "\"by_category", "\"metrics\"", NULL },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (profile_json_knows(head, n, words[i]))
            return true;
    return false;
}

static int walk_tree(struct tree *t, const json_t *tree)
{
    const json_t *root = find_member(tree, "byProgram", "by_program");
    int rc;

    if (!root)
        root = find_member(tree, "byProgramExcludeIdle", "by_program_exclude_idle");
    if (root)
        rc = walk_programs(t, root);
    else
        rc = walk_node(t, find_member(tree, "byCategory", "by_category"), PROFILE_BUILD_NONE, 0);
    if (rc == 0 && t->b->n_kernels == 0)
        rc = err_set(t->err, ERR_FORMAT, "%.160s:1: no kernel in it", t->file);
    return rc;
}

int op_profile_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    struct tree t = { b, profile_source_name(s), err };
    json_t *tree = profile_json_read(s, err);

    if (!tree)
        return -1;
    int rc = walk_tree(&t, tree);
    json_decref(tree);
    return rc;
}
