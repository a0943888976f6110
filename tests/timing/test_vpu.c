/* The vector unit and the XLU: the femtosecond a command is done, walked and folded alike. */
#include "bench.h"
#include "hw/core/vpu.h"
#include "hw/core/xlu.h"

#include <string.h>

Test(vpu, two_register_operations_a_cycle)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct vpu u;
        struct vpu_params par;
        struct unit_done d;
        param_defaults(&vpu_param_table, &par);
        vpu_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
        struct des_out cmd = bench_drive(sim, "cmd", u.unit.cmd, sizeof(struct unit_vector), 2);
        struct des_in done = bench_watch(sim, "done", u.unit.done, sizeof(struct unit_done), 2);
        bench_start(sim);
        des_put(sim, cmd, &(struct unit_vector){ { 7 } }); /* 4 cycles of 1 ns */
        bench_tight(sim, done, &d, 4000000);
        cr_assert_eq(d.cause, CAUSE_VPU);
        cr_assert_eq(u.unit.st.busy, 4);
        des_free(sim);
    }
}

/* 1 GHz, two slots a cycle. */
struct vpu_case {
    uint64_t ops[N_VECTOR_OPS];
    uint32_t alus;
    uint64_t cycles;
};

static const struct vpu_case vpu_cases[] = {
    { { [VECTOR_ADD] = 1 }, 2, 1 }, /* half a cycle, rounded up */
    { { [VECTOR_SELECT] = 4 }, 2, 2 },
    { { [VECTOR_CAST] = 5 }, 2, 3 },
    { { [VECTOR_DIVIDE] = 3 }, 2, 21 }, /* 14 slots each */
    { { [VECTOR_EXP] = 3 }, 2, 3 },     /* 2 */
    { { [VECTOR_EXP] = 6 }, 4, 6 },     /* one a cycle, also where four slots would take them */
    { { [VECTOR_EXP] = 3, [VECTOR_DIVIDE] = 1, [VECTOR_ADD] = 2 }, 16, 4 },
    { { [VECTOR_SINE] = 1 }, 2, 96 },    /* 192 */
    { { [VECTOR_SUBLANES] = 3 }, 2, 9 }, /* 6: rotate and add, three times */
    { { [VECTOR_SUBLANES] = 3 }, 4, 5 }, /* 18 slots, four a cycle */
    /* 3 + 1 + 1 + 14 + 2 + 192 + 6 + 1 = 220 */
    { { 3, 1, 1, 1, 1, 1, 1, 1 }, 2, 110 },
};

Test(vpu, each_class_takes_its_slots)
{
    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < sizeof vpu_cases / sizeof *vpu_cases; i++) {
            struct des *sim = des_new();
            struct vpu u;
            struct vpu_params par;
            struct unit_done d;
            struct unit_vector work;
            param_defaults(&vpu_param_table, &par);
            par.alus = vpu_cases[i].alus;
            vpu_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
            struct des_out cmd = bench_drive(sim, "cmd", u.unit.cmd, sizeof work, 2);
            struct des_in done = bench_watch(sim, "done", u.unit.done, sizeof d, 2);
            bench_start(sim);
            memcpy(work.ops, vpu_cases[i].ops, sizeof work.ops);
            des_put(sim, cmd, &work);
            bench_tight(sim, done, &d, vpu_cases[i].cycles * 1000000);
            des_free(sim);
        }
}

Test(xlu, twelve_cycles_a_register)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct xlu u;
        struct xlu_params par;
        struct unit_done d;
        param_defaults(&xlu_param_table, &par);
        xlu_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
        struct des_out cmd = bench_drive(sim, "cmd", u.unit.cmd, sizeof(struct unit_lanes), 2);
        struct des_in done = bench_watch(sim, "done", u.unit.done, sizeof(struct unit_done), 2);
        bench_start(sim);
        des_put(sim, cmd, &(struct unit_lanes){ 5 });
        bench_tight(sim, done, &d, 60000000);
        des_free(sim);
    }
}
