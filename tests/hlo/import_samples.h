/* import_samples.h - small modules in HLO text, one for each thing that the importer knows.
 * tests/fuzz/fuzz_hlo.c spoils them. */
#ifndef TESTS_HLO_IMPORT_SAMPLES_H
#define TESTS_HLO_IMPORT_SAMPLES_H

/* kernels of XLA:TPU: a convolution with its windows, an update in place, aliases, megacore */
#define IMPORT_SAMPLE_KERNELS                                                                      \
    "// cyclotron: {\"compiler\": \"jax 0.10.2\", \"machine\": \"tpu-v4-8\", \"topology\": "       \
    "\"v4:2x2x1\", \"megacore\": true, \"samples\": 8, \"peak\": 99999}\n"                         \
    "HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias) }\n"      \
    "add { l = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT s = f32[] add(l, r)\n}\n"        \
    "%fused.1 (a: bf16[8,56,56,64], b: bf16[3,3,64,128]) -> bf16[8,28,28,128] {\n"                 \
    "  %a = bf16[8,56,56,64]{3,0,2,1:T(8,128)(2,1)} parameter(0)\n"                                \
    "  %b = bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)} parameter(1)\n"                                \
    "  %n = bf16[8,56,56,64]{3,0,2,1:T(8,128)(2,1)} negate(%a)\n"                                  \
    "  %c = f32[8,28,28,128]{3,0,2,1:T(8,128)} convolution(%n, %b), window={size=3x3 stride=2x2 "  \
    "pad=0_1x0_1}, dim_labels=b01f_01io->b01f\n"                                                   \
    "  ROOT %o = bf16[8,28,28,128]{3,0,2,1:T(8,128)(2,1)} convert(%c)\n"                           \
    "}\n"                                                                                          \
    "%fused.2 (t: f32[64,256], u: f32[1,256], i: s32[]) -> f32[64,256] {\n"                        \
    "  %t = f32[64,256]{1,0:T(8,128)} parameter(0)\n"                                              \
    "  %u = f32[1,256]{1,0:T(1,128)} parameter(1)\n"                                               \
    "  %i = s32[]{:T(128)S(6)} parameter(2)\n"                                                     \
    "  %z = s32[]{:T(128)} constant(0)\n"                                                          \
    "  %e = f32[1,256]{1,0:T(1,128)} exponential(%u)\n"                                            \
    "  ROOT %d = f32[64,256]{1,0:T(8,128)} dynamic-update-slice(%t, %e, %i, %z)\n"                 \
    "}\n"                                                                                          \
    "%fused.3 (x: f32[64,256]) -> (f32[64], f32[256]) {\n"                                         \
    "  %x = f32[64,256]{1,0:T(8,128)} parameter(0)\n"                                              \
    "  %z = f32[]{:T(128)} constant(0)\n"                                                          \
    "  %p = f32[64]{0:T(128)} reduce(%x, %z), dimensions={1}, to_apply=add\n"                      \
    "  %q = f32[256]{0:T(256)} reduce(%x, %z), dimensions={0}, to_apply=add\n"                     \
    "  ROOT %t = (f32[64]{0:T(128)}, f32[256]{0:T(256)}) tuple(%p, %q)\n"                          \
    "}\n"                                                                                          \
    "ENTRY %main {\n"                                                                              \
    "  %a = bf16[8,56,56,64]{3,0,2,1:T(8,128)(2,1)} parameter(0), metadata={op_name=\"x\"}\n"      \
    "  %t = f32[64,256]{1,0:T(8,128)} parameter(1), metadata={op_name=\"opt['m']\"}\n"             \
    "  %b = bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)} parameter(2), metadata={op_name=\"p['w']\"}\n" \
    "  %i = s32[]{:T(128)S(6)} parameter(3)\n"                                                     \
    "  %u = f32[1,256]{1,0:T(1,128)} parameter(4)\n"                                               \
    "  %copy-start.1 = (bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)S(1)}, "                             \
    "bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)}, u32[]{:S(2)}) copy-start(%b), "                      \
    "cross_program_prefetch_index=0\n"                                                             \
    "  %copy-done.1 = bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)S(1)} copy-done(%copy-start.1)\n"      \
    "  %fusion.1 = bf16[8,28,28,128]{3,0,2,1:T(8,128)(2,1)} fusion(%a, %copy-done.1), "            \
    "kind=kOutput, calls=%fused.1, metadata={op_name=\"jit(step)/transpose(jvp())/conv\" "         \
    "source_file=\"net.py\" source_line=3}, backend_config={\"flag_configs\":[],"                  \
    "\"window_config\":{\"kernel_window_bounds\":[\"3\",\"3\",\"8\",\"1\"],"                       \
    "\"output_window_bounds\":[\"4\",\"28\",\"1\",\"1\"],\"input_window_bounds\":[\"9\",\"56\","   \
    "\"1\",\"1\"],\"iteration_bounds\":[\"1\",\"1\",\"7\",\"1\",\"1\",\"1\",\"1\"],"               \
    "\"estimated_cycles\":\"17090\",\"megacore_split_dim\":\"2\"},\"emitter\":\"ConvGeneric\","    \
    "\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":"           \
    "\"4194304\"}]}\n"                                                                             \
    "  %fusion.2 = f32[64,256]{1,0:T(8,128)} fusion(%t, %u, %i), kind=kLoop, calls=%fused.2, "     \
    "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"3\"]}]}}\n"           \
    "  %fusion.3 = (f32[64]{0:T(128)}, f32[256]{0:T(256)}) fusion(%fusion.2), kind=kLoop, "        \
    "calls=%fused.3\n"                                                                             \
    "  %r = f32[64]{0:T(128)} get-tuple-element(%fusion.3), index=0\n"                             \
    "  ROOT %out = (f32[64,256]{1,0:T(8,128)}, bf16[8,28,28,128]{3,0,2,1:T(8,128)(2,1)}, "         \
    "f32[64]{0:T(128)}) tuple(%fusion.2, %fusion.1, %r)\n"                                         \
    "}\n"

/* loops whose count follows from their condition, branches, calls */
#define IMPORT_SAMPLE_LOOPS                                                                        \
    "HloModule loops, is_scheduled=true\n"                                                         \
    "body { b = (s32[], f32[8,128], f32[4]) parameter(0)\n"                                        \
    "  i = s32[] get-tuple-element(b), index=0\n"                                                  \
    "  x = f32[8,128] get-tuple-element(b), index=1\n"                                             \
    "  y = f32[4] get-tuple-element(b), index=2\n"                                                 \
    "  one = s32[] constant(2)\n"                                                                  \
    "  j = s32[] add(i, one)\n"                                                                    \
    "  z = f32[8,128] tanh(x)\n"                                                                   \
    "  ROOT t = (s32[], f32[8,128], f32[4]) tuple(j, z, y)\n}\n"                                   \
    "cond { b = (s32[], f32[8,128], f32[4]) parameter(0)\n"                                        \
    "  i = s32[] get-tuple-element(b), index=0\n"                                                  \
    "  n = s32[] constant(40)\n"                                                                   \
    "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"                                           \
    "outer { b = (s32[], f32[8,128], f32[4]) parameter(0)\n"                                       \
    "  zero = s32[] constant(0)\n"                                                                 \
    "  i = s32[] get-tuple-element(b), index=0\n"                                                  \
    "  x = f32[8,128] get-tuple-element(b), index=1\n"                                             \
    "  y = f32[4] get-tuple-element(b), index=2\n"                                                 \
    "  t = (s32[], f32[8,128], f32[4]) tuple(zero, x, y)\n"                                        \
    "  w = (s32[], f32[8,128], f32[4]) while(t), condition=cond, body=body\n"                      \
    "  v = f32[8,128] get-tuple-element(w), index=1\n"                                             \
    "  m = s32[] constant(-1)\n"                                                                   \
    "  j = s32[] add(i, m)\n"                                                                      \
    "  ROOT r = (s32[], f32[8,128], f32[4]) tuple(j, v, y)\n}\n"                                   \
    "down { b = (s32[], f32[8,128], f32[4]) parameter(0)\n"                                        \
    "  i = s32[] get-tuple-element(b), index=0\n"                                                  \
    "  n = s32[] constant(0)\n"                                                                    \
    "  ROOT c = pred[] compare(n, i), direction=LT\n}\n"                                           \
    "left { l = f32[8,128] parameter(0)\n ROOT n = f32[8,128] negate(l)\n}\n"                      \
    "right { q = f32[8,128] parameter(0)\n ROOT d = f32[8,8] dot(q, q), "                          \
    "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n}\n"                                      \
    "twice { q = f32[8,128] parameter(0)\n ROOT s = f32[8,128] add(q, q)\n}\n"                     \
    "ENTRY e {\n"                                                                                  \
    "  p = f32[8,128] parameter(0)\n"                                                              \
    "  g = f32[4] parameter(1)\n"                                                                  \
    "  f = pred[] parameter(2)\n"                                                                  \
    "  n = s32[] constant(3)\n"                                                                    \
    "  t = (s32[], f32[8,128], f32[4]) tuple(n, p, g)\n"                                           \
    "  w = (s32[], f32[8,128], f32[4]) while(t), condition=down, body=outer\n"                     \
    "  v = f32[8,128] get-tuple-element(w), index=1\n"                                             \
    "  k = (s32[], f32[8,128], f32[4]) while(w), condition=down, body=outer, "                     \
    "backend_config={\"known_trip_count\":{\"n\":\"7\"}}\n"                                        \
    "  c = f32[8,128] conditional(f, v, v), true_computation=left, false_computation=twice\n"      \
    "  d = f32[8,128] call(c), to_apply=twice\n"                                                   \
    "  h = f32[8,128] call(d), to_apply=twice\n"                                                   \
    "  ROOT r = (f32[8,128], (s32[], f32[8,128], f32[4])) tuple(h, k)\n}\n"

/* what goes on in the background, and to and from the host */
#define IMPORT_SAMPLE_BACKGROUND                                                                   \
    "HloModule background, is_scheduled=true, num_partitions=8\n"                                  \
    "add { l = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT s = f32[] add(l, r)\n}\n"        \
    "wrapped { q = f32[128]{0:T(128)} parameter(0)\n"                                              \
    "  ROOT g = f32[1024]{0:T(1024)} all-gather(q), replica_groups={{0,1,2,3,4,5,6,7}}, "          \
    "dimensions={0}\n}\n"                                                                          \
    "sparse { q = f32[128]{0:T(128)} parameter(0)\n"                                               \
    "  ROOT g = f32[128]{0:T(128)} negate(q)\n}, execution_thread=\"sparsecore\"\n"                \
    "ENTRY e {\n"                                                                                  \
    "  p = f32[128]{0:T(128)} parameter(0)\n"                                                      \
    "  k = token[] after-all()\n"                                                                  \
    "  s = (f32[128]{0:T(128)}, u32[], token[]) send(p, k), channel_id=1, is_host_transfer=true\n" \
    "  r = (f32[128]{0:T(128)}, u32[], token[]) recv(k), channel_id=2, is_host_transfer=true\n"    \
    "  ag = ((f32[128]{0:T(128)}), f32[1024]{0:T(1024)}) async-start(p), calls=wrapped\n"          \
    "  sp = ((f32[128]{0:T(128)}), f32[128]{0:T(128)}, u32[]) async-start(p), "                    \
    "async_execution_thread=\"sparsecore\", calls=sparse\n"                                        \
    "  ar = f32[128]{0:T(128)} all-reduce-start(p), replica_groups=[2,4]<=[8], to_apply=add\n"     \
    "  cp = (f32[128]{0:T(128)}, f32[128]{0:T(128)}, u32[], u32[]) collective-permute-start(p), "  \
    "source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}}\n"                      \
    "  sl = ((f32[128]{0:T(128)}), f32[64]{0:T(64)S(1)}, s32[]) slice-start(p), "                  \
    "slice={[0:64]}\n"                                                                             \
    "  sd = token[] send-done(s), channel_id=1\n"                                                  \
    "  rd = (f32[128]{0:T(128)}, token[]) recv-done(r), channel_id=2\n"                            \
    "  rv = f32[128]{0:T(128)} get-tuple-element(rd), index=0\n"                                   \
    "  agd = f32[1024]{0:T(1024)} async-done(ag)\n"                                                \
    "  spd = f32[128]{0:T(128)} async-done(sp)\n"                                                  \
    "  ard = f32[128]{0:T(128)} all-reduce-done(ar)\n"                                             \
    "  cpd = f32[128]{0:T(128)} collective-permute-done(cp)\n"                                     \
    "  sld = f32[64]{0:T(64)S(1)} slice-done(sl)\n"                                                \
    "  in = (f32[128]{0:T(128)}, token[]) infeed(k)\n"                                             \
    "  iv = f32[128]{0:T(128)} get-tuple-element(in), index=0\n"                                   \
    "  of = token[] outfeed(iv, k), outfeed_shape=f32[128]{0}\n"                                   \
    "  rs = f32[16]{0} reduce-scatter(ard), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, "  \
    "to_apply=add\n"                                                                               \
    "  aa = f32[128]{0:T(128)} all-to-all(cpd), replica_groups={{0,2,4,6},{1,3,5,7}}, "            \
    "dimensions={0}\n"                                                                             \
    "  b0 = f32[64]{0:T(64)S(1)} custom-call(), custom_call_target=\"AllocateBuffer\"\n"           \
    "  cb = f32[128]{0:T(128)S(1)} custom-call(sld, b0), custom_call_target=\"ConcatBitcast\"\n"   \
    "  u = f32[128]{0:T(128)} add(spd, cb)\n"                                                      \
    "  ROOT t = (f32[1024]{0:T(1024)}, f32[128]{0:T(128)}, f32[16]{0}, f32[128]{0:T(128)}, "       \
    "f32[128]{0:T(128)}) tuple(agd, u, rs, aa, rv)\n}\n"

/* rows, sorts, windows, algebra, random numbers, normalisation, products of all kinds */
#define IMPORT_SAMPLE_OPERATIONS                                                                   \
    "HloModule operations\n"                                                                       \
    "add { l = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT s = f32[] add(l, r)\n}\n"        \
    "ge { l = f32[] parameter(0)\n r = f32[] parameter(1)\n"                                       \
    " ROOT g = pred[] compare(l, r), direction=GE\n}\n"                                            \
    "less { l = f32[] parameter(0)\n r = f32[] parameter(1)\n m = s32[] parameter(2)\n"            \
    " o = s32[] parameter(3)\n ROOT g = pred[] compare(l, r), direction=LT\n}\n"                   \
    "ENTRY e {\n"                                                                                  \
    "  t = f32[1000,64] parameter(0)\n"                                                            \
    "  i = s32[32,1] parameter(1)\n"                                                               \
    "  z = f32[] constant(0)\n"                                                                    \
    "  g = f32[32,64] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "                   \
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n"                                \
    "  s = f32[1000,64] scatter(t, i, g), update_window_dims={1}, inserted_window_dims={0}, "      \
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n"                         \
    "  io = s32[32,64] iota(), iota_dimension=1\n"                                                 \
    "  so = (f32[32,64], s32[32,64]) sort(g, io), dimensions={1}, to_apply=less\n"                 \
    "  k = f32[32,64] get-tuple-element(so), index=0\n"                                            \
    "  tk = (f32[32,4], s32[32,4]) topk(k), k=4, largest=true\n"                                   \
    "  rw = f32[32,32] reduce-window(k, z), window={size=1x2 stride=1x2}, to_apply=add\n"          \
    "  ss = f32[32,64] select-and-scatter(k, rw, z), window={size=1x2 stride=1x2}, select=ge, "    \
    "scatter=add\n"                                                                                \
    "  d = f32[64,64] dot(ss, ss), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"           \
    "  ch = f32[64,64] cholesky(d), lower=true\n"                                                  \
    "  ts = f32[64,64] triangular-solve(ch, d), left_side=true, lower=true\n"                      \
    "  qr = (f32[64,64], f32[64]) custom-call(ts), custom_call_target=\"QrDecompositionBlock\"\n"  \
    "  q = f32[64,64] get-tuple-element(qr), index=0\n"                                            \
    "  c = c64[64,64] complex(q, d)\n"                                                             \
    "  f = c64[64,64] fft(c), fft_type=FFT, fft_length={64}\n"                                     \
    "  re = f32[64,64] real(f)\n"                                                                  \
    "  h = bf16[64,64] convert(re)\n"                                                              \
    "  gs = s32[4] parameter(2)\n"                                                                 \
    "  rg = f32[4,64,16] parameter(3)\n"                                                           \
    "  rd = f32[64,16] ragged-dot(re, rg, gs), lhs_contracting_dims={1}, "                         \
    "rhs_contracting_dims={1}, "                                                                   \
    "lhs_ragged_dims={0}, rhs_group_dims={0}\n"                                                    \
    "  rn = f32[64,64] rng(z, z), distribution=rng_uniform\n"                                      \
    "  st = u64[2] parameter(4)\n"                                                                 \
    "  rb = (u64[2], u32[64,64]) rng-bit-generator(st), algorithm=rng_philox\n"                    \
    "  im = f32[8,16,16,4] parameter(5)\n"                                                         \
    "  sc = f32[4] parameter(6)\n"                                                                 \
    "  bn = (f32[8,16,16,4], f32[4], f32[4]) batch-norm-training(im, sc, sc), epsilon=0.001, "     \
    "feature_index=3\n"                                                                            \
    "  ke = f32[3,3,2,8] parameter(7)\n"                                                           \
    "  cv = f32[8,7,31,8] convolution(im, ke), window={size=3x3 stride=2x1 pad=0_0x1_1 "           \
    "lhs_dilate=1x2}, dim_labels=b01f_01io->b01f, feature_group_count=2\n"                         \
    "  s4 = s4[64,64]{1,0:E(4)} convert(re)\n"                                                     \
    "  e0 = f32[0,4] parameter(8)\n"                                                               \
    "  e1 = f32[0,4] add(e0, e0)\n"                                                                \
    "  r9 = f32[1,1,1,1,1,1,1,1,8] parameter(9)\n"                                                 \
    "  n9 = f32[1,1,1,1,1,1,1,1,8] negate(r9)\n"                                                   \
    "  dy = f32[<=8] parameter(10)\n"                                                              \
    "  dn = f32[<=8] sine(dy)\n"                                                                   \
    "  ROOT o = (f32[64,16], f32[64,64], f32[8,7,31,8], s4[64,64]{1,0:E(4)}, f32[0,4], "           \
    "f32[1,1,1,1,1,1,1,1,8], f32[<=8]) tuple(rd, rn, cv, s4, e1, n9, dn)\n}\n"

/* libraries of GPUs, kernels by hand */
#define IMPORT_SAMPLE_CALLS                                                                        \
    "HloModule calls, is_scheduled=true\n"                                                         \
    "ENTRY e {\n"                                                                                  \
    "  a = bf16[128,256]{1,0} parameter(0)\n"                                                      \
    "  b = bf16[256,64]{1,0} parameter(1)\n"                                                       \
    "  g = (bf16[128,64]{1,0}, s8[4194304]{0}) custom-call(a, b), "                                \
    "custom_call_target=\"__cublas$gemm\", "                                                       \
    "backend_config={\"gemm_backend_config\":{\"alpha_real\":"                                     \
    "1,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"                         \
    "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],"                          \
    "\"rhs_batch_dimensions\":[]}}}\n"                                                             \
    "  x = f16[8,32,32,16]{3,2,1,0} parameter(2)\n"                                                \
    "  w = f16[64,3,3,16]{3,2,1,0} parameter(3)\n"                                                 \
    "  c = (f16[8,32,32,64]{3,2,1,0}, u8[1024]{0}) custom-call(x, w), window={size=3x3 "           \
    "pad=1_1x1_1}, dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convForward\"\n"       \
    "  y = f16[8,32,32,64]{3,2,1,0} get-tuple-element(c), index=0\n"                               \
    "  d = (f16[8,32,32,16]{3,2,1,0}, u8[0]{0}) custom-call(y, w), window={size=3x3 "              \
    "pad=1_1x1_1}, "                                                                               \
    "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convBackwardInput\"\n"               \
    "  f = (f16[64,3,3,16]{3,2,1,0}, u8[0]{0}) custom-call(x, y), window={size=3x3 pad=1_1x1_1}, " \
    "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convBackwardFilter\"\n"              \
    "  h = f32[64,256]{1,0:T(8,128)} parameter(4)\n"                                               \
    "  k = f32[64,256]{1,0:T(8,128)} custom-call(h), custom_call_target=\"tpu_custom_call\", "     \
    "backend_config={\"custom_call_config\":{\"body\":"                                            \
    "\"bW9kdWxlIHsKZnVuYy5mdW5jIEBtYWluKCkgYXR0cm"                                                 \
    "lidXRlcyB7aXRlcmF0aW9uX2JvdW5kcyA9IGFycmF5PGk2NDogMiwgND59IHsKJTAgPSB0cHUubWF0bXVsICVhLCAlYi" \
    "wg"                                                                                           \
    "JWMgOiB2ZWN0b3I8OHgxMjh4YmYxNj4sIHZlY3RvcjwxMjh4MTI4eGJmMTY+"                                 \
    "LCB2ZWN0b3I8OHgxMjh4ZjMyPiAtPiB2ZW"                                                           \
    "N0b3I8OHgxMjh4ZjMyPgolMSA9IG1hdGguZXhwICUwIDogdmVjdG9yPDh4MTI4eGYzMj4KJTIgPSBhcml0aC5hZGRmIC" \
    "Ux"                                                                                           \
    "LCAlMSA6IHZlY3Rvcjw4eDEyOHhmMzI+Cn0KfQo=\",\"cost_estimate\":{\"flops\":\"123456\","          \
    "\"transcendentals\":\"77\",\"bytes_accessed\":\"4096\"}}}\n"                                  \
    "  m = f32[64,256]{1,0:T(8,128)} custom-call(k), custom_call_target=\"unknown_thing\", "       \
    "backend_config={\"cost_estimate\":{\"flops\":\"99\"}}\n"                                      \
    "  v = (f32[64,8]{1,0}, s32[64,8]{1,0}) custom-call(m), custom_call_target=\"TopK\"\n"         \
    "  sh = f32[64,256]{1,0:T(8,128)} custom-call(m), custom_call_target=\"Sharding\"\n"           \
    "  r = bf16[128,64]{1,0} get-tuple-element(g), index=0\n"                                      \
    "  ROOT o = (bf16[128,64]{1,0}, f32[64,256]{1,0:T(8,128)}, f16[8,32,32,64]{3,2,1,0}) "         \
    "tuple(r, sh, y)\n}\n"

#define IMPORT_SAMPLES                                                                             \
    IMPORT_SAMPLE_KERNELS, IMPORT_SAMPLE_LOOPS, IMPORT_SAMPLE_BACKGROUND,                          \
        IMPORT_SAMPLE_OPERATIONS, IMPORT_SAMPLE_CALLS

#endif
