/* The list of components: who is in it, in which order, and what is called of whom. */
#include <criterion/criterion.h>
#include <string.h>

#include "hw/wires/component.h"
#include "machine/machine.h"
#include "machine/slice.h"

struct part {
    uint64_t before; /* that counters stand at an offset of their own */
    struct part_stats {
        uint64_t things, time;
    } st;
    des_time reset, finished, elapsed;
    uint32_t resets, finishes, frees;
};

static const struct stat_table part_stats = { .section = "part",
                                              .size = sizeof(struct part_stats) };

static void reset_part(void *self, des_time now)
{
    struct part *p = self;

    cr_expect_eq(p->st.things, 0, "counters are zero before");
    p->reset = now;
    p->resets++;
}

static void finish_part(void *self, des_time now, des_time elapsed)
{
    struct part *p = self;

    p->finished = now;
    p->elapsed = elapsed;
    p->finishes++;
}

static void free_part(void *self)
{
    ((struct part *)self)->frees++;
}

static bool has_things(const void *self)
{
    return ((const struct part *)self)->st.things != 0;
}

static const struct component_class part_class = { .name = "part",
                                                   .statistics = &part_stats,
                                                   .counters = offsetof(struct part, st),
                                                   .reset = reset_part,
                                                   .finish = finish_part,
                                                   .free = free_part,
                                                   .has_figures = has_things };
static const struct component_class plain_class = { .name = "plain" };

static struct des *sim;
static struct component_list list;

static void set_up_model(void)
{
    sim = des_new();
    component_list_init(&list, sim);
}

static void tear_down(void)
{
    component_list_free(&list);
    des_free(sim);
}

TestSuite(component, .init = set_up_model, .fini = tear_down);

Test(component, that_is_built_without_a_list_is_in_none)
{
    struct des *bench = des_new();
    struct part p = { .st = { 3, 4 } };

    component_add(bench, &part_class, des_module_new(bench, (struct des_module){ 0 }, "part"), &p);
    component_add_named(bench, &part_class, 1, &p, "part%u", 1u);
    cr_expect_eq(list.n, 0);
    cr_expect_null(des_user(bench));
    des_free(bench);
}

Test(component, is_reset_and_finished_once)
{
    struct part p = { .before = 7, .st = { 3, 4 } }, q = { .st = { 5, 6 } };
    struct des_module m = des_module_new(sim, (struct des_module){ 0 }, "m");

    component_add(sim, &part_class, m, &p);
    component_add(sim, &plain_class, m, NULL);
    component_add(sim, &part_class, m, &q);
    component_list_reset(&list, 11);
    cr_expect_eq(p.before, 7);
    cr_expect_eq(p.st.things + p.st.time + q.st.things + q.st.time, 0);
    cr_expect_eq(p.resets, 1);
    cr_expect_eq(q.resets, 1);
    cr_expect_eq(q.reset, 11);
    cr_expect_eq(p.finishes, 0);
    component_list_finish(&list, 31, 20);
    cr_expect_eq(p.finishes, 1);
    cr_expect_eq(q.finishes, 1);
    cr_expect_eq(p.finished, 31);
    cr_expect_eq(p.elapsed, 20);
    cr_expect_eq(p.resets, 1);
}

Test(component, is_freed_with_its_list)
{
    struct des *bench = des_new();
    struct component_list parts;
    struct part p = { 0 }, q = { 0 };

    component_list_init(&parts, bench);
    component_add(bench, &part_class, (struct des_module){ 0 }, &p);
    component_add(bench, &plain_class, (struct des_module){ 0 }, NULL);
    component_add_named(bench, &part_class, 3, &q, "part%u", 3u);
    component_list_finish(&parts, 1, 1);
    cr_expect_eq(p.frees + q.frees, 0);
    component_list_free(&parts);
    cr_expect_eq(p.frees, 1);
    cr_expect_eq(q.frees, 1);
    des_free(bench);
}

Test(component, has_figures_if_its_class_says_so)
{
    struct part p = { .st = { 0, 4 } };

    component_add(sim, &part_class, (struct des_module){ 0 }, &p);
    component_add(sim, &plain_class, (struct des_module){ 0 }, &p);
    cr_expect_null(component_counters(&list.at[0]));
    cr_expect_null(component_counters(&list.at[1]), "a class without statistics");
    p.st.things = 1;
    cr_expect_eq(component_counters(&list.at[0]), &p.st);
}

Test(component, is_found_by_its_unit_in_the_order_it_was_added)
{
    static const uint32_t places[][2] = { { 2, 0 }, { 0, 1 }, { 0, 0 }, { 2, 0 }, { 0, 1 } };
    struct part p[5];
    uint32_t n;

    for (int i = 0; i < 5; i++) {
        component_list_place(&list, places[i][0], places[i][1]);
        component_add(sim, &plain_class, (struct des_module){ 0 }, &p[i]);
    }
    component_list_place(&list, 1, 9);
    component_add_named(sim, &plain_class, 4, NULL, "card%u->net", 4u);
    const struct component *c = component_list_of(&list, 0, 1, &n);
    cr_assert_eq(n, 2);
    cr_expect_eq(c[0].self, &p[1]);
    cr_expect_eq(c[1].self, &p[4]);
    c = component_list_of(&list, 2, 0, &n);
    cr_assert_eq(n, 2);
    cr_expect_eq(c[0].self, &p[0]);
    cr_expect_eq(c[1].self, &p[3]);
    (void)component_list_of(&list, 0, 2, &n);
    cr_expect_eq(n, 0);
    (void)component_list_of(&list, 1, 9, &n);
    cr_expect_eq(n, 0, "it has an index of its own");
    c = component_list_of(&list, 1, 4, &n);
    cr_assert_eq(n, 1);
    cr_expect_str_eq(component_name(&list, c), "card4->net");
}

/* --- those of a machine -------------------------------------------------------------------- */

struct visits {
    char text[4096];
};

static void note_visit(void *self, const char *path, const struct stat_table *table,
                       const void *counters, uint64_t times)
{
    struct visits *v = self;
    size_t used = strlen(v->text);

    cr_expect_not_null(counters);
    used += (size_t)snprintf(v->text + used, sizeof v->text - used, "%s:%s ", path, table->section);
    if (times > 1)
        snprintf(v->text + used - 1, sizeof v->text - used + 1, "*%d ", (int)times);
}

static void list_visits(struct visits *v, const char *name, const char *slices,
                        enum images_part part)
{
    struct machine_spec *spec;
    struct err err;

    *v = (struct visits){ "" };
    /* one matrix unit is enough of those that a TPU has */
    size_t n = strncmp(name, "tpu-", 4) == 0 ? 2 : 1;
    cr_assert_eq(spec_load(&spec, name, (const char *[]){ slices, "mxu.count=1" }, n, &err), 0,
                 "%s", err.msg);
    struct machine *m = machine_new_alike(spec, part, NULL, NULL);
    machine_reset(m);
    machine_statistics(m, note_visit, v);
    machine_free(m);
    spec_free(spec);
}

#define CORE(chip, core)                                                                           \
    "chip" chip ".core" core ".sequencer:core chip" chip ".core" core ".mxu0:mxu "                 \
    "chip" chip ".core" core ".vpu:vpu chip" chip ".core" core ".xlu:xlu chip" chip ".core" core   \
    ".vmem:vmem "
#define DEVICE(name) name ".hbm:hbm " name ".pcie:pcie "
#define CHIP(chip) DEVICE("chip" chip)

Test(component, of_one_chip_are_visited_from_the_core_outwards)
{
    struct visits v;

    list_visits(&v, "tpu-v2-1", "dcn.slices=1", IMAGES_WHOLE);
    cr_expect_str_eq(v.text, CORE("0", "0") CHIP("0") "host0:host "
                                                      "host0.storage:storage "
                                                      "client.storage:storage "
                                                      "client:client ");
}

Test(component, of_a_chip_that_is_built_for_others_are_visited_once_but_for_links)
{
    struct visits whole, one;

    list_visits(&whole, "tpu-v3-8", "dcn.slices=1", IMAGES_WHOLE);
    cr_expect_not_null(strstr(whole.text, CORE("3", "1") CHIP("0") CHIP("1")));
    list_visits(&one, "tpu-v3-8", "dcn.slices=1", IMAGES_ONE);
    cr_expect_str_eq(one.text,
                     "chip0.core0.sequencer:core*4 chip0.core0.mxu0:mxu*4 chip0.core0.vpu:vpu*4 "
                     "chip0.core0.xlu:xlu*4 chip0.core0.vmem:vmem*4 "
                     "chip0.core1.sequencer:core*4 chip0.core1.mxu0:mxu*4 chip0.core1.vpu:vpu*4 "
                     "chip0.core1.xlu:xlu*4 chip0.core1.vmem:vmem*4 "
                     "chip0.hbm:hbm*4 chip0.pcie:pcie*4 "
                     "chip0->chip1:link chip0->chip2:link chip1->chip0:link chip1->chip3:link "
                     "chip2->chip3:link chip2->chip0:link chip3->chip2:link chip3->chip1:link "
                     "host0:host host0.storage:storage client.storage:storage client:client ");
}

Test(component, of_the_network_between_slices_are_visited_where_there_are_several)
{
    struct visits v;

    list_visits(&v, "tpu-v2-1", "dcn.slices=2", IMAGES_WHOLE);
    cr_expect_not_null(strstr(v.text, "chip0.pcie:pcie chip0.ici:ici_far chip1.hbm:hbm "));
    cr_expect_not_null(strstr(v.text, "chip1.ici:ici_far host0->dcn:nic dcn->host0:nic "
                                      "host1->dcn:nic dcn->host1:nic host0:host host1:host "));
}

Test(component, of_a_gpu_are_its_own_and_those_of_every_chip)
{
    struct visits v;

    list_visits(&v, "v100x1", "dcn.slices=1", IMAGES_WHOLE);
    cr_expect_str_eq(v.text, "GPU0.gpu.sequencer:core GPU0.gpu.sms:sm GPU0.gpu.l2:l2 "
                             "GPU0.gpu.launch:launch " DEVICE("GPU0") "host0:host "
                                                                      "host0.storage:storage "
                                                                      "client.storage:storage "
                                                                      "client:client ");
}

Test(component, of_a_node_of_cpus_are_its_own_and_those_of_every_chip)
{
    struct visits v;

    list_visits(&v, "xeon-6148", "dcn.slices=1", IMAGES_WHOLE);
    cr_expect_str_eq(v.text, "node0.cpu.sequencer:core node0.cpu.cores:cpu " DEVICE(
                                 "node0") "host0:host "
                                          "host0.storage:storage "
                                          "client.storage:storage "
                                          "client:client ");
}

/* --- classes ------------------------------------------------------------------------------- */

static void check_statistics(const struct component *c)
{
    const struct stat_table *t = c->class->statistics;

    cr_expect_eq(t->size % sizeof(uint64_t), 0, "%s", c->class->name);
    for (size_t i = 0; i < t->n_rows; i++) {
        cr_expect_lt(t->rows[i].num, t->size, "%s: row %zu", c->class->name, i);
        cr_expect_lt(t->rows[i].den, t->size, "%s: row %zu", c->class->name, i);
    }
}

static bool is_section(const struct param_table *table)
{
    int i = spec_table(table->section);

    return i >= 0 && spec_tables[i] == table;
}

Test(component, of_every_class_has_parameters_from_a_section_of_machine_files)
{
    static const char *const set[] = { "dcn.slices=2" };
    struct machine_spec *spec;
    struct slice slice;
    struct err err;
    uint32_t with_parameters = 0;

    cr_assert_eq(spec_load(&spec, "tpu-v4-8", set, 1, &err), 0, "%s", err.msg);
    slice_build(&slice, spec, false, IMAGES_WHOLE, (struct slice_range){ 0 });
    for (uint32_t i = 0; i < slice.components.n; i++) {
        const struct component *c = &slice.components.at[i];
        cr_expect_not_null(c->class->name);
        cr_expect(c->group < SLICE_N_GROUPS, "%s", c->class->name);
        if (c->class->parameters)
            cr_expect(is_section(c->class->parameters), "%s", c->class->name);
        with_parameters += c->class->parameters != NULL;
        if (c->class->statistics)
            check_statistics(c);
    }
    cr_expect_gt(with_parameters, 0);
    slice_free(&slice);
    spec_free(spec);
}
