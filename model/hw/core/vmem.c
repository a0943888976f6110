#include "hw/core/vmem.h"

static const struct component_class vmem_class = { .name = "vmem",
                                                   .parameters = &vmem_param_table };

enum { HELD };
static const struct des_probe_row shows[] = {
    [HELD] = SHOW_ROW(LEVEL, "held", "B", "bytes that the windows of the kernel at hand take"),
};

void vmem_hold(struct des *sim, struct vmem *v, uint64_t bytes)
{
    des_show(sim, v->show, HELD, bytes);
}

void vmem_init(struct vmem *v, struct des *sim, struct des_module parent,
               const struct vmem_params *par)
{
    *v = (struct vmem){ .par = *par };
    v->mod = des_module_new(sim, parent, "vmem");
    v->show = SHOW_PROBES(sim, v->mod, shows);
    component_add(sim, &vmem_class, v->mod, v);
}
