# Tables of a compiled program by layer, scope and source line, and sums of its JSON.
cp "$root/tests/cli/programs/layers.tpu-v5e-4.hlo" layers.hlo
names() { sed -n '/layers, per core/,/^$/p; /scopes, per core/,/^$/p; /source lines, per core/,/^$/p' | cut -c1-32 | sed 's/ *$//'; }

cyclotron replay layers.hlo | names
echo "--- each by itself"
cyclotron replay layers.hlo --ungroup | names | sed -n '/layers/,/^$/p' | sort
cyclotron replay layers.hlo | grep -c '^phases'
echo "--- JSON: rows of ops have these members"
cyclotron replay layers.hlo -f json -o r.json
sed -n '/^  "ops": \[/,/^  \]/p' r.json | grep '"name"' >ops
wc -l <ops
grep -c '"scope": "[^"]*", "source": "[^"]*", "estimated_seconds": ' ops
grep '"name": "convolution_tanh_fusion.3"' ops | grep -o '"scope": "[^"]*", "source": "[^"]*"'
echo "--- sums over the seconds of the step, to 9 digits"
step=$(sed -n 's/.*"seconds_per_step": \([0-9.e-]*\).*/\1/p' r.json)
for list in ops layers scopes sources; do
    sed -n "/^  \"$list\": \[/,/^  \]/p" r.json | grep '"name"' | sed 's/.*"seconds": \([0-9.e-]*\), .*"bound_by".*/\1/; s/,.*//' |
        awk -v step="$step" -v list=$list '{ s += $1 } END { printf "%s %.9f\n", list, s / step }'
done
for list in ops layers scopes sources; do
    sed -n "/^  \"$list\": \[/,/^  \]/p" r.json | grep '"name"' | sed 's/.*"estimated_seconds": \([0-9.e-]*\|null\),.*/\1/' |
        awk -v list=$list '{ s += $1 } END { printf "%s %.6e s estimated\n", list, s }'
done
