// systemc_bench.h - what the SystemC models have in common.
#ifndef SYSTEMC_BENCH_H
#define SYSTEMC_BENCH_H

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

extern uint64_t blocked_waits; // of threads in a FIFO; counted by count_waits.cpp

using namespace sc_core;
using std::to_string;
using std::unique_ptr;
using std::vector;

const uint64_t NEVER = UINT64_MAX;
const uint64_t MEAN_FS = 1000000000; // mean of the exponential delays, and a service time
const int TABLE_BITS = 12;

inline sc_time fs(uint64_t value)
{
    return sc_time::from_value(value); // the resolution is set to 1 fs
}

// Means of an exponential variable over 2^TABLE_BITS equally likely parts of its range, so that the
// mean of the table is exact.
inline vector<sc_time> exponential(double mean)
{
    const size_t size = size_t(1) << TABLE_BITS;
    vector<sc_time> table(size);
    const double step = 1.0 / double(size);
    for (size_t i = 0; i < size; i++) {
        double a = double(i) * step, b = a + step;
        double below = i ? a - a * std::log(a) : 0.0;
        table[i] = fs(uint64_t(std::llround(mean * (b - b * std::log(b) - below) / step)));
    }
    return table;
}

struct draw { // a generator of its own for each process, so that order plays no part
    uint64_t state;
    explicit draw(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15 + 1)
    {
    }
    const sc_time &from(const sc_time *table)
    {
        state = state * 6364136223846793005 + 1442695040888963407;
        return table[state >> (64 - TABLE_BITS)];
    }
};

struct bench {
    virtual ~bench()
    {
    }
    virtual void advance(uint64_t events) = 0; // run for about so many more
    virtual uint64_t events() const = 0;       // so far
    virtual uint64_t activations() const = 0;  // so far, without the first of each thread
    virtual uint64_t own_deltas() const        // so far, that SystemC's clock takes for itself
    {
        return 0;
    }
    virtual bool blocks() const
    {
        return false;
    }
    virtual double sojourn() const
    {
        return 0;
    }
    virtual void forget() // what was measured until now
    {
    }
};

inline void run_until(uint64_t end_fs)
{
    sc_start(fs(end_fs) - sc_time_stamp());
}

template <class M> uint64_t total(const vector<unique_ptr<M>> &modules)
{
    uint64_t sum = 0;
    for (auto &m : modules)
        sum += m->count;
    return sum;
}

// Processes of one module each that count their activations and run for a time.
template <class M> struct timed_bench : bench {
    vector<unique_ptr<M>> modules;
    uint64_t period, rounds = 0;

    explicit timed_bench(uint64_t p) : period(p)
    {
    }
    void advance(uint64_t events) override
    {
        rounds += (events + modules.size() - 1) / modules.size();
        run_until(rounds * period + period / 2);
    }
    uint64_t events() const override
    {
        return total(modules);
    }
    uint64_t activations() const override
    {
        return total(modules);
    }
};

#endif
