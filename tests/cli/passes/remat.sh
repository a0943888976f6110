# A step that keeps less: which way is taken, and plans that cannot be.
cyclotron trace gen exatrkx iterations=2 -o event.trace
cyclotron trace remat event.trace -o least.trace
cyclotron trace remat event.trace fit=7GiB -o fits.trace
cyclotron trace remat event.trace segments=phases -o phases.trace
# of the ways that fit the one with the least work, which keeps products
cyclotron trace remat event.trace fit=9GiB -o roomy.trace
for t in event least fits roomy phases; do
    grep -o 'rematerialised.*"' $t.trace
    cyclotron trace check $t.trace | sed 's/, checksum.*//'
done
cyclotron trace remat least.trace -o never.trace
cyclotron trace remat event.trace segments=4 fit=1GiB -o never.trace
cyclotron trace remat event.trace keep=none fit=1GiB -o never.trace
cyclotron trace remat event.trace fit=30GiB -o never.trace
cyclotron trace remat event.trace segment=3 -o never.trace
cyclotron trace shard event.trace edges=8 | cyclotron trace remat - segments=6 | cyclotron trace check - | sed 's/, checksum.*//'
ls
