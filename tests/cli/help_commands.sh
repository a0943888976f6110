# `help` is --help, also of a command; no line of help ends in a blank.
cyclotron --help >want
cyclotron help | cmp - want
echo "exit $?"
cyclotron help replay | sed 's/^/  /' | head -n 2
try cyclotron help trace pack | head -n 1
try cyclotron help nothing
try cyclotron
for c in '' replay compare op params machine 'machine list' 'machine show' 'machine check' \
    trace 'trace gen' 'trace cat' 'trace pack' 'trace info' 'trace check'; do
    cyclotron $c --help | grep -n ' $'
done
cyclotron params | grep -n ' $'
cyclotron params | grep '^mxu.size\|^core.clock\|^core.op_overhead\|^parameter'
cyclotron trace gen --help | awk 'length > 79'
cyclotron op | grep -n ' $'
cyclotron op | awk 'length > 79'
true
