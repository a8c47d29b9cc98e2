#!/bin/bash
# binary: what is shipped: one static position-independent file, small, hardened, without
# a word about where it was built, and the same bytes wherever it is.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1
unset MAKEFLAGS MAKELEVEL

MAX_BYTES=409600 # 400 KiB

like "a static PIE" "$(file -b srun)" 'static-pie linked'
program_headers=$(readelf -lW srun)
unlike "no INTERP" "$program_headers" 'INTERP'
is "nothing to load" "$(readelf -dW srun | grep -c NEEDED)" 0
like "relro" "$program_headers" 'GNU_RELRO'
like "bind now" "$(readelf -dW srun)" 'BIND_NOW|FLAGS_1.*NOW'
unlike "no executable stack" "$(printf '%s\n' "$program_headers" | grep GNU_STACK)" ' RWE '
unlike "no segment both writable and executable" "$(printf '%s\n' "$program_headers" | grep LOAD)" 'RWE'
like "stripped" "$(file -b srun)" ', stripped'
size=$(stat -c %s srun)
check "under $MAX_BYTES bytes ($size)" test "$size" -lt "$MAX_BYTES"

# ./srun itself would need strings(1); any run of printable bytes will do.
words=$(strings -a -n 4 srun)
place=$(pwd -P)
is "the place of the build is not in it" "$(printf '%s\n' "$words" | grep -cF -e "$place")" 0
is "no path of a compiler or a build" \
	"$(printf '%s\n' "$words" | grep -E '/(gcc|build|tmp/[a-z]|usr/(lib|include)/[a-z0-9_]+-linux)' |
		grep -v '^/tmp/srun-' | head -n 5)" ''
like "it knows its version" "$(./srun --version 2>&1)" "^srun $(sed -n 's/^VERSION := //p' Makefile)\$"

# The shim gives names that no libc program calls by itself, and no other: a musl header
# with a macro in the way would make it replace the real function.
is "the shim replaces nothing of musl" \
	"$(nm --defined-only build/musl/musl_shim.o | awk '$2 ~ /[TW]/ && $3 !~ /^__|64$/ { print $3 }')" ''

# Same bytes from two directories of different length, and of files of different age.
copy() {
	mkdir -p "$1"
	cp ./*.c ./*.h Makefile "$1"
}
copy "$T/one" && copy "$T/a/much/longer/directory"
touch -d 2001-02-03 "$T/one"/*.[ch]
build_in() {
	(cd "$1" && shift && make -j2 srun "$@")
}
check "builds in one directory" build_in "$T/one"
check "builds in another directory" build_in "$T/a/much/longer/directory"
check "the same bytes from both" cmp "$T/one/srun" "$T/a/much/longer/directory/srun"
check "and they are those of ./srun" cmp "$T/one/srun" srun
is "nothing is left to do after a build" "$(build_in "$T/one" 2>&1)" ''

# A missing part is named in one line, with the remedy.
run build_in "$T/one" LIBINIH= MUSL_CC=no-such-compiler
isnt "without its parts the build fails" "$rc" 0
is "and names them in one line" "$(head -n 1 "$T/err")" \
	"make: missing: no-such-compiler, libinih.a ('make deps' installs it)"

# Installing under another name, removing without a trace.
dest=$T/dest
check "make install" make install DESTDIR="$dest" PREFIX=/opt/x PROGRAM=fence
check "the program has the name that was asked for" test -x "$dest/opt/x/bin/fence"
is "its second name is a link to it" "$(readlink "$dest/opt/x/bin/fence-sh")" fence
check "man page, section 1" test -e "$dest/opt/x/share/man/man1/fence.1"
check "man page, section 5" test -e "$dest/opt/x/share/man/man5/fence.ini.5"
check "the example" test -e "$dest/opt/x/share/doc/fence/srun.ini.example"
check "the installed program is ./srun" cmp srun "$dest/opt/x/bin/fence"
check "make uninstall" make uninstall DESTDIR="$dest" PREFIX=/opt/x PROGRAM=fence
is "nothing is left" "$(find "$dest" ! -type d)" ''

# The sanitizer flavour is of the same sources, so it must go on compiling too.
check "make sanitize" make -j2 sanitize

done_testing
