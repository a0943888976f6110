/* import_cpu.c - programs of XLA:CPU, which are not read: their kernels and layouts are those of no
 * TPU and no GPU.
 *
 * Source: the text of programs that XLA:CPU compiled (jax 0.4.30 to 0.10.2). */
#include <string.h>

#include "import/hlo/import_impl.h"

static bool has_text(struct hlo_text t, const char *part)
{
    return t.at && memmem(t.at, t.size, part, strlen(part)) != NULL;
}

/* Parts of an operation for the threads of a CPU, fusions and calls of its libraries. */
static bool is_of_cpu(const struct hlo_module *m, const struct hlo_instruction *i)
{
    static const char *const fields[] = { "outer_dimension_partitions", "__ynn_fusion", "onednn_",
                                          "xla_cpu_" };
    static const char *const targets[] = { "__onednn$", "__xla_cpu", "xla.cpu",
                                           "lapack_",   "__mkl$",    "ducc_fft" };
    bool found = false;

    if (i->opcode == HLO_OP_FUSION || i->opcode == HLO_OP_CALL || i->opcode == HLO_OP_CUSTOM_CALL)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            found |= has_text(hlo_attribute(m, i, "backend_config"), fields[k]);
    for (size_t k = 0; i->opcode == HLO_OP_CUSTOM_CALL && k < sizeof targets / sizeof *targets; k++)
        found |= has_text(hlo_attribute(m, i, "custom_call_target"), targets[k]);
    return found;
}

int import_cpu_refuse(const struct hlo_module *m, struct err *err)
{
    if (!m->scheduled)
        return 0;
    for (uint32_t k = 0; k < m->n_instructions; k++)
        if (is_of_cpu(m, &m->instruction[k]))
            return hlo_error(m, &m->instruction[k], err,
                             "the program was compiled for a CPU, whose kernels no TPU and no GPU "
                             "has: take it before it is compiled, as `jax.jit(step).lower(...)"
                             ".as_text(dialect=\"hlo\")`, or compile it by scripts/compile");
    return 0;
}
