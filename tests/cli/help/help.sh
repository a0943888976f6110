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
