# Published figures: a summary, rows, claims, what is left out and what is not modelled; JSON of the same.
cyclotron validate --only mlpf
cyclotron validate --only operations | sed 's/[0-9.]*[0-9] */N /g'
cyclotron validate --only operations --format json | sed 's/: [-0-9.e]*\([,}]\)/: N\1/g'
cyclotron validate --only farbin | sed 's/: [0-9.]* \([a-zA-Z]*\) and [0-9.]*/: N \1 and N/; s/[0-9.]* times/N times/'
cyclotron validate --only farbin --format json | grep -c '"relation": "..1".*"hit": true'
cyclotron validate --only mlpf --format json | grep -c '"status": "left out"'
try cyclotron validate --only nothing 2>&1 | sed 's|are 3dgan, .*|are 3dgan, ...|'
cyclotron validate --only 'prices and sizes' --set hbm.capacity='16 GiB' --all | grep GiB
try cyclotron validate --set hbm.bandwith=7
try cyclotron validate --jobs 0
try cyclotron validate --format jsn
try cyclotron validate everything
# a class is found by its name in upper or lower case
cyclotron validate --only MLPF --format json | grep -c '"class": "mlpf"'
cyclotron validate --only resnet --format json | grep -c '"class": "ResNet-50'
