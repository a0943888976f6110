# the report for a browser: whole, alone, and beside the same text
cyclotron replay tiny.trace -m tpu-v3-8 >plain
cyclotron replay tiny.trace -m tpu-v3-8 --html run.html >with
cmp plain with && ls
# the one address in it is the name of SVG
grep -c 'https\?://' run.html
grep -o '<title>\|id="data"\|"timeline":{"bin_seconds"' run.html
cyclotron replay tiny.trace -m tpu-v3-8 -o again.html | cmp - plain && cmp run.html again.html
try cyclotron replay tiny.trace -m tpu-v3-8 --html nowhere/run.html
# a sweep's page leaves the text to standard output too
cyclotron sweep tiny.trace -m tpu-v3-8 -a mxu.count=1,2 -d s.db -o s.txt
cyclotron sweep tiny.trace -m tpu-v3-8 -a mxu.count=1,2 -d s.db -o s.html | cmp - s.txt && grep -o '<title>' s.html
