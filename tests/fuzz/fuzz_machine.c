/* Machine files: several in one input, each after a line "=== NAME", so that bases and parts are
 * changed too.  The first is the machine, on which a small step is replayed. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cyclotron.h"
#include "base/memory.h"
#include "machine/spec/catalog.h"
#include "machine/spec/spec.h"
#include "tests/fuzz/fuzz.h"

#define MOST_FILES 6

static const char *const words[] = {
    "=== a.ini\n",
    "=== b.ini\n",
    "[machine]\n",
    "[slice]\n",
    "[mxu]\n",
    "[hbm]\n",
    "[dram]\n",
    "[ici]\n",
    "[host]\n",
    "[price]\n",
    "[gpu]\n",
    "[sm]\n",
    "[cpu]\n",
    "base = b.ini\n",
    "base = tpu-v3\n",
    "base = tpu-v3-8\n",
    "part = hbm2\n",
    "part = b.ini\n",
    "kind = TPU\n",
    "kind = GPU\n",
    "kind = CPU\n",
    "summary = x\n",
    " [test]",
    "[]",
    "[",
    "]",
    "=",
    "MHz",
    "GB/s",
    "GiB",
    "%",
    "USD/h",
    "W",
    "us",
    "count = 4 [test]\n",
    "clock = 940 MHz [test]\n",
    ";",
    "#",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return fuzz_mutate_text(data, size, room, seed, words, sizeof words / sizeof *words);
}

static bool is_name(const char *name, size_t n)
{
    return n > 0 && n < 40 && name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") >= n;
}

/* Write the files.  Returns how many. */
static int write_files(const char *text)
{
    int n = 0;

    if (strncmp(text, "=== ", 4) != 0) {
        fuzz_write("a.ini", text, strlen(text));
        return 1;
    }
    while (text && n < MOST_FILES) {
        const char *name = text + 4, *body = strchr(name, '\n');
        if (!body)
            break;
        const char *next = strstr(body, "\n=== ");
        char own[48];
        snprintf(own, sizeof own, "%.*s", (int)(body - name < 40 ? body - name : 40), name);
        if (!is_name(own, strlen(own)))
            snprintf(own, sizeof own, "%c.ini", 'a' + n);
        fuzz_write(n ? own : "a.ini", body + 1,
                   next ? (size_t)(next > body ? next - body : 0) : strlen(body + 1));
        n++;
        text = next ? next + 1 : NULL;
    }
    return n;
}

static char *print_machine(const char *path, struct err *err)
{
    struct machine_spec *m;
    struct memory_text out;

    if (spec_load(&m, path, NULL, 0, err) != 0)
        return NULL;
    memory_text_begin(&out);
    spec_print_values(m, out.out);
    free(spec_summary(m, "x"));
    (void)spec_unverified(m);
    (void)spec_cores(m);
    (void)spec_macs_per_cycle(m);
    spec_free(m);
    return memory_text_end(&out);
}

/* --- a replay --------------------------------------------------------------------------------- */

static const char step[] = "cyclotron-trace 1\nworkload \"w\"\nsamples step=8\n"
                           "dtype tensors=bf16 matmul=bf16 activations=narrow\n"
                           "provenance \"p\"\ntensor %x bf16[64,256] input\n"
                           "tensor %w bf16[256,512] weight\nstep {\n  phase p\n"
                           "  %h bf16[64,512] = matmul(%x, %w)\n"
                           "  %s f32[] = reduce(%h) flops=32768\n"
                           "  %d bf16[256,512] gradient = matmul(%x, %h) ta=1\n"
                           "  all-reduce(%d)\n  outfeed(%s) sync=1\n}\n";

static int is_late(void *self)
{
    return clock() > *(const clock_t *)self;
}

/* A machine that is read takes some time for a step, or is refused with a reason. */
static void replay_machine(const char *path)
{
    struct cyclotron_options o = CYCLOTRON_OPTIONS;
    struct cyclotron_error e = { .code = CYCLOTRON_OK };
    struct cyclotron_machine *m = cyclotron_machine_load(path, NULL, 0, &e);
    struct cyclotron_program *p = cyclotron_program_parse("w", step, sizeof step - 1, 0, &e);
    clock_t late = clock() + CLOCKS_PER_SEC;
    double seconds = 0;

    o.stop = is_late;
    o.stop_self = &late;
    if (!m || !p)
        fuzz_fail(__FILE__, __LINE__, e.message);
    struct cyclotron_result *r = cyclotron_replay(p, m, &o, &e);
    if (!r && !*e.message)
        fuzz_fail(__FILE__, __LINE__, "refused without a reason");
    if (r &&
        (cyclotron_result_number(r, "seconds_per_step", &seconds, NULL) != 0 || !(seconds > 0)))
        fuzz_fail(__FILE__, __LINE__, "a step that takes no time");
    cyclotron_result_free(r);
    cyclotron_machine_free(m);
    cyclotron_program_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH], *text = fuzz_string(data, size);
    struct err err = { .code = ERR_NONE };
    struct dram_params dram;

    fuzz_clear();
    if (write_files(text) > 0) {
        fuzz_path(path, "a.ini");
        char *printed = print_machine(path, &err);
        if (printed) { /* what is printed is the same machine */
            fuzz_accepted++;
            fuzz_write("printed.ini", printed, strlen(printed));
            fuzz_path(path, "printed.ini");
            char *again = print_machine(path, &err);
            if (!again || strcmp(printed, again) != 0)
                fuzz_fail(__FILE__, __LINE__, again ? "printed otherwise again" : err.msg);
            free(again);
            fuzz_path(path, "a.ini");
            replay_machine(path);
        } else {
            fuzz_check_error(&err);
        }
        free(printed);
        fuzz_path(path, "a.ini");
        err.code = ERR_NONE;
        if (spec_dram(&dram, path, true, NULL, 0, &err) != 0)
            fuzz_check_error(&err);
    }
    free(text);
    return 0;
}
