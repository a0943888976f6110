// systemc_bench_flow.h - models that hand tokens on through FIFOs and signals.
#ifndef SYSTEMC_BENCH_FLOW_H
#define SYSTEMC_BENCH_FLOW_H

#include "systemc_bench.h"

// --- ring: a token per process, handed on through FIFOs -------------------------------------

struct ring_stage : sc_module {
    sc_fifo_in<uint64_t> in;
    sc_fifo_out<uint64_t> out;
    uint64_t count = 0, limit = NEVER;

    SC_HAS_PROCESS(ring_stage);
    explicit ring_stage(const sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
    }
    void run()
    {
        uint64_t token = 0;
        for (;;) {
            out->write(token);
            in->read(token);
            if (++count == limit)
                sc_pause();
        }
    }
};

struct ring : bench {
    vector<unique_ptr<ring_stage>> modules;
    vector<unique_ptr<sc_fifo<uint64_t>>> links;
    uint64_t rounds = 0;

    explicit ring(size_t n)
    {
        for (size_t i = 0; i < n; i++) {
            links.emplace_back(new sc_fifo<uint64_t>(("f" + to_string(i)).c_str(), 2));
            modules.emplace_back(new ring_stage(("m" + to_string(i)).c_str()));
        }
        for (size_t i = 0; i < n; i++) {
            modules[i]->in(*links[i]);
            modules[i]->out(*links[(i + 1) % n]);
        }
    }
    void advance(uint64_t events) override
    {
        rounds += (events + modules.size() - 1) / modules.size();
        modules[0]->limit = rounds;
        sc_start();
    }
    uint64_t events() const override
    {
        return total(modules);
    }
    uint64_t activations() const override
    {
        return blocked_waits;
    }
    bool blocks() const override
    {
        return true;
    }
};

// --- pairs: a producer and a consumer with a FIFO of 16 between them ------------------------

struct producer : sc_module {
    sc_fifo_out<uint64_t> out;

    SC_HAS_PROCESS(producer);
    explicit producer(const sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
    }
    void run()
    {
        for (uint64_t token = 0;; token++)
            out->write(token);
    }
};

struct consumer : sc_module {
    sc_fifo_in<uint64_t> in;
    uint64_t count = 0, limit = NEVER;

    SC_HAS_PROCESS(consumer);
    explicit consumer(const sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
    }
    void run()
    {
        uint64_t token;
        for (;;) {
            in->read(token);
            if (++count == limit)
                sc_pause();
        }
    }
};

struct pairs : bench {
    vector<unique_ptr<producer>> sources;
    vector<unique_ptr<consumer>> modules;
    vector<unique_ptr<sc_fifo<uint64_t>>> links;
    uint64_t rounds = 0;

    explicit pairs(size_t n)
    {
        for (size_t i = 0; i < n; i++) {
            links.emplace_back(new sc_fifo<uint64_t>(("f" + to_string(i)).c_str(), 16));
            sources.emplace_back(new producer(("p" + to_string(i)).c_str()));
            modules.emplace_back(new consumer(("c" + to_string(i)).c_str()));
            sources[i]->out(*links[i]);
            modules[i]->in(*links[i]);
        }
    }
    void advance(uint64_t events) override
    {
        // whole bursts, for the limit must not lie within one
        rounds += (events + 16 * modules.size() - 1) / (16 * modules.size()) * 16;
        modules[0]->limit = rounds;
        sc_start();
    }
    uint64_t events() const override
    {
        return total(modules);
    }
    uint64_t activations() const override
    {
        return blocked_waits;
    }
    bool blocks() const override
    {
        return true;
    }
};

// --- delta: one token runs round a ring of signals, a hop in each delta ---------------------

struct delta_stage : sc_module {
    sc_in<uint64_t> in;
    sc_out<uint64_t> out;
    uint64_t count = 0, limit = NEVER;

    SC_HAS_PROCESS(delta_stage);
    delta_stage(const sc_module_name &name, bool first) : sc_module(name)
    {
        SC_METHOD(run);
        sensitive << in;
        if (!first)
            dont_initialize();
    }
    void run()
    {
        out.write(in.read() + 1);
        if (++count == limit)
            sc_pause();
    }
};

struct delta_ring : bench {
    vector<unique_ptr<delta_stage>> modules;
    vector<unique_ptr<sc_signal<uint64_t>>> links;
    uint64_t rounds = 0;

    explicit delta_ring(size_t n)
    {
        for (size_t i = 0; i < n; i++) {
            links.emplace_back(new sc_signal<uint64_t>(("s" + to_string(i)).c_str()));
            modules.emplace_back(new delta_stage(("m" + to_string(i)).c_str(), i == 0));
        }
        for (size_t i = 0; i < n; i++) {
            modules[i]->in(*links[i]);
            modules[i]->out(*links[(i + 1) % n]);
        }
    }
    void advance(uint64_t events) override
    {
        rounds += (events + modules.size() - 1) / modules.size();
        modules[0]->limit = rounds;
        sc_start();
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

// --- mm1: independent queues with exponential arrivals and services, rho = 0.9 --------------

struct generator : sc_module {
    sc_fifo_out<uint64_t> out;
    uint64_t count = 0;
    draw random;
    const sc_time *delays;

    SC_HAS_PROCESS(generator);
    generator(const sc_module_name &name, uint64_t seed, const sc_time *table)
        : sc_module(name), random(seed), delays(table)
    {
        SC_THREAD(run);
    }
    void run()
    {
        for (;;) {
            wait(random.from(delays));
            count++;
            out->write(sc_time_stamp().value());
        }
    }
};

struct server : sc_module {
    sc_fifo_in<uint64_t> in;
    uint64_t count = 0, sojourn = 0;
    draw random;
    const sc_time *delays;

    SC_HAS_PROCESS(server);
    server(const sc_module_name &name, uint64_t seed, const sc_time *table)
        : sc_module(name), random(seed), delays(table)
    {
        SC_THREAD(run);
    }
    void run()
    {
        uint64_t arrival;
        for (;;) {
            in->read(arrival);
            wait(random.from(delays));
            sojourn += sc_time_stamp().value() - arrival;
            count++;
        }
    }
};

struct mm1 : bench {
    vector<sc_time> arrivals = exponential(double(MEAN_FS) / 0.9);
    vector<sc_time> services = exponential(double(MEAN_FS));
    vector<unique_ptr<generator>> sources;
    vector<unique_ptr<server>> modules;
    vector<unique_ptr<sc_fifo<uint64_t>>> queues;
    uint64_t until = 0, forgotten = 0;

    explicit mm1(size_t n)
    {
        for (size_t i = 0; i < n; i++) {
            queues.emplace_back(new sc_fifo<uint64_t>(("q" + to_string(i)).c_str(), 256));
            sources.emplace_back(
                new generator(("g" + to_string(i)).c_str(), 2 * i, arrivals.data()));
            modules.emplace_back(
                new server(("s" + to_string(i)).c_str(), 2 * i + 1, services.data()));
            sources[i]->out(*queues[i]);
            modules[i]->in(*queues[i]);
        }
    }
    void advance(uint64_t events) override
    {
        until += uint64_t(double(events) / double(modules.size()) * double(MEAN_FS) / 0.9);
        run_until(until);
    }
    uint64_t events() const override
    {
        return total(modules);
    }
    uint64_t activations() const override
    {
        return total(sources) + total(modules) + blocked_waits;
    }
    bool blocks() const override
    {
        return true;
    }
    double sojourn() const override
    {
        double sum = 0;
        for (auto &m : modules)
            sum += double(m->sojourn);
        return sum / double(total(modules) - forgotten) / double(MEAN_FS);
    }
    void forget() override
    {
        for (auto &m : modules)
            m->sojourn = 0;
        forgotten = total(modules);
    }
};

#endif
