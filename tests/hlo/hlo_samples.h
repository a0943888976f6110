/* hlo_samples.h - small modules in HLO text, one for each corner of the grammar.  The unit tests
 * read them and tests/fuzz/fuzz_hlo.c spoils them. */
#ifndef TESTS_HLO_HLO_SAMPLES_H
#define TESTS_HLO_HLO_SAMPLES_H

/* as jax prints a compiled and scheduled program for a TPU */
#define HLO_SAMPLE_COMPILED                                                                        \
    "// cyclotron: {\"topology\": \"v4:2x2x1\", \"megacore\": true}\n"                             \
    "HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), "        \
    "{1,0}: (1, {2}, must-alias) }, entry_computation_layout={(f32[17,200]{1,0:T(8,128)}, "        \
    "/*index=1*/bf16[33,65]{1,0:T(8,128)(2,1)})->(f32[17,200]{1,0:T(8,128)})}, num_partitions=4, " \
    "frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"b\\\"=4]>}\"}\n"                 \
    "\n"                                                                                           \
    "FileNames\n1 \"src/net.py\"\n2 \"src/loss \\\"x\\\".py\"\n\n"                                 \
    "FunctionNames\n1 \"step\"\n\n"                                                                \
    "FileLocations\n"                                                                              \
    "1 {file_name_id=1 function_name_id=1 line=59 end_line=59 column=16 end_column=16}\n"          \
    "2 {file_name_id=2 function_name_id=1 line=7 end_line=9 column=1 end_column=2}\n\n"            \
    "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"                                      \
    "2 {file_location_id=2 parent_frame_id=1}\n\n\n"                                               \
    "%add.1 (x.1: f32[], y.1: f32[]) -> f32[] {\n"                                                 \
    "  %x.1 = f32[]{:T(128)} parameter(0)\n"                                                       \
    "  %y.1 = f32[]{:T(128)} parameter(1)\n"                                                       \
    "  ROOT %sum.2 = f32[]{:T(128)} add(%x.1, %y.1)\n"                                             \
    "}\n\n"                                                                                        \
    "%fused_computation.5 (param_0.3: f32[17,200]) -> f32[17] {\n"                                 \
    "  %param_0.3 = f32[17,200]{1,0:T(8,128)} parameter(0)\n"                                      \
    "  %constant.9 = f32[]{:T(128)} constant(0)\n"                                                 \
    "  ROOT %reduce.1 = f32[17]{0:T(128)} reduce(%param_0.3, %constant.9), dimensions={1}, "       \
    "to_apply=%add.1, metadata={op_name=\"jit(step)/reduce_sum\" stack_frame_id=2}\n"              \
    "}\n\n"                                                                                        \
    "%cond.1 (p.7: (s32[], f32[17,200])) -> pred[] {\n"                                            \
    "  %p.7 = (s32[]{:T(128)}, f32[17,200]{1,0:T(8,128)}) parameter(0)\n"                          \
    "  %i.7 = s32[]{:T(128)} get-tuple-element(%p.7), index=0\n"                                   \
    "  %n.7 = s32[]{:T(128)} constant(16)\n"                                                       \
    "  ROOT %lt.7 = pred[]{:T(512)} compare(%i.7, %n.7), direction=LT\n"                           \
    "}\n\n"                                                                                        \
    "%body.1 (p.8: (s32[], f32[17,200])) -> (s32[], f32[17,200]) {\n"                              \
    "  ROOT %p.8 = (s32[]{:T(128)}, f32[17,200]{1,0:T(8,128)}) parameter(0)\n"                     \
    "}\n\n"                                                                                        \
    "ENTRY %main.9 (a.1: f32[17,200], b.1: bf16[33,65]) -> (f32[17,200]) {\n"                      \
    "  %b.1 = bf16[33,65]{1,0:T(8,128)(2,1)} parameter(1)\n"                                       \
    "  %a.1 = f32[17,200]{1,0:T(8,128)} parameter(0), sharding={devices=[2,1,2]<=[4] "             \
    "last_tile_dim_replicate}\n"                                                                   \
    "  %copy-start.1 = (bf16[33,65]{1,0:T(8,128)(2,1)S(3)}, bf16[33,65]{1,0:T(8,128)(2,1)}, "      \
    "u32[]{:S(2)}) copy-start(%b.1), cross_program_prefetch_index=0\n"                             \
    "  %fusion.5 = f32[17]{0:T(128)} fusion(%a.1), kind=kLoop, calls=%fused_computation.5, "       \
    "metadata={op_name=\"jit(step)/sum\" stack_frame_id=1}, backend_config={\"window_config\":"    \
    "{\"output_window_bounds\":[\"1\"],\"note\":\"}{\"},\"estimated_cycles\":\"1709\"}\n"          \
    "  %zero.1 = s32[]{:T(128)} constant(0)\n"                                                     \
    "  %tuple.1 = (s32[]{:T(128)}, f32[17,200]{1,0:T(8,128)}) tuple(%zero.1, %a.1)\n"              \
    "  %while.1 = (s32[]{:T(128)}, f32[17,200]{1,0:T(8,128)}) while(%tuple.1), body=%body.1, "     \
    "condition=%cond.1, backend_config={\"known_trip_count\":{\"n\":\"16\"}}\n"                    \
    "  %copy-done.1 = bf16[33,65]{1,0:T(8,128)(2,1)S(3)} copy-done(%copy-start.1)\n"               \
    "  %get.1 = f32[17,200]{1,0:T(8,128)} get-tuple-element(%while.1), index=1\n"                  \
    "  ROOT %tuple.2 = (f32[17,200]{1,0:T(8,128)}) tuple(%get.1)\n"                                \
    "}\n"

/* as older XLA prints: shapes before operands, comments, ENTRY first, computations used before */
#define HLO_SAMPLE_OLD                                                                             \
    "/* a comment\n   of two lines */\n"                                                           \
    "HloModule old_module.4:\n"                                                                    \
    "// another\n"                                                                                 \
    "ENTRY %entry.v4 (x: f32[2,4], pair: (f32[], (s32[2], token[]))) -> f32[2,4] {\n"              \
    "  %x = f32[2,4]{1,0} parameter(0)\n"                                                          \
    "  %pair = (f32[], (s32[2]{0}, token[])) parameter(1), parameter_replication={true,false}\n"   \
    "  %c = f32[2,2]{1,0} constant({ /*i0=0*/ {1, -2.5e-3}, { nan, -inf } })\n"                    \
    "  %s = f32[] get-tuple-element((f32[], (s32[2]{0}, token[])) %pair), index=0, "               \
    "sharding={maximal device=0}\n"                                                                \
    "  %b = f32[2,4]{1,0} broadcast(f32[] %s), dimensions={}\n"                                    \
    "  %m = f32[2,4]{1,0} map(f32[2,4]{1,0} %b, /*index=1*/f32[2,4]{1,0} %x), dimensions={0,1},\n" \
    "      to_apply=%plus\n"                                                                       \
    "  ROOT %r = f32[2,4]{1,0} call(f32[2,4]{1,0} %m), to_apply=%twice, metadata={op_type=\"Add\"" \
    " op_name=\"a\\\"b\\n\" source_file=\"dir/x.py\", source_line=68}\n"                           \
    "}\n"                                                                                          \
    "\n"                                                                                           \
    "%plus (p: f32[], q: f32[]) -> f32[] {\n"                                                      \
    "  %p = f32[] parameter(0)\n"                                                                  \
    "  %q = f32[] parameter(1)\n"                                                                  \
    "  %sum = f32[] add(f32[] %p, f32[] %q), statistics={visualizing_index=1,stat-1=33}\n"         \
    "}\n"                                                                                          \
    "%twice (v: f32[2,4]) -> f32[2,4] {\n"                                                         \
    "  %v = f32[2,4]{1,0} parameter(0)\n"                                                          \
    "  ROOT %d = f32[2,4]{1,0} add(f32[2,4]{1,0} %v, f32[2,4]{1,0} %v)\n"                          \
    "}, execution_thread=\"side\"\n"

/* short form: no '%', no signatures, shapes left out, instructions inside operands */
#define HLO_SAMPLE_SHORT                                                                           \
    "HloModule short\n"                                                                            \
    "red { l = f32[] parameter(0) r = f32[] parameter(1) ROOT a = add(l, r) }\n"                   \
    "then { t = f32[4,6] parameter(0) ROOT n = negate(t) }\n"                                      \
    "else { t = f32[4,6] parameter(0) ROOT n = exponential(t) }\n"                                 \
    "ENTRY e {\n"                                                                                  \
    "  p = (f32[4,6], (f32[6,8], pred[])) parameter(0)\n"                                          \
    "  d = dot(p#0, p#1#0), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"                  \
    "  t = transpose(d), dimensions={1,0}\n"                                                       \
    "  z = reduce(t, f32[] constant(0)), dimensions={0}, to_apply=red\n"                           \
    "  c = conditional(p#1#1, p#0, p#0), false_computation=else, true_computation=then\n"          \
    "  w = multiply(c, subtract(c, f32[4,6] broadcast(f32[] constant(2))))\n"                      \
    "  k = compare(w, c), direction=GE\n"                                                          \
    "  j = concatenate(w, c), dimensions={1}\n"                                                    \
    "  s = select(k, w, c)\n"                                                                      \
    "  ROOT out = tuple(s, z, is-finite(s), after-all(), replica-id(), j)\n"                       \
    "}\n"

/* windows, labels and groups in all spellings */
#define HLO_SAMPLE_WINDOWS                                                                         \
    "HloModule windows, replica_count=2, num_partitions=8\n"                                       \
    "add { l = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT a = f32[] add(l, r)\n}\n"        \
    "ge { l = f32[] parameter(0)\n r = f32[] parameter(1)\n"                                       \
    " ROOT g = pred[] compare(l, r), direction=GE\n}\n"                                            \
    "ENTRY e {\n"                                                                                  \
    "  x = f32[8,56,56,3]{3,2,1,0} parameter(0)\n"                                                 \
    "  k = f32[3,3,3,16]{3,2,1,0} parameter(1)\n"                                                  \
    "  z = f32[] constant(0)\n"                                                                    \
    "  c = f32[8,28,55,16]{3,2,1,0} convolution(x, k), window={size=3x3 stride=2x1 pad=0_1x-1_2 "  \
    "lhs_dilate=1x1 rhs_dilate=1x2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, "                \
    "operand_precision={high,default}\n"                                                           \
    "  d = f32[16,16]{1,0} convolution(k, k), dim_labels=bf_io->bf\n"                              \
    "  q = f32[8]{0} custom-call(c), window={size=2x2}, dim_labels=?b01f_0?1io->b01?f, "           \
    "custom_call_target=\"f\\\"oo\", literal=s32[] 1\n"                                            \
    "  rw = f32[8,28,28,16]{3,2,1,0} reduce-window(c, z), window={size=1x1x2x1 stride=1x1x2x1}, "  \
    "to_apply=add\n"                                                                               \
    "  s = f32[8,28,55,16]{3,2,1,0} select-and-scatter(c, rw, z), window={size=1x1x2x1 "           \
    "stride=1x1x2x1}, scatter=add, select=ge\n"                                                    \
    "  g0 = f32[8]{0} all-reduce(q), replica_groups={}, to_apply=add\n"                            \
    "  g1 = f32[8]{0} all-reduce(g0), replica_groups={{0,1},{3,2}}, to_apply=add\n"                \
    "  g2 = f32[8]{0} all-reduce(g1), replica_groups={{0,1,2},{3}}, to_apply=add\n"                \
    "  g3 = f32[8]{0} all-reduce(g2), replica_groups=[2,4]<=[8], to_apply=add\n"                   \
    "  g4 = f32[8]{0} all-reduce(g3), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=add\n"           \
    "  g5 = f32[8]{0} all-reduce(g4), replica_groups=mesh['a'=4,'b'=2] {'a'}, to_apply=add\n"      \
    "  g6 = f32[8]{0} all-reduce(g5), replica_groups=mesh['a'=4,'b'=2] {'a':(2)2,'b'}, "           \
    "to_apply=add\n"                                                                               \
    "  g7 = f32[8]{0} all-reduce(g6), replica_groups=mesh['a'=2,'b'=4], "                          \
    "device_ids=([4,2]T(1,0)) {'b'}, to_apply=add\n"                                               \
    "  g8 = f32[8]{0} all-reduce(g7), replica_groups=mesh['a'=2,'b'=2, device_ids=(3,1,2,0)] "     \
    "{'b'}, to_apply=add\n"                                                                        \
    "  ROOT p = f32[8]{0} collective-permute(g8), source_target_pairs={{0,1},{1,0}}\n"             \
    "}\n"

/* asynchronous operations, by name and around any opcode, and computations in attributes */
#define HLO_SAMPLE_ASYNC                                                                           \
    "HloModule async, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n"                         \
    "ENTRY e {\n"                                                                                  \
    "  p = f32[8]{0} parameter(0)\n"                                                               \
    "  s = ((f32[8]{0}), f32[8]{0}, s32[]{:S(2)}) call-start(p), to_apply={\n"                     \
    "    q = f32[8]{0} parameter(0)\n"                                                             \
    "    f = f32[8]{0} fusion(q), kind=kLoop, calls={\n"                                           \
    "      i = f32[8]{0} parameter(0)\n"                                                           \
    "      ROOT e = f32[8]{0} exponential(i)\n"                                                    \
    "    }\n"                                                                                      \
    "    ROOT g = f32[8]{0} negate(f)\n"                                                           \
    "  }, async_execution_thread=\"sparsecore\"\n"                                                 \
    "  c = ((f32[8]{0}), f32[8]{0}, s32[]) custom-call-start(p), custom_call_target=\"foo\"\n"     \
    "  u = ((f32[8]{0}), f32[8]{0}, s32[]) custom-call-update(c)\n"                                \
    "  d = f32[8]{0} custom-call-done(u)\n"                                                        \
    "  r = f32[8]{0} call-done(s)\n"                                                               \
    "  v = (f32[8]{0}, f32[8]{0}, u32[], u32[]) collective-permute-start(r), "                     \
    "source_target_pairs={{0,1}}\n"                                                                \
    "  w = f32[8]{0} collective-permute-done(v), control-predecessors={d}\n"                       \
    "  n = f32[8]{0} frobnicate(w), mode=hard\n"                                                   \
    "  ROOT a = f32[8]{0} add(n, d)\n"                                                             \
    "}, execution_thread=\"main\"\n"

/* shapes and layouts */
#define HLO_SAMPLE_SHAPES                                                                          \
    "HloModule shapes\n"                                                                           \
    "ENTRY e {\n"                                                                                  \
    "  a = f32[<=8,?]{1,0} parameter(0)\n"                                                         \
    "  b = f32[ 3,3 , 1,200]{3,1,2,0:T(4,128)} parameter(1)\n"                                     \
    "  c = s4[5000]{0:T(1024)(128)(8,1)E(4)} parameter(2)\n"                                       \
    "  d = f32[10,10]{1,0:D(X,C)} parameter(3)\n"                                                  \
    "  f = f32[10,10]{1,0:T(128,8)P(f32[10,10]{1,0})#(u32)*(u8)L(4)S(5)} parameter(4)\n"           \
    "  g = ((f32[2]{0}, ()), /*index=1*/(token[], opaque[])) parameter(5)\n"                       \
    "  h = b(f32[8,128]{1,0:T(8,128)}) parameter(6)\n"                                             \
    "  i = bf16[4,6,8]{2,1,0:T(*,8,128)(2,1)} parameter(7)\n"                                      \
    "  ROOT t = () tuple()\n"                                                                      \
    "}\n"

/* instructions alone */
#define HLO_SAMPLE_BARE                                                                            \
    "x = f32[8] add(f32[8] %a, f32[8] %b)\n"                                                       \
    "ROOT y = f32[8] multiply(f32[8] x, f32[8] a)\n"

#define HLO_SAMPLES_ALL                                                                            \
    HLO_SAMPLE_COMPILED, HLO_SAMPLE_OLD, HLO_SAMPLE_SHORT, HLO_SAMPLE_WINDOWS, HLO_SAMPLE_ASYNC,   \
        HLO_SAMPLE_SHAPES, HLO_SAMPLE_BARE
static const char *const hlo_samples[] = { HLO_SAMPLES_ALL };
#define HLO_SAMPLES (sizeof hlo_samples / sizeof *hlo_samples)

#endif
