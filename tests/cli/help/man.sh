# Manual pages: every command has one, with its options and examples, and readers take them without a
# complaint.
page() { cyclotron --man "$1"; }
cyclotron --man
echo "--- a page"
page cyclotron-diff
echo "--- every option and example of --help is in the page"
for p in $(cyclotron --man); do
    words=$(echo "$p" | tr - ' ')
    page "$p" | sed 's/\\-/-/g; s/\\f[BIR]//g; s/\\(aq/'"'"'/g; s/\\e/\\/g; s/\\(ti/~/g; s/\\(ha/^/g; s/\\(ga/`/g' >page
    $words --help | sed '/^Examples:/q' | grep -o '^ *-[a-zA-Z], --[a-z-]*\|^ *--[a-z-]*' | grep -o -- '--[a-z-]*' | while IFS= read -r option; do
        grep -q -e "^-., $option\(=\|$\)\|^$option\(=\|$\)" page || echo "$p: no $option"
    done
    $words --help | sed -n '/^Examples:/,/^$/p' | sed '1d; /^$/d' | while IFS= read -r line; do
        grep -qxF -e "$line" page || echo "$p: no example: $line"
    done
done
echo "--- errors"
try cyclotron --man cyclotron-repaly
try cyclotron --man nothing
command -v mandoc >/dev/null && for p in $(cyclotron --man); do
    page "$p" | mandoc -Tlint -Wwarning | grep -v 'missing date' # it does not change from day to day
done
command -v groff >/dev/null && for p in $(cyclotron --man); do
    page "$p" | groff -man -Tutf8 -ww -z
done
true
