# A step that keeps less: what it takes then, and plans that cannot be.
cyclotron trace gen exatrkx -o event.trace
cyclotron trace remat event.trace -o least.trace
cyclotron trace remat event.trace fit=16GiB -o fits.trace
cyclotron trace remat event.trace segments=phases -o phases.trace
for t in event least fits phases; do
    grep -o 'rematerialised.*"' $t.trace
    cyclotron trace check $t.trace | sed 's/, checksum.*//'
    cyclotron replay $t.trace -m tpu-v3-8 2>/dev/null | grep -o 'DOES NOT FIT: needs [0-9.]* GiB\|fits: [0-9.]* GiB'
done
cyclotron trace remat least.trace -o never.trace
cyclotron trace remat event.trace fit=1GiB -o never.trace
cyclotron trace remat event.trace fit=30GiB -o never.trace
cyclotron trace remat event.trace segment=3 -o never.trace
cyclotron trace shard event.trace edges=8 | cyclotron trace remat - | cyclotron trace check - | sed 's/, checksum.*//'
ls
