# `help` is --help, also of a command; no line of help ends in a blank.
cyclotron --help >want
cyclotron help | cmp - want
echo "exit $?"
cyclotron help replay | sed 's/^/  /' | head -n 2
try cyclotron help trace pack | head -n 1
try cyclotron help nothing
try cyclotron
for c in '' replay compare batch op params machine 'machine list' 'machine show' 'machine check' \
    trace 'trace gen' 'trace cat' 'trace pack' 'trace info' 'trace check'; do
    cyclotron $c --help | grep -n ' $'
done
# an example is typed as it stands: no line of it was broken, and each command has one
for c in replay compare batch diff op network scan sweep 'sweep status' 'sweep report' 'sweep export' \
    'sweep merge' validate params 'machine list' 'machine show' 'machine check' 'trace gen' \
    'trace shard' 'trace remat' 'trace cat' 'trace pack' 'trace info' 'trace check'; do
    cyclotron $c --help | awk -v c="$c" '
        /^Examples:$/ { on = 1; next }
        /^$/ { on = 0 }
        on { n++; if ($0 !~ /^  / || length > 79) print c ": " $0 }
        on && !more && $1 != "cyclotron" { print c ": " $0 }
        on { more = /\\$/ }
        END { if (!n) print c " has no example" }'
done
cyclotron params | grep -n ' $'
cyclotron params | grep '^mxu.size\|^core.clock\|^core.op_overhead\|^parameter'
cyclotron trace gen --help | awk 'length > 79'
cyclotron op | grep -n ' $'
cyclotron op | awk 'length > 79'
true
