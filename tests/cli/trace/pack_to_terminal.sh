# Packed bytes do not go to a terminal, whether it is meant or named; text does.
for out in '' '-o -'; do
    script -qec "cyclotron trace pack tiny.trace $out" /dev/null | tr -d '\r'
    script -qec "cyclotron trace pack tiny.trace $out" /dev/null >/dev/null
    echo "exit $?"
done
script -qec 'cyclotron trace cat tiny.trace' /dev/null | tr -d '\r' | head -n 1
cyclotron trace pack tiny.trace -o - | cyclotron trace check -
