# The keys of the JSON object, in order; the first operation shows the columns of all.
cyclotron replay tiny.trace -m tpu-v3-8 --set mxu.count=4 --steps 2 --format json >out.json
sed 's/: -\{0,1\}[0-9][0-9.e-]*/: N/g; s/"[0-9a-f]\{16\}"/"HEX"/g
     s/"bound_by": "[a-z]*"/"bound_by": CAUSE/; s/"chip.->chip."/LINK/' out.json |
    awk '/"(ops|phases)": \[/ { print; getline; print; skip = 1; next }
         /"links": \[/ { print; getline; print; skip = 1; next }
         /^  \]/ { skip = 0 }
         !skip'
# as a HEP workload reports to HEPscore
cyclotron replay tiny.trace -m v100x1 -f hepscore | sed 's/[0-9][0-9.]*[0-9]/N/g'
cyclotron replay tiny.trace -m v100x1 -o score.hepscore.json && grep -c wl-scores score.hepscore.json
