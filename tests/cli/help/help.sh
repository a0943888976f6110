# Every command teaches itself.
cyclotron --help
cyclotron --version
for c in replay compare op sweep "sweep status" "sweep report" "sweep export" "sweep merge" params 'machine list' 'machine show' 'machine check' \
    'trace cat' 'trace pack' 'trace info' 'trace check' machine trace; do
    echo "--- $c"
    cyclotron $c --help
done
echo "--- trace gen"
cyclotron trace gen --help | sed '/^Workloads/q'
# margins of argp that leave no room
ARGP_HELP_FMT=rmargin=1 timeout 20 cyclotron params --help | head -n 1
echo "--- lines of one word, left over where a line of the text is too long"
for c in replay compare batch diff profile op network sweep scan validate 'trace gen' 'trace shard' 'trace remat' 'trace import' 'trace export' \
    'machine show'; do
    cyclotron $c --help | awk -v c="$c" '/^[A-Za-z]+$/ { print c ": " $0 }'
done
