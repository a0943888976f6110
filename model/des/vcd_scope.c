/* vcd_scope.c - the declarations of a dump: every module with a variable in or below it, first its
 * variables, then its modules, in the order of creation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "des/vcd_impl.h"

#define NONE UINT32_MAX

struct name { /* a name in use in a scope; text NULL: a free slot */
    char *text;
    uint32_t scope;
};

struct tree {
    struct des_vcd *v;
    /* arrays by module; 0 is the root */
    bool *shown;
    uint32_t *first_var, *first_child, *next_sibling;
    uint32_t *next_var; /* array by variable */
    struct name *names; /* open addressing */
    uint32_t names_mask, n_order;
    TABLE(const char *const *) explained;
};

static void *new_array(size_t n, size_t size, int fill)
{
    return memset(memory_resize(NULL, n, size), fill, n * size);
}

/* --- names -------------------------------------------------------------------------------- */

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The slot of this name, or the free slot where it belongs. */
static struct name *find_name(const struct tree *t, uint32_t scope, const char *text)
{
    uint32_t h = 2166136261u ^ scope; /* FNV-1a */

    for (const char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    for (uint32_t i = h & t->names_mask;; i = (i + 1) & t->names_mask) {
        struct name *n = &t->names[i];
        if (!n->text || (n->scope == scope && strcmp(n->text, text) == 0))
            return n;
    }
}

/* Make `name` a legal name that is not used in this scope yet, and keep it. */
static const char *take_name(struct tree *t, uint32_t scope, const char *name)
{
    size_t size = strlen(name) + 16;
    char *text = new_array(size, 1, 0);
    char *at = text;

    if (*name >= '0' && *name <= '9')
        *at++ = '_';
    for (; *name; name++)
        *at++ = is_letter_or_digit(*name) ? *name : '_';
    struct name *slot = find_name(t, scope, text);
    for (unsigned k = 2; slot->text; k++) {
        snprintf(at, size - (size_t)(at - text), "_%u", k);
        slot = find_name(t, scope, text);
    }
    *slot = (struct name){ text, scope };
    return text;
}

/* --- the tree ----------------------------------------------------------------------------- */

static void write_declaration(struct tree *t, const char *kind, unsigned bits, uint32_t code,
                              const char *name)
{
    char text[48], id[VCD_CODE_MAX + 1];

    *vcd_code(id, code) = '\0';
    snprintf(text, sizeof text, "$var %s %u %s ", kind, bits, id);
    vcd_text(t->v, text);
    vcd_text(t->v, name);
    snprintf(text, sizeof text, bits > 1 ? " [%u:0] $end\n" : " $end\n", bits - 1);
    vcd_text(t->v, text);
}

/* Write the names of the values of a state as a comment, once for each list of names. */
static void explain_state(struct tree *t, struct des_probe probe)
{
    const struct des_probe_row *row = des_probe_row(t->v->sim, probe);
    char text[32];

    for (uint32_t i = 0; i < t->explained.n; i++)
        if (t->explained.at[i] == row->names)
            return;
    if (!row->names)
        return;
    MEMORY_GROW(t->explained.at, t->explained.n + 1, t->explained.cap);
    t->explained.at[t->explained.n++] = row->names;
    vcd_text(t->v, "$comment values of ");
    vcd_text(t->v, row->name);
    for (uint32_t i = 0; i < row->n_names; i++) {
        snprintf(text, sizeof text, " %u ", (unsigned)i);
        vcd_text(t->v, text);
        vcd_text(t->v, row->names[i]);
    }
    vcd_text(t->v, " $end\n");
}

static void declare_var(struct tree *t, uint32_t scope, const char *path, uint32_t var)
{
    struct vcd_var *x = &t->v->vars.at[var];
    const char *name = des_label_of(t->v->sim, x->object).name;

    t->v->order[t->n_order++] = var;
    if (x->object.kind == DES_PROBE)
        explain_state(t, (struct des_probe){ x->object.id });
    x->scope = memory_copy(path);
    if (!x->bare) {
        x->name[0] = memory_copy(take_name(t, scope, name));
        write_declaration(t, x->object.kind == DES_EVENT ? "event" : "wire", x->bits, x->code,
                          x->name[0]);
    }
    if (!x->text)
        return;
    char text[256];
    snprintf(text, sizeof text, "%s_text", name);
    x->name[1] = memory_copy(take_name(t, scope, text));
    write_declaration(t, "wire", x->text, x->code + 1, x->name[1]);
}

static void declare_scope(struct tree *t, uint32_t m, const char *path)
{
    for (uint32_t i = t->first_var[m]; i != NONE; i = t->next_var[i])
        declare_var(t, m, path, i);
    for (uint32_t c = t->first_child[m]; c != NONE; c = t->next_sibling[c]) {
        const char *full = t->v->sim->modules.at[c].path, *dot = strrchr(full, '.');
        const char *name = take_name(t, m, dot ? dot + 1 : full);
        char *inner = memory_format("%s%s%s", path, *path ? "." : "", name);
        vcd_text(t->v, "$scope module ");
        vcd_text(t->v, name);
        vcd_text(t->v, " $end\n");
        declare_scope(t, c, inner);
        vcd_text(t->v, "$upscope $end\n");
        free(inner);
    }
}

/* Link variables and modules with variables into a tree.  It goes backwards and puts each in front,
 * so they are in order.  Returns the number of names in the file. */
static uint32_t link_tree(struct tree *t)
{
    const struct des *sim = t->v->sim;
    uint32_t n = t->v->vars.n;

    for (uint32_t i = t->v->vars.n; i-- > 0;) {
        uint32_t m = des_label_of(sim, t->v->vars.at[i].object).module;
        t->next_var[i] = t->first_var[m];
        t->first_var[m] = i;
        n += t->v->vars.at[i].text > 0;
        for (; m && !t->shown[m]; m = sim->modules.at[m].parent) {
            t->shown[m] = true;
            n++;
        }
    }
    for (uint32_t m = sim->modules.n; m-- > 1;) {
        uint32_t parent = sim->modules.at[m].parent;
        if (!t->shown[m])
            continue;
        t->next_sibling[m] = t->first_child[parent];
        t->first_child[parent] = m;
    }
    return n;
}

void vcd_declare(struct des_vcd *v)
{
    uint32_t modules = v->sim->modules.n, slots = 16;
    struct tree t = {
        .v = v,
        .shown = new_array(modules, sizeof *t.shown, 0),
        .first_var = new_array(modules, sizeof *t.first_var, 0xff),
        .first_child = new_array(modules, sizeof *t.first_child, 0xff),
        .next_sibling = new_array(modules, sizeof *t.next_sibling, 0xff),
        .next_var = new_array((size_t)v->vars.n + 1, sizeof *t.next_var, 0xff),
    };
    uint32_t names = link_tree(&t);

    while (slots < 2 * names)
        slots *= 2;
    t.names = new_array(slots, sizeof *t.names, 0);
    t.names_mask = slots - 1;
    declare_scope(&t, 0, "");
    for (uint32_t i = 0; i < slots; i++)
        free(t.names[i].text);
    free(t.explained.at);
    free(t.names);
    free(t.next_var);
    free(t.next_sibling);
    free(t.first_child);
    free(t.first_var);
    free(t.shown);
}
