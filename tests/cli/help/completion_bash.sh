# Completion in bash, as the shell drives it: COMP_LINE cut into COMP_WORDS at blanks, = and :.
command -v bash >/dev/null || { echo "no bash here"; exit 77; }
mkdir folder
touch a.json b.json night.db mine.ini 'notes.txt' packed.trace.zst folder/in.trace
cat >drive.bash <<'END'
. "$1/scripts/completion.bash"
compopt() { printf ' [%s %s]' "$1" "$2"; } # it works in a running completion alone
# drive LINE: what TAB at the end of it offers, the words that bash would put in place of the last
drive() {
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() COMPREPLY=()
    local rest=$1 piece
    while [[ $rest =~ ^[[:space:]]*([=:]+|[^[:space:]=:]+)(.*)$ ]]; do
        COMP_WORDS+=("${BASH_REMATCH[1]}")
        rest=${BASH_REMATCH[2]}
    done
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    printf '%s ->' "$1"
    _cyclotron
    mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sort)
    ((${#COMPREPLY[@]} > 12)) && COMPREPLY=("${COMPREPLY[@]:0:3}" "and more")
    printf ' %s' "${COMPREPLY[@]}"
    echo
}
while IFS= read -r line; do drive "${line%|}"; done
END
bash drive.bash "$root" <<'END'
cyclotron |
cyclotron re|
cyclotron --v|
cyclotron trace |
cyclotron trace gen |
cyclotron trace gen exatrkx gr|
cyclotron trace gen exatrkx graph=|
cyclotron trace shard |
cyclotron trace shard packed.trace.zst sche|
cyclotron trace shard packed.trace.zst schedule=g|
cyclotron trace remat packed.trace.zst |
cyclotron machine show tpu-v2-3|
cyclotron machine check |
cyclotron replay |
cyclotron replay --h|
cyclotron replay packed.trace.zst -m mi|
cyclotron replay packed.trace.zst --machine=tpu-v3-3|
cyclotron replay packed.trace.zst -m tpu-v3-8 --set mxu.cou|
cyclotron replay packed.trace.zst -m tpu-v3-8 --set mxu.dataflow=|
cyclotron replay packed.trace.zst -m tpu-v3-8 -s core.clock=|
cyclotron replay packed.trace.zst -m tpu-v3-8 -s hbm.capacity=|
cyclotron replay packed.trace.zst -m tpu-v3-8 --dump=l|
cyclotron replay packed.trace.zst -f |
cyclotron replay packed.trace.zst -o |
cyclotron diff a.json |
cyclotron op mat|
cyclotron op matmul |
cyclotron op matmul m=4096 pre|
cyclotron op matmul m=4096 dtype=b|
cyclotron op hbm pattern=tr|
cyclotron network pattern=|
cyclotron network radix=4x4 ra|
cyclotron sweep gen:3dgan comb|
cyclotron sweep gen:3d|
cyclotron sweep gen:3dgan bat|
cyclotron sweep packed.trace.zst --axis mxu.cou|
cyclotron sweep packed.trace.zst --sample l|
cyclotron sweep st|
cyclotron sweep export p|
cyclotron sweep export csv |
cyclotron help sw|
cyclotron nothing |
END
