# Below a folder with a blank the cases of the command line run; make quotes what it removes, and installs nothing for who says so.
build() { env -u SETUP -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -C "$root" -n "$@"; }
build clean BUILD=never | grep -o '"never"'
build run BUILD=never | grep -c 'scripts/setup'
build run BUILD=never SETUP=no | grep -c 'scripts/setup'
mkdir -p 'a folder/tests/cli/trace' 'a folder/build' 'a folder/traces/tiny' 'a place'
cp "$root/tests/cli/run" 'a folder/tests/cli'
cp "$root"/tests/cli/trace/trace_info.* 'a folder/tests/cli/trace'
cp tiny.trace 'a folder/traces/tiny'
ln -s "$(command -v cyclotron)" 'a folder/build/cyclotron'
unset CYCLOTRON
TMPDIR="$PWD/a place" try 'a folder/tests/cli/run' trace_info
