# The examples of docs/ build and run against what make install puts elsewhere, and print what they
# should; docs/reference/des.md shows two functions of the first.
# What the make around us was told besides its flags is in the environment.
# make takes no blanks in BUILD: below the tree it is named from there
build=$(dirname "$(readlink -f "${PROGRAM:-$(command -v cyclotron)}")")
prefix=/opt/cyclotron
to=$PWD/stage$prefix
place() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$root" BUILD="${build#"$root"/}" \
        DESTDIR="$PWD/stage" PREFIX=$prefix "$1"
}

run_example() {
    LD_LIBRARY_PATH=$to/lib "./$@"
}

place install >/dev/null # it may build
(cd stage && find . -path '*/share' -prune -o ! -type d ! -name '*.h' -print -o -name '*_impl.h' -print \
    -o -name err.h -print -o -name cyclotron.h -print -o -name vcd.h -print) | sort
sed 's/^Version: [0-9.]*$/Version: N/' "$to/lib/pkgconfig/cyclotron.pc"
"$to/bin/cyclotron" --version | sed 's/[0-9.]*$/N/'

flags="-I$to/include/cyclotron -L$to/lib -lcyclotron"
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_LIBDIR=$to/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/stage \
        pkg-config --cflags --libs cyclotron)
fi
for example in "$root"/docs/examples/*.c; do
    name=$(basename "$example" .c)
    echo "--- $name"
    # shellcheck disable=SC2086
    ${CC:-cc} ${SAN:-} -std=c11 -Wall -Wextra -Wpedantic -Werror "$example" -o "$name" $flags -lm &&
        case $name in
        library) run_example "$name" "$root/traces/3dgan.trace.zst" tpu-v3-8 | sed 's/ [0-9.]*:/ N:/' ;;
        *) run_example "$name" || echo "exit $?" ;;
        esac
done
echo "--- producer_consumer.vcd"
cat producer_consumer.vcd
example=$root/docs/examples/producer_consumer.c
[ "$(wc -l <"$example")" -lt 60 ] && echo "it has less than 60 lines"
# the functions that the manual shows are those of the example, but for what the consumer prints
awk '/^```c$/ { block = "" ; on = 1; next }
     /^```$/ && on { if (block ~ /^static uint32_t produce/) printf "%s", block; on = 0 }
     on { block = block $0 "\n" }' "$root/docs/reference/des.md" >shown
sed -n '/^static uint32_t produce/,/^int main/p' "$example" | grep -v -e '^int main' -e ' printf' | sed '$d' |
    diff - shown && echo "the manual shows it"

touch "$to/include/cyclotron/ours"
place uninstall
(cd stage && find . ! -type d) | sort

# every report of the kernel is in the manual, and no other
ids() { # QUOTE FILE...
    quote=$1
    shift
    grep -ho "des/[a-z-]*$quote" "$@" | sed "s/$quote\$//" | sort -u
}
ids '"' "$root"/model/des/*.c >sources
ids '`' "$root/docs/reference/des.md" >manual
diff sources manual && echo "the manual lists every report"
