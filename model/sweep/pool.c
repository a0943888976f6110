#include "sweep/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/machine.h"
#include "sweep/point_chain.h"

#define TRIES 2
#define PATIENCE_MS 500 /* between two looks at whether to stop */
#define NONE POINT_CHAIN_END

struct worker {
    pid_t pid; /* 0: not there */
    int commands, results;
    size_t at;   /* its point, as an index into ids; NONE: idle */
    size_t then; /* its next one, which needs the same replay; NONE: any */
};

struct pool {
    const struct plan *plan;
    point_print *print;
    struct store *store;
    const size_t *ids;
    unsigned char *tries;
    struct point_chain chain;
    size_t n, next;                     /* next: of the firsts of the chains */
    size_t done, failed, left, n_again; /* left: open, for the next start */
    size_t *again;                      /* points to try once more */
    struct worker *worker;
    unsigned n_workers;
};

/* --- messages -------------------------------------------------------------------------------- */

/* Sent before the texts of an outcome.  Both ends are this program, so structs are sent as bytes.
 */
struct head {
    uint64_t done, code, trace_checksum, machine_checksum, error, json, figures;
};

static bool write_all(int fd, const void *data, size_t size)
{
    for (const char *c = data; size > 0;) {
        ssize_t n = write(fd, c, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        c += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t size)
{
    for (char *c = data; size > 0;) {
        ssize_t n = read(fd, c, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        c += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_outcome(int fd, const struct point_outcome *o)
{
    struct head h = { .done = o->done,
                      .code = o->code,
                      .trace_checksum = o->trace_checksum,
                      .machine_checksum = o->machine_checksum,
                      .error = o->error ? strlen(o->error) : 0,
                      .json = o->json_size,
                      .figures = o->n_figures };

    if (!write_all(fd, &h, sizeof h) || !write_all(fd, o->error, h.error) ||
        !write_all(fd, o->json, h.json))
        return false;
    for (size_t i = 0; i < o->n_figures; i++) {
        uint64_t length = strlen(o->figure[i].name);
        if (!write_all(fd, &length, sizeof length) || !write_all(fd, o->figure[i].name, length) ||
            !write_all(fd, &o->figure[i].value, sizeof o->figure[i].value))
            return false;
    }
    return true;
}

/* A text of known length, allocated; NULL when the worker is gone. */
static char *receive_text(int fd, uint64_t length)
{
    char *text = memory_resize(NULL, length + 1, 1);

    if (!read_all(fd, text, length)) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

static bool receive_outcome(int fd, struct point_outcome *o)
{
    struct head h;

    *o = (struct point_outcome){ 0 };
    if (!read_all(fd, &h, sizeof h))
        return false;
    o->done = h.done;
    o->code = (enum err_code)h.code;
    o->trace_checksum = h.trace_checksum;
    o->machine_checksum = h.machine_checksum;
    o->json_size = h.json;
    o->error = receive_text(fd, h.error);
    o->json = o->error ? receive_text(fd, h.json) : NULL;
    o->figure = memory_zeroed(h.figures + 1, sizeof *o->figure);
    bool good = o->json != NULL;
    while (good && o->n_figures < h.figures) {
        struct point_figure *f = &o->figure[o->n_figures];
        uint64_t length;
        good = read_all(fd, &length, sizeof length);
        f->name = good ? receive_text(fd, length) : NULL;
        good = f->name != NULL;
        o->n_figures += good;
        good = good && read_all(fd, &f->value, sizeof f->value);
    }
    if (!good)
        point_outcome_free(o);
    return good;
}

/* --- workers --------------------------------------------------------------------------------- */

static _Noreturn void run_points(const struct plan *p, point_print *print, int commands,
                                 int results)
{
    uint64_t id;
    struct point_kept kept = { 0 };
    struct point_outcome o;

    while (read_all(commands, &id, sizeof id)) {
        point_run(p, id, print, &kept, &o);
        bool sent = send_outcome(results, &o);
        point_outcome_free(&o);
        if (!sent)
            break;
    }
    _exit(0);
}

static int start_worker(struct pool *q, struct worker *w, struct err *err)
{
    int down[2], up[2];
    pid_t parent = getpid();

    if (pipe(down) != 0)
        return err_set(err, ERR_IO, "cannot start a worker: %s", strerror(errno));
    if (pipe(up) != 0) {
        err_set(err, ERR_IO, "cannot start a worker: %s", strerror(errno));
        close(down[0]);
        close(down[1]);
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        /* a worker whose sweep was killed has nobody to work for */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(0);
        close(down[1]);
        close(up[0]);
        store_forget(q->store);
        /* the others' pipes must end when this process closes them, not when their sibling does */
        for (unsigned i = 0; i < q->n_workers; i++)
            if (q->worker[i].pid) {
                close(q->worker[i].commands);
                close(q->worker[i].results);
            }
        run_points(q->plan, q->print, down[0], up[1]);
    }
    int number = errno;
    close(down[0]);
    close(up[1]);
    if (pid < 0) {
        close(down[1]);
        close(up[0]);
        return err_set(err, ERR_IO, "cannot start a worker: %s", strerror(number));
    }
    *w = (struct worker){ pid, down[1], up[0], NONE, w->then };
    return 0;
}

/* Stop a worker.  Returns its wait status. */
static int stop_worker(struct worker *w)
{
    int status = 0;

    close(w->commands);
    close(w->results);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    return status;
}

/* The point that a worker runs next as an index into ids, or NONE. */
static size_t take_point(struct pool *q, struct worker *w)
{
    size_t at = NONE;

    if (w->then != NONE)
        at = w->then;
    else if (q->n_again > 0)
        return q->again[--q->n_again];
    else if (q->next < q->chain.n_first)
        at = q->chain.first[q->next++];
    w->then = at == NONE ? NONE : q->chain.next[at];
    return at;
}

static int record_outcome(struct pool *q, size_t at, const struct point_outcome *o, struct err *err)
{
    bool new;

    if (store_put(q->store, q->ids[at], o, &new, err) != 0)
        return -1;
    q->done++;
    q->failed += !o->done;
    return 0;
}

/* The machine ended this worker, not its point: memory ran out, or somebody sent a signal.  Faults
 * and bugs come again whenever the point runs. */
static bool is_transient(int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM ||
               WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGHUP ||
               WTERMSIG(status) == SIGXCPU;
    return WEXITSTATUS(status) == MEMORY_EXIT;
}

/* Put a point back that could not run for no fault of its own; after TRIES times leave it open. */
static void try_again(struct pool *q, size_t at)
{
    if (++q->tries[at] < TRIES) {
        q->again[q->n_again++] = at;
        return;
    }
    q->done++;
    q->left++;
}

/* A worker died at its point: try the point again; at last record that it failed, or leave it open
 * for the next start. */
static int bury_worker(struct pool *q, struct worker *w, struct err *err)
{
    char why[160];
    size_t at = w->at;
    int status = stop_worker(w);

    if (at == NONE)
        return 0;
    if (is_transient(status) || q->tries[at] + 1 < TRIES) {
        try_again(q, at);
        return 0;
    }
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why,
                 "the process that ran this point was ended by signal %d (%s), twice",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why,
                 "the process that ran this point ended with status %d, twice: a bug",
                 WEXITSTATUS(status));
    struct point_outcome o = { .error = why };
    return record_outcome(q, at, &o, err);
}

/* Give every idle worker a point; start those that are missing and wanted. */
static int feed_workers(struct pool *q, struct err *err)
{
    for (unsigned i = 0; i < q->n_workers; i++) {
        struct worker *w = &q->worker[i];
        if (w->pid && w->at != NONE)
            continue;
        size_t at = take_point(q, w);
        if (at == NONE)
            continue;
        if (!w->pid && start_worker(q, w, err) != 0)
            return -1;
        uint64_t id = q->ids[at];
        w->at = at;
        /* one that is dead already shows so when its result is read */
        (void)write_all(w->commands, &id, sizeof id);
    }
    return 0;
}

/* Run the points at work again, by new processes: the old ones may keep what a file held meanwhile.
 */
static void start_over(struct pool *q)
{
    for (unsigned i = 0; i < q->n_workers; i++) {
        struct worker *w = &q->worker[i];
        if (!w->pid)
            continue;
        if (w->at != NONE)
            q->again[q->n_again++] = w->at;
        kill(w->pid, SIGKILL);
        stop_worker(w);
        w->at = NONE;
    }
}

static int collect_outcome(struct pool *q, struct worker *w, struct err *err)
{
    struct point_outcome o;
    bool touched;
    int rc = 0;

    if (!receive_outcome(w->results, &o))
        return bury_worker(q, w, err);
    if (store_compare_files(q->store, q->plan, &touched, err) != 0)
        rc = -1;
    else if (touched)
        start_over(q);
    else if (!o.done && o.code == ERR_IO) /* a disk, a network */
        try_again(q, w->at);
    else
        rc = record_outcome(q, w->at, &o, err);
    w->at = NONE;
    point_outcome_free(&o);
    return rc;
}

static int wait_for_some(struct pool *q, struct pollfd *fds, struct err *err)
{
    int rc = 0;

    for (unsigned i = 0; i < q->n_workers; i++)
        fds[i] =
            (struct pollfd){ .fd = q->worker[i].pid ? q->worker[i].results : -1, .events = POLLIN };
    if (poll(fds, q->n_workers, PATIENCE_MS) < 0)
        return errno == EINTR ? 0 : err_set(err, ERR_IO, "poll: %s", strerror(errno));
    for (unsigned i = 0; i < q->n_workers && rc == 0; i++)
        if (fds[i].revents && q->worker[i].pid)
            rc = collect_outcome(q, &q->worker[i], err);
    return rc;
}

int pool_run(const struct plan *p, struct store *s, const size_t *ids, size_t n, unsigned workers,
             point_print *print, pool_progress *progress, void *self, size_t *left, struct err *err)
{
    struct pool q = { .plan = p, .print = print, .store = s, .ids = ids, .n = n };
    int rc = 0;

    BUG_ON(workers == 0 || workers > POOL_MAX_WORKERS);
    q.n_workers = workers < n ? workers : n ? (unsigned)n : 1;
    q.worker = memory_zeroed(q.n_workers, sizeof *q.worker);
    q.tries = memory_zeroed(n + 1, sizeof *q.tries);
    q.again = memory_zeroed(n + 1, sizeof *q.again); /* each point stands in it once at most */
    struct pollfd *fds = memory_zeroed(q.n_workers, sizeof *fds);
    point_chain_make(&q.chain, p, ids, n);
    for (unsigned i = 0; i < q.n_workers; i++)
        q.worker[i].then = NONE;
    machine_share_walks();
    bool go_on = true;
    while (rc == 0 && go_on && q.done < n) {
        rc = feed_workers(&q, err);
        if (rc == 0)
            rc = wait_for_some(&q, fds, err);
        if (rc == 0 && progress)
            go_on = progress(self, q.done, q.failed, n);
    }
    for (unsigned i = 0; i < q.n_workers; i++)
        if (q.worker[i].pid) {
            if (q.worker[i].at != NONE)
                kill(q.worker[i].pid, SIGKILL);
            stop_worker(&q.worker[i]);
        }
    *left = q.left;
    point_chain_free(&q.chain);
    free(q.worker);
    free(q.tries);
    free(q.again);
    free(fds);
    return rc;
}
