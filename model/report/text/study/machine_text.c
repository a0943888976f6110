#include "base/plain.h"
#include "report/machine_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "cost/cost.h"
#include "cost/proxy.h"

static void print_count(const char *noun, uint32_t n, const char *meaning, FILE *out)
{
    fprintf(out, "# %-11s %6" PRIu32 "  %s\n", noun, n, meaning);
}

static void print_chips(const struct machine_spec *m, FILE *out)
{
    print_count("chips", spec_chips(m), "dies in a package with their HBM", out);
}

static void print_tensorcores(const struct machine_spec *m, FILE *out)
{
    uint32_t cores = spec_cores(m), per_chip = m->slice.cores_per_chip;
    bool joined = m->core.halves > 1, idles = m->slice.cores < per_chip;

    print_count("TensorCores", cores * m->core.halves,
                "units with their own instructions; the number in a machine's name", out);
    print_count("cores", cores,
                joined ? "run one program each; here both TensorCores of a chip together (megacore)"
                : idles ? "runs the program; the other TensorCore of its chip idles"
                        : "run one program each; here a core is a TensorCore",
                out);
    print_count("devices", cores,
                joined          ? "what JAX counts; here one a chip"
                : per_chip == 2 ? "what JAX counts; here one a TensorCore, two a chip"
                                : "what JAX counts; here one a chip, which has one TensorCore",
                out);
    print_chips(m, out);
}

static void print_gpus(const struct machine_spec *m, FILE *out)
{
    print_count("GPUs", spec_cores(m), "run one program each; a core and a chip are a GPU here",
                out);
    print_count("SMs", m->sm.count, "streaming multiprocessors of each", out);
    print_chips(m, out);
}

static void print_cpus(const struct machine_spec *m, FILE *out)
{
    print_count("sockets", m->cpu.sockets, "of the node, which runs one program", out);
    print_count("cores", m->cpu.sockets * m->cpu.count,
                "of all sockets, which share each operation", out);
}

static void print_cores(const struct machine_spec *m, FILE *out)
{
    static void (*const print[CHIP_N_KINDS])(const struct machine_spec *, FILE *) = {
        [CHIP_TPU] = print_tensorcores, [CHIP_GPU] = print_gpus, [CHIP_CPU] = print_cpus
    };

    print[m->kind](m, out);
}

/* One line for each price, or that there is none. */
static void print_prices(const struct machine_spec *m, FILE *out)
{
    static const char *const names[] = { "on demand", "preemptible" };
    bool any = false;

    EXACT_Q(usd);
    for (int price = COST_ON_DEMAND; price <= COST_PREEMPTIBLE; price++) {
        if (!cost_per_hour(usd, m, (enum cost_price)price))
            continue;
        plain_print(out, "# price       %.2f USD/h %s for all of it\n", mpq_get_d(usd),
                    names[price]);
        any = true;
    }
    if (!any)
        fputs("# price       no list price\n", out);
}

static void print_die(const struct machine_spec *m, FILE *out)
{
    struct proxy_params params;
    struct proxy x;

    param_defaults(&proxy_param_table, &params);
    proxy_of(&params, m, NULL, &x);
    plain_print(out, "# die         %.0f mm2 by the proxy of sweeps%s\n", x.die_mm2,
                x.over_reticle ? ": over the reticle limit, no scanner exposes it at once" : "");
}

void report_machine_text(const struct machine_spec *m, FILE *out)
{
    fprintf(out, "# %s\n#\n", m->name);
    print_cores(m, out);
    print_count("hosts", spec_hosts(m), "machines with CPUs that chips are attached to", out);
    print_prices(m, out);
    if (proxy_knows(m))
        print_die(m, out);
    spec_print_values(m, out);
}
