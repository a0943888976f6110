# What comes in a file does not reach the terminal as it is.
printf '[machine]\nbase = tpu-v3-8\nsummary = \033[2Jcleared\n' >a.ini
try cyclotron machine show ./a.ini
printf '[machine]\nbase = tpu-v3-8\nsummary = \377\n' >b.ini
try cyclotron machine check ./b.ini
# a newline in a name is no further statement of the plan
name='a.trace
machine = tpu-v2-8'
cp tiny.trace "$name"
try cyclotron sweep "$name" -m tpu-v3-1 --db a.db
latin=$(printf 'a\351.trace')
cp tiny.trace "$latin"
try cyclotron sweep "$latin" -m tpu-v3-1 --db a.db
# no cell is a formula; numbers stay numbers
cp tiny.trace =1+1.trace
cyclotron sweep =1+1.trace tiny.trace -m tpu-v3-1 --db f.db -o /dev/null
cyclotron sweep export csv f.db | cut -d, -f1,2,4
# goals without a spread have none that is explained
cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1,2 -a proxy.board=100,200 --db n.db | grep -c nan
