/* import.c - a module as a trace: names and buffers first, then lines. */
#include <stdlib.h>

#include "import/hlo/import_impl.h"
#include "import/hlo/program/import_half.h"

static void close_import(struct importing *im)
{
    for (uint32_t k = 0; k < im->n_scopes; k++)
        free(im->scope[k].span);
    free(im->scope);
    free(im->value);
    free(im->leaf);
    free(im->doubled);
    free(im->paired);
    free(im->peer);
    free(im->ran);
    free(im->collective);
    free(im->shared);
    free(im->weight);
    free(im->origin);
    free(im->source);
    free(im->last_read);
    free(im->joined);
    free(im->crossing);
}

static int write_trace(struct importing *im)
{
    import_limit_begin(im);
    im->partitions = im->m->scheduled ? im->m->partitions : hlo_partitions(im->m);
    im->ran = memory_zeroed(im->m->n_computations, sizeof *im->ran);
    im->collective = memory_zeroed(im->m->n_computations, sizeof *im->collective);
    im->weight = memory_zeroed(im->m->n_computations, sizeof *im->weight);
    if (import_cpu_refuse(im->m, im->err) != 0)
        return -1;
    import_half_find(im);
    import_cores_find(im);
    import_header_read(im);
    import_origins(im);
    if (import_resolve(im) != 0)
        return -1;
    import_graph_find(im);
    import_roles(im);
    import_header_write(im);
    if (import_emit(im) != 0)
        return -1;
    if (fflush(im->out) != 0 || ferror(im->out))
        return err_set(im->err, ERR_IO, "%s: the trace cannot be written", im->m->file);
    return 0;
}

int import_write(const struct hlo_module *m, const struct import_options *o, FILE *out,
                 struct import_totals *totals, struct import_places *places, struct err *err)
{
    static const struct import_options none;
    struct import_totals unread = { 0 };
    struct err ignored;
    struct importing im = { .m = m,
                            .o = o ? o : &none,
                            .out = out,
                            .places = places,
                            .totals = totals ? totals : &unread,
                            .err = err,
                            .ignored = &ignored };

    *im.totals = (struct import_totals){ 0 };
    int rc = write_trace(&im);
    close_import(&im);
    return rc;
}

int import_hlo(const struct hlo_module *m, const struct import_options *o, FILE *out,
               struct import_totals *totals, struct err *err)
{
    return import_write(m, o, out, totals, NULL, err);
}
