// count_waits.cpp - linked with --wrap into a second binary, counts the waits inside sc_fifo, which
// no process body sees.  The binary that is timed does without.
#include <cstdint>

#include <systemc>

extern uint64_t blocked_waits;

// the mangled name of sc_core::wait(const sc_event &, sc_simcontext *)
extern "C" void
__real__ZN7sc_core4waitERKNS_8sc_eventEPNS_13sc_simcontextE(const sc_core::sc_event &event,
                                                            sc_core::sc_simcontext *context);
extern "C" void
__wrap__ZN7sc_core4waitERKNS_8sc_eventEPNS_13sc_simcontextE(const sc_core::sc_event &event,
                                                            sc_core::sc_simcontext *context)
{
    __real__ZN7sc_core4waitERKNS_8sc_eventEPNS_13sc_simcontextE(event, context);
    blocked_waits++;
}
