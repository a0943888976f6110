/* fusion.c - the passes in order. */
#include "fusion/fusion.h"

#include "fusion/fusion_header.h"
#include "fusion/fusion_impl.h"

static char *write_text(const struct fusion_graph *g, size_t *size)
{
    struct memory_text t;

    memory_text_begin(&t);
    fusion_header_print(g, t.out);
    fusion_print(g, t.out);
    char *text = memory_text_end(&t);
    *size = t.size;
    return text;
}

char *fusion_text(const struct hlo_module *m, enum fusion_target target, size_t *size)
{
    struct fusion_graph g = { .m = m, .gpu = target == FUSION_GPU };
    char *text = NULL;

    *size = 0;
    if (m->scheduled || !fusion_header_knows(m))
        return NULL;
    if (fusion_graph_build(&g)) {
        if (!g.gpu)
            fusion_narrow_values(&g);
        fusion_layout_choose(&g);
        fusion_return_results(&g);
        fusion_group_all(&g);
        fusion_combine_sums(&g);
        fusion_order_kernels(&g);
        text = write_text(&g, size);
    }
    fusion_graph_free(&g);
    return text;
}
