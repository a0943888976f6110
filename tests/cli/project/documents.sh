# Every command that a document shows in a ```console block runs, and prints what the document says.
# `make docs` writes these samples anew.
for document in $(cd "$root" && grep -l '^```console$' README.md docs/*/*.md); do
    "$root/scripts/samples" "$root/$document" >now
    diff -u "$root/$document" now && echo "$document: $(grep -c '^\$ ' now) commands"
done
