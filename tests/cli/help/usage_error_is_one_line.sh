# Whatever bytes an argument holds, the message stays one line.
cyclotron "$(printf 'two\nlines\033[2J')" 2>&1 | cat
cyclotron replay "$(printf 'no\nfile')" -m tpu-v3-1 2>&1 | wc -l
cyclotron replay tiny.trace -m "$(printf 'no\nmachine')" 2>&1 | wc -l
cyclotron replay tiny.trace -m "$(head -c 100000 /dev/zero | tr '\0' x)" 2>&1 | wc -l
