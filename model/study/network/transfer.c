#include "study/network/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/folds.h"
#include "study/network/traffic_cost.h"

#define MOST_MESSAGES 4096

bool transfer_asked(const struct traffic_request *q)
{
    for (size_t i = 0; i < q->n_args; i++)
        if (strncmp(q->arg[i], "send=", 5) == 0)
            return true;
    return false;
}

/* Read one message at *p and move *p behind it. */
static int read_message(const struct traffic_setup *s, const char **p, struct message *m,
                        struct err *err)
{
    unsigned long long start = 0;
    int used = 0;

    if (!traffic_pair(p, &m->from, &m->to, ':', &m->flits))
        return err_set(
            err, ERR_FORMAT,
            "send = %.40s: expected nodes, flits and a start cycle if it is not 0, such as "
            "0-5:64,3-7:8@100",
            s->send);
    if (**p == '@' && sscanf(*p + 1, "%10llu%n", &start, &used) == 1 && used > 0)
        *p += 1 + used;
    m->start = start;
    if (**p != ',' && **p != '\0')
        return err_set(err, ERR_FORMAT, "send = %.40s: expected ',' between messages, not '%.10s'",
                       s->send, *p);
    if (m->from >= s->topology.n_nodes || m->to >= s->topology.n_nodes)
        return err_set(err, ERR_RANGE, "send = %.40s: no node %u: outside [0, %u]", s->send,
                       m->from >= s->topology.n_nodes ? m->from : m->to, s->topology.n_nodes - 1);
    return 0;
}

static int read_messages(const struct traffic_setup *s, struct message *m, size_t *n,
                         struct err *err)
{
    *n = 0;
    for (const char *p = s->send; p; p = *p == ',' ? p + 1 : NULL) {
        if (*n == MOST_MESSAGES)
            return err_set(err, ERR_RANGE, "send = %.40s: more than %d messages", s->send,
                           MOST_MESSAGES);
        if (read_message(s, &p, &m[(*n)++], err) != 0)
            return -1;
    }
    return 0;
}

/* The slow links of the arguments and of the machine.  They are read off a network that was given
 * them, which is where they are checked. */
static int find_slow_links(const struct traffic_setup *s, struct message_slow *out, size_t *n,
                           struct err *err)
{
    uint32_t ports = topology_ports(&s->topology);
    struct network net;
    int rc;

    *n = 0;
    rc = network_init(&net, &s->topology, &s->network, NULL, NULL, err);
    if (rc == 0)
        rc = traffic_slow(s, &net, err);
    for (uint32_t i = 0; rc == 0 && i < topology_links(&s->topology); i++)
        if (net.link[i].interval > 1)
            out[(*n)++] = (struct message_slow){ i / ports, i % ports, net.link[i].interval };
    network_free(&net);
    return rc;
}

static void show_cycle(void *self, const struct network *n)
{
    network_show_cycle(self, n);
}

/* Send the messages in front of the observers.  If lone messages are folded, all are sent a second
 * time, walked, for the observers alone. */
static int send_shown(const struct traffic_setup *s, const struct traffic_request *q,
                      struct message_world *w, struct message *m, size_t n, struct err *err)
{
    struct traffic_view view = { NULL, NULL, false };
    struct message *again = memory_zeroed(n, sizeof *again);
    int rc = 0;

    if (w->fold)
        rc = messages_run(w, m, n, err);
    memcpy(again, m, n * sizeof *again);
    w->cycle = show_cycle;
    if (rc == 0)
        rc = traffic_view_begin(&view, s, q, 0, err);
    w->self = view.show;
    if (rc == 0) {
        struct message *seen = w->fold ? again : m;
        w->fold = NULL;
        rc = messages_run(w, seen, n, err);
    }
    traffic_view_end(&view, q);
    free(again);
    return rc;
}

static int send_messages(const struct traffic_setup *s, const struct traffic_request *q, bool exact,
                         struct transfer_result *r, struct err *err)
{
    struct message *m = memory_zeroed(MOST_MESSAGES, sizeof *m);
    struct message_slow *slows = memory_zeroed(topology_links(&s->topology), sizeof *slows);
    struct message_world w = { .topology = &s->topology,
                               .par = s->network,
                               .packet = s->par.flits,
                               .slow = slows,
                               .fold = machine_folds(exact).message };
    int rc = read_messages(s, m, &r->n, err);

    if (rc == 0)
        rc = traffic_check_messages(s, q, m, r->n, err);
    if (rc == 0)
        rc = find_slow_links(s, slows, &w.n_slow, err);
    if (rc == 0)
        rc = q->n_observers ? send_shown(s, q, &w, m, r->n, err) : messages_run(&w, m, r->n, err);
    r->message = memory_zeroed(r->n, sizeof *r->message);
    for (size_t i = 0; rc == 0 && i < r->n; i++)
        r->message[i] =
            (struct transfer){ m[i].from, m[i].to, m[i].flits, m[i].start, m[i].done, m[i].walked };
    free(m);
    free(slows);
    return rc;
}

int transfer_run(const struct traffic_request *q, bool exact, struct transfer_result *r,
                 struct err *err)
{
    struct traffic_setup s = { 0 };
    int rc = traffic_set_up(&s, q, err);

    *r = (struct transfer_result){ .hz = s.hz, .packet = s.par.flits };
    if (rc == 0) {
        BUG_ON(!s.send);
        snprintf(r->machine, sizeof r->machine, "%s", s.machine ? s.machine->name : "");
        rc = send_messages(&s, q, exact, r, err);
    }
    if (rc != 0)
        transfer_result_free(r);
    traffic_set_down(&s);
    return rc;
}

void transfer_result_free(struct transfer_result *r)
{
    free(r->message);
    r->message = NULL;
}
