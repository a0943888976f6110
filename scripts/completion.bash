# completion.bash - completes `cyclotron` in bash; `source` it, or install it (make install).
#
# The program knows what may follow (cyclotron --complete); this file knows how bash cuts words:
# at = and : too, so that words are joined again, and only the last piece of one is replaced.
_cyclotron()
{
    local IFS=$' \t\n' words=() rest=${COMP_LINE:0:COMP_POINT} piece='' blank i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        piece=${COMP_WORDS[i]}
        ((${#piece} > ${#rest})) && piece=$rest
        if [[ -n $blank || ${#words[@]} -eq 0 ]]; then
            words+=("$piece")
        else
            words[${#words[@]} - 1]+=$piece
        fi
        rest=${rest#"$piece"}
    done
    local word=${words[${#words[@]} - 1]}
    [[ $piece == [=:] ]] && piece=''
    local head=${word%"$piece"} program=${words[0]/#\~/$HOME} line endings
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == $'\t'* ]]; then
            endings=${line#$'\t'}
            # shellcheck disable=SC2086
            _cyclotron_files "$piece" $endings
        else
            line=${line%%$'\t'*}
            COMPREPLY+=("${line#"$head"}")
        fi
    done < <("$program" --complete "${words[@]:1}" 2>/dev/null)
    local open=()
    for line in "${COMPREPLY[@]}"; do
        [[ $line == *[=:,] ]] && open+=("$line")
    done
    [[ ${#open[@]} -gt 0 && ${#open[@]} -eq ${#COMPREPLY[@]} ]] && compopt -o nospace 2>/dev/null
    return 0
}

# _cyclotron_files PIECE ENDING... - folders, and files with one of the endings; all without one.
_cyclotron_files()
{
    local piece=$1 file ending before=${#COMPREPLY[@]}
    shift
    while IFS= read -r file; do
        if [[ -d $file || $# -eq 0 ]]; then
            COMPREPLY+=("$file")
            continue
        fi
        for ending; do
            [[ $file == *"$ending" ]] && COMPREPLY+=("$file") && break
        done
    done < <(compgen -f -- "$piece")
    # it also quotes = and :, which words of our own have
    ((${#COMPREPLY[@]} > before)) && compopt -o filenames 2>/dev/null
}

complete -F _cyclotron cyclotron
