# A point beyond the memory of its machine is marked in text, page and CSV, and is not the best.
cyclotron sweep tiny.trace -m tpu-v3-1 --axis "hbm.capacity=1 MiB,16 GiB" --set hbm.reserved=0B -d a.db >r.txt
grep -o '^  least [^:]*: hbm[^)]*)\|^.*not fit the memory.*' r.txt
sed -n '/^best/,/^$/p' r.txt | sed -n 's/^ *\([0-9][0-9]*\).*  [a-z]*\(.*\)$/\1\2/p'
cyclotron sweep export csv a.db | cut -d, -f1-4 | sed 1d
cyclotron sweep report a.db --html h.html >h.txt
cmp h.txt r.txt
sed -n 's/.*<script type="application\/json" id="data">//p' h.html | grep -o '{"id":[0-9]*\|"fits":[a-z][a-z]*'
