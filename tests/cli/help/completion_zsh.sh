# Completion in zsh: a shell in a terminal of its own, TAB pressed after each line.
command -v zsh >/dev/null || { echo "no zsh here"; exit 77; }
mkdir functions
cp "$root/scripts/completion.zsh" functions/_cyclotron
touch packed.trace.zst night.db mine.ini notes.txt
cat >drive.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
ask() { zpty -w shell "$1"; zpty -r shell answer "*$2*" }
ask "PS1=; unsetopt zle_bracketed_paste; LISTMAX=0; cd $PWD; fpath=($PWD/functions \$fpath)" ''
ask "autoload -Uz compinit && compinit -u -D && zstyle ':completion:*' list-colors ''; stty columns 200" ''
# a key that completes, and one that prints the line as it then stands
ask "show() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; zle -I }; zle -N show; bindkey '^X' show; unsetopt automenu autolist listbeep; print rea''dy" 'ready'
while IFS= read -r line; do
    zpty -w -n shell "$line"$'\t\x18'
    zpty -r shell answer '*<<*>>*'
    print -r -- "$line -> ${${answer##*<<}%%>>*}"
done
zpty -d shell
END
timeout 60 zsh -f drive.zsh <<'END'
cyclotron rep
cyclotron tra
cyclotron trace rem
cyclotron trace gen exat
cyclotron trace gen exatrkx graph=r
cyclotron machine show tpu-v3-3
cyclotron replay pac
cyclotron replay --perf
cyclotron replay packed.trace.zst --machine=mi
cyclotron replay packed.trace.zst -m tpu-v3-8 --set mxu.cou
cyclotron replay packed.trace.zst -m tpu-v3-8 --set mxu.dataflow=o
cyclotron replay packed.trace.zst --dump=liv
cyclotron op transp
cyclotron op matmul pre
cyclotron op matmul dtype=bf
cyclotron network pattern=tor
cyclotron sweep gen:3dgan bat
cyclotron sweep report ni
cyclotron validate --format js
END
