// A Verilated array as a struct dut; the build defines NAME, SIZE, LANES, BEAT and LOAD and
// includes the class Verilator made of it, called V.
#include <cstring>

#include "tests/rtl/dut.h"

namespace
{
struct random_context : VerilatedContext {
    random_context()
    {
        randReset(2); // registers hold random bits until they are reset
    }
};

struct array {
    random_context context;
    V top{ &context };
    int8_t weights[BEAT][SIZE];
    int8_t rows[LANES][SIZE];
    int32_t results[LANES][SIZE];
};

// Verilator keeps a vector as words of 8, 16, 32 or 64 bits or an array of 32, the low one first,
// which on this machine is an array of bytes.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vectors are copied as bytes");

template <typename T> void poke(T &pin, const void *bytes, size_t size)
{
    static_assert(sizeof pin >= sizeof(uint32_t), "a vector");
    memcpy(static_cast<void *>(&pin), bytes, size);
}

template <typename T> void peek(const T &pin, void *bytes, size_t size)
{
    memcpy(bytes, static_cast<const void *>(&pin), size);
}

void *up()
{
    return new array;
}

void down(void *self)
{
    auto *a = static_cast<array *>(self);

    a->top.final();
    delete a;
}

void settle(void *self, const struct dut_in *in, struct dut_out *out)
{
    auto *a = static_cast<array *>(self);
    V &top = a->top;

    top.clk = 0;
    top.rst = in->reset;
    top.weight_depth = in->weight_depth;
    top.row_depth = in->row_depth;
    top.result_depth = in->result_depth;
    top.w_valid = in->w_valid;
    if (in->w_valid)
        poke(top.w_data, in->w, sizeof a->weights);
    for (unsigned l = 0; l < LANES; l++)
        if (in->a_valid >> l & 1)
            memcpy(a->rows[l], in->a[l], sizeof a->rows[l]);
    top.a_valid = static_cast<CData>(in->a_valid);
    top.a_last = static_cast<CData>(in->a_last);
    poke(top.a_data, a->rows, sizeof a->rows);
    top.c_ready = static_cast<CData>(in->c_ready);
    top.eval();

    out->w_ready = top.w_ready;
    out->load = top.load;
    out->loaded = top.loaded;
    out->overrun = top.overrun;
    out->a_ready = top.a_ready;
    out->taken = top.taken;
    out->left = top.left;
    out->left_last = top.left_last;
    out->c_valid = top.c_valid;
    out->c_last = top.c_last;
    if (out->c_valid)
        peek(top.c_data, a->results, sizeof a->results);
    for (unsigned l = 0; l < LANES; l++)
        out->c[l] = a->results[l];
}

void edge(void *self)
{
    auto *a = static_cast<array *>(self);

    a->top.clk = 1;
    a->top.eval();
}
} // namespace

#define TEXT(x) #x
#define QUOTE(x) TEXT(x)
extern "C" {
extern const struct dut NAME;
const struct dut NAME = { QUOTE(NAME), SIZE, LANES, BEAT, LOAD, up, down, settle, edge };
}
