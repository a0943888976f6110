/* hbm_timing.h - an HBM part: its shape, its times and the rules of its controller.
 *
 * [dram] of a machine file gives times in seconds; struct hbm_timing has them in cycles of the
 * command clock, rounded up (the refresh interval down), and as gaps between pairs of commands:
 *
 *     after       the same bank               its bank group      its pseudo-channel
 *     activate    RD rcd_read WR rcd_write    ACT rrd_l           ACT rrd_s, the fourth next faw
 *                 PRE ras   ACT, REF rc
 *     read        PRE rtp                     RD ccd_l            RD ccd_s    WR read_write
 *     write       PRE write_pre               WR ccd_l            WR ccd_s    RD write_read_s
 *                                             RD write_read_l
 *     precharge   ACT, REF rp
 *     refresh     ACT, REF rfc (rfc_bank)                         ACT, REF rrefd (one bank)
 *
 * Every gap is from issue to issue: a command is not allowed at t + gap - 1, but at t + gap. */
#ifndef HW_HBM_HBM_TIMING_H
#define HW_HBM_HBM_TIMING_H

#include <stdbool.h>

#include "base/param.h"

#define HBM_MAX_CHANNELS 1024 /* of all stacks, pseudo-channels together */
#define HBM_MAX_BANKS 64      /* of a channel, pseudo-channels together */
#define HBM_MAX_QUEUE 128     /* places of a queue */

/* clang-format off */
#define DRAM_PARAMS(P)                                                                             \
    P(U64,  clock,           "Hz",    "1 GHz",   "1 MHz", "10 GHz",  "of commands [jesd235]") \
    P(U32,  stacks,          "",      "1",       "1",     "16",      "stacks of a chip [jesd235]")            \
    P(U32,  channels,        "",      "8",       "1",     "32",      "channels of a stack [jesd235]")      \
    P(U32,  pseudo_channels, "",      "1",       "1",     "2",       "of a channel: halves with banks and data of their own, one command bus [jesd235]") \
    P(U32,  groups,          "",      "4",       "1",     "16",      "bank groups of a pseudo-channel [jesd235]") \
    P(U32,  banks,           "",      "4",       "1",     "16",      "banks of a group [jesd235]")         \
    P(U32,  rows,            "",      "32768",   "1",     "16777216", "rows of a bank [jesd235]")           \
    P(U64,  row_bytes,       "B",     "2 KiB",   "32 B",  "64 KiB",  "a row of one bank [jesd235]")      \
    P(U64,  access,          "B",     "64 B",    "1 B",   "4 KiB",   "moved by one read or write command [jesd235]") \
    P(U32,  burst,           "cycle", "2",       "1",     "64",      "of the data bus for one access [jesd235]") \
    P(FS,   read_latency,    "s",     "14 ns",   "0 s",   "1 us",    "CL, from a read to its data [dramsim3]")     \
    P(FS,   write_latency,   "s",     "4 ns",    "0 s",   "1 us",    "CWL, from a write to its data [dramsim3]")   \
    P(FS,   rcd_read,        "s",     "14 ns",   "0 s",   "1 us",    "tRCDRD, activate to read [dramsim3]") \
    P(FS,   rcd_write,       "s",     "14 ns",   "0 s",   "1 us",    "tRCDWR, activate to write [dramsim3]") \
    P(FS,   rp,              "s",     "14 ns",   "0 s",   "1 us",    "tRP, precharge to activate [dramsim3]") \
    P(FS,   ras,             "s",     "34 ns",   "0 s",   "1 us",    "tRAS, activate to precharge [dramsim3]") \
    P(FS,   rc,              "s",     "48 ns",   "0 s",   "1 us",    "tRC, activate to activate of one bank [dramsim3]") \
    P(FS,   rrd_s,           "s",     "4 ns",    "0 s",   "1 us",    "tRRD_S, activates of two bank groups [dramsim3]") \
    P(FS,   rrd_l,           "s",     "6 ns",    "0 s",   "1 us",    "tRRD_L, activates of one bank group [dramsim3]") \
    P(FS,   faw,             "s",     "16 ns",   "0 s",   "1 us",    "tFAW, any four activates and the next [dramsys]") \
    P(U32,  ccd_s,           "cycle", "2",       "1",     "64",      "tCCD_S, accesses of two bank groups [jesd235]") \
    P(U32,  ccd_l,           "cycle", "3",       "1",     "64",      "tCCD_L, accesses of one bank group [dramsys]") \
    P(FS,   wr,              "s",     "16 ns",   "0 s",   "1 us",    "tWR, last data written to precharge [dramsim3]") \
    P(FS,   wtr_s,           "s",     "6 ns",    "0 s",   "1 us",    "tWTR_S, last data written to a read of another bank group [dramsim3]") \
    P(FS,   wtr_l,           "s",     "8 ns",    "0 s",   "1 us",    "tWTR_L, to a read of the same bank group [dramsim3]") \
    P(FS,   rtp,             "s",     "5 ns",    "0 s",   "1 us",    "tRTP, read to precharge [dramsim3]") \
    P(FS,   rtw,             "s",     "14 ns",   "0 s",   "1 us",    "tRTW, read to write [dramsim3]") \
    P(FS,   rfc,             "s",     "260 ns",  "0 s",   "10 us",   "tRFC, refresh of all banks [dramsim3]") \
    P(FS,   rfc_bank,        "s",     "160 ns",  "0 s",   "10 us",   "tRFCSB, refresh of one bank [ramulator]") \
    P(FS,   rrefd,           "s",     "8 ns",    "0 s",   "1 us",    "tRREFD, refresh of one bank to the next command for another [ramulator]") \
    P(FS,   refi,            "s",     "3.9 us",  "100 ns", "1 s",    "tREFI, each bank is refreshed so often [jesd235]") \
    P(ENUM, refresh,         "all|bank|none", "all", "", "",         "all banks at once, one after the other, or never [jesd235]") \
    P(U32,  act_cycles,      "cycle", "1",       "1",     "4",       "of the row command bus for an activate [jesd235]") \
    P(ENUM, dual_bus,        "no|yes", "yes",    "", "",             "row and column commands have a bus each [jesd235]") \
    P(TEXT, map,             "",      "ro ba bg ch co", "", "",      "bits of an address from the top: row, bank, group, pseudo-channel, channel, column; co2 is two bits of it, co what is left [dramsim3]") \
    P(ENUM, page,            "open|closed", "open", "", "",          "a row stays open, or closes with its last waiting access [dramsim3]") \
    P(ENUM, arbiter,         "age|turn", "age",  "", "",             "first the command of the oldest request, or of the next bank in turn [dramsim3]") \
    P(U32,  read_queue,      "",      "32",      "1",     "128",     "reads that wait in a channel [dramsim3]")  \
    P(U32,  write_queue,     "",      "32",      "1",     "128",     "writes that wait in a channel [dramsim3]") \
    P(U32,  bank_queue,      "",      "0",       "0",     "16",      "places of a bank's queue, filled by one request a cycle; 0: banks see all that waits [dramsim3]") \
    P(U32,  write_high,      "",      "26",      "1",     "128",     "writes that wait when they begin to go first [ramulator]") \
    P(U32,  write_low,       "",      "6",       "0",     "128",     "writes that are left when reads go first again [ramulator]") \
    P(ENUM, hold_row,        "no|yes", "yes",    "", "",             "an open row that requests wait for stays open [dramsim3]")  \
    P(U32,  row_hits,        "",      "16",      "1",     "65536",   "accesses after which an open row closes if an older request waits for another [unverified]") \
    P(FS,   age_limit,       "s",     "2 us",    "0 s",   "1 s",     "age of such a request after which its bank serves no other; 0: none [unverified]") \
    P(U32,  window,          "",      "0",       "0",     "1024",    "requests of a stream that look for room side by side; 0: each channel has its own part [unverified]") \
    P(ENUM, early_place,     "no|yes", "no",     "", "",             "a request leaves its place when a row is opened for it [ramulator]")
/* clang-format on */

struct dram_params {
    DRAM_PARAMS(PARAM_FIELD)
};
extern const struct param_table dram_param_table;

enum { HBM_REFRESH_ALL, HBM_REFRESH_BANK, HBM_REFRESH_NONE };

struct hbm_timing {
    uint64_t clock;
    uint32_t pcs, groups, banks; /* pseudo-channels; groups and banks of a channel */
    uint32_t burst, access, accesses_per_row;
    /* cycles from a command to the end of its data */
    uint64_t read_done, write_done;
    /* gaps between commands; names above */
    uint64_t rcd_read, rcd_write, rp, ras, rc, rrd_s, rrd_l, faw, ccd_s, ccd_l, rtp;
    uint64_t read_write, write_read_s, write_read_l, write_pre;
    uint64_t rfc, rfc_bank, rrefd, refi; /* refi: between refresh commands of a channel */
    uint64_t age_limit;
    uint32_t refresh, act_cycles, row_hits;
    uint32_t read_queue, write_queue, bank_queue, write_high, write_low;
    bool dual_bus, closed_page, by_age, hold_row, early_place;
};

/* Times of `par` in cycles.  Errors: ERR_RANGE with the parameters that contradict each other. */
int hbm_timing_init(struct hbm_timing *t, const struct dram_params *par, struct err *err);

/* Sums over all stacks: channels, each with a controller; bytes; peak bytes per second. */
uint32_t dram_channels(const struct dram_params *par);
uint64_t dram_bytes(const struct dram_params *par);
uint64_t dram_bytes_per_s(const struct dram_params *par);

#endif
