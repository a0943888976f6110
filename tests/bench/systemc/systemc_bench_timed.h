// systemc_bench_timed.h - models that wait for time or for a clock.
#ifndef SYSTEMC_BENCH_TIMED_H
#define SYSTEMC_BENCH_TIMED_H

#include "systemc_bench.h"

// --- timed: all at the same times -----------------------------------------------------------

const uint64_t STEP_FS = 1000000;

struct timed_method : sc_module {
    uint64_t count = 0;
    sc_time step = fs(STEP_FS);

    SC_HAS_PROCESS(timed_method);
    explicit timed_method(const sc_module_name &name) : sc_module(name)
    {
        SC_METHOD(run);
    }
    void run()
    {
        count++;
        next_trigger(step);
    }
};

struct timed_thread : sc_module {
    uint64_t count = 0;
    sc_time step = fs(STEP_FS);

    SC_HAS_PROCESS(timed_thread);
    explicit timed_thread(const sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
    }
    void run()
    {
        for (;;) {
            count++;
            wait(step);
        }
    }
};

template <class M> struct timed : timed_bench<M> {
    explicit timed(size_t n) : timed_bench<M>(STEP_FS)
    {
        for (size_t i = 0; i < n; i++)
            this->modules.emplace_back(new M(("m" + to_string(i)).c_str()));
    }
};

// --- hold: each after an exponential delay of its own ---------------------------------------

struct hold_method : sc_module {
    uint64_t count = 0;
    draw random;
    const sc_time *delays;

    SC_HAS_PROCESS(hold_method);
    hold_method(const sc_module_name &name, uint64_t seed, const sc_time *table)
        : sc_module(name), random(seed), delays(table)
    {
        SC_METHOD(run);
    }
    void run()
    {
        count++;
        next_trigger(random.from(delays));
    }
};

struct hold_thread : sc_module {
    uint64_t count = 0;
    draw random;
    const sc_time *delays;

    SC_HAS_PROCESS(hold_thread);
    hold_thread(const sc_module_name &name, uint64_t seed, const sc_time *table)
        : sc_module(name), random(seed), delays(table)
    {
        SC_THREAD(run);
    }
    void run()
    {
        for (;;) {
            count++;
            wait(random.from(delays));
        }
    }
};

template <class M> struct hold : timed_bench<M> {
    vector<sc_time> delays = exponential(double(MEAN_FS));

    explicit hold(size_t n) : timed_bench<M>(MEAN_FS)
    {
        for (size_t i = 0; i < n; i++)
            this->modules.emplace_back(new M(("m" + to_string(i)).c_str(), i, delays.data()));
    }
};

// --- clocked: methods on the rising edge, with and without signals --------------------------

struct clocked_idle : sc_module {
    sc_in<bool> clk;
    uint64_t count = 0;

    SC_HAS_PROCESS(clocked_idle);
    explicit clocked_idle(const sc_module_name &name) : sc_module(name)
    {
        SC_METHOD(run);
        sensitive << clk.pos();
        dont_initialize();
    }
    void run()
    {
        count++;
    }
};

struct clocked_stage : sc_module {
    sc_in<bool> clk;
    sc_in<uint64_t> in;
    sc_out<uint64_t> out;
    uint64_t count = 0;

    SC_HAS_PROCESS(clocked_stage);
    explicit clocked_stage(const sc_module_name &name) : sc_module(name)
    {
        SC_METHOD(run);
        sensitive << clk.pos();
        dont_initialize();
    }
    void run()
    {
        count++;
        out.write(in.read() + 1);
    }
};

template <class M> struct clocked : timed_bench<M> {
    sc_clock clk{ "clk", fs(STEP_FS) };

    explicit clocked(size_t n) : timed_bench<M>(STEP_FS)
    {
        for (size_t i = 0; i < n; i++) {
            this->modules.emplace_back(new M(("m" + to_string(i)).c_str()));
            this->modules[i]->clk(clk);
        }
    }
    // sc_clock is a channel with processes: it takes a delta to rise and one to fall
    uint64_t own_deltas() const override
    {
        return this->rounds * 2 + 1;
    }
};

struct clocked_ring : clocked<clocked_stage> {
    vector<unique_ptr<sc_signal<uint64_t>>> links;

    explicit clocked_ring(size_t n) : clocked<clocked_stage>(n)
    {
        for (size_t i = 0; i < n; i++)
            links.emplace_back(new sc_signal<uint64_t>(("s" + to_string(i)).c_str()));
        for (size_t i = 0; i < n; i++) {
            modules[i]->in(*links[i]);
            modules[i]->out(*links[(i + 1) % n]);
        }
    }
};

#endif
