/* cause.h - causes for which a core waits.  Every femtosecond of a training step has one. */
#ifndef TASK_CAUSE_H
#define TASK_CAUSE_H

/* clang-format off */
/*    enum      text        the core's sequencer ... */
#define CAUSES(C)                                                                                  \
    C(MXU,      "mxu",      "waits for the matrix unit, which finishes last")                      \
    C(VPU,      "vpu",      "waits for the vector unit or last instruction, which finishes last")  \
    C(XLU,      "xlu",      "waits for the transpose/reduce/permute unit, which finishes last")    \
    C(HBM,      "hbm",      "waits for a tile to come from or go to HBM")                          \
    C(ICI,      "ici",      "waits for a collective that is on the links or adds in HBM")          \
    C(DCN,      "dcn",      "waits for a collective on its way through the data centre")           \
    C(PCIE,     "pcie",     "waits for input or output that is on the way over PCIe")              \
    C(STORAGE,  "storage",  "waits for the host, which waits for storage")                         \
    C(HOST,     "host",     "waits for the host CPU: input not ready, host operations")            \
    C(FALLBACK, "fallback", "waits for an operation that only the host can run")                   \
    C(COMPILE,  "compile",  "waits for XLA to compile")                                            \
    C(LAUNCH,   "launch",   "pays the fixed cost of an operation, grid step or launch")            \
    C(BUBBLE,   "bubble",   "waits for another stage of the pipeline, or for its end")             \
    C(SYNC,     "sync",     "waits for others at a collective or at the end of the step")          \
    C(TENSOR,   "tensor",   "waits for the tensor cores, which finish last")                       \
    C(CUDA,     "cuda",     "waits for the CUDA cores, which finish last")                         \
    C(SFU,      "sfu",      "waits for special functions, which finish last")                      \
    C(SMEM,     "smem",     "waits for shared memory or atomic additions, which finish last")      \
    C(L2,       "l2",       "waits for bytes to cross the L2")                                     \
    C(CORES,    "cores",    "waits for the instructions of a CPU's cores, which finish last")      \
    C(CACHE,    "cache",    "waits for bytes between a CPU's cores and their caches")              \
    C(NUMA,     "numa",     "waits for bytes to cross between the sockets of a CPU node")          \
    C(MEMORY,   "memory",   "waits for a CPU's memory")                                            \
    C(PAGES,    "pages",    "waits for the system to map fresh pages of memory")                   \
    C(SERIAL,   "serial",   "waits for one thread, which works alone")
/* clang-format on */

enum cause {
#define C(id, text, doc) CAUSE_##id,
    CAUSES(C)
#undef C
        N_CAUSES
};

/* [cause] "mxu"; what a core does meanwhile: "waits for the matrix unit, which finishes last" */
extern const char *const cause_name[N_CAUSES];
extern const char *const cause_doc[N_CAUSES];

#endif
