/* nccl_params.h - NCCL, the library that runs collectives of GPUs: what its protocols and its
 * algorithms cost.
 *
 * A protocol says how a chunk is handed over: LL sends a flag beside every 4 bytes, LL128 beside
 * every 120, Simple sends chunks and then a flag.  Each has the time of a collective besides its
 * steps, the time of a step between two GPUs of a box and between two boxes, and the share of the
 * links' bandwidth that it reaches.  docs/model/collectives.md has the formulas. */
#ifndef KERNELS_COMMON_NCCL_PARAMS_H
#define KERNELS_COMMON_NCCL_PARAMS_H

#include "base/param.h"

/* clang-format off */
#define NCCL_PARAMS(P)                                                                             \
    P(ENUM, algorithm, "auto|ring|tree|nvls", "auto", "", "", "of collectives that name none, where it does them; auto: the one of least time [nccl]") \
    P(ENUM, protocol, "auto|ll|ll128|simple", "auto", "", "", "of all collectives but all-to-all and permutes; auto: the one of least time [nccl]") \
    P(FS,  ll_time,      "s",     "6.6 us", "0 s", "1 s", "of a collective by LL besides its steps and bytes [nccl]") \
    P(FS,  ll128_time,   "s",     "14 us",  "0 s", "1 s", "the same by LL128 [nccl]")              \
    P(FS,  simple_time,  "s",     "8.4 us", "0 s", "1 s", "the same by Simple [nccl]")             \
    P(FS,  ll_step,      "s",     "0.6 us", "0 s", "1 s", "of a step by LL between GPUs of a box [nccl]") \
    P(FS,  ll128_step,   "s",     "1.9 us", "0 s", "1 s", "the same by LL128 [nccl]")              \
    P(FS,  simple_step,  "s",     "3.4 us", "0 s", "1 s", "the same by Simple [nccl]")             \
    P(FS,  ll_net,       "s",     "2.7 us", "0 s", "1 s", "of a step by LL between boxes, besides dcn.latency [nccl]") \
    P(FS,  ll128_net,    "s",     "4 us",   "0 s", "1 s", "the same by LL128 [nccl]")              \
    P(FS,  simple_net,   "s",     "14 us",  "0 s", "1 s", "the same by Simple [nccl]")             \
    P(PPB, ll_share,     "ratio", "0.26",   "0.0001", "1", "of a GPU's links that LL reaches [nccl]") \
    P(PPB, ll128_share,  "ratio", "0.736",  "0.0001", "1", "the same by LL128 [nccl]")             \
    P(PPB, simple_share, "ratio", "0.8",    "0.0001", "1", "the same by Simple [nccl]")            \
    P(PPB, tree_share,   "ratio", "0.92",   "0.0001", "1", "share of a ring's rate that a tree reaches [nccl]") \
    P(FS,  nvls_time,    "s",     "0 s",    "0 s", "1 s", "of an all-reduce that the switch adds up (NVLS) besides its bytes [nccl]") \
    P(PPB, nvls_share,   "ratio", "0",      "0",   "1", "of a GPU's links that it reaches; 0: the switch cannot add [nccl]") \
    P(U32, nvls_least,   "",      "8",      "2",   "1024", "GPUs of a box from which on it is used [calibrated: gpu-nccl]") \
    P(PPB, sum_ends,     "ratio", "0",      "0",   "16", "share of a step's bytes of a ring's all-reduce that no step hides [calibrated: gpu-nccl]") \
    P(PPB, scatter_ends, "ratio", "0",      "0",   "16", "the same of a reduce-scatter [calibrated: gpu-nccl]") \
    P(PPB, gather_ends,  "ratio", "0",      "0",   "16", "the same of an all-gather or broadcast [calibrated: gpu-nccl]") \
    P(FS,  exchange_ll_time, "s", "6.6 us", "0 s", "1 s", "of an all-to-all by LL besides its bytes [nccl]") \
    P(PPB, exchange_ll_share, "ratio", "0.02", "0.0001", "1", "of a GPU's links that its one channel to each other reaches [calibrated: gpu-nccl]") \
    P(FS,  exchange_time, "s",    "8.4 us", "0 s", "1 s", "the same by Simple [nccl]") \
    P(PPB, exchange_share, "ratio", "0.8",  "0.0001", "1", "of a GPU's links that it reaches [nccl]") \
    P(PPB, exchange_ends, "ratio", "0",     "0",   "16", "share of the bytes for one GPU that nothing hides in an all-to-all [calibrated: gpu-nccl]") \
    P(U64, exchange_buffer, "B",  "4 MB",   "1 B", "1 TB", "that a GPU sends in an all-to-all before it waits for buffers [calibrated: gpu-nccl]") \
    P(FS,  exchange_wait, "s",    "0 s",    "0 s", "1 s", "longest wait for buffers, from twice exchange_buffer on; below in proportion [calibrated: gpu-nccl]") \
    P(FS,  send_ll_time, "s",     "6.6 us", "0 s", "1 s", "of a permute by LL besides its bytes [nccl]") \
    P(PPB, send_ll_share, "ratio", "0.065", "0.0001", "1", "of a GPU's links that it reaches [calibrated: gpu-nccl]") \
    P(FS,  send_time,    "s",     "8.4 us", "0 s", "1 s", "of a permute by Simple besides its bytes [nccl]") \
    P(PPB, send_share,   "ratio", "0.64",   "0.0001", "1", "of a GPU's links that it reaches with all channels [calibrated: gpu-nccl]") \
    P(PPB, send_few,     "ratio", "0.18",   "0.0001", "1", "of a GPU's links that a permute up to send_bytes reaches [calibrated: gpu-nccl]") \
    P(PPB, send_pair,    "ratio", "1.5",    "1",   "16", "factor of send_few between two GPUs that exchange [calibrated: gpu-nccl]") \
    P(U64, send_bytes,   "B",     "84 MB",  "1 B", "1 TB", "largest permute that keeps to few channels [calibrated: gpu-nccl]") \
    P(ENUM, overlap, "auto|no|yes", "auto", "", "", "of all-reduces of gradients with the backward pass; auto: where launch.framework = eager and the trace does not say jax, or tensorflow, which packs all gradients in one [tf-packs]") \
    P(U64, first_bucket, "B", "1 MiB",  "1 B", "1 TB", "gradients that fill the first bucket where they overlap [pytorch-ddp]") \
    P(U64, bucket,       "B",     "25 MB",  "1 B", "1 TB", "largest bucket of gradients of an all-reduce without combine=; where they overlap, buckets are filled to it; 1 B: each by itself [pytorch-ddp]")
/* clang-format on */

/* Values of nccl.overlap. */
enum nccl_overlap { NCCL_OVERLAP_AUTO, NCCL_OVERLAP_NO, NCCL_OVERLAP_YES };

struct nccl_params {
    NCCL_PARAMS(PARAM_FIELD)
};
extern const struct param_table nccl_param_table;

#endif
