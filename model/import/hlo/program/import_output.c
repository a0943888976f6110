/* import_output.c - what the program returns: each result that replaces an argument is in its
 * place.
 */
#include "import/hlo/program/importing.h"

/* The leaf at a path through tuples. */
static uint32_t leaf_at(const struct hlo_shape *s, const uint32_t *path, uint32_t n)
{
    uint32_t leaf = 0;

    for (uint32_t k = 0; k < n && s->dtype == HLO_TUPLE && path[k] < s->n_parts; k++) {
        leaf += import_leaf_of(s, path[k]);
        s = &s->part[path[k]];
    }
    return leaf;
}

/* Results that are written where a donated argument is. */
void import_join_outputs(struct importing *im)
{
    const struct import_scope *s = &im->scope[0];
    const struct hlo_instruction *root = &im->m->instruction[s->c->root];

    for (uint32_t k = 0; k < im->m->n_aliases; k++) {
        const struct hlo_alias *a = &im->m->alias[k];
        uint32_t out = leaf_at(root->shape, a->output, a->n_output);
        if (a->parameter >= s->c->n_parameters || s->c->parameter[a->parameter] == HLO_NONE ||
            out >= s->root.n)
            continue;
        const struct hlo_instruction *p = &im->m->instruction[s->c->parameter[a->parameter]];
        uint32_t in = leaf_at(p->shape, a->part, a->n_part);
        if (in < import_span_of(im, s, p).n)
            import_value_join(im, im->leaf[import_span_of(im, s, p).first + in],
                              im->leaf[s->root.first + out]);
    }
}
