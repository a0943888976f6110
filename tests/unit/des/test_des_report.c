/* Reports of a model: severities, ids, actions, handlers. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "des/des.h"

struct model {
    struct des *sim;
    struct des_module top;
};

static void set_up_model(struct model *m)
{
    m->sim = des_new();
    struct des_module chip = des_module_new(m->sim, (struct des_module){ 0 }, "chip0");
    m->top = des_module_new(m->sim, chip, "core1");
}

static void elaborate_model(struct model *m)
{
    struct err err;

    cr_assert_eq(des_elaborate(m->sim, &err), 0);
}

struct heard {
    char text[200];
    unsigned n;
};

static void listen_to(void *self, const struct des_message *m)
{
    struct heard *h = self;

    h->n++;
    snprintf(h->text, sizeof h->text, "%d %s %s %llu %s", (int)m->severity, m->id, m->path,
             (unsigned long long)m->now, m->text);
}

static void warn_user(struct des *sim, void *self)
{
    struct model *m = self;

    des_report(sim, DES_WARNING, m->top, "dma/late", "%d cycles late", 7);
    des_next_time(sim, 10);
}

Test(des_report, a_handler_gets_what_would_be_displayed)
{
    struct model m;
    struct heard heard = { .n = 0 };

    set_up_model(&m);
    des_method_new(m.sim, m.top, "p", warn_user, &m);
    des_on_report(m.sim, listen_to, &heard);
    elaborate_model(&m);
    des_run(m.sim, 20);
    cr_assert_str_eq(heard.text, "1 dma/late chip0.core1 20 7 cycles late");
    cr_assert_eq(heard.n, 3);
    cr_assert_eq(des_report_count(m.sim, DES_WARNING), 3);
    cr_assert_eq(des_report_count(m.sim, DES_ERROR), 0);
    des_report_actions(m.sim, DES_WARNING, "dma/late", DES_SILENT);
    des_run(m.sim, 40);
    cr_assert_eq(heard.n, 3);
    cr_assert_eq(des_report_count(m.sim, DES_WARNING), 5);
    des_free(m.sim);
}

Test(des_report, the_actions_of_an_id_go_before_those_of_the_severity)
{
    struct model m;
    struct heard heard = { .n = 0 };

    set_up_model(&m);
    des_on_report(m.sim, listen_to, &heard);
    des_report_actions(m.sim, DES_INFO, NULL, DES_SILENT);
    des_report_actions(m.sim, DES_INFO, "a/b", DES_DISPLAY);
    des_report(m.sim, DES_INFO, m.top, "a/c", "no");
    cr_assert_eq(heard.n, 0);
    des_report(m.sim, DES_INFO, m.top, "a/b", "yes");
    cr_assert_str_eq(heard.text, "0 a/b chip0.core1 0 yes");
    des_free(m.sim);
}

static void fail_phase(struct des *sim, void *self)
{
    struct model *m = self;

    des_report(sim, DES_ERROR, m->top, "dma/lost", "a transfer is lost");
    des_next_time(sim, 10);
}

Test(des_report, an_error_stops_the_simulation_after_its_delta)
{
    struct model m;
    struct heard heard = { .n = 0 };

    set_up_model(&m);
    des_method_new(m.sim, m.top, "p", fail_phase, &m);
    des_method_new(m.sim, m.top, "q", warn_user, &m);
    des_on_report(m.sim, listen_to, &heard);
    elaborate_model(&m);
    des_run(m.sim, 1000);
    cr_assert_eq(heard.n, 2, "both processes of the delta ran");
    cr_assert(des_finished(m.sim));
    cr_assert_eq(des_now(m.sim), 0);
    des_free(m.sim);
}
