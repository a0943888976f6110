/* trace_viewer.c - see trace_viewer.h. */
#include "profile/trace_viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/source/profile_json.h"

#define TPU "/device:TPU:"
#define PS_PER_US 1e6
#define NAMES_SHOWN 160u

enum lane_kind { LANE_OTHER, LANE_MODULES, LANE_STEPS, LANE_OPS, LANE_ASYNC };

struct process {
    double pid;
    uint32_t device;
};

struct lane { /* a thread */
    double pid, tid;
    uint32_t device;
    enum lane_kind kind;
};

struct kernel_event {
    uint32_t device, op;
    bool asynchronous;
    struct profile_build_times at;
};

struct viewer {
    struct profile_build *b;
    const char *file;
    struct process *process;
    uint32_t n_processes, cap_processes;
    struct lane *lane; /* by pid, then by tid */
    uint32_t n_lanes, cap_lanes;
    struct kernel_event *event;
    uint32_t n_events, cap_events;
    bool based;
    double base;          /* us: times count from it */
    uint32_t step_device; /* whose steps count */
    char shown[NAMES_SHOWN];
};

bool trace_viewer_knows(const unsigned char *head, size_t n)
{
    static const char *const words[] = { "traceEvents", NULL };

    return profile_json_knows(head, n, words);
}

static int compare_lanes(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static enum lane_kind know_lane(const char *name)
{
    static const char *const names[] = {
        [LANE_MODULES] = "XLA Modules",
        [LANE_STEPS] = "Steps",
        [LANE_OPS] = "XLA Ops",
        [LANE_ASYNC] = "Async XLA Ops",
    };

    for (int i = LANE_MODULES; i <= LANE_ASYNC; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum lane_kind)i;
    return LANE_OTHER;
}

static void show_process(struct viewer *v, const char *name)
{
    size_t used = strlen(v->shown);

    if (used + strlen(name) + 3 < sizeof v->shown)
        snprintf(v->shown + used, sizeof v->shown - used, "%s%s", used ? ", " : "", name);
}

/* A process "/device:TPU:0" or "HOST /device:TPU:0". */
static void add_process(struct viewer *v, double pid, const char *name)
{
    const char *device = strstr(name, TPU);

    show_process(v, name);
    if (!device || strstr(name, "SparseCore"))
        return;
    MEMORY_GROW(v->process, v->n_processes + 1, v->cap_processes);
    v->process[v->n_processes++] = (struct process){ pid, profile_build_device(v->b, device) };
    if (device - name > 1) {
        struct profile_device *is = &v->b->device[v->b->n_devices - 1].is;
        free(is->host);
        is->host = memory_copy_part(name, (size_t)(device - name - 1));
    }
}

static bool is_phase(const json_t *event, const char *phase)
{
    return strcmp(profile_json_text(event, "ph"), phase) == 0;
}

static void find_processes(struct viewer *v, const json_t *events)
{
    double pid;

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        if (is_phase(e, "M") && strcmp(profile_json_text(e, "name"), "process_name") == 0 &&
            profile_json_real(e, "pid", &pid))
            add_process(v, pid, profile_json_text(json_object_get(e, "args"), "name"));
    }
}

static void add_lane(struct viewer *v, double pid, double tid, const char *name)
{
    enum lane_kind kind = know_lane(name);

    for (uint32_t i = 0; i < v->n_processes && kind != LANE_OTHER; i++)
        if (v->process[i].pid == pid) {
            MEMORY_GROW(v->lane, v->n_lanes + 1, v->cap_lanes);
            v->lane[v->n_lanes++] = (struct lane){ pid, tid, v->process[i].device, kind };
            return;
        }
}

static void find_lanes(struct viewer *v, const json_t *events)
{
    double pid, tid;

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        if (is_phase(e, "M") && strcmp(profile_json_text(e, "name"), "thread_name") == 0 &&
            profile_json_real(e, "pid", &pid) && profile_json_real(e, "tid", &tid))
            add_lane(v, pid, tid, profile_json_text(json_object_get(e, "args"), "name"));
    }
    if (v->n_lanes > 0)
        qsort(v->lane, v->n_lanes, sizeof *v->lane, compare_lanes);
}

static uint64_t read_count(const json_t *args, const char *key)
{
    double value;

    return profile_json_real(args, key, &value) && value > 0 && value < 9e18 ? (uint64_t)value : 0;
}

/* ps since the base, and how many it lasts. */
static bool read_times(struct viewer *v, const json_t *e, struct profile_build_times *at)
{
    double begin, length = 0, most = (double)PROFILE_BUILD_PS_MAX / 2;

    if (!profile_json_real(e, "ts", &begin))
        return false;
    profile_json_real(e, "dur", &length);
    if (!v->based)
        v->base = begin;
    v->based = true;
    begin = (begin - v->base) * PS_PER_US;
    length *= PS_PER_US;
    if (!(fabs(begin) < most && length >= 0 && length < most))
        return false;
    at->begin = at->clock_begin = llround(begin);
    at->length = at->clock_length = (uint64_t)llround(length);
    return true;
}

static void read_clock(const json_t *args, struct profile_build_times *at)
{
    uint64_t begin = read_count(args, "device_offset_ps");
    uint64_t length = read_count(args, "device_duration_ps");

    if (!json_object_get(args, "device_offset_ps") || begin > PROFILE_BUILD_PS_MAX / 2 ||
        length > PROFILE_BUILD_PS_MAX / 2)
        return;
    at->clock_begin = (int64_t)begin;
    at->clock_length = length;
}

static void add_kernel(struct viewer *v, const struct lane *lane, const json_t *e,
                       struct profile_build_times at)
{
    const json_t *args = json_object_get(e, "args");
    const char *name = profile_json_text(e, "name"), *text = profile_json_text(args, "long_name");
    const char *category = profile_json_text(args, "hlo_category");
    bool whole = text[0] == '%';
    struct profile_op op = {
        .program_id = profile_json_id(args, "program_id"),
        .name = whole ? memory_copy_part(text + 1, strcspn(text + 1, " "))
                      : memory_copy(name + (name[0] == '%')),
        .text = memory_copy(whole ? text : ""),
        .category = memory_copy(category),
        .scope = memory_copy(profile_json_text(args, "tf_op")),
        .flops = read_count(args, json_object_get(args, "flops") ? "flops" : "model_flops"),
        .bytes = read_count(args, "bytes_accessed"),
    };
    op.holds = profile_build_holds(op.name, op.text, op.category);

    read_clock(args, &at);
    MEMORY_GROW(v->event, v->n_events + 1, v->cap_events);
    v->event[v->n_events++] = (struct kernel_event){ lane->device, profile_build_op(v->b, &op),
                                                     lane->kind == LANE_ASYNC, at };
}

static int add_event(struct viewer *v, size_t number, const json_t *e, struct err *err)
{
    struct lane key = { 0 }, *lane;
    struct profile_build_times at;
    const char *name = profile_json_text(e, "name");

    if (!profile_json_real(e, "pid", &key.pid) || !profile_json_real(e, "tid", &key.tid))
        return 0;
    if (v->n_lanes == 0)
        return 0;
    lane = bsearch(&key, v->lane, v->n_lanes, sizeof *v->lane, compare_lanes);
    if (!lane)
        return 0;
    if (!read_times(v, e, &at))
        return err_set(err, ERR_FORMAT,
                       "%.160s: event %zu: %.60s: ts and dur are no times in microseconds of at "
                       "most a week",
                       v->file, number + 1, name);
    if (lane->kind == LANE_MODULES) {
        uint32_t program = profile_build_module(v->b, name, strlen(name));
        profile_build_run(v->b, lane->device, program, at.begin, at.length);
    } else if (lane->kind == LANE_STEPS) {
        if (v->step_device == PROFILE_BUILD_NONE)
            v->step_device = lane->device;
        if (v->step_device == lane->device)
            profile_build_step(v->b, at.length);
    } else {
        add_kernel(v, lane, e, at);
    }
    return 0;
}

static int compare_kernels(const void *a, const void *b)
{
    const struct kernel_event *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->asynchronous != y->asynchronous)
        return x->asynchronous ? 1 : -1;
    if (x->at.clock_begin != y->at.clock_begin)
        return x->at.clock_begin < y->at.clock_begin ? -1 : 1;
    if (x->at.clock_length != y->at.clock_length) /* what holds others goes before them */
        return x->at.clock_length > y->at.clock_length ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static void count_kernels(struct viewer *v)
{
    profile_build_runs_known(v->b);
    if (v->n_events > 0)
        qsort(v->event, v->n_events, sizeof *v->event, compare_kernels);
    for (uint32_t i = 0; i < v->n_events; i++) {
        const struct kernel_event *e = &v->event[i];
        profile_build_event(v->b, e->device, e->op, e->asynchronous, &e->at);
        if (i + 1 == v->n_events || e[1].device != e->device)
            profile_build_flush(v->b, e->device);
    }
}

static int read_events(struct viewer *v, const json_t *tree, struct err *err)
{
    const json_t *events = json_is_array(tree) ? tree : json_object_get(tree, "traceEvents");

    find_processes(v, events);
    find_lanes(v, events);
    if (v->n_processes == 0)
        return err_set(err, ERR_FORMAT,
                       "%.160s:1: no TPU in it: its processes are %s; a profile of a TPU has " TPU
                       "0",
                       v->file, v->shown[0] ? v->shown : "without names");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        /* a kernel without a length is exported as an instant */
        if ((is_phase(e, "X") || is_phase(e, "i")) && add_event(v, i, e, err) != 0)
            return -1;
    }
    count_kernels(v);
    if (v->based)
        return 0;
    return err_set(err, ERR_FORMAT, "%.160s:1: no run of a program and no kernel in it", v->file);
}

int trace_viewer_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    struct viewer v = { .b = b, .file = profile_source_name(s), .step_device = PROFILE_BUILD_NONE };
    json_t *tree = profile_json_read(s, err);
    int rc = tree ? read_events(&v, tree, err) : -1;

    json_decref(tree);
    free(v.process);
    free(v.lane);
    free(v.event);
    return rc;
}
