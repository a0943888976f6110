#include <stdio.h>
#include <string.h>

#include "des/des_impl.h"

static struct port new_port(struct des *sim, struct des_module m, const char *name,
                            size_t item_size)
{
    struct label l = des_label(sim, m, name);

    if (item_size == 0 || item_size > UINT32_MAX)
        des_label_bug(sim, l, "a port of items of %zu bytes", item_size);
    return (struct port){ .item_size = (uint32_t)item_size, .label = l };
}

struct des_in des_in_new(struct des *sim, struct des_module m, const char *name, size_t item_size)
{
    struct port p = new_port(sim, m, name, item_size);
    uint32_t id = TABLE_ADD(sim, ins, p.label);

    sim->ins.at[id] = p;
    return (struct des_in){ id };
}

struct des_out des_out_new(struct des *sim, struct des_module m, const char *name, size_t item_size)
{
    struct port p = new_port(sim, m, name, item_size);
    uint32_t id = TABLE_ADD(sim, outs, p.label);

    sim->outs.at[id] = p;
    return (struct des_out){ id };
}

static void bind(const struct des *sim, struct port *p, struct des_fifo handle)
{
    const struct fifo *f = RECORD(sim, fifos, handle, "FIFO");

    if (sim->elaborated)
        des_label_bug(sim, p->label, "bound after elaboration");
    if (p->fifo)
        des_label_bug(sim, p->label, "bound twice");
    if (p->item_size != f->item_size)
        des_label_bug(sim, p->label, "items of %u bytes, but those of %s.%s have %u", p->item_size,
                      des_module_path(sim, (struct des_module){ f->label.module }), f->label.name,
                      f->item_size);
    p->fifo = handle.id;
}

void des_bind_in(struct des *sim, struct des_in port, struct des_fifo f)
{
    bind(sim, RECORD(sim, ins, port, "port"), f);
}

void des_bind_out(struct des *sim, struct des_out port, struct des_fifo f)
{
    bind(sim, RECORD(sim, outs, port, "port"), f);
}

/* A list of paths that ends with "and N more" where the line is full. */
struct list {
    char text[400];
    size_t used;
    uint32_t n, left_out;
};

static void list_unbound(const struct des *sim, const struct port *ports, uint32_t n,
                         struct list *list)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct label *l = &ports[i].label;
        const char *path = des_module_path(sim, (struct des_module){ l->module });
        size_t room = sizeof list->text - list->used;
        const char *comma = list->n > 0 ? ", " : "", *dot = *path ? "." : "";

        if (ports[i].fifo)
            continue;
        list->n++;
        /* the longest list stays readable; a single long path is cut rather than left out */
        if (list->used > 0 && strlen(path) + strlen(l->name) + 4 > room) {
            list->left_out++;
            continue;
        }
        snprintf(list->text + list->used, room, "%s%s%s%s", comma, path, dot, l->name);
        list->used += strlen(list->text + list->used);
    }
}

int des_check_ports(const struct des *sim, struct err *err)
{
    struct list list = { .text = "" };
    char more[32] = "";

    list_unbound(sim, sim->ins.at, sim->ins.n, &list);
    list_unbound(sim, sim->outs.at, sim->outs.n, &list);
    if (list.n == 0)
        return 0;
    if (list.left_out > 0)
        snprintf(more, sizeof more, " and %u more", list.left_out);
    return err_set(err, ERR_UNKNOWN, "unbound port%s: %s%s", list.n > 1 ? "s" : "", list.text,
                   more);
}
