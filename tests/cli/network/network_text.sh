# A network under traffic, as text: what it carries, where it saturates, links that are slow or dead.
cyclotron network radix=4x4 rate=0.3 warmup=500 cycles=2000
cyclotron network topology=twisted radix=4x8 routing=adaptive flits=4 rate=0.2 warmup=500 cycles=2000
cyclotron network radix=4x4 pattern=neighbour rate=0.9 warmup=500 cycles=2000
cyclotron network topology=mesh radix=4x4 dead=1-2 slow=5-6:4 vcs=2 warmup=500 cycles=2000
cyclotron network radix=8 pattern=tornado warmup=500 cycles=2000 --saturate
cyclotron network topology=mesh radix=2 pattern=neighbour warmup=500 cycles=2000 -S
cyclotron network -m tpu-v3-32 rate=0.2 flits=16 cycles=2000 -s 'ici.latency=20 ns' -s fault.dead_from=1 -s fault.dead_to=2 -s fault.slow_from=5 -s fault.slow_to=6
# as waves, which change nothing
cyclotron network radix=4x4 rate=0.2 warmup=100 cycles=200 >plain
cyclotron network radix=4x4 rate=0.2 warmup=100 cycles=200 --trace 'node5.*' --from 0.1us --to 0.2us --vcd n.vcd | cmp - plain
ls n.*
grep 'scope' n.vcd
grep -c 'var' n.vcd
grep '^#' n.vcd | sed -n '1p;$p'
