# The table of operations: a head, and a line for each operation of the trace.
cyclotron replay tiny.trace -m tpu-v3-1 --format csv >out.csv
head -1 out.csv
cut -d, -f1-3,5 out.csv | sed 1d
sed 's/"[^"]*"/QUOTED/g' out.csv | awk -F, 'NF != 52 { print "line " NR " has " NF " fields" }'
