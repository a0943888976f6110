# A program from standard input runs on the machine that its first line names; StableHLO is sent to
# the compiler, and serialised messages of XLA's to what reads them.
cat >step.hlo <<'END'
// cyclotron: {"workload": "step", "machine": "tpu-v5e-4", "topology": "v5e:2x2", "samples": 4}
HloModule jit_step, is_scheduled=true

ENTRY %main (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  ROOT %y = f32[1024,1024]{1,0:T(8,128)} negate(%x)
}
END
zstd -q step.hlo
try cyclotron replay - <step.hlo | head -n 1
try cyclotron replay - <step.hlo.zst | head -n 1
try cyclotron replay - <tiny.trace
echo "--- StableHLO"
echo 'module @jit_step attributes {mhlo.num_partitions = 1 : i32} {' >step.mlir
try cyclotron replay step.mlir
try cyclotron replay - -m tpu-v3-8 <step.mlir
try cyclotron trace import step.mlir
printf '// from a framework\n#loc = loc(unknown)\n"builtin.module"() ({' >other.mlir
try cyclotron compare other.mlir -m tpu-v3-8
printf 'ML\357RStableHLO_v1.9.3' >step.bc
try cyclotron replay step.bc
echo "--- messages"
module='\n\013jit__lambda\022\006main.1\032\005\n\003abc'
printf "$module" >step.pb
try cyclotron replay step.pb -m tpu-v3-8
try cyclotron trace import step.pb
printf "\\n\034$module" >step.hlo.pb
try cyclotron replay step.hlo.pb -m tpu-v3-8
printf '\n\247\364\006\010\002\022\015/device:TPU:0' >host.xplane.pb
try cyclotron replay host.xplane.pb -m tpu-v3-8
printf '\n\013jit__lambda\022\006mai' >cut.pb
try cyclotron replay cut.pb -m tpu-v3-8
