#compdef cyclotron
# completion.zsh - completes `cyclotron` in zsh: installed as _cyclotron in a folder of $fpath.
#
# The program knows what may follow (cyclotron --complete).

local line endings program=${(Q)words[1]/#\~/$HOME}
local -a names shown open_names open_shown
local -i files=0

for line in ${(f)"$($program --complete ${(Q)words[2,CURRENT-1]} "${(Q)PREFIX}" 2>/dev/null)"}; do
    if [[ $line == $'\t'* ]]; then
        files=1
        endings=${line#$'\t'}
    elif [[ ${line%%$'\t'*} == *[=:,] ]]; then
        open_names+=("${line%%$'\t'*}")
        open_shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    else
        names+=("${line%%$'\t'*}")
        shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    fi
done

local -i found=1
(( $#names )) && compadd -l -d shown -a names && found=0
(( $#open_names )) && compadd -l -S '' -d open_shown -a open_names && found=0
if (( files )); then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    if [[ -n $endings ]]; then
        _files -g "*(${${=endings}[1]}${${=endings}[2]:+|${${=endings}[2]}})" && found=0
    else
        _files && found=0
    fi
fi
return found
