// systemc_bench.cpp - the models of tests/bench/des_bench.c written for SystemC: the same processes,
// bodies, sizes and random numbers, the same arguments and the same line of output.  Activations
// of threads that block in a FIFO are only seen by the binary linked with count_waits.cpp; the
// other one prints "-" for them.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

#include "systemc_bench_flow.h"
#include "systemc_bench_timed.h"

uint64_t blocked_waits;

// Takes the place of the C library's for SystemC, which wants a guard page below each stack: those
// of 100,000 threads pass Linux's limit of mappings, and SystemC fails.
extern "C" int mprotect(void *, size_t, int) noexcept
{
    return 0;
}

namespace
{
unique_ptr<bench> make(const std::string &model, const std::string &kind, size_t n)
{
    const std::string what = model + " " + kind;
    bench *b = nullptr;
    if (what == "timed method")
        b = new timed<timed_method>(n);
    else if (what == "timed thread")
        b = new timed<timed_thread>(n);
    else if (what == "hold method")
        b = new hold<hold_method>(n);
    else if (what == "hold thread")
        b = new hold<hold_thread>(n);
    else if (what == "ring thread")
        b = new ring(n);
    else if (what == "pairs thread")
        b = new pairs(n);
    else if (what == "clocked-ring method")
        b = new clocked_ring(n);
    else if (what == "clocked method")
        b = new clocked<clocked_idle>(n);
    else if (what == "delta method")
        b = new delta_ring(n);
    else if (what == "mm1 thread")
        b = new mm1(n);
    return unique_ptr<bench>(b);
}

double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double resident_bytes()
{
    uint64_t size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return double(resident) * double(sysconf(_SC_PAGESIZE));
}

int usage()
{
    std::fprintf(
        stderr,
        "usage: des_bench MODEL KIND N [EVENTS]\n"
        "  timed|hold method|thread, ring|pairs|mm1 thread, clocked-ring|clocked|delta method,\n"
        "  memory method|thread, elaborate method\n");
    return 2;
}

[[noreturn]] void leave() // SystemC takes minutes to take so many modules apart again
{
    std::fflush(stdout);
    _exit(0);
}

// Bytes per process that has run twice, or seconds until all have run once.
int measure_build(const std::string &what, const std::string &kind, size_t n)
{
    double bytes = resident_bytes(), seconds = cpu_seconds();
    unique_ptr<bench> b = make("timed", kind, n);
    if (!b)
        return usage();
    if (what == "memory") {
        b->advance(2 * n);
        bytes = (resident_bytes() - bytes) / double(n);
        std::printf("memory %s %zu %.1f - -\n", kind.c_str(), n, bytes);
    } else {
        sc_start(SC_ZERO_TIME);
        std::printf("elaborate %s %zu %.4f - -\n", kind.c_str(), n, cpu_seconds() - seconds);
    }
    leave();
}
} // namespace

int sc_main(int argc, char *argv[])
{
    if (argc < 4 || argc > 5)
        return usage();
    const std::string model = argv[1], kind = argv[2];
    const size_t n = std::strtoull(argv[3], nullptr, 10);
    const uint64_t events = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 2000000;
    if (n == 0 || events == 0)
        return usage();
    sc_set_time_resolution(1, SC_FS);
    if (model == "memory" || model == "elaborate")
        return measure_build(model, kind, n);
    unique_ptr<bench> b = make(model, kind, n);
    if (!b)
        return usage();
    b->advance(events / 10 + 2 * n);
    b->forget();
    const uint64_t events_before = b->events(), activations_before = b->activations();
    const uint64_t deltas_before = sc_delta_count() - b->own_deltas();
    const double start = cpu_seconds();
    b->advance(events);
    const double seconds = cpu_seconds() - start;
    std::printf("%s %s %zu %.3f ", model.c_str(), kind.c_str(), n,
                seconds * 1e9 / double(b->events() - events_before));
    if (b->blocks() && blocked_waits == 0)
        std::printf("-");
    else
        std::printf("%llu", (unsigned long long)(b->activations() - activations_before));
    std::printf(" %llu", (unsigned long long)(sc_delta_count() - b->own_deltas() - deltas_before));
    if (model == "mm1")
        std::printf(" %.6f", b->sojourn());
    std::printf("\n");
    leave();
}

int main(int argc, char *argv[])
{
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_elab_and_sim(argc, argv);
}
