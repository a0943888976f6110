# A compiled program that does not state its samples: times, and one line in the place of all figures that count samples.
cp "$root/tests/cli/programs/layers.tpu-v5e-4.hlo" layers.hlo
sed '1s/"samples": null/"samples": 512/' layers.hlo >stated.hlo
figures='samples_per_second\|global_batch\|_epoch"\|usd_per_million'

cyclotron replay layers.hlo | grep "samples\|epoch\|USD" | sed "s/ [0-9.e-]* USD.step/ N USD\/step/"
cyclotron replay layers.hlo -f json | grep "$figures" | cut -c1-100
cyclotron compare layers.hlo | sed "s/[0-9.e-]* USD.step/N USD\/step/; s/[0-9.]* us a/N us a/" | sed -n "1,4p; 7s/  */ /gp" | sed "s/- [0-9][0-9.]* -/- N -/" | cut -c1-90
cyclotron trace info layers.hlo | grep samples
cyclotron trace import layers.hlo 2>/dev/null | grep ^samples
echo "--- stated, by the program or at import"
cyclotron replay stated.hlo | grep 'global batch' | sed 's/[0-9]* samples.s/N samples\/s/'
cyclotron trace import layers.hlo --samples 512 2>/dev/null | grep ^samples
echo "--- two runs, one without"
cyclotron replay layers.hlo -f json -o a.json
cyclotron replay stated.hlo -f json -o b.json
cyclotron diff a.json b.json | sed -n '1p; /global batch/p; /samples a second/p' | sed 's/ [0-9.e+]*  *-$/ N -/'
cyclotron diff a.json b.json --html -o diff.html
