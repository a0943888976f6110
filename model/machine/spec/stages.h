/* stages.h - the components between a core's DMA and HBM, the one next to the DMA first.
 *
 *     S(section, component, kinds)    as in machine/spec/sections.h
 *
 * Such a component needs its header and its line here, nothing else: from the line come its section
 * of machine files, its place in a core and its wires.  Its header declares struct COMPONENT,
 * struct COMPONENT_params, COMPONENT_param_table and COMPONENT_stage (hw/wires/memory_stage.h). */
#ifndef MACHINE_SPEC_STAGES_H
#define MACHINE_SPEC_STAGES_H

#include "hw/wires/memory_stage.h"

#define MEMORY_STAGES(S)

#endif
