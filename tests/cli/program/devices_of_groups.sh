# a program that no compiler has divided says its devices by its collectives, also in a loop
{ echo 'HloModule m

cond {
  p = (s32[], f32[1024]{0}, f32[8192]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT lt = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[1024]{0}, f32[8192]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1024]{0} get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  r = f32[8192]{0} all-gather(x), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true
  ROOT t = (s32[], f32[1024]{0}, f32[8192]{0}) tuple(j, x, r)
}

ENTRY main {
  x = f32[1024]{0} parameter(0)
  b = f32[8192]{0} parameter(1)
  z = s32[] constant(0)
  t = (s32[], f32[1024]{0}, f32[8192]{0}) tuple(z, x, b)
  w = (s32[], f32[1024]{0}, f32[8192]{0}) while(t), condition=cond, body=body
  ROOT r = f32[8192]{0} get-tuple-element(w), index=2
}'; } >loop.hlo
try cyclotron replay loop.hlo -m h100x1
cyclotron replay loop.hlo -m h100x8 >out.txt
echo $?
