# The help of `trace gen` names every workload with its parameters.
cyclotron trace gen --help | sed '1,/^Workloads/d' | grep -c '^[a-z0-9]*: ' >count
test "$(cat count)" -ge 3 && echo "three workloads or more"
cyclotron trace gen --help | grep '^  batch=' | head -1
