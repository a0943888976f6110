/* Constants of a machine that a profile can tell: their names, and their amounts in a machine. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "study/calibrate/calibration_impl.h"

#define DIGITS 10000 /* constants have four digits */
#define HALVINGS 12  /* of the way to an amount that is out of range */

/* A constant, and what it is; those of GPUs do on theirs what those of TPUs do. */
static const struct constant {
    const char *name, *text;
} constants[] = {
#define C(id, key, text) { key, text },
    CALIBRATION_CONSTANTS(C)
#undef C
}, constants_gpu[] = {
    [CALIBRATION_CLOCK] = { "gpu.clock", "clock of the SMs" },
    [CALIBRATION_HBM] = { "hbm.efficiency", "share of the peak that HBM reaches" },
    [CALIBRATION_FLOOR] = { "gpu.kernel_time", "floor of a kernel" },
    [CALIBRATION_MXU] = { "sm.tensor_share", "clock that the tensor cores keep under load" },
    [CALIBRATION_VECTOR] = { "sm.f32_share", "clock that f32 in the CUDA cores keeps under load" },
    [CALIBRATION_COLLECTIVE] = { "nvlink.bandwidth", "bandwidth that collectives reach" },
    [CALIBRATION_BETWEEN] = { "gpu.kernel_gap", "idle time from kernel to kernel" },
    [CALIBRATION_LAUNCH] = { "launch.call", "time of the host to launch a kernel" },
};

static const struct constant *constant_of(const struct machine_spec *spec, enum calibration_key key)
{
    return spec->kind == CHIP_GPU ? &constants_gpu[key] : &constants[key];
}

struct place {
    const struct param_table *table;
    const struct param_desc *d;
    void *obj;
};

static struct place find_constant(const struct machine_spec *spec, enum calibration_key key)
{
    char section[32];
    const char *name = constant_of(spec, key)->name, *dot = strchr(name, '.');
    size_t n = (size_t)(dot - name);

    memcpy(section, name, n);
    section[n] = '\0';
    int t = spec_table(section);
    BUG_ON(t < 0);
    struct place at = { spec_tables[t], param_find(spec_tables[t], dot + 1),
                        spec_object(spec, (size_t)t) };
    BUG_ON(!at.d);
    return at;
}

uint64_t calibration_amount(const struct machine_spec *spec, enum calibration_key key)
{
    struct place at = find_constant(spec, key);
    uint64_t amount = 0;

    param_amount(at.d, at.obj, &amount);
    return amount;
}

double calibration_most_error(const struct machine_spec *spec)
{
    return spec->kind == CHIP_GPU ? CALIBRATION_MOST_ERROR_GPU : CALIBRATION_MOST_ERROR;
}

/* Rounded to four digits. */
static uint64_t round_amount(double amount)
{
    double unit = 1;

    while (amount / unit >= DIGITS)
        unit *= 10;
    return amount < 1 ? 0 : (uint64_t)(round(amount / unit) * unit);
}

bool calibration_set(struct machine_spec *spec, enum calibration_key key, double amount)
{
    struct place at = find_constant(spec, key);
    uint64_t before = calibration_amount(spec, key);
    struct err err;

    for (int i = 0; i < HALVINGS; i++) {
        uint64_t want = round_amount(amount);
        if (want != before && param_set_amount(at.table, at.d, at.obj, want, &err) == 0)
            return true;
        amount = ((double)before + amount) / 2;
    }
    return false;
}

void calibration_name(struct calibration *c, const struct machine_spec *spec)
{
    for (unsigned k = 0; k < CALIBRATION_N; k++) {
        c->constant[k].key = constant_of(spec, k)->name;
        c->constant[k].text = constant_of(spec, k)->text;
    }
}

void calibration_tell(struct calibration *c, const struct machine_spec *before)
{
    for (unsigned k = 0; k < CALIBRATION_N; k++) {
        struct place x = find_constant(before, k), y = find_constant(c->spec, k);
        struct calibration_constant *t = &c->constant[k];
        uint64_t a = calibration_amount(before, k), b = calibration_amount(c->spec, k);
        param_text(x.d, x.obj, t->before, sizeof t->before);
        param_text(y.d, y.obj, t->after, sizeof t->after);
        t->changed = a != b;
        t->ratio = a > 0 ? (double)b / (double)a : 0;
    }
}
