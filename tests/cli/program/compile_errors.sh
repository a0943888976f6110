# What scripts/compile says before it needs an environment: no network, nothing installed.
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { echo "no python3 here"; exit 77; }
CYCLOTRON_VENV=$PWD/environment
export CYCLOTRON_VENV
compile="$root/scripts/compile"
cat >mine.py <<'END'
from somewhere import imported
def step(w, x):
    return w + x
def program(mesh, batch=8):
    return step, ()
other = program
END
echo 'def program(mesh:' >broken.py
echo 'HloModule m' >m.hlo

"$compile" --help | sed -n '/^examples/,/^$/p'
echo "--- files and functions"
try "$compile" none.py -t v3:2x2
try "$compile" min.py -t v3:2x2
try "$compile" mine.txt.gz -t v3:2x2
try "$compile" broken.py -t v3:2x2
try "$compile" mine.py:progam -t v3:2x2
try "$compile" m.hlo:program -t v3:2x2
try "$compile" m.hlo batch=3 -t v3:2x2
try "$compile" mine.py -t v3:2x2 --replicas 2
echo "--- slices"
try "$compile" mine.py -t v33:2x2
try "$compile" mine.py -t tpu-v6-4
try "$compile" mine.py -t v3
try "$compile" mine.py -t v3:2x
try "$compile" mine.py -t v3:3x2
try "$compile" mine.py -t v3:2x2x2
try "$compile" mine.py -t v4:2x2
try "$compile" mine.py -t v4:0x2x2
try "$compile" mine.py -t tpu-v3-12
try "$compile" mine.py -t v3:1x1
try "$compile" mine.py -t v5e:1x2
try "$compile" mine.py -t tpu-v3-16
try "$compile" mine.py -t v5e:4x2 --chips-per-host 3x2
try "$compile" mine.py -t v5e:4x2 --chips-per-host four
try "$compile" mine.py -t v3:2x2 --cores
try "$compile" mine.py -t v5e:2x2 --slices 0
try "$compile" mine.py -t v5e:2x2 --slices 2 --devices 3
try "$compile" mine.py -t a100x4 --slices 2
echo "--- machines of slices"
(cd "$root/scripts" && python3 -B -c '
import tpu_slice
for t in "v5e:2x4 v5e:4x2 v5litepod-8 v6e:4x8 v3:2x2 v3:1x4 v4:2x2x1 v4:4x2x2 v4:2x2x8 tpu7x:2x2x1".split():
    print(t, tpu_slice.read(t)["topology"], tpu_slice.read(t)["machine"])')
echo "--- GPUs"
try "$compile" mine.py -t a10
try "$compile" mine.py -t a100x4 --chips-per-host 2x2
try "$compile" mine.py -t h100 --cores
try "$compile" mine.py -t dgx-1v --with torch
try "$compile" mine.py -t V100 --python ./none
echo "--- options"
try "$compile" mine.py batch -t v3:2x2
try "$compile" mine.py 2batch=4 -t v3:2x2
try "$compile" mine.py -t v3:2x2 -o step.trace
try "$compile" mine.py -t v3:2x2 -o nowhere/step.hlo
try "$compile" mine.py -t v3:2x2 --samples 0
try "$compile" mine.py -t v3:2x2 --sample 3
try "$compile" mine.py -t v3:2x2 --args f32[8] batch=3
try "$compile" mine.py
try "$compile" mine.py -t v3:2x2 --with toch
try "$compile" mine.py -t v3:2x2 --python ./none
echo "--- an index that does not answer is left out, and said: pip would wait for it with each package"
mkdir -p environment-own/bin
printf '#!/bin/sh\nfor last; do :; done\ncat "$last"\nexit 1\n' >environment-own/bin/python
chmod +x environment-own/bin/python
printf 'numpy==2.0\n--extra-index-url http://127.0.0.1:1/wheels\n' >own.txt
try "$compile" mine.py -t v3:2x2 --with ./own.txt 2>&1 | sed "s,$PWD,HERE,"
printf '# Python 9.0 or later\nnumpy==2.0\n' >own.txt
try "$compile" mine.py -t v3:2x2 --with ./own.txt 2>&1 | sed "s/this is .*/this is 3/"
rm -r environment-own own.txt
echo "--- MaxText"
try "$root/scripts/frontends/maxtext" llama3.1-8b -t v6e-8 batch --python ./none
try "$root/scripts/frontends/maxtext" llama3.1-8b -t v6e-7 --python ./none
try "$root/scripts/frontends/maxtext" llama3.1-8b -t v6e-8 per_device_batch_size=3 --python ./none
ls
