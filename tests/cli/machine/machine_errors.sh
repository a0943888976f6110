# What is wrong in a machine file is said with file and line, and the nearest valid name.
cyclotron machine show tpu-v3-1 -o good.ini
change() { # SED-SCRIPT: a copy of a good machine with this change
    sed "$1" good.ini >bad.ini
    cmp -s bad.ini good.ini && echo "no change: $1"
    try cyclotron machine check bad.ini
}
echo "--- good"
try cyclotron machine check good.ini
echo "--- unknown key, unknown section"
change '/^\[mxu\]/,/^\[/s/^count = /cuont = /'
change 's/^\[mxu\]/[mxx]/'
change 's/^\[mxu\]/[flux]/'
echo "--- missing unit, another unit, missing source"
change '/^\[core\]/,/^\[/s/^clock = \([0-9.]*\) MHz/clock = \1/'
change '/^\[core\]/,/^\[/s/^clock = \([0-9.]*\) MHz/clock = \1 GB/'
change '/^\[core\]/,/^\[/s/^\(clock = [^[]*\)\[.*/\1/'
echo "--- out of range, no number, overflow"
change '/^\[mxu\]/,/^\[/s/^count = [0-9]*/count = 1000000/'
change '/^\[mxu\]/,/^\[/s/^count = [0-9]*/count = many/'
change '/^\[mxu\]/,/^\[/s/^count = [0-9]*/count = 99999999999999999999999/'
echo "--- duplicate key, no key, no section"
change '/^\[mxu\]/,/^\[/s/^\(count = .*\)/\1\n\1/'
change '/^\[mxu\]/,/^\[/s/^count = .*/count/'
change '1,/^\[machine\]/d'
echo "--- bases"
printf '[machine]\nsummary = x\nbase = tpu-v33\n' >bad.ini
try cyclotron machine check bad.ini
printf '[machine]\nsummary = x\nbase = ./b.ini\n' >a.ini
printf '[machine]\nsummary = x\nbase = ./a.ini\n' >b.ini
try cyclotron machine check a.ini
printf '[machine]\nsummary = x\nbase = ./self.ini\n' >self.ini
try cyclotron machine check self.ini
echo "--- parts with bases"
printf '[machine]\nbase = hbm3\n[dram]\nrfc = 300 ns [x]\n' >part.ini
printf '[machine]\nbase = tpu-v3-8\npart = part.ini\n' >with.ini
cyclotron machine show with.ini | sed -n '/^\[dram\]/,/^\[/p' | grep -E '^(rfc|groups|pseudo_channels) '
printf '[machine]\nbase = part.ini\n' >part.ini
try cyclotron machine check with.ini
printf '[machine]\nbase = hbm33\n' >part.ini
try cyclotron machine check with.ini
echo "--- libraries that lead back to themselves, and one of a TPU"
kernel='summary = x\n[product_f32]\n64x64 = 0.5 [x]\n'
printf "[machine]\nlibrary = ./round.ini\n$kernel" >round.ini
printf '[machine]\nbase = h100x1\nlibrary = ./round.ini\n' >with.ini
try cyclotron machine check with.ini
printf "[machine]\nbase = ./two.ini\n$kernel" >one.ini
printf "[machine]\nbase = ./one.ini\n$kernel" >two.ini
printf '[machine]\nbase = h100x1\nlibrary = ./one.ini\n' >with.ini
try cyclotron machine check with.ini
printf '[machine]\nbase = tpu-v3-8\nlibrary = hopper\n' >with.ini
try cyclotron machine check with.ini
echo "--- sections without a value"
printf '[machine]\nbase = tpu-v3-8\n[mxus]\n' >bad.ini
try cyclotron machine check bad.ini
printf '[machine]\nbase = v100\n[mxu]\n' >bad.ini
try cyclotron machine check bad.ini
printf '[machine]\nbase = v100\n[gpu]\n' >bad.ini
try cyclotron machine check bad.ini
echo "--- files"
: >empty.ini
try cyclotron machine check empty.ini
try cyclotron machine check missing.ini
try cyclotron machine check tpu-v3-8
try cyclotron machine check .
printf '[mxu]\ncount = \0 2 [x]\n' >nul.ini
try cyclotron machine check nul.ini
try cyclotron machine check /dev/zero
tr '\0' x </dev/zero | cyclotron machine check /dev/stdin
echo "exit $?"
echo "--- lines of blanks"
sed 's/^$/ \t /' good.ini >blank.ini
try cyclotron machine check blank.ini
