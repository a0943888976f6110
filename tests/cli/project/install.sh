# What make install puts elsewhere, and that make uninstall takes all of it away again.
# make takes no blanks in BUILD: below the tree it is named from there
build=$(dirname "$(readlink -f "${PROGRAM:-$(command -v cyclotron)}")")
to=$PWD/stage/opt/cyclotron
place() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$root" BUILD="${build#"$root"/}" \
        DESTDIR="$PWD/stage" PREFIX=/opt/cyclotron "$1"
}
names() { # of the files of FOLDER below the prefix
    (cd "$to/$1" && find . -type f | sed 's/^..//' | LC_ALL=C sort)
}

mkdir -p "$to/share/man/man1" "$to/share/cyclotron"
echo theirs >"$to/share/man/man1/cyclotron-theirs.1"
place install >/dev/null
place install >/dev/null && echo "twice is once"

echo "--- pages: those that the program names"
cyclotron --man | sed 's/$/.1/' | LC_ALL=C sort >pages
names share/man/man1 | grep -v theirs | diff pages - && wc -l <pages
cyclotron --man cyclotron-replay | cmp - "$to/share/man/man1/cyclotron-replay.1"
echo "--- completion, documents, traces: the files of the tree"
cmp "$root/scripts/completion.bash" "$to/share/bash-completion/completions/cyclotron"
cmp "$root/scripts/completion.zsh" "$to/share/zsh/site-functions/_cyclotron"
names share/doc/cyclotron >got
(cd "$root/docs" && { find . -type f | sed 's,^\./,,'; printf '%s\n' README.md CHANGELOG.md LICENSE; } | LC_ALL=C sort) | diff - got && echo "all documents"
for t in 3dgan exatrkx mlpf; do cmp "$root/traces/$t.trace.zst" "$to/share/cyclotron/traces/$t.trace.zst"; done
"$to/bin/cyclotron" trace info "$to/share/cyclotron/traces/3dgan.trace.zst" | head -n 1 | cut -c 1-20
sort "$to/share/cyclotron/installed" | uniq -d
(cd "$to" && find . ! -type d ! -name installed ! -name '*theirs*' | sed 's/^..//') | wc -l >count
wc -l <"$to/share/cyclotron/installed" | diff count - && echo "the list names every file"

echo "--- a program of one's own, by pkg-config"
grep '^Libs:' "$to/lib/pkgconfig/cyclotron.pc"
# a library that was built with a sanitizer wants a program with its runtime
san=$(nm -D --undefined-only "$to/lib/libcyclotron.so" | sed -n 's/.* __asan_init$/-fsanitize=address/p')
cc $san -I"$to/include/cyclotron" -o library "$root/docs/examples/library.c" $(sed -n "s,^Libs: ,,p" "$to/lib/pkgconfig/cyclotron.pc" | sed "s,[$]{libdir},$to/lib,g") &&
    ./library "$root/traces/tiny/tiny.trace" tpu-v3-8 >/dev/null && echo "it finds the library"
# the line of the document for those without pkg-config
line=$(sed -n "s,^Without pkg-config: .\(.*\).\.\$,\1,p" "$root/docs/reference/des.md" | sed "s,[$]HOME/cyclotron,$to,g")
cc $san -o model "$root/docs/examples/producer_consumer.c" $line && ./model | tail -n 1

echo "--- what is left after make uninstall"
place uninstall
(cd stage && find . ! -type d)
(cd stage && find . -type d -name cyclotron)
place uninstall 2>&1 | sed "s,$PWD,HERE,; /^make/d"
