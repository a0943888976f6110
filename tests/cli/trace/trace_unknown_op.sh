# An operation nobody knows is an error, or, when allowed, costed and reported loudly.
sed 's/= pool(/= quantum-pool(/' tiny.trace >unknown.trace
try cyclotron replay unknown.trace -m tpu-v3-1
cyclotron replay unknown.trace -m tpu-v3-1 --allow-unknown | sed -n 's/[0-9.]* % /N % /g; s/  */ /g; 1s/ [0-9.]* / N /gp; /: memory traffic/p'
cyclotron replay unknown.trace -m tpu-v3-1 --allow-unknown --format json |
    sed -n 's/"share": [0-9.]*[1-9][0-9.e-]*/"share": N/; /"uncovered"/p'
